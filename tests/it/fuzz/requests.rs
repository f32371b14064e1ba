//! Requests: targets with queries, header fields, forms and messages.

use std::panic::AssertUnwindSafe;

use tokio::runtime::Runtime;

use super::{runtime, text_from};
use crate::support::{BASE, Generator, TestApp};

const TARGETS: &str = "/api/reviews/search? /api/reviews/since/ /api/reviews/ /insights/aspects/price/evidence.json? /insights.json? \
    /api/compare? /? /insights? /embed? /reviews/ /badge.svg? /";
const QUERY: &str = "query=|rating=|min_rating=|max_rating=|since=|until=|limit=|cursor=|sort=|aspect=|polarity=|language=|source=|has_text=|\
    has_reply=|mentions_technician=|mentions_service=|technician=|service=|first_since=|first_until=|second_since=|\
    second_until=|part=|theme=|&|&&|=|%|%00|%ff|%F0%9F%98%80|+|2026-02-29|2024-02-29|0001-01-01|9999-12-31|-1|0|1|4.5|\
    5|100|101|99999999999999999999|1e9|NaN|true|false|newest|highest|price|overall|positive|issue|en|..|/|%2e%2e|search|\
    r-00001|aaaa|ß|é|\u{202e}|;";
const FIELDS: &str = "if-none-match if-modified-since if-match if-unmodified-since accept-encoding accept range x-forwarded-for \
    authorization";
const VALUES: &str = "\"|W/|*|,|, |;q=|0|1|0.5|1.0001|gzip|br|zstd|identity|*/*|text/html|application/json|bytes=|-|\
    Sat, 21 Nov 2026 12:00:00 GMT|Sat Nov 21 12:00:00 2026|Saturday, 21-Nov-26 12:00:00 GMT|GMT|127.0.0.1|[::1]|:|\
    198.51.100.7:80|unknown|_x|Bearer |  |\t";
const FORM: &str = "hub.mode=|subscribe|unsubscribe|denied|&|=|hub.topic=|hub.callback=|hub.lease_seconds=|hub.secret=|\
    https%3A%2F%2Freviews.sample.test%2Freviews.json|https%3A%2F%2Freviews.sample.test%2Ffeed.xml|\
    https%3A%2F%2Fcallback.example.com%2F|https%3A%2F%2F127.0.0.1%2F|https%3A%2F%2F%5B%3A%3A1%5D%3A443%2F|http%3A%2F%2Fa%2F|\
    https%3A%2F%2Fu%3Ap%40a%2F|%23x|%00|%ff|0|300|99999999999999999999999|-1|+|\u{e9}";
const MESSAGE: &str = "{|}|[|]|:|,|\"jsonrpc\":\"2.0\"|\"id\":|1|null|\"a\"|\"method\":|\"initialize\"|\"tools/call\"|\"tools/list\"|\"ping\"|\
    \"notifications/initialized\"|\"params\":|\"name\":|\"search_reviews\"|\"get_review\"|\"get_aspect_sentiment\"|\"arguments\":|\
    \"query\":|\"limit\":|\"cursor\":|\"protocolVersion\":\"2025-06-18\"|\"capabilities\":{}|\
    \"clientInfo\":{\"name\":\"a\",\"version\":\"1\"}|true|1e400|\"\\u0000\"|\"\\ud800\"|\\|\"| ";

/// One of the words of a list.
fn one(list: &'static str, which: u8) -> &'static str {
    let words: Vec<&str> = list.split(' ').collect();
    words[usize::from(which) % words.len()]
}

/// A service with some reviews that answers on one thread.
fn serve(check: impl Fn(AssertUnwindSafe<(&Runtime, &TestApp)>)) {
    let runtime = runtime();
    let app = runtime.block_on(TestApp::uncoded(&Generator::new(5).reviews(30)));
    check(AssertUnwindSafe((&runtime, &app)));
}

#[test]
fn any_request_gets_an_answer_that_keeps_all_guarantees() {
    serve(|used| {
        bolero::check!()
            .with_type::<(u8, Vec<u8>)>()
            .for_each(move |(which, bytes)| {
                let (runtime, app) = *used;
                let target = format!("{}{}", one(TARGETS, *which), text_from(bytes, QUERY));
                // No client can send other characters in a target: they never reach a parser.
                if target.parse::<poem::http::Uri>().is_ok() {
                    let answer = runtime.block_on(app.get(&target));
                    assert_ne!(answer.status, 500, "{target}");
                }
            });
    });
}

#[test]
fn any_header_fields_get_an_answer() {
    serve(|used| {
        bolero::check!()
            .with_type::<(u8, Vec<u8>)>()
            .for_each(move |(which, bytes)| {
                let (runtime, app) = *used;
                let value = text_from(bytes, VALUES);
                if poem::http::HeaderValue::from_str(value.trim()).is_err() {
                    return;
                }
                let fields = [(one(FIELDS, *which), value.trim())];
                for target in ["/reviews.json", "/api/reviews/since/2026-01-01", "/"] {
                    let answer = runtime.block_on(app.get_with(target, &fields));
                    assert_ne!(answer.status, 500, "{target} {fields:?}");
                }
            });
    });
}

#[test]
fn the_hub_accepts_any_form_or_refuses_it_with_a_reason() {
    serve(|used| {
        bolero::check!()
            .with_type::<(bool, Vec<u8>)>()
            .for_each(move |(is_whole, bytes)| {
                let (runtime, app) = *used;
                let mut form = text_from(bytes, FORM);
                if *is_whole {
                    form = format!(
                        "hub.mode=subscribe&hub.topic={BASE}/reviews.json&hub.callback={form}"
                    );
                }
                let kind = [("content-type", "application/x-www-form-urlencoded")];
                let answer = runtime.block_on(app.post_hub_from(None, &kind, form.clone()));
                let is_ours = [202, 400, 404, 413, 415, 429, 503].contains(&answer.status);
                assert!(is_ours, "{} for {form}", answer.status);
            });
    });
}

#[test]
fn any_message_of_an_agent_is_answered() {
    serve(|used| {
        bolero::check!()
            .with_type::<(u8, Vec<u8>)>()
            .for_each(move |(kind, bytes)| {
                let (runtime, app) = *used;
                let text = text_from(bytes, MESSAGE);
                let message = match kind % 4 {
                    0 => text,
                    1 => format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"search_reviews\",\"arguments\":{{{text}}}}}}}"),
                    2 => format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{{{text}}}}}"),
                    _ => format!("{{\"jsonrpc\":\"2.0\",\"id\":1,{text}}}"),
                };
                let fields = [("accept", "application/json, text/event-stream")];
                let answer = runtime.block_on(app.post_mcp(&fields, message.clone()));
                assert_ne!(answer.status, 500, "{message}");
            });
    });
}
