//! Ready bodies, and the middleware that makes responses of them: a handler returns a [`ReadyBody`], and the middleware
//! decides the content coding (RFC 9110 §12.5.3), the preconditions with 304 and 412 (§13), and 406. A response without a
//! ready body passes unchanged, so no precondition applies to errors (§13.2.1).

use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::{StreamExt, stream};
use poem::http::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG,
    IF_MATCH, IF_NONE_MATCH, VARY,
};
use poem::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use poem::web::headers::{
    Date, HeaderMapExt as _, IfModifiedSince, IfUnmodifiedSince, LastModified,
};
use poem::{Body, Endpoint, EndpointExt, IntoResponse, Request, Response};
use tokio::task::yield_now;

use super::problem::HttpProblem;
use crate::clock::Clock;
use crate::snapshot::{CachedBody, Coding, Content, Publication, Snapshot};

/// The time for which caches may keep a response, and for which they may serve a stale one while they revalidate or
/// cannot reach the service.
const CACHEABLE: HeaderValue =
    HeaderValue::from_static("max-age=60, stale-while-revalidate=600, stale-if-error=86400");

/// `clock` is used for `Date`.
pub fn with_conditional_requests<E: Endpoint + 'static>(
    endpoint: E,
    clock: Clock,
) -> impl Endpoint<Output = Response> {
    endpoint.around(move |endpoint: Arc<E>, request: Request| {
        let clock = clock.clone();
        async move {
            let conditions = request.headers().clone();
            let mut response = endpoint.call(request).await?.into_response();
            match response.extensions_mut().remove::<ReadyBody>() {
                Some(body) => Ok(complete(response, body, &conditions, &clock)?),
                None => Ok(response),
            }
        }
    })
}

/// A 200 with the body, or a 304, which repeats the header fields of the 200 (RFC 9110 §15.4.5).
fn complete(
    mut response: Response,
    body: ReadyBody,
    conditions: &HeaderMap,
    clock: &Clock,
) -> Result<Response, HttpProblem> {
    let coding = choose(conditions, &body.cached.codings())?;
    let digest = &body.cached.content.digest;
    let outcome = decide(conditions, digest, body.modified);
    let headers = response.headers_mut();
    headers.insert(ETAG, etag(digest, coding));
    headers.entry(CACHE_CONTROL).or_insert(CACHEABLE);
    headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    if let Some(Modified { at, .. }) = body.modified {
        headers.typed_insert(LastModified::from(SystemTime::from(at)));
        // Not earlier than `Last-Modified` (RFC 9110 §8.8.2.1), even if the clock was set back after the change.
        headers.typed_insert(Date::from(SystemTime::from(at.max(clock.now()))));
    }
    match outcome {
        ConditionalOutcome::Failed => Err(HttpProblem::new(
            StatusCode::PRECONDITION_FAILED,
            "The resource has changed; send the request again without If-Match and If-Unmodified-Since.",
        )),
        ConditionalOutcome::NotModified => {
            response.set_status(StatusCode::NOT_MODIFIED);
            Ok(response)
        }
        ConditionalOutcome::Send => {
            headers.insert(
                CONTENT_TYPE,
                HeaderValue::from_static(body.cached.content_type),
            );
            if let Some(coding) = coding {
                headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
            }
            let (body, length) = body.send(coding);
            headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
            response.set_body(body);
            Ok(response)
        }
    }
}

// The preconditions, as pure policy over the request's fields and the validators.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Modified {
    /// The instant, from 1970 on; requests and responses carry only its second.
    at: DateTime<Utc>,
    /// Whether it changed twice within that second, so that the second does not identify the state.
    is_ambiguous: bool,
}

/// The outcome of a conditional request (RFC 9110 §13.2.2).
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConditionalOutcome {
    /// 200: the client's copy is out of date, or it sent no validator.
    Send,
    /// 304.
    NotModified,
    /// 412.
    Failed,
}

