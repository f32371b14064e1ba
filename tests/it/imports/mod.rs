//! Imports from the file to the database: every format, every kind of error, and repeated imports.

mod answers;
mod broken;
mod cases;
mod cells;
mod columns;
mod dates;
mod exported;
mod exports;
mod formats;
mod google;
mod guards;
mod histories;
mod hostile;
mod identity;
mod ids;
mod kept;
mod native;
mod platforms;
mod returning;
mod seed;
mod shapes;
mod sources;
mod stopped;
mod tables;

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use clap::{Args, FromArgMatches};
use reviews_service::cli::Exit;
use reviews_service::cli::import::{Import, summary};
use reviews_service::cli::seed::load;
use reviews_service::clock::Clock;
use reviews_service::config::DatabaseConfig;
use reviews_service::imports::{
    Asks, ImportError, ImportReport, ImportRequest, Position, Question, Rejection, Undecided,
    Watch, format_names, import,
};
use reviews_service::model::business;
use reviews_service::model::{Method, Review, Status, Verification};
use reviews_service::storage;
use reviews_service::storage::Database;
use reviews_service::storage::reviews;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Quiet, assert_has, create_database, rounds, sqlite3, table};

/// A new database and a clock at 2026-11-20T12:00:00Z.
struct Bench {
    folder: TempDir,
    database: Database,
    clock: Clock,
}

fn instant(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

async fn bench() -> Bench {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("reviews.db");
    create_database(&path).await;
    let (database, _) = Database::open(&path).await.unwrap();
    Bench {
        folder,
        database,
        clock: Clock::manual(instant("2026-11-20T12:00:00Z")),
    }
}

/// A request as the command line makes it.
fn request_for(files: impl IntoIterator<Item = PathBuf>, options: &str) -> ImportRequest {
    let command = ImportRequest::augment_args(clap::Command::new("import").no_binary_name(true));
    let options = shlex::split(options).unwrap().into_iter().map(Into::into);
    let files = files.into_iter().map(PathBuf::into_os_string);
    let words = options.chain(files).collect::<Vec<OsString>>();
    ImportRequest::from_arg_matches(&command.get_matches_from(words)).unwrap()
}

impl Bench {
    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    async fn run(
        &self,
        request: &ImportRequest,
    ) -> (Result<ImportReport, ImportError>, Vec<Rejection>) {
        let (report, watch) = self.watch(request).await;
        (report, watch.rejections)
    }

    async fn watch(&self, request: &ImportRequest) -> (Result<ImportReport, ImportError>, Quiet) {
        let mut watch = Quiet::default();
        let report = import(&self.database, &self.clock, request, &mut watch).await;
        (report, watch)
    }

    async fn import(&self, files: &[&Path]) -> (ImportReport, Vec<Rejection>) {
        let files = files.iter().map(|file| file.to_path_buf());
        let (report, rejections) = self.run(&request_for(files, "")).await;
        (report.unwrap(), rejections)
    }

    /// Imports a file with this content.
    async fn take(&self, content: impl AsRef<[u8]>) -> (ImportReport, Vec<Rejection>) {
        self.import(&[&self.file("some.txt", content)]).await
    }

    /// The error message if a file with this content cannot be imported.
    async fn refusal(&self, content: impl AsRef<[u8]>) -> String {
        let request = request_for([self.file("some.txt", content)], "");
        self.refuse(&request).await
    }

    /// Imports a file with these options.
    async fn done(&self, file: PathBuf, options: &str) -> ImportReport {
        self.run(&request_for([file], options)).await.0.unwrap()
    }

    /// Imports a table with these options.
    async fn csv(&self, content: impl AsRef<[u8]>, options: &str) -> ImportReport {
        self.done(self.file("t.csv", content), options).await
    }

    /// The error message if a table with this content cannot be imported with these options.
    async fn refused(&self, content: impl AsRef<[u8]>, options: &str) -> String {
        let request = request_for([self.file("t.csv", content)], options);
        self.refuse(&request).await
    }

    /// What must be decided about a file with this content and these options.
    async fn asked(&self, content: impl AsRef<[u8]>, options: &str) -> Undecided {
        let request = request_for([self.file("t.csv", content)], options);
        match self.run(&request).await.0 {
            Err(ImportError::Undecided(undecided)) => *undecided,
            other => panic!("nothing is asked: {other:?}"),
        }
    }

    /// The error message of an import that fails.
    async fn refuse(&self, request: &ImportRequest) -> String {
        self.run(request).await.0.unwrap_err().to_string()
    }

    fn sql(&self, sql: &str) -> String {
        sqlite3(self.database.path(), sql)
    }

    async fn find(&self, id: &str) -> Option<Review> {
        let mut reader = self.database.readers().acquire().await.unwrap();
        let known = reviews::standing(&mut reader, &[id]).await.unwrap();
        known
            .into_values()
            .find_map(|known| known.review().cloned())
    }

    async fn change_no(&self) -> i64 {
        let mut reader = self.database.readers().acquire().await.unwrap();
        reviews::newest_change(&mut reader).await.unwrap()
    }

    async fn set_time_zone(&self, zone: &str) {
        self.set_business(business::Business {
            time_zone: zone.parse().unwrap(),
            ..business::Business::default()
        })
        .await;
    }

    async fn set_business(&self, business: business::Business) {
        let mut write = self.database.write().await.unwrap();
        storage::business::replace(&mut write, &business)
            .await
            .unwrap();
        storage::business::note_time_zone(&mut write, business.time_zone)
            .await
            .unwrap();
        write.commit().await.unwrap();
    }
}

/// A new database whose business is in Phoenix.
async fn bench_in_phoenix() -> Bench {
    let bench = bench().await;
    bench.set_time_zone("America/Phoenix").await;
    bench
}

/// A file in `tests/fixtures`.
fn fixture(name: &str) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    fixtures.join(name)
}

