//! What clients read before they connect: the server card (SEP-2127), which has the address of the endpoint, at two paths; the host's
//! AI catalog, which has those of the card and of the OpenAPI document; and its API catalog (RFC 9727) for clients of HTTP.

use std::sync::Arc;

use poem::http::HeaderMap;
use poem::web::Data;
use poem::{Response, handler};
use serde_json::json;
use url::Url;

use super::message::Revision;
use crate::links::{DOCS_PATH, MCP_PATH, OPENAPI_PATH};
use crate::snapshot::CachedBody;
use crate::web::context::Ctx;

pub const SERVER_CARD_PATH: &str = "/mcp/server-card";
pub const WELL_KNOWN_CARD_PATH: &str = "/.well-known/mcp/server-card.json";
pub const API_CATALOG_PATH: &str = "/.well-known/api-catalog";
pub const AI_CATALOG_PATH: &str = "/.well-known/ai-catalog.json";

const SERVER_CARD: &str = "application/mcp-server-card+json";
const OPENAPI: &str = "application/vnd.oai.openapi+json";
const API_CATALOG: &str =
    r#"application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727""#;
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
    let body = CachedBody::whole(SERVER_CARD, card.to_string());
    ctx.respond(headers, &snapshot, &body)
}

#[handler]
pub fn ai_catalog(Data(ctx): Data<&Arc<Ctx>>, headers: &HeaderMap) -> Response {
    let snapshot = ctx.current.load();
    let links = &snapshot.input.links;
    let (host, title) = (host(&links.home()), title(ctx));
    let catalog = json!({
        "specVersion": "1.0",
        "host": { "displayName": snapshot.input.business.name, "identifier": host },
        "entries": [
            {
                "identifier": format!("urn:air:{host}:server:mcp"), "displayName": title, "type": SERVER_CARD,
                "url": links.absolute(SERVER_CARD_PATH),
            },
            {
                "identifier": format!("urn:air:{host}:api:openapi"), "displayName": format!("{title} (HTTP API)"),
                "type": OPENAPI, "url": links.absolute(OPENAPI_PATH),
            },
        ],
    });
    let body = CachedBody::whole("application/ai-catalog+json", catalog.to_string());
    ctx.respond(headers, &snapshot, &body)
}

#[handler]
pub fn api_catalog(Data(ctx): Data<&Arc<Ctx>>, headers: &HeaderMap) -> Response {
    let snapshot = ctx.current.load();
    let links = &snapshot.input.links;
    let catalog = json!({
        "linkset": [{
            "anchor": links.home(),
            "service-desc": [{ "href": links.absolute(OPENAPI_PATH), "type": OPENAPI }],
            "service-doc": [{ "href": links.absolute(DOCS_PATH), "type": "text/html" }],
            "service-meta": [{ "href": links.absolute(SERVER_CARD_PATH), "type": SERVER_CARD }],
        }],
    });
    let mut body = CachedBody::whole(API_CATALOG, catalog.to_string());
    // RFC 9727 §2: also the answer to HEAD says where the catalog is.
    let link = format!(
        "<{}>; rel=\"api-catalog\"",
        links.absolute(API_CATALOG_PATH)
    );
    body.add("link", &link);
    ctx.respond(headers, &snapshot, &body)
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
