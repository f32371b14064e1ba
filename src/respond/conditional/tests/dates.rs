//! Rows with dates, alone and beside tags: which field goes first, and which dates count.

use super::super::Freshness::{Failed, NotModified, Send};
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

/// Where two changes share the second.
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

/// Where no date is kept.
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