/// Private data of the fixtures.
const PRIVATE: [&str; 5] = [
    "private.person",
    "555 0188",
    "Hidden Lane",
    "Secret Customer",
    "203.0.113.9",
];

/// That the database and its log have none of these words.
fn assert_not_stored(bench: &Bench, words: &[&str], case: &str) {
    for file in ["reviews.db", "reviews.db-wal"] {
        let bytes = fs::read(bench.folder.path().join(file)).unwrap_or_default();
        for word in words {
            let found = memchr::memmem::find(&bytes, word.as_bytes());
            assert_eq!(found, None, "{case}: {word} in {file}");
        }
    }
}

/// Imports a file with these options into such a database.
async fn import_into_new(
    content: impl AsRef<[u8]>,
    options: &str,
) -> (Bench, ImportReport, Vec<Rejection>) {
    let bench = bench_in_phoenix().await;
    let request = request_for([bench.file("some.txt", content)], options);
    let (report, rejections) = bench.run(&request).await;
    (bench, report.unwrap(), rejections)
}

/// What `select` finds after an import with these options into a new database, which rejects no row.
async fn found(content: impl AsRef<[u8]>, options: &str, select: &str) -> String {
    let (bench, _, rejections) = import_into_new(content, options).await;
    assert_eq!(rejections, []);
    bench.sql(select)
}

fn counts(report: &ImportReport) -> (u64, u64, u64, u64) {
    (
        report.new,
        report.updated,
        report.unchanged,
        report.rejected,
    )
}

/// This number of cases, or a multiple of it.
fn config_of(cases: usize) -> proptest::test_runner::Config {
    proptest::test_runner::Config {
        cases: u32::try_from(rounds(cases)).unwrap(),
        failure_persistence: None,
        ..proptest::test_runner::Config::default()
    }
}

