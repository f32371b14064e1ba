//! The operations of `/mcp` in the OpenAPI document. They are in `openapi.json`, because the messages are defined by
//! MCP and no derive describes them.

use serde_json::Value;

use crate::links::MCP_PATH;

pub const ASK: &str = "mcp";
pub const END: &str = "endMcpSession";

/// Adds the operations, their schemas and their tag.
pub fn describe(document: &mut Value) {
    // The file is bundled and valid JSON.
    let mut ours: Value = serde_json::from_str(include_str!("openapi.json")).unwrap_or_default();
    document["paths"][MCP_PATH] = ours["paths"][MCP_PATH].take();
    for name in ["McpRequest", "McpAnswer"] {
        document["components"]["schemas"][name] = ours["components"]["schemas"][name].take();
    }
    if let Some(groups) = document["tags"].as_array_mut() {
        groups.push(ours["tags"][0].take());
        groups.sort_by(|one, other| one["name"].as_str().cmp(&other["name"].as_str()));
    }
}
