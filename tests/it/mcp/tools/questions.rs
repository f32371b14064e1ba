//! Questions that owners and customers ask, answered by one call each: the figure is the one that a query of the file gives, the
//! message is small, and what it quotes has a permalink that answers.

use super::*;
use crate::support::{BASE, sqlite3};

/// Maximum size of an answer in bytes.
const ANSWER_BYTES_MAX: usize = 12_000;

/// The question, the tool with its arguments, where the answer has the figure, and the query of the file. `$P` is the condition of
/// published reviews; `$MENTIONS` has a row for each review and each name that it mentions.
const QUESTIONS: [(&str, &str, &str, &str, &str); 50] = [
    (
        "How many reviews are there?",
        "get_business",
        "{}",
        "/aggregate_rating/review_count",
        "select count(*) from review where $P",
    ),
    (
        "What is the average rating?",
        "get_business",
        "{}",
        "/aggregate_rating/rating_value",
        "select printf('%g', round(avg(rating), 2)) from review where $P",
    ),
    (
        "How many customers gave five stars?",
        "get_business",
        "{}",
        "/aggregate_rating/distribution/5",
        "select count(*) from review where $P and rating = 5",
    ),
    (
        "How many one-star reviews are there?",
        "search_reviews",
        r#"{"rating": 1, "limit": 3}"#,
        "/total",
        "select count(*) from review where $P and rating = 1",
    ),
    (
        "How many reviews are withheld?",
        "get_business",
        "{}",
        "/withheld/count",
        "select count(*) from review where status = 'withheld'",
    ),
    (
        "How many are withheld because the writer was not a customer?",
        "get_business",
        "{}",
        "/withheld/reasons/not a customer",
        "select count(*) from review where withheld_reason = 'not a customer'",
    ),
    (
        "What is your phone number?",
        "get_business",
        "{}",
        "/business/telephone",
        "select telephone from business",
    ),
    (
        "In which town is the business?",
        "get_business",
        "{}",
        "/business/address/locality",
        "select address ->> 'locality' from business",
    ),
    (
        "Do customers get anything for a review?",
        "get_business",
        "{}",
        "/business/review_policy/incentives",
        "select review_policy ->> 'incentives' from business",
    ),
    (
        "How do I report a review?",
        "get_business",
        "{}",
        "/business/review_policy/contact",
        "select review_policy ->> 'contact' from business",
    ),
    (
        "How many reviews come from Google?",
        "search_reviews",
        r#"{"source": "Google", "limit": 3}"#,
        "/total",
        "select count(*) from review where $P and source_name = 'Google'",
    ),
    (
        "How many people wrote on Yelp?",
        "search_reviews",
        r#"{"source": "Yelp", "limit": 3}"#,
        "/total",
        "select count(*) from review where $P and source_name = 'Yelp'",
    ),
    (
        "How many bad reviews on Yelp are there?",
        "search_reviews",
        r#"{"source": "Yelp", "max_rating": 2, "limit": 5}"#,
        "/total",
        "select count(*) from review where $P and source_name = 'Yelp' and rating <= 2",
    ),
    (
        "Which site has the most reviews?",
        "list_facets",
        "{}",
        "/sources/0/name",
        "select source_name from review where $P group by 1 order by count(*) desc limit 1",
    ),
    (
        "How many reviews does that site have?",
        "list_facets",
        "{}",
        "/sources/0/reviews",
        "select count(*) from review where $P group by source_name order by 1 desc limit 1",
    ),
    (
        "When was the newest review written?",
        "search_reviews",
        r#"{"limit": 1}"#,
        "/reviews/0/date",
        "select max(reviewed_on) from review where $P",
    ),
    (
        "When was the first review written?",
        "search_reviews",
        r#"{"sort": "oldest", "limit": 1}"#,
        "/reviews/0/date",
        "select min(reviewed_on) from review where $P",
    ),
    (
        "How many reviews were written in 2025?",
        "search_reviews",
        r#"{"since": "2025-01-01", "until": "2025-12-31", "limit": 3}"#,
        "/total",
        "select count(*) from review where $P and reviewed_on like '2025-%'",
    ),
    (
        "How many since 1 September 2026?",
        "get_reviews_since",
        r#"{"date": "2026-09-01", "limit": 5}"#,
        "/total",
        "select count(*) from review where $P and reviewed_on >= '2026-09-01'",
    ),
    (
        "What was the average in 2024?",
        "compare_periods",
        r#"{"first_since": "2024-01-01", "first_until": "2024-12-31", "second_since": "2025-01-01", "second_until": "2025-12-31", "aspect": "price"}"#,
        "/first/rating_value",
        "select printf('%g', round(avg(rating), 2)) from review where $P and reviewed_on like '2024-%'",
    ),
    (
        "And in 2025?",
        "compare_periods",
        r#"{"first_since": "2024-01-01", "first_until": "2024-12-31", "second_since": "2025-01-01", "second_until": "2025-12-31", "aspect": "price"}"#,
        "/second/rating_value",
        "select printf('%g', round(avg(rating), 2)) from review where $P and reviewed_on like '2025-%'",
    ),
    (
        "How many more reviews were there in 2025 than in 2024?",
        "compare_periods",
        r#"{"first_since": "2024-01-01", "first_until": "2024-12-31", "second_since": "2025-01-01", "second_until": "2025-12-31", "aspect": "price"}"#,
        "/difference/count",
        "select sum(reviewed_on like '2025-%') - sum(reviewed_on like '2024-%') from review where $P",
    ),
    (
        "How many five-star reviews came in the first half of 2026?",
        "search_reviews",
        r#"{"rating": 5, "since": "2026-01-01", "until": "2026-06-30", "limit": 2}"#,
        "/total",
        "select count(*) from review where $P and rating = 5 and reviewed_on between '2026-01-01' and '2026-06-30'",
    ),
    (
        "How many reviews did you answer?",
        "search_reviews",
        r#"{"has_response": true, "limit": 3}"#,
        "/total",
        "select count(*) from review where $P and response_text is not null",
    ),
    (
        "How many bad reviews have no answer yet?",
        "search_reviews",
        r#"{"has_response": false, "max_rating": 2, "limit": 5}"#,
        "/total",
        "select count(*) from review where $P and response_text is null and rating <= 2",
    ),
    (
        "How many reviews are stars only?",
        "search_reviews",
        r#"{"has_text": false, "limit": 3}"#,
        "/total",
        "select count(*) from review where $P and text = ''",
    ),
    (
        "How many reviews are in Spanish?",
        "search_reviews",
        r#"{"language": "es", "limit": 3}"#,
        "/total",
        "select count(*) from review where $P and (language = 'es' or language is null and review_id in (select review_id from derived_review where language = 'es'))",
    ),
    (
        "Which technician is named most?",
        "list_facets",
        "{}",
        "/technicians/0/name",
        "select value from $MENTIONS join review using (review_id) where $P and kind = 'technician' group by 1 order by count(*) desc, value limit 1",
    ),
    (
        "How many reviews name Grant Whitaker?",
        "search_reviews",
        r#"{"mentions_technician": "Grant Whitaker", "limit": 3}"#,
        "/total",
        "select count(*) from review join $MENTIONS using (review_id) where $P and kind = 'technician' and value = 'Grant Whitaker'",
    ),
    (
        "How many reviews are about Mike Alvarez?",
        "get_insights",
        r#"{"technician": "Mike Alvarez"}"#,
        "/entity/reviews",
        "select count(*) from review join $MENTIONS using (review_id) where $P and kind = 'technician' and value = 'Mike Alvarez'",
    ),
    (
        "And about Big Mike?",
        "get_insights",
        r#"{"technician": "Big Mike"}"#,
        "/entity/reviews",
        "select count(*) from review join $MENTIONS using (review_id) where $P and kind = 'technician' and value = 'Mike Sorensen'",
    ),
    (
        "Did anybody give Tomasz Kowal fewer than four stars?",
        "search_reviews",
        r#"{"mentions_technician": "Tomasz Kowal", "max_rating": 3, "limit": 5}"#,
        "/total",
        "select count(*) from review join $MENTIONS using (review_id) where $P and kind = 'technician' and value = 'Tomasz Kowal' and rating <= 3",
    ),
    (
        "How many customers praise Priya Raman with five stars?",
        "search_reviews",
        r#"{"mentions_technician": "Priya Raman", "rating": 5, "limit": 3}"#,
        "/total",
        "select count(*) from review join $MENTIONS using (review_id) where $P and kind = 'technician' and value = 'Priya Raman' and rating = 5",
    ),
    (
        "How many reviews are about water heaters?",
        "search_reviews",
        r#"{"mentions_service": "water-heater", "limit": 3}"#,
        "/total",
        "select count(*) from review join $MENTIONS using (review_id) where $P and kind = 'service' and value = 'water-heater'",
    ),
    (
        "Do you install new AC units, and how many wrote about it?",
        "get_insights",
        r#"{"service": "AC installation"}"#,
        "/entity/reviews",
        "select count(*) from review join $MENTIONS using (review_id) where $P and kind = 'service' and value = 'ac-installation'",
    ),
    (
        "How many drain cleanings got four stars or more?",
        "search_reviews",
        r#"{"mentions_service": "drain-cleaning", "min_rating": 4, "limit": 3}"#,
        "/total",
        "select count(*) from review join $MENTIONS using (review_id) where $P and kind = 'service' and value = 'drain-cleaning' and rating >= 4",
    ),
    (
        "Which service do people mention most?",
        "list_facets",
        "{}",
        "/services/0/id",
        "select value from $MENTIONS join review using (review_id) where $P and kind = 'service' group by 1 order by count(*) desc, value limit 1",
    ),
    (
        "How many reviews mention Gilbert?",
        "get_insights",
        r#"{"area": "Gilbert"}"#,
        "/entity/reviews",
        "select count(*) from review join $MENTIONS using (review_id) where $P and kind = 'service_area' and value = 'Gilbert'",
    ),
    (
        "How many reviews speak of the price?",
        "get_insights",
        r#"{"aspect": "price"}"#,
        "/aspect/reviews",
        "select count(distinct review_id) from derived_finding where aspect = 'price'",
    ),
    (
        "How many of punctuality?",
        "get_evidence",
        r#"{"aspect": "punctuality", "hits": false, "limit": 3}"#,
        "/total",
        "select count(distinct review_id) from derived_finding where aspect = 'punctuality'",
    ),
    (
        "How many reviews this year speak of communication?",
        "get_evidence",
        r#"{"aspect": "communication", "since": "2026-01-01", "hits": false, "limit": 3}"#,
        "/total",
        "select count(distinct review_id) from derived_finding where aspect = 'communication' and review_id in (select review_id from review where reviewed_on >= '2026-01-01')",
    ),
    (
        "In how many reviews do customers judge cleanliness?",
        "list_facets",
        "{}",
        "/aspects/cleanliness/reviews",
        "select count(distinct review_id) from derived_finding where aspect = 'cleanliness'",
    ),
    (
        "How many texts could be analysed?",
        "get_insights",
        "{}",
        "/generated_from/with_text",
        "select count(*) from review where $P and text <> ''",
    ),
    (
        "How many customers mention a leak?",
        "search_reviews",
        r#"{"query": "leak", "limit": 3}"#,
        "/total",
        "select count(*) from review where $P and lower(text) like '%leak%'",
    ),
    (
        "Does anybody write about the weekend?",
        "search_reviews",
        r#"{"query": "weekend", "limit": 5}"#,
        "/total",
        "select count(*) from review where $P and lower(text) like '%weekend%'",
    ),
    (
        "How many of the reviews that mention a leak have five stars?",
        "search_reviews",
        r#"{"query": "leak", "rating": 5, "limit": 3}"#,
        "/total",
        "select count(*) from review where $P and lower(text) like '%leak%' and rating = 5",
    ),
    (
        "Did anybody complain about a refund?",
        "search_reviews",
        r#"{"query": "refund", "max_rating": 3, "limit": 5}"#,
        "/total",
        "select count(*) from review where $P and lower(text) like '%refund%' and rating <= 3",
    ),
    (
        "What does the lowest-rated newest review say?",
        "search_reviews",
        r#"{"sort": "lowest", "limit": 1}"#,
        "/reviews/0/text",
        "select text from review where $P order by rating, reviewed_on desc, review_id limit 1",
    ),
    (
        "Who wrote the newest review on your own website?",
        "search_reviews",
        r#"{"source": "Website", "limit": 1}"#,
        "/reviews/0/author",
        "select author from review where $P and source_name = 'Website' order by reviewed_on desc, review_id limit 1",
    ),
    (
        "What did you answer to the newest bad review that you answered?",
        "search_reviews",
        r#"{"max_rating": 2, "has_response": true, "limit": 1}"#,
        "/reviews/0/response/text",
        "select response_text from review where $P and rating <= 2 and response_text is not null order by reviewed_on desc, review_id limit 1",
    ),
];

