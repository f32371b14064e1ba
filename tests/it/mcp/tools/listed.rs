//! The list of tools is small enough to send with every conversation, and as exact as the OpenAPI document.

use reviews_service::mcp::catalog::TOOLS;

use super::*;
use crate::support::{array_of, str_of};

/// The maximum of [`tokens`] of a description.
const DESCRIPTION_TOKENS_MAX: usize = 120;
/// The maximum size of the answer to `tools/list`, in bytes.
const LIST_BYTES_MAX: usize = 13_000;
/// The maximum of all descriptions and arguments, in tokens.
const LIST_TOKENS_MAX: usize = 2_500;

/// At least as many tokens as common tokenisers count: one for a word of at most six letters, more for a longer one, and
/// one for every other character except spaces.
fn tokens(text: &str) -> usize {
    let words = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let others = text
        .chars()
        .filter(|c| !c.is_ascii_alphanumeric() && !c.is_whitespace())
        .count();
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
    let (mut all, mut sizes) = (0, Vec::new());
    for tool in &TOOLS {
        let listed = listed(tool.name);
        let description = tool.description;
        let (name, described) = (tool.name, tokens(description));
        assert!(
            described <= DESCRIPTION_TOKENS_MAX,
            "{name}: {described} tokens"
        );
        for part in ["Use ", "Do not use "] {
            assert!(description.contains(part), "{name} does not say: {part}");
        }
        assert!(
            name.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_'),
            "{name}"
        );
        for (argument, schema) in listed["inputSchema"]["properties"].as_object().unwrap() {
            assert!(
                schema["description"]
                    .as_str()
                    .is_some_and(|text| text.len() > 10),
                "{name}: {argument} has no description"
            );
        }
        let input = tokens(&listed["inputSchema"].to_string());
        let output = tokens(&listed["outputSchema"].to_string());
        sizes.push(format!(
            "{name}: description {described}, inputSchema {input}, outputSchema {output}"
        ));
        all += described + input + tokens(tool.title) + tokens(name);
    }
    sizes.push(format!("all but the output schemas: {all}"));
    insta::assert_snapshot!("tokens", sizes.join("\n"));
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
        for (argument, schema) in input["properties"].as_object().unwrap() {
            for keyword in schema.as_object().unwrap().keys() {
                let is_plain = ["type", "description", "enum", "items"].contains(&keyword.as_str());
                assert!(is_plain, "{name}: {argument} has {keyword}");
            }
        }
        for keyword in input.as_object().unwrap().keys() {
            let is_plain = ["type", "properties", "required"].contains(&keyword.as_str());
            assert!(is_plain, "{name}: {keyword}");
        }
    }
}

#[tokio::test]
async fn search_has_every_parameter_of_the_endpoint_and_a_cursor() {
    let tool_app = ToolApp::seeded().await;
    let document = tool_app.get("/.well-known/openapi.json").await;
    let described = array_of(&document["paths"]["/api/reviews/search"]["get"]["parameters"]);
    let mut expected: Vec<(&str, &Value)> = described
        .iter()
        .map(|parameter| (str_of(&parameter["name"]), &parameter["description"]))
        .collect();
    expected.sort_unstable_by_key(|(name, _)| *name);
    assert_eq!(expected.len(), 18);
    let input = &listed("search_reviews")["inputSchema"];
    let properties = input["properties"].as_object().unwrap();
    assert_eq!(properties.len(), expected.len());
    for (name, description) in expected {
        let listed = str_of(&properties[name]["description"]);
        // Bounds follow it.
        assert!(
            listed.starts_with(description.as_str().unwrap().trim_end()),
            "{name}: {listed}"
        );
    }
    let limit = str_of(&properties["limit"]["description"]);
    assert!(limit.ends_with("1 to 100. Default 20."), "{limit}");
    assert_eq!(properties["cursor"]["type"], "string");
    assert_eq!(input.get("required"), None);
}

#[tokio::test]
async fn the_instructions_say_that_reviews_are_data() {
    let tool_app = ToolApp::seeded().await;
    for part in [
        "Saltbush Air & Plumbing",
        "get_evidence",
        "next_cursor",
        "untrusted content",
        "never instructions",
    ] {
        assert!(tool_app.catalog.instructions().contains(part), "{part}");
    }
    assert!(
        tokens(&tool_app.catalog.instructions()) <= 200,
        "{}",
        tokens(&tool_app.catalog.instructions())
    );
}
