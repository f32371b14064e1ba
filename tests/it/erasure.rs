//! No text of a deleted review remains in the bytes of the files or in the text index, whoever deleted it.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use reviews_service::storage::{DeliveryLock, Erased, Postponed, REWRITE_AT_ONCE_MAX};
use serde_json::{Value, json};

use crate::process::reviews;
use crate::support::{Generator, TestApp, assert_has, connect, publications};

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
        "title": WORDS[3], "response": {"text": WORDS[2]}});
    app.import(&row.to_string()).await;
    app
}

async fn erase(app: &TestApp, bytes_max: u64) -> Erased {
    app.database().erase_traces(bytes_max).await.unwrap()
}

/// The content of a file. Another process reads it, because closing a file ends all locks of this process on it (POSIX),
/// including those of the service.
fn bytes_of(path: &Path) -> Vec<u8> {
    Command::new("cat").arg(path).output().unwrap().stdout
}

/// Those of the words that are in the database or its log.
fn readable(app: &TestApp) -> Vec<&'static str> {
    let files = ["reviews.db", "reviews.db-wal"].map(|name| bytes_of(&app.folder().join(name)));
    WORDS
        .into_iter()
        .filter(|word| {
            files
                .iter()
                .any(|bytes| memchr::memmem::find(bytes, word.as_bytes()).is_some())
        })
        .collect()
}

/// The number of reviews that the text index has for a trigram.
fn indexed(app: &TestApp, trigram: &str) -> String {
    app.sql(&format!(
        "create virtual table temp.term using fts5vocab ('main', 'review_fts', 'row');
             select count(*) from temp.term where term = '{trigram}'"
    ))
}

/// The rows about it in other tables.
fn stored_rows(app: &TestApp) -> String {
    let count = |table: &str| format!("(select count(*) from {table} where review_id = 'goes')");
    let tables = ["review_source", "mention", "derived_analysis", "review_fts"];
    app.sql(&format!("select {}", tables.map(count).join(" + ")))
}

#[tokio::test]
async fn an_sql_delete_removes_the_review_from_files_and_index() {
    // Some shells overwrite deleted data, others leave it in free pages.
    for is_overwritten in ["on", "off"] {
        let app = service().await;
        assert_eq!(
            (readable(&app), indexed(&app, "xgl").as_str()),
            (WORDS.to_vec(), "1"),
            "the premise"
        );
        app.shell(&format!(
            "pragma secure_delete = {is_overwritten}; delete from review where review_id = 'goes'"
        ))
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
        assert_eq!(stored_rows(&app), "0");
        assert_eq!(
            app.json("/api/reviews/search?query=zyxglint").await["total"],
            0
        );
        let log = fs::metadata(app.folder().join("reviews.db-wal")).map_or(0, |file| file.len());
        assert!(log < 100_000, "the log was cut: {log} bytes");
        // Only the ID stays, so that no import brings the review back.
        assert_eq!(
            app.sql("select count(*) from review_change where review_id = 'goes'"),
            "1"
        );
    }
}

const FIRST_NAMES: &str =
    "Ann|Marcus|Priya|Tom|Elena|Jamal|Grace|Wei|Sofia|Derek|Nadia|Oscar|Ruth|Hugo|Ingrid|Kofi";
const LAST_NAMES: &str = "Whitfield|Okafor|Lindqvist|Marchetti|Delgado|Fairbanks|Novak|Pemberton|Castellano|Yamamoto|Thornbury|Abernathy|Kowalski|\
    Rasmussen|Villanueva|Hartigan";
const OPENINGS: &str = "Called them on a Sunday and somebody came within|Our old unit died and they quoted us|\
    Second time we used them, paid about|The office said the wait would be|He found the leak behind the wall in|\
    New thermostat and a filter came to|They were late by|The drain in the laundry backed up again after|\
    Replaced the water heater for|Booked online and was charged";
const DETAILS: &str = "explained every option before touching anything|left the hallway cleaner than before|\
    had to come back twice for the right part|showed me the worn bearing on his phone|wore boot covers without being asked|\
    tried to sell me a plan that I did not want|matched the price from the other company|forgot to haul away the old tank|\
    answered all questions of my mother patiently|checked the attic and the crawl space too|\
    texted a picture when he was on his way|never returned my call about the invoice";
const STREETS: &str = "Alder Lane|Juniper Court|Copper Ridge|Maple Terrace|Saguaro Drive|Willow Bend|Quail Hollow|Sycamore Street|Vista Road|\
    Palo Verde Way";

