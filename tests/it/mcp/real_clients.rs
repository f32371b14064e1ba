//! Ways of real clients, as reported for other servers: requests without the session that `initialize` opened, unusual
//! headers, paths and arguments, and probes for other transports and for OAuth.

use super::*;

const SEARCH: &str = "search_reviews";

/// The calls of a client after `initialize`, each with these headers.
async fn assert_served(app: &TestApp, headers: &[(&str, &str)]) {
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let noted = app.post_mcp(headers, note.to_string()).await;
    assert_eq!(
        (noted.status, noted.text().as_str()),
        (202, ""),
        "{headers:?}"
    );
    let list = request("tools/list", json!({})).to_string();
    let listed = app.post_mcp(headers, list).await;
    assert_eq!(error(&listed), (200, 0), "{headers:?}: {}", listed.text());
    let result = &listed.json()["result"];
    assert!(result["tools"].is_array(), "{headers:?}: {result}");
    assert!(result.get("resultType").is_none(), "{headers:?}: {result}");
    let call = json!({ "name": SEARCH, "arguments": { "limit": 1 } });
    let called = app
        .post_mcp(headers, request("tools/call", call).to_string())
        .await;
    let result = &called.json()["result"];
    assert_eq!(result["isError"], false, "{headers:?}: {result}");
    assert_eq!(
        result["structuredContent"]["count"], 1,
        "{headers:?}: {result}"
    );
    for answer in [&noted, &listed, &called] {
        assert_eq!(answer.header("mcp-session-id"), "", "{headers:?}");
    }
}

#[tokio::test]
async fn without_a_session_errors_are_those_of_a_session() {
    let app = service().await;
    let session = open(&app, "2025-06-18").await;
    for (method, params) in [
        ("ping", json!({})),
        ("prompts/list", json!({})),
        ("tools/list", json!({ "cursor": "x" })),
        ("tools/call", json!({ "name": "none" })),
        (
            "tools/call",
            json!({ "name": SEARCH, "arguments": { "limit": 0 } }),
        ),
    ] {
        let asked = request(method, params);
        let within = ask(&app, &session, &asked).await;
        for headers in [&[][..], &[("mcp-protocol-version", "2025-11-25")]] {
            let without = app.post_mcp(headers, asked.to_string()).await;
            assert_eq!(
                (without.status, without.json()),
                (within.status, within.json()),
                "{asked}"
            );
        }
    }
    for named in ["2024-11-05", "2099-01-01", ""] {
        let list = request("tools/list", json!({})).to_string();
        let answer = app.post_mcp(&[("mcp-protocol-version", named)], list).await;
        assert_eq!(error(&answer), (400, -32022), "{named}");
    }
}

