//! The operations of `/mcp` in the OpenAPI document. No handler of poem-openapi describes them: MCP defines the messages,
//! which need `const` and examples of bodies, and an answer depends on the revision, not on a type.

use serde_json::{Value, json};

use crate::links::MCP_PATH;
use crate::web::PROBLEM;

/// Adds the operations, their schemas and their tag to the document.
pub fn describe(document: &mut Value) {
    document["paths"][MCP_PATH] = json!({ "post": post() });
    let schemas = &mut document["components"]["schemas"];
    schemas["McpRequest"] = request_schema();
    schemas["McpAnswer"] = answer_schema();
    if let Some(tags) = document["tags"].as_array_mut() {
        // In the order of names.
        tags.insert(
            0,
            json!({ "name": "Agents", "description": "The same reviews as tools." }),
        );
    }
}

fn post() -> Value {
    json!({
        "tags": ["Agents"],
        "operationId": "mcp",
        "summary": "Send a message of an agent (Model Context Protocol)",
        "description": "One JSON-RPC 2.0 message, answered with plain JSON (MCP's streamable HTTP). Revisions 2025-03-26, 2025-06-18 and \
            2025-11-25 begin with `initialize`; 2026-07-28 has `MCP-Protocol-Version`, `Mcp-Method` and `Mcp-Name` as headers and the \
            revision in `params._meta`. No session is kept: a request with any `Mcp-Session-Id`, or none, is answered.",
        "parameters": [
            header("MCP-Protocol-Version", "The revision of the protocol; without this header it is `2025-03-26`."),
            header("Mcp-Method", "In `2026-07-28`: the body's `method` again."),
            header("Mcp-Name", "In `2026-07-28`: the name of the tool again."),
        ],
        "requestBody": {
            "description": "One JSON-RPC message of at most 64 KiB; batches are refused.",
            "required": true,
            "content": { "application/json": {
                "schema": { "$ref": "#/components/schemas/McpRequest" },
                "examples": {
                    "initialize": example("Open a session", "initialize", Some(json!({
                        "protocolVersion": "2025-11-25", "capabilities": {},
                        "clientInfo": { "name": "example", "version": "1.0" },
                    }))),
                    "tools": example("List the tools", "tools/list", None),
                    "search": example("Call a tool", "tools/call", Some(json!({
                        "name": "search_reviews", "arguments": { "query": "on time", "limit": 3 },
                    }))),
                },
            } },
        },
        "responses": {
            "200": answer("The result, or an error of the method.", json!({
                "headers": { "Mcp-Session-Id": {
                    "description": "Only of `initialize`: an ID, because clients expect one. Nothing depends on it.",
                    "required": false,
                    "schema": { "type": "string" },
                } },
            })),
            "202": { "description": "A notification was accepted; no answer follows." },
            "400": answer("No JSON, no JSON-RPC message, an unknown revision, or headers that contradict the body.", json!({})),
            "403": problem("A foreign `Origin` or `Host`."),
            "404": answer("Unknown method, in the stateless revision.", json!({})),
            "408": problem("The body took too long to arrive."),
            "413": problem("The body is too large."),
            "415": problem("The content type is not `application/json`."),
            "503": problem("Too many requests and unread answers are in flight; retry after `Retry-After`."),
        },
    })
}

fn header(name: &str, description: &str) -> Value {
    json!({
        "name": name, "in": "header", "required": false, "description": description, "schema": { "type": "string" },
    })
}

fn example(summary: &str, method: &str, params: Option<Value>) -> Value {
    let mut message = json!({ "jsonrpc": "2.0", "id": 1, "method": method });
    if let Some(params) = params {
        message["params"] = params;
    }
    json!({ "summary": summary, "value": message })
}

/// A response with a message of JSON-RPC.
fn answer(description: &str, mut response: Value) -> Value {
    response["description"] = json!(description);
    response["content"] =
        json!({ "application/json": { "schema": { "$ref": "#/components/schemas/McpAnswer" } } });
    response
}

fn problem(description: &str) -> Value {
    json!({
        "description": description,
        "content": { PROBLEM: { "schema": { "$ref": "#/components/schemas/Problem" } } },
    })
}

fn request_schema() -> Value {
    json!({
        "title": "McpRequest",
        "description": "A JSON-RPC 2.0 request of the Model Context Protocol; without `id` it is a notification.",
        "type": "object",
        "required": ["jsonrpc", "method"],
        "properties": {
            "jsonrpc": version(),
            "id": {
                "description": "Identifies the answer to this request.",
                "oneOf": [{ "type": "string" }, { "type": "integer", "minimum": i64::MIN, "maximum": i64::MAX }],
            },
            "method": {
                "description": "The method to call, such as `initialize`, `tools/list` or `tools/call`.",
                "type": "string",
            },
            "params": { "description": "The arguments of the method.", "type": "object", "additionalProperties": true },
        },
    })
}

fn answer_schema() -> Value {
    json!({
        "title": "McpAnswer",
        "description": "A JSON-RPC 2.0 response: it has either `result` or `error`.",
        "type": "object",
        "required": ["jsonrpc"],
        "properties": {
            "jsonrpc": version(),
            "id": {
                "description": "The id of the request; null if it could not be read.",
                "type": ["string", "integer", "null"],
            },
            "result": {
                "description": "The result; absent if there is an error.", "type": "object", "additionalProperties": true,
            },
            "error": {
                "description": "The error, in place of a result.",
                "type": "object",
                "required": ["code", "message"],
                "properties": {
                    "code": { "description": "The kind of error.", "type": "integer" },
                    "message": { "description": "The error, and what to do.", "type": "string" },
                    "data": { "description": "Details for programs." },
                },
            },
        },
    })
}

fn version() -> Value {
    json!({ "description": "The version of JSON-RPC.", "type": "string", "const": "2.0" })
}
