//! REST and MCP give the same answer to the same request: the same body or the same issues.

use super::*;
use crate::support::{array_of, str_of};

/// Reviews, some of which mention aspects.
fn opinionated(seed: u64, count: usize) -> Vec<Review> {
    let mut reviews = Generator::new(seed).reviews(count);
    for review in reviews.iter_mut().step_by(3) {
        review.text = String::from("Mike Alvarez was right on time. The price was way too high.");
        review.language = None;
    }
    reviews
}

/// Searches, together with every parameter, as agents send them; the last ones are refused.
const SEARCHES: &str = r#"
    {"rating": 5, "limit": 7}
    {"min_rating": 2.5, "max_rating": 4, "sort": "lowest"}
    {"language": "ES-mx", "source": "google", "has_text": true}
    {"has_reply": false, "verified": true, "since": "2024-06-01", "until": "2026-06-01"}
    {"query": "LEAK", "match": "words"}
    {"query": "東京"}
    {"query": "e", "limit": 100}
    {"query": "%", "rating": "005"}
    {"mentions_technician": "MIKE ALVAREZ", "mentions_area": "mesa"}
    {"mentions_technician": "Mike"}
    {"mentions_service": "ac-repair", "sort": "oldest"}
    {"mentions_service": "none", "source": "Yelp"}
    {"aspect": "punctuality", "polarity": "positive", "sort": "highest"}
    {"rating": 0, "min_rating": 0.99, "max_rating": "x", "has_text": "TRUE", "has_reply": "1", "verified": "yes", "limit": 101}
    {"since": "2024-02-30", "until": "today", "cursor": "AAAA", "aspect": "weather", "match": "word", "sort": "best"}
    {"polarity": "negative", "rating": "5.0", "query": "LONG"}
"#;

/// The agent gets the issues that REST lists.
fn check_refusal(refusal: &str, rest: &Value, query: &str) {
    let line = |issue: &Value| {
        let (parameter, message) = (str_of(&issue["path"][0]), str_of(&issue["message"]));
        let received = escaped_json(&issue["received"]);
        format!("- {parameter}: {message}; received {received}")
    };
    let mut expected: Vec<String> = array_of(&rest["issues"]).iter().map(line).collect();
    let mut refusal: Vec<&str> = refusal.lines().skip(1).collect();
    expected.sort_unstable();
    refusal.sort_unstable();
    assert_eq!(refusal, expected, "{query}");
}

/// A page that ended early has the first reviews of the complete one.
fn check_shortened(answer: &Value, rest: &Value, query: &str) {
    let bytes = rest.to_string().len();
    assert!(bytes > RESULT_BYTES_MAX * 9 / 10, "{query}: {rest}");
    let (some, all) = (array_of(&answer["reviews"]), array_of(&rest["reviews"]));
    assert_eq!(some[..], all[..some.len()], "{query}");
    for member in ["matched", "limit"] {
        assert_eq!(answer[member], rest[member], "{query}");
    }
}

#[tokio::test]
async fn rest_and_mcp_agree_on_every_filter_and_error() {
    let tools = Tools::of(TestApp::uncoded(&opinionated(71, 900)).await);
    let properties = &listed("search_reviews")["inputSchema"]["properties"];
    for (name, _) in members(properties) {
        assert!(SEARCHES.contains(&format!("\"{name}\": ")), "{name}");
    }
    for [arguments] in table(SEARCHES) {
        let arguments = arguments.replace("LONG", &"é".repeat(1_001));
        let mut arguments = object(arguments.parse().unwrap());
        // The first page, and then the second.
        loop {
            let query = query_of(&arguments);
            let rest = tools.get(&format!("/api/reviews/search?{query}")).await;
            let answer = match tools.ask("search_reviews", &arguments).await {
                Ok(answer) => answer,
                Err(CallError::Arguments(refusal)) => {
                    check_refusal(&refusal, &rest, &query);
                    break;
                }
                Err(CallError::Unknown) => panic!("{query}"),
            };
            if answer["returned"] == rest["returned"] {
                assert_eq!(answer, rest, "{query}");
            } else {
                check_shortened(&answer, &rest, &query);
            }
            match answer.get("next_cursor") {
                Some(next) if !arguments.contains_key("cursor") => {
                    arguments.insert("cursor".to_owned(), next.clone());
                }
                _ => break,
            }
        }
    }
}

#[tokio::test]
async fn the_other_tools_return_the_rest_bodies() {
    let tools = Tools::seeded().await;
    let dataset = tools.get("/reviews.json").await;
    let review = tools.get("/api/reviews/r-1150").await;
    for (tool, arguments, target) in [
        ("get_business", json!({}), "/business.json"),
        ("list_facets", json!({}), "/facets.json"),
        ("get_review", json!({"id": "r-1150"}), "/api/reviews/r-1150"),
        (
            "get_review",
            json!({"id": review["url"]}),
            "/api/reviews/r-1150",
        ),
        (
            "get_reviews_since",
            json!({"date": "2026-10-15"}),
            "/api/reviews/since/2026-10-15",
        ),
        (
            "compare_periods",
            json!({"first_since": "2024-01-01", "first_until": "2024-12-31", "second_since": "2025-01-01",
                "second_until": "2025-12-31"}),
            "/api/compare?first_since=2024-01-01&first_until=2024-12-31&second_since=2025-01-01&second_until=2025-12-31",
        ),
    ] {
        let answer = tools.call(tool, arguments).await;
        assert_eq!(answer, tools.get(target).await, "{target}");
        let lists = ["technicians", "reviews"].map(|list| answer[list].as_array());
        let lists = lists.into_iter().flatten();
        assert!(lists.into_iter().all(|list| list.len() > 3), "{answer}");
    }
    let mut business = tools.get("/business.json").await;
    for member in ["aggregate_rating", "withheld", "updated_at"] {
        assert_eq!(business[member], dataset[member], "{member}");
    }
    let members = business["business"].as_object_mut().unwrap();
    let policy = members.remove("review_policy").unwrap();
    assert!(policy["contact"].is_string());
    assert_eq!(business["business"], dataset["business"]);
}
