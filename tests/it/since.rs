//! `/api/reviews/since/{date}` is the beginning of the dataset, byte for byte.

use chrono::Duration;
use reviews_service::model::{Day, Review, Status};
use serde_json::json;

use crate::support::{Generator, TestApp};

/// The bytes of an answer's array of reviews, without brackets.
fn array(body: &str) -> &str {
    let start = body.find(r#""reviews":["#).unwrap() + r#""reviews":["#.len();
    body[start..].strip_suffix("]}").unwrap()
}

#[tokio::test]
async fn since_is_the_beginning_of_the_dataset_for_every_day() {
    let reviews = Generator::new(41).reviews(400);
    let published: Vec<&Review> = reviews
        .iter()
        .filter(|review| review.status == Status::Published)
        .collect();
    let app = TestApp::uncoded(&reviews).await;
    let dataset = app.text("/reviews.json").await;
    let mut days: Vec<Day> = published.iter().map(|review| review.date).collect();
    // Also the days after and before: between two reviews, after all and before all.
    days.extend(days.clone().iter().flat_map(|day| {
        [
            day.next(),
            Day::new(day.date() - Duration::days(1)).unwrap(),
        ]
    }));
    days.extend(["0001-01-01", "9999-12-31"].map(|day| day.parse::<Day>().unwrap()));
    days.sort_unstable();
    days.dedup();
    let mut counts = Vec::new();
    for day in days {
        let answer = app.get(&format!("/api/reviews/since/{day}")).await;
        assert_eq!(answer.status, 200, "{day}");
        let count = published.iter().filter(|review| review.date >= day).count();
        let body = answer.text();
        assert!(
            body.starts_with(&format!(r#"{{"since":"{day}","count":{count},"reviews":["#)),
            "{day}: {body:.90}"
        );
        let (part, whole) = (array(&body), array(&dataset));
        let rest = whole
            .strip_prefix(part)
            .unwrap_or_else(|| panic!("{day} is not the beginning of the dataset"));
        assert!(
            rest.is_empty() || part.is_empty() || rest.starts_with(','),
            "{day} ends inside a review"
        );
        assert_eq!(part.matches(r#""verification":"#).count(), count, "{day}");
        counts.push(count);
    }
    assert_eq!(
        (counts.first(), counts.last()),
        (Some(&published.len()), Some(&0))
    );
    assert!(counts.is_sorted_by(|earlier, later| earlier >= later));
}

#[tokio::test]
async fn an_invalid_day_is_answered_400() {
    let app = TestApp::with(&Generator::new(42).reviews(5)).await;
    for (given, received) in [
        ("today", "today"),
        ("2024-02-30", "2024-02-30"),
        ("0000-01-01", "0000-01-01"),
        ("%202024-01-01", " 2024-01-01"),
        ("2024-01-01%00", "2024-01-01\0"),
        ("%FF", "\u{fffd}"),
        ("search", "search"),
    ] {
        let answer = app.get(&format!("/api/reviews/since/{given}")).await;
        assert_eq!(answer.status, 400, "{given}");
        let issue = json!({
            "path": ["date"], "code": "invalid_date", "message": "must be a day written YYYY-MM-DD, such as 2024-02-29",
            "received": received,
        });
        assert_eq!(answer.json()["issues"], json!([issue]), "{given}");
    }
    // A percent-encoded path is equal (RFC 3986 §2.3), and a query has no effect.
    let plain = app.get("/api/reviews/since/2024-02-29").await;
    for same in [
        "2024%2D02%2D29",
        "%32024-02-29",
        "2024-02-29?date=x&limit=0&since=never",
    ] {
        let answer = app.get(&format!("/api/reviews/since/{same}")).await;
        assert_eq!((answer.status, &answer.body), (200, &plain.body), "{same}");
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
        let dataset = app.get("/reviews.json").await;
        app.shell(sql).await;
        assert_ne!(
            app.get("/reviews.json").await.header("etag"),
            dataset.header("etag"),
            "nothing changed: {sql}"
        );
        let same = app.get(target).await;
        assert_eq!(
            (same.header("etag"), &same.body),
            (tag.as_str(), &first.body),
            "{sql}"
        );
        assert_eq!(
            app.get_with(target, &[("if-none-match", &tag)])
                .await
                .status,
            304,
            "{sql}"
        );
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
    assert_eq!(
        app.get(target).await.header("etag"),
        tag,
        "the same reviews have the same tag again"
    );
    // Two days with the same reviews have different answers, because each has its day.
    let (one, other) = (
        app.get("/api/reviews/since/2000-01-01").await,
        app.get("/api/reviews/since/2000-01-02").await,
    );
    assert_ne!(one.header("etag"), other.header("etag"));
}
