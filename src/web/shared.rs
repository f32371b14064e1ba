//! The header fields of every answer.

use std::time::Duration;

use chrono::{DateTime, Utc};
use poem::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CONTENT_LENGTH, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use poem::http::{HeaderMap, HeaderName, HeaderValue};

use super::conditional::fixdate;
use crate::clock::Clock;

/// How far the server's own `Date` may be behind the clock: it has seconds alone, and may be of the
/// moment before the request was read.
const SERVER_DATE_BEHIND_MAX: Duration = Duration::from_secs(2);
/// What every answer says, errors and 304 included: anybody may read it, and nobody guesses what it is.
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

/// Adds the header fields of every answer.
pub fn share(headers: &mut HeaderMap) {
    for (name, value) in EVERY_ANSWER {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// The `Date` of an answer with that `Last-Modified`, which is never later than `Date` (RFC 9110
/// §8.8.2.1), and neither goes back: where the clock went back after a change, `Date` stays at the
/// instant of that change until the clock has passed it. `None` long after a change: the server's
/// own will do, which is made once a second.
#[must_use]
pub fn date_beside(modified: DateTime<Utc>, clock: &Clock) -> Option<HeaderValue> {
    let now = clock.now();
    let is_past = modified + SERVER_DATE_BEHIND_MAX < now;
    (!clock.is_system() || !is_past).then(|| fixdate(modified.max(now)))
}

// How long a request says that its body is, judged before any of it is read: a client that waits
// for `100 Continue`, or for nothing at all, is told at once (RFC 9110 §10.1.1, §15.5.14).

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
