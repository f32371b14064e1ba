//! MCP tools: one call of each tool, its JSON text included, on synthetic reviews. CPU time of the call; the first call
//! on a snapshot computes values that later calls reuse. `REVIEWS_BENCH_ROWS=1000000` for a million reviews.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a measurement prints results, reads its size from the environment, and panics on errors"
)]

mod support;

use std::hint::black_box;
use std::sync::Arc;

use reviews_service::mcp::catalog::Catalog;
use reviews_service::mcp::escaped_json;
use reviews_service::snapshot::CurrentSnapshot;
use serde_json::{Value, json};
use support::cpu::timed;
use support::{files, rows, table};

const CALLS: u32 = 200;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let path = runtime.block_on(files::database(rows()));
    let snapshot = runtime.block_on(files::snapshot(&path));
    let catalog = Catalog::new(Arc::new(CurrentSnapshot::new(snapshot)));
    let ask = |tool: &str, arguments: &serde_json::Map<String, Value>| {
        let answer = runtime.block_on(catalog.call(tool, arguments));
        answer.unwrap().parse::<Value>().unwrap()
    };
    let newest = ask("search_reviews", json!({"limit": 1}).as_object().unwrap());
    let id = newest["reviews"][0]["id"].clone();
    let calls = [
        ("get_business", json!({})),
        ("search_reviews", json!({"query": "leak", "rating": 5})),
        ("search_reviews", json!({"limit": 100})),
        (
            "search_reviews",
            json!({"mentions_service": "drain-cleaning", "min_rating": 4, "limit": 5}),
        ),
        ("get_review", json!({"id": id})),
        ("get_reviews_since", json!({"date": "0001-01-01"})),
        ("get_insights", json!({})),
        ("list_facets", json!({})),
        (
            "compare_periods",
            json!({"first_since": "2020-01-05", "first_until": "2022-07-09", "second_since": "2022-07-10", "second_until": "2025-12-31"}),
        ),
    ];
    println!(
        "| call, {} reviews | first | again | … and as text | bytes |\n|---|---:|---:|---:|---:|",
        rows()
    );
    for (tool, arguments) in calls {
        let given = arguments.as_object().unwrap();
        let call = || ask(tool, black_box(given));
        let (answer, first) = timed(call);
        let ((), again) = timed(|| (0..CALLS).for_each(|_| drop(black_box(call()))));
        let ((), written) =
            timed(|| (0..CALLS).for_each(|_| drop(black_box(escaped_json(&call())))));
        let time = |time: std::time::Duration| table::time(Some(time.as_secs_f64() * 1e9));
        println!(
            "| `{tool}` `{arguments}` | {} | {} | {} | {} |",
            time(first),
            time(again / CALLS),
            time(written / CALLS),
            escaped_json(&answer).len()
        );
    }
}