/// Clients of the older HTTP transport begin with GET, and others open a stream after `initialize`; Claude's connectors
/// probe for OAuth, where 401 would make them ask for an account.
#[tokio::test]
async fn probes_for_streams_and_oauth_find_nothing() {
    let app = service().await;
    for headers in [
        // Without `Accept`, a check of health (affaan-m/ECC#1155); as a browser, claude.ai (anthropics/claude-ai-mcp#814).
        &[][..],
        &[(
            "accept",
            "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        )],
        &[("accept", "text/event-stream")],
        &[("accept", "*/*")],
        &[
            ("accept", "text/event-stream"),
            ("mcp-protocol-version", "2025-06-18"),
        ],
    ] {
        let probed = app.send(Method::GET, "/mcp", headers).await;
        assert_eq!(
            (probed.status, probed.header("allow")),
            (405, "POST, DELETE, OPTIONS"),
            "{headers:?}"
        );
    }
    for target in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
    ] {
        let probed = app.get(target).await;
        assert_eq!(probed.status, 404, "{target}");
        assert!(!probed.headers.contains_key("www-authenticate"), "{target}");
    }
    assert_served(&app, &[("accept", "*/*")]).await;
}

/// The arguments as clients send them: left out (Cline) or null (`PicoClaw`), with one that the client adds (Cline, n8n), and
/// with null or an empty text for each that the model did not set (Langflow, `CrewAI`, n8n; models of Oh My Pi).
#[tokio::test]
async fn arguments_that_a_client_adds_or_leaves_out_do_not_matter() {
    let app = service().await;
    let mut answers = Vec::new();
    for (thread, params) in [
        ("cline/cline#10553", r#"{"name": "list_facets"}"#),
        (
            "sipeed/picoclaw#2600",
            r#"{"name": "list_facets", "arguments": null}"#,
        ),
        (
            "cline/cline#10426",
            r#"{"name": "list_facets", "arguments": {"task_progress": "- [x] Find the reviews"}}"#,
        ),
        (
            "n8n-io/n8n#21500",
            r#"{"name": "list_facets", "arguments": {"toolCallId": "call_0BCIShth"}}"#,
        ),
        (
            "",
            r#"{"name": "search_reviews", "arguments": {"limit": 2}}"#,
        ),
        (
            "langflow-ai/langflow#8059, ZenRows/zenrows-mcp#23, n8n-io/n8n#17264",
            r#"{"name": "search_reviews", "arguments": {"limit": 2, "query": null, "rating": null, "has_text": null,
                "since": null, "aspect": null, "cursor": null}}"#,
        ),
        (
            "can1357/oh-my-pi#2981",
            r#"{"name": "search_reviews", "arguments": {"limit": "2", "query": "", "rating": "", "sort": "", "aspect": ""}}"#,
        ),
    ] {
        let params: Value = serde_json::from_str(params).unwrap();
        let answer = app
            .post_mcp(&[], request("tools/call", params.clone()).to_string())
            .await;
        let result = answer.json()["result"].clone();
        assert_eq!(result["isError"], false, "{thread}: {result}");
        answers.push((params["name"].clone(), result));
    }
    for (name, result) in &answers {
        let same = answers.iter().find(|(other, _)| other == name).unwrap();
        assert_eq!(*result, same.1, "{name}");
    }
    // An invented filter is still an error, beside what the client adds.
    let invented = json!({ "name": SEARCH, "arguments": { "stars": 5, "toolCallId": "call_0" } });
    let refused = app
        .post_mcp(&[], request("tools/call", invented).to_string())
        .await;
    let text = refused.json()["result"]["content"][0]["text"].clone();
    let text = text.as_str().unwrap();
    assert_eq!(refused.json()["result"]["isError"], true);
    assert!(refused.json()["result"].get("structuredContent").is_none());
    assert!(
        text.contains("stars") && !text.contains("toolCallId"),
        "{text}"
    );
}

/// The README of `LangChain`'s adapters asked for a slash at the end (langchain-ai/langchain-mcp-adapters#206), and mcpo
/// appends one to every address (open-webui/mcpo#209).
#[tokio::test]
async fn an_address_with_a_slash_at_the_end_is_the_same() {
    let app = service().await;
    let post = async |message: &Value| {
        let headers = [("content-type", "application/json")];
        let body = message.to_string();
        app.ask_from(None, Method::POST, "/mcp/", &headers, body)
            .await
    };
    let opened = post(&initialize("2025-06-18")).await;
    assert_eq!(opened.json()["result"]["protocolVersion"], "2025-06-18");
    assert_ne!(opened.header("mcp-session-id"), "");
    let list = request("tools/list", json!({}));
    let without = app.post_mcp(&[], list.to_string()).await;
    assert_eq!(post(&list).await.json(), without.json());
    let stream = app.send(Method::GET, "/mcp/", &[]).await;
    assert_eq!(
        (stream.status, stream.header("allow")),
        (405, "POST, DELETE, OPTIONS")
    );
}

