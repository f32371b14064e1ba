//! One answer for every body: the content coding (RFC 9110 §12.5.3), and 304 if the client's copy is current (§13).
//! Handlers respond with [`Ctx::respond`] once they have the body, so no precondition applies to errors (§13.2.1).
//! `If-Match` and `If-Unmodified-Since` are for writes and are ignored, as is `Accept`: every resource has one kind.

use std::io;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::{StreamExt, stream};
use hyper::body::Bytes;
use poem::http::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
};
use poem::http::{HeaderMap, HeaderValue, StatusCode};
use poem::web::headers::{Date, HeaderMapExt as _, IfModifiedSince};
use poem::{Body, IntoResponse, Response};
use tokio::task::yield_now;

use super::context::Ctx;
use crate::snapshot::{CachedBody, Coding, Snapshot};

/// What [`Ctx::respond`] answers with a body of the shape `K`.
pub struct Cacheable<K>(Response, PhantomData<fn() -> K>);

impl<K> From<Response> for Cacheable<K> {
    fn from(response: Response) -> Self {
        Self(response, PhantomData)
    }
}

impl<K> IntoResponse for Cacheable<K> {
    fn into_response(self) -> Response {
        self.0
    }
}

impl Ctx {
    /// The response to a request with the fields `request`: 200 with `body`, or 304, which repeats the fields of the 200
    /// (RFC 9110 §15.4.5).
    pub fn respond<R: From<Response>>(
        &self,
        request: &HeaderMap,
        snapshot: &Arc<Snapshot>,
        body: &CachedBody,
    ) -> R {
        let coding = choose(request, body);
        let mut response = Response::default();
        let fields = response.headers_mut();
        fields.clone_from(&body.head);
        fields.insert(ETAG, body.etag(coding).clone());
        if let Some(publication) = &body.publication {
            // Not earlier than `Last-Modified` (RFC 9110 §8.8.2.1), even if the clock was set back after the change.
            let date = self.clock.now().max(publication.changed_at);
            fields.typed_insert(Date::from(SystemTime::from(date)));
        }
        if is_current(request, body) {
            response.set_status(StatusCode::NOT_MODIFIED);
            return response.into();
        }
        fields.insert(CONTENT_TYPE, HeaderValue::from_static(body.content_type));
        let coded = coding.and_then(|coding| body.coded(coding));
        if let Some(coding) = coding {
            fields.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
        }
        let pieces = coded.unwrap_or(&body.content.pieces);
        let length: u64 = pieces.iter().map(|piece| piece.len() as u64).sum();
        fields.insert(CONTENT_LENGTH, HeaderValue::from(length));
        response.set_body(send(pieces, snapshot));
        response.into()
    }
}

/// Whether the client's copy is current (RFC 9110 §13.2.2). `If-None-Match` decides if it is there, and an invalid one matches
/// nothing; an invalid date is ignored (§13.1.3). A date in the future is later than every change, so the result is 304 (RFC
/// 9110); RFC 2616 ignored such dates.
fn is_current(request: &HeaderMap, body: &CachedBody) -> bool {
    if request.contains_key(IF_NONE_MATCH) {
        return is_listed(request, body);
    }
    let since: Option<IfModifiedSince> = request.typed_get();
    let publication = body.publication.as_ref();
    publication.zip(since).is_some_and(|(publication, since)| {
        !publication.is_same_second && !since.is_modified(publication.changed_at.into())
    })
}

