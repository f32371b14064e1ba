//! Every example in `docs/MCP.md` is a real call on the sample business. `INSTA_UPDATE=always` updates them.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::*;
use crate::support::str_of;

const BEGIN: &str = "<!-- example: ";
const END: &str = "<!-- end of example -->";

/// Tools and arguments, in page order.
const EXAMPLES: &str = r#"
    search_reviews → {"query": "leak", "mentions_service": "leak-repair", "min_rating": 4, "limit": 1}
    get_aspect_sentiment → {"aspect": "punctuality", "polarity": "positive", "since": "2026-01-01", "limit": 1}
"#;

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
    let tools = Tools::seeded().await;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/MCP.md");
    let page = fs::read_to_string(&path).unwrap();
    let mut written = String::new();
    let mut rest = page.as_str();
    for [tool, arguments] in table(EXAMPLES) {
        let arguments: Value = arguments.parse().unwrap();
        let begin = format!("{BEGIN}{tool} -->\n");
        let (before, after) = rest.split_once(&begin).expect(tool);
        let (_, after) = after.split_once(END).expect(tool);
        let mut answer = tools.call(tool, arguments.clone()).await;
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
    let page = include_str!("../../../../../docs/MCP.md");
    for tool in TOOL_LIST.iter() {
        let arguments = members(&tool["inputSchema"]["properties"]).map(|(name, _)| name);
        for name in arguments.chain([str_of(&tool["name"])]) {
            assert!(page.contains(&format!("`{name}`")), "no `{name}`");
        }
    }
}
