//! No text of a review that `reviews delete` deleted remains in the bytes of the files, and none of a review that another program
//! deleted in the text index.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use reviews_service::storage::Erased;
use reviews_service::storage::reviews::delete_by_owner;
use serde_json::{Value, json};
use sqlx::Executor as _;

use super::reviews;
use crate::commands::read_elsewhere;
use crate::support::{Generator, TECHNICIANS, TestApp, assert_has, connect, publications};

/// Words that only the deleted review has, in its text, author, answer and title.
const WORDS: [&str; 4] = ["zyxglintword", "Quixwendol", "Vorplent", "Bjarqvist"];

/// A service with 60 reviews and one that is long enough to fill several pages.
async fn service() -> TestApp {
    let app = TestApp::with(&Generator::new(111).reviews(60)).await;
    let text = format!(
        "{}{}.",
        "Filler sentence of no interest. ".repeat(400),
        WORDS[0]
    );
    let row = json!({"id": "goes", "rating": 2, "date": "2026-11-18", "author": format!("{} P.", WORDS[1]), "text": text,
        "title": WORDS[3], "owner_reply": {"text": WORDS[2]}});
    app.import(&row.to_string()).await;
    app
}

/// The work of the service's hourly job.
async fn erase(app: &TestApp) -> Erased {
    app.database().erase_traces(u64::MAX).await.unwrap()
}

/// Those of the words that are in the database or its log.
fn readable(app: &TestApp) -> Vec<&'static str> {
    let files =
        ["reviews.db", "reviews.db-wal"].map(|name| read_elsewhere(&app.folder().join(name)));
    let is_in = |word: &str, bytes: &[u8]| memchr::memmem::find(bytes, word.as_bytes()).is_some();
    let mut words = WORDS.to_vec();
    words.retain(|word| files.iter().any(|bytes| is_in(word, bytes)));
    words
}

/// The number of reviews that the text index has for a trigram.
fn indexed(app: &TestApp, trigram: &str) -> String {
    app.sql(&format!(
        "create virtual table temp.term using fts5vocab ('main', 'review_fts', 'row');
             select count(*) from temp.term where term = '{trigram}'"
    ))
}

#[tokio::test]
async fn an_sql_delete_removes_the_review_from_the_text_index() {
    let app = service().await;
    assert_eq!(indexed(&app, "xgl"), "1", "the premise");
    app.shell("delete from review where review_id = 'goes'")
        .await;
    for trigram in ["xgl", "zyx", "ntw", "fil"] {
        assert_eq!(indexed(&app, trigram), "0", "{trigram}");
    }
    let tables = "review_source mention derived_analysis derived_finding review_fts";
    for table in tables.split(' ') {
        let rows = format!("select count(*) from {table} where review_id = 'goes'");
        assert_eq!(app.sql(&rows), "0", "{table}");
    }
    let found = app.json("/api/reviews/search?query=zyxglint").await;
    assert_eq!(found["matched"], 0);
    // Only the ID stays, so that no import brings the review back.
    let id = "select count(*) from review_change where review_id = 'goes'";
    assert_eq!(app.sql(id), "1");
}

/// Clauses without words of the schema, which are in every file.
const CLAUSES: &str = "explained every option before touching anything|left the hallway cleaner than before|\
    had to come back twice for the right part|showed me the worn bearing on his phone|wore boot covers without being asked|\
    tried to sell me a plan that I did not want|matched the price from the other company|forgot to haul away the old tank|\
    answered all questions of my mother patiently|checked the attic and the crawl space too|\
    texted a picture when he was on his way|never returned my call about the invoice";

/// A short review as a line of JSON Lines, with numbers that make its texts unique.
fn short_review(generator: &mut Generator, number: usize) -> Value {
    let texts = [3, 1, 1].map(|count| {
        let clauses = (0..count).map(|_| {
            let clause = generator.word(CLAUSES);
            format!("The man of visit {} {clause}. ", generator.below(100_000))
        });
        clauses.collect::<String>().trim_end().to_owned()
    });
    let [text, title, answer] = texts;
    let name = generator.pick(&TECHNICIANS);
    let (month, day) = (1 + generator.below(12), 1 + generator.below(28));
    let mut row = json!({"id": format!("o-{number}"), "rating": 1 + generator.below(5), "date": format!("2025-{month:02}-{day:02}"),
        "author": format!("{name} of {number}"), "text": text});
    if generator.once_in(3) {
        row["title"] = json!(title);
    }
    if generator.once_in(3) {
        row["owner_reply"] = json!({ "text": answer });
    }
    row
}