/// Whether `If-None-Match` has one of the body's tags, of whatever coding, or is `*` by itself. `W/"a"` equals `"a"` (§8.8.3.2).
/// Not by the `headers` crate, which panics in a debug build at a tag with a blank.
fn is_listed(request: &HeaderMap, body: &CachedBody) -> bool {
    let lines = || request.get_all(IF_NONE_MATCH).iter();
    let members = || lines().flat_map(|line| members(line.as_bytes()));
    let is_listed = members().any(|member| {
        let tag = member.strip_prefix(b"W/").unwrap_or(member);
        body.has_etag(tag)
    });
    is_listed || members().eq([b"*"])
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

/// The coding with the highest weight among those that are ready; among equals the first of [`Coding::ALL`]. `None` is
/// identity, which is sent where no coding that is ready is accepted, even if it is refused.
fn choose(request: &HeaderMap, body: &CachedBody) -> Option<Coding> {
    let weight = |name: &str| {
        let mut members = weighted(request);
        members.find_map(|(coding, weight)| coding.eq_ignore_ascii_case(name).then_some(weight))
    };
    // `*` applies to every coding that the header does not name. Of equal weights `max_by` returns the last, which must be
    // the first of `ALL`.
    body.codings()
        .rev()
        .filter_map(|coding| Some((coding, weight(coding.name()).or_else(|| weight("*"))?)))
        .filter(|(_, weight)| *weight > 0.0)
        .max_by(|(_, one), (_, other)| one.total_cmp(other))
        .map(|(coding, _)| coding)
}

/// The codings of `Accept-Encoding` with their weights: 1 if there is none, 0 if it is invalid (RFC 9110 §12.4.2).
fn weighted(request: &HeaderMap) -> impl Iterator<Item = (&str, f32)> {
    let lines = request.get_all(ACCEPT_ENCODING).iter();
    let members = lines.flat_map(|line| line.to_str().unwrap_or_default().split(','));
    members.map(|member| match member.split_once(';') {
        None => (member.trim(), 1.0),
        Some((coding, parameter)) => {
            let weight = parameter.split_once('=');
            let weight = weight.and_then(|(_, weight)| weight.trim().parse().ok());
            (coding.trim(), weight.unwrap_or_default())
        }
    })
}

/// Whether `Accept` begins with `text/html`, as that of browsers does when they navigate.
pub fn wants_html(request: &HeaderMap) -> bool {
    let accepted = request.get(ACCEPT).map_or(&b""[..], HeaderValue::as_bytes);
    accepted.starts_with(b"text/html")
}

/// Maximum bytes per frame; before each frame the snapshot is checked for revocation. A segment of reviews fits into one
/// frame; a document in Brotli is one piece.
const FRAME_BYTES_MAX: usize = 128 * 1024;
/// Frames after which a body lets other tasks of its thread run: about 50 µs. A reader on the same machine takes all
/// bytes at once.
const BURST_FRAMES: usize = 2;

/// The pieces as a body, which ends with an error when its snapshot is revoked, that is, when more than four older ones
/// are still read; otherwise a slow reader could keep a whole document in memory.
fn send(pieces: &[Bytes], snapshot: &Arc<Snapshot>) -> Body {
    // hyper writes it together with the head.
    if let [piece] = pieces
        && piece.len() <= FRAME_BYTES_MAX
    {
        return piece.clone().into();
    }
    let (pieces, snapshot) = (pieces.to_vec(), Arc::clone(snapshot));
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
                return Err(io::Error::other("the reader is too many snapshots behind"));
            }
            Ok(frame)
        }
    });
    Body::from_bytes_stream(frames)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::links::Links;
    use crate::snapshot::{CurrentSnapshot, Publisher};
    use crate::storage::Database;

    /// A context without reviews.
    async fn context() -> Ctx {
        let links: Links = "https://sample.test".parse().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let opened = Database::open(&folder.path().join("reviews.db")).await;
        let publisher = Publisher::new(opened.unwrap().0, links, Clock::system());
        let current = CurrentSnapshot::new(publisher.build(None).await.unwrap());
        Ctx::new(current, Clock::system(), Vec::new())
    }

    /// Name, codings that are ready, lines of `Accept-Encoding` (`\t` is a tab), the choice.
    const CODINGS: &str = r#"
        no header → br gzip → identity
        an empty header → br gzip →  → identity
        a browser's → br gzip → gzip, deflate, br, zstd → br
        what is not ready is not chosen → gzip → br, gzip → gzip
        the highest weight → br gzip → br;q=0.2, gzip;q=0.8 → gzip
        a coding refused → br gzip → br;q=0, gzip → gzip
        all named are refused → br gzip → gzip;q=0 → identity
        an asterisk stands for all → br gzip → * → br
        everything refused → br gzip → *;q=0 → identity
        everything but gzip refused → br gzip → gzip, *;q=0 → gzip
        identity refused, and nothing named → br gzip → identity;q=0 → identity
        capitals → br gzip → GZip;Q=0.5, IDENTITY;q=0 → gzip
        several lines → br gzip → gzip;q=0.5 + br;q=0.7 → br
        blanks and tabs → br gzip → \tgzip \t;\t q=0.5 ,  br ; q=0.4 → gzip
        garbage → br gzip → "gzip", <br>, ;;;, =, q=1, gzip;q=x → identity
    "#;

    #[tokio::test]
    async fn the_coding_with_the_highest_weight_is_chosen() {
        let ctx = context().await;
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
            let body = CachedBody::whole("text/plain", "plain");
            for coding in row[1].split(' ').filter_map(Coding::find) {
                body.set_coded(coding, coding.name().into());
            }
            let answered: Response = ctx.respond(&headers, &ctx.current.load(), &body);
            let chosen = answered.header(CONTENT_ENCODING).unwrap_or("identity");
            assert_eq!(chosen, row[row.len() - 1], "{row:?}");
        }
    }
}
