//! Answering a GET with what is rendered: the content coding, the validators, 304 and 412, and the
//! headers of them all.

use std::sync::Arc;

use bytes::Bytes;
use poem::Response;
use poem::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, LAST_MODIFIED, VARY,
};
use poem::http::{HeaderMap, HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

use super::body::Pieces;
use super::conditional::{Freshness, Modified, Validators, decide, etag, fixdate};
use super::negotiation::{Choice, choose};
use super::problem::problem;
use crate::hash::hex;
use crate::snapshot::{CachedBody, Coding, Publication, Snapshot};

/// How long anybody may keep what we published, and how long they may show it while they ask anew
/// or cannot reach us.
const CACHEABLE: HeaderValue =
    HeaderValue::from_static("max-age=60, stale-while-revalidate=600, stale-if-error=86400");

/// Room for the header fields of an answer, those that all answers have included: growing costs
/// more than filling.
const FIELDS_MAX: usize = 16;

/// What is known about an answer besides its bytes.
pub(super) struct Facts<'a> {
    pub(super) content_type: &'static str,
    pub(super) digest: &'a str,
    pub(super) modified: Option<Modified>,
}

/// Answers with a cached body that stays the same while the service runs.
#[must_use]
pub fn cached_body(
    headers: &HeaderMap,
    snapshot: &Arc<Snapshot>,
    body: &Arc<CachedBody>,
) -> Response {
    let facts = Facts {
        content_type: body.content_type,
        digest: &body.content.digest,
        modified: None,
    };
    answer(headers, &body.codings(), &facts, |coding| {
        sent(body, coding, snapshot)
    })
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
    };
    answer(headers, &[], &facts, |_| Pieces::new(pieces(), snapshot))
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

/// The bytes of a cached body in a coding, or as they are. They are given up when the reader is too
/// far behind, coded ones likewise: else each holds a whole document for half an hour.
pub(super) fn sent(
    body: &Arc<CachedBody>,
    coding: Option<Coding>,
    snapshot: &Arc<Snapshot>,
) -> Pieces {
    Pieces::of_cached(Arc::clone(body), coding, Arc::clone(snapshot))
}

/// The rest, alike for all: `body` gives the bytes in the coding that was chosen.
fn answer(
    headers: &HeaderMap,
    codings: &[Coding],
    facts: &Facts<'_>,
    body: impl FnOnce(Option<Coding>) -> Pieces,
) -> Response {
    let validators = Validators {
        digest: facts.digest,
        modified: facts.modified,
    };
    match judge(headers, codings, &validators) {
        Err(refusal) => *refusal,
        Ok((coding, false)) => unchanged(head(facts, coding, None)),
        Ok((coding, true)) => {
            let body = body(coding);
            whole(head(facts, coding, Some(body.left_bytes())), body)
        }
    }
}

/// The coding that a request gets and whether it is sent the body, or why it gets neither.
pub(super) fn judge(
    headers: &HeaderMap,
    codings: &[Coding],
    validators: &Validators<'_>,
) -> Result<(Option<Coding>, bool), Box<Response>> {
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
            return Err(Box::new(refusal));
        }
    };
    match decide(headers, validators) {
        Freshness::Send => Ok((coding, true)),
        Freshness::NotModified => Ok((coding, false)),
        Freshness::Failed => Err(Box::new(problem(
            StatusCode::PRECONDITION_FAILED,
            "It has changed since; ask again without If-Match and If-Unmodified-Since.",
        ))),
    }
}

/// The header fields of a 200 of so many bytes, or of a 304, which repeats what the 200 would have
/// sent (RFC 9110 §15.4.5).
pub(super) fn head(facts: &Facts<'_>, coding: Option<Coding>, length: Option<u64>) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(FIELDS_MAX);
    if let Some(length) = length {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(facts.content_type));
        // Said here so that HEAD says it too.
        headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        if let Some(coding) = coding {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.token()));
        }
    }
    headers.insert(ETAG, etag(facts.digest, coding));
    headers.insert(CACHE_CONTROL, CACHEABLE);
    headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    if let Some(modified) = facts.modified {
        headers.insert(LAST_MODIFIED, fixdate(modified.at));
    }
    headers
}

/// A 200 with that head and body.
pub(super) fn whole(head: HeaderMap, body: Pieces) -> Response {
    let mut response = Response::builder().body(body);
    *response.headers_mut() = head;
    response
}

/// A 304 with that head.
pub(super) fn unchanged(head: HeaderMap) -> Response {
    let mut response = Response::builder()
        .status(StatusCode::NOT_MODIFIED)
        .finish();
    *response.headers_mut() = head;
    response
}
