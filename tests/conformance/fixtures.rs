//! Tools, resources and prompts with the fixed names that the official conformance suite calls, for every kind of content.
//! Only builds with the feature `conformance` (`tests/conformance/run`) have them, and never list them.

use rmcp::model::{CallToolResult, GetPromptResult, JsonObject, ReadResourceResult, Reference};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A PNG of one red pixel, in Base64.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// An empty sound.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/// The result of a tool.
pub fn tool(name: &str) -> Option<CallToolResult> {
    let image = json!({ "type": "image", "data": PNG, "mimeType": "image/png" });
    let content = match name {
        "test_simple_text" => json!([text("This is a simple text response for testing.")]),
        "test_image_content" => json!([image]),
        "test_audio_content" => json!([{ "type": "audio", "data": WAV, "mimeType": "audio/wav" }]),
        "test_embedded_resource" => {
            json!([embedded(
                "test://embedded-resource",
                "text/plain",
                "This is an embedded resource content."
            )])
        }
        "test_multiple_content_types" => json!([
            text("Multiple content types test:"),
            image,
            embedded(
                "test://mixed-content-resource",
                "application/json",
                r#"{"test":"data","value":123}"#
            ),
        ]),
        "test_error_handling" => {
            json!([text("This tool intentionally returns an error for testing")])
        }
        _ => return None,
    };
    read(json!({ "content": content, "isError": name == "test_error_handling" }))
}

/// The content of a resource.
pub fn resource(uri: &str) -> Option<ReadResourceResult> {
    let template = uri
        .strip_prefix("test://template/")
        .and_then(|rest| rest.strip_suffix("/data"));
    let mut contents = match (uri, template) {
        ("test://static-text", _) => {
            json!({ "mimeType": "text/plain", "text": "This is the content of the static text resource." })
        }
        ("test://static-binary", _) => json!({ "mimeType": "image/png", "blob": PNG }),
        (_, Some(id)) => {
            let data =
                json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            json!({ "mimeType": "application/json", "text": data.to_string() })
        }
        (_, None) => return None,
    };
    contents["uri"] = uri.into();
    read(json!({ "contents": [contents] }))
}

/// The messages of a prompt.
pub fn prompt(name: &str, arguments: &JsonObject) -> Option<GetPromptResult> {
    let given = |name: &str| {
        arguments
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let contents = match name {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            vec![text(&format!(
                "Prompt with arguments: arg1='{}', arg2='{}'",
                given("arg1"),
                given("arg2")
            ))]
        }
        "test_prompt_with_embedded_resource" => vec![
            embedded(
                given("resourceUri"),
                "text/plain",
                "Embedded resource content for testing.",
            ),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => {
            vec![
                json!({ "type": "image", "data": PNG, "mimeType": "image/png" }),
                text("Please analyze the image above."),
            ]
        }
        _ => return None,
    };
    let messages: Vec<Value> = contents
        .into_iter()
        .map(|content| json!({ "role": "user", "content": content }))
        .collect();
    read(json!({ "messages": messages }))
}

/// Whether this name can be completed (with an empty list).
pub fn completes(reference: &Reference) -> bool {
    reference.as_prompt_name() == Some("test_prompt_with_arguments")
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn embedded(uri: &str, mime_type: &str, text: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": mime_type, "text": text } })
}

fn read<T: DeserializeOwned>(mut result: Value) -> Option<T> {
    result["resultType"] = "complete".into();
    serde_json::from_value(result).ok()
}
