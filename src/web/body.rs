//! Reads a request's body, within a number of bytes and a time.

use std::time::Duration;

use bytes::Bytes;
use poem::Body;
use poem::error::ReadBodyError;
use poem::http::header::CONTENT_LENGTH;
use poem::http::{HeaderMap, StatusCode};
use tokio::time::timeout;

use super::problem::HttpProblem;

/// Timeout for a whole body.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// # Errors
/// 413 if it has more than `bytes_max`, 408 if it does not arrive within `time_max`, 400 if it is cut off or malformed.
pub async fn read_body(
    headers: &HeaderMap,
    body: Body,
    bytes_max: usize,
    time_max: Duration,
) -> Result<Bytes, HttpProblem> {
    let too_large = || {
        let detail = format!("A body may have at most {bytes_max} bytes.");
        HttpProblem::new(StatusCode::PAYLOAD_TOO_LARGE, detail)
    };
    // Before it is read, so that a client that waits for `100 Continue` gets the error at once (RFC 9110 §10.1.1).
    if announced_bytes(headers).is_some_and(|bytes| bytes > bytes_max as u64) {
        return Err(too_large());
    }
    match timeout(time_max, body.into_bytes_limit(bytes_max)).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(ReadBodyError::PayloadTooLarge)) => Err(too_large()),
        Ok(Err(_)) => Err(HttpProblem::new(
            StatusCode::BAD_REQUEST,
            "The body is incomplete, or its chunks are malformed (RFC 9112 §7.1).",
        )),
        Err(_) => Err(HttpProblem::new(
            StatusCode::REQUEST_TIMEOUT,
            "The body did not arrive completely in time.",
        )),
    }
}

/// `None` for a chunked body, which announces no length.
fn announced_bytes(headers: &HeaderMap) -> Option<u64> {
    let digits = headers.get(CONTENT_LENGTH)?.to_str().ok()?;
    // More digits than a `u64` exceed every bound; hyper refuses any other text.
    Some(digits.parse().unwrap_or(u64::MAX))
}
