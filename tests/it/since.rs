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
    for (day, received) in [
        ("today", "today"),
        ("2024-02-30", "2024-02-30"),
        ("0000-01-01", "0000-01-01"),
        ("%202024-01-01", " 2024-01-01"),
        ("2024-01-01%00", "2024-01-01\0"),
        ("%FF", "\u{fffd}"),
        ("search", "search"),
    ] {
        let answer = app.get(&format!("/api/reviews/since/{day}")).await;
        assert_eq!(answer.status, 400, "{day}");
        let message = "must be a day written YYYY-MM-DD, such as 2024-02-29";
        let issue = json!({"path": ["date"], "code": "invalid_date", "message": message, "received": received});
        assert_eq!(answer.json()["issues"], json!([issue]), "{day}");
    }
    // A percent-encoded path is equal (RFC 3986 §2.3), and a query has no effect.
    let plain = app.text("/api/reviews/since/2024-02-29").await;
    let same = "2024%2D02%2D29 %32024-02-29 2024-02-29?date=x&limit=0&since=never";
    for same in same.split(' ') {
        let body = app.text(&format!("/api/reviews/since/{same}")).await;
        assert_eq!(body, plain, "{same}");
    }
}

#[tokio::test]
async fn changes_of_older_reviews_keep_the_tag() {
    let app = TestApp::with(&Generator::new(44).reviews(300)).await;
    let target = "/api/reviews/since/2025-06-01";
    let first = app.get(target).await;
    let tag = first.header("etag").to_owned();
    for sql in [
        "update review set rating = 1, text = 'changed' where reviewed_on = (select max(reviewed_on) from review where reviewed_on < '2025-06-01')",
        "insert into review (review_id, rating, reviewed_on) values ('older', 3, '2025-05-31'), ('oldest', 3, '2001-01-01')",
        "delete from review where reviewed_on between '2025-01-01' and '2025-05-31'",
        "delete from review where reviewed_on < '2025-06-01'",
        "insert into business (business_id, name) values ('x', 'Another name')",
    ] {
        app.advance(Duration::seconds(10));
        let before = app.get("/reviews.json").await;
        app.shell(sql).await;
        let after = app.get("/reviews.json").await;
        assert_ne!(after.header("etag"), before.header("etag"), "{sql}");
        let same = app.get(target).await;
        assert_eq!(same.header("etag"), tag, "{sql}");
        assert!(same.body == first.body, "{sql}");
    }
    for sql in [
        "insert into review (review_id, rating, reviewed_on) values ('just', 3, '2025-06-01')",
        "update review set title = 'T' where review_id = 'just'",
        "delete from review where review_id = 'just'",
    ] {
        let before = app.get(target).await;
        app.shell(sql).await;
        let answer = app
            .get_with(target, &[("if-none-match", before.header("etag"))])
            .await;
        assert_eq!(answer.status, 200, "{sql}");
        assert_ne!(answer.body, before.body, "{sql}");
    }
    // The same reviews have the same tag again.
    assert_eq!(app.get(target).await.header("etag"), tag);
    // Two days with the same reviews have different answers, because each has its day.
    let one = app.get("/api/reviews/since/2000-01-01").await;
    let other = app.get("/api/reviews/since/2000-01-02").await;
    assert_ne!(one.header("etag"), other.header("etag"));
}
