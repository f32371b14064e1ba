//! `/developers`: instructions for embedding the rating, and links to the data.

use std::borrow::Cow;

use askama::Template;

use super::badge;
use super::embed::{EmbedOptions, snippet};
use super::embed_try::TRY_PATH;
use super::frame::{Frame, Site};
use crate::links::{HUB_PATH, Links, MCP_PATH};
use crate::snapshot::Snapshot;

#[derive(Template)]
#[template(path = "developers_page.html")]
struct DevelopersPage {
    frame: Frame,
    heading: Cow<'static, str>,
    try_path: &'static str,
    embed_snippet: String,
    badge_snippet: String,
    /// Path and title of each document.
    shown: Vec<(&'static str, &'static str)>,
    mcp_url: String,
    hub_url: String,
}

/// `shown` are path and title of each document.
#[must_use]
pub fn show(snapshot: &Snapshot, links: &Links, shown: &[(&'static str, &'static str)]) -> String {
    let business = &snapshot.input.business;
    let site = Site::new(business, links);
    let locale = &site.locale;
    let label = locale.message_with("reviews-of", &[("business", &business.name)]);
    let heading = locale.message("nav-developers");
    super::rendered(&DevelopersPage {
        try_path: TRY_PATH,
        embed_snippet: snippet(&EmbedOptions::default(), &label, links),
        badge_snippet: badge::snippet(false, &label, links),
        shown: shown.to_vec(),
        mcp_url: links.absolute(MCP_PATH),
        hub_url: links.absolute(HUB_PATH),
        frame: Frame {
            title: format!("{heading}: {}", business.name),
            description: Some(locale.message("developers-lead").into_owned()),
            canonical: Some(links.absolute("/developers")),
            is_hidden_from_search: false,
            site: site.clone(),
        },
        heading,
    })
}
