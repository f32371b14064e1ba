//! What clients read before they connect: the server card (SEP-2127), which has the address of the endpoint, and the host's AI
//! catalog, which has those of the card and of the OpenAPI document.

use std::sync::Arc;

use poem::http::HeaderMap;
use poem::web::Data;
use poem::{Response, handler};
use serde_json::{Value, json};
use url::Url;

use super::message::Revision;
use crate::links::{MCP_PATH, OPENAPI_PATH};
use crate::snapshot::CachedBody;
use crate::web::context::Ctx;

pub const SERVER_CARD_PATH: &str = "/mcp/server-card";
pub const AI_CATALOG_PATH: &str = "/.well-known/ai-catalog.json";

const SERVER_CARD: &str = "application/mcp-server-card+json";
/// The schema's limit of the characters of a title.
const TITLE_CHARACTERS_MAX: usize = 100;

#[handler]
pub fn server_card(Data(ctx): Data<&Arc<Ctx>>, headers: &HeaderMap) -> Response {
    let snapshot = ctx.current.load();
    let links = &snapshot.input.links;
    let labels = host(&links.home());
    let labels: Vec<&str> = labels.split('.').rev().collect();
    let card = json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
        "name": format!("{}/reviews", labels.join(".")),
        "version": env!("CARGO_PKG_VERSION"),
        "title": title(ctx),
        "description": "Search, quote and compare the customer reviews of this business. Read-only.",
        "websiteUrl": links.home(),
        "remotes": [{
            "type": "streamable-http", "url": links.absolute(MCP_PATH),
            "supportedProtocolVersions": Revision::ALL.map(Revision::name),
        }],
    });
    respond(ctx, headers, SERVER_CARD, &card)
}

#[handler]
pub fn ai_catalog(Data(ctx): Data<&Arc<Ctx>>, headers: &HeaderMap) -> Response {
    let snapshot = ctx.current.load();
    let links = &snapshot.input.links;
    let (host, title) = (host(&links.home()), title(ctx));
    let catalog = json!({
        "specVersion": "1.0",
        "host": { "displayName": ctx.current.load().input.business.name, "identifier": host },
        "entries": [
            {
                "identifier": format!("urn:air:{host}:server:mcp"), "displayName": title, "type": SERVER_CARD,
                "url": links.absolute(SERVER_CARD_PATH),
            },
            {
                "identifier": format!("urn:air:{host}:api:openapi"), "displayName": format!("{title} (HTTP API)"),
                "type": "application/vnd.oai.openapi+json", "url": links.absolute(OPENAPI_PATH),
            },
        ],
    });
    respond(ctx, headers, "application/ai-catalog+json", &catalog)
}

/// The host of the base URL; of an IPv6 address only characters that names may have.
fn host(home: &str) -> String {
    let url = Url::parse(home).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    host.trim_matches(['[', ']']).replace(':', "-")
}

fn title(ctx: &Ctx) -> String {
    let title = format!("Reviews of {}", ctx.current.load().input.business.name);
    title.chars().take(TITLE_CHARACTERS_MAX).collect()
}

fn respond(
    ctx: &Ctx,
    headers: &HeaderMap,
    content_type: &'static str,
    document: &Value,
) -> Response {
    let body = CachedBody::whole(content_type, document.to_string());
    ctx.respond(headers, &ctx.current.load(), &body)
}
