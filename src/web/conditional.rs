//! Decides whether a GET or HEAD needs the full response (RFC 9110 §13).
//!
//! Pure policy over the request's headers and the validators. Do not call it for an error response: preconditions do
//! not apply then (§13.2.1).

use std::time::{Duration, UNIX_EPOCH};

use chrono::{DateTime, Utc};
use poem::http::header::{
    HeaderName, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_UNMODIFIED_SINCE,
};
use poem::http::{HeaderMap, HeaderValue};

use crate::snapshot::Coding;

/// The last second of the year 9999.
const FIXDATE_SECONDS_MAX: u64 = 253_402_300_799;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validators<'a> {
    /// The content's digest in hexadecimal; see [`etag`].
    pub digest: &'a str,
    pub modified: Option<Modified>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modified {
    /// The instant; requests and responses carry only its second.
    pub at: DateTime<Utc>,
    /// Whether it changed twice within that second, so that the second does not identify the state.
    pub is_ambiguous: bool,
}

/// The outcome of a conditional request (RFC 9110 §13.2.2).
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionalOutcome {
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
pub fn decide(headers: &HeaderMap, validators: &Validators) -> ConditionalOutcome {
    let is_met = if headers.contains_key(IF_MATCH) {
        is_named(headers, &IF_MATCH, validators.digest)
    } else {
        validators
            .modified
            .is_none_or(|modified| is_unmodified_since(headers, modified))
    };
    if !is_met {
        return ConditionalOutcome::Failed;
    }
    let is_known = if headers.contains_key(IF_NONE_MATCH) {
        is_named(headers, &IF_NONE_MATCH, validators.digest)
    } else {
        validators
            .modified
            .is_some_and(|modified| is_not_modified_since(headers, modified))
    };
    if is_known {
        ConditionalOutcome::NotModified
    } else {
        ConditionalOutcome::Send
    }
}

/// A strong entity tag: `"<digest>"` or `"<digest>-gzip"`.
#[must_use]
pub fn etag(digest: &str, coding: Option<Coding>) -> HeaderValue {
    let tag = match coding {
        None => format!("\"{digest}\""),
        Some(coding) => format!("\"{digest}-{}\"", coding.token()),
    };
    // Hexadecimal digits are always a valid field value; any other digest becomes the empty tag.
    HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\""))
}

/// IMF-fixdate, to the second (RFC 9110 §5.6.7); an instant before 1970 or after 9999 becomes the first representable
/// one.
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

