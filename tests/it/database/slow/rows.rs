//! Rows that cannot be read are left out, and affect no other row.

use super::*;

const BROKEN: &str = "cast(x'41ff42' as text)";

#[tokio::test]
async fn a_row_with_invalid_utf_8_is_left_out_and_named() {
    let app = TestApp::with(&Generator::new(91).reviews(5)).await;
    let before = app.get("/reviews.json").await.ids();
    let columns = "author title text language source_name source_url reply_text reply_author";
    for column in columns.split(' ') {
        let (logs, listening) = Logs::begin();
        app.shell(&format!(
            "insert or replace into review (review_id, rating, reviewed_on, reply_text) values ('x', 4, '2026-11-20', 'Thanks');
             pragma ignore_check_constraints = on; update review set {column} = {BROKEN} where review_id = 'x'"
        ))
        .await;
        drop(listening);
        assert_eq!(app.get("/reviews.json").await.ids(), before, "{column}");
        assert_eq!(logs.with("review.unreadable").len(), 1, "{column}");
    }
    for command in ["status", "check"] {
        let output = crate::process::reviews(app.folder()).arg(command).output();
        let output = String::from_utf8(output.unwrap().stdout).unwrap();
        let line = output.lines().find(|line| line.contains("left out"));
        assert_has(line.unwrap_or(&output), " x ");
    }
    app.shell("delete from review where review_id = 'x'; update review set status = 'withheld', withheld_reason = cast(x'41fe42' as text)")
        .await;
    assert_eq!(app.get("/reviews.json").await.ids(), [""; 0]);
}

#[tokio::test]
async fn a_row_that_breaks_a_check_is_omitted_and_others_appear() {
    let app = TestApp::with(&Generator::new(94).reviews(40)).await;
    let before = app.get("/reviews.json").await.ids();
    let mut others = before.as_slice();
    for [broken] in table(
        "
        rating = 6
        reviewed_on = '2026-02-30'
        reviewed_on = cast(x'ff' as text)
        status = 'draft'
        verification = 'trust me'
        verification = null
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
async fn a_name_of_the_business_with_invalid_utf_8_is_left_out() {
    let app = TestApp::seeded().await;
    let before = app.json("/business.json").await["business"]["technicians"].clone();
    let insert = format!(
        "insert into technician (technician_id, name, aliases) values ('x', {BROKEN}, '[]'), ('y', 'Y', '[1]')"
    );
    app.shell(&insert).await;
    let after = app.json("/business.json").await;
    assert_eq!(after["business"]["technicians"], before);
}
