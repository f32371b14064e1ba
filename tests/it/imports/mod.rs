//! Imports from the file to the database: every format, every kind of error, and repeated imports.

mod cases;
mod drafts;
mod encodings;
mod formats;
mod histories;
mod identity;
mod native;
mod other_writers;
mod platforms;
mod seed;
mod slow;
mod sources;
mod stopped;
mod tables;

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use clap::{Args, FromArgMatches};
use reviews_service::clock::Clock;
use reviews_service::imports::native::{Export, export_record};
use reviews_service::imports::{
    Draft, Format, ImportError, ImportReport, ImportRequest, Outcome, Position, Rejection,
    format_names, import, load_sample,
};
use reviews_service::model::business::Business;
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

/// The whole database as `reviews export` writes it.
async fn export(database: &Database) -> Vec<u8> {
    let mut reader = database.readers().begin().await.unwrap();
    let mut export = Export::default();
    let mut lines = Vec::new();
    while let Some(rows) = export.next(&mut reader).await.unwrap() {
        for (id, known) in rows {
            lines.extend(format!("{}\n", export_record(&id, &known)).into_bytes());
        }
    }
    lines
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

/// A request as the command line makes it; after `format: ` the text of a format follows, in which `;` stands for a line end.
fn request_for(files: impl IntoIterator<Item = PathBuf>, options: &str) -> ImportRequest {
    let (options, format) = options.split_once("format: ").unwrap_or((options, ""));
    // A source that gives only some of its reviews, as `partial = true` of an entry says.
    let (partial, options) = match options.strip_prefix("--partial") {
        Some(rest) => (true, rest),
        None => (false, options),
    };
    let command = ImportRequest::augment_args(clap::Command::new("import").no_binary_name(true));
    let options = shlex::split(options).unwrap().into_iter().map(Into::into);
    let files = files.into_iter().map(PathBuf::into_os_string);
    let words = options.chain(files).collect::<Vec<OsString>>();
    let mut request = ImportRequest::from_arg_matches(&command.get_matches_from(words)).unwrap();
    request.partial = partial;
    if !format.is_empty() {
        request.owner_format = Some(Format::parse(&format.replace(';', "\n")).unwrap());
    }
    request
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

    /// The draft of a file with this content and these options, of which something is open.
    async fn draft(&self, content: impl AsRef<[u8]>, options: &str) -> Draft {
        let request = request_for([self.file("t.csv", content)], options);
        match self.run(&request).await.0 {
            Err(ImportError::Open(draft)) => *draft,
            other => panic!("nothing is open: {other:?}"),
        }
    }

    /// The open keys of that draft.
    async fn open(&self, content: impl AsRef<[u8]>, options: &str) -> String {
        let draft = self.draft(content, options).await;
        Vec::from_iter(draft.format.open).join(" ")
    }

    /// The error message of an import that fails.
    async fn refuse(&self, request: &ImportRequest) -> String {
        self.run(request).await.0.unwrap_err().to_string()
    }

    fn sql(&self, sql: &str) -> String {
        sqlite3(self.database.path(), sql)
    }

    async fn change_no(&self) -> i64 {
        let mut reader = self.database.readers().acquire().await.unwrap();
        reviews::position(&mut reader).await.unwrap().change_no
    }

    async fn set_time_zone(&self, zone: &str) {
        let time_zone = zone.parse().unwrap();
        let business = Business {
            time_zone,
            ..Business::default()
        };
        let mut write = self.database.write().await.unwrap();
        let stored = storage::business::replace(&mut write, &business).await;
        stored.unwrap();
        let noted = storage::business::note_time_zone(&mut write, time_zone).await;
        noted.unwrap();
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

/// How many rows have each of these outcomes.
fn tally<const OUTCOMES: usize>(report: &ImportReport, of: [Outcome; OUTCOMES]) -> [u64; OUTCOMES] {
    of.map(|outcome| report.count(outcome))
}

fn counts(report: &ImportReport) -> (u64, u64, u64, u64) {
    use Outcome::{New, Rejected, Unchanged, Updated};
    tally(report, [New, Updated, Unchanged, Rejected]).into()
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
        row[name] = value.clone();
    }
    row.as_object_mut().unwrap().retain(|_, it| !it.is_null());
    row
}

fn lines(rows: &[Value]) -> String {
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    lines.join("\n")
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
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(*name, options).unwrap();
        archive.write_all(content.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[tokio::test]
async fn an_update_dated_in_the_future_gets_the_time_of_the_import() {
    let bench = bench().await;
    for (changes, updated_at) in [
        (json!({"date": "2026-11-21"}), "2026-11-20"),
        (json!({"updated_at": "2027-11-01T00:00:00Z"}), "2026-11-21"),
        (json!({"text": "Bad."}), "2026-11-22"),
    ] {
        bench.take(native(&changes).to_string()).await;
        let expected = format!("{updated_at}T12:00:00Z");
        assert_eq!(bench.sql("select updated_at from review"), expected);
        bench.clock.advance(chrono::Duration::days(1));
    }
}

/// The first line of an export with this business, and the others.
fn exported(business: &Value, rows: &[Value]) -> String {
    let first = json!({"business": business, "editorial": {}});
    format!("{first}\n{}", lines(rows))
}

#[tokio::test]
async fn the_first_line_of_an_export_sets_the_business_if_there_is_none() {
    let bench = bench().await;
    let business = json!({
        "id": "desert-peak", "name": "Desert Peak", "type": "HVACBusiness", "time_zone": "Pacific/Kiritimati",
        "geo": {"latitude": 33.4, "longitude": -111.9}, "address": {"locality": "Mesa"}, "same_as": ["https://a.example"],
        "services": [{"id": "ac", "name": "AC", "synonyms": ["a/c"]}], "technicians": [{"id": "t1", "name": "Art B"}],
        "service_areas": ["Mesa"]
    });
    let other = json!({"id": "other", "name": "Other"});
    let row = |stars: u8| json!({"id": format!("r-{stars}"), "rating": stars});
    let reviews = [5, 6].map(|stars| native(&row(stars)));
    for (business, new, name) in [(business, 1, Some("Desert Peak")), (other, 0, None)] {
        let (report, rejections) = bench.take(exported(&business, &reviews)).await;
        assert_eq!(counts(&report), (new, 0, 1 - new, 1));
        assert_eq!(report.business.as_deref(), name);
        let message = rejections[0].to_string();
        let place = "some.txt:3: rating: 6 is not one of 1, 2, 3, 4, 5";
        assert!(message.ends_with(place), "{message}");
    }
    let select = "select business_id, type, time_zone, latitude from business;
        select name from technician; select name from service_area";
    let expected = "desert-peak|HVACBusiness|Pacific/Kiritimati|33.4\nArt B\nMesa";
    assert_eq!(bench.sql(select), expected);
    // A table may name them otherwise.
    let sheet = "author,rating,date,text,Who,What\nAnn,5,2026-10-01,Good,art,A/C\n";
    let format = "format: [fields]; technicians = [\"Who\"]; services = [\"What\"]";
    bench.csv(sheet, format).await;
    let mentions = "select kind, value from mention order by 1";
    assert_eq!(bench.sql(mentions), "service|ac\ntechnician|Art B");
}

#[tokio::test]
async fn members_of_a_newer_business_are_passed_over_and_named() {
    let bench = bench().await;
    let service = |number: i32| json!({"id": format!("s{number}"), "name": "AC", "price": 5});
    let services: Vec<Value> = (0..30).map(service).collect();
    let business = json!({"id": "x", "name": "X", "mood": 1, "a.b[0]": 1, "services": services});
    let (report, _) = bench.take(exported(&business, &[native(&json!({}))])).await;
    assert_eq!(counts(&report), (1, 0, 0, 0));
    let names = "business.a.b[0], business.mood, business.services[].price";
    assert_eq!(report.unread.join(", "), names);
    let run = "select group_concat(value, ', ') from import_run, json_each(unread)";
    assert_eq!(bench.sql(run), names);
}

#[tokio::test]
async fn the_business_of_a_file_sets_the_days_of_files_before_it() {
    let bench = bench().await;
    let rows = bench.file("rows", page(&[google(1, "a", &json!({}))]));
    let business = json!({"id": "x", "name": "X", "time_zone": "America/Phoenix"});
    let export = bench.file("export", exported(&business, &[]));
    bench.import(&[&rows, &export]).await;
    assert_eq!(bench.sql("select reviewed_on from review"), "2026-11-01");
}
