//! Stateless requests (2026-07-28).

use super::*;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

#[tokio::test]
async fn a_request_must_state_revision_and_client_capabilities() {
    let app = service().await;
    let headers = [
        ("mcp-protocol-version", STATELESS),
        ("mcp-method", "tools/list"),
    ];
    for (meta, status) in [
        (json!({ VERSION: STATELESS, CAPABILITIES: {} }), (200, 0)),
        (
            json!({ VERSION: STATELESS, CAPABILITIES: {}, "io.modelcontextprotocol/clientInfo": { "name": "x", "version": "1" } }),
            (200, 0),
        ),
        (json!({ VERSION: STATELESS }), (400, -32602)),
        (
            json!({ VERSION: STATELESS, CAPABILITIES: [] }),
            (400, -32602),
        ),
        (json!({ CAPABILITIES: {} }), (400, -32602)),
        (
            json!({ VERSION: 20_260_728, CAPABILITIES: {} }),
            (400, -32602),
        ),
        (json!({}), (400, -32602)),
        (json!(null), (400, -32602)),
        (json!("x"), (400, -32602)),
    ] {
        let answer = app
            .post_mcp(
                &headers,
                request("tools/list", json!({ "_meta": meta })).to_string(),
            )
            .await;
        assert_eq!(
            (error(&answer), &answer.json()["id"]),
            (status, &json!(1)),
            "{meta}"
        );
    }
    let answer = app
        .post_mcp(
            &headers,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        )
        .await;
    assert_eq!(error(&answer), (400, -32602));
}

#[tokio::test]
async fn headers_must_match_the_body() {
    let app = service().await;
    let call = request(
        "tools/call",
        alone(json!({ "name": "get_business", "arguments": {} })),
    )
    .to_string();
    let (version, method, name) = (
        ("mcp-protocol-version", STATELESS),
        ("mcp-method", "tools/call"),
        ("mcp-name", "get_business"),
    );
    for headers in [
        vec![version, method, name],
        vec![
            ("MCP-PROTOCOL-VERSION", STATELESS),
            ("Mcp-Method", "tools/call"),
            ("MCP-NAME", "get_business"),
        ],
        vec![version, method, ("mcp-name", " get_business\t")],
        vec![version, method, ("mcp-name", "=?base64?Z2V0X2J1c2luZXNz?=")],
        // Neither has a meaning here.
        vec![
            version,
            method,
            name,
            ("mcp-session-id", "x"),
            ("last-event-id", "7"),
        ],
    ] {
        assert_eq!(
            error(&app.post_mcp(&headers, call.clone()).await),
            (200, 0),
            "{headers:?}"
        );
    }
    for headers in [
        vec![method, name],
        vec![version, name],
        vec![version, method],
        vec![("mcp-protocol-version", "2025-11-25"), method, name],
        vec![("mcp-protocol-version", "2099-01-01"), method, name],
        vec![version, version, method, name],
        vec![version, ("mcp-method", "TOOLS/CALL"), name],
        vec![version, ("mcp-method", "tools/list"), name],
        vec![version, method, method, name],
        vec![version, method, ("mcp-name", "Get_Business")],
        vec![version, method, ("mcp-name", "")],
        vec![
            version,
            method,
            ("mcp-name", "=?base64?Z2V0X2J1c2luZXNz=?="),
        ],
        vec![version, method, ("mcp-name", "=?base64?!!?=")],
        vec![version, method, ("mcp-name", "Z2V0X2J1c2luZXNz")],
        vec![version, method, name, name],
        vec![version, method, ("mcp-name", "é")],
    ] {
        let answer = app.post_mcp(&headers, call.clone()).await;
        assert_eq!(
            (error(&answer), &answer.json()["id"]),
            ((400, -32020), &json!(1)),
            "{headers:?}"
        );
    }
}

#[tokio::test]
async fn an_unknown_revision_gets_a_list_of_the_known_ones() {
    let app = service().await;
    for version in ["v999.0.0", "2024-11-05", "2026-07-29", ""] {
        let headers = [
            ("mcp-protocol-version", version),
            ("mcp-method", "server/discover"),
        ];
        let meta = json!({ VERSION: version, CAPABILITIES: {} });
        let answer = app
            .post_mcp(
                &headers,
                request("server/discover", json!({ "_meta": meta })).to_string(),
            )
            .await;
        assert_eq!(error(&answer), (400, -32022), "{version}");
        let data = &answer.json()["error"]["data"];
        assert_eq!(
            data,
            &json!({ "requested": version, "supported": ["2025-03-26", "2025-06-18", "2025-11-25", STATELESS] })
        );
    }
    // A known revision, but one with sessions.
    let headers = [
        ("mcp-protocol-version", "2025-11-25"),
        ("mcp-method", "tools/list"),
    ];
    let meta = json!({ VERSION: "2025-11-25", CAPABILITIES: {} });
    let answer = app
        .post_mcp(
            &headers,
            request("tools/list", json!({ "_meta": meta })).to_string(),
        )
        .await;
    assert_eq!(error(&answer), (400, -32602));
    assert_has(
        answer.json()["error"]["message"].as_str().unwrap(),
        "initialize",
    );
}

