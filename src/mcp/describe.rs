//! What the API's description says of `/mcp`: its two operations.
//!
//! Written out, as no derive knows it: the messages are MCP's, and are described there.

use serde_json::{Value, json};

use crate::links::MCP_PATH;

/// The operation that asks.
pub const ASK: &str = "mcp";
/// The operation that ends a session.
pub const END: &str = "endMcpSession";

/// Adds the operations, their schemas and their group to the document.
pub fn describe(document: &mut Value) {
    document["paths"][MCP_PATH] = json!({ "post": ask(), "delete": end() });
    document["components"]["schemas"]["McpRequest"] = request();
    document["components"]["schemas"]["McpAnswer"] = answer();
    if let Some(groups) = document["tags"].as_array_mut() {
        groups.push(json!({ "name": "Agents", "description": "The same reviews as tools, resources and prompts." }));
        groups.sort_by(|one, other| one["name"].as_str().cmp(&other["name"].as_str()));
    }
}

fn ask() -> Value {
    let opened = json!({
        "description": "The session that `initialize` opened; send it with every request from then on.",
        "required": false,
        "schema": { "type": "string" },
    });
    json!({
        "tags": ["Agents"],
        "operationId": ASK,
        "summary": "Ask as an agent (Model Context Protocol)",
        "description": "JSON-RPC 2.0 over streamable HTTP, answered with plain JSON. Revisions 2025-03-26, 2025-06-18 and 2025-11-25 open \
            a session with `initialize` and send its `Mcp-Session-Id` from then on; 2026-07-28 is stateless, with `MCP-Protocol-Version`, \
            `Mcp-Method` and `Mcp-Name` as headers and the same revision in `params._meta`. The schema shows the request that needs \
            neither a session nor headers: the one that opens a session. Which methods and tools there are, `tools/list` and the docs tell.",
        "requestBody": {
            "description": "One JSON-RPC message of at most 1 MiB.",
            "required": true,
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/McpRequest" } } },
        },
        "responses": {
            "200": {
                "description": "The result, or an error of the method.",
                "headers": { "Mcp-Session-Id": opened },
                "content": content("McpAnswer"),
            },
            "202": { "description": "A notification was taken; there is nothing to answer." },
            "400": { "description": "No JSON, no JSON-RPC message, no session, or headers that contradict the body.", "content": content("McpAnswer") },
            "403": problem("A foreign `Origin` or `Host`."),
            "404": { "description": "No such session, or none any more; stateless: no such method.", "content": content("McpAnswer") },
            "408": problem("The body took too long."),
            "413": problem("The body is too large."),
            "415": problem("It is not sent as `application/json`."),
            "503": { "description": "No session can be opened now.", "content": content("McpAnswer") },
        },
    })
}

fn end() -> Value {
    json!({
        "tags": ["Agents"],
        "operationId": END,
        "summary": "End an agent's session",
        "description": "Ends the session before its time, which is a day. It frees nothing here: sessions cost nothing while they rest.",
        "parameters": [{
            "name": "Mcp-Session-Id",
            "in": "header",
            "required": true,
            "description": "As `initialize` answered it.",
            "schema": { "type": "string", "minLength": 1 },
        }],
        "responses": {
            "204": { "description": "It is over." },
            "400": problem("It is not said which."),
            "403": problem("A foreign `Origin` or `Host`."),
            "404": problem("No such session, or none any more."),
            "405": problem("The stateless revision has no sessions."),
        },
    })
}

/// A JSON-RPC request. The schema is that of `initialize`.
fn request() -> Value {
    json!({
        "title": "McpRequest",
        "description": "A JSON-RPC 2.0 request of the Model Context Protocol, by the example of `initialize`.",
        "type": "object",
        "properties": {
            "jsonrpc": { "type": "string", "const": "2.0", "description": "The version of JSON-RPC." },
            "id": {
                "description": "What the answer is to be found by.",
                "oneOf": [
                    { "type": "string" },
                    { "type": "integer", "minimum": i64::MIN, "maximum": i64::MAX },
                ],
            },
            "method": { "type": "string", "enum": ["initialize"], "description": "What is asked for." },
            "params": {
                "description": "What the method needs.",
                "type": "object",
                "properties": {
                    "protocolVersion": { "type": "string", "description": "The revision that the client would like." },
                    "capabilities": { "type": "object", "description": "What the client can do." },
                    "clientInfo": {
                        "description": "Who asks.",
                        "type": "object",
                        "properties": {
                            "name": { "type": "string", "description": "Its name." },
                            "version": { "type": "string", "description": "Its version." },
                        },
                        "required": ["name", "version"],
                    },
                },
                "required": ["protocolVersion", "capabilities", "clientInfo"],
            },
        },
        "required": ["jsonrpc", "id", "method", "params"],
        "example": {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "example", "version": "1.0" } },
        },
    })
}

fn answer() -> Value {
    let error = json!({
        "description": "What was wrong, in place of a result.",
        "type": "object",
        "properties": {
            "code": { "type": "integer", "description": "What kind of error." },
            "message": { "type": "string", "description": "What was wrong, and what to do." },
            "data": { "description": "What a program can make use of." },
        },
        "required": ["code", "message"],
    });
    json!({
        "title": "McpAnswer",
        "description": "A JSON-RPC 2.0 response: a result or an error.",
        "type": "object",
        "properties": {
            "jsonrpc": { "type": "string", "const": "2.0", "description": "The version of JSON-RPC." },
            "id": { "type": ["string", "integer", "null"], "description": "The request's; null where it could not be read." },
            "result": { "type": "object", "description": "What was asked for." },
            "error": error,
        },
        "required": ["jsonrpc"],
        "oneOf": [{ "required": ["result"] }, { "required": ["error"] }],
    })
}

fn content(schema: &str) -> Value {
    json!({ "application/json": { "schema": { "$ref": format!("#/components/schemas/{schema}") } } })
}

fn problem(description: &str) -> Value {
    json!({
        "description": description,
        "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } },
    })
}