/// Evaluates the preconditions in the order of §13.2.2. An invalid precondition matches nothing if it is a list of
/// tags, and is ignored if it is a date (§13.1.3, §13.1.4).
///
/// A date in the future is later than every change, so the result is 304 (RFC 9110); RFC 2616 ignored such dates.
fn decide(headers: &HeaderMap, digest: &str, modified: Option<Modified>) -> ConditionalOutcome {
    let is_met = if headers.contains_key(IF_MATCH) {
        is_named(headers, &IF_MATCH, digest)
    } else {
        let since: Option<IfUnmodifiedSince> = headers.typed_get();
        // If the content changed twice within the second, the client's version is unknown.
        modified.zip(since).is_none_or(|(modified, since)| {
            let ambiguous = TimeDelta::seconds(modified.is_ambiguous.into());
            since.precondition_passes((modified.at + ambiguous).into())
        })
    };
    if !is_met {
        return ConditionalOutcome::Failed;
    }
    let is_known = if headers.contains_key(IF_NONE_MATCH) {
        is_named(headers, &IF_NONE_MATCH, digest)
    } else {
        let since: Option<IfModifiedSince> = headers.typed_get();
        modified.zip(since).is_some_and(|(modified, since)| {
            !modified.is_ambiguous && !since.is_modified(modified.at.into())
        })
    };
    if is_known {
        ConditionalOutcome::NotModified
    } else {
        ConditionalOutcome::Send
    }
}

/// A strong entity tag: `"<digest>"` or `"<digest>-gzip"`.
fn etag(digest: &str, coding: Option<Coding>) -> HeaderValue {
    let tag = match coding {
        None => ["\"", digest, "\""].concat(),
        Some(coding) => ["\"", digest, "-", coding.name(), "\""].concat(),
    };
    // Hexadecimal digits are always a valid field value; any other digest becomes the empty tag.
    HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("\"\""))
}

/// Whether a list of entity tags contains the content in any of its codings. `*` by itself matches everything.
/// `If-Match` compares strongly: neither tag may be weak. Otherwise `W/"a"` equals `"a"` (§8.8.3.2, §13.1.1).
fn is_named(headers: &HeaderMap, name: &HeaderName, digest: &str) -> bool {
    let lines = || headers.get_all(name).iter();
    let members = || lines().flat_map(|line| members(line.as_bytes()));
    let is_named = members().any(|member| {
        let without_mark = member.strip_prefix(b"W/").filter(|_| *name != IF_MATCH);
        let tag = without_mark.unwrap_or(member).strip_prefix(b"\"");
        let coding = tag.and_then(|tag| tag.strip_prefix(digest.as_bytes())?.strip_suffix(b"\""));
        coding.is_some_and(|coding| {
            let mut known = Coding::ALL.into_iter().map(Coding::name);
            coding.is_empty()
                || known.any(|name| coding.strip_prefix(b"-") == Some(name.as_bytes()))
        })
    });
    is_named || members().eq([b"*"])
}

/// The members of one line, trimmed and without empty ones. A comma within quotes is part of a tag; tags have no
/// escapes (§8.8.3).
fn members(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut is_quoted = false;
    line.split(move |byte| {
        is_quoted ^= *byte == b'"';
        *byte == b',' && !is_quoted
    })
    .map(<[u8]>::trim_ascii)
    .filter(|member| !member.is_empty())
}

// The content coding, as pure policy over the request's fields; nothing is encoded here.

