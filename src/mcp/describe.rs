//! What the API's description says of `/mcp`: its two operations.
//!
//! Written out beside this file, as no derive knows it: the messages are MCP's, and are described
//! there.

use serde_json::Value;

use crate::links::MCP_PATH;

/// The operation that asks.
pub const ASK: &str = "mcp";
/// The operation that ends a session.
pub const END: &str = "endMcpSession";

/// Adds the operations, their schemas and their group to the document.
pub fn describe(document: &mut Value) {
    // A file of ours, so it is JSON.
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
