//! Pages have complete reviews and a cursor; all pages together have every review once.

use super::*;

/// Calls until there is no next page; returns the IDs in order and the size of the largest answer.
async fn walk(tool_app: &ToolApp, tool: &str, arguments: &Value) -> (Vec<String>, usize) {
    let (mut ids, mut largest, mut arguments) = (Vec::new(), 0, arguments.clone());
    loop {
        let answer = tool_app.call(tool, arguments.clone()).await;
        largest = largest.max(escaped_json(&answer).len());
        let reviews = answer["reviews"].as_array().unwrap();
        assert_eq!(answer["count"], reviews.len(), "{tool}");
        ids.extend(
            reviews
                .iter()
                .map(|review| review["id"].as_str().unwrap().to_owned()),
        );
        let Some(next) = answer.get("next_cursor") else {
            return (ids, largest);
        };
        assert!(!reviews.is_empty(), "{tool}: an empty page with a next one");
        arguments["cursor"] = next.clone();
    }
}

#[tokio::test]
async fn all_pages_together_have_every_review_and_none_is_too_large() {
    let tool_app = ToolApp::of(TestApp::uncoded(&Generator::new(81).reviews(1_500)).await);
    let all: Vec<String> = tool_app.app.get("/reviews.json").await.ids();
    for (tool, arguments) in [
        ("search_reviews", json!({"limit": 100})),
        ("search_reviews", json!({"limit": 37})),
        ("get_reviews_since", json!({"date": "0001-01-01"})),
        (
            "get_reviews_since",
            json!({"date": "0001-01-01", "limit": 13}),
        ),
    ] {
        let (ids, largest) = walk(&tool_app, tool, &arguments).await;
        assert!(
            ids == all,
            "{tool} {arguments}: {} of {}",
            ids.len(),
            all.len()
        );
        assert!(
            largest <= RESULT_BYTES_MAX,
            "{tool} {arguments}: {largest} bytes"
        );
    }
    let (_, largest) = walk(&tool_app, "search_reviews", &json!({"limit": 100})).await;
    assert!(
        largest > RESULT_BYTES_MAX * 9 / 10,
        "pages end too early: {largest} bytes"
    );
    let page = tool_app
        .call("get_reviews_since", json!({"date": "0001-01-01"}))
        .await;
    assert_eq!(page["total"], all.len());
}

#[tokio::test]
async fn a_review_that_is_too_large_is_alone_on_a_page() {
    let large = |number| review_with_text(number, "word ".repeat(RESULT_BYTES_MAX / 4));
    let reviews = [
        review_with_text(0, "a"),
        large(1),
        review_with_text(2, "b"),
        large(3),
        review_with_text(4, "c"),
    ];
    let tool_app = ToolApp::of(TestApp::with(&reviews).await);
    for tool in ["search_reviews", "get_reviews_since"] {
        let mut arguments = json!({});
        if tool == "get_reviews_since" {
            arguments["date"] = json!("2000-01-01");
        }
        let (mut counts, mut text) = (Vec::new(), String::new());
        loop {
            let answer = tool_app.call(tool, arguments.clone()).await;
            counts.push(answer["count"].as_u64().unwrap());
            answer["reviews"]
                .as_array()
                .unwrap()
                .iter()
                .for_each(|review| text.push_str(review["text"].as_str().unwrap()));
            let Some(next) = answer.get("next_cursor") else {
                break;
            };
            arguments["cursor"] = next.clone();
        }
        assert_eq!(counts, [1, 1, 1, 1, 1], "{tool}");
        assert_eq!(text.len(), 2 * 5 * (RESULT_BYTES_MAX / 4) + 3, "{tool}");
    }
}

#[tokio::test]
async fn evidence_with_hundreds_of_names_has_room_for_reviews() {
    let reviews: Vec<Review> = (0..40)
        .map(|number| {
            let services = (0..10)
                .map(|at| format!("{:-<100}", number * 10 + at))
                .collect();
            Review {
                mentions: Mentions::new(Vec::new(), services, Vec::new()),
                ..review_with_text(number, "The price was fair, and he was on time.")
            }
        })
        .collect();
    let tool_app = ToolApp::of(TestApp::with(&reviews).await);
    let answer = tool_app
        .call("get_evidence", json!({"aspect": "price", "limit": 40}))
        .await;
    assert!(
        answer["count"].as_u64().unwrap() > 20,
        "{}",
        answer["count"]
    );
    assert!(escaped_json(&answer).len() <= RESULT_BYTES_MAX);
    assert_eq!(answer["by_service"].as_array().unwrap().len(), 50);
    assert_eq!(
        answer["left_out"],
        json!([{"list": "by_service", "values": 350}])
    );
}

#[tokio::test]
async fn hidden_characters_count_with_the_escaped_length() {
    let hidden = |number| review_with_text(number, "\u{e0041}".repeat(1_000));
    let reviews: Vec<Review> = (0..12).map(hidden).collect();
    let tool_app = ToolApp::of(TestApp::with(&reviews).await);
    let (ids, largest) = walk(&tool_app, "search_reviews", &json!({})).await;
    assert_eq!(ids.len(), 12);
    assert!((12_000..=RESULT_BYTES_MAX).contains(&largest), "{largest}");
}

#[tokio::test]
async fn long_lists_have_the_most_frequent_names_and_a_count() {
    let area = |number: usize| {
        let mut review = review_with_text(number, "x");
        let areas = [0, number].map(|area| format!("Area {area:03}")).into();
        review.mentions = Mentions::new(Vec::new(), Vec::new(), areas);
        review
    };
    let tool_app = ToolApp::of(TestApp::uncoded(&(0..300).map(area).collect::<Vec<_>>()).await);
    let facets = tool_app.call("list_facets", json!({})).await;
    let shown = facets["service_areas"].as_array().unwrap();
    assert_eq!((shown.len(), &shown[0]["reviews"]), (100, &json!(300)));
    assert_eq!(
        facets["left_out"],
        json!([{"list": "service_areas", "values": 200}])
    );
}