/// Chooses among `available` and identity by the highest weight; among equals the first of [`Coding::ALL`], identity
/// last (`None`). A member that is not `coding [;q=0.123]` is ignored; if a coding appears twice, the lower weight counts.
///
/// # Errors
/// 406 if identity is refused, and no available coding is accepted.
fn choose(headers: &HeaderMap, available: &[Coding]) -> Result<Option<Coding>, HttpProblem> {
    let lines: Vec<_> = headers
        .get_all(ACCEPT_ENCODING)
        .iter()
        .map(|line| String::from_utf8_lossy(line.as_bytes()))
        .collect();
    let weights: Vec<(&str, u16)> = lines
        .iter()
        .flat_map(|line| line.split(',').filter_map(member))
        .collect();
    // `*` applies to every coding that the header does not name.
    let weight = |names: &[&str]| {
        let of = |names: &[&str]| {
            let named = weights
                .iter()
                .filter(|(token, _)| names.iter().any(|name| token.eq_ignore_ascii_case(name)));
            named.map(|(_, weight)| *weight).min()
        };
        of(names).or_else(|| of(&["*"]))
    };
    // If the header does not name it, identity is acceptable and ranks below all codings that are named.
    let identity = weight(&["identity"]);
    // Of equal weights `max_by_key` returns the last, which must be the first of `ALL`.
    let best = Coding::ALL
        .into_iter()
        .rev()
        .filter(|coding| available.contains(coding))
        .map(|coding| (weight(coding_names(coding)).unwrap_or(0), coding))
        .max_by_key(|(weight, _)| *weight)
        .filter(|(weight, _)| *weight >= identity.unwrap_or(0).max(1));
    if best.is_none() && identity == Some(0) {
        let problem = HttpProblem::new(
            StatusCode::NOT_ACCEPTABLE,
            "No content coding that Accept-Encoding allows is available; allow identity.",
        );
        return Err(problem.with(VARY, HeaderValue::from_static("Accept-Encoding")));
    }
    Ok(best.map(|(_, coding)| coding))
}

/// A recipient treats `x-gzip` as `gzip` (RFC 9110 §8.4.1.3).
const fn coding_names(coding: Coding) -> &'static [&'static str] {
    match coding {
        Coding::Gzip => &["gzip", "x-gzip"],
        Coding::Brotli => &["br"],
    }
}
/// `member [;q=0.123]`, with the weight in thousandths; `None` for any other text.
pub(super) fn member(text: &str) -> Option<(&str, u16)> {
    let ows: [char; 2] = [' ', '\t'];
    let Some((coding, weight)) = text.split_once(';') else {
        return Some((text.trim_matches(ows), 1_000));
    };
    let (name, weight) = weight.trim_matches(ows).split_once('=')?;
    let weight = name
        .eq_ignore_ascii_case("q")
        .then(|| thousandths(weight))??;
    Some((coding.trim_matches(ows), weight))
}

/// `0[.ddd]` or `1[.000]` (RFC 9110 §12.4.2).
fn thousandths(text: &str) -> Option<u16> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fraction = format!("{fraction:0<3}").parse::<u16>().ok()?;
    match (whole, fraction) {
        ("0", thousandths) => Some(thousandths),
        ("1", 0) => Some(1_000),
        _ => None,
    }
}

/// Whether `Accept` prefers `text/html`, as browsers do when they navigate: no other kind has a higher weight or comes
/// before it with the same one.
pub fn wants_html(headers: &HeaderMap) -> bool {
    let accept = headers
        .get_all(ACCEPT)
        .iter()
        .map(|line| String::from_utf8_lossy(line.as_bytes()));
    let (mut best, mut has_html) = ((0, false), false);
    for line in accept {
        for (kind, weight) in line.split(',').filter_map(member) {
            let is_html = kind.eq_ignore_ascii_case("text/html");
            let is_page = is_html || kind.eq_ignore_ascii_case("application/xhtml+xml");
            has_html |= is_html && weight > 0;
            if weight > best.0 {
                best = (weight, is_page);
            }
        }
    }
    has_html && best.1
}

// What a handler returns.

/// Capacity for a response's header fields, the common ones included, so that the map does not grow.
const FIELDS_MAX: usize = 16;
/// Maximum bytes per frame; before each frame the snapshot is checked for revocation. A segment of reviews fits into one
/// frame; a document in Brotli is one piece.
const FRAME_BYTES_MAX: usize = 128 * 1024;
/// Frames after which a body lets other tasks of its thread run: about 50 µs. A reader on the same machine takes all
/// bytes at once.
const BURST_FRAMES: usize = 2;

#[derive(Debug, Clone)]
pub struct ReadyBody {
    cached: Arc<CachedBody>,
    modified: Option<Modified>,
    /// The response is cut off if its reader falls too far behind; otherwise a slow reader could keep a whole document in
    /// memory.
    snapshot: Arc<Snapshot>,
}

