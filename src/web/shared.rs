//! Header fields that every response shares.

use std::time::Duration;

use chrono::{DateTime, Utc};
use poem::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CONTENT_LENGTH, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use poem::http::{HeaderMap, HeaderName, HeaderValue};

use super::conditional::fixdate;
use crate::clock::Clock;

/// The maximum delay of the server's own `Date` against the clock: it has whole seconds and may be from just before the
/// request was read.
const SERVER_DATE_BEHIND_MAX: Duration = Duration::from_secs(2);
/// Set on every response, errors and 304 included: CORS for all origins, and no content sniffing.
const EVERY_ANSWER: [(HeaderName, &str); 5] = [
    (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    (
        ACCESS_CONTROL_EXPOSE_HEADERS,
        "ETag, Last-Modified, Link, Retry-After, Mcp-Session-Id, MCP-Protocol-Version",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "cross-origin",
    ),
];

pub fn share(headers: &mut HeaderMap) {
    for (name, value) in EVERY_ANSWER {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// The `Date` for a response with that `Last-Modified`, which must not be later than `Date` (RFC 9110 §8.8.2.1). If
/// the clock was set back after the change, `Date` is the instant of the change until the clock has passed it. `None`
/// well after a change: the server's own `Date` is correct then and is formatted once a second.
#[must_use]
pub fn date_beside(modified: DateTime<Utc>, clock: &Clock) -> Option<HeaderValue> {
    let now = clock.now();
    let is_past = modified + SERVER_DATE_BEHIND_MAX < now;
    (!clock.is_system() || !is_past).then(|| fixdate(modified.max(now)))
}

// The announced body length, checked before the body is read, so that a client that waits for `100 Continue` gets the
// error at once (RFC 9110 §10.1.1, §15.5.14).

/// Whether `Content-Length` exceeds `bytes_max`. A chunked body announces no length and is counted while it is read.
#[must_use]
pub fn announces_more_than(headers: &HeaderMap, bytes_max: usize) -> bool {
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| {
        let digits = length.to_str().ok()?;
        // More digits than a `u64` exceed every bound; the server rejects any other text.
        Some(digits.parse::<u64>().unwrap_or(u64::MAX))
    });
    announced.is_some_and(|bytes| bytes > bytes_max as u64)
}
