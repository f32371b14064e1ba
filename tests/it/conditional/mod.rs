//! Conditional requests and content codings (RFC 9110 §8.8, §12.5.3, §13) on the real routes.

mod codings;
mod last_modified;

use std::io::Read;

use chrono::{DateTime, Duration};
use poem::http::Method;

use crate::support::{Answer, Generator, TestApp};

/// The targets with an `ETag`.
const TAGGED: [&str; 13] = [
    "/reviews.json",
    "/insights.json",
    "/api/feed.json",
    "/feed.xml",
    "/api/reviews/since/2025-01-01",
    "/api/reviews/search?query=the&limit=7",
    "/api/reviews/r-00001",
    "/.well-known/openapi.json",
    "/docs",
    "/",
    "/reviews/r-00001",
    "/transparency",
    "/transparency.json",
];
/// The number of those with `Last-Modified`, which come first.
const DATED: usize = 5;
/// The targets with content codings.
const CODED: [&str; 5] = [
    TAGGED[0],
    TAGGED[1],
    TAGGED[2],
    TAGGED[3],
    "/.well-known/openapi.json",
];
const CODINGS: [&str; 2] = ["br", "gzip"];

/// A service whose documents all last changed at 12:00:10.
async fn service() -> TestApp {
    let app = TestApp::with(&Generator::new(51).reviews(120)).await;
    app.advance(Duration::seconds(10));
    app.shell("insert into business (business_id, name) values ('b', 'Desert Peak'); update review set rating = 3; insert into technician values ('t', 0, 'T', '[]')").await;
    app
}

const MODIFIED: &str = "Fri, 20 Nov 2026 12:00:10 GMT";
const EARLIER: &str = "Fri, 20 Nov 2026 12:00:09 GMT";
const LATER: &str = "Fri, 20 Nov 2026 12:00:11 GMT";

/// Header lines (`{tag}` is the tag, `{digest}` its text without quotes), the status, and the status if the answer has no
/// `Last-Modified`.
type Row = (&'static [(&'static str, &'static str)], u16, u16);

const INM: &str = "if-none-match";
const IMS: &str = "if-modified-since";

const ROWS: &[Row] = &[
    (&[], 200, 200),
    (&[(INM, "{tag}")], 304, 304),
    (&[(INM, "W/{tag}")], 304, 304),
    (&[(INM, r#""x", {tag}"#)], 304, 304),
    (&[(INM, r#""a,b", {tag}"#)], 304, 304),
    (&[(INM, r#""x""#), (INM, "{tag}")], 304, 304),
    (&[(INM, "*")], 304, 304),
    (&[(INM, r#""{digest}-gzip""#)], 304, 304),
    (&[(INM, r#""{digest}-deflate""#)], 200, 200),
    (&[(INM, "{digest}")], 200, 200),
    (&[(INM, "")], 200, 200),
    (&[(INM, r#""{digest}0""#)], 200, 200),
    (&[(INM, r#""x", *"#)], 200, 200),
    (&[(INM, "*, {tag}")], 304, 304),
    (&[(INM, "garbage, {tag}")], 304, 304),
    (&[(INM, r#""x"#), (INM, "{tag}")], 304, 304),
    // If-Modified-Since is ignored beside If-None-Match (§13.1.3).
    (&[(INM, r#""x""#), (IMS, LATER)], 200, 200),
    (&[(INM, "{tag}"), (IMS, EARLIER)], 304, 304),
    (&[(IMS, MODIFIED)], 304, 200),
    (&[(IMS, LATER)], 304, 200),
    (&[(IMS, EARLIER)], 200, 200),
    (&[(IMS, "Friday, 20-Nov-26 12:00:10 GMT")], 304, 200),
    (&[(IMS, "Fri Nov 20 12:00:10 2026")], 304, 200),
    // An invalid date, or two dates, are ignored.
    (&[(IMS, "2026-11-20T12:00:10Z")], 200, 200),
    (&[(IMS, "Fri, 32 Nov 2026 12:00:10 GMT")], 200, 200),
    (&[(IMS, MODIFIED), (IMS, MODIFIED)], 200, 200),
    // Conditions of writes, and choices that there are not, are ignored.
    (&[("if-match", r#""x""#)], 200, 200),
    (&[("if-unmodified-since", EARLIER)], 200, 200),
    (&[("accept", "image/png")], 200, 200),
    // Ranges are neither served nor announced.
    (&[("range", "bytes=0-9")], 200, 200),
    (&[("range", "bytes=0-9"), ("if-range", "{tag}")], 200, 200),
];

#[tokio::test]
async fn every_route_follows_the_standard_for_preconditions() {
    let app = service().await;
    for target in TAGGED {
        let plain = app.get(target).await;
        let tag = plain.header("etag").to_owned();
        assert!(tag.len() > 2, "{target}: no tag");
        let is_dated = TAGGED[..DATED].contains(&target);
        let modified = if is_dated { MODIFIED } else { "" };
        assert_eq!(plain.header("last-modified"), modified, "{target}");
        // All rows on one route with a date and one without; of the others, which are decided in the same function, some.
        let is_whole = ["/reviews.json", "/"].contains(&target);
        for (lines, dated, undated) in ROWS.iter().step_by(if is_whole { 1 } else { 5 }) {
            let status = if is_dated { *dated } else { *undated };
            let digest = tag.trim_matches('"');
            let fill = |value: &str| value.replace("{tag}", &tag).replace("{digest}", digest);
            let filled: Vec<String> = lines.iter().map(|(_, value)| fill(value)).collect();
            let headers = lines.iter().zip(&filled);
            let headers: Vec<(&str, &str)> = headers
                .map(|((name, _), value)| (*name, &**value))
                .collect();
            for method in [Method::GET, Method::HEAD] {
                let answer = app.send(method.clone(), target, &headers).await;
                assert_eq!(answer.status, status, "{method} {target} {headers:?}");
                match answer.status {
                    200 if method == Method::GET => {
                        assert_eq!(answer.body, plain.body, "{target} {headers:?}");
                    }
                    304 => answer.check_repeats(&plain, target),
                    _ => {}
                }
            }
        }
    }
}