impl ReadyBody {
    /// Bytes that are made for this request, without a content coding.
    pub fn whole(
        content_type: &'static str,
        body: impl Into<Bytes>,
        snapshot: Arc<Snapshot>,
    ) -> Self {
        Self::new(content_type, Content::whole(body), snapshot)
    }

    /// Like [`Self::whole`], with a body in several pieces and its digest.
    pub fn new(content_type: &'static str, content: Content, snapshot: Arc<Snapshot>) -> Self {
        Self::cached(&Arc::new(CachedBody::new(content_type, content)), snapshot)
    }

    pub fn cached(body: &Arc<CachedBody>, snapshot: Arc<Snapshot>) -> Self {
        Self {
            cached: Arc::clone(body),
            modified: None,
            snapshot,
        }
    }

    /// With the instant of its last change; `None` if that is unknown.
    pub fn modified_at(self, publication: Option<&Publication>) -> Self {
        Self {
            modified: publication.map(|publication| Modified {
                at: publication.changed_at.max(DateTime::UNIX_EPOCH),
                is_ambiguous: publication.is_same_second,
            }),
            ..self
        }
    }

    /// The body in one of its codings, and its length. It ends with an error when its snapshot is revoked, that is, when
    /// the reader is four snapshots behind.
    fn send(self, coding: Option<Coding>) -> (Body, u64) {
        let coded = coding.and_then(|coding| self.cached.coded(coding));
        let pieces = coded.unwrap_or(&self.cached.content.pieces).to_vec();
        let length = pieces.iter().map(|piece| piece.len() as u64).sum();
        // hyper writes it together with the head.
        if let [piece] = &*pieces
            && piece.len() <= FRAME_BYTES_MAX
        {
            return (piece.clone().into(), length);
        }
        let snapshot = self.snapshot;
        let frames = pieces.into_iter().flat_map(|piece| {
            let starts = (0..piece.len()).step_by(FRAME_BYTES_MAX);
            starts.map(move |start| piece.slice(start..piece.len().min(start + FRAME_BYTES_MAX)))
        });
        let frames = stream::iter(frames.enumerate()).then(move |(number, frame)| {
            let is_revoked = snapshot.is_revoked();
            async move {
                if number % BURST_FRAMES == BURST_FRAMES - 1 {
                    yield_now().await;
                }
                if is_revoked {
                    return Err(io::Error::other("the reader is four snapshots behind"));
                }
                Ok(frame)
            }
        });
        (Body::from_bytes_stream(frames), length)
    }
}

impl IntoResponse for ReadyBody {
    /// A response without a body, which the middleware adds.
    fn into_response(self) -> Response {
        let mut response = Response::builder().extension(self).finish();
        *response.headers_mut() = HeaderMap::with_capacity(FIELDS_MAX);
        response
    }
}

#[cfg(test)]
mod tests {
    use poem::http::HeaderValue;

    use super::*;

