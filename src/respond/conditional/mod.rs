//! Whether a GET or HEAD needs the whole answer (RFC 9110 §13).
//!
//! Pure policy over the request's headers and the validators of what would be sent. It must not be
//! asked where the answer would be an error: preconditions do not apply then (§13.2.1).

use std::time::{Duration, UNIX_EPOCH};

use chrono::{DateTime, Utc};
use poem::http::header::{
    HeaderName, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_UNMODIFIED_SINCE,
};
use poem::http::{HeaderMap, HeaderValue};

use crate::snapshot::Coding;

/// The last second of the year 9999.
const FIXDATE_SECONDS_MAX: u64 = 253_402_300_799;

/// What tells one state of a document from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validators<'a> {
    /// The content's digest in hexadecimal digits; see [`etag`].
    pub digest: &'a str,
    /// When it last changed, where that is kept.
    pub modified: Option<Modified>,
}

/// When a document last changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modified {
    /// The instant; requests and answers only say its second.
    pub at: DateTime<Utc>,
    /// It changed twice within that second, so the second does not tell the two states apart.
    pub is_ambiguous: bool,
}

/// What a conditional request is answered with (RFC 9110 §13.2.2).
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// 200: the client's copy is out of date, or it named none.
    Send,
    /// 304: the client has it.
    NotModified,
    /// 412: it is not what the client insists on.
    Failed,
}

/// The answer to a GET or HEAD with these headers, in the order of §13.2.2. A precondition that
/// cannot be read is not met by anything if it is a list of tags, and is ignored if it is a date
/// (§13.1.3, §13.1.4).
///
/// There is no clock in it: a date in the future is after every change, so RFC 9110 answers 304
/// (RFC 2616 ignored it).
pub fn decide(headers: &HeaderMap, validators: &Validators) -> Freshness {
    let is_met = if headers.contains_key(IF_MATCH) {
        is_named(headers, &IF_MATCH, validators.digest, Comparison::Strong)
    } else {
        validators
            .modified
            .is_none_or(|modified| is_unmodified_since(headers, modified))
    };
    if !is_met {
        return Freshness::Failed;
    }
    let is_known = if headers.contains_key(IF_NONE_MATCH) {
        is_named(headers, &IF_NONE_MATCH, validators.digest, Comparison::Weak)
    } else {
        validators
            .modified
            .is_some_and(|modified| is_not_modified_since(headers, modified))
    };
    if is_known {
        Freshness::NotModified
    } else {
        Freshness::Send
    }
}

/// The strong tag of the content with that digest in that coding: `"<digest>"` or
/// `"<digest>-gzip"`.
#[must_use]
pub fn etag(digest: &str, coding: Option<Coding>) -> HeaderValue {
    let tag = match coding {
        None => format!("\"{digest}\""),
        Some(coding) => format!("\"{digest}-{}\"", coding.token()),
    };
    // Hexadecimal digits always are a field value; the empty tag stands for a digest that is none.
    HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\""))
}

/// An instant as IMF-fixdate, to the second (RFC 9110 §5.6.7); one that cannot be said so, before
/// 1970 or after 9999, as the first that can.
#[must_use]
pub fn fixdate(at: DateTime<Utc>) -> HeaderValue {
    let seconds = u64::try_from(at.timestamp()).unwrap_or(0);
    let seconds = if seconds <= FIXDATE_SECONDS_MAX {
        seconds
    } else {
        0
    };
    let date = httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(seconds));
    HeaderValue::from_str(&date)
        .unwrap_or(HeaderValue::from_static("Thu, 01 Jan 1970 00:00:00 GMT"))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    /// Neither tag is weak (§8.8.3.2).
    Strong,
    /// Weak comparison (RFC 9110 §8.8.3.2): `W/"a"` equals `"a"`.
    Weak,
}

/// Whether a list of entity tags names the content in any of its codings. `*` alone names whatever
/// there is.
fn is_named(headers: &HeaderMap, name: &HeaderName, digest: &str, comparison: Comparison) -> bool {
    let lines = || headers.get_all(name).iter();
    let members = || lines().flat_map(|line| members(line.as_bytes()));
    let is_named = members().any(|member| {
        let (is_weak, member) = member
            .strip_prefix(b"W/")
            .map_or((false, member), |rest| (true, rest));
        let opaque = member
            .strip_prefix(b"\"")
            .and_then(|rest| rest.strip_suffix(b"\""));
        (comparison == Comparison::Weak || !is_weak)
            && opaque.is_some_and(|opaque| is_of(opaque, digest))
    });
    is_named || members().eq([b"*"])
}

fn is_of(opaque: &[u8], digest: &str) -> bool {
    opaque.strip_prefix(digest.as_bytes()).is_some_and(|rest| {
        rest.is_empty()
            || rest.strip_prefix(b"-").is_some_and(|rest| {
                Coding::ALL
                    .iter()
                    .any(|coding| coding.token().as_bytes() == rest)
            })
    })
}

/// The members of one line, without the blanks around them and without empty ones. A comma within
/// quotes is part of a tag; quotes within a tag have no escape (§8.8.3).
fn members(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut is_quoted = false;
    let parts = line.split(move |byte| {
        is_quoted ^= *byte == b'"';
        *byte == b',' && !is_quoted
    });
    parts
        .map(<[u8]>::trim_ascii)
        .filter(|member| !member.is_empty())
}

/// True also where there is no such condition.
fn is_unmodified_since(headers: &HeaderMap, modified: Modified) -> bool {
    date(headers, &IF_UNMODIFIED_SINCE).is_none_or(|since| {
        // Of two states of one second nobody knows which one the client means.
        if modified.is_ambiguous {
            modified.at.timestamp() < since
        } else {
            modified.at.timestamp() <= since
        }
    })
}

fn is_not_modified_since(headers: &HeaderMap, modified: Modified) -> bool {
    !modified.is_ambiguous
        && date(headers, &IF_MODIFIED_SINCE).is_some_and(|since| modified.at.timestamp() <= since)
}

/// The one date in a header, in any of the three forms (§5.6.7), as seconds since 1970.
fn date(headers: &HeaderMap, name: &HeaderName) -> Option<i64> {
    let mut lines = headers.get_all(name).iter();
    let (Some(line), None) = (lines.next(), lines.next()) else {
        return None;
    };
    let at = httpdate::parse_http_date(line.to_str().ok()?).ok()?;
    Some(DateTime::<Utc>::from(at).timestamp())
}

#[cfg(test)]
mod tests;
