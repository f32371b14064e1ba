//! What the API's description says of `/mcp`: its two operations.
//!
//! Written out, as no derive knows it: the messages are MCP's, and are described there.

use serde_json::{Value, json};

use super::session::EXAMPLE_ID;
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
        "description": "One JSON-RPC 2.0 message, answered with plain JSON (MCP's streamable HTTP). Revisions 2025-03-26, 2025-06-18 and \
            2025-11-25 open a session with `initialize` and send its `Mcp-Session-Id` from then on; 2026-07-28 has no sessions, but \
            `MCP-Protocol-Version`, `Mcp-Method` and `Mcp-Name` as headers and the revision in `params._meta`. The example asks which \
            tools there are, in a session that is always open so that every method can be tried; a program opens its own.",
        "parameters": [
            session(false),
            revision(),
            header("Mcp-Method", "Without a session: the body's `method` once more."),
            header("Mcp-Name", "Without a session: the name of the tool or prompt, or the URI of the resource, once more."),
        ],
        "requestBody": {
            "description": "One JSON-RPC message of at most 64 KiB; batches are refused.",
            "required": true,
            "content": { "application/json": {
                "schema": { "$ref": "#/components/schemas/McpRequest" },
                "examples": messages(),
            } },
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
            "503": too_much(),
        },
    })
}

/// Nothing is wrong with the request; it can come again.
fn too_much() -> Value {
    let mut response = problem(
        "Too many requests and unread answers are in flight, come back after `Retry-After`; or no session can be opened now.",
    );
    response["content"]["application/json"] = content("McpAnswer")["application/json"].clone();
    response
}

fn end() -> Value {
    json!({
        "tags": ["Agents"],
        "operationId": END,
        "summary": "End an agent's session",
        "description": "Ends the session before its time, which is a day after it was opened. The session of the example stays open.",
        "parameters": [session(true), revision()],
        "responses": {
            "204": { "description": "It is over." },
            "400": problem("It is not said which."),
            "403": problem("A foreign `Origin` or `Host`."),
            "404": problem("No such session, or none any more."),
            "405": problem("The stateless revision has no sessions."),
        },
    })
}

fn header(name: &str, description: &str) -> Value {
    json!({
        "name": name,
        "in": "header",
        "required": false,
        "description": description,
        "schema": { "type": "string" },
    })
}

fn session(is_required: bool) -> Value {
    json!({
        "name": "Mcp-Session-Id",
        "in": "header",
        "required": is_required,
        "description": "The session, as `initialize` answered it in this header.",
        "schema": { "type": "string" },
        "example": EXAMPLE_ID,
    })
}

fn revision() -> Value {
    header(
        "MCP-Protocol-Version",
        "The revision of the protocol: that of the session, or `2026-07-28` without one.",
    )
}

/// Requests to try, the one that needs to know nothing first: it is what Swagger UI sends.
fn messages() -> Value {
    let message = |summary: &str, method: &str, params: Option<Value>| {
        let mut value = json!({ "jsonrpc": "2.0", "id": 1, "method": method });
        if let Some(params) = params {
            value["params"] = params;
        }
        json!({ "summary": summary, "value": value })
    };
    let opening = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "example", "version": "1.0" },
    });
    let search =
        json!({ "name": "search_reviews", "arguments": { "query": "on time", "limit": 3 } });
    json!({
        "tools": message("List the tools", "tools/list", None),
        "search": message("Call a tool", "tools/call", Some(search)),
        "initialize": message("Open a session", "initialize", Some(opening)),
    })
}

/// A JSON-RPC request or notification.
fn request() -> Value {
    json!({
        "title": "McpRequest",
        "description": "A JSON-RPC 2.0 request of the Model Context Protocol; without `id` it is a notification.",
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
            "method": { "type": "string", "description": "What is asked for, such as `initialize`, `tools/list` or `tools/call`." },
            "params": {
                "description": "What the method needs.",
                "type": "object",
                "additionalProperties": true,
            },
        },
        "required": ["jsonrpc", "method"],
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
        "description": "A JSON-RPC 2.0 response: it has either `result` or `error`.",
        "type": "object",
        "properties": {
            "jsonrpc": { "type": "string", "const": "2.0", "description": "The version of JSON-RPC." },
            "id": { "type": ["string", "integer", "null"], "description": "The request's; null where it could not be read." },
            "result": { "type": "object", "additionalProperties": true, "description": "What was asked for; absent where there is an error." },
            "error": error,
        },
        "required": ["jsonrpc"],
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