    /// Name, codings that are ready, lines of `Accept-Encoding` (`\t` is a tab), the choice.
    const CODINGS: &str = r#"
        no header → br gzip → identity
        an empty header → br gzip →  → identity
        only commas → br gzip →  , , → identity
        one coding → br gzip → gzip → gzip
        a browser's → br gzip → gzip, deflate, br, zstd → br
        ties go by our preference → br gzip → gzip, br → br
        ties with identity go to the coding → br gzip → identity, gzip → gzip
        what is not ready is not chosen → gzip → br, gzip → gzip
        nothing is ready → none → br, gzip → identity
        unknown codings → br gzip → deflate, compress, sdch → identity
        the highest weight → br gzip → br;q=0.2, gzip;q=0.8 → gzip
        weights in thousandths → br gzip → br;q=0.123, gzip;q=0.124 → gzip
        a weight of one in every spelling → br gzip → gzip;q=1., br;q=0.999, identity;q=1.000 → gzip
        a low weight is above identity unnamed → br gzip → gzip;q=0.001 → gzip
        identity weighs more → br gzip → identity;q=1, gzip;q=0.5 → identity
        identity weighs less → br gzip → identity;q=0.5, gzip;q=0.6 → gzip
        a coding refused → br gzip → br;q=0, gzip → gzip
        a coding refused in every spelling → br gzip → br;q=0.000, gzip;q=0. → identity
        all named are refused → br gzip → gzip;q=0 → identity
        an asterisk stands for all → br gzip → * → br
        an asterisk does not stand for the named → br gzip → br;q=0.1, *;q=0.5 → gzip
        an asterisk with nothing ready → none → * → identity
        an asterisk with one refused → br gzip → *, br;q=0 → gzip
        an asterisk weighs identity, too → gzip → gzip;q=0.4, *;q=0.5 → identity
        everything refused → br gzip → *;q=0 → 406
        everything but identity refused → br gzip → identity, *;q=0 → identity
        everything but identity refused, at a low weight → br gzip → identity;q=0.001, *;q=0 → identity
        everything but gzip refused → br gzip → gzip, *;q=0 → gzip
        everything but gzip refused, and it is not ready → br → gzip, *;q=0 → 406
        identity refused, a coding named → br gzip → gzip;q=0.1, identity;q=0 → gzip
        identity refused, and nothing named → br gzip → identity;q=0 → 406
        identity refused, the rest by asterisk → br gzip → identity;q=0, * → br
        identity refused, nothing ready → none → identity;q=0, * → 406
        identity refused, only the unknown named → br gzip → identity;q=0, deflate → 406
        the old name of gzip → br gzip → x-gzip → gzip
        capitals → br gzip → GZip;Q=0.5, IDENTITY;q=0 → gzip
        several lines → br gzip → gzip;q=0.5 + br;q=0.7 → br
        several lines, one refusing → br gzip → gzip, br;q=0 + identity;q=0 → gzip
        blanks and tabs → br gzip → \tgzip \t;\t q=0.5 ,  br ; q=0.4 → gzip
        blanks within a weight → br gzip → br;q = 1, gzip;q=0.1 → gzip
        the lower of two weights → br gzip → gzip;q=0, x-gzip → identity
        a weight above one → br gzip → br;q=1.1, gzip;q=2 → identity
        a weight too fine → br gzip → br;q=0.1234 → identity
        a weight that is none → br gzip → br;q=x, gzip;q=-1 → identity
        a weight without its zero → br gzip → br;q=.5 → identity
        another parameter → br gzip → br;level=5, gzip → gzip
        two parameters → br gzip → br;q=0.5;x=1, gzip → gzip
        a garbled refusal refuses nothing → br gzip → identity;q=zero → identity
        garbage → br gzip → "gzip", <br>, ;;;, =, q=1 → identity
        bytes that are no text → br gzip → é, gzip → gzip
    "#;

    #[test]
    fn the_coding_with_the_highest_weight_is_chosen() {
        let rows = CODINGS.trim().lines();
        for row in rows.map(|row| row.trim_start().replace("\\t", "\t")) {
            let row: Vec<&str> = row.split(" → ").collect();
            let mut headers = HeaderMap::new();
            for line in row[2..row.len() - 1]
                .iter()
                .flat_map(|line| line.split(" + "))
            {
                headers.append(
                    ACCEPT_ENCODING,
                    HeaderValue::from_bytes(line.as_bytes()).unwrap(),
                );
            }
            let ready: Vec<Coding> = row[1].split(' ').filter_map(Coding::find).collect();
            let chosen = match choose(&headers, &ready) {
                Ok(coding) => coding.map_or("identity", Coding::name).to_owned(),
                Err(problem) => problem.status.as_str().to_owned(),
            };
            assert_eq!(chosen, row[row.len() - 1], "{row:?}");
        }
    }

    #[test]
    fn a_browser_prefers_html() {
        let chromium = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
        for (accept, expected) in [
            (chromium, true),
            ("application/xhtml+xml, text/html", true),
            ("TEXT/HTML", true),
            ("application/json;q=0.5, text/html", true),
            ("*/*", false),
            ("", false),
            ("application/json, text/html", false),
            ("text/html;q=0.1, application/json", false),
            ("text/html;q=0", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, accept.parse().unwrap());
            assert_eq!(wants_html(&headers), expected, "{accept}");
        }
    }
}