/// Whether a list of entity tags contains the content in any of its codings. `*` by itself matches everything.
/// `If-Match` compares strongly: neither tag may be weak. Otherwise `W/"a"` equals `"a"` (§8.8.3.2, §13.1.1).
fn is_named(headers: &HeaderMap, name: &HeaderName, digest: &str) -> bool {
    let may_be_weak = *name != IF_MATCH;
    let lines = || headers.get_all(name).iter();
    let members = || lines().flat_map(|line| members(line.as_bytes()));
    let is_named = members().any(|member| {
        let without_mark = member.strip_prefix(b"W/").filter(|_| may_be_weak);
        let opaque = without_mark
            .unwrap_or(member)
            .strip_prefix(b"\"")
            .and_then(|rest| rest.strip_suffix(b"\""));
        opaque.is_some_and(|opaque| is_of(opaque, digest))
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

/// The members of one line, trimmed and without empty ones. A comma within quotes is part of a tag; tags have no
/// escapes (§8.8.3).
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

/// Whether the content is unmodified since the given date; true if the header is absent.
fn is_unmodified_since(headers: &HeaderMap, modified: Modified) -> bool {
    date(headers, &IF_UNMODIFIED_SINCE).is_none_or(|since| {
        // If the content changed twice within the second, the client's version is unknown.
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

/// The single date of a header, in any of the three forms (§5.6.7), as seconds since 1970.
fn date(headers: &HeaderMap, name: &HeaderName) -> Option<i64> {
    let mut lines = headers.get_all(name).iter();
    let (Some(line), None) = (lines.next(), lines.next()) else {
        return None;
    };
    let at = httpdate::parse_http_date(line.to_str().ok()?).ok()?;
    Some(DateTime::<Utc>::from(at).timestamp())
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use dates::{AMBIGUOUS, DATES, ORDER, UNDATED};
    use poem::http::header::{HeaderMap, HeaderName, HeaderValue};
    use proptest::prelude::*;
    use tags::TAGS;

    use super::ConditionalOutcome::{NotModified, Send};
    use super::{ConditionalOutcome, Modified, Validators, decide, etag, fixdate};
    use crate::snapshot::Coding;

    /// Case, header lines, outcome. The content is `abc`, changed at 1994-11-06 08:49:37.5.
    type Row = (
        &'static str,
        &'static [(&'static str, &'static str)],
        ConditionalOutcome,
    );

    const INM: &str = "if-none-match";
    const IM: &str = "if-match";
    const IMS: &str = "if-modified-since";
    const IUS: &str = "if-unmodified-since";
    const BEFORE: &str = "Sun, 06 Nov 1994 08:49:36 GMT";
    const SAME: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
    const AFTER: &str = "Sun, 06 Nov 1994 08:49:38 GMT";

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, line) in lines {
            let _ = headers.append(
                HeaderName::from_static(name),
                HeaderValue::from_bytes(line.as_bytes()).unwrap(),
            );
        }
        headers
    }

    #[test]
    fn every_case_of_rfc_9110_is_answered_by_the_table() {
        let modified = |is_ambiguous| {
            Some(Modified {
                at: at("1994-11-06T08:49:37.5Z"),
                is_ambiguous,
            })
        };
        let tables = [
            (TAGS, modified(false)),
            (DATES, modified(false)),
            (ORDER, modified(false)),
            (AMBIGUOUS, modified(true)),
            (UNDATED, None),
        ];
        for (rows, modified) in tables {
            for (name, lines, expected) in rows {
                assert_eq!(
                    decide(
                        &headers(lines),
                        &Validators {
                            digest: "abc",
                            modified
                        }
                    ),
                    *expected,
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn what_is_sent_is_known_when_it_comes_back() {
        let modified = Modified {
            at: at("2026-02-28T23:59:59.999Z"),
            is_ambiguous: false,
        };
        assert_eq!(fixdate(modified.at), "Sat, 28 Feb 2026 23:59:59 GMT");
        assert_eq!(
            fixdate(at("1970-01-01T00:00:00Z")),
            "Thu, 01 Jan 1970 00:00:00 GMT"
        );
        let validators = Validators {
            digest: "0f",
            modified: Some(modified),
        };
        let tags = [
            (None, "\"0f\""),
            (Some(Coding::Brotli), "\"0f-br\""),
            (Some(Coding::Gzip), "\"0f-gzip\""),
        ];
        for (coding, text) in tags {
            let tag = etag("0f", coding);
            assert_eq!(tag, text);
            for (name, expected) in [(INM, NotModified), (IM, Send)] {
                assert_eq!(
                    decide(&headers(&[(name, tag.to_str().unwrap())]), &validators),
                    expected,
                    "{name} {text}"
                );
            }
        }
        let sent = fixdate(modified.at);
        assert_eq!(
            decide(&headers(&[(IMS, sent.to_str().unwrap())]), &validators),
            NotModified
        );
        assert_eq!(
            decide(&headers(&[(IUS, sent.to_str().unwrap())]), &validators),
            Send
        );
    }

    proptest! {
        #[test]
        fn no_header_breaks_it(
            name in prop::sample::select(vec![INM, IM, IMS, IUS]),
            line in "[ -~\u{e9}\t]{0,40}|[A-Z][a-z]{2,8},? [0-9a-zA-Z: -]{15,30}( GMT)?",
        ) {
            let modified = Some(Modified { at: at("1994-11-06T08:49:37Z"), is_ambiguous: false });
            let first = decide(&headers(&[(name, &line)]), &Validators { digest: "abc", modified });
            prop_assert_eq!(first, decide(&headers(&[(name, &line)]), &Validators { digest: "abc", modified }));
        }
    }

    mod dates {
        use super::super::ConditionalOutcome::{Failed, NotModified, Send};
        use super::{AFTER, BEFORE, IM, IMS, INM, IUS, Row, SAME};

        pub(super) const DATES: &[Row] = &[
            (
                "modified-since: the same second",
                &[(IMS, SAME)],
                NotModified,
            ),
            ("modified-since: before", &[(IMS, BEFORE)], Send),
            ("modified-since: after", &[(IMS, AFTER)], NotModified),
            (
                "modified-since: the far future",
                &[(IMS, "Fri, 31 Dec 9999 23:59:59 GMT")],
                NotModified,
            ),
            (
                "modified-since: RFC 850",
                &[(IMS, "Sunday, 06-Nov-94 08:49:37 GMT")],
                NotModified,
            ),
            (
                "modified-since: RFC 850, before",
                &[(IMS, "Sunday, 06-Nov-94 08:49:36 GMT")],
                Send,
            ),
            (
                "modified-since: asctime",
                &[(IMS, "Sun Nov  6 08:49:37 1994")],
                NotModified,
            ),
            (
                "modified-since: asctime, before",
                &[(IMS, "Sun Nov  6 08:49:36 1994")],
                Send,
            ),
            (
                "modified-since: RFC 3339",
                &[(IMS, "2994-11-06T08:49:37Z")],
                Send,
            ),
            (
                "modified-since: another zone",
                &[(IMS, "Sun, 06 Nov 1994 08:49:38 CET")],
                Send,
            ),
            (
                "modified-since: no such day",
                &[(IMS, "Sun, 31 Nov 1994 08:49:37 GMT")],
                Send,
            ),
            (
                "modified-since: the wrong weekday",
                &[(IMS, "Mon, 06 Nov 1994 08:49:38 GMT")],
                Send,
            ),
            ("modified-since: a number", &[(IMS, "99999999999")], Send),
            ("modified-since: empty", &[(IMS, "")], Send),
            (
                "modified-since: bytes above ASCII",
                &[(IMS, "\u{e9}")],
                Send,
            ),
            (
                "modified-since: two dates on a line",
                &[(
                    IMS,
                    "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
                )],
                Send,
            ),
            (
                "modified-since: two lines",
                &[(IMS, SAME), (IMS, SAME)],
                Send,
            ),
            ("unmodified-since: the same second", &[(IUS, SAME)], Send),
            ("unmodified-since: before", &[(IUS, BEFORE)], Failed),
            ("unmodified-since: after", &[(IUS, AFTER)], Send),
            (
                "unmodified-since: RFC 850, before",
                &[(IUS, "Sunday, 06-Nov-94 08:49:36 GMT")],
                Failed,
            ),
            ("unmodified-since: no date", &[(IUS, "yesterday")], Send),
            (
                "unmodified-since: two lines",
                &[(IUS, BEFORE), (IUS, BEFORE)],
                Send,
            ),
        ];

        /// The order of §13.2.2.
        pub(super) const ORDER: &[Row] = &[
            (
                "none-match other, modified-since same: the date is ignored",
                &[(INM, r#""x""#), (IMS, SAME)],
                Send,
            ),
            (
                "none-match garbage, modified-since same: the date is ignored",
                &[(INM, "x"), (IMS, SAME)],
                Send,
            ),
            (
                "none-match same, modified-since before: the date is ignored",
                &[(INM, r#""abc""#), (IMS, BEFORE)],
                NotModified,
            ),
            (
                "match other, none-match same",
                &[(IM, r#""x""#), (INM, r#""abc""#)],
                Failed,
            ),
            (
                "match same, none-match same",
                &[(IM, r#""abc""#), (INM, r#""abc""#)],
                NotModified,
            ),
            (
                "match same, none-match other",
                &[(IM, r#""abc""#), (INM, r#""x""#)],
                Send,
            ),
            (
                "match same, unmodified-since before: the date is ignored",
                &[(IM, r#""abc""#), (IUS, BEFORE)],
                Send,
            ),
            (
                "match other, unmodified-since after: the date is ignored",
                &[(IM, r#""x""#), (IUS, AFTER)],
                Failed,
            ),
            (
                "match same, modified-since same",
                &[(IM, r#""abc""#), (IMS, SAME)],
                NotModified,
            ),
            (
                "unmodified-since before, none-match same",
                &[(IUS, BEFORE), (INM, r#""abc""#)],
                Failed,
            ),
            (
                "unmodified-since after, none-match same",
                &[(IUS, AFTER), (INM, r#""abc""#)],
                NotModified,
            ),
            (
                "unmodified-since same, modified-since same",
                &[(IUS, SAME), (IMS, SAME)],
                NotModified,
            ),
            (
                "unmodified-since bad, modified-since before",
                &[(IUS, "x"), (IMS, BEFORE)],
                Send,
            ),
        ];

        /// Two changes within the second.
        pub(super) const AMBIGUOUS: &[Row] = &[
            ("ambiguous: modified-since same", &[(IMS, SAME)], Send),
            ("ambiguous: modified-since after", &[(IMS, AFTER)], Send),
            (
                "ambiguous: modified-since same, none-match same",
                &[(IMS, SAME), (INM, r#""abc""#)],
                NotModified,
            ),
            (
                "ambiguous: unmodified-since before",
                &[(IUS, BEFORE)],
                Failed,
            ),
            ("ambiguous: unmodified-since same", &[(IUS, SAME)], Failed),
            ("ambiguous: unmodified-since after", &[(IUS, AFTER)], Send),
        ];

        /// Content without a date.
        pub(super) const UNDATED: &[Row] = &[
            ("undated: modified-since", &[(IMS, AFTER)], Send),
            ("undated: unmodified-since", &[(IUS, BEFORE)], Send),
            (
                "undated: none-match same",
                &[(INM, r#""abc""#)],
                NotModified,
            ),
            ("undated: match other", &[(IM, r#""x""#)], Failed),
        ];
    }

    mod tags {
        use super::super::ConditionalOutcome::{Failed, NotModified, Send};
        use super::{IM, INM, Row};

        pub(super) const TAGS: &[Row] = &[
            ("no condition", &[], Send),
            ("none-match: the tag", &[(INM, r#""abc""#)], NotModified),
            ("none-match: another tag", &[(INM, r#""abd""#)], Send),
            (
                "none-match: the tag made weak by a proxy",
                &[(INM, r#"W/"abc""#)],
                NotModified,
            ),
            (
                "none-match: the tag of gzip",
                &[(INM, r#""abc-gzip""#)],
                NotModified,
            ),
            (
                "none-match: the tag of brotli",
                &[(INM, r#""abc-br""#)],
                NotModified,
            ),
            (
                "none-match: the tag of gzip, weak",
                &[(INM, r#"W/"abc-gzip""#)],
                NotModified,
            ),
            (
                "none-match: the tag of a coding unknown",
                &[(INM, r#""abc-deflate""#)],
                Send,
            ),
            (
                "none-match: a coding twice",
                &[(INM, r#""abc-gzip-gzip""#)],
                Send,
            ),
            ("none-match: longer", &[(INM, r#""abcd""#)], Send),
            ("none-match: shorter", &[(INM, r#""ab""#)], Send),
            ("none-match: in capitals", &[(INM, r#""ABC""#)], Send),
            (
                "none-match: first of a list",
                &[(INM, r#""abc", "x""#)],
                NotModified,
            ),
            (
                "none-match: last of a list",
                &[(INM, r#""x", W/"y","abc""#)],
                NotModified,
            ),
            ("none-match: not in a list", &[(INM, r#""x", "y""#)], Send),
            (
                "none-match: on the second line",
                &[(INM, r#""x", "y""#), (INM, r#""abc""#)],
                NotModified,
            ),
            (
                "none-match: on no line",
                &[(INM, r#""x""#), (INM, r#""y""#)],
                Send,
            ),
            (
                "none-match: blanks and tabs",
                &[(INM, "\t \"x\" \t,\t W/\"abc\" \t")],
                NotModified,
            ),
            (
                "none-match: empty members",
                &[(INM, r#", ,"abc",,"#)],
                NotModified,
            ),
            ("none-match: only empty members", &[(INM, " , ,")], Send),
            ("none-match: empty", &[(INM, "")], Send),
            (
                "none-match: a comma within another tag",
                &[(INM, r#""x,y", "abc""#)],
                NotModified,
            ),
            (
                "none-match: the tag within another tag",
                &[(INM, r#""x,abc,y""#)],
                Send,
            ),
            (
                "none-match: a backslash escapes nothing",
                &[(INM, r#""x\", "abc""#)],
                NotModified,
            ),
            ("none-match: an empty tag", &[(INM, r#""""#)], Send),
            (
                "none-match: bytes above ASCII in another tag",
                &[(INM, "\"\u{e9}\", \"abc\"")],
                NotModified,
            ),
            ("none-match: anything", &[(INM, "*")], NotModified),
            (
                "none-match: anything, with blanks",
                &[(INM, " * ")],
                NotModified,
            ),
            (
                "none-match: an asterisk in quotes",
                &[(INM, r#""*""#)],
                Send,
            ),
            (
                "none-match: an asterisk in a list",
                &[(INM, r#""x", *"#)],
                Send,
            ),
            (
                "none-match: an asterisk beside the tag",
                &[(INM, r#"*, "abc""#)],
                NotModified,
            ),
            ("none-match: a weak asterisk", &[(INM, "W/*")], Send),
            ("none-match: without quotes", &[(INM, "abc")], Send),
            ("none-match: half in quotes", &[(INM, r#""abc"#)], Send),
            ("none-match: a single quote", &[(INM, "\"")], Send),
            ("none-match: in single quotes", &[(INM, "'abc'")], Send),
            (
                "none-match: weak in lower case",
                &[(INM, r#"w/"abc""#)],
                Send,
            ),
            (
                "none-match: weak with a blank",
                &[(INM, r#"W/ "abc""#)],
                Send,
            ),
            (
                "none-match: garbage beside the tag",
                &[(INM, r#"garbage, "abc""#)],
                NotModified,
            ),
            (
                "none-match: quotes left open",
                &[(INM, r#""x, "abc""#)],
                Send,
            ),
            (
                "none-match: quotes left open on another line",
                &[(INM, r#""x"#), (INM, r#""abc""#)],
                NotModified,
            ),
            ("match: the tag", &[(IM, r#""abc""#)], Send),
            (
                "match: the tag of a coding",
                &[(IM, r#""x", "abc-br""#)],
                Send,
            ),
            (
                "match: on the second line",
                &[(IM, r#""x""#), (IM, r#""abc""#)],
                Send,
            ),
            ("match: the tag, weak", &[(IM, r#"W/"abc""#)], Failed),
            (
                "match: weak, then strong",
                &[(IM, r#"W/"abc", "abc""#)],
                Send,
            ),
            ("match: another tag", &[(IM, r#""abd""#)], Failed),
            ("match: anything", &[(IM, "*")], Send),
            ("match: empty", &[(IM, "")], Failed),
            ("match: garbage", &[(IM, "abc")], Failed),
        ];
    }
}