/// Reviews of a firm, with all texts that each of them ever had.
#[derive(Default)]
struct History {
    rows: Vec<Value>,
    ever: HashMap<String, Vec<String>>,
}

impl History {
    fn note(&mut self, number: usize) {
        let row = &self.rows[number];
        let texts = ["author", "title", "text"].map(|name| row[name].as_str());
        let texts = texts
            .into_iter()
            .chain([row["owner_reply"]["text"].as_str()]);
        let ever = self.ever.entry(format!("o-{number}")).or_default();
        ever.extend(texts.flatten().map(str::to_owned));
    }

    /// Asserts that no part of a text that only these reviews had is in a file of this folder.
    fn check_erased(&self, deleted: &HashSet<String>, folder: &Path, when: &str) {
        const PIECE: usize = 12;
        let pieces = |is_deleted: bool| -> HashSet<&[u8]> {
            let ever = self.ever.iter();
            let reviews = ever.filter(|(id, _)| deleted.contains(*id) == is_deleted);
            let texts = reviews.flat_map(|(_, texts)| texts);
            let pieces = texts.flat_map(|text| text.as_bytes().windows(PIECE));
            pieces.collect()
        };
        let (mut sought, kept) = (pieces(true), pieces(false));
        sought.retain(|piece| !kept.contains(piece));
        for file in fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let extension = path.extension();
            if extension.is_none_or(|it| it != "jsonl") {
                let bytes = read_elsewhere(&path);
                let mut pieces = bytes.windows(PIECE);
                let found = pieces.find(|piece| sought.contains(piece));
                let found = found.map(String::from_utf8_lossy);
                assert_eq!(found, None, "{when}: {}", path.display());
            }
        }
    }
}

/// Runs the binary on the database at `path`.
fn command(path: &Path, words: &[&str]) -> String {
    let folder = path.parent().unwrap();
    let done = reviews(folder).args(words).output().unwrap();
    let output = String::from_utf8([done.stdout, done.stderr].concat()).unwrap();
    assert!(done.status.success(), "{words:?}: {output}");
    output
}

#[tokio::test]
async fn deleted_short_reviews_leave_no_trace() {
    let mut generator = Generator::new(2_311);
    let mut history = History::default();
    let (mut deleted, mut app) = (HashSet::new(), TestApp::empty().await);
    for round in 0..2 {
        // 40 more reviews, and newer states of existing ones: merged, edited, answered and withdrawn.
        for number in round * 40..(round + 1) * 40 {
            let row = short_review(&mut generator, number);
            history.rows.push(row);
            history.note(number);
        }
        for _ in 0..8 {
            let number = generator.below(history.rows.len());
            // A row whose day changed, too, would be another review.
            let day = history.rows[number]["date"].take();
            history.rows[number] = short_review(&mut generator, number);
            history.rows[number]["date"] = day;
            history.note(number);
        }
        let lines: Vec<String> = history.rows.iter().map(ToString::to_string).collect();
        fs::write(app.folder().join("month.jsonl"), lines.join("\n")).unwrap();
        command(&app.path(), &["import", "month.jsonl"]);
        app.drain().await;
        let ids = (0..history.rows.len()).map(|number| format!("o-{number}"));
        let mut there: Vec<String> = ids.filter(|id| !deleted.contains(id)).collect();
        for index in (1..there.len()).rev() {
            there.swap(index, generator.below(index + 1));
        }
        let visit = generator.below(100_000);
        let edit = format!("As she told us at the counter on visit {visit}.");
        let answer = format!("We are sorry about ticket {visit}.");
        for (id, text) in there.iter().zip([&edit, &answer]) {
            history.ever.get_mut(id).unwrap().push(text.clone());
        }
        let set = format!("update review set text = '{edit}' where review_id =");
        app.shell(&format!("{set} '{}'", there[0])).await;
        command(&app.path(), &["reply", &there[1], &answer]);
        let withhold = ["withhold", &there[2], "--reason", "under dispute"];
        command(&app.path(), &withhold);
        there.truncate(10);

        // The first five without a service, the others beside one.
        let delete = |path: &Path, ids: &[String], deleted: &mut HashSet<String>| {
            for id in ids {
                let output = command(path, &["delete", id, "--yes"]);
                assert_has(&output, "and erased from the file");
            }
            deleted.extend(ids.iter().cloned());
            history.check_erased(deleted, path.parent().unwrap(), "by the command");
        };
        app = app
            .restart_after(|path| delete(path, &there[..5], &mut deleted))
            .await;
        delete(&app.path(), &there[5..], &mut deleted);
    }
    assert_eq!((history.rows.len(), deleted.len()), (80, 20));
    assert_eq!(app.sql("select count(*) from review"), "60");
}