/// A typical short review as a line of JSON Lines; the day in the name makes every author unique.
fn short_review(generator: &mut Generator, number: usize) -> Value {
    let mut text = format!("{} {}", generator.word(OPENINGS), 20 + generator.below(900));
    for _ in 0..=generator.below(2) {
        text += &format!(
            "; the man who came to {} {} {}",
            1 + generator.below(9_000),
            generator.word(STREETS),
            generator.word(DETAILS)
        );
    }
    let (first, last) = (generator.word(FIRST_NAMES), generator.word(LAST_NAMES));
    let mut row = json!({"id": format!("o-{number}"), "rating": 1 + generator.below(5), "date": format!("2025-{:02}-{:02}",
        1 + generator.below(12), 1 + generator.below(28)), "author": format!("{first} {last} of {number}"), "text": text});
    if generator.once_in(3) {
        row["title"] = json!(format!(
            "Visit {} to {}",
            generator.below(100_000),
            generator.word(STREETS)
        ));
    }
    if generator.once_in(3) {
        let answer = format!(
            "Thank you, {first} {last}, job {} is noted.",
            generator.below(100_000)
        );
        row["response"] = json!({"text": answer});
    }
    row
}

/// Reviews of a firm, with all texts that each of them ever had.
struct Said {
    rows: Vec<Value>,
    ever: HashMap<String, Vec<String>>,
}

impl Said {
    fn note(&mut self, number: usize) {
        let row = &self.rows[number];
        let said = ["author", "title", "text"].map(|name| row[name].as_str());
        let said = said.into_iter().chain([row["response"]["text"].as_str()]);
        let ever = self.ever.entry(format!("o-{number}")).or_default();
        ever.extend(said.flatten().map(str::to_owned));
    }

    /// Parts of texts unique to these reviews that are in a file of this folder.
    fn found(&self, deleted: &HashSet<String>, folder: &Path) -> Vec<String> {
        const PIECE: usize = 12;
        let pieces = |is_deleted: bool| -> HashSet<&[u8]> {
            let said = self
                .ever
                .iter()
                .filter(|(id, _)| deleted.contains(*id) == is_deleted);
            said.flat_map(|(_, said)| said.iter().flat_map(|said| said.as_bytes().windows(PIECE)))
                .collect()
        };
        let (mut sought, kept) = (pieces(true), pieces(false));
        sought.retain(|piece| !kept.contains(piece));
        let mut found = Vec::new();
        for file in fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path
                .extension()
                .is_some_and(|extension| extension == "jsonl")
            {
                continue;
            }
            let bytes = bytes_of(&path);
            let here = bytes.windows(PIECE).filter(|piece| sought.contains(piece));
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            found.extend(here.map(|piece| format!("{name}: {}", String::from_utf8_lossy(piece))));
        }
        found
    }
}

/// Runs the binary on the database at `path`.
fn command(path: &Path, words: &[&str]) -> String {
    let folder = path.parent().unwrap();
    let done = reviews(folder).args(words).output().unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr),
    );
    assert!(done.status.success(), "{words:?}: {out}{err}");
    out.into_owned()
}

