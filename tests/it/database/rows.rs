//! Rows that no review should look like: what can be mended is, what cannot is left out, and nothing else is stopped.

use serde_json::json;

use crate::support::{Generator, TestApp};

const BROKEN: &str = "cast(x'41ff42' as text)";
const MENDED: &str = "A\u{fffd}B";

#[tokio::test]
async fn text_that_is_no_utf_8_is_mended() {
    let app = TestApp::with(&Generator::new(91).reviews(5)).await;
    app.shell("insert into review (review_id, rating, reviewed_on, response_text) values ('x', 4, '2026-11-20', 'Thanks')").await;
    for column in ["author", "title", "text", "language", "source_name", "source_url", "response_text", "response_author"] {
        app.shell(&format!("update review set {column} = {BROKEN} where review_id = 'x'")).await;
    }
    app.shell(&format!("insert into mention values ('x', 'technician', {BROKEN})")).await;
    let review = app.get("/api/reviews/x").await.json();
    assert_eq!(
        (&review["author"], &review["title"], &review["text"], &review["language"]),
        (&json!(MENDED), &json!(MENDED), &json!(MENDED), &json!(MENDED))
    );
    assert_eq!(review["source"], json!({"name": MENDED, "url": MENDED}));
    assert_eq!(review["response"], json!({"text": MENDED, "author": MENDED}));
    assert_eq!(review["mentions"]["technicians"], json!([MENDED]));
    assert_eq!(app.get("/reviews.json").await.json()["reviews"].as_array().unwrap().len(), 6);
    assert_eq!(app.get("/api/reviews/search?query=a%EF%BF%BDb").await.ids(), ["x"]);
    assert!(feed_rs::parser::parse(&app.get("/feed.xml").await.body[..]).is_ok());
}

#[tokio::test]
async fn text_beside_the_reviews_is_mended_too() {
    let app = TestApp::with(&Generator::new(92).reviews(5)).await;
    app.shell(&format!(
        "insert into business (business_id, name, type, time_zone, description, url, telephone)
           values ({BROKEN}, {BROKEN}, {BROKEN}, {BROKEN}, {BROKEN}, {BROKEN}, {BROKEN});
         insert into service (service_id, name) values ({BROKEN}, {BROKEN});
         insert into technician (technician_id, name) values ({BROKEN}, {BROKEN});
         insert into service_area (name) values ({BROKEN});
         insert into editorial_summary (text) values ({BROKEN});
         insert into editorial_faq (faq_id, question, answer) values ({BROKEN}, {BROKEN}, {BROKEN});
         update review set status = 'withheld', withheld_reason = {BROKEN} where review_id = 'r-00001';
         update review set status = 'withheld', withheld_reason = cast(x'41fe42' as text) where review_id = 'r-00002'"
    ))
    .await;
    let dataset = app.get("/reviews.json").await.json();
    assert_eq!(dataset["business"]["name"], MENDED);
    assert_eq!(dataset["business"]["services"], json!([{"id": MENDED, "name": MENDED}]));
    assert_eq!(dataset["business"]["service_areas"], json!([MENDED]));
    assert_eq!(dataset["withheld"], json!({"count": 2, "reasons": {MENDED: 2}}), "two reasons that now read the same");
    let insights = app.get("/insights.json").await.json();
    assert_eq!((&insights["summary"]["editorial"], &insights["faq"][0]["answer"]), (&json!(MENDED), &json!(MENDED)));
}

#[tokio::test]
async fn what_hides_behind_a_nul_stops_nothing() {
    let app = TestApp::with(&Generator::new(93).reviews(5)).await;
    // The checks read up to the NUL.
    app.shell("insert into review (review_id, rating, reviewed_on, text) values ('x', 4, '2026-11-20', 'a' || char(0) || 'b')")
        .await;
    app.shell("update review set updated_at = cast('2026-11-20T10:00:00Z' || x'00ff' as text) where review_id = 'x'").await;
    app.shell("update review set verified_at = cast('2026-11-20T10:00:00Z' || x'00ff' as text) where review_id = 'x'").await;
    let review = app.get("/api/reviews/x").await.json();
    assert_eq!((&review["text"], &review["rating"]), (&json!("a\0b"), &json!(4)));
    assert_eq!(app.get("/api/reviews/search?query=a%00B").await.ids(), ["x"]);
}

#[tokio::test]
async fn a_row_that_breaks_the_checks_is_left_out_and_the_rest_appears() {
    let app = TestApp::with(&Generator::new(94).reviews(30)).await;
    let before = app.get("/reviews.json").await.ids();
    let (victim, others) = before.split_first().unwrap();
    for broken in [
        "rating = 6",
        "rating = 0",
        "reviewed_on = '2026-02-30'",
        "reviewed_on = 'yesterday'",
        "reviewed_on = cast(x'ff' as text)",
        "status = 'draft'",
        "status = cast(x'ff' as text)",
        "verified = 0",
        "verified = 2",
        "verification_method = 'trust me'",
        "verification_method = cast(x'ff' as text)",
        "review_id = 'not an id'",
        "review_id = cast(x'61ff' as text)",
    ] {
        let keep = "create temp table kept as select * from review";
        let change = format!("update review set {broken} where review_id = '{victim}'");
        app.shell(&format!("pragma ignore_check_constraints = on; {change}")).await;
        assert_eq!(app.get("/reviews.json").await.ids(), others, "{broken}");
        assert_eq!(app.get(&format!("/api/reviews/{victim}")).await.status, 404, "{broken}");
        assert_eq!(app.get("/api/feed.json").await.json()["items"].as_array().unwrap().len(), others.len(), "{broken}");
        // The same when everything is read anew.
        let fresh = reviews_service::app::App::open(
            &app.path(),
            crate::support::links(),
            reviews_service::clock::Clock::manual(crate::support::start()),
            crate::support::hub_options(),
            reviews_service::config::Hosts::default(),
        )
        .await
        .unwrap()
        .0;
        assert_eq!(fresh.ctx().current.load().copy.shelf.len(), others.len(), "{broken}, read anew");
        app.shell(&format!("{keep}; pragma ignore_check_constraints = on; delete from review where review_id not like 'r-0%' or review_id = '{victim}'"))
            .await;
        app.write(&Generator::new(94).reviews(30)).await;
        assert_eq!(app.get("/reviews.json").await.ids(), before, "{broken}, mended");
    }
}
