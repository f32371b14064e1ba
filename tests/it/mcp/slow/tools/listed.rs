//! The list of tools is small enough to send with every conversation, and as exact as the OpenAPI document.

use reviews_service::mcp::catalog::TOOLS;

use super::*;
use crate::support::{assert_has, str_of};

/// The maximum of [`tokens`] of a description.
const DESCRIPTION_TOKENS_MAX: usize = 120;
/// The maximum size of the answer to `tools/list`, in bytes.
const LIST_BYTES_MAX: usize = 13_000;
/// The maximum of all descriptions and arguments, in tokens.
const LIST_TOKENS_MAX: usize = 2_500;

/// At least as many tokens as common tokenisers count: one for a word of at most six letters, more for a longer one, and
/// one for every other character except spaces.
fn tokens(text: &str) -> usize {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let is_other = |c: &char| !c.is_ascii_alphanumeric() && !c.is_whitespace();
    let others = text.chars().filter(is_other).count();
    words.map(|word| word.len().div_ceil(6)).sum::<usize>() + others
}

#[test]
fn the_list_of_tools_matches_the_snapshot() {
    let list = json!(*TOOL_LIST);
    assert!(escaped_json(&list).len() <= LIST_BYTES_MAX);
    insta::assert_snapshot!("tools", format!("{list:#}"));
}

#[test]
fn descriptions_say_when_to_use_a_tool_and_are_short() {
    let mut all = 0;
    for tool in &TOOLS {
        let (name, listed) = (tool.name, listed(tool.name));
        for part in ["Use ", "Do not use "] {
            assert_has(tool.description, part);
        }
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        assert!(name.bytes().all(is_plain), "{name}");
        for (argument, schema) in members(&listed["inputSchema"]["properties"]) {
            let described = str_of(&schema["description"]);
            assert!(described.len() > 10, "{name}: {argument}");
        }
        let described = tokens(tool.description);
        assert!(described <= DESCRIPTION_TOKENS_MAX, "{name}: {described}");
        let input = tokens(&listed["inputSchema"].to_string());
        all += described + input + tokens(tool.title) + tokens(name);
    }
    assert!(all <= LIST_TOKENS_MAX, "{all} tokens");
}

#[test]
fn schemas_have_no_references_or_unsupported_keywords() {
    for tool in TOOL_LIST.iter() {
        let (name, input) = (&tool["name"], &tool["inputSchema"]);
        for schema in [input, &tool["outputSchema"]] {
            assert!(jsonschema::draft202012::meta::is_valid(schema), "{name}");
            assert!(!schema.to_string().contains("$ref"), "{name}");
            assert_eq!(schema["type"], "object", "{name}");
        }
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