/// The number of deleted reviews that `check` reports as not erased yet.
fn pending(app: &TestApp) -> Option<String> {
    let report = command(&app.path(), &["check"]);
    let line = report.lines().find(|line| line.contains("erasure"));
    line.map(str::to_owned)
}

#[tokio::test]
async fn delete_and_check_announce_the_rewrite_of_a_large_file() {
    let app = service().await;
    // Free pages, which a rewrite does not copy.
    let enlarge = "create table large (bytes); insert into large values (zeroblob(70000000)); drop table large";
    app.shell(enlarge).await;
    let output = command(&app.path(), &["delete", "goes", "--yes"]);
    assert_has(&output, "larger than 64 MiB");
    assert_has(&output, "`reviews serve` erases that within an hour");
    let report = pending(&app).unwrap();
    assert_has(&report, "1 deleted review;");
    assert_has(&report, "within an hour");
    assert!(app.app().publish_once().await.unwrap());
    let before = publications(&app.path());
    assert_eq!(erase(&app).await, Erased::Done);
    assert_eq!((pending(&app), readable(&app)), (None, Vec::new()));
    app.drain().await;
    assert_eq!(publications(&app.path()), before, "it is not delivered");
}

/// The pages that the writing connection may make, of the present ones.
async fn limit_pages(app: &TestApp, pages: u32) {
    let mut write = app.database().write().await.unwrap();
    let limit = format!("pragma max_page_count = {pages}");
    write.execute(sqlx::AssertSqlSafe(limit)).await.unwrap();
    write.commit().await.unwrap();
}

#[tokio::test]
async fn without_space_what_is_deleted_is_erased_later() {
    let app = service().await;
    let mut write = app.database().write().await.unwrap();
    let deleted = delete_by_owner(&mut write, "goes", None, None);
    deleted.await.unwrap();
    write.commit().await.unwrap();
    // Without the free pages, which would be enough.
    app.sql("vacuum");
    limit_pages(&app, 1).await;
    assert_eq!(erase(&app).await, Erased::Later);
    limit_pages(&app, 1_000_000).await;
    assert_eq!(erase(&app).await, Erased::Done);
    assert_eq!(readable(&app), [""; 0]);
}

#[tokio::test]
async fn the_file_is_rewritten_after_readers_have_finished() {
    let app = service().await;
    let mut reader = connect(&app.path());
    let reading = reader.transaction().unwrap();
    let count = || {
        let count = "select count(*) from review";
        reading.query_one(count, [], |row| row.get::<_, i64>(0))
    };
    assert_eq!(count(), Ok(61));
    let output = command(&app.path(), &["delete", "goes", "--yes"]);
    let reason = "in use, or on a full disk; `reviews serve` erases that within an hour";
    assert_has(&output, reason);
    let log_bytes = || log_bytes(&app);
    let before = log_bytes();
    assert_eq!(erase(&app).await, Erased::Later);
    assert_eq!(log_bytes(), before);
    assert!(pending(&app).is_some());
    assert_eq!(count(), Ok(61));
    drop(reading);
    app.drain().await;
    assert_eq!((pending(&app), readable(&app)), (None, Vec::new()));
}

fn log_bytes(app: &TestApp) -> u64 {
    let log = app.path().with_extension("db-wal");
    fs::metadata(log).map_or(0, |log| log.len())
}
