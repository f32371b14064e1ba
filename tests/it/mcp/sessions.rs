//! `initialize` and what follows it, without any state.

use super::*;

#[test]
fn a_session_has_the_requested_or_the_newest_revision() {
    with_sample(async |app| {
        for revision in [&WITH_INITIALIZE[..], &[STATELESS, "2024-11-05", ""]].concat() {
            let answer = post(app, &[], &initialize(revision)).await;
            let result = &answer.json()["result"];
            let is_known = WITH_INITIALIZE.contains(&revision);
            let agreed = if is_known {
                revision
            } else {
                WITH_INITIALIZE[2]
            };
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
    });
}

#[test]
fn notifications_and_responses_are_accepted_without_a_body() {
    with_sample(async |app| {
        for message in [
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
            json!({ "jsonrpc": "2.0", "method": "notifications/of/nobody" }),
            json!({ "jsonrpc": "2.0", "id": 5, "result": {} }),
            json!({ "jsonrpc": "2.0", "id": 5, "error": { "code": 1, "message": "no" } }),
        ] {
            let answer = post(app, &[], &message).await;
            assert_eq!((answer.status, answer.body.len()), (202, 0), "{message}");
        }
    });
}

#[test]
fn a_ping_is_answered_with_nothing() {
    with_sample(async |app| {
        let ping = json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" });
        let pong = post(app, &[], &ping).await;
        let expected = json!({ "jsonrpc": "2.0", "id": "p", "result": {} });
        assert_eq!(pong.json(), expected);
        assert_eq!(pong.header("cache-control"), "no-store");
    });
}

#[test]
fn an_unknown_method_is_not_found() {
    with_sample(async |app| {
        for method in "tools/none logging/setLevel resources/list prompts/list completion/complete subscriptions/listen tasks/get"
        .split(' ')
    {
        let within = post(app, &[], &request(method, json!({}))).await;
        assert_eq!(error(&within), (200, -32601), "{method}");
        let stateless = ask_stateless(app, method, json!({})).await;
        assert_eq!(error(&stateless), (404, -32601), "{method}");
    }
    });
}

#[tokio::test]
async fn any_session_id_or_none_gets_the_same_answer() {
    let app = TestApp::with(&Generator::new(41).reviews(30)).await;
    let before = contents(&app.path());
    let opened = post(&app, &[], &initialize("2025-06-18")).await;
    let again = post(&app, &[], &initialize("2025-06-18")).await;
    let id = opened.header("mcp-session-id");
    assert_ne!(id, again.header("mcp-session-id"));
    assert_eq!(opened.body, again.body);
    let list = request("tools/list", json!({}));
    let expected = post(&app, &[], &list).await;
    let app = app.restart().await;
    let named = |id| ("mcp-session-id", id);
    for headers in [
        &[named(id)][..],
        &[named(id), named(id)],
        &[named("")],
        &[named("é")],
    ] {
        let answer = post(&app, headers, &list).await;
        assert_eq!(answer.status, 200, "{headers:?}");
        assert_eq!(answer.body, expected.body, "{headers:?}");
        let opened = post(&app, headers, &initialize("2025-06-18")).await;
        assert_eq!(opened.status, 200, "{headers:?}");
    }
    assert!(before == contents(&app.path()), "the database changed");
}
