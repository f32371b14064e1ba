//! `POST /mcp`: the reviews as tools, in every revision of the Model Context Protocol from
//! 2025-03-26 on.
//!
//! Up to 2025-11-25 a client may open a session; since 2026-07-28 every request is independent. Both get plain JSON, and
//! neither keeps state in memory. `docs/MCP.md` has the rules.

pub mod catalog;
mod escape;
mod http;
mod message;
mod methods;
mod revision;
mod stdio;
mod store;

use std::sync::Arc;

pub use escape::{escaped, escaped_json};
pub use http::{Mcp, OriginCheck};
use poem::EndpointExt;
use poem::http::Method;
use serde_json::Value;
pub use stdio::StdioConnection;
pub use store::{Sessions, sessions};

use crate::links::MCP_PATH;
use crate::web::Routes;

pub fn routes(routes: Routes, mcp: &Arc<Mcp>) -> Routes {
    let handlers = [Method::POST, Method::DELETE];
    let handlers = handlers.map(|method| (method, Arc::clone(mcp).boxed()));
    routes.at(MCP_PATH, MCP_PATH, handlers.into())
}

/// Adds the operations of `/mcp`, their schemas and their tag to the OpenAPI document. They are in `openapi.json`, because
/// the messages are defined by MCP and no derive describes them.
pub fn describe(document: &mut Value) {
    let mut ours: Value = serde_json::from_str(include_str!("openapi.json"))
        .unwrap_or_else(|error| unreachable!("a bundled file: {error}"));
    document["paths"][MCP_PATH] = ours["paths"][MCP_PATH].take();
    for name in ["McpRequest", "McpAnswer"] {
        document["components"]["schemas"][name] = ours["components"]["schemas"][name].take();
    }
    if let Some(groups) = document["tags"].as_array_mut() {
        groups.push(ours["tags"][0].take());
        groups.sort_by(|one, other| one["name"].as_str().cmp(&other["name"].as_str()));
    }
}