#[tokio::test]
async fn methods_of_sessions_are_refused_without_a_session() {
    let app = service().await;
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/list",
        "prompts/list",
        "completion/complete",
        "subscriptions/listen",
        "tasks/get",
        "unknown/method",
        "",
    ] {
        let answer = ask_stateless(&app, method, json!({})).await;
        assert_eq!(
            (error(&answer), &answer.json()["id"]),
            ((404, -32601), &json!(1)),
            "{method}"
        );
        assert_eq!(answer.header("mcp-session-id"), "");
    }
}

#[tokio::test]
async fn discovery_lists_revisions_and_capabilities() {
    let app = service().await;
    let result = ask_stateless(&app, "server/discover", json!({}))
        .await
        .json()["result"]
        .clone();
    assert_eq!(
        result["supportedVersions"],
        json!(["2025-03-26", "2025-06-18", "2025-11-25", STATELESS])
    );
    assert_eq!(result["capabilities"], json!({ "tools": {} }));
    assert_has(result["instructions"].as_str().unwrap(), "untrusted");
    // The request of a client that does not know the revisions yet.
    let unsaid = app
        .post_mcp(
            &[],
            r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#,
        )
        .await;
    assert_eq!(error(&unsaid), (400, -32020));
}

#[tokio::test]
async fn every_result_names_the_server_and_the_list_can_be_cached() {
    let app = service().await;
    for (method, params, holds) in [
        ("server/discover", json!({}), true),
        ("tools/list", json!({}), true),
        ("tools/call", json!({ "name": "get_business" }), false),
    ] {
        let answer = ask_stateless(&app, method, params).await;
        let result = answer.json()["result"].clone();
        assert_eq!(
            (answer.status, &result["resultType"]),
            (200, &json!("complete")),
            "{method}: {}",
            answer.text()
        );
        let server = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(
            (&server["name"], &server["version"]),
            (&json!("reviews-service"), &json!("1.0.0")),
            "{method}"
        );
        let hints = (
            result.get("ttlMs").cloned(),
            result.get("cacheScope").cloned(),
        );
        assert_eq!(
            hints,
            if holds {
                (Some(json!(60_000)), Some(json!("public")))
            } else {
                (None, None)
            },
            "{method}"
        );
        assert_eq!(answer.header("mcp-session-id"), "", "{method}");
    }
}

#[tokio::test]
async fn the_list_of_tools_is_the_same_for_every_client_and_request() {
    let app = service().await;
    let session = open(&app, "2025-11-25").await;
    let list = async || {
        ask_stateless(&app, "tools/list", json!({})).await.json()["result"]["tools"].clone()
    };
    let first = list().await;
    assert_eq!(list().await, first);
    let within = ask(&app, &session, &request("tools/list", json!({}))).await;
    assert_eq!(within.json()["result"]["tools"], first);
}

#[tokio::test]
async fn a_body_has_one_request_or_notification() {
    let app = service().await;
    let post = async |app: &TestApp, method: &str, body: Value| {
        app.post_mcp(
            &[("mcp-protocol-version", STATELESS), ("mcp-method", method)],
            body.to_string(),
        )
        .await
    };
    let list = request("tools/list", alone(json!({})));
    assert_eq!(
        error(&post(&app, "tools/list", json!([list])).await),
        (400, -32600)
    );
    assert_eq!(
        error(
            &post(
                &app,
                "x",
                json!({ "jsonrpc": "2.0", "id": 1, "result": {} })
            )
            .await
        ),
        (400, -32600)
    );
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    let taken = post(&app, "notifications/cancelled", note.clone()).await;
    assert_eq!((taken.status, taken.body.len()), (202, 0));
    assert_eq!(
        error(&post(&app, "notifications/other", note).await),
        (400, -32020)
    );
    let unread = post(
        &app,
        "tools/list",
        json!({ "jsonrpc": "2.0", "id": null, "method": "tools/list" }),
    )
    .await;
    assert_eq!(error(&unread), (400, -32600));
    assert!(
        unread.json().get("id").is_none(),
        "an unreadable id is left out"
    );
}
