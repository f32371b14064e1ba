//! Sessions: opening, use without stored state, and end.

use super::*;

pub(super) const UNKNOWN: &str =
    "AQAAAABrAUNLmftLTR-U0c6XmNdjcsO9zUj4nDsgGIQlYv60N_wC-5VXmiMMbT6YP0wWGYG36ryK";

#[tokio::test]
async fn a_session_has_the_requested_or_the_newest_revision() {
    let app = service().await;
    for revision in [&WITH_SESSIONS[..], &[STATELESS, "2024-11-05", ""]].concat() {
        let answer = post(&app, &[], &initialize(revision)).await;
        let result = &answer.json()["result"];
        let is_known = WITH_SESSIONS.contains(&revision);
        let agreed = if is_known { revision } else { WITH_SESSIONS[2] };
        assert_eq!(result["protocolVersion"], agreed, "{revision}");
        let title = str_of(&result["serverInfo"]["title"]);
        assert!(title.starts_with("Reviews of "), "{title}");
        // Nothing that is never sent.
        assert_eq!(result["capabilities"], json!({ "tools": {} }));
        assert_has(str_of(&result["instructions"]), "untrusted");
        assert!(result.get("resultType").is_none());
        let id = answer.header("mcp-session-id");
        assert!(!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_graphic()));
    }
}

#[tokio::test]
async fn a_refused_initialize_opens_no_session() {
    let app = service().await;
    for params in [
        json!({}),
        json!({ "protocolVersion": 1, "capabilities": {}, "clientInfo": {} }),
    ] {
        let answer = post(&app, &[], &request("initialize", params)).await;
        assert_eq!(error(&answer), (400, -32602));
        assert_eq!(answer.header("mcp-session-id"), "");
    }
}

#[tokio::test]
async fn notifications_and_responses_get_an_empty_202() {
    let app = service().await;
    let session = open(&app, "2025-06-18").await;
    for message in [
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/of/nobody" }),
        json!({ "jsonrpc": "2.0", "id": 5, "result": {} }),
        json!({ "jsonrpc": "2.0", "id": 5, "error": { "code": 1, "message": "no" } }),
    ] {
        let within = ask(&app, &session, &message).await;
        for answer in [within, post(&app, &[], &message).await] {
            assert_eq!((answer.status, answer.body.len()), (202, 0), "{message}");
        }
    }
}

#[tokio::test]
async fn a_request_with_two_or_an_unknown_session_is_refused() {
    let app = service().await;
    let session = open(&app, "2025-06-18").await;
    let list = request("tools/list", json!({}));
    let named = |id| ("mcp-session-id", id);
    let twice = post(&app, &[named(&*session), named(&*session)], &list).await;
    assert_eq!(error(&twice), (400, -32600));
    let (small, cut) = (session.to_lowercase(), &session[1..]);
    for unknown in [UNKNOWN, "", "x", "é", small.as_str(), cut] {
        let answer = post(&app, &[named(unknown)], &list).await;
        assert_eq!(error(&answer), (404, -32600), "{unknown}");
        assert_eq!(answer.json()["id"], 1, "{unknown}");
    }
    // `initialize` needs no session, so an expired one does no harm.
    let opened = post(&app, &[named(UNKNOWN)], &initialize("2025-06-18")).await;
    assert_eq!(opened.status, 200);
}

#[tokio::test]
async fn a_session_answers_a_ping_and_refuses_unknown_methods() {
    let app = service().await;
    let session = open(&app, "2025-06-18").await;
    let ping = json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" });
    let pong = ask(&app, &session, &ping).await;
    let expected = json!({ "jsonrpc": "2.0", "id": "p", "result": {} });
    assert_eq!(pong.json(), expected);
    assert_eq!(pong.header("cache-control"), "no-store");
    for method in "tools/none logging/setLevel resources/list prompts/list completion/complete subscriptions/listen tasks/get"
        .split(' ')
    {
        let within = ask(&app, &session, &request(method, json!({}))).await;
        assert_eq!(error(&within), (200, -32601), "{method}");
        let stateless = ask_stateless(&app, method, json!({})).await;
        assert_eq!(error(&stateless), (404, -32601), "{method}");
    }
}

#[tokio::test]
async fn batches_are_refused_in_every_revision() {
    let app = service().await;
    let session = open(&app, "2025-03-26").await;
    let ping = request("ping", json!({}));
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    for batch in [json!([]), json!([ping]), json!([note, ping])] {
        let stateless = [("mcp-protocol-version", STATELESS), ("mcp-method", "ping")];
        for headers in [&[][..], &[("mcp-session-id", session.as_str())], &stateless] {
            let refused = post(&app, headers, &batch).await;
            assert_eq!(error(&refused), (400, -32600), "{headers:?} {batch}");
            assert!(refused.json()["id"].is_null(), "{headers:?} {batch}");
        }
    }
}
