//! Every example in `docs/MCP.md` is a real call on the sample business. `INSTA_UPDATE=always` updates them.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::*;

const BEGIN: &str = "<!-- example: ";
const END: &str = "<!-- end of example -->";

/// Tools and arguments, in page order.
fn examples() -> Vec<(&'static str, Value)> {
    vec![
        (
            "search_reviews",
            json!({"query": "leak", "mentions_service": "leak-repair", "min_rating": 4, "limit": 1}),
        ),
        (
            "get_evidence",
            json!({"aspect": "punctuality", "polarity": "positive", "since": "2026-01-01", "hits": false, "limit": 1}),
        ),
    ]
}

/// Shortens long lists.
fn shortened(value: &mut Value) {
    match value {
        Value::Array(items) => {
            let more = items.len().saturating_sub(2);
            items.truncate(2);
            items.iter_mut().for_each(shortened);
            if more > 0 {
                items.push(json!(format!("… and {more} more")));
            }
        }
        Value::Object(members) => members.values_mut().for_each(shortened),
        Value::String(text) if text.chars().count() > 160 => {
            *text = format!("{}…", text.chars().take(160).collect::<String>());
        }
        _ => {}
    }
}

#[tokio::test]
#[expect(
    clippy::disallowed_methods,
    reason = "insta's variable for accepting snapshots"
)]
async fn every_example_in_the_manual_is_a_real_answer() {
    let tool_app = ToolApp::seeded().await;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/MCP.md");
    let page = fs::read_to_string(&path).unwrap();
    let mut written = String::new();
    let mut rest = page.as_str();
    for (tool, arguments) in examples() {
        let (before, after) = rest
            .split_once(&format!("{BEGIN}{tool} -->\n"))
            .unwrap_or_else(|| panic!("no example of {tool}"));
        let (_, after) = after
            .split_once(END)
            .unwrap_or_else(|| panic!("the example of {tool} has no end"));
        let mut answer = tool_app.call(tool, arguments.clone()).await;
        shortened(&mut answer);
        let call = json!({"name": tool, "arguments": arguments});
        write!(
            written,
            "{before}{BEGIN}{tool} -->\n```json\n{call}\n```\n\n```json\n{answer:#}\n```\n{END}"
        )
        .unwrap();
        rest = after;
    }
    written.push_str(rest);
    if written != page && std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        fs::write(&path, &written).unwrap();
        return;
    }
    assert!(
        written == page,
        "examples in docs/MCP.md differ from the answers; INSTA_UPDATE=always updates them"
    );
}

#[test]
fn the_manual_names_all_tools_and_arguments() {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/MCP.md")).unwrap();
    let tools = TOOL_LIST.iter().flat_map(|tool| {
        let arguments = tool["inputSchema"]["properties"]
            .as_object()
            .unwrap()
            .keys();
        let name = tool["name"].as_str().unwrap();
        arguments.map(String::as_str).chain([name])
    });
    for name in tools {
        assert!(
            page.contains(&format!("`{name}`")),
            "docs/MCP.md does not name `{name}`"
        );
    }
}

#[test]
fn the_registry_entry_is_within_limits_and_has_the_endpoint() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/server.json");
    let entry: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(entry["name"].as_str().unwrap().matches('/').count(), 1);
    assert!(entry["description"].as_str().unwrap().len() <= 100);
    assert_eq!(entry["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(
        entry["remotes"],
        json!([{"type": "streamable-http", "url": "https://reviews.sample.test/mcp"}])
    );
}