/// A native row with these fields set, or removed if the value is null.
fn native(changes: &Value) -> Value {
    let mut row = json!({"id": "r-1", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good."});
    for (name, value) in changes.as_object().unwrap() {
        if value.is_null() {
            row.as_object_mut().unwrap().remove(name);
        } else {
            row[name] = value.clone();
        }
    }
    row
}

fn lines(rows: &[Value]) -> String {
    rows.iter()
        .map(Value::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

fn google(account: u32, review: &str, changes: &Value) -> Value {
    let mut row = json!({
        "name": format!("accounts/{account}/locations/77/reviews/{review}"), "reviewId": review,
        "reviewer": {"displayName": "Ann Baker", "profilePhotoUrl": "https://example.com/p"}, "starRating": "FOUR",
        "comment": "Came on time.", "createTime": "2026-11-02T03:30:00Z", "updateTime": "2026-11-03T10:00:00.123Z"
    });
    for (name, value) in changes.as_object().unwrap() {
        row[name] = value.clone();
    }
    row
}

fn page(rows: &[Value]) -> String {
    json!({ "reviews": rows }).to_string()
}

fn zipped(members: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in members {
        archive
            .start_file(*name, zip::write::SimpleFileOptions::default())
            .unwrap();
        archive.write_all(content.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[tokio::test]
async fn a_dry_run_reports_everything_and_changes_nothing() {
    let bench = bench().await;
    let file = bench.file(
        "rows",
        lines(&[
            native(&json!({"id": "a"})),
            native(&json!({"id": "b", "rating": 9})),
        ]),
    );
    let request = request_for([file], "--dry-run");
    let (report, rejections) = bench.run(&request).await;
    assert_eq!(
        (counts(&report.unwrap()), rejections.len()),
        ((1, 0, 0, 1), 1)
    );
    assert_eq!((bench.find("a").await, bench.change_no().await), (None, 0));
}

#[tokio::test]
async fn the_newest_or_else_the_last_of_rows_with_one_id_is_imported() {
    let bench = bench().await;
    let row = |text: &str, updated: Value| {
        native(&json!({"id": text[..1], "text": text, "updated_at": updated}))
    };
    let first = bench.file(
        "first",
        lines(&[
            row("a new", json!("2026-11-02T00:00:00Z")),
            row("b old", Value::Null),
            row("c same", json!("2026-11-02T00:00:00Z")),
        ]),
    );
    let second = bench.file(
        "second",
        lines(&[
            row("a old", json!("2026-11-01T23:59:59Z")),
            row("b later", json!("2026-11-01T00:00:00Z")),
            row("c later", json!("2026-11-02T01:00:00+01:00")),
        ]),
    );
    let (report, _) = bench.import(&[&first, &second]).await;
    assert_eq!((counts(&report), report.repeated), ((3, 0, 0, 0), 3));
    for (id, text) in [("a", "a new"), ("b", "b later"), ("c", "c later")] {
        assert_eq!(bench.find(id).await.unwrap().text, text);
    }
}

#[tokio::test]
async fn an_update_dated_in_the_future_gets_the_time_of_the_import() {
    let bench = bench().await;
    let ahead = native(&json!({"updated_at": "2027-11-01T00:00:00Z"}));
    bench.take(lines(&[ahead])).await;
    let updated_at = async || bench.find("r-1").await.unwrap().updated_at.unwrap();
    assert_eq!(updated_at().await, instant("2026-11-20T12:00:00Z"));
    bench.clock.advance(chrono::Duration::days(1));
    bench.take(lines(&[native(&json!({"text": "Bad."}))])).await;
    assert_eq!(updated_at().await, instant("2026-11-21T12:00:00Z"));
}

#[tokio::test]
async fn a_dataset_document_sets_the_business_if_there_is_none() {
    let bench = bench().await;
    let business = json!({
        "id": "desert-peak", "name": "Desert Peak", "type": "HVACBusiness", "time_zone": "Pacific/Kiritimati",
        "geo": {"latitude": 33.4, "longitude": -111.9}, "address": {"locality": "Mesa"}, "same_as": ["https://a.example"],
        "services": [{"id": "ac", "name": "AC", "synonyms": ["a/c"]}], "technicians": [{"id": "t1", "name": "Art B"}],
        "service_areas": ["Mesa"]
    });
    let reviews = [
        native(&json!({"id": "a", "date": "2026-11-22", "url": "https://x.example/reviews/a"})),
        native(&json!({"id": "b", "rating": 6})),
    ];
    let document = |business: &Value| json!({"business": business, "aggregate_rating": {"review_count": 2}, "reviews": reviews});
    let (report, rejections) = bench.take(document(&business).to_string()).await;
    assert_eq!(
        (counts(&report), report.business.as_deref()),
        ((1, 0, 0, 1), Some("Desert Peak"))
    );
    let array = "reviews".into();
    assert_eq!(rejections[0].at, Position::Element { array, index: 1 });
    assert!(
        rejections[0]
            .to_string()
            .ends_with("some.txt: reviews[1]: rating: 6 is not one of 1, 2, 3, 4, 5")
    );
    let (report, _) = bench
        .take(document(&json!({"id": "other", "name": "Other"})).to_string())
        .await;
    assert_eq!((counts(&report), report.business), ((0, 0, 1, 1), None));
    let mut reader = bench.database.readers().acquire().await.unwrap();
    let stored = storage::business::find(&mut reader).await.unwrap().unwrap();
    assert_eq!(
        (stored.id.as_str(), stored.services[0].synonyms.as_slice()),
        ("desert-peak", &["a/c".to_owned()][..])
    );
    assert_eq!(
        (stored.geo, stored.technicians.len(), stored.service_areas),
        (Some((33.4, -111.9)), 1, vec!["Mesa".to_owned()])
    );
}

#[tokio::test]
async fn a_file_that_sets_the_time_zone_must_come_first() {
    let bench = bench().await;
    let rows = bench.file("rows", lines(&[native(&json!({}))]));
    let document = json!({"business": {"id": "x", "name": "X", "time_zone": "America/Phoenix"}, "reviews": []}).to_string();
    let document = bench.file("document", document);
    let (report, _) = bench
        .run(&request_for([rows.clone(), document.clone()], ""))
        .await;
    assert_has(&report.unwrap_err().to_string(), "give this file first");
    let (report, _) = bench.import(&[&document, &rows]).await;
    assert_eq!(counts(&report), (1, 0, 0, 0));
}

#[tokio::test]
async fn rejected_rows_are_written_to_a_file_and_the_exit_code_is_1() {
    let bench = bench().await;
    let good = bench.file("good", lines(&[native(&json!({}))]));
    let bad = bench.file(
        "bad",
        format!("{}\n{{broken\n", native(&json!({"id": "x", "rating": 9}))),
    );
    let rejects = bench.folder.path().join("rejects.jsonl");
    let config = DatabaseConfig {
        url: format!("sqlite://{}", bench.database.path().display()),
    };
    let run = async |words: Vec<&Path>| {
        let command = Import::augment_args(clap::Command::new("import"));
        let words = std::iter::once(Path::new("import")).chain(words);
        let args = Import::from_arg_matches(
            &command
                .try_get_matches_from(words.map(Path::as_os_str))
                .unwrap(),
        )
        .unwrap();
        args.run(&config, &bench.clock).await
    };
    assert_eq!(run(vec![&good]).await.unwrap(), Exit::Done);
    assert_eq!(
        run(vec![&good, &bad, Path::new("--rejects"), &rejects])
            .await
            .unwrap(),
        Exit::SomeRejected
    );
    let noted: Vec<Value> = fs::read_to_string(&rejects)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let file = bad.display().to_string();
    assert_eq!(noted[0]["row"]["rating"], 9);
    assert_eq!(
        (&noted[0]["file"], &noted[0]["line"]),
        (&json!(file), &json!(1))
    );
    assert_eq!(
        (&noted[1]["line"], &noted[1]["row"]),
        (&json!(2), &json!("{broken"))
    );
    // Rejected rows never overwrite an input file.
    assert_has(
        &run(vec![&good, Path::new("--rejects"), &good])
            .await
            .unwrap_err()
            .to_string(),
        "name another file",
    );
    assert!(fs::read_to_string(&good).unwrap().contains("r-1"));
}
