//! `/developers`: how to show the rating elsewhere, and where the data is.

use std::borrow::Cow;

use askama::Template;

use super::frame::{Frame, Site};
use crate::links::{HUB_PATH, Links, MCP_PATH};
use crate::snapshot::Snapshot;

#[derive(Template)]
#[template(path = "developers_page.html")]
struct DevelopersPage {
    frame: Frame,
    heading: Cow<'static, str>,
    embed_snippet: String,
    badge_snippet: String,
    /// Path and title of each document.
    shown: Vec<(&'static str, &'static str)>,
    mcp_url: String,
    hub_url: String,
}

/// The page; `shown` are the paths and titles of the documents.
#[must_use]
pub fn show(snapshot: &Snapshot, links: &Links, shown: &[(&'static str, &'static str)]) -> String {
    let business = &snapshot.input.business;
    let site = Site::new(business, links);
    let locale = &site.locale;
    let label = locale.message_with("reviews-of", &[("business", &business.name)]);
    let label = attribute(&label);
    let heading = locale.message("nav-developers");
    super::rendered(&DevelopersPage {
        embed_snippet: format!(
            "<iframe src=\"{}\" title=\"{label}\" width=\"100%\" height=\"480\" loading=\"lazy\" style=\"border:0\"></iframe>",
            links.absolute("/embed"),
        ),
        badge_snippet: format!(
            "<a href=\"{}\"><img src=\"{}\" alt=\"{label}\" height=\"36\"></a>",
            links.home(),
            links.absolute("/badge.svg"),
        ),
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

/// Text inside an attribute of a snippet that people copy; the page escapes the whole snippet once
/// more.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
}
