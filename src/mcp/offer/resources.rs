//! The same answers as resources, for clients that let people attach what models are to know. They are as large as a
//! tool's result at the most: the reviews come in pages, and the whole dataset has a URL.

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::excerpt::{RESULT_BYTES_MAX, REVIEWS_MAX, page};
use super::listing::{Contents, Resource, Template};
use super::views::View;
use super::{reviews, text};
use crate::edition::Document;
use crate::links::Links;
use crate::reviews::ReviewFilter;
use crate::search::Cursor;

const JSON: &str = "application/json";
const SCHEME: &str = "reviews://";
/// Of one review.
pub const REVIEW_TEMPLATE: &str = "reviews://review/{id}";
/// Of a page of the dataset.
pub const PAGE_TEMPLATE: &str = "reviews://reviews{?cursor}";

/// The resources that have a URI of their own.
#[must_use]
pub fn all(view: &View) -> Vec<Resource> {
    let business = &view.edition.copy.business.name;
    let resource = |name: &str, title: String, description: &str| Resource {
        uri: format!("{SCHEME}{name}"),
        name: name.to_owned(),
        title,
        description: description.to_owned(),
        mime_type: JSON,
    };
    vec![
        resource("business", format!("About {business}"), "Who the business is, and its overall rating: as get_business gives it."),
        resource(
            "insights",
            format!("What the reviews of {business} say"),
            "Aspects, entities, topics, FAQ and summary: as get_insights gives them.",
        ),
        resource(
            "reviews",
            format!("Reviews of {business}"),
            "The newest reviews, as many whole ones as fit into 48 KiB; `next` is the URI of the next page, `url` that of the whole dataset.",
        ),
    ]
}

/// The kinds of resources that have a URI for each.
#[must_use]
pub fn templates() -> Vec<Template> {
    let template = |uri_template, name, title, description: &str| Template {
        uri_template,
        name,
        title,
        description: description.to_owned(),
        mime_type: JSON,
    };
    vec![
        template(REVIEW_TEMPLATE, "review", "One review", "The review of that id, in full."),
        template(
            PAGE_TEMPLATE,
            "reviews_page",
            "A page of the reviews",
            "The reviews behind a cursor, newest first; take the URI from `next` of the page before.",
        ),
    ]
}

/// What stands at `uri`; `None` where nothing does.
#[must_use]
pub fn read(view: &View, links: &Links, uri: &str) -> Option<Contents> {
    let rest = uri.strip_prefix(SCHEME)?;
    let value = match (rest, rest.strip_prefix("review/"), rest.strip_prefix("reviews?cursor=")) {
        ("business", _, _) => view.business().clone(),
        ("insights", _, _) => view.insights().whole().clone(),
        ("reviews", _, _) => dataset(view, links, None),
        // RFC 6570 encodes `=`, which an id may have.
        (_, Some(id), _) => reviews::find(&view.edition, &percent_decode_str(id).decode_utf8().ok()?)?,
        (_, _, Some(cursor)) => {
            let cursor: Cursor = cursor.parse().ok()?;
            dataset(view, links, Some(&cursor).filter(|cursor| cursor.fits(&ReviewFilter::default()))?.into())
        }
        _ => return None,
    };
    Some(Contents { uri: uri.to_owned(), mime_type: JSON, text: text(&value) })
}

fn dataset(view: &View, links: &Links, cursor: Option<&Cursor>) -> Value {
    let page = page(&view.edition, &ReviewFilter::default(), REVIEWS_MAX, cursor, RESULT_BYTES_MAX);
    let mut answer = json!({
        "total": page.total,
        "count": page.reviews.len(),
        "url": links.absolute(Document::Reviews.path()),
        "reviews": page.reviews,
    });
    if let Some(next) = page.next {
        answer["next"] = json!(format!("{SCHEME}reviews?cursor={next}"));
    }
    answer
}
