//! Errors of refused calls: every wrong argument, and what is allowed.

use super::*;
use crate::support::assert_has;

/// Refused calls: all wrong arguments with different faults, missing and unknown arguments, and unknown names. Then what the
/// answer has, with `|` between its parts.
const CALLS: &str = r#"
    search_reviews → {"rating": 6, "min_rating": true, "since": 20240101, "query": 7, "limit": [1], "cursor": "x", "stars": 5, "until": null} → - rating: |1 to 5|"6"|- min_rating: |- since: |YYYY-MM-DD|- query: |- limit: |- cursor: |`next_cursor`|- stars: |known: rating, min_rating
    search_reviews → {"rating": 4.5, "min_rating": -1, "limit": 1e30, "mentions_service": {"id": "x"}} → - rating: |- min_rating: |- mentions_service: |- limit: |1 to 100
    compare_periods → {"first_since": "2026-02-01", "first_until": "yesterday", "second_until": ""} → - first_until: |- second_since: is required|- second_until: is required
    get_review → {} → - id: is required
    get_review → {"id": ""} → - id: is required
    get_review → {"id": 7} → - id: |"7"
    get_reviews_since → {"limit": 0} → - date: is required|- limit:
    get_business → {"name\n": "x"} → - name\n:
    get_review → {"id": "r-none\u202e"} → "r-none\u202e"|search_reviews
    get_insights → {"service": "Nothing Known"} → known:
    get_insights → {"service": "AC Repair", "area": "mesa", "part": "faq"} → - service: |- area: |only one of|- part: |"faq"
    get_aspect_sentiment → {"aspect": "colour"} → "colour"|known: punctuality, scheduling
    search_reviews → {"aspect": "colour", "polarity": "negative"} → - aspect: |punctuality, scheduling|"colour"
"#;

#[test]
fn every_wrong_argument_is_named_with_the_allowed_values() {
    with_sample(async |app| {
        let tools = Tools::of(app);
        for [tool, arguments, parts] in table(CALLS) {
            let refused = tools.refused(tool, arguments.parse().unwrap()).await;
            assert!(
                refused.chars().all(|c| c == '\n' || !c.is_control()),
                "{refused:?}"
            );
            for part in parts.split('|') {
                assert_has(&refused, part);
            }
        }
        // A refusal is small, whatever was sent.
        let many = (0..5_000).map(|number| (format!("a{number:04}"), json!("x".repeat(1_000))));
        let refused = tools.refused("search_reviews", many.collect()).await;
        assert!(refused.starts_with("Wrong arguments: 5000."), "{refused}");
        assert!(refused.len() < 20_000, "{}", refused.len());
    });
}
