//! Rows with entity tags alone: `If-None-Match` and `If-Match` in every spelling.

use super::super::Freshness::{Failed, NotModified, Send};
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
