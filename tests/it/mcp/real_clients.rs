//! Ways of real clients, as reported for other servers: requests without the session that `initialize` opened, unusual
//! headers, paths and arguments, and probes for other transports and for OAuth.

use super::*;

const SEARCH: &str = "search_reviews";

/// Clients also ping before `initialize` (agentic-community/mcp-gateway-registry#136), or send `params` that are null
/// (chaitin/MonkeyCode#1268).
#[test]
fn answers_are_alike_in_each_revision_and_at_both_paths() {
    with_sample(async |app| {
        for [method, params] in table(
            r#"
        ping → {}
        ping → null
        prompts/list → {}
        tools/list → null
        tools/list → {"cursor": "x"}
        tools/call → {"name": "none"}
        tools/call → {"name": "search_reviews", "arguments": {"limit": 0}}
        "#,
        ) {
            let asked = request(method, params.parse().unwrap());
            let unnamed = post(app, &[], &asked).await;
            assert_eq!(unnamed.status, 200, "{asked}");
            for revision in WITH_INITIALIZE {
                let answer = post(app, &[("mcp-protocol-version", revision)], &asked).await;
                assert_eq!(answer.status, 200, "{asked}");
                assert_eq!(answer.json(), unnamed.json(), "{asked}");
            }
        }
        for named in ["2024-11-05", "2099-01-01", ""] {
            let headers = [("mcp-protocol-version", named)];
            let answer = post(app, &headers, &request("tools/list", json!({}))).await;
            assert_eq!(error(&answer), (400, -32022), "{headers:?}");
        }
        // A slash at the end of the path, which `LangChain`'s adapters documented (langchain-ai/langchain-mcp-adapters#206) and mcpo
        // appends to every address (open-webui/mcpo#209).
        let list = request("tools/list", json!({}));
        let headers = [("content-type", "application/json")];
        let asked = app.ask_from(None, Method::POST, "/mcp/", &headers, list.to_string());
        assert_eq!(asked.await.json(), post(app, &[], &list).await.json());
    });
}

/// The arguments as clients send them: left out (cline/cline#10553) or null (sipeed/picoclaw#2600), with one that the client adds
/// (cline/cline#10426, n8n-io/n8n#21500), and with null or an empty text for each that the model did not set
/// (langflow-ai/langflow#8059, ZenRows/zenrows-mcp#23, n8n-io/n8n#17264; can1357/oh-my-pi#2981).
const ARGUMENTS: &str = r#"
    {"name": "list_facets"}
    {"name": "list_facets", "arguments": null}
    {"name": "list_facets", "arguments": {"task_progress": "- [x] Find the reviews"}}
    {"name": "list_facets", "arguments": {"toolCallId": "call_0BCIShth"}}
    {"name": "search_reviews", "arguments": {"limit": 2}}
    {"name": "search_reviews", "arguments": {"limit": 2, "query": null, "rating": null, "has_text": null, "since": null, "cursor": null}}
    {"name": "search_reviews", "arguments": {"limit": "2", "query": "", "rating": "", "sort": "", "aspect": ""}}
"#;

#[test]
fn arguments_that_a_client_adds_or_leaves_out_do_not_matter() {
    with_sample(async |app| {
        let mut answers = std::collections::BTreeMap::new();
        for [params] in table(ARGUMENTS) {
            let params: Value = params.parse().unwrap();
            let answer = post(app, &[], &request("tools/call", params.clone())).await;
            let result = answer.json()["result"].clone();
            assert_eq!(result["isError"], false, "{params}: {result}");
            let name = params["name"].to_string();
            let first = answers.entry(name).or_insert_with(|| result.clone());
            assert_eq!(result, *first, "{params}");
        }
        // An invented filter is still an error, beside what the client adds.
        let invented =
            json!({ "name": SEARCH, "arguments": { "stars": 5, "toolCallId": "call_0" } });
        let refused = post(app, &[], &request("tools/call", invented)).await;
        let result = &refused.json()["result"];
        assert_eq!(result["isError"], true);
        assert!(result.get("structuredContent").is_none());
        let text = str_of(&result["content"][0]["text"]);
        assert_has(text, "stars");
        assert!(!text.contains("toolCallId"), "{text}");
    });
}
