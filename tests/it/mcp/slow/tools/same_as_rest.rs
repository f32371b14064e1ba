//! REST and MCP give the same answer to the same request: the same body or the same issues.

use super::*;
use crate::support::{Answer, array_of, str_of};

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

/// Calls of other tools on the sample, and the targets of their REST twins; the last ones of each are refused.
const CALLS: &str = r#"
    get_business → /business.json → {}
    list_facets → /facets.json → {}
    get_review → /api/reviews/{id} → {"id": "r-1150"}
    get_review → /api/reviews/{id} → {"id": "https://reviews.sample.test/reviews/r-1150"}
    get_reviews_since → /api/reviews/since/{date} → {"date": "2026-10-15"}
    compare_periods → /api/compare → {"first_since": "2024-01-01", "first_until": "2024-12-31", "second_since": "2025-01-01", "second_until": "2025-12-31"}
    get_insights → /insights.json → {"service": "ac-repair"}
    get_insights → /insights.json → {"service": "AC Repair"}
    get_insights → /insights.json → {"area": "mesa"}
    get_insights → /insights.json → {"service": "Nothing Known"}
    get_insights → /insights.json → {"part": "everything"}
    get_insights → /insights.json → {"area": "mesa", "part": "faq", "service": ""}
    get_aspect_sentiment → EVIDENCE → {"aspect": "punctuality", "limit": 3}
    get_aspect_sentiment → EVIDENCE → {"aspect": "price", "polarity": "positive"}
    get_aspect_sentiment → EVIDENCE → {"aspect": "professionalism", "technician": "Mike Alvarez", "since": "2026-01-01"}
    get_aspect_sentiment → EVIDENCE → {"aspect": "cleanliness", "service": "ac-repair", "until": "2026-06-30"}
    get_aspect_sentiment → EVIDENCE → {"aspect": "price", "technician": "t-03", "limit": 3}
    get_aspect_sentiment → EVIDENCE → {"aspect": "price", "limit": 0, "polarity": "good", "until": "2026-02-30"}
    get_aspect_sentiment → EVIDENCE → {"aspect": "parking"}
"#;

/// The target of a call's REST twin: its arguments are parts of the path, or the query.
fn target_of(pattern: &str, arguments: &Object) -> String {
    let (mut path, mut query) = (pattern.to_owned(), arguments.clone());
    query.retain(|name, value| {
        let place = format!("{{{name}}}");
        let is_in_query = !path.contains(&place);
        // A permalink ends with the ID.
        let last = value.as_str().and_then(|text| text.rsplit('/').next());
        path = path.replace(&place, last.unwrap_or_default());
        is_in_query
    });
    format!("{path}?{}", query_of(&query))
}

/// The agent gets the issues that REST lists.
fn check_refusal(refusal: &CallError, rest: &Answer, target: &str) {
    let CallError::Arguments(refusal) = refusal else {
        panic!("{target}");
    };
    if rest.status == 404 {
        return;
    }
    let line = |issue: &Value| {
        let (parameter, message) = (str_of(&issue["path"][0]), str_of(&issue["message"]));
        let received = escaped_json(&issue["received"]);
        format!("- {parameter}: {message}; received {received}")
    };
    let issues = rest.json()["issues"].take();
    let mut expected: Vec<String> = array_of(&issues).iter().map(line).collect();
    let mut refusal: Vec<&str> = refusal.lines().skip(1).collect();
    expected.sort_unstable();
    refusal.sort_unstable();
    assert_eq!(refusal, expected, "{target}");
}

/// A page that ended early has the first reviews of the complete one.
fn check_shortened(answer: &Value, rest: &Value, target: &str) {
    let bytes = rest.to_string().len();
    assert!(bytes > RESULT_BYTES_MAX * 9 / 10, "{target}: {rest}");
    let (some, all) = (array_of(&answer["reviews"]), array_of(&rest["reviews"]));
    assert_eq!(some[..], all[..some.len()], "{target}");
    for member in ["matched", "limit"] {
        assert_eq!(answer[member], rest[member], "{target}");
    }
}

/// Compares the answers to a call and to its REST twin, and then the second pages.
async fn check_same(tools: &Tools<'_>, tool: &str, pattern: &str, arguments: &str) {
    let mut arguments = object(arguments.parse().unwrap());
    loop {
        let target = target_of(pattern, &arguments);
        let rest = tools.app.get(&target).await;
        let answer = match tools.ask(tool, &arguments).await {
            Ok(answer) => answer,
            Err(refusal) => return check_refusal(&refusal, &rest, &target),
        };
        let rest = rest.json();
        if answer["returned"] == rest["returned"] {
            assert_eq!(answer, rest, "{target}");
        } else {
            check_shortened(&answer, &rest, &target);
        }
        match answer.get("next_cursor") {
            Some(next) if !arguments.contains_key("cursor") => {
                arguments.insert("cursor".to_owned(), next.clone());
            }
            _ => return,
        }
    }
}

#[tokio::test]
async fn rest_and_mcp_agree_on_every_filter_and_error() {
    let app = TestApp::uncoded(&opinionated(71, 900)).await;
    let tools = Tools::of(&app);
    let mut list = TOOL_LIST.iter();
    let search = list.find(|tool| tool["name"] == "search_reviews").unwrap();
    for (name, _) in members(&search["inputSchema"]["properties"]) {
        assert!(SEARCHES.contains(&format!("\"{name}\": ")), "{name}");
    }
    for [arguments] in table(SEARCHES) {
        let arguments = arguments.replace("LONG", &"é".repeat(1_001));
        check_same(&tools, "search_reviews", "/api/reviews/search", &arguments).await;
    }
}

#[test]
fn the_other_tools_return_the_rest_bodies_and_errors() {
    with_sample(async |app| {
        let tools = Tools::of(app);
        let evidence = "/insights/aspects/{aspect}/evidence.json";
        for [tool, pattern, arguments] in table(CALLS) {
            let pattern = pattern.replace("EVIDENCE", evidence);
            check_same(&tools, tool, &pattern, arguments).await;
        }
        for part in INSIGHTS_PARTS.split(' ') {
            let arguments = json!({ "part": part }).to_string();
            check_same(&tools, "get_insights", "/insights.json", &arguments).await;
        }
        // The business has the figures of the dataset, and the policy.
        let dataset = tools.get("/reviews.json").await;
        let mut business = tools.get("/business.json").await;
        for member in ["aggregate_rating", "withheld", "updated_at"] {
            assert_eq!(business[member], dataset[member], "{member}");
        }
        let members = business["business"].as_object_mut().unwrap();
        let policy = members.remove("review_policy").unwrap();
        assert!(policy["contact"].is_string());
        assert_eq!(business["business"], dataset["business"]);
    });
}
