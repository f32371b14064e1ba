//! Answers GET and HEAD with published bytes: content coding, validators, 304 and 412, and their header fields.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock, Weak};
use std::task::{Context, Poll};

use arc_swap::{ArcSwap, Guard};
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Frame, SizeHint};
use poem::Response;
use poem::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, DATE, ETAG, LAST_MODIFIED, VARY,
};
use poem::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

use super::conditional::{ConditionalOutcome, Modified, Validators, decide, etag, fixdate};
use super::negotiation::{EncodingChoice, choose};
use super::problem::problem;
use super::shared::{date_beside, share};
use crate::clock::Clock;
use crate::model::hash::hex;
use crate::snapshot::{CachedBody, Coding, Publication, Snapshot};

/// The time for which caches may keep a response, and for which they may serve a stale one while they revalidate or
/// cannot reach the service.
const CACHEABLE: HeaderValue =
    HeaderValue::from_static("max-age=60, stale-while-revalidate=600, stale-if-error=86400");

/// Capacity for an answer's header fields, the shared ones included, so that the map does not grow.
const FIELDS_MAX: usize = 16;

/// Answers with a body that does not change while the service runs.
#[must_use]
pub fn cached_body(
    headers: &HeaderMap,
    snapshot: &Arc<Snapshot>,
    body: &Arc<CachedBody>,
) -> Response {
    let validators = Validators {
        digest: &body.content.digest,
        modified: None,
    };
    answer(
        headers,
        &body.codings(),
        body.content_type,
        validators,
        |coding| sent(body, coding, snapshot),
    )
}

/// Answers with bytes that are made for this request, without a content coding.
#[must_use]
pub fn pieces(
    headers: &HeaderMap,
    snapshot: Arc<Snapshot>,
    content_type: &'static str,
    digest: &str,
    modified: Option<Modified>,
    pieces: impl FnOnce() -> Vec<Bytes>,
) -> Response {
    let validators = Validators { digest, modified };
    answer(headers, &[], content_type, validators, |_| {
        BodyPieces::of(BodySource::Own(pieces()), snapshot)
    })
}

/// Like [`pieces`], with a body in one piece, whose digest is computed here.
#[must_use]
pub fn whole_body(
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

#[must_use]
pub const fn modified(publication: &Publication) -> Modified {
    Modified {
        at: publication.changed_at,
        is_ambiguous: publication.is_same_second,
    }
}

/// The bytes of a cached body, coded or uncoded. The response is cut off if its reader falls too far behind; otherwise
/// a slow reader could keep a whole document in memory for half an hour.
fn sent(body: &Arc<CachedBody>, coding: Option<Coding>, snapshot: &Arc<Snapshot>) -> BodyPieces {
    let source = BodySource::Cached(Arc::clone(body), coding);
    BodyPieces::of(source, Arc::clone(snapshot))
}

/// `body` returns the bytes in the chosen coding.
fn answer(
    headers: &HeaderMap,
    codings: &[Coding],
    content_type: &'static str,
    validators: Validators<'_>,
    body: impl FnOnce(Option<Coding>) -> BodyPieces,
) -> Response {
    let head = |coding, length| head(content_type, validators, coding, length);
    match judge(headers, codings, &validators) {
        Err(refusal) => *refusal,
        Ok((coding, false)) => unchanged(head(coding, None)),
        Ok((coding, true)) => {
            let body = body(coding);
            whole(head(coding, Some(body.left_bytes)), body)
        }
    }
}

/// The chosen coding and whether the body is sent, or an error response.
fn judge(
    headers: &HeaderMap,
    codings: &[Coding],
    validators: &Validators<'_>,
) -> Result<(Option<Coding>, bool), Box<Response>> {
    let coding = match choose(headers, codings) {
        EncodingChoice::Identity => None,
        EncodingChoice::Coded(coding) => Some(coding),
        EncodingChoice::NotAcceptable => {
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
        ConditionalOutcome::Send => Ok((coding, true)),
        ConditionalOutcome::NotModified => Ok((coding, false)),
        ConditionalOutcome::Failed => Err(Box::new(problem(
            StatusCode::PRECONDITION_FAILED,
            "The resource has changed; send the request again without If-Match and If-Unmodified-Since.",
        ))),
    }
}

/// The header fields of a 200 whose body has `length` bytes, or of a 304 (`None`), which repeats those of the 200 (RFC
/// 9110 §15.4.5).
fn head(
    content_type: &'static str,
    validators: Validators<'_>,
    coding: Option<Coding>,
    length: Option<u64>,
) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(FIELDS_MAX);
    if let Some(length) = length {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        // Set explicitly so that HEAD has it too.
        headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        if let Some(coding) = coding {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.token()));
        }
    }
    headers.insert(ETAG, etag(validators.digest, coding));
    headers.insert(CACHE_CONTROL, CACHEABLE);
    headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    if let Some(modified) = validators.modified {
        headers.insert(LAST_MODIFIED, fixdate(modified.at));
    }
    headers
}

fn whole(head: HeaderMap, body: BodyPieces) -> Response {
    let mut response = Response::builder().body(body);
    *response.headers_mut() = head;
    response
}

fn unchanged(head: HeaderMap) -> Response {
    let mut response = Response::builder()
        .status(StatusCode::NOT_MODIFIED)
        .finish();
    *response.headers_mut() = head;
    response
}

