//! Of a deleted review nothing readable is kept, whoever deleted it (CONTRACT §2.1): shown on the bytes of the files and on
//! the text index.

use std::fs;

use reviews_service::imports::{ImportRequest, Quiet, import};
use serde_json::json;

use crate::support::{Generator, TestApp, sqlite3};

/// What only the review that goes says, in its text, its author, its answer and its title.
const WORDS: [&str; 4] = ["zyxglintword", "Quixwendol", "Vorplent", "Bjarqvist"];

/// A service with 300 reviews and one more, which is so long that it fills pages of its own.
async fn service() -> TestApp {
    let app = TestApp::with(&Generator::new(111).reviews(300)).await;
    let text = format!(
        "{}{}.",
        "Filler sentence of no interest. ".repeat(400),
        WORDS[0]
    );
    let row = json!({"id": "goes", "rating": 2, "date": "2026-11-18", "author": format!("{} P.", WORDS[1]), "text": text,
        "title": WORDS[3], "response": {"text": WORDS[2]}});
    let file = app.folder().join("rows.jsonl");
    fs::write(&file, row.to_string()).unwrap();
    let order = ImportRequest {
        files: vec![file.clone()],
        ..ImportRequest::default()
    };
    import(app.database(), app.clock(), &order, &mut Quiet::default())
        .await
        .unwrap();
    fs::remove_file(file).unwrap();
    app.drain().await;
    app
}

/// Which of the words stand in the database or its log.
fn readable(app: &TestApp) -> Vec<&'static str> {
    let files = ["reviews.db", "reviews.db-wal"]
        .map(|name| fs::read(app.folder().join(name)).unwrap_or_default());
    WORDS
        .into_iter()
        .filter(|word| {
            files
                .iter()
                .any(|bytes| memchr::memmem::find(bytes, word.as_bytes()).is_some())
        })
        .collect()
}

/// How many reviews the text index has for a trigram.
fn indexed(app: &TestApp, trigram: &str) -> String {
    sqlite3(
        &app.path(),
        &format!(
            "create virtual table temp.term using fts5vocab ('main', 'review_fts', 'row');
             select count(*) from temp.term where term = '{trigram}'"
        ),
    )
}

/// What is kept beside the reviews about it.
fn kept(app: &TestApp) -> String {
    let count = |table: &str| format!("(select count(*) from {table} where review_id = 'goes')");
    let tables = [
        "review_source",
        "mention",
        "derived_index",
        "derived_analysis",
        "review_fts",
    ];
    sqlite3(
        &app.path(),
        &format!("select {}", tables.map(count).join(" + ")),
    )
}

#[tokio::test]
async fn after_a_foreign_delete_neither_the_files_nor_the_index_have_what_the_review_said() {
    let app = service().await;
    assert_eq!(
        (readable(&app), indexed(&app, "xgl").as_str()),
        (WORDS.to_vec(), "1"),
        "the premise"
    );
    // A shell that overwrites what it deletes, as many are built to do.
    app.shell("pragma secure_delete = on; delete from review where review_id = 'goes'")
        .await;
    assert_eq!(readable(&app), [""; 0]);
    for trigram in ["xgl", "zyx", "ntw"] {
        assert_eq!(indexed(&app, trigram), "0", "{trigram}");
    }
    assert_eq!(
        indexed(&app, "fil"),
        "0",
        "the others say nothing of fillers"
    );
    assert_eq!(kept(&app), "0");
    assert_eq!(
        app.get("/api/reviews/search?query=zyxglint").await.json()["total"],
        0
    );
    let log = fs::metadata(app.folder().join("reviews.db-wal")).map_or(0, |file| file.len());
    assert!(log < 100_000, "the log was cut: {log} bytes");
    // The id alone stays, so that no import brings it back.
    assert_eq!(
        sqlite3(
            &app.path(),
            "select count(*) from review_change where review_id = 'goes'"
        ),
        "1"
    );
}

#[tokio::test]
async fn what_a_shell_leaves_in_free_pages_goes_with_vacuum() {
    let app = service().await;
    app.shell("pragma secure_delete = off; delete from review where review_id = 'goes'")
        .await;
    assert_eq!(
        (indexed(&app, "xgl").as_str(), kept(&app).as_str()),
        ("0", "0")
    );
    app.shell("vacuum; pragma wal_checkpoint(truncate)").await;
    assert_eq!(readable(&app), [""; 0]);
    assert_eq!(app.get("/reviews.json").await.status, 200);
}
