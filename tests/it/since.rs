//! `/api/reviews/since/{date}` is the beginning of the dataset, byte for byte.

use std::collections::BTreeSet;

use chrono::Duration;
use reviews_service::model::Day;
use serde_json::json;

use crate::support::{Generator, TestApp, published};

/// The bytes of an answer's array of reviews, without brackets.
fn array(body: &str) -> &str {
    let start = body.find(r#""reviews":["#).unwrap() + r#""reviews":["#.len();
    body[start..].strip_suffix("]}").unwrap()
}

#[tokio::test]
async fn since_is_the_beginning_of_the_dataset_for_every_day() {
    let reviews = Generator::new(41).reviews(400);
    let published = published(&reviews);
    let app = TestApp::uncoded(&reviews).await;
    let dataset = app.text("/reviews.json").await;
    // The days of all reviews, and those after and before: between two reviews, after all and before all.
    let around = |day: Day| {
        let before = Day::new(day.date() - Duration::days(1)).unwrap();
        [before, day, day.next()]
    };
    let days = published.iter().flat_map(|review| around(review.date));
    let mut days: BTreeSet<Day> = days.collect();
    days.extend(["0001-01-01", "9999-12-31"].map(|day| day.parse::<Day>().unwrap()));
    let mut counts = Vec::new();
    for day in days {
        let count = published.iter().filter(|review| review.date >= day).count();
        let body = app.text(&format!("/api/reviews/since/{day}")).await;
        let begin = format!(r#"{{"since":"{day}","returned":{count},"reviews":["#);
        assert!(body.starts_with(&begin), "{day}: {body:.90}");
        let part = array(&body);
        let rest = array(&dataset).strip_prefix(part);
        let rest = rest.unwrap_or_else(|| panic!("{day} is not the beginning of the dataset"));
        let is_whole = rest.is_empty() || part.is_empty() || rest.starts_with(',');
        assert!(is_whole, "{day} ends inside a review");
        assert_eq!(part.matches(r#""verification":"#).count(), count, "{day}");
        counts.push(count);
    }
    assert_eq!(counts.first(), Some(&published.len()));
    assert_eq!(counts.last(), Some(&0));
}

#[tokio::test]
async fn an_invalid_day_is_answered_400() {
    let app = TestApp::with(&Generator::new(42).reviews(5)).await;
    let answer = app.get("/api/reviews/since/2024-02-30").await;
    assert_eq!(answer.status, 400);
    let message = "must be a day written YYYY-MM-DD, such as 2024-02-29";
    let issue = json!({"path": ["date"], "code": "invalid_date", "message": message, "received": "2024-02-30"});
    assert_eq!(answer.json()["issues"], json!([issue]));
    // A percent-encoded path is equal (RFC 3986 §2.3), and a query has no effect.
    let plain = app.text("/api/reviews/since/2024-02-29").await;
    let same = "2024%2D02%2D29 %32024-02-29 2024-02-29?date=x&limit=0&since=never";
    for same in same.split(' ') {
        let body = app.text(&format!("/api/reviews/since/{same}")).await;
        assert_eq!(body, plain, "{same}");
    }
}
