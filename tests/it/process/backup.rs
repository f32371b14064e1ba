//! `reviews backup`: a copy of one state, whatever else goes on.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use super::Home;
use crate::support::{connect, sqlite3};

/// How many reviews there are before anybody writes: enough for the copy to take a while.
const REVIEWS: usize = 5000;
/// How many transactions are committed before the backup begins.
const BEFORE: usize = 10;

#[test]
fn a_backup_is_whole_private_and_writes_over_nothing() {
    let home = Home::with(5);
    home.does(&["backup", "copy.db"], "copy.db: ");
    let copy = home.0.path().join("copy.db");
    assert_eq!(sqlite3(&copy, "select count(*) from review"), "5");
    assert_eq!(
        fs::metadata(&copy).unwrap().permissions().mode() & 0o777,
        0o600
    );
    home.refuses(&["backup", "copy.db"], "already exists");
    home.insert(6, 7);
    home.does(&["backup", "copy.db", "--force"], "copy.db: ");
    assert_eq!(sqlite3(&copy, "select count(*) from review"), "7");
    home.refuses(&["backup", "reviews.db", "--force"], "is the database");
    home.refuses(
        &["backup", "none/copy.db"],
        "cannot write the backup none/copy.db: No such file or directory (os error 2); create its folder, or name another file",
    );
    home.refuses(
        &[
            "restore",
            "copy.db",
            "--yes",
            "--database",
            "none/reviews.db",
        ],
        "cannot create the database none/reviews.db: ",
    );
    assert_eq!(
        home.does(&["check", "--database", "sqlite://copy.db"], "7 reviews")
            .code,
        Some(0)
    );
}

/// Commits one transaction after another, each of two reviews, until told to end; says how many.
/// Signals when the first of them are there.
fn write(path: &Path, ready: &mpsc::Sender<()>, is_over: &AtomicBool) -> usize {
    let mut connection = connect(path);
    let mut done = 0;
    while !is_over.load(Ordering::Acquire) {
        let write = connection.transaction().unwrap();
        for half in ["a", "b"] {
            let id = format!("t-{}-{half}", done + 1);
            let insert = "insert into review (review_id, rating, reviewed_on, text) values (?, 5, '2026-11-01', ?)";
            write
                .execute(insert, [&id, &format!("Text of {id}.")])
                .unwrap();
        }
        write.commit().unwrap();
        done += 1;
        if done == BEFORE {
            ready.send(()).unwrap();
        }
    }
    done
}

#[test]
fn a_backup_beside_a_writer_holds_the_transactions_up_to_one_and_of_that_one_all() {
    let home = Home::with(REVIEWS);
    let (ready, is_ready) = mpsc::channel();
    let is_over = AtomicBool::new(false);
    let done = std::thread::scope(|scope| {
        let writer = scope.spawn(|| write(&home.path(), &ready, &is_over));
        is_ready.recv().unwrap();
        let copied = home.run(&["backup", "copy.db"]);
        is_over.store(true, Ordering::Release);
        let done = writer.join().unwrap();
        assert_eq!(copied.code, Some(0), "{}", copied.err);
        done
    });
    let copy = home.0.path().join("copy.db");
    assert_eq!(sqlite3(&copy, "pragma integrity_check"), "ok");
    let of_writer = "from review where review_id like 't-%'";
    let rows: usize = sqlite3(&copy, &format!("select count(*) {of_writer}"))
        .parse()
        .unwrap();
    let kept = rows / 2;
    assert!(
        rows.is_multiple_of(2) && (BEFORE..done).contains(&kept),
        "{rows} rows of {done} transactions"
    );
    // Every one of the first so many, both halves, and nothing of a later one.
    let missing = format!(
        "with recursive n (i) as (select 1 union all select i + 1 from n where i < {kept})
         select count(*) from n cross join (select 'a' as half union all select 'b')
         where not exists (select 1 from review where review_id = 't-' || i || '-' || half)"
    );
    assert_eq!(sqlite3(&copy, &missing), "0", "{kept} of {done}");
    assert_eq!(
        sqlite3(
            &copy,
            "select count(*) from review where review_id like 'p-%'"
        ),
        REVIEWS.to_string()
    );
    home.does(&["check", "--database", "sqlite://copy.db"], "reviews");
}