/// The MCP Inspector connects from a page: a preflight names each header that it sends after `initialize`
/// (netdata/netdata#22258), and it must read the session (agentgateway/website#82).
#[tokio::test]
async fn a_client_in_a_browser_passes_the_preflight_and_reads_the_session() {
    let app = service().await;
    let origin = ("origin", "http://localhost:6274");
    let asked = "content-type,mcp-protocol-version,mcp-session-id";
    let headers = [
        origin,
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", asked),
    ];
    let preflight = app.send(Method::OPTIONS, "/mcp", &headers).await;
    let allowed = preflight.header("access-control-allow-headers");
    let allowed = allowed.to_ascii_lowercase();
    for name in asked.split(',') {
        assert!(allowed.split(", ").any(|known| known == name), "{allowed}");
    }
    let opened = app
        .post_mcp(&[origin], initialize("2025-06-18").to_string())
        .await;
    let exposed = opened.header("access-control-expose-headers");
    assert!(exposed.contains("Mcp-Session-Id"), "{exposed}");
    let session = opened.header("mcp-session-id");
    assert_served(
        &app,
        &[
            origin,
            ("mcp-session-id", session),
            ("mcp-protocol-version", "2025-06-18"),
        ],
    )
    .await;
}

/// The combinations of what clients did in public threads: with or without the session (anthropics/claude-ai-mcp#975,
/// ggml-org/llama.cpp#20675), no, the agreed or another revision in the header (anthropics/claude-code#92835), a revision that
/// there is not (metoro-io/mcp-golang#134), capabilities of which the server knows nothing (microsoft/vscode#319528), a key where
/// none is needed (n8n-io/n8n#28787), and an attempt to open a stream (aaif-goose/goose#4640).
#[tokio::test]
async fn any_way_of_a_public_thread_ends_with_a_tool_s_answer() {
    let app = service().await;
    let capabilities = json!({ "roots": { "listChanged": true }, "sampling": {}, "elicitation": { "form": {}, "url": {} } });
    let accepted = [
        "",
        "*/*",
        "application/json",
        "application/json, text/event-stream",
        "text/event-stream, application/json",
        // python-sdk#2349, and vercel/vercel-mcp-overview#1.
        "text/event-stream",
        "application/json, application/mcp+json",
    ];
    for (number, accept) in accepted.into_iter().enumerate() {
        let asks = [&WITH_SESSIONS[..], &["1.0"]].concat()[number % 4];
        let mut opening = initialize(asks);
        opening["params"]["capabilities"] = capabilities.clone();
        let sent = [
            ("accept", accept),
            ("authorization", "Bearer x"),
            ("content-type", "application/json; charset=utf-8"),
        ];
        let opened = app.post_mcp(&sent, opening.to_string()).await;
        assert_eq!(opened.header("content-type"), "application/json");
        for revision in [None, Some("2025-06-18"), Some("2025-11-25")] {
            for session in [None, Some(opened.header("mcp-session-id"))] {
                let mut headers = sent.to_vec();
                headers.extend(revision.map(|revision| ("mcp-protocol-version", revision)));
                let stream = app.send(Method::GET, "/mcp", &headers).await;
                assert_eq!(stream.status, 405, "{headers:?}");
                headers.extend(session.map(|session| ("mcp-session-id", session)));
                assert_served(&app, &headers).await;
            }
        }
    }
    // Without `initialize` too: each request may come from another machine of the client.
    assert_served(&app, &[]).await;
}

/// Clients ping before they open a session (agentic-community/mcp-gateway-registry#136), or send `params` that are null
/// (chaitin/MonkeyCode#1268).
#[tokio::test]
async fn a_ping_without_a_session_and_null_params_do_no_harm() {
    let app = service().await;
    let session = open(&app, "2025-06-18").await;
    for method in ["tools/list", "ping"] {
        let asked = request(method, Value::Null);
        let without = app.post_mcp(&[], asked.to_string()).await;
        for answer in [without, ask(&app, &session, &asked).await] {
            assert_eq!(error(&answer), (200, 0), "{method}");
        }
    }
}
