//! `POST /mcp`: the reviews as tools, in every revision of the Model Context Protocol from
//! 2025-03-26 on.
//!
//! Up to 2025-11-25 a client sends `initialize` first; since 2026-07-28 every request has all that it needs. Both get plain
//! JSON, and of neither is anything kept. `docs/MCP.md` has the rules.

pub mod catalog;
mod description;
mod discovery;
mod http;
mod message;
mod methods;
mod stdio;

use std::sync::Arc;

pub use description::describe;
pub use http::{Mcp, OriginCheck};
use poem::EndpointExt;
use poem::http::Method;
pub use stdio::StdioConnection;

pub use crate::model::text::escaped_json;

use crate::links::MCP_PATH;
use crate::web::Routes;

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
