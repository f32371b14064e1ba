//! Invalid rows are repaired or left out, and affect no other row.

use super::*;

const BROKEN: &str = "cast(x'41ff42' as text)";
const MENDED: &str = "A\u{fffd}B";

#[tokio::test]
async fn invalid_utf_8_in_reviews_is_repaired() {
    let app = TestApp::with(&Generator::new(91).reviews(5)).await;
    app.shell("insert into review (review_id, rating, reviewed_on, response_text) values ('x', 4, '2026-11-20', 'Thanks')").await;
    for column in [
        "author",
        "title",
        "text",
        "language",
        "source_name",
        "source_url",
        "response_text",
        "response_author",
    ] {
        app.shell(&format!(
            "pragma ignore_check_constraints = on; update review set {column} = {BROKEN} where review_id = 'x'"
        ))
        .await;
    }
    app.shell(&format!(
        "insert into mention values ('x', 'technician', {BROKEN})"
    ))
    .await;
    let review = app.json("/api/reviews/x").await;
    for member in ["author", "title", "text", "language"] {
        assert_eq!(review[member], MENDED, "{member}");
    }
    assert_eq!(review["source"], json!({"name": MENDED, "url": MENDED}));
    assert_eq!(
        review["response"],
        json!({"text": MENDED, "author": MENDED})
    );
    assert_eq!(review["mentions"]["technicians"], json!([MENDED]));
    assert_eq!(app.get("/reviews.json").await.ids().len(), 6);
    assert_eq!(
        app.get("/api/reviews/search?query=a%EF%BF%BDb").await.ids(),
        ["x"]
    );
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
    assert_eq!(dataset["business"]["name"], MENDED);
    assert_eq!(
        dataset["business"]["services"],
        json!([{"id": MENDED, "name": MENDED}])
    );
    // Search engines know no other type.
    let page = String::from_utf8(app.get("/").await.body).unwrap();
    assert_has(&page, "\"@type\":\"LocalBusiness\"");
    assert_eq!(dataset["business"]["service_areas"], json!([MENDED]));
    assert_eq!(
        dataset["withheld"],
        json!({"count": 2, "reasons": {MENDED: 2}}),
        "two reasons that now read the same"
    );
    let insights = app.json("/insights.json").await;
    assert_eq!(
        (
            &insights["summary"]["editorial"],
            &insights["faq"][0]["answer"]
        ),
        (&json!(MENDED), &json!(MENDED))
    );
}

#[tokio::test]
async fn values_with_a_nul_are_read_and_stop_nothing() {
    let app = TestApp::with(&Generator::new(93).reviews(5)).await;
    // A shell can switch the check off.
    app.shell("pragma ignore_check_constraints = on; insert into review (review_id, rating, reviewed_on, text) values ('x', 4, '2026-11-20', 'a' || char(0) || 'b')")
        .await;
    // SQL checks end at the NUL.
    app.shell("update review set updated_at = cast('2026-11-20T10:00:00Z' || x'00ff' as text) where review_id = 'x'").await;
    app.shell("update review set verified_at = cast('2026-11-20T10:00:00Z' || x'00ff' as text) where review_id = 'x'").await;
    let review = app.json("/api/reviews/x").await;
    assert_eq!(
        (&review["text"], &review["rating"]),
        (&json!("a\0b"), &json!(4))
    );
    assert_eq!(
        app.get("/api/reviews/search?query=a%00B").await.ids(),
        ["x"]
    );
}

#[tokio::test]
async fn a_row_that_breaks_a_check_is_omitted_and_others_appear() {
    let app = TestApp::with(&Generator::new(94).reviews(40)).await;
    let before = app.get("/reviews.json").await.ids();
    let mut others = before.as_slice();
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
async fn oversized_values_of_a_review_are_refused() {
    let app = TestApp::with(&Generator::new(95).reviews(30)).await;
    let before = app.get("/reviews.json").await.ids();
    let huge = "'https://' || replace(hex(zeroblob(333333)), '00', 'very good')";
    for column in [
        "text",
        "title",
        "author",
        "withheld_reason",
        "response_text",
        "source_url",
    ] {
        let columns = format!("review_id, rating, reviewed_on, {column}");
        for sql in [
            format!("insert into review ({columns}) values ('huge', 5, '2026-11-19', {huge})"),
            format!(
                "update review set {column} = {huge} where review_id = '{}'",
                before[0]
            ),
        ] {
            let message = app.refused(&sql).await;
            assert!(message.contains("review_within_2_mib"), "{sql}: {message}");
        }
    }
    let message = app
        .refused(&format!(
            "insert into mention values ('{}', 'technician', {huge})",
            before[0]
        ))
        .await;
    assert!(message.contains("mention_value_within_1_mib"), "{message}");
    assert_eq!(app.get("/reviews.json").await.ids(), before);
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
            assert!(
                message.contains("review_id_not_reserved") && message.contains("another id"),
                "{sql}: {message}"
            );
        }
        assert_has(
            &id.parse::<ReviewId>().unwrap_err().to_string(),
            "cannot be part of a link",
        );
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

#[tokio::test]
async fn oversized_values_of_the_business_are_refused() {
    let app = TestApp::with(&Generator::new(131).reviews(5)).await;
    let long = "'x' || hex(zeroblob(40000))";
    for [insert, constraint] in table(
        "
        business (business_id, name, description) values ('dp', 'Desert Peak', LONG) → business_texts_within_64_kib
        service (service_id, name, synonyms) values ('drain', 'Drains', json_array(LONG)) → service_texts_within_64_kib
        technician (technician_id, name) values ('t', LONG) → technician_texts_within_64_kib
        service_area (name) values (LONG) → service_area_name_within_64_kib
        editorial_summary (text) values (LONG) → editorial_summary_within_64_kib
        editorial_faq (faq_id, question, answer) values ('q', 'Why?', LONG) → editorial_faq_texts_within_64_kib
        ",
    ) {
        let message = app.refused(&format!("insert into {}", insert.replace("LONG", long))).await;
        assert!(message.contains(constraint), "{constraint}: {message}");
    }
}
