//! The write-ahead log is cut when it is long, and long writes let waiting writers go first.

use super::*;

fn log_bytes(path: &Path) -> u64 {
    fs::metadata(path.with_extension("db-wal")).map_or(0, |log| log.len())
}

/// Fills the log beside a running service over a separate connection, ends the transaction as given, and closes.
async fn fill_log(path: &Path, end: &str) {
    let (database, _) = Database::open(path).await.unwrap();
    let mut write = database.write().await.unwrap();
    let fill = "create table beside (a); insert into beside values (zeroblob(20000000))";
    sqlx::raw_sql(fill)
        .execute(write.for_reading())
        .await
        .unwrap();
    match end {
        "commit" => write.commit().await.unwrap(),
        "rollback" => write.rollback().await.unwrap(),
        _ => drop(write),
    }
    assert!(
        log_bytes(path) > LOG_BYTES_MAX,
        "{end}: {} bytes",
        log_bytes(path)
    );
    database.close().await;
}

#[tokio::test]
async fn a_long_log_is_cut_whether_or_not_the_write_succeeded() {
    for end in ["commit", "rollback", "failure"] {
        // The service keeps the database open, so that no writer closes it last.
        let app = TestApp::with(&Generator::new(80).reviews(5)).await;
        fill_log(&app.path(), end).await;
        assert_eq!(log_bytes(&app.path()), 0, "{end}");
        app.drain().await;
        check_in_step(&app).await;
    }
}

#[tokio::test]
async fn an_import_that_fails_leaves_no_log_behind() {
    let app = TestApp::with(&Generator::new(80).reviews(5)).await;
    // The last one fills the log, and is refused.
    app.shell(
        "create table large (bytes);
         create trigger late before insert on review when new.review_id = 'z' begin
           insert into large values (zeroblob(40000000)); select raise(abort, 'too late'); end",
    )
    .await;
    let file = app.folder().join("rows.jsonl");
    let rows: String = (0..600).map(small).collect();
    let last = r#"{"id":"z","rating":5,"date":"2026-11-01","author":"Ann","text":"Good."}"#;
    fs::write(&file, rows + last).unwrap();
    let (database, _) = Database::open(&app.path()).await.unwrap();
    let order = ImportRequest {
        files: vec![file],
        ..ImportRequest::default()
    };
    let error = import(
        &database,
        &Clock::manual(start()),
        &order,
        &mut Quiet::default(),
    )
    .await
    .unwrap_err();
    assert!(error.to_string().contains("too late"), "{error}");
    assert!(
        log_bytes(&app.path()) > LOG_BYTES_MAX,
        "{} bytes",
        log_bytes(&app.path())
    );
    database.close().await;
    assert_eq!(log_bytes(&app.path()), 0);
    assert_eq!(app.sql("select count(*) from review"), "5");
}

/// A small row.
fn small(number: usize) -> String {
    format!(
        "{{\"id\":\"y-{number}\",\"rating\":5,\"date\":\"2026-11-01\",\"author\":\"A\",\"text\":\"\"}}\n"
    )
}

#[tokio::test]
async fn the_service_cuts_a_log_that_another_process_wrote() {
    let app = TestApp::with(&Generator::new(80).reviews(5)).await;
    let other = connect(&app.path());
    other.execute_batch("create table beside (a); insert into beside values (zeroblob(20000000)); drop table beside").unwrap();
    assert!(log_bytes(&app.path()) > LOG_BYTES_MAX);
    app.drain().await;
    assert!(
        log_bytes(&app.path()) <= LOG_BYTES_MAX,
        "{} bytes",
        log_bytes(&app.path())
    );
}

#[tokio::test]
async fn a_log_in_use_by_a_reader_is_cut_later() {
    let app = TestApp::with(&Generator::new(80).reviews(5)).await;
    let mut reader = connect(&app.path());
    let reading = reader.transaction().unwrap();
    let count: i64 = reading
        .query_one("select count(*) from review", [], |row| row.get(0))
        .unwrap();
    fill_log(&app.path(), "commit").await;
    assert!(
        !app.database().checkpoint().await.unwrap(),
        "the log must stay while it is read"
    );
    assert_eq!(
        reading
            .query_one("select count(*) from review", [], |row| row
                .get::<_, i64>(0))
            .unwrap(),
        count
    );
    drop(reading);
    assert!(app.database().checkpoint().await.unwrap());
    assert_eq!(log_bytes(&app.path()), 0);
}

#[tokio::test]
async fn an_import_that_waited_lets_other_waiting_writers_go_first() {
    let app = TestApp::with(&Generator::new(80).reviews(5)).await;
    let file = app.folder().join("rows.jsonl");
    fs::write(&file, small(1)).unwrap();
    let (importing, clock) = (
        Database::open(&app.path()).await.unwrap().0,
        Clock::manual(start()),
    );
    let order = ImportRequest {
        files: vec![file],
        ..ImportRequest::default()
    };
    let other = connect(&app.path());
    other.execute_batch("begin immediate").unwrap();
    let mut quiet = Quiet::default();
    let import = import(&importing, &clock, &order, &mut quiet);
    let others = async {
        while clock.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        other.execute_batch("commit").unwrap();
        // Other writers now get the lock whenever they want it.
        for _ in 0..3 {
            app.database()
                .write()
                .await
                .unwrap()
                .commit()
                .await
                .unwrap();
        }
        assert_eq!(
            app.sql("select count(*) from review"),
            "5",
            "the import has written nothing yet"
        );
        loop {
            clock.advance(chrono::Duration::seconds(1));
            tokio::task::yield_now().await;
        }
    };
    let both =
        async { tokio::select!(report = import => report.unwrap(), () = others => unreachable!()) };
    let report = tokio::time::timeout(Duration::from_mins(1), both)
        .await
        .expect("the import never waited, or never ended");
    assert_eq!(report.new, 1);
}
