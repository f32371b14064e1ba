//! The write-ahead log is cut when it is long.

use super::*;

fn log_bytes(path: &Path) -> u64 {
    fs::metadata(path.with_extension("db-wal")).map_or(0, |log| log.len())
}

const FILL: &str = "create table beside (a); insert into beside values (zeroblob(20000000))";

#[tokio::test]
async fn the_service_cuts_a_log_that_another_process_wrote() {
    let app = TestApp::with(&Generator::new(80).reviews(5)).await;
    let other = connect(&app.path());
    other.execute_batch(FILL).unwrap();
    assert!(log_bytes(&app.path()) > LOG_BYTES_MAX);
    app.write(&Generator::new(81).reviews(1)).await;
    assert!(log_bytes(&app.path()) <= LOG_BYTES_MAX);
}
