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

/// Values of each parameter of a search; about half are valid.
const VALUES: &str = "
    rating → 1|4|5|5|005|0|6|5.0|-1|five||99999999999999999999
    max_rating → 5|3.5|4|1|0.5|x|
    min_rating → 1|2.5|4|4.999|005.0|0.99|5.01|1e0|.5||NaN
    language → es-MX|ES-mx|en||\u{202e}
    source → Google|google|Yelp|
    has_text → true|true|false|TRUE|1|
    has_reply → true|true|false|TRUE|1|
    since → DAY|DAY|DAY|DAY|DAY||2024-02-30|2024-2-1|today|0000-01-01|2024-02-01T00:00:00Z
    until → DAY|DAY|DAY|DAY|DAY||2024-02-30|2024-2-1|today|0000-01-01|2024-02-01T00:00:00Z
    query → the|leak|WATER|e|東京|🙂|was|the|leak|e|LONG|LONG||%|\"|\u{202e}|zebra|ß
    mentions_technician → TECHNICIAN|TECHNICIAN|TECHNICIAN|TECHNICIAN||Nobody Known|Mike
    mentions_area → Gilbert|GILBERT|Mesa||Nowhere
    verified → true|true|false|TRUE|1|
    mentions_service → SERVICE|SERVICE|SERVICE|SERVICE||AC-REPAIR|none
    aspect → punctuality|price|weather|
    polarity → positive|negative|mixed|good|
    match → substring|words|word|
    sort → newest|oldest|highest|lowest|best|
    limit → 1|7|20|100|050|0|101||20.0|x
    cursor → |x|AAAA
";

/// A value of a parameter in a query string.
fn value(generator: &mut Generator, name: &str) -> String {
    let mut rows = table(VALUES).into_iter();
    let [_, values] = rows
        .find(|[parameter, _]| *parameter == name)
        .unwrap_or_else(|| panic!("this test lacks the new parameter {name}"));
    match generator.word(values) {
        "DAY" => generator.day().to_string(),
        "LONG" => "é".repeat(1_001),
        "TECHNICIAN" => generator.pick(&TECHNICIANS).to_uppercase(),
        "SERVICE" => generator.pick(&SERVICES).to_owned(),
        value => value.to_owned(),
    }
}

/// The value as an argument: usually a number if possible, as models send them.
fn argument(generator: &mut Generator, name: &str, value: &str) -> Value {
    if generator.once_in(3) {
        return json!(value);
    }
    if (name.starts_with("has_") || name == "verified") && ["true", "false"].contains(&value) {
        return json!(value == "true");
    }
    let is_numeric = ["rating", "min_rating", "max_rating", "limit"].contains(&name);
    // JSON has no 005, and reads 5.0 and 1e0 as 5 and 1.
    let number = value.parse::<Value>().unwrap_or_default();
    let written = number.to_string();
    if is_numeric && number.is_number() && written == value && !value.ends_with(".0") {
        return number;
    }
    json!(value)
}

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

/// Some of these parameters with any values; rarely a cursor.
fn any_parameters(generator: &mut Generator, names: &[&str]) -> Vec<(String, String)> {
    let mut given = Vec::new();
    let density = 2 + generator.below(6);
    for name in names {
        if generator.once_in(density) && (*name != "cursor" || generator.once_in(4)) {
            given.push(((*name).to_owned(), value(generator, name)));
        }
    }
    given
}

#[tokio::test]
async fn rest_and_mcp_agree_on_any_filters_and_errors() {
    let tools = Tools::of(TestApp::uncoded(&opinionated(71, 900)).await);
    let properties = &listed("search_reviews")["inputSchema"]["properties"];
    let names: Vec<&str> = members(properties).map(|(name, _)| name).collect();
    let mut generator = Generator::new(72);
    let (mut found, mut refused, mut paged) = (0, 0, 0);
    for _ in 0..500 {
        let given = any_parameters(&mut generator, &names);
        let mut arguments: Object = given
            .iter()
            .map(|(name, value)| (name.clone(), argument(&mut generator, name, value)))
            .collect();
        // Strict clients send every argument, so empty ones, also numbers, count as absent.
        let query = form(given.iter().filter(|(_, value)| !value.is_empty()));
        let target = format!("/api/reviews/search?{query}");
        let rest = tools.get(&target).await;
        match tools.ask("search_reviews", &arguments).await {
            Ok(answer) if answer["returned"] == rest["returned"] => {
                assert_eq!(answer, rest, "{query}");
                found += usize::from(answer["returned"] != 0);
                // The same on the next page; both refuse a cursor of other filters.
                if let Some(next) = rest["next_cursor"].as_str()
                    && !query.contains("cursor=")
                {
                    arguments.insert("cursor".to_owned(), json!(next));
                    let rest = tools.get(&format!("{target}&cursor={next}")).await;
                    let answer = tools.ask("search_reviews", &arguments).await.unwrap();
                    if rest["returned"] == answer["returned"] {
                        assert_eq!(answer, rest, "{query}");
                        paged += 1;
                    }
                }
            }
            // The page ended early, because all of it would be too large.
            Ok(answer) => check_shortened(&answer, &rest, &query),
            Err(CallError::Arguments(refusal)) => {
                check_refusal(&refusal, &rest, &query);
                refused += 1;
            }
            Err(CallError::Unknown) => panic!("{query}"),
        }
    }
    let counts = format!("{found} found, {refused} refused, {paged} paged");
    assert!(found > 80 && refused > 120 && paged > 24, "{counts}");
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