// Ready responses: for a path whose answer is a cached body, the heads are built once per body, coding and status, so a
// request only chooses and clones one. This code is independent of the path and never waits.

/// Answers one path from its successive cached bodies.
#[derive(Debug)]
pub struct Ready {
    /// Additional header fields, such as `Link`.
    fields: Vec<(HeaderName, HeaderValue)>,
    last: ArcSwap<Heads>,
}

/// The heads for one body: 200 and 304, in each coding and in none.
#[derive(Debug, Default)]
struct Heads {
    body: Weak<CachedBody>,
    modified: Option<Modified>,
    whole: [OnceLock<HeaderMap>; 1 + Coding::ALL.len()],
    unchanged: [OnceLock<HeaderMap>; 1 + Coding::ALL.len()],
}

impl Ready {
    /// `fields` are added to every answer.
    #[must_use]
    pub fn new(fields: Vec<(HeaderName, HeaderValue)>) -> Self {
        Self {
            fields,
            last: ArcSwap::default(),
        }
    }

    /// `body` belongs to `snapshot` and changed at `modified`; `clock` is used for `Date`.
    #[must_use]
    pub fn answer(
        &self,
        headers: &HeaderMap,
        snapshot: &Arc<Snapshot>,
        body: &Arc<CachedBody>,
        modified: Option<Modified>,
        clock: &Clock,
    ) -> Response {
        let validators = Validators {
            digest: &body.content.digest,
            modified,
        };
        let (coding, is_sent) = match judge(headers, &body.codings(), &validators) {
            Ok(judged) => judged,
            Err(refusal) => return *refusal,
        };
        let heads = self.heads(body, modified);
        let place = coding.map_or(0, |coding| 1 + coding as usize);
        let make = |length| {
            let mut head = head(body.content_type, validators, coding, length);
            head.extend(self.fields.iter().cloned());
            share(&mut head);
            head
        };
        let mut response = if is_sent {
            let sent = sent(body, coding, snapshot);
            let head = heads.whole[place].get_or_init(|| make(Some(sent.left_bytes)));
            whole(head.clone(), sent)
        } else {
            unchanged(heads.unchanged[place].get_or_init(|| make(None)).clone())
        };
        if let Some(date) = modified.and_then(|modified| date_beside(modified.at, clock)) {
            response.headers_mut().insert(DATE, date);
        }
        response
    }

    /// Returns the cached heads for `body`, or new empty ones if the previous answer had another body.
    fn heads(&self, body: &Arc<CachedBody>, modified: Option<Modified>) -> Guard<Arc<Heads>> {
        let last = self.last.load();
        // The weak reference keeps the allocation, so its address is not reused.
        if std::ptr::eq(last.body.as_ptr(), Arc::as_ptr(body)) && last.modified == modified {
            return last;
        }
        let heads = Arc::new(Heads {
            body: Arc::downgrade(body),
            modified,
            ..Heads::default()
        });
        self.last.store(Arc::clone(&heads));
        Guard::from_inner(heads)
    }
}

// A response body of shared pieces: nothing is copied, and its length is known before the first byte.

/// Maximum bytes per frame; before each frame the snapshot is checked for revocation. A segment of reviews fits into one
/// frame; a document in Brotli is one piece.
const FRAME_BYTES_MAX: usize = 128 * 1024;

#[derive(Debug)]
enum BodySource {
    Cached(Arc<CachedBody>, Option<Coding>),
    Own(Vec<Bytes>),
}

impl BodySource {
    fn pieces(&self) -> &[Bytes] {
        match self {
            Self::Cached(body, coding) => coding
                .and_then(|coding| body.coded(coding))
                .unwrap_or(&body.content.pieces),
            Self::Own(pieces) => pieces,
        }
    }
}

/// A response body. It ends with an error when its snapshot is revoked, that is, when the reader is four snapshots
/// behind.
#[derive(Debug)]
struct BodyPieces {
    source: BodySource,
    snapshot: Arc<Snapshot>,
    next: usize,
    /// Bytes of the next piece that are already sent.
    given_bytes: usize,
    left_bytes: u64,
}

impl BodyPieces {
    fn of(source: BodySource, snapshot: Arc<Snapshot>) -> Self {
        let left_bytes = source.pieces().iter().map(|piece| piece.len() as u64).sum();
        Self {
            source,
            snapshot,
            next: 0,
            given_bytes: 0,
            left_bytes,
        }
    }
}

impl From<BodyPieces> for poem::Body {
    fn from(pieces: BodyPieces) -> Self {
        Self::from(pieces.boxed())
    }
}

impl hyper::body::Body for BodyPieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if self.snapshot.is_revoked() {
            return Poll::Ready(Some(Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the reader is four snapshots behind",
            ))));
        }
        let Some(piece) = self.source.pieces().get(self.next) else {
            return Poll::Ready(None);
        };
        let end = piece.len().min(self.given_bytes + FRAME_BYTES_MAX);
        let (frame, is_whole) = (piece.slice(self.given_bytes..end), end == piece.len());
        (self.next, self.given_bytes) = if is_whole {
            (self.next + 1, 0)
        } else {
            (self.next, end)
        };
        self.left_bytes -= frame.len() as u64;
        Poll::Ready(Some(Ok(Frame::data(frame))))
    }

    fn is_end_stream(&self) -> bool {
        self.left_bytes == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left_bytes)
    }
}
