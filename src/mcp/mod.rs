//! `POST /mcp`: the reviews as tools, in every revision of the Model Context Protocol from
//! 2025-03-26 on.
//!
//! Up to 2025-11-25 a client sends `initialize` first; since 2026-07-28 every request has all that it needs. Both get plain
//! JSON, and of neither is anything kept. `docs/MCP.md` has the rules.

pub mod catalog;
mod discovery;
mod http;
mod message;
mod methods;
mod stdio;

use std::sync::Arc;

pub use http::{Mcp, OriginCheck};
use poem::EndpointExt;
use poem::http::Method;
use serde_json::{Value, json};
pub use stdio::StdioConnection;

pub use crate::model::text::escaped_json;

use crate::links::MCP_PATH;
use crate::web::{PROBLEM, Routes};

/// Some clients append a slash to the address, and not all of them follow redirects of a POST.
pub const MCP_PATH_SLASH: &str = "/mcp/";

pub fn routes(routes: Routes, mcp: &Arc<Mcp>) -> Routes {
    let paths = [MCP_PATH, MCP_PATH_SLASH].into_iter();
    let routes = paths.fold(routes, |routes, path| {
        let handler = (Method::POST, Arc::clone(mcp).boxed());
        routes.at(path, [handler].into())
    });
    routes
        .get(discovery::SERVER_CARD_PATH, discovery::server_card)
        .get(discovery::WELL_KNOWN_CARD_PATH, discovery::server_card)
        .get(discovery::AI_CATALOG_PATH, discovery::ai_catalog)
        .get(discovery::API_CATALOG_PATH, discovery::api_catalog)
}

/// Adds the operation of `/mcp`, its schemas and its tag to the OpenAPI document: one message of JSON-RPC and its answer. No
/// handler of poem-openapi describes it, because MCP defines the messages.
pub fn describe(document: &mut Value) {
    let object = |about: &str| json!({ "type": "object", "description": about, "additionalProperties": true });
    let version =
        json!({ "type": "string", "const": "2.0", "description": "The version of JSON-RPC." });
    let schemas = &mut document["components"]["schemas"];
    schemas["McpRequest"] = json!({
        "type": "object", "required": ["jsonrpc", "method"],
        "description": "A JSON-RPC 2.0 request of the Model Context Protocol; without `id` it is a notification.",
        "properties": {
            "jsonrpc": version, "id": { "type": ["string", "number"], "description": "Identifies the answer." },
            "method": { "type": "string", "description": "Such as `initialize`, `tools/list` or `tools/call`." },
            "params": object("The arguments of the method."),
        },
    });
    schemas["McpAnswer"] = json!({
        "type": "object", "required": ["jsonrpc"],
        "description": "A JSON-RPC 2.0 response: it has either `result` or `error`.",
        "properties": {
            "jsonrpc": version, "id": { "type": ["string", "number", "null"], "description": "That of the request." },
            "result": object("The result."), "error": object("`code`, and `message`, which says what to do."),
        },
    });
    let answer = |about: &str, kind: &str, schema: &str| {
        let schema = json!({ "$ref": format!("#/components/schemas/{schema}") });
        json!({ "description": about, "content": { kind: { "schema": schema } } })
    };
    let (json, request) = (
        "application/json",
        "A JSON-RPC message of at most 64 KiB; batches are refused.",
    );
    let mut body = answer(request, json, "McpRequest");
    body["content"][json]["examples"]["search"]["value"] = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "search_reviews", "arguments": { "query": "on time", "limit": 3 } },
    });
    let headers = ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"];
    let headers = headers.map(|name| json!({
        "name": name, "in": "header", "required": false, "schema": { "type": "string" },
        "description": "The revision of the protocol, and in `2026-07-28` the body's method and the name of the tool again.",
    }));
    document["paths"][MCP_PATH]["post"] = json!({
        "tags": ["Agents"], "operationId": "mcp", "summary": "Send a message of an agent (Model Context Protocol)",
        "description": "One JSON-RPC 2.0 message, answered with plain JSON (MCP's streamable HTTP). Revisions 2025-03-26, \
            2025-06-18 and 2025-11-25 begin with `initialize`; 2026-07-28 has the revision in `params._meta`. No session is kept.",
        "parameters": headers, "requestBody": body,
        "responses": {
            "200": answer("The result, or an error of the method.", json, "McpAnswer"),
            "202": { "description": "A notification was accepted; no answer follows." },
            "400": answer("No message, an unknown revision, or headers that contradict the body.", json, "McpAnswer"),
            "404": answer("Unknown method, in the stateless revision.", json, "McpAnswer"),
            "default": answer("Not read: a foreign `Origin`, or a body that is late, too large or no JSON.", PROBLEM, "Problem"),
        },
    });
    if let Some(tags) = document["tags"].as_array_mut() {
        tags.push(json!({ "name": "Agents", "description": "The same reviews as tools." }));
    }
}
