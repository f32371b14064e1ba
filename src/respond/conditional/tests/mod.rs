//! The table of conditional requests, one row per case of RFC 9110 §13.

mod dates;
mod tags;

use chrono::{DateTime, Utc};
use dates::{AMBIGUOUS, DATES, ORDER, UNDATED};
use poem::http::header::{HeaderMap, HeaderName, HeaderValue};
use proptest::prelude::*;
use tags::TAGS;

use super::Freshness::{NotModified, Send};
use super::{Freshness, Modified, Validators, decide, etag, fixdate};
use crate::snapshot::Coding;

/// Name, header lines, answer. The content is `abc`, changed at 1994-11-06 08:49:37.5.
type Row = (
    &'static str,
    &'static [(&'static str, &'static str)],
    Freshness,
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
