//! The list of tools is small enough to send with every conversation, and as exact as the OpenAPI document.

use super::*;

/// The maximum size of the answer to `tools/list`, in bytes.
const LIST_BYTES_MAX: usize = 8_500;

#[test]
fn the_list_matches_the_snapshot_without_unsupported_keywords() {
    let list = json!(*TOOL_LIST);
    assert!(escaped_json(&list).len() <= LIST_BYTES_MAX);
    insta::assert_snapshot!("tools", format!("{list:#}"));
    for tool in TOOL_LIST.iter() {
        let (name, input) = (&tool["name"], &tool["inputSchema"]);
        assert!(jsonschema::draft202012::meta::is_valid(input), "{name}");
        assert_eq!(input["type"], "object", "{name}");
        // Gemini and OpenAI's strict mode refuse other keywords.
        let arguments = members(&input["properties"]).flat_map(|(_, schema)| members(schema));
        for (keyword, _) in arguments {
            let is_known = ["type", "description", "enum", "items"].contains(&keyword);
            assert!(is_known, "{name}: {keyword}");
        }
        for (keyword, _) in members(input) {
            let is_known = ["type", "properties", "required"].contains(&keyword);
            assert!(is_known, "{name}: {keyword}");
        }
    }
}
