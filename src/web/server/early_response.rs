//! Errors for requests that never reach a handler, as problems (RFC 9457) like every other error.

use std::io;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, RETRY_AFTER};
use hyper::{HeaderMap, Response, StatusCode, header::HeaderValue};
use tokio::io::{AsyncWriteExt, copy, sink};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{BoxBody, HEADERS_MAX, Limits, URI_BYTES_MAX};
use crate::clock::Clock;
use crate::web::problem::about_blank;
use crate::web::{PROBLEM, share};
use crate::wire;

/// Timeout for a refused client: to send its first bytes, and again to receive the response.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EarlyResponse {
    /// 400: the bytes are not HTTP/1.x.
    Malformed,
    /// The client closed its side within a head.
    Incomplete,
    /// HTTP/1.1 without exactly one `Host` (RFC 9112 §3.2: 400).
    HostMissing,
    /// A `Host` that is not a name or address with an optional port (RFC 9112 §3.2: 400).
    HostInvalid,
    /// The body has an unsupported transfer coding (RFC 9112 §6.1: 501).
    CodingUnknown,
    HeadTooSlow,
    TargetTooLong,
    /// Too many header fields, or too many bytes in them.
    HeadTooLarge,
    /// All connections are in use.
    Crowded,
    /// The peer has reached its cap.
    PeerCrowded,
}

impl EarlyResponse {
    /// The error behind hyper's `status`, given the `head` that hyper rejected.
    ///
    /// hyper reports 431 for any oversized head; if the request line was too long, 414 is more precise.
    pub(super) fn from_status(status: u16, head: &[u8]) -> Self {
        match status {
            414 => Self::TargetTooLong,
            431 if request_line(head).len() > URI_BYTES_MAX => Self::TargetTooLong,
            431 => Self::HeadTooLarge,
            _ => Self::Malformed,
        }
    }

    fn status_and_detail(self, limits: &Limits) -> (StatusCode, String) {
        let (status, detail) = match self {
            Self::Malformed => (
                StatusCode::BAD_REQUEST,
                "This is not an HTTP/1.1 request. Send a request line such as `GET /reviews.json HTTP/1.1`, then header fields \
                 such as `Host: example.com`, then an empty line.",
            ),
            Self::Incomplete => (
                StatusCode::BAD_REQUEST,
                "The request ended before the empty line that ends its head. Send the whole head.",
            ),
            Self::HostMissing => (
                StatusCode::BAD_REQUEST,
                "An HTTP/1.1 request needs a `Host` header field, once. Send exactly one.",
            ),
            Self::HostInvalid => (
                StatusCode::BAD_REQUEST,
                "The `Host` header field is not a host with an optional port. Send one such as `example.com` or \
                 `127.0.0.1:8080`.",
            ),
            Self::CodingUnknown => (
                StatusCode::NOT_IMPLEMENTED,
                "A body can be sent in chunks, and in no other transfer coding. Send `Transfer-Encoding: chunked` or a `Content-Length`.",
            ),
            Self::HeadTooSlow => {
                let seconds = limits.headers_timeout.as_secs_f64();
                let detail = format!(
                    "The request's head did not arrive within {seconds} s. Send the request line and the header fields at once."
                );
                return (StatusCode::REQUEST_TIMEOUT, detail);
            }
            Self::TargetTooLong => {
                let detail = format!(
                    "The request's target is longer than {URI_BYTES_MAX} bytes. Shorten its path or query."
                );
                return (StatusCode::URI_TOO_LONG, detail);
            }
            Self::HeadTooLarge => {
                let bytes = limits.head_bytes_max;
                let detail = format!(
                    "The request has more than {HEADERS_MAX} header fields, or more than {bytes} bytes of head. Send fewer or shorter \
                     ones, for example without cookies."
                );
                return (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, detail);
            }
            Self::Crowded => (
                StatusCode::SERVICE_UNAVAILABLE,
                "Every connection is in use. Try again in a second.",
            ),
            Self::PeerCrowded => {
                let max = limits.connections_per_peer_max;
                let detail = format!(
                    "Your network has reached its limit of {max} open connections. Close some, or reuse them."
                );
                return (StatusCode::TOO_MANY_REQUESTS, detail);
            }
        };
        (status, detail.to_owned())
    }

