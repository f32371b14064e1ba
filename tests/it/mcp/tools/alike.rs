//! REST and MCP give the same answer to the same request: the same body or the same issues.

use super::*;
use crate::support::{SERVICES, TECHNICIANS, array_of, form, str_of};

/// Reviews, some of which mention aspects.
fn opinionated(seed: u64, count: usize) -> Vec<Review> {
    let mut reviews = Generator::new(seed).reviews(count);
    for review in reviews.iter_mut().step_by(3) {
        review.text = String::from("Mike Alvarez was right on time. The price was way too high.");
        review.language = None;
    }
    reviews
}

/// A value of a parameter in a query string; about half are valid.
fn value(generator: &mut Generator, name: &str) -> String {
    let owned = |text: &str| text.to_owned();
    match name {
        "rating" => owned(generator.pick(&[
            "1",
            "4",
            "5",
            "5",
            "005",
            "0",
            "6",
            "5.0",
            "-1",
            "five",
            "",
            "99999999999999999999",
        ])),
        "max_rating" => owned(generator.pick(&["5", "3.5", "4", "1", "0.5", "x", ""])),
        "language" => owned(generator.pick(&["es-MX", "ES-mx", "en", "", "\u{202e}"])),
        "source" => owned(generator.pick(&["Google", "google", "Yelp", ""])),
        "has_text" | "has_response" => {
            owned(generator.pick(&["true", "true", "false", "TRUE", "1", ""]))
        }
        "min_rating" => owned(generator.pick(&[
            "1", "2.5", "4", "4.999", "005.0", "0.99", "5.01", "1e0", ".5", "", "NaN",
        ])),
        "since" | "until" => match generator.below(4) {
            0 => owned(generator.pick(&[
                "",
                "2024-02-30",
                "2024-2-1",
                "today",
                "0000-01-01",
                "2024-02-01T00:00:00Z",
            ])),
            _ => generator.day().to_string(),
        },
        "query" => match generator.below(6) {
            0 => "é".repeat(1_001),
            1 => owned(generator.pick(&["", "%", "\"", "\u{202e}", "zebra", "\n", "ß"])),
            _ => owned(generator.pick(&["the", "leak", "WATER", "e", "東京", "🙂", "was"])),
        },
        "mentions_technician" => match generator.below(4) {
            0 => owned(generator.pick(&["", "Nobody Known", "Mike"])),
            _ => generator.pick(&TECHNICIANS).to_uppercase(),
        },
        "mentions_service" => match generator.below(4) {
            0 => owned(generator.pick(&["", "AC-REPAIR", "none"])),
            _ => owned(generator.pick(&SERVICES)),
        },
        "aspect" => owned(generator.pick(&["punctuality", "price", "weather", ""])),
        "polarity" => owned(generator.pick(&["positive", "negative", "mixed", "good", ""])),
        "match" => owned(generator.pick(&["substring", "words", "word", ""])),
        "sort" => owned(generator.pick(&["newest", "oldest", "highest", "lowest", "best", ""])),
        "limit" => {
            owned(generator.pick(&["1", "7", "20", "100", "050", "0", "101", "", "20.0", "x"]))
        }
        "cursor" => owned(generator.pick(&["", "x", "AAAA"])),
        other => panic!("this test lacks the new parameter {other}"),
    }
}

/// The value as an argument: usually a number if possible, as models send them.
fn argument(generator: &mut Generator, name: &str, value: &str) -> Value {
    if name.starts_with("has_") && !generator.once_in(3) && ["true", "false"].contains(&value) {
        return json!(value == "true");
    }
    let is_numeric = ["rating", "min_rating", "max_rating", "limit"].contains(&name);
    // JSON has no 005, and reads 5.0 and 1e0 as 5 and 1.
    let number = serde_json::from_str::<serde_json::Number>(value).ok();
    let number = number
        .map(|number| number.to_string())
        .filter(|written| written == value && !value.ends_with(".0"));
    match number {
        Some(number) if is_numeric && !generator.once_in(3) => {
            serde_json::from_str(&number).unwrap()
        }
        _ => json!(value),
    }
}

