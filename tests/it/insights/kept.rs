//! Stored analyses: only changed reviews are analysed, and analyses of removed reviews are deleted.

use super::*;
use crate::support::{check_in_step, publications, rows};

#[tokio::test]
async fn only_reviews_with_a_changed_text_or_rating_are_analysed() {
    let app = TestApp::seeded().await;
    assert_eq!(
        sqlite3(&app.path(), "select count(*) from derived_analysis;"),
        "256"
    );
    mark_analyses(&app.path());
    app.shell("update review set text = text || ' They were late.' where review_id = 'r-1150'")
        .await;
    assert_eq!(analysed_since_mark(&app.path()), ["r-1150"]);
    mark_analyses(&app.path());
    app.shell(
        "update review set title = 'Hm', response_text = 'Sorry.' where reviewed_on < '2023-01-01'",
    )
    .await;
    assert_eq!(
        analysed_since_mark(&app.path()),
        [] as [&str; 0],
        "no text has changed"
    );
    // The rating can change the polarity of findings.
    app.shell("update review set rating = 6 - rating where review_id = 'r-1150'")
        .await;
    assert_eq!(analysed_since_mark(&app.path()), ["r-1150"]);
    mark_analyses(&app.path());
    let app = app.restart().await;
    assert_eq!(
        analysed_since_mark(&app.path()),
        [] as [&str; 0],
        "a start analyses nothing again"
    );
    assert_complete(&app);
}

#[tokio::test]
async fn a_change_is_analysed_in_the_snapshot_that_publishes_it() {
    let app = firm(&[("a", "Dana was on time."), ("b", "Nice.")]).await;
    let version = |document: &str| {
        publications(&app.path())
            .iter()
            .find(|one| one.0 == document)
            .unwrap()
            .1
    };
    let (reviews, insights) = (version("reviews"), version("insights"));
    app.shell(
        "insert into review (review_id, rating, reviewed_on, text) values ('c', 4, '2026-11-01', 'Dana fixed the leak in Mesa.')",
    )
    .await;
    assert_eq!(
        (version("reviews"), version("insights")),
        (reviews + 1, insights + 1),
        "one snapshot has the review and its analysis"
    );
    assert_eq!(mentioning(&app, "technicians", "Dana Whitfield").await, 2);
    check_in_step(&app).await;
}

#[tokio::test]
async fn findings_and_mentions_are_readable_with_sql() {
    let app = firm(&[("a", "Great service. Dana was on time and very friendly.")]).await;
    let found = rows(
        &app.path(),
        "select * from derived_finding where review_id = 'a';",
    );
    let on_time = found
        .iter()
        .find(|row| row["aspect"] == "punctuality")
        .unwrap();
    assert_eq!(
        (on_time["polarity"].as_str(), on_time["sentence"].as_i64()),
        (Some("positive"), Some(1))
    );
    assert!(
        on_time["words"].as_str().unwrap().contains("on time"),
        "{on_time}"
    );
    for row in &found {
        let hits: Vec<(String, i64, u64, u64)> =
            serde_json::from_str(row["hits"].as_str().unwrap()).unwrap();
        assert_eq!(
            hits.iter().map(|hit| hit.1).sum::<i64>(),
            row["score"].as_i64().unwrap(),
            "{row}"
        );
    }
    let named = rows(
        &app.path(),
        "select kind, value, words, rule from derived_mention where review_id = 'a';",
    );
    assert_eq!(
        (named[0]["value"].as_str(), named[0]["words"].as_str()),
        (Some("Dana Whitfield"), Some("Dana"))
    );
}

#[tokio::test]
async fn analyses_of_removed_or_withheld_reviews_are_deleted() {
    let app = firm(&[
        ("a", "Dana came."),
        ("b", "Dana came."),
        ("c", "Dana came."),
        ("d", "Dana came."),
    ])
    .await;
    for (sql, left) in [
        ("delete from review where review_id = 'a'", "b c d"),
        (
            "update review set status = 'withheld' where review_id = 'b'",
            "c d",
        ),
        (
            "update review set review_id = 'e' where review_id = 'c'",
            "d e",
        ),
        (
            "update or replace review set review_id = 'e' where review_id = 'd'",
            "e",
        ),
        (
            "insert or replace into review (review_id, rating, reviewed_on, text) values ('e', 1, '2026-01-01', 'No.')",
            "e",
        ),
        (
            "update review set status = 'published' where review_id = 'b'",
            "b e",
        ),
        ("delete from review", ""),
    ] {
        app.shell(sql).await;
        let ids = sqlite3(
            &app.path(),
            "select group_concat(review_id, ' ') from (select * from derived_analysis order by 1);",
        );
        assert_eq!(ids, left, "after {sql}");
        check_in_step(&app).await;
    }
}

#[tokio::test]
async fn deleted_or_invalid_analyses_are_created_again_unchanged() {
    let mut app = TestApp::seeded().await;
    let (before, derived) = (bytes(&app), sqlite3(&app.path(), DERIVED));
    let published = publications(&app.path());
    app = app.restart().await;
    assert_eq!(publications(&app.path()), published);
    for sql in [
        "select 1;",
        "delete from derived_analysis;",
        "delete from derived_finding where review_id = 'r-1150';",
        "pragma ignore_check_constraints = on;
         update derived_analysis set analysis = 'x' where review_id like 'r-1%';
         update derived_analysis set analysis = json_remove(analysis, '$.mentions') where review_id like 'r-2%';
         update derived_analysis set text_hash = '' where review_id like 'C%';",
    ] {
        app.shell(sql).await;
        app = app.restart().await;
        assert!(bytes(&app) == before, "the same documents after {sql}");
        assert!(sqlite3(&app.path(), DERIVED) == derived, "the same rows after {sql}");
    }
}