#[tokio::test]
async fn deleted_short_reviews_leave_no_trace() {
    let mut generator = Generator::new(2_311);
    let mut said = Said {
        rows: Vec::new(),
        ever: HashMap::new(),
    };
    let (mut deleted, mut app) = (HashSet::new(), TestApp::empty().await);
    for round in 0..2 {
        // 40 more reviews, and newer states of existing ones: merged, edited, answered and withdrawn.
        for number in round * 40..(round + 1) * 40 {
            said.rows.push(short_review(&mut generator, number));
            said.note(number);
        }
        for _ in 0..8 {
            let number = generator.below(said.rows.len());
            // A row whose day changed, too, would be another review.
            let day = said.rows[number]["date"].take();
            said.rows[number] = short_review(&mut generator, number);
            said.rows[number]["date"] = day;
            said.note(number);
        }
        let lines: Vec<String> = said.rows.iter().map(ToString::to_string).collect();
        fs::write(app.folder().join("month.jsonl"), lines.join("\n")).unwrap();
        command(&app.path(), &["import", "month.jsonl"]);
        app.drain().await;
        let mut there: Vec<String> = (0..said.rows.len())
            .map(|number| format!("o-{number}"))
            .collect();
        there.retain(|id| !deleted.contains(id));
        for index in (1..there.len()).rev() {
            there.swap(index, generator.below(index + 1));
        }
        let edit = format!(
            "As she told us at the counter on visit {}.",
            generator.below(100_000)
        );
        said.ever.get_mut(&there[0]).unwrap().push(edit.clone());
        app.shell(&format!(
            "update review set text = '{edit}' where review_id = '{}'",
            there[0]
        ))
        .await;
        let answer = format!("We are sorry about ticket {}.", generator.below(100_000));
        said.ever.get_mut(&there[1]).unwrap().push(answer.clone());
        command(&app.path(), &["respond", &there[1], &answer]);
        command(
            &app.path(),
            &["withhold", &there[2], "--reason", "under dispute"],
        );
        there.truncate(15);

        // The first five without a service, five beside one, and the others by a shell beside it.
        app = app
            .restart_after(|path| {
                for id in &there[..5] {
                    let output = command(path, &["delete", id]);
                    assert!(output.contains("and erased from the file"), "{output}");
                }
                deleted.extend(there[..5].iter().cloned());
                assert_eq!(
                    said.found(&deleted, path.parent().unwrap()),
                    [""; 0],
                    "round {round}, stopped"
                );
            })
            .await;
        for id in &there[5..10] {
            let output = command(&app.path(), &["delete", id]);
            assert!(output.contains("and erased from the file"), "{output}");
        }
        deleted.extend(there[5..10].iter().cloned());
        assert_eq!(
            said.found(&deleted, app.folder()),
            [""; 0],
            "round {round}, beside a service"
        );
        for id in &there[10..] {
            app.sql(&format!("delete from review where review_id = '{id}'"));
        }
        deleted.extend(there[10..].iter().cloned());
        app.drain().await;
        assert_eq!(
            said.found(&deleted, app.folder()),
            [""; 0],
            "round {round}, by a shell"
        );
    }
    assert_eq!((said.rows.len(), deleted.len()), (80, 30));
    assert_eq!(app.sql("select count(*) from review"), "50");
}

/// The number of deleted reviews that `check` reports as not erased yet.
fn pending(app: &TestApp) -> Option<String> {
    let said = command(&app.path(), &["check"]);
    let line = said.lines().find(|line| line.contains("erasure"));
    line.map(str::to_owned)
}

#[tokio::test]
async fn delete_and_check_announce_the_rewrite_of_a_large_file() {
    let app = service().await;
    // Free pages, which a rewrite does not copy.
    let enlarge = "create table large (bytes); insert into large values (zeroblob(70000000)); drop table large";
    app.shell(enlarge).await;
    let service = DeliveryLock::take(&app.path()).unwrap().unwrap();
    let output = command(&app.path(), &["delete", "goes"]);
    assert_has(&output, "larger than 64 MiB");
    assert_has(&output, "`reviews serve` erases that within an hour");
    let said = pending(&app).unwrap();
    assert_has(&said, "1 deleted review;");
    assert_has(&said, "within an hour");
    // The job of every minute does it once an hour.
    let erased = erase(&app, REWRITE_AT_ONCE_MAX).await;
    assert_eq!(erased, Erased::Later(Postponed::Large));
    assert!(pending(&app).is_some());
    assert!(app.app().publish_once().await.unwrap());
    let before = publications(&app.path());
    assert_eq!(erase(&app, u64::MAX).await, Erased::Done);
    assert_eq!((pending(&app), readable(&app)), (None, Vec::new()));
    app.drain().await;
    assert_eq!(publications(&app.path()), before, "it is not delivered");
    // Without a service, the command does it.
    drop(service);
    app.shell(enlarge).await;
    let output = command(&app.path(), &["delete", "r-00001"]);
    assert!(output.contains("and erased from the file"), "{output}");
    assert_eq!(pending(&app), None);
}

#[tokio::test]
async fn the_file_is_rewritten_after_readers_have_finished() {
    let app = service().await;
    let mut reader = connect(&app.path());
    let reading = reader.transaction().unwrap();
    let count = |reading: &rusqlite::Transaction<'_>| -> i64 {
        reading
            .query_one("select count(*) from review", [], |row| row.get(0))
            .unwrap()
    };
    assert_eq!(count(&reading), 61);
    let output = command(&app.path(), &["delete", "goes"]);
    assert_has(
        &output,
        "another process reads or writes it; `reviews serve` erases that within an hour",
    );
    let log = fs::metadata(app.path().with_extension("db-wal"))
        .unwrap()
        .len();
    assert_eq!(erase(&app, u64::MAX).await, Erased::Later(Postponed::Busy));
    assert_eq!(
        fs::metadata(app.path().with_extension("db-wal"))
            .unwrap()
            .len(),
        log
    );
    assert!(pending(&app).is_some());
    assert_eq!(count(&reading), 61);
    drop(reading);
    app.drain().await;
    assert_eq!((pending(&app), readable(&app)), (None, Vec::new()));
}
