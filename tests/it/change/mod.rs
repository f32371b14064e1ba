//! Changes of any program appear on all surfaces and in the text index. Here the writer is a plain SQLite connection with
//! foreign keys off.

mod mentions;
mod writers;

use serde_json::{Value, json};

use crate::support::{Generator, TestApp, check_in_step};

/// A row with only the required columns.
fn insert(id: &str, text: &str) -> String {
    format!(
        "insert into review (review_id, rating, reviewed_on, author, text) values ('{id}', 2, '2026-11-19', 'Sam', '{text}');"
    )
}

/// Runs each statement, and compares all surfaces with the tables after it.
async fn check_each(app: &TestApp, statements: &[&str]) {
    for sql in statements {
        app.shell(sql).await;
        check_in_step(app).await;
    }
}

async fn review(app: &TestApp, id: &str) -> Value {
    app.json(&format!("/api/reviews/{id}")).await
}

#[tokio::test]
async fn a_deleted_review_disappears_everywhere() {
    let app = TestApp::with(&Generator::new(3).reviews(200)).await;
    let newest = app.get("/reviews.json").await.ids()[0].clone();
    check_each(
        &app,
        &[
            &format!("delete from review where review_id = '{newest}'"),
            "delete from review where rating < 4",
            "delete from review",
            "delete from review",
        ],
    )
    .await;
    assert_eq!(app.get(&format!("/api/reviews/{newest}")).await.status, 404);
    let rating = app.json("/reviews.json").await["aggregate_rating"].clone();
    assert_eq!(rating.get("rating_value"), None);
    let counts = "select count(*) from mention; select count(*) from review_fts";
    assert_eq!(app.sql(counts), "0\n0");
}

#[tokio::test]
async fn every_conflict_clause_keeps_all_surfaces_consistent() {
    let app = TestApp::with(&Generator::new(4).reviews(150)).await;
    check_each(
        &app,
        &[
            &insert("a", "from the shell, first"),
            &insert("b", "from the shell, second"),
            // The same ID: the row is replaced, and no delete trigger fires.
            &insert("a", "replaced water heater").replacen("insert", "insert or replace", 1),
            &insert("a", "replaced again").replacen("insert", "replace", 1),
            &insert("a", "and again").replacen("insert", "replace", 1),
            &insert("a", "never taken").replacen("insert", "insert or ignore", 1),
            &insert("c", "not ignored").replacen("insert", "insert or ignore", 1),
            "insert into review (review_id, rating, reviewed_on, text) values ('a', 5, '2026-11-01', 'upserted in a shell')
               on conflict (review_id) do update set text = excluded.text, rating = excluded.rating",
            // Onto an existing row, which is deleted, again without a delete trigger.
            "update or replace review set review_id = 'b' where review_id = 'a'",
            "update or ignore review set review_id = 'b' where review_id = 'c'",
            "update or replace review set review_id = 'r-00001' where review_id = 'c'",
            "update or replace review set rating = 6 - rating, text = text || ' shell' where review_id like 'r-0000%'",
            "replace into review select * from review",
            "insert or replace into review select * from review where rating = 5",
            "pragma recursive_triggers = on; replace into review select * from review where rating = 4",
            "update review set review_id = 'moved-' || review_id where rating = 3",
        ],
    )
    .await;
    assert_eq!(review(&app, "b").await["text"], "upserted in a shell");
    assert_eq!(app.get("/api/reviews/a").await.status, 404);
    let ignored = app.get("/api/reviews/search?query=never+taken").await;
    assert_eq!(ignored.ids(), [""; 0]);
    assert_eq!(review(&app, "r-00001").await["text"], "not ignored shell");
}

#[tokio::test]
async fn a_review_can_be_withheld_and_published_repeatedly() {
    let app = TestApp::with(&Generator::new(6).reviews(80)).await;
    check_each(
        &app,
        &[
            &insert("w", "now you see shell"),
            "update review set status = 'withheld', withheld_reason = 'disputed' where review_id = 'w'",
            "update review set text = 'changed unseen' where review_id = 'w'",
            "update review set verification = null where review_id = 'w'",
            "update review set withheld_reason = '' where review_id = 'w'",
        ],
    )
    .await;
    assert_eq!(app.get("/api/reviews/w").await.status, 404);
    let withheld = app.json("/reviews.json").await["withheld"].clone();
    assert_eq!(withheld["reasons"]["not stated"], 1, "{withheld}");
    check_each(
        &app,
        &[
            "update review set verification = 'manual', status = 'published' where review_id = 'w'",
            "update review set status = 'withheld'",
            "update review set status = 'published'",
        ],
    )
    .await;
    assert_eq!(review(&app, "w").await["text"], "changed unseen");
    assert_eq!(
        app.json("/reviews.json").await["withheld"],
        json!({"count": 0, "reasons": {}})
    );
}
