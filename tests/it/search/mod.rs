//! Search: results, order, pages, and errors of invalid requests.

mod hints;
mod naive;
mod opinions;
mod pages;
mod parameters;
mod slow;
mod words;

use reviews_service::model::{Rating, Review, Sort, Vote};
use reviews_service::search::{MATCHED_MAX, SearchParameters, TextMatch};
use serde_json::{Value, json};

use self::naive::{Known, expected, fragment, known, target};
use crate::support::{Generator, TestApp, array_of, review_with_text, rounds, str_of};

const SEARCH: &str = "/api/reviews/search";
/// The number of sets of filters.
const FILTERS: usize = 1 << 7;

/// Checks the count of an answer: exact, or at least the bound.
fn assert_page(json: &Value, real: usize, question: &str) {
    let relation = str_of(&json["matched_relation"]);
    assert!(["eq", "gte"].contains(&relation), "{question}: {json}");
    let (total, real) = (json["matched"].as_u64().unwrap(), real as u64);
    let is_right = match relation {
        "eq" => total == real,
        _ => total == MATCHED_MAX && real > MATCHED_MAX,
    };
    assert!(is_right, "{question}: {total} of {real}");
    let count = array_of(&json["reviews"]).len();
    assert_eq!(json["returned"], count, "{question}");
}

/// Every set of filters, and in every other round additional ones.
fn numbered(generator: &mut Generator, number: usize, reviews: &[Review]) -> SearchParameters {
    let mut question = naive::random(generator, number % FILTERS, reviews);
    if !(number / FILTERS).is_multiple_of(2) {
        question = naive::with_more_filters(question, generator);
        if question.query.is_some() && question.text_match == TextMatch::Words {
            question.query = Some(words::question(generator, reviews));
        }
    }
    question
}

#[tokio::test]
async fn every_query_finds_the_same_as_a_naive_scan() {
    let mut reviews = Generator::new(11).reviews(1_200);
    reviews
        .iter_mut()
        .step_by(3)
        .for_each(|review| review.source.name = "Facebook".to_owned());
    opinions::give(&mut reviews);
    naive::decorate(&mut reviews);
    let app = TestApp::uncoded(&reviews).await;
    let known = opinions::known(&app, &reviews);
    let mut generator = Generator::new(12);
    let (mut hits, mut pages) = (0, 0);
    let questions = rounds(2) * FILTERS;
    for number in 0..questions {
        let question = numbered(&mut generator, number, &reviews);
        let expected = expected(&question, &known);
        hits += usize::from(!expected.is_empty());
        let (mut cursor, mut found): (Option<String>, Vec<String>) = (None, Vec::new());
        loop {
            let limit = 1 + generator.below(100);
            let written = limit.to_string();
            let mut more = vec![("limit", written.as_str())];
            more.extend(cursor.as_deref().map(|cursor| ("cursor", cursor)));
            let target = target(&question, &more);
            let answer = app.get(&target).await;
            assert_eq!(answer.status, 200, "{target}");
            let json = answer.json();
            assert_page(&json, expected.len(), &target);
            assert_eq!(json["limit"], limit, "{target}");
            found.extend(answer.ids());
            pages += 1;
            cursor = json["next_cursor"].as_str().map(str::to_owned);
            assert_eq!(cursor.is_some(), found.len() < expected.len(), "{target}");
            if cursor.is_none() || generator.once_in(4) {
                break;
            }
        }
        assert_eq!(found, expected[..found.len()], "{question:?}");
    }
    assert!(
        hits > questions / 6 && pages > questions * 9 / 8,
        "the premise: {hits} hits, {pages} pages"
    );
}

/// A service with a review of each text.
async fn with_texts(texts: &[&str]) -> TestApp {
    let reviews: Vec<Review> = (texts.iter().enumerate())
        .map(|(number, text)| review_with_text(number, *text))
        .collect();
    TestApp::uncoded(&reviews).await
}

/// Checks a 400 with exactly these issues, in the order of their names and codes; returns them in that order.
async fn assert_issues(app: &TestApp, query: &str, expected: &str) -> Vec<Value> {
    let answer = app.get(&format!("{SEARCH}?{query}")).await;
    assert_eq!(answer.status, 400, "{query}: {}", answer.text());
    let mut issues = array_of(&answer.json()["issues"]).clone();
    let code = |issue: &Value| format!("{} {}", str_of(&issue["path"][0]), str_of(&issue["code"]));
    issues.sort_by_key(code);
    let found: Vec<String> = issues.iter().map(code).collect();
    assert_eq!(found.join(", "), expected, "{query}");
    for issue in &issues {
        assert_eq!(array_of(&issue["path"]).len(), 1, "{query}");
        let message = str_of(&issue["message"]);
        assert!(message.starts_with("must be"), "{query}: {issue}");
        assert!(issue["received"].is_string(), "{query}: {issue}");
    }
    issues
}
