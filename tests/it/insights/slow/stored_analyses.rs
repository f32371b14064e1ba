//! Stored analyses: only changed reviews are analysed, and analyses of removed reviews are deleted.

use reviews_service::insights::store::save;
use reviews_service::snapshot::analyze;

use super::*;
use crate::support::{assert_has, check_in_step, rows, table};

#[tokio::test]
async fn findings_and_mentions_are_readable_with_sql() {
    let app = firm(&[("a", "Great service. Dana was on time and very friendly.")]).await;
    let found = rows(&app.path(), "select * from derived_finding");
    let mut findings = found.iter();
    let on_time = findings.find(|row| row["aspect"] == "punctuality").unwrap();
    assert_eq!(on_time["polarity"], "positive");
    assert_eq!(on_time["sentence"], 1);
    assert_has(str_of(&on_time["words"]), "on time");
    let hits: Vec<Value> = serde_json::from_str(str_of(&on_time["hits"])).unwrap();
    assert!(
        !hits.is_empty() && on_time["score"].as_i64() > Some(0),
        "{on_time}"
    );
    let named = app.sql("select value, words from derived_mention");
    assert_has(&named, "Dana Whitfield|Dana");
}

#[tokio::test]
async fn analyses_of_removed_or_withheld_reviews_are_deleted() {
    let app = firm(&["a", "b", "c", "d"].map(|id| (id, "Dana came."))).await;
    for [sql, left] in table(
        "
        delete from review where review_id = 'a' → b c d
        update review set status = 'withheld' where review_id = 'b' → c d
        update review set review_id = 'e' where review_id = 'c' → d e
        update or replace review set review_id = 'e' where review_id = 'd' → e
        insert or replace into review (review_id, rating, reviewed_on, text) values ('e', 1, '2026-01-01', 'No.') → e
        update review set status = 'published' where review_id = 'b' → b e
        delete from review → -
        ",
    ) {
        app.shell(sql).await;
        let ids = "select coalesce(group_concat(review_id, ' '), '-') from (select * from derived_analysis order by 1)";
        assert_eq!(app.sql(ids), left, "after {sql}");
        check_in_step(&app).await;
    }
}

#[tokio::test]
async fn late_analysis_of_a_former_text_is_not_stored() {
    let app = firm(&[("a", "Dana was late.")]).await;
    let snapshot = app.app().ctx.current.load();
    let former = analyze(&snapshot.input.analyzer, &snapshot.input.entries[0].review);
    app.shell("update review set text = 'Dana was early.'")
        .await;
    let change_no = snapshot.position.change_no;
    save(app.database(), &[former], change_no).await.unwrap();
    check_in_step(&app).await;
}

#[tokio::test]
async fn deleted_or_invalid_analyses_are_created_again_unchanged() {
    let mut app = TestApp::seeded().await;
    let (before, derived) = (bytes(&app), app.sql(DERIVED));
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
        assert!(app.sql(DERIVED) == derived, "the same rows after {sql}");
    }
}
