//! Invalid rows are repaired or left out, and affect no other row.

use super::*;

const BROKEN: &str = "cast(x'41ff42' as text)";
const MENDED: &str = "A\u{fffd}B";

#[tokio::test]
async fn invalid_utf_8_in_reviews_is_repaired() {
    let app = TestApp::with(&Generator::new(91).reviews(5)).await;
    let columns = "author title text language source_name source_url reply_text reply_author";
    let broken = columns.replace(' ', &format!(" = {BROKEN}, "));
    app.shell(&format!(
        "insert into review (review_id, rating, reviewed_on) values ('x', 4, '2026-11-20');
         pragma ignore_check_constraints = on; update review set {broken} = {BROKEN} where review_id = 'x';
         insert into mention values ('x', 'technician', {BROKEN})"
    ))
    .await;
    let review = app.json("/api/reviews/x").await;
    for member in ["author", "title", "text", "language"] {
        assert_eq!(review[member], MENDED, "{member}");
    }
    assert_eq!(review["source"], json!(MENDED));
    assert_eq!(review["source_url"], json!(MENDED));
    let response = json!({"text": MENDED, "author": MENDED});
    assert_eq!(review["owner_reply"], response);
    assert_eq!(review["mentions"]["technicians"], json!([MENDED]));
    assert_eq!(app.get("/reviews.json").await.ids().len(), 6);
    let found = app.get("/api/reviews/search?query=a%EF%BF%BDb").await;
    assert_eq!(found.ids(), ["x"]);
    assert!(feed_rs::parser::parse(&app.get("/feed.xml").await.body[..]).is_ok());
}

#[tokio::test]
async fn invalid_utf_8_in_other_tables_is_repaired() {
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
    let dataset = app.json("/reviews.json").await;
    let business = &dataset["business"];
    assert_eq!(business["name"], MENDED);
    let services = json!([{"id": MENDED, "name": MENDED}]);
    assert_eq!(business["services"], services);
    assert_eq!(business["service_areas"], json!([MENDED]));
    // Search engines know no other type.
    assert_has(&app.text("/").await, "\"@type\":\"LocalBusiness\"");
    // Two reasons now read the same.
    let withheld = json!({"count": 2, "reasons": {MENDED: 2}});
    assert_eq!(dataset["withheld"], withheld);
    let insights = app.json("/insights.json").await;
    assert_eq!(insights["summary"]["editorial"], MENDED);
    assert_eq!(insights["faq"][0]["answer"], MENDED);
}

#[tokio::test]
async fn values_with_a_nul_are_read_and_stop_nothing() {
    let app = TestApp::with(&Generator::new(93).reviews(5)).await;
    // A shell can switch the check off. SQL checks end at the NUL.
    app.shell(
        "pragma ignore_check_constraints = on;
         insert into review (review_id, rating, reviewed_on, text) values ('x', 4, '2026-11-20', 'a' || char(0) || 'b');
         pragma ignore_check_constraints = off;
         update review set updated_at = cast('2026-11-20T10:00:00Z' || x'00ff' as text) where review_id = 'x';
         update review set verified_at = cast('2026-11-20T10:00:00Z' || x'00ff' as text) where review_id = 'x'",
    )
    .await;
    let review = app.json("/api/reviews/x").await;
    assert_eq!(
        (&review["text"], &review["rating"]),
        (&json!("a\0b"), &json!(4))
    );
    let found = app.get("/api/reviews/search?query=a%00B").await;
    assert_eq!(found.ids(), ["x"]);
}

#[tokio::test]
async fn a_row_that_breaks_a_check_is_omitted_and_others_appear() {
    let app = TestApp::with(&Generator::new(94).reviews(40)).await;
    let before = app.get("/reviews.json").await.ids();
    let mut others = before.as_slice();
    for [broken] in table(
        "
        rating = 6
        rating = 0
        reviewed_on = '2026-02-30'
        reviewed_on = 'yesterday'
        reviewed_on = cast(x'ff' as text)
        status = 'draft'
        status = cast(x'ff' as text)
        verification = 'trust me'
        verification = cast(x'ff' as text)
        review_id = 'not an id'
        review_id = cast(x'61ff' as text)
        ",
    ) {
        let (victim, rest) = others.split_first().unwrap();
        others = rest;
        app.shell(&format!(
            "pragma ignore_check_constraints = on; update review set {broken} where review_id = '{victim}'"
        ))
        .await;
        assert_eq!(app.get("/reviews.json").await.ids(), others, "{broken}");
        let single = app.get(&format!("/api/reviews/{victim}")).await;
        assert_eq!(single.status, 404, "{broken}");
        let feed = app.json("/api/feed.json").await;
        assert_eq!(feed["items"].as_array().unwrap().len(), others.len());
    }
    // The same when everything is read again.
    let fresh = service_on(&app.path(), links(), Hosts::default()).await;
    let entries = fresh.ctx.current.load().input.entries.len();
    assert_eq!(entries, others.len());
    app.shell("pragma ignore_check_constraints = on; delete from review")
        .await;
    app.write(&Generator::new(94).reviews(40)).await;
    assert_eq!(app.get("/reviews.json").await.ids(), before, "repaired");
}

#[tokio::test]
async fn ids_that_no_url_can_contain_are_refused_or_left_out() {
    let app = TestApp::with(&Generator::new(96).reviews(5)).await;
    for id in [".", "..", "search"] {
        let insert = format!(
            "insert or replace into review (review_id, rating, reviewed_on) values ('{id}', 5, '2026-11-19')"
        );
        let update = format!("update review set review_id = '{id}' where review_id = 'r-00001'");
        for sql in [insert, update] {
            let message = app.refused(&sql).await;
            assert_has(&message, "review_id_not_reserved");
            assert_has(&message, "another id");
        }
        let error = id.parse::<ReviewId>().unwrap_err().to_string();
        assert_has(&error, "cannot be part of a link");
    }
    // A shell can drop the trigger.
    let (logs, listening) = Logs::begin();
    let trigger = app.sql("select sql from sqlite_schema where name = 'review_id_reserved'");
    let insert =
        "insert into review (review_id, rating, reviewed_on) values ('search', 5, '2026-11-19')";
    app.shell(&format!(
        "drop trigger review_id_reserved; {insert}; {trigger}"
    ))
    .await;
    drop(listening);
    assert_eq!(logs.with("breaks the table's checks").len(), 1);
    assert_eq!(app.get("/reviews.json").await.ids().len(), 5);
    app.shell("update review set review_id = 'found' where review_id = 'search'")
        .await;
    assert_eq!(app.get("/api/reviews/found").await.status, 200);
}
