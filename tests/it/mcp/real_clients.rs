//! Ways of real clients, as reported for other servers: requests without the session that `initialize` opened, unusual
//! headers, paths and arguments, and probes for other transports and for OAuth.

use super::*;

const SEARCH: &str = "search_reviews";

/// The calls of a client that drops the session: `headers` come with each after `initialize`.
async fn assert_served_without_session(app: &TestApp, headers: &[(&str, &str)]) {
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
async fn a_client_that_drops_the_session_is_served() {
    let app = service().await;
    for revision in WITH_SESSIONS {
        assert!(!open(&app, revision).await.is_empty());
        // ChatGPT, llama.cpp and some versions of Claude Code name the revision in the header.
        assert_served_without_session(&app, &[("mcp-protocol-version", revision)]).await;
        // claude.ai named it only in `initialize`, and accepts anything.
        assert_served_without_session(&app, &[("accept", "*/*")]).await;
    }
    // Without `initialize` too: each request may come from another machine of the client.
    assert_served_without_session(&app, &[]).await;
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

#[tokio::test]
async fn a_client_that_ended_its_session_is_served_without_it() {
    let app = service().await;
    let session = open(&app, "2025-11-25").await;
    let named = [("mcp-session-id", session.as_str())];
    let ended = app.send(Method::DELETE, "/mcp", &named).await;
    assert_eq!(ended.status, 204);
    let list = request("tools/list", json!({}));
    assert_eq!(error(&ask(&app, &session, &list).await), (404, -32600));
    assert_served_without_session(&app, &[("mcp-protocol-version", "2025-11-25")]).await;
    // The end of a session that was not kept: there is none to end.
    let ended = app.send(Method::DELETE, "/mcp", &[]).await;
    assert_eq!(ended.status, 400);
}

/// Claude's connectors discover the stateless revision first; Claude Code sends `initialize` even after it.
#[tokio::test]
async fn a_client_may_discover_first_and_initialize_afterwards() {
    let app = service().await;
    let discovered = ask_stateless(&app, "server/discover", json!({})).await;
    let versions = &discovered.json()["result"]["supportedVersions"];
    assert!(
        versions.as_array().unwrap().contains(&json!(STATELESS)),
        "{versions}"
    );
    for asked in ["2025-11-25", STATELESS] {
        let opened = app.post_mcp(&[], initialize(asked).to_string()).await;
        assert_eq!(opened.json()["result"]["protocolVersion"], "2025-11-25");
        assert!(!opened.header("mcp-session-id").is_empty());
        assert_served_without_session(&app, &[("mcp-protocol-version", "2025-11-25")]).await;
    }
    assert_eq!(
        error(&ask_stateless(&app, "tools/list", json!({})).await),
        (200, 0)
    );
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
    assert_served_without_session(&app, &[("accept", "*/*")]).await;
}

/// How a client behaved in a public thread.
struct Way {
    /// The revision and the capabilities of its `initialize`.
    asks: &'static str,
    capabilities: &'static str,
    /// The headers of every request.
    headers: &'static [(&'static str, &'static str)],
    /// The revision in the header after `initialize`, if it sends one.
    names: Option<&'static str>,
    keeps_session: bool,
    /// Whether it tries to open a stream after `initialize`, always without the session.
    opens_stream: bool,
}

/// A client of the official SDKs that keeps everything.
const FAITHFUL: Way = Way {
    asks: "2025-06-18",
    capabilities: "{}",
    headers: &[("accept", "application/json, text/event-stream")],
    names: Some("2025-06-18"),
    keeps_session: true,
    opens_stream: false,
};

const WAYS: [(&str, Way); 17] = [
    // claude.ai: none of thirty requests had the session.
    (
        "anthropics/claude-ai-mcp#975",
        Way {
            names: None,
            keeps_session: false,
            ..FAITHFUL
        },
    ),
    // claude.ai: accepts anything.
    (
        "anthropics/claude-ai-mcp#76",
        Way {
            headers: &[("accept", "*/*")],
            names: None,
            keeps_session: false,
            ..FAITHFUL
        },
    ),
    // Claude Code: drops the session.
    (
        "anthropics/claude-code#70386",
        Way {
            keeps_session: false,
            ..FAITHFUL
        },
    ),
    // Claude Code: names another revision than the one that was agreed.
    (
        "anthropics/claude-code#92835",
        Way {
            names: Some("2025-11-25"),
            ..FAITHFUL
        },
    ),
    // llama.cpp: drops the session.
    (
        "ggml-org/llama.cpp#20675",
        Way {
            keeps_session: false,
            ..FAITHFUL
        },
    ),
    // Gemini CLI: no `Accept`.
    (
        "google-gemini/gemini-cli#20018",
        Way {
            headers: &[],
            ..FAITHFUL
        },
    ),
    // Gemini CLI: gives up if the stream is not found.
    (
        "google-gemini/gemini-cli#5268",
        Way {
            opens_stream: true,
            ..FAITHFUL
        },
    ),
    // Goose: opens the stream without the session.
    (
        "aaif-goose/goose#4640",
        Way {
            opens_stream: true,
            ..FAITHFUL
        },
    ),
    // Cursor: the same, and logs an error unless it is 405.
    (
        "kentcdodds/kentcdodds.com#575",
        Way {
            opens_stream: true,
            ..FAITHFUL
        },
    ),
    // GitHub Copilot CLI, an older and a newer one.
    ("github/copilot-cli#1268", FAITHFUL),
    (
        "github/copilot-cli#1268 (later)",
        Way {
            asks: "2025-11-25",
            capabilities: r#"{"elicitation": {"form": {}, "url": {}}, "sampling": {}}"#,
            names: Some("2025-11-25"),
            ..FAITHFUL
        },
    ),
    // mcp-golang: a revision that there is not.
    (
        "metoro-io/mcp-golang#134",
        Way {
            asks: "1.0",
            names: None,
            ..FAITHFUL
        },
    ),
    // Clients of servers that need a key send one everywhere.
    (
        "n8n-io/n8n#28787",
        Way {
            headers: &[
                ("accept", "application/json, text/event-stream"),
                ("authorization", "Bearer x"),
            ],
            names: None,
            keeps_session: false,
            opens_stream: true,
            ..FAITHFUL
        },
    ),
    // Visual Studio Code: prefers a stream, and has capabilities of which the server knows nothing.
    (
        "microsoft/vscode#319528",
        Way {
            asks: "2025-11-25",
            capabilities: r#"{"roots": {"listChanged": true}, "sampling": {}, "elicitation": {"form": {}, "url": {}},
                "tasks": {"list": {}, "cancel": {}, "requests": {"sampling": {"createMessage": {}}}},
                "extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}"#,
            headers: &[("accept", "text/event-stream, application/json")],
            names: Some("2025-11-25"),
            opens_stream: true,
            ..FAITHFUL
        },
    ),
    // Antigravity: accepts a type that no server sends, and no stream.
    (
        "vercel/vercel-mcp-overview#1",
        Way {
            headers: &[
                ("accept", "application/json, application/mcp+json"),
                ("authorization", "Bearer x"),
            ],
            ..FAITHFUL
        },
    ),
    // The proxy of claude.ai: accepts only a stream, though any client must read both.
    (
        "modelcontextprotocol/python-sdk#2349",
        Way {
            headers: &[("accept", "text/event-stream")],
            ..FAITHFUL
        },
    ),
    // Copilot Studio: gives up unless the notification gets 202 without a body and GET gets 405. .NET names the charset.
    (
        "chrisns/govreposcrape#356",
        Way {
            headers: &[
                ("accept", "application/json, text/event-stream"),
                ("content-type", "application/json; charset=utf-8"),
            ],
            opens_stream: true,
            ..FAITHFUL
        },
    ),
];

#[tokio::test]
async fn ways_of_public_threads_end_with_a_tool_s_answer() {
    let app = service().await;
    for (thread, way) in &WAYS {
        let mut opening = initialize(way.asks);
        opening["params"]["capabilities"] = serde_json::from_str(way.capabilities).unwrap();
        let opened = app.post_mcp(way.headers, opening.to_string()).await;
        let agreed = &opened.json()["result"]["protocolVersion"];
        let known = WITH_SESSIONS.contains(&way.asks);
        assert_eq!(
            *agreed,
            if known { way.asks } else { "2025-11-25" },
            "{thread}"
        );
        let mut headers = way.headers.to_vec();
        headers.extend(way.names.map(|revision| ("mcp-protocol-version", revision)));
        if way.opens_stream {
            let stream = app.send(Method::GET, "/mcp", &headers).await;
            assert_eq!(stream.status, 405, "{thread}");
        }
        if way.keeps_session {
            headers.push(("mcp-session-id", opened.header("mcp-session-id")));
        }
        assert_served_without_session(&app, &headers).await;
    }
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
        let request = Request::builder()
            .method(Method::POST)
            .uri_str("/mcp/")
            .header("host", HOST)
            .content_type("application/json")
            .body(message.to_string());
        let response = Endpoint::get_response(&app.app().endpoint, request).await;
        let has_session = response.headers().contains_key("mcp-session-id");
        let answer: Value = response.into_body().into_json().await.unwrap();
        (answer, has_session)
    };
    let (opened, has_session) = post(&initialize("2025-06-18")).await;
    assert_eq!(opened["result"]["protocolVersion"], "2025-06-18");
    assert!(has_session);
    let list = request("tools/list", json!({}));
    let without = app.post_mcp(&[], list.to_string()).await;
    assert_eq!(post(&list).await, (without.json(), false));
    let stream = app.send(Method::GET, "/mcp/", &[]).await;
    assert_eq!(
        (stream.status, stream.header("allow")),
        (405, "POST, DELETE, OPTIONS")
    );
}

/// `ChatGPT` opens a session for each batch of calls and ends none of them (openai/openai-apps-sdk-examples#201: 78 from one
/// user).
#[tokio::test]
async fn a_client_may_open_a_session_for_each_call_and_end_none() {
    let app = service().await;
    let first = open(&app, "2025-06-18").await;
    let call = request(
        "tools/call",
        json!({ "name": SEARCH, "arguments": { "limit": 1 } }),
    );
    for _ in 0..78 {
        let session = open(&app, "2025-06-18").await;
        assert_ne!(session, first);
        let answer = ask(&app, &session, &call).await;
        assert_eq!(answer.json()["result"]["isError"], false);
    }
    assert_eq!(error(&ask(&app, &first, &call).await), (200, 0));
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
    assert_served_without_session(
        &app,
        &[
            origin,
            ("mcp-session-id", session),
            ("mcp-protocol-version", "2025-06-18"),
        ],
    )
    .await;
}

/// Windsurf asks for resources first, whatever the capabilities say (jgravelle/jcodemunch-mcp#88); other clients ping before
/// they open a session (agentic-community/mcp-gateway-registry#136), or send `params` that are null (chaitin/MonkeyCode#1268).
#[tokio::test]
async fn requests_before_the_tools_and_null_params_do_no_harm() {
    let app = service().await;
    let ping = r#"{"jsonrpc": "2.0", "id": "0", "method": "ping"}"#;
    let pinged = app.post_mcp(&[], ping).await;
    assert_eq!(
        pinged.json(),
        json!({ "jsonrpc": "2.0", "id": "0", "result": {} })
    );
    let opened = app
        .post_mcp(&[], initialize("2025-06-18").to_string())
        .await;
    let capabilities = &opened.json()["result"]["capabilities"];
    assert_eq!(*capabilities, json!({ "tools": {} }));
    let session = opened.header("mcp-session-id");
    for method in ["resources/list", "resources/templates/list", "prompts/list"] {
        let answer = ask(&app, session, &request(method, json!({}))).await;
        assert_eq!(error(&answer), (200, -32601), "{method}");
    }
    for method in ["tools/list", "ping"] {
        let answer = ask(&app, session, &request(method, Value::Null)).await;
        assert_eq!(error(&answer), (200, 0), "{method}");
    }
    assert_served_without_session(&app, &[("mcp-session-id", session)]).await;
}
