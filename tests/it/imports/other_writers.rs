//! Other programs that write while an import reads its files and compares the rows.

use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

use reviews_service::imports::{ImportError, Watch, import};
use reviews_service::storage::is_overtaken;

use super::{Bench, bench, request_for};
use crate::support::connect;

const ROW: &str =
    r#"{"id": "a", "rating": 4, "date": "2026-10-30", "author": "Ann", "text": "Good."}"#;

/// Another program, which runs this SQL whenever the import looks whether it is to stop, and does not wait for a lock.
struct OtherWriter<'p> {
    path: &'p Path,
    sql: &'p str,
    refused: Cell<u32>,
}

impl Watch for OtherWriter<'_> {
    fn is_stopped(&self) -> bool {
        let other = connect(self.path);
        other.busy_timeout(Duration::ZERO).unwrap();
        if let Err(error) = other.execute_batch(self.sql) {
            assert_eq!(error.to_string(), "database is locked");
            self.refused.set(self.refused.get() + 1);
        }
        false
    }
}

/// Before the batch of the one row, and at the end.
const LOOKS_WHILE_IT_WRITES: u32 = 2;

/// Imports the row with this text beside another program; returns how often that was refused.
async fn import_beside(
    bench: &Bench,
    sql: &str,
    text: &str,
    holds_lock: bool,
) -> Result<u32, ImportError> {
    let file = bench.file("row.jsonl", ROW.replace("Good.", text));
    let mut request = request_for([file], "");
    request.holds_lock = holds_lock;
    let mut other = OtherWriter {
        path: bench.database.path(),
        sql,
        refused: Cell::new(0),
    };
    let done = import(&bench.database, &bench.clock, &request, &mut other).await;
    done.map(|_| other.refused.get())
}

#[tokio::test]
async fn others_write_while_rows_are_compared_and_the_import_notices() {
    let bench = bench().await;
    bench.take(ROW).await;
    for edit in [
        "update review set rating = iif(rating = 1, 2, 1)",
        // Another command
        "update review_source set said = json_set(said, '$.rating', 5);
         update instance set owner_writes = owner_writes + 1",
    ] {
        let before = bench.sql("select text from review");
        let overtaken = import_beside(&bench, edit, "Better.", false)
            .await
            .unwrap_err();
        assert!(is_overtaken(&overtaken), "{overtaken}");
        assert_eq!(bench.sql("select text from review"), before);
    }
    bench.take(ROW.replace("Good.", "Better.")).await;
    assert_eq!(
        bench.sql("select rating <> 4, text from review"),
        "1|Better.",
        "the owner's stars stay"
    );
}

#[tokio::test]
async fn what_concerns_no_review_is_not_in_the_way() {
    let bench = bench().await;
    bench.take(ROW).await;
    let lease = "insert or replace into lease (name, holder, ends_at) values ('sender', hex(randomblob(8)), '')";
    let refused = import_beside(&bench, lease, "Better.", false)
        .await
        .unwrap();
    assert_eq!(refused, LOOKS_WHILE_IT_WRITES);
    assert_eq!(bench.sql("select text from review"), "Better.");
    let refused = import_beside(&bench, lease, "Best.", true).await.unwrap();
    assert_eq!(refused, LOOKS_WHILE_IT_WRITES + 1, "while it compares, too");
    assert_eq!(bench.sql("select text from review"), "Best.");
}

#[tokio::test]
async fn each_command_that_changes_something_is_counted() {
    let bench = bench().await;
    let mut counts = Vec::new();
    for _ in 0..3 {
        bench.take(ROW).await;
        counts.push(bench.sql("select owner_writes from instance"));
    }
    let write = bench.database.write_as_owner().await.unwrap();
    write.commit().await.unwrap();
    counts.push(bench.sql("select owner_writes from instance"));
    assert_eq!(counts, ["1", "2", "3", "3"]);
}
