//! Pages have complete reviews and a cursor; all pages together have every review once.

use super::*;
use crate::support::{array_of, str_of};

/// Calls until there is no next page; returns the reviews in order, the size of each page, and of the largest answer in bytes.
async fn walk(tools: &Tools<'_>, tool: &str, arguments: &Value) -> (Vec<Value>, Vec<usize>, usize) {
    let (mut all, mut counts, mut largest) = (Vec::new(), Vec::new(), 0);
    let mut arguments = arguments.clone();
    loop {
        let answer = tools.call(tool, arguments.clone()).await;
        largest = largest.max(escaped_json(&answer).len());
        let reviews = array_of(&answer["reviews"]);
        assert_eq!(answer["returned"], reviews.len(), "{tool}");
        all.extend_from_slice(reviews);
        counts.push(reviews.len());
        let Some(next) = answer.get("next_cursor") else {
            return (all, counts, largest);
        };
        assert!(!reviews.is_empty(), "{tool}: an empty page with a next one");
        arguments["cursor"] = next.clone();
    }
}

#[tokio::test]
async fn all_pages_together_have_every_review_and_none_is_too_large() {
    let app = TestApp::uncoded(&Generator::new(81).reviews(1_500)).await;
    let tools = Tools::of(&app);
    let dataset = tools.get("/reviews.json").await;
    let all = array_of(&dataset["reviews"]);
    for [tool, arguments] in table(
        r#"
        search_reviews → {"limit": 100}
        search_reviews → {"limit": 37}
        get_reviews_since → {"date": "0001-01-01"}
        get_reviews_since → {"date": "0001-01-01", "limit": 13}
        "#,
    ) {
        let arguments: Value = arguments.parse().unwrap();
        let (reviews, _, largest) = walk(&tools, tool, &arguments).await;
        assert!(reviews == *all, "{tool} {arguments}");
        assert!(largest <= RESULT_BYTES_MAX, "{tool}: {largest} bytes");
        let is_full = largest > RESULT_BYTES_MAX * 9 / 10;
        assert!(is_full || arguments["limit"] != 100, "{largest} bytes");
    }
    let since = json!({"date": "0001-01-01"});
    let page = tools.call("get_reviews_since", since).await;
    assert_eq!(page["matched"], all.len());
}

#[tokio::test]
async fn a_review_that_is_too_large_is_alone_on_a_page() {
    let large = "word ".repeat(RESULT_BYTES_MAX / 4);
    let texts = ["a", &large, "b", &large, "c"].into_iter().enumerate();
    let reviews: Vec<Review> = texts
        .map(|(number, text)| review_with_text(number, text))
        .collect();
    let app = TestApp::with(&reviews).await;
    let tools = Tools::of(&app);
    for (tool, arguments) in [
        ("search_reviews", json!({})),
        ("get_reviews_since", json!({"date": "2000-01-01"})),
    ] {
        let (reviews, counts, _) = walk(&tools, tool, &arguments).await;
        assert_eq!(counts, [1; 5], "{tool}");
        let bytes = reviews.iter().map(|review| str_of(&review["text"]).len());
        assert_eq!(bytes.sum::<usize>(), 2 * large.len() + 3, "{tool}");
    }
}
