//! The synthetic reviews on disk: as a database in use, which is created once and kept below `target/bench`, and as a file to
//! import.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use chrono::DateTime;
use futures_util::TryStreamExt as _;
use reviews_service::clock::Clock;
use reviews_service::insights::{AnalysisInput, Analyzer, store as insights};
use reviews_service::model::PublishedReview;
use reviews_service::snapshot::{self, Publisher, Snapshot};
use reviews_service::storage;
use reviews_service::storage::Database;
use reviews_service::storage::reviews::{Numbered, newest, upsert};
use serde_json::Value;

use super::corpus::Corpus;
use super::snapshots::links;

/// Incremented when the corpus or the tables change, so that an older file is not used.
const VERSION: u32 = 4;
/// The number of reviews per statement, and of statements per transaction.
const BATCH: usize = 1_000;
const BATCHES: usize = 20;

/// The path of a database with `rows` reviews, which is created if it does not exist (takes some minutes for a
/// million).
///
/// # Panics
/// If it cannot be written.
pub async fn database(rows: usize) -> PathBuf {
    let path = path(rows);
    if path.exists() {
        let (database, _) = Database::open(&path).await.unwrap();
        read(&database).await;
        database.close().await;
        return path;
    }
    eprintln!("making {} …", path.display());
    let unfinished = path.with_extension("unfinished");
    let _ = fs::remove_file(&unfinished);
    let (database, _) = Database::open(&unfinished).await.unwrap();
    let corpus = Corpus::new(rows);
    let numbers: Vec<usize> = (0..rows).collect();
    for chunk in numbers.chunks(BATCH * BATCHES) {
        let mut write = database.write().await.unwrap();
        if chunk[0] == 0 {
            storage::business::replace(&mut write, &Corpus::business())
                .await
                .unwrap();
        }
        for batch in chunk.chunks(BATCH) {
            let reviews: Vec<_> = batch.iter().map(|number| corpus.review(*number)).collect();
            upsert(&mut write, &reviews, DateTime::UNIX_EPOCH)
                .await
                .unwrap();
        }
        write.commit().await.unwrap();
    }
    read(&database).await;
    // In use, a part was answered and edited.
    let mut write = database.write().await.unwrap();
    let edit = "update review set reply_text = 'Thanks.', reply_on = '2026-01-02', title = 'Edited' where substr(reviewed_on, 9) = '15'";
    sqlx::query(edit).execute(&mut write).await.unwrap();
    write.commit().await.unwrap();
    read(&database).await;
    database.close().await;
    fs::rename(&unfinished, &path).unwrap();
    path
}

/// The snapshot of the database at `path`.
///
/// # Panics
/// If it cannot be read.
pub async fn snapshot(path: &Path) -> Snapshot {
    let (database, _) = Database::open(path).await.unwrap();
    let publisher = Publisher::new(database, links(), Clock::system());
    publisher.build(None).await.unwrap()
}

/// The path of a database with `rows` reviews.
#[must_use]
pub fn path(rows: usize) -> PathBuf {
    directory().join(format!("reviews-{rows}-v{VERSION}.db"))
}

/// Analyzes texts without a current stored analysis, as the service does in the background.
async fn read(database: &Database) {
    let mut connection = database.readers().acquire().await.unwrap();
    let business = Corpus::business();
    let reader = Analyzer::new(&business, None);
    let reviews: Vec<Numbered> = newest(&mut connection).try_collect().await.unwrap();
    for reviews in reviews.chunks(256) {
        let missing = reviews.iter().filter_map(
            |Numbered {
                 review, analysis, ..
             }| {
                let hash = AnalysisInput::of(review).hash();
                let is_stored = (analysis.as_ref())
                    .is_some_and(|row| row.text_hash == hash && row.method_hash == reader.method());
                (!is_stored).then(|| snapshot::analyze(&reader, review))
            },
        );
        let missing: Vec<_> = missing.collect();
        insights::save(database, &missing, i64::MAX).await.unwrap();
    }
}

/// Writes the corpus as JSON Lines that `reviews import` accepts.
///
/// # Panics
/// If the file cannot be written.
pub fn json_lines(corpus: &Corpus, path: &Path) {
    let mut file = BufWriter::new(fs::File::create(path).unwrap());
    for review in corpus.reviews() {
        let mut line = serde_json::to_value(PublishedReview::new(&review, String::new())).unwrap();
        // The permalink depends on the base URL, so files do not have it.
        line.as_object_mut().and_then(|line| line.remove("url"));
        writeln!(
            file,
            "{}",
            Value::Object(line.as_object().cloned().unwrap_or_default())
        )
        .unwrap();
    }
    file.flush().unwrap();
}

/// The folder for the benchmarks' files.
///
/// # Panics
/// If it cannot be created.
#[must_use]
pub fn directory() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("target"),
        PathBuf::from,
    );
    let directory = target.join("bench");
    fs::create_dir_all(&directory).unwrap();
    directory
}
