//! Sessions: opening, use without stored state, and end.

use super::*;

pub(super) const UNKNOWN: &str =
    "AQAAAABrAUNLmftLTR-U0c6XmNdjcsO9zUj4nDsgGIQlYv60N_wC-5VXmiMMbT6YP0wWGYG36ryK";

#[tokio::test]
async fn a_session_has_the_requested_or_the_newest_revision() {
    let app = service().await;
    let newest = WITH_SESSIONS[2];
    for (asked, agreed) in WITH_SESSIONS.map(|one| (one, one)).into_iter().chain([
        (STATELESS, newest),
        ("2024-11-05", newest),
        ("2099-01-01", newest),
        ("", newest),
    ]) {
        // `Authorization` is ignored.
        let headers = [("authorization", "Bearer x")];
        let answer = app.post_mcp(&headers, initialize(asked).to_string()).await;
        let result = &answer.json()["result"];
        assert_eq!(
            (answer.status, result["protocolVersion"].as_str()),
            (200, Some(agreed)),
            "{asked}"
        );
        let title = str_of(&result["serverInfo"]["title"]);
        assert!(title.starts_with("Reviews of "), "{title}");
        let declared = json!({ "tools": {} });
        assert_eq!(
            result["capabilities"], declared,
            "nothing that is never sent"
        );
        assert_has(result["instructions"].as_str().unwrap(), "untrusted");
        assert!(result.get("resultType").is_none());
        let id = answer.header("mcp-session-id");
        assert!(
            !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_graphic()),
            "{id}"
        );
    }
}

#[tokio::test]
async fn a_refused_initialize_explains_the_reason() {
    let app = service().await;
    for params in [
        json!({}),
        json!({ "protocolVersion": 1, "capabilities": {}, "clientInfo": {} }),
    ] {
        let answer = app
            .post_mcp(&[], request("initialize", params).to_string())
            .await;
        assert_eq!(
            (error(&answer), answer.header("mcp-session-id")),
            ((400, -32602), "")
        );
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
        for answer in [within, app.post_mcp(&[], message.to_string()).await] {
            assert_eq!((answer.status, answer.body.len()), (202, 0), "{message}");
        }
    }
}

#[tokio::test]
async fn a_request_with_two_or_an_unknown_session_is_refused() {
    let app = service().await;
    let session = open(&app, "2025-06-18").await;
    let list = request("tools/list", json!({})).to_string();
    let twice = [
        ("mcp-session-id", session.as_str()),
        ("mcp-session-id", session.as_str()),
    ];
    assert_eq!(
        error(&app.post_mcp(&twice, list.clone()).await),
        (400, -32600)
    );
    for unknown in [
        UNKNOWN,
        "",
        "x",
        "é",
        &session.to_lowercase(),
        &session[1..],
    ] {
        let answer = app
            .post_mcp(&[("mcp-session-id", unknown)], list.clone())
            .await;
        assert_eq!(
            (error(&answer), &answer.json()["id"]),
            ((404, -32600), &json!(1)),
            "{unknown}"
        );
    }
    // `initialize` needs no session, so an expired one does no harm.
    let opened = app
        .post_mcp(
            &[("mcp-session-id", UNKNOWN)],
            initialize("2025-06-18").to_string(),
        )
        .await;
    assert_eq!(opened.status, 200);
}

#[tokio::test]
async fn a_later_revision_header_does_not_change_the_session() {
    let app = service().await;
    for agreed in WITH_SESSIONS {
        let session = open(&app, agreed).await;
        let list = request("tools/list", json!({})).to_string();
        for named in WITH_SESSIONS {
            let headers = [
                ("mcp-session-id", session.as_str()),
                ("mcp-protocol-version", named),
            ];
            assert_eq!(
                app.post_mcp(&headers, list.clone()).await.status,
                200,
                "{agreed} {named}"
            );
        }
        for named in ["2024-11-05", "2099-01-01", "x", ""] {
            let headers = [
                ("mcp-session-id", session.as_str()),
                ("mcp-protocol-version", named),
            ];
            let answer = app.post_mcp(&headers, list.clone()).await;
            assert_eq!(error(&answer), (400, -32022), "{named}");
            let supported = &answer.json()["error"]["data"]["supported"];
            assert_eq!(
                supported,
                &json!(["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"])
            );
        }
    }
}

#[tokio::test]
async fn a_session_answers_a_ping_and_refuses_what_is_not_offered() {
    let app = service().await;
    let session = open(&app, "2025-06-18").await;
    let ping = json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" });
    let pong = ask(&app, &session, &ping).await;
    assert_eq!(
        pong.json(),
        json!({ "jsonrpc": "2.0", "id": "p", "result": {} })
    );
    assert_eq!(pong.header("cache-control"), "no-store");
    for method in [
        "tools/none",
        "logging/setLevel",
        "resources/list",
        "prompts/list",
        "completion/complete",
        "subscriptions/listen",
        "tasks/get",
    ] {
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
            let refused = app.post_mcp(headers, batch.to_string()).await;
            assert_eq!(error(&refused), (400, -32600), "{headers:?} {batch}");
            assert!(refused.json()["id"].is_null(), "{headers:?} {batch}");
        }
    }
}