/// The query string of the non-empty values.
fn query_without_empty(given: &[(String, String)]) -> String {
    form(given.iter().filter(|(_, value)| !value.is_empty()))
}

/// The text of each issue, as in a refused call.
fn lines(issues: &Value) -> Vec<String> {
    let line = |issue: &Value| {
        format!(
            "- {}: {}; received {}",
            str_of(&issue["path"][0]),
            str_of(&issue["message"]),
            escaped_json(&issue["received"])
        )
    };
    issues.as_array().unwrap().iter().map(line).collect()
}

/// The agent gets the issues that REST lists.
fn check_refusal(refusal: &str, rest: &Value, query: &str) {
    let expected = lines(&rest["issues"]);
    let refusal: Vec<&str> = refusal.lines().skip(1).collect();
    assert_eq!(refusal.len(), expected.len(), "{query}: {refusal:?}");
    for line in &expected {
        assert!(
            refusal.contains(&line.as_str()),
            "{query}: {line} is not among {refusal:?}"
        );
    }
}

/// A page that ended early has the first reviews of the complete one.
fn check_shortened(answer: &Value, rest: &Value, query: &str) {
    assert!(
        rest.to_string().len() > RESULT_BYTES_MAX * 9 / 10,
        "{query}: {rest}"
    );
    let (some, all) = (array_of(&answer["reviews"]), array_of(&rest["reviews"]));
    assert_eq!(some[..], all[..some.len()], "{query}");
    assert_eq!(
        (&answer["total"], &answer["limit"]),
        (&rest["total"], &rest["limit"]),
        "{query}"
    );
}

/// The names of a tool's parameters.
fn parameter_names(name: &str) -> Vec<String> {
    let properties = &listed(name)["inputSchema"]["properties"];
    properties.as_object().unwrap().keys().cloned().collect()
}

/// Some of these parameters with any values; rarely a cursor.
fn any_parameters(generator: &mut Generator, names: &[String]) -> Vec<(String, String)> {
    let mut given = Vec::new();
    let density = 2 + generator.below(6);
    for name in names {
        if generator.once_in(density) && (name != "cursor" || generator.once_in(4)) {
            given.push((name.clone(), value(generator, name)));
        }
    }
    given
}

#[tokio::test]
async fn rest_and_mcp_agree_on_any_filters_and_errors() {
    let tool_app = ToolApp::of(TestApp::uncoded(&opinionated(71, 900)).await);
    let names = parameter_names("search_reviews");
    let mut generator = Generator::new(72);
    let (mut found, mut refused, mut paged) = (0, 0, 0);
    for _ in 0..500 {
        let given = any_parameters(&mut generator, &names);
        let arguments: Object = given
            .iter()
            .map(|(name, value)| (name.clone(), argument(&mut generator, name, value)))
            .collect();
        // Strict clients send every argument, so empty ones, also numbers, count as absent.
        let query = query_without_empty(&given);
        let rest = tool_app.get(&format!("/api/reviews/search?{query}")).await;
        match tool_app.ask("search_reviews", &arguments).await {
            Ok(answer) if answer["count"] == rest["count"] => {
                assert_eq!(answer, rest, "{query}");
                found += usize::from(answer["count"] != 0);
                // The same on the next page; both refuse a cursor of other filters.
                let Some(next) = rest["next_cursor"]
                    .as_str()
                    .filter(|_| !query.contains("cursor="))
                else {
                    continue;
                };
                let mut arguments = arguments.clone();
                arguments.insert("cursor".to_owned(), json!(next));
                let rest = tool_app
                    .get(&format!("/api/reviews/search?{query}&cursor={next}"))
                    .await;
                let answer = tool_app.ask("search_reviews", &arguments).await;
                if rest["count"]
                    == answer
                        .as_ref()
                        .map_or(Value::Null, |answer| answer["count"].clone())
                {
                    assert_eq!(answer, Ok(rest), "{query}");
                    paged += 1;
                }
            }
            // The page ended early, because all of it would be too large.
            Ok(answer) => {
                check_shortened(&answer, &rest, &query);
            }
            Err(CallError::Arguments(refusal)) => {
                check_refusal(&refusal, &rest, &query);
                refused += 1;
            }
            Err(CallError::Unknown) => panic!("{query}"),
        }
    }
    assert!(
        found > 80 && refused > 120 && paged > 24,
        "{found} found, {refused} refused, {paged} paged"
    );
}

