//! How long a request says that its body is, judged before any of it is read: a client that waits
//! for `100 Continue`, or for nothing at all, is told at once (RFC 9110 §10.1.1, §15.5.14).

use poem::http::HeaderMap;
use poem::http::header::CONTENT_LENGTH;

/// Whether the body is announced to be longer than `bytes_max` bytes. One that is sent in chunks
/// announces nothing, and is counted as it comes.
#[must_use]
pub fn announces_more_than(headers: &HeaderMap, bytes_max: usize) -> bool {
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| {
        let digits = length.to_str().ok()?;
        // What is longer than any number is longer than any bound; other texts the server refuses.
        Some(digits.parse::<u64>().unwrap_or(u64::MAX))
    });
    announced.is_some_and(|bytes| bytes > bytes_max as u64)
}
