//! Answering a GET with what is rendered: the content coding, the validators, 304 and 412, and the
//! headers of them all.

use std::sync::Arc;

use bytes::Bytes;
use poem::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, LAST_MODIFIED, LINK, VARY,
};
use poem::http::{HeaderMap, HeaderValue, StatusCode};
use poem::{Body, Response};
use sha2::{Digest, Sha256};

use super::body::Pieces;
use super::conditional::{Freshness, Modified, Validators, decide, etag, last_modified};
use super::negotiation::{Choice, choose};
use super::problem::problem;
use crate::hash::hex;
use crate::links::Links;
use crate::snapshot::{CachedBody, Coding, Document, Publication, PublishedDocument, Snapshot};

/// How long anybody may keep what we published, and how long they may show it while they ask anew
/// or cannot reach us.
const CACHEABLE: HeaderValue =
    HeaderValue::from_static("max-age=60, stale-while-revalidate=600, stale-if-error=86400");

/// What is known about an answer besides its bytes.
struct Facts<'a> {
    content_type: &'static str,
    digest: &'a str,
    modified: Option<Modified>,
    link: Option<HeaderValue>,
}

/// Answers with a document of the snapshot.
#[must_use]
pub fn document(
    headers: &HeaderMap,
    snapshot: &Arc<Snapshot>,
    document: Document,
    links: &Links,
) -> Response {
    let PublishedDocument {
        body, publication, ..
    } = &**snapshot.document(document);
    let link = document
        .is_topic()
        .then(|| HeaderValue::from_str(&document.link(links)).ok())
        .flatten();
    coded(headers, snapshot, body, Some(modified(publication)), link)
}

/// Answers with a cached body that stays the same while the service runs.
#[must_use]
pub fn cached_body(
    headers: &HeaderMap,
    snapshot: &Arc<Snapshot>,
    body: &Arc<CachedBody>,
) -> Response {
    coded(headers, snapshot, body, None, None)
}

/// Answers with bytes that are made for this request alone, in no coding.
#[must_use]
pub fn pieces(
    headers: &HeaderMap,
    snapshot: Arc<Snapshot>,
    content_type: &'static str,
    digest: &str,
    modified: Option<Modified>,
    pieces: impl FnOnce() -> Vec<Bytes>,
) -> Response {
    let facts = Facts {
        content_type,
        digest,
        modified,
        link: None,
    };
    answer(headers, &[], &facts, |_| {
        let body = Pieces::new(pieces(), snapshot);
        (body.left_bytes(), body.into())
    })
}

/// The same with a body in one piece that nothing else is known of: its digest is that of its
/// bytes.
#[must_use]
pub fn made(
    headers: &HeaderMap,
    snapshot: Arc<Snapshot>,
    content_type: &'static str,
    body: impl Into<Bytes>,
) -> Response {
    let body = body.into();
    pieces(
        headers,
        snapshot,
        content_type,
        &hex(&Sha256::digest(&body)),
        None,
        || vec![body],
    )
}

/// When a document changed, as the conditional requests need it.
#[must_use]
pub const fn modified(publication: &Publication) -> Modified {
    Modified {
        at: publication.changed_at,
        is_ambiguous: publication.is_same_second,
    }
}

fn coded(
    headers: &HeaderMap,
    snapshot: &Arc<Snapshot>,
    body: &Arc<CachedBody>,
    modified: Option<Modified>,
    link: Option<HeaderValue>,
) -> Response {
    let facts = Facts {
        content_type: body.content_type,
        digest: &body.content.digest,
        modified,
        link,
    };
    answer(headers, &body.codings(), &facts, |coding| {
        match coding.and_then(|coding| body.coded(coding)) {
            // Given up like the plain bytes when the reader is too far behind: else each holds a
            // whole document for half an hour.
            Some(bytes) => (
                bytes.len() as u64,
                Pieces::new(vec![bytes.clone()], Arc::clone(snapshot)).into(),
            ),
            None => (
                body.content.len(),
                Pieces::of_cached(Arc::clone(body), Arc::clone(snapshot)).into(),
            ),
        }
    })
}

/// The rest, alike for all: `body` gives length and bytes in the coding that was chosen.
fn answer(
    headers: &HeaderMap,
    codings: &[Coding],
    facts: &Facts<'_>,
    body: impl FnOnce(Option<Coding>) -> (u64, Body),
) -> Response {
    let coding = match choose(headers, codings) {
        Choice::Identity => None,
        Choice::Coded(coding) => Some(coding),
        Choice::NotAcceptable => {
            let mut refusal = problem(
                StatusCode::NOT_ACCEPTABLE,
                "No content coding that Accept-Encoding allows is available; allow identity.",
            );
            refusal
                .headers_mut()
                .insert(VARY, HeaderValue::from_static("Accept-Encoding"));
            return refusal;
        }
    };
    let validators = Validators {
        digest: facts.digest,
        modified: facts.modified,
    };
    let mut response = match decide(headers, &validators) {
        Freshness::Failed => {
            return problem(
                StatusCode::PRECONDITION_FAILED,
                "It has changed since; ask again without If-Match and If-Unmodified-Since.",
            );
        }
        Freshness::NotModified => Response::builder()
            .status(StatusCode::NOT_MODIFIED)
            .finish(),
        Freshness::Send => {
            let (length, body) = body(coding);
            let mut response = Response::builder().body(body);
            let headers = response.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(facts.content_type));
            // Said here so that HEAD says it too.
            headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
            if let Some(coding) = coding {
                headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.token()));
            }
            response
        }
    };
    // A 304 repeats what the 200 would have sent (RFC 9110 §15.4.5).
    let headers = response.headers_mut();
    headers.insert(ETAG, etag(facts.digest, coding));
    headers.insert(CACHE_CONTROL, CACHEABLE);
    headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    if let Some(modified) = facts.modified {
        headers.insert(LAST_MODIFIED, last_modified(modified.at));
    }
    if let Some(link) = &facts.link {
        headers.insert(LINK, link.clone());
    }
    response
}
