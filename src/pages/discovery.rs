//! Files for crawlers: `/robots.txt` (RFC 9309), `/sitemap.xml` (sitemaps.org 0.9),
//! `/llms.txt`.

use std::sync::Arc;

use askama::Template;
use chrono::{DateTime, Datelike, Months, NaiveDate, Utc};
use poem::http::HeaderMap;
use poem::web::Data;
use poem::{Response, handler};

use super::frame::render;
use super::home::description;
use super::locale::{Locale, PageLanguage};
use super::transparency::TRANSPARENCY_PATH;
use crate::links::{Links, MCP_PATH, SECURITY_PATH};
use crate::model::business::Business;
use crate::model::text::visible;
use crate::snapshot::{CachedBody, Document, Snapshot};
use crate::web::HttpProblem;
use crate::web::context::Ctx;

pub const XML: &str = "application/xml";
pub const PLAIN: &str = "text/plain; charset=utf-8";

/// Maximum number of permalinks in the sitemap, the newest: a file of a sitemap may have 50,000 addresses.
const SITEMAP_REVIEWS_MAX: usize = 49_000;

/// Disallows only pages that are rendered per query; of two rules that match, the longer one counts (RFC 9309 §2.2.2).
pub fn robots(snapshot: &Snapshot) -> String {
    let links = &snapshot.input.links;
    let root = links.base_path();
    format!(
        "User-agent: *\nAllow: {root}/\nAllow: {root}/search.atom\nDisallow: {root}/search\nDisallow: {root}/api/reviews/search\nDisallow: {root}{MCP_PATH}\n\nSitemap: {}\n",
        links.absolute("/sitemap.xml")
    )
}

/// The listed pages that are not of one review.
const PAGES: [&str; 3] = ["/", "/insights", TRANSPARENCY_PATH];

#[derive(Template)]
#[template(path = "sitemap.xml")]
struct Sitemap {
    /// Each with its last change.
    urls: Vec<(String, NaiveDate)>,
}

/// The pages, then the permalinks, newest first.
pub fn sitemap(snapshot: &Snapshot) -> String {
    let links = &snapshot.input.links;
    let published = snapshot.changed_at().date_naive();
    let pages = PAGES.map(|path| (links.absolute(path), published));
    let entries = snapshot.input.entries.iter().take(SITEMAP_REVIEWS_MAX);
    let reviews = entries.map(|entry| {
        let review = &entry.review;
        let changed = review.changed_at().date_naive().max(review.date.date());
        (links.review(review.id.as_str()), changed)
    });
    let urls = pages.into_iter().chain(reviews).collect();
    // Askama drops the last line break of a template.
    render(&Sitemap { urls }) + "\n"
}

/// Text of the business on one line, without markup and hidden characters.
fn line(text: &str) -> String {
    let text = visible(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace(['[', ']', '<', '>', '`'], " ")
}

/// `/llms.txt` in the form of llmstxt.org. Text of the business is on lines of its own; review text is not included.
#[derive(Template)]
#[template(path = "llms.txt")]
struct LlmsText<'a> {
    links: &'a Links,
    name: String,
    rating: String,
    about: String,
    /// Of the summary.
    sentences: Vec<String>,
}

pub fn llms(snapshot: &Snapshot) -> String {
    let links = &snapshot.input.links;
    let business = &snapshot.input.business;
    // The file is in English, whatever the language of the business.
    let locale = Locale::new(PageLanguage::English, &Business::default());
    let about = business.description.as_deref().map(line);
    let (name, rating) = if business.is_set_up() {
        let rating = description(snapshot, &locale);
        (line(&business.name), line(&rating))
    } else {
        let name = "a business that is not set up yet".to_owned();
        (name, "There is no rating yet.".to_owned())
    };
    let text = render(&LlmsText {
        links,
        name,
        rating,
        about: about.map(|about| format!(" {about}")).unwrap_or_default(),
        sentences: (snapshot.insights.summary_sentences.iter())
            .map(|sentence| line(&sentence.text))
            .collect(),
    });
    // Askama drops the last line break of a template.
    text + "\n"
}

// `/.well-known/security.txt` (RFC 9116): the contacts for reporting security issues.

/// Validity in months, counted from the first day of the current one: less than a year (RFC 9116 §2.5.5), and the same
/// bytes for a whole month.
const VALID_MONTHS: Months = Months::new(6);

/// 404 if no contact is set.
#[handler]
pub fn security_txt(
    Data(ctx): Data<&Arc<Ctx>>,
    headers: &HeaderMap,
) -> Result<Response, HttpProblem> {
    let snapshot = ctx.current.load();
    let text = security_text(&ctx.contacts, ctx.clock.now(), &snapshot.input.links);
    let text = text.ok_or_else(|| {
        HttpProblem::not_found(
            "No security contact is set; the operator can set REVIEWS_SECURITY_CONTACT.",
        )
    })?;
    let body = CachedBody::whole(PLAIN, text);
    Ok(ctx.respond(headers, &snapshot, &body))
}

/// `None` without a contact, or if the expiry is beyond the calendar's range.
fn security_text(contacts: &[String], now: DateTime<Utc>, links: &Links) -> Option<String> {
    contacts.first()?;
    let month = NaiveDate::from_ymd_opt(now.year(), now.month(), 1)?;
    let expires = month.checked_add_months(VALID_MONTHS)?;
    Some(format!(
        "Contact: {}\nExpires: {expires}T00:00:00Z\nPreferred-Languages: en\nCanonical: {}\n",
        contacts.join("\nContact: "),
        links.absolute(SECURITY_PATH)
    ))
}
