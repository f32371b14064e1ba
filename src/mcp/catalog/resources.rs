//! Resources with the content of the tools, for clients in which users attach context. They have the tools' size
//! limit: reviews come in pages, and the whole dataset has a URL.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::model::{Resource, ResourceTemplate};
use serde_json::{Value, json};

use super::arguments::{Arguments, CallError, Known, Object, refusal};
use super::results::{self, RESULT_BYTES_MAX, REVIEWS_MAX, ToolAnswer, evidence, page, shape};
use crate::links::Links;
use crate::mcp::escape::escaped_json;
use crate::model::ReviewFilter;
use crate::search::insights::StageRequest;
use crate::search::{Cursor, CursorParameter};
use crate::snapshot::{Document, Snapshot};
use crate::wire::parameters::{Aspect, InsightsPart, Parameter};
use crate::wire::{Issue, IssueCode};

pub const JSON: &str = "application/json";
const SCHEME: &str = "reviews://";
/// One review by its ID, percent-encoded (RFC 6570).
pub const REVIEW_TEMPLATE: &str = "reviews://review/{id}";
/// The sentences behind an aspect.
pub const EVIDENCE_TEMPLATE: &str =
    "reviews://evidence/{aspect}{?polarity,technician,service,since,until,hits,limit,cursor}";
/// Maximum number of a result's reviews that are linked.
const LINKS_MAX: usize = 10;
/// A page of the dataset.
pub const PAGE_TEMPLATE: &str = "reviews://reviews{?cursor}";

/// The resources with a fixed URI.
pub fn all(snapshot: &Snapshot) -> Vec<Resource> {
    let business = &snapshot.input.business.name;
    let resource = |name: &str, title: String, description: &str| {
        Resource::new(format!("{SCHEME}{name}"), name)
            .with_title(title)
            .with_description(description)
            .with_mime_type(JSON)
    };
    vec![
        resource(
            "business",
            format!("About {business}"),
            "Who the business is, and its overall rating, as get_business returns it.",
        ),
        resource(
            "insights",
            format!("What the reviews of {business} say"),
            "Aspects, people, services, places, topics and questions in short, as get_insights returns them.",
        ),
        resource(
            "reviews",
            format!("Reviews of {business}"),
            "The newest reviews, as many whole ones as fit into 48 KiB; `next` is the URI of the next page, `url` that of the whole dataset.",
        ),
    ]
}

/// The templates of resources with one URI per item.
pub fn templates() -> Vec<ResourceTemplate> {
    let template = |uri_template: &str, name: &str, title: &str, description: &str| {
        ResourceTemplate::new(uri_template, name)
            .with_title(title)
            .with_description(description)
            .with_mime_type(JSON)
    };
    vec![
        template(
            REVIEW_TEMPLATE,
            "review",
            "One review",
            "The review of that id, in full.",
        ),
        template(
            EVIDENCE_TEMPLATE,
            "evidence",
            "The sentences behind an aspect",
            "What reviews say about one aspect, sentence by sentence, as get_evidence returns it.",
        ),
        template(
            PAGE_TEMPLATE,
            "reviews_page",
            "A page of the reviews",
            "The reviews behind a cursor, newest first; take the URI from `next` of the page before.",
        ),
    ]
}

/// The JSON text of the resource at `uri`.
///
/// # Errors
/// [`CallError::Unknown`] if there is none, [`CallError::Arguments`] if the rest of a known URI is invalid.
pub fn read(
    snapshot: &Snapshot,
    links: &Links,
    known: &[Known],
    uri: &str,
) -> Result<String, CallError> {
    let rest = uri.strip_prefix(SCHEME).ok_or(CallError::Unknown)?;
    Ok(if let Some(rest) = rest.strip_prefix("evidence/") {
        sentences(snapshot, rest, known)?.text
    } else if let Some(id) = rest.strip_prefix("review/") {
        // RFC 6570 encodes `=`, which an ID may have.
        let id = percent_decode_str(id).decode_utf8();
        let review = id.ok().and_then(|id| results::find(snapshot, &id));
        escaped_json(&shape(&review.ok_or(CallError::Unknown)?))
    } else if let Some(given) = rest.strip_prefix("reviews?cursor=") {
        let cursor: Option<Cursor> = given.parse().ok();
        let cursor = cursor.filter(|cursor| cursor.belongs_to(&ReviewFilter::default()));
        if cursor.is_none() {
            let issue = Issue::of::<CursorParameter>(IssueCode::InvalidString, given);
            return Err(refusal(&[issue]));
        }
        dataset(snapshot, links, cursor.as_ref())
    } else {
        match rest {
            "business" => results::business(snapshot).text,
            "insights" => {
                let overview = StageRequest::Part(InsightsPart::Overview);
                results::insights(snapshot, links, &overview)?.text
            }
            "reviews" => dataset(snapshot, links, None),
            _ => return Err(CallError::Unknown),
        }
    })
}

/// The evidence for the rest of a URI: an aspect's ID and the arguments of `get_evidence`.
fn sentences(snapshot: &Snapshot, rest: &str, known: &[Known]) -> Result<ToolAnswer, CallError> {
    let (aspect, query) = rest.split_once('?').unwrap_or((rest, ""));
    let aspect = percent_decode_str(aspect).decode_utf8();
    let aspect = aspect.map_err(|_| CallError::Unknown)?;
    results::find_aspect(snapshot, &aspect).ok_or(CallError::Unknown)?;
    let mut given = Object::new();
    let mut issues = Vec::new();
    given.insert(Aspect::NAME.to_owned(), json!(aspect));
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        if given.contains_key(&*name) {
            let message = "must be given only once";
            issues.push(Issue::new(&name, IssueCode::Duplicate, message, &value));
        }
        given.insert(name.into_owned(), json!(value));
    }
    if !issues.is_empty() {
        return Err(refusal(&issues));
    }
    evidence(snapshot, Arguments::new("get_evidence", known, &given))
}

/// What a URI template escapes (RFC 6570 §3.2.2).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Links to a result's reviews and to an aspect's evidence: only names, because the result has their content.
pub fn links(answer: &Value) -> Vec<Resource> {
    let resource = |kind: &str, id: &str| {
        let uri = format!("{SCHEME}{kind}/{}", utf8_percent_encode(id, RESERVED));
        Resource::new(uri, id).with_mime_type(JSON)
    };
    let aspect = answer.pointer("/aspect/id").and_then(Value::as_str);
    let reviews = answer.get("reviews").and_then(Value::as_array);
    let ids = reviews.into_iter().flatten().filter_map(|review| {
        let id = review.get("id").or_else(|| review.get("review_id"));
        id.and_then(Value::as_str)
    });
    let reviews = ids.take(LINKS_MAX).map(|id| resource("review", id));
    let aspect = aspect.map(|id| resource("evidence", id));
    aspect.into_iter().chain(reviews).collect()
}

fn dataset(snapshot: &Snapshot, links: &Links, cursor: Option<&Cursor>) -> String {
    let page = page(
        snapshot,
        &ReviewFilter::default(),
        REVIEWS_MAX,
        cursor,
        RESULT_BYTES_MAX,
    );
    let mut answer = json!({
        "total": page.total,
        "count": page.reviews.len(),
        "url": links.absolute(Document::Reviews.path()),
        "reviews": page.reviews,
    });
    if let Some(next) = page.next {
        answer["next"] = json!(format!("{SCHEME}reviews?cursor={next}"));
    }
    escaped_json(&answer)
}
