//! `/developers`: instructions for embedding the rating, and links to the data. `/docs`: Swagger UI, which shows
//! `/.well-known/openapi.json`.

use std::borrow::Cow;
use std::sync::Arc;

use askama::Template;
use poem::http::{HeaderMap, HeaderValue};
use poem::web::Data;
use poem::{Response, handler};

use super::assets::{DOCS_SCRIPT, DOCS_STYLESHEET, SWAGGER_SCRIPT, SWAGGER_STYLESHEET};
use super::frame::{Frame, Site, page, render};
use super::{badge, embed};
use crate::compute::run_long;
use crate::links::{DOCS_PATH, MCP_PATH, OPENAPI_PATH, SEARCH_API_PATH};
use crate::snapshot::{Document, Snapshot};
use crate::web::context::Ctx;

#[derive(Template)]
#[template(path = "developers_page.html")]
struct DevelopersPage<'a> {
    frame: Frame<'a>,
    heading: Cow<'static, str>,
    /// The title of the embedded frame, and the alternative text of the badge.
    label: Cow<'static, str>,
}

/// Each with the message that names it, and its format.
const DOCUMENTS: [(&str, &str, &str); 7] = [
    (Document::Reviews.path(), "data-reviews", "JSON"),
    (Document::Insights.path(), "nav-insights", "JSON"),
    (Document::JsonFeed.path(), "newest-feed", "JSON Feed"),
    (Document::AtomFeed.path(), "newest-feed", "Atom"),
    (SEARCH_API_PATH, "search-reviews", "JSON"),
    (DOCS_PATH, "data-docs", "Swagger UI"),
    (OPENAPI_PATH, "data-description", "OpenAPI 3.1"),
];

pub fn show(snapshot: &Snapshot) -> String {
    let links = &snapshot.input.links;
    let business = &snapshot.input.business;
    let site = Site::new(business, links);
    let locale = &site.locale;
    let heading = locale.message("nav-developers");
    render(&DevelopersPage {
        label: locale.message_with("reviews-of", &[("business", &business.name)]),
        frame: Frame {
            title: format!("{heading}: {}", business.name).into(),
            description: Some(locale.message("developers-lead")),
            canonical: Some(links.absolute("/developers")),
            site: site.clone(),
        },
        heading,
    })
}

/// The policy of `/docs`: requests go to the base URL, which may differ from the address in the browser.
const POLICY_DOCS: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; font-src data:; connect-src http: https:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

#[derive(Template)]
#[template(path = "docs_page.html")]
struct DocsPage<'a> {
    root: &'a str,
}

#[handler]
pub fn docs(Data(ctx): Data<&Arc<Ctx>>, headers: &HeaderMap) -> Response {
    let snapshot = ctx.current.load();
    let html = run_long(|| {
        let root = snapshot.input.links.base_path();
        render(&DocsPage { root })
    });
    page(ctx, headers, &snapshot, html, POLICY_DOCS)
}
