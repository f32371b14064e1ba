//! The write-ahead log is cut when it is long.

use super::*;

fn log_bytes(path: &Path) -> u64 {
    fs::metadata(path.with_extension("db-wal")).map_or(0, |log| log.len())
}

const FILL: &str = "create table beside (a); insert into beside values (zeroblob(20000000))";

/// Fills the log beside a running service over a separate connection, ends the transaction as given, and closes.
async fn fill_log(path: &Path, end: &str) {
    let (database, _) = Database::open(path).await.unwrap();
    let mut write = database.write().await.unwrap();
    write.execute(FILL).await.unwrap();
    match end {
        "commit" => write.commit().await.unwrap(),
        "rollback" => write.rollback().await.unwrap(),
        _ => drop(write),
    }
    assert!(log_bytes(path) > LOG_BYTES_MAX, "{end}");
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
async fn the_service_cuts_a_log_that_another_process_wrote() {
    let app = TestApp::with(&Generator::new(80).reviews(5)).await;
    let other = connect(&app.path());
    let fill = format!("{FILL}; drop table beside");
    other.execute_batch(&fill).unwrap();
    assert!(log_bytes(&app.path()) > LOG_BYTES_MAX);
    app.drain().await;
    assert!(log_bytes(&app.path()) <= LOG_BYTES_MAX);
}

#[tokio::test]
async fn a_log_in_use_by_a_reader_is_cut_later() {
    let app = TestApp::with(&Generator::new(80).reviews(5)).await;
    let mut reader = connect(&app.path());
    let reading = reader.transaction().unwrap();
    let count = || {
        let count = "select count(*) from review";
        reading.query_one(count, [], |row| row.get::<_, i64>(0))
    };
    assert_eq!(count(), Ok(5));
    fill_log(&app.path(), "commit").await;
    // The log must stay while it is read.
    assert!(!app.database().checkpoint().await.unwrap());
    assert_eq!(count(), Ok(5));
    drop(reading);
    assert!(app.database().checkpoint().await.unwrap());
    assert_eq!(log_bytes(&app.path()), 0);
}