const PUBLISHED: &str = "status = 'published'";
const MENTIONS: &str = "(select review_id, kind, value from mention union select review_id, kind, value from derived_mention)";

/// The value at a path; an element of a list by its number or its ID.
fn figure(answer: &Value, path: &str) -> String {
    let found = path.split('/').skip(1).fold(answer, |value, part| {
        let elements = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let by_id = elements.iter().find(|element| element["id"] == part);
        let by_number = part.parse().ok().and_then(|at: usize| elements.get(at));
        by_id.or(by_number).unwrap_or(&value[part])
    });
    found
        .as_str()
        .map_or_else(|| found.to_string(), str::to_owned)
}

/// The permalinks in an answer.
fn permalinks(answer: &Value) -> Vec<&str> {
    match answer {
        Value::Array(elements) => elements.iter().flat_map(permalinks).collect(),
        Value::Object(members) => {
            let links = members.get("url").and_then(Value::as_str).into_iter();
            let links = links.filter_map(|url| url.strip_prefix(BASE));
            let links = links.filter(|path| path.starts_with("/reviews/"));
            links.chain(members.values().flat_map(permalinks)).collect()
        }
        _ => Vec::new(),
    }
}

#[tokio::test]
async fn fifty_questions_are_answered_with_the_figures_of_the_file() {
    let tool_app = ToolApp::seeded().await;
    let (mut faults, path) = (Vec::new(), tool_app.app.path());
    for (question, tool, arguments, place, query) in QUESTIONS {
        let arguments = serde_json::from_str(arguments).unwrap();
        let (bytes, result) = tool_app.wire_result(tool, arguments).await;
        let answer = &result["structuredContent"];
        let query = query
            .replace("$P", PUBLISHED)
            .replace("$MENTIONS", MENTIONS);
        let (shown, expected) = (figure(answer, place), sqlite3(&path, &query));
        if shown != expected.trim_end_matches('\n') || expected.is_empty() {
            faults.push(format!("{question} {shown}, but the file has {expected}"));
        }
        if bytes > ANSWER_BYTES_MAX {
            faults.push(format!("{question} has an answer of {bytes} bytes"));
        }
        for permalink in permalinks(answer) {
            assert_eq!(tool_app.app.get(permalink).await.status, 200, "{permalink}");
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
