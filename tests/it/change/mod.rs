//! Changes of any program appear on all surfaces and in the text index. Here the writer is a plain SQLite connection with
//! foreign keys off.

mod mentions;
mod writers;

use serde_json::{Value, json};

use crate::support::{Generator, TestApp, check_in_step, table};

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
async fn an_update_of_any_column_is_published() {
    let app = TestApp::with(&Generator::new(2).reviews(40)).await;
    app.shell(&insert("s", "old")).await;
    for [assignment, pointer, shown] in table(
        r#"
        rating = 1 → /rating → 1
        reviewed_on = '2001-02-03' → /date → "2001-02-03"
        author = 'Ärzte & <Söhne>' → /author → "Ärzte & <Söhne>"
        title = 'Six "words"' → /title → "Six \"words\""
        text = 'new in the shell' → /text → "new in the shell"
        text = '' → /text → ""
        language = 'es-MX' → /language → "es-MX"
        source_name = 'Yelp' → /source/name → "Yelp"
        source_url = 'https://yelp.example/1' → /source/url → "https://yelp.example/1"
        verification_method = 'invite' → /verification/method → "invite"
        verified_at = '2026-11-19T10:00:00Z' → /verification/verified_at → "2026-11-19T10:00:00Z"
        response_text = 'Sorry!' → /response/text → "Sorry!"
        response_on = '2026-11-20' → /response/date → "2026-11-20"
        response_author = 'The owner' → /response/author → "The owner"
        updated_at = '2026-11-21T08:30:00.25Z' → /updated_at → "2026-11-21T08:30:00.250Z"
        title = null → /title → null
        response_text = null → /response → null
        "#,
    ) {
        let before = app.get("/reviews.json").await.header("etag").to_owned();
        app.shell(&format!(
            "update review set {assignment} where review_id = 's'"
        ))
        .await;
        assert_eq!(
            review(&app, "s")
                .await
                .pointer(pointer)
                .unwrap_or(&Value::Null),
            &shown.parse::<Value>().unwrap(),
            "{assignment}"
        );
        assert_ne!(
            app.get("/reviews.json").await.header("etag"),
            before,
            "{assignment}"
        );
    }
    check_in_step(&app).await;
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
    assert_eq!(
        app.json("/reviews.json").await["aggregate_rating"].get("rating_value"),
        None
    );
    assert_eq!(
        app.shell("select count(*) from mention; select count(*) from review_fts")
            .await,
        "0\n0"
    );
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
    assert_eq!(
        app.get("/api/reviews/search?query=never+taken").await.ids(),
        [] as [&str; 0]
    );
    assert_eq!(
        app.json("/api/reviews/r-00001").await["text"],
        "not ignored shell"
    );
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
            "update review set verified = 0 where review_id = 'w'",
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
            "update review set verified = 1, status = 'published' where review_id = 'w'",
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

#[tokio::test]
async fn changes_of_other_tables_are_published_too() {
    let app = TestApp::with(&Generator::new(7).reviews(60)).await;
    let mut published = Vec::new();
    for sql in [
        "insert into business (business_id, name) values ('peak', 'Desert Peak')",
        "insert into service (service_id, name, synonyms) values ('drain', 'Drain cleaning', '[\"unclog\"]')",
        "insert into technician (technician_id, name) values ('t1', 'Will Grant')",
        "insert into service_area (name) values ('Mesa')",
        "insert into editorial_summary (text) values ('In our words.')",
        "insert into editorial_faq (faq_id, question, answer) values ('q', 'Why?', 'Because.')",
        "update business set name = 'Peak'; update service set name = 'Drains'",
        "replace into business (business_id, name, time_zone) values ('peak', 'Peak & Co', 'America/Phoenix')",
        "delete from service; delete from technician; delete from service_area",
        "delete from business",
        "delete from editorial_faq",
        "delete from editorial_summary",
    ] {
        app.shell(sql).await;
        let documents = ["/reviews.json", "/insights.json"].map(|target| app.get(target));
        let tags = futures_util::future::join_all(documents).await;
        let tags: Vec<String> = tags
            .iter()
            .map(|answer| answer.header("etag").to_owned())
            .collect();
        assert!(!published.contains(&tags), "{sql}");
        published.push(tags);
    }
    let business = app.json("/reviews.json").await["business"].clone();
    assert_eq!(business["name"], "Unnamed business");
    check_in_step(&app).await;
}