    /// The header fields except `Content-Length` and `Date`.
    fn headers(self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        share(&mut headers);
        let retry_after =
            matches!(self, Self::Crowded | Self::PeerCrowded).then_some((RETRY_AFTER, "1"));
        let own = [
            (CONTENT_TYPE, PROBLEM),
            (CACHE_CONTROL, "no-store"),
            (CONNECTION, "close"),
        ];
        for (name, value) in own.into_iter().chain(retry_after) {
            headers.insert(name, HeaderValue::from_static(value));
        }
        headers
    }

    fn status_and_body(self, limits: &Limits) -> (StatusCode, Vec<u8>) {
        let (status, detail) = self.status_and_detail(limits);
        (status, wire::json(&about_blank(status, detail)))
    }

    /// The response as hyper sends it.
    pub(super) fn to_response(self, limits: &Limits) -> Response<BoxBody> {
        let (status, body) = self.status_and_body(limits);
        let body = Full::from(body).map_err(|never| match never {}).boxed();
        let mut response = Response::new(body);
        *response.status_mut() = status;
        *response.headers_mut() = self.headers();
        response
    }

    /// The serialized response; without the body for `HEAD` (RFC 9110 §9.3.2).
    fn to_bytes(self, is_head: bool, limits: &Limits) -> Vec<u8> {
        let (status, body) = self.status_and_body(limits);
        // RFC 9110 §6.6.1: a server with a clock sends `Date` in a 4xx.
        let date = httpdate::fmt_http_date(Clock::system().now().into());
        let mut answer = format!(
            "HTTP/1.1 {status}\r\ncontent-length: {}\r\ndate: {date}\r\n",
            body.len()
        )
        .into_bytes();
        for (name, value) in &self.headers() {
            answer.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
        }
        answer.extend(b"\r\n");
        if !is_head {
            answer.extend(body);
        }
        answer
    }

    /// Sends the answer and closes, within [`RESPONSE_TIMEOUT`].
    pub(super) async fn send(self, mut stream: TcpStream, is_head: bool, limits: &Limits) {
        let answer = self.to_bytes(is_head, limits);
        let sent = async {
            stream.write_all(&answer).await?;
            stream.shutdown().await?;
            swallow(&mut stream).await
        };
        // A timeout or an error changes nothing: the connection is closed in any case.
        let _ = timeout(RESPONSE_TIMEOUT, sent).await;
    }
}

/// Reads until the client closes. Closing with unread bytes resets the connection, and a reset may overtake the
/// response (RFC 9112 §9.6).
async fn swallow(stream: &mut TcpStream) -> io::Result<()> {
    copy(stream, &mut sink()).await.map(drop)
}

/// Gives the client time to receive the response to a request whose body may be unread in part, then closes.
pub(super) async fn linger(mut stream: TcpStream) {
    let _ = timeout(RESPONSE_TIMEOUT, swallow(&mut stream)).await;
}

/// Answers a connection that is not admitted.
pub(super) async fn turn_away(early_response: EarlyResponse, stream: TcpStream, limits: Limits) {
    let mut start = [0; 5];
    // Not before the request arrives: many clients treat an early response as a broken connection and retry at once.
    match timeout(RESPONSE_TIMEOUT, stream.peek(&mut start)).await {
        Ok(Ok(0) | Err(_)) => {}
        Ok(Ok(_)) | Err(_) => early_response.send(stream, is_head(&start), &limits).await,
    }
}

pub(super) fn is_head(request: &[u8]) -> bool {
    request.starts_with(b"HEAD ")
}

/// The request line of `head`, possibly incomplete.
fn request_line(head: &[u8]) -> &[u8] {
    // RFC 9112 §2.2: empty lines before it are skipped.
    let head = head.trim_ascii_start();
    head.split(|byte| *byte == b'\n').next().unwrap_or_default()
}
