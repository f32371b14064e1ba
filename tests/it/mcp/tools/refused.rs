//! Errors of refused calls: every wrong argument, and what is allowed.

use std::fmt::Write;

use super::*;

/// Refused calls: all wrong arguments with different faults, missing and unknown arguments, and unknown names.
const CALLS: &str = r#"
    search_reviews → {"rating": 6, "min_rating": true, "since": 20240101, "query": 7, "limit": [1], "cursor": "x", "stars": 5, "until": null}
    search_reviews → {"rating": 4.5, "min_rating": -1, "limit": 1e30, "mentions_service": {"id": "x"}}
    compare_periods → {"first_since": "2026-02-01", "first_until": "yesterday", "second_until": ""}
    compare_periods → {"first_since": "2026-02-01", "first_until": "2026-01-01", "second_since": "2026-02-01", "second_until": "2026-01-31"}
    get_review → {}
    get_review → {"id": ""}
    get_review → {"id": 7}
    get_reviews_since → {"limit": 0}
    get_business → {"name\n": "x"}
    get_review → {"id": "r-none\u202e"}
    get_aspect_sentiment → {"aspect": "colour"}
    search_reviews → {"aspect": "colour", "polarity": "negative"}
"#;

#[tokio::test]
async fn every_wrong_argument_is_named_with_the_allowed_values() {
    let tools = Tools::seeded().await;
    let mut said = String::new();
    for [tool, arguments] in table(CALLS) {
        let arguments: Value = arguments.parse().unwrap();
        let refused = tools.refused(tool, arguments.clone()).await;
        assert!(
            refused.chars().all(|c| c == '\n' || !c.is_control()),
            "{refused:?}"
        );
        write!(said, "{tool} {arguments}\n{refused}\n\n").unwrap();
    }
    insta::assert_snapshot!("refused", said);
}

#[tokio::test]
async fn a_refusal_is_small_whatever_was_sent() {
    let tools = Tools::seeded().await;
    let many: Map<String, Value> = (0..5_000)
        .map(|number| (format!("a{number:04}"), json!("x".repeat(1_000))))
        .collect();
    let refused = tools.refused("search_reviews", Value::Object(many));
    let refused = refused.await;
    assert!(refused.starts_with("5000 arguments are wrong"), "{refused}");
    assert!(refused.ends_with("\n- and 4960 more"), "{refused}");
    assert!(refused.len() < 20_000, "{}", refused.len());
}
