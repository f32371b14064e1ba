//! Agents at `/mcp`: `initialize` up to 2025-11-25, stateless requests since 2026-07-28, errors of both, and ways of real
//! clients.

mod discovery;
mod origins;
mod real_clients;
mod refused;
mod sessions;
mod slow;
mod stateless;

use poem::http::{HeaderValue, Method};
use poem::{Body, Endpoint, Request};
use serde_json::{Value, json};

use crate::support::{
    Answer, BASE, Generator, HOST, TestApp, assert_has, contents, links, service_on, str_of, table,
    with_sample,
};

/// The revisions with `initialize`.
const WITH_INITIALIZE: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];
/// The stateless revision.
const STATELESS: &str = "2026-07-28";
/// All revisions.
const REVISIONS: [&str; 4] = ["2025-03-26", "2025-06-18", "2025-11-25", STATELESS];

fn initialize(revision: &str) -> Value {
    let client = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": revision, "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })
}

fn request(method: &str, params: Value) -> Value {
    let mut message = json!({ "jsonrpc": "2.0", "id": 1, "method": method });
    message["params"] = params;
    message
}

/// Posts a message with these headers.
async fn post(app: &TestApp, headers: &[(&str, &str)], message: &Value) -> Answer {
    app.post_mcp(headers, message.to_string()).await
}

/// The parameters of a stateless request with the required `_meta`.
fn alone(params: Value) -> Value {
    let mut params = params;
    params["_meta"] = json!({ "io.modelcontextprotocol/protocolVersion": STATELESS, "io.modelcontextprotocol/clientCapabilities": {} });
    params
}

/// Sends a stateless request.
pub async fn ask_stateless(app: &TestApp, method: &str, params: Value) -> Answer {
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    let mut headers = vec![("mcp-protocol-version", STATELESS), ("mcp-method", method)];
    if !name.is_empty() {
        headers.push(("mcp-name", &name));
    }
    post(app, &headers, &request(method, alone(params))).await
}

/// Status and code of an error; 0 if there is no code.
fn error(answer: &Answer) -> (u16, i64) {
    let code = &answer.json()["error"]["code"];
    (answer.status, code.as_i64().unwrap_or(0))
}