#[tokio::test]
async fn the_other_tools_return_the_rest_bodies() {
    let tool_app = ToolApp::seeded().await;
    let dataset = tool_app.get("/reviews.json").await;
    let business = tool_app.call("get_business", json!({})).await;
    for member in ["aggregate_rating", "withheld", "updated_at"] {
        assert_eq!(business[member], dataset[member], "{member}");
    }
    assert_eq!(business, tool_app.get("/business.json").await);
    let mut without_policy = business["business"].clone();
    let policy = without_policy
        .as_object_mut()
        .unwrap()
        .remove("review_policy");
    assert!(policy.is_some_and(|policy| policy["contact"].is_string()));
    assert_eq!(without_policy, dataset["business"]);
    let facets = tool_app.call("list_facets", json!({})).await;
    assert!(
        facets["technicians"]
            .as_array()
            .is_some_and(|list| list.len() > 3),
        "{facets}"
    );
    assert_eq!(facets, tool_app.get("/facets.json").await);
    let review = tool_app.get("/api/reviews/r-1150").await;
    for id in [&json!("r-1150"), &review["url"]] {
        assert_eq!(
            tool_app.call("get_review", json!({"id": id})).await,
            review,
            "{id}"
        );
    }
    let since = tool_app.get("/api/reviews/since/2026-10-15").await;
    assert!(since["count"].as_u64().unwrap() > 3);
    assert_eq!(
        tool_app
            .call("get_reviews_since", json!({"date": "2026-10-15"}))
            .await,
        since
    );
}

#[tokio::test]
async fn rest_and_mcp_agree_on_any_two_periods_and_errors() {
    let tool_app = ToolApp::of(TestApp::uncoded(&Generator::new(75).reviews(300)).await);
    let names = ["first_since", "first_until", "second_since", "second_until"];
    let mut generator = Generator::new(76);
    let (mut compared, mut refused) = (0, 0);
    for _ in 0..300 {
        let mut given: Vec<(String, String)> = Vec::new();
        for name in names {
            if !generator.once_in(30) {
                let value = if generator.once_in(16) {
                    "2024-02-30".to_owned()
                } else {
                    generator.day().to_string()
                };
                given.push((name.to_owned(), value));
            }
        }
        if generator.once_in(8) {
            let aspect = generator.pick(&["punctuality", "price", "weather", ""]);
            given.push(("aspect".to_owned(), aspect.to_owned()));
        }
        let query = form(&given);
        let arguments: Object = given
            .into_iter()
            .map(|(name, value)| (name, json!(value)))
            .collect();
        let rest = tool_app.get(&format!("/api/compare?{query}")).await;
        match tool_app.ask("compare_periods", &arguments).await {
            Ok(answer) => {
                assert_eq!(answer, rest, "{query}");
                compared += 1;
            }
            Err(CallError::Arguments(refusal)) => {
                let issues = array_of(&rest["issues"]);
                assert_eq!(
                    refusal.lines().count(),
                    issues.len() + 1,
                    "{query}: {refusal} {rest}"
                );
                for (line, issue) in refusal.lines().skip(1).zip(issues) {
                    assert!(
                        line.starts_with(&format!("- {}: ", str_of(&issue["path"][0]))),
                        "{query}: {line}"
                    );
                    let is_missing = issue["received"] == "";
                    assert!(
                        is_missing || line.contains(str_of(&issue["message"])),
                        "{query}: {line}"
                    );
                }
                refused += 1;
            }
            Err(CallError::Unknown) => panic!("{query}"),
        }
    }
    assert!(
        compared > 40 && refused > 100,
        "{compared} compared, {refused} refused"
    );
}
