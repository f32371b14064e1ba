//! `reviews restore`: a backup takes the database's place, and what must not go back stays.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::json;

use super::{Home, reviews, said};
use crate::support::{connect, sqlite3};

/// A firm with four reviews, and a backup of that.
fn home() -> Home {
    let home = Home::new();
    home.does(
        &["init", "--name", "Desert Peak", "--time-zone", "UTC"],
        "Desert Peak",
    );
    let row = |n: u32| {
        json!({"id": format!("r-{n}"), "rating": 5, "date": "2026-10-01", "author": "Ann", "text": format!("Text of number {n}.")})
            .to_string()
    };
    let rows: Vec<String> = (1..=4).map(row).collect();
    home.file("rows.jsonl", &rows.join("\n"));
    home.file("later.jsonl", &row(5));
    home.does(&["import", "rows.jsonl"], "4 new");
    home.does(&["backup", "copy.db"], "`reviews restore copy.db`");
    home
}

impl Home {
    /// Each review's id and status.
    fn statuses(&self) -> String {
        sqlite3(
            &self.path(),
            "select group_concat(review_id || ' ' || status, ', ') from (select * from review order by review_id)",
        )
    }

    /// The files that a restore kept aside.
    fn former(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .filter(|path| path.to_str().unwrap().contains("before-restore"))
            .collect()
    }

    /// The versions of the documents, and when they changed.
    fn publications(&self) -> Vec<(String, i64, String)> {
        let rows = sqlite3(
            &self.path(),
            "select document, version, changed_at from publication order by document",
        );
        let row = |line: &str| {
            let cells: Vec<&str> = line.split('|').collect();
            (
                cells[0].to_owned(),
                cells[1].parse().unwrap(),
                cells[2].to_owned(),
            )
        };
        rows.lines().map(row).collect()
    }
}

#[test]
fn a_backup_takes_the_place_of_the_database_but_deletions_and_withholdings_stay() {
    let home = home();
    home.does(
        &["withhold", "r-1", "--reason", "under dispute"],
        "withheld",
    );
    home.does(&["delete", "r-2"], "deleted");
    home.does(&["import", "later.jsonl"], "1 new");
    home.does(&["respond", "r-3", "A mistake."], "answered");
    home.serve().wait_for("/reviews.json", "A mistake.");
    let before = home.publications();
    let dated = |id: &str| {
        let shown = home.does(&["show", id, "--json"], "updated_at").out;
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        shown["updated_at"].as_str().unwrap().to_owned()
    };
    let answered_at = dated("r-3");
    let highest: i64 = sqlite3(&home.path(), "select max(change_no) from review_change")
        .parse()
        .unwrap();
    let done = home.does(
        &["restore", "copy.db"],
        "reviews.db: restored from copy.db\n",
    );
    for part in [
        "1 deleted again",
        "1 withheld again",
        "the previous file is kept as ",
        "the service removes it after 30 days",
    ] {
        assert!(done.out.contains(part), "{part}: {}", done.out);
    }
    assert_eq!(
        home.statuses(),
        "r-1 withheld, r-3 published, r-4 published"
    );
    home.does(&["show", "r-1"], "withheld (under dispute)");
    let [former] = home.former().try_into().unwrap();
    let mode = fs::metadata(&former).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(
        done.out
            .contains(former.file_name().unwrap().to_str().unwrap()),
        "{}",
        done.out
    );
    assert_eq!(sqlite3(&former, "select count(*) from review"), "4");
    // Nothing of what was deleted is in the file, and change numbers go on.
    let bytes = fs::read(home.path()).unwrap();
    let text = b"Text of number 2.";
    assert!(!bytes.windows(text.len()).any(|part| part == text));
    let numbers = sqlite3(&home.path(), "select max(change_no) from review_change");
    assert!(numbers.parse::<i64>().unwrap() > highest);
    // Without its answer, the review is a newer state of what feed readers saw.
    assert!(dated("r-3") > answered_at, "{answered_at}");
    // What is published next is newer than all before, and is sent.
    home.serve().wait_for("/reviews.json", "Text of number 3.");
    let after = home.publications();
    assert_eq!(before.len(), after.len());
    for (old, new) in before.iter().zip(&after) {
        assert!(new.1 > old.1 && new.2 >= old.2, "{old:?} {new:?}");
    }
    home.does(&["check"], "ok ");
    home.does(&["import", "rows.jsonl"], "kept deleted: r-2");
    assert_eq!(
        home.statuses(),
        "r-1 withheld, r-3 published, r-4 published"
    );
    home.does(&["import", "later.jsonl"], "1 new");
}

#[test]
fn a_review_that_was_withheld_after_the_backup_had_none_of_it_stays_withheld() {
    let home = home();
    home.does(&["import", "later.jsonl"], "1 new");
    home.does(&["withhold", "r-5", "--reason", "x"], "withheld");
    home.does(&["restore", "copy.db"], "1 withheld again");
    home.does(&["import", "later.jsonl"], "1 kept withheld");
    assert!(
        home.statuses().ends_with("r-5 withheld"),
        "{}",
        home.statuses()
    );
}

#[test]
fn what_its_source_withheld_still_follows_its_source_after_a_restore() {
    let home = home();
    let row = |status: &str| {
        json!({"id": "r-1", "rating": 5, "date": "2026-10-01", "author": "Ann", "text": "Text of number 1.", "status": status})
            .to_string()
    };
    home.file("hidden.jsonl", &row("withheld"));
    home.file("shown.jsonl", &row("published"));
    home.does(&["import", "hidden.jsonl"], "1 updated");
    home.does(&["restore", "copy.db"], "1 withheld again");
    home.does(&["import", "shown.jsonl"], "1 updated");
    assert!(
        home.statuses().starts_with("r-1 published"),
        "{}",
        home.statuses()
    );
}

#[test]
fn subscribers_are_those_of_the_database_and_not_of_the_backup() {
    let home = home();
    let subscribe = |callback: &str| {
        sqlite3(
            &home.path(),
            &format!(
                "insert into subscription (document, callback, callback_key, host, state, lease_ends_at, created_at, updated_at)
                 values ('reviews', '{callback}', '{callback}', 'example', 'active', '2100-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')"
            ),
        )
    };
    subscribe("https://gone.example/");
    home.does(&["backup", "copy.db", "--force"], "copy.db");
    sqlite3(&home.path(), "delete from subscription");
    subscribe("https://new.example/");
    home.does(&["restore", "copy.db"], "restored");
    assert_eq!(
        sqlite3(&home.path(), "select callback from subscription"),
        "https://new.example/"
    );
}

#[test]
fn nothing_is_restored_while_a_service_uses_the_database() {
    let home = home();
    let serving = home.serve();
    home.refuses(
        &["restore", "copy.db"],
        "reviews.db is in use by another process; stop `reviews serve`",
    );
    // A second one only reads, and uses it all the same.
    let second = home.serve();
    drop(serving);
    home.refuses(&["restore", "copy.db"], "is in use by another process");
    drop(second);
    home.does(&["restore", "copy.db"], "restored");
    assert_eq!(home.former().len(), 1);
}

#[test]
fn what_is_no_sound_backup_is_refused_and_changes_nothing() {
    let home = home();
    home.file(
        "text.db",
        "Dear diary, this is no database at all, however long it may be.",
    );
    home.file("empty.db", "");
    let folder = home.0.path();
    sqlite3(&folder.join("theirs.db"), "create table theirs (a)");
    fs::copy(folder.join("copy.db"), folder.join("wrong.db")).unwrap();
    sqlite3(
        &folder.join("wrong.db"),
        "delete from review_fts where rowid = (select review_no from review_change where review_id = 'r-3')",
    );
    let whole = fs::read(folder.join("copy.db")).unwrap();
    fs::write(folder.join("cut.db"), &whole[..whole.len() / 2]).unwrap();
    let names = || {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let (before, bytes) = (names(), fs::read(home.path()).unwrap());
    for (file, said) in [
        (
            "none.db",
            "no backup at none.db; `reviews backup FILE` writes one",
        ),
        ("text.db", "text.db is not a SQLite database"),
        ("empty.db", "empty.db is not a SQLite database"),
        ("theirs.db", "theirs.db is the database of another program"),
        (
            "wrong.db",
            "the backup wrong.db is damaged, and nothing was changed: text index: review r-3",
        ),
        ("cut.db", "cut.db is damaged"),
        (
            "reviews.db",
            "FILE reviews.db is the database; name another one",
        ),
        (".", ". is not a SQLite database"),
    ] {
        home.refuses(&["restore", file], said);
        assert_eq!(names(), before, "{file}");
    }
    assert!(
        fs::read(home.path()).unwrap() == bytes,
        "the database was changed"
    );
}

#[test]
fn a_damaged_database_is_replaced_and_that_nothing_was_carried_over_is_said() {
    let home = home();
    fs::write(home.path(), "This was a database once.").unwrap();
    let done = home.does(
        &["restore", "copy.db"],
        "warning: the previous file could not be read",
    );
    assert!(done.out.contains("is kept as"), "{}", done.out);
    home.does(&["check"], "4 reviews");
    let [former] = home.former().try_into().unwrap();
    assert_eq!(fs::read(former).unwrap(), b"This was a database once.");
}

#[test]
fn every_restore_keeps_a_former_file_of_its_own() {
    let home = home();
    for _ in 0..3 {
        home.does(&["restore", "copy.db"], "is kept as");
    }
    assert_eq!(home.former().len(), 3);
}

#[test]
fn what_was_committed_but_not_yet_in_a_damaged_file_is_kept_beside_it() {
    let home = home();
    let log = home.0.path().join("reviews.db-wal");
    let writer = connect(&home.path());
    writer
        .execute_batch("pragma wal_autocheckpoint = 0; update review set text = 'Changed at last.' where review_id = 'r-1'")
        .unwrap();
    let bytes = fs::read(&log).unwrap();
    drop(writer);
    // As a kill leaves it, and then the file is lost.
    fs::write(&log, &bytes).unwrap();
    fs::write(home.path(), "This was a database once.").unwrap();
    home.does(&["restore", "copy.db"], "is kept as");
    home.does(&["check"], "4 reviews");
    let text = sqlite3(
        &home.path(),
        "select text from review where review_id = 'r-1'",
    );
    assert_eq!(text.trim(), "Text of number 1.");
    let kept = home.former();
    let kept = kept
        .iter()
        .find(|path| path.to_str().unwrap().ends_with("-wal"));
    assert_eq!(fs::read(kept.unwrap()).unwrap(), bytes);
}

#[test]
fn a_log_that_a_removed_database_left_is_not_applied_to_the_restored_one() {
    let home = home();
    let log = home.0.path().join("reviews.db-wal");
    let writer = connect(&home.path());
    writer
        .execute_batch("pragma wal_autocheckpoint = 0; update review set text = 'Changed at last.'")
        .unwrap();
    let bytes = fs::read(&log).unwrap();
    drop(writer);
    fs::remove_file(home.path()).unwrap();
    fs::write(&log, &bytes).unwrap();
    home.does(&["restore", "copy.db"], "restored from copy.db");
    home.does(&["check"], "4 reviews");
    let changed = sqlite3(
        &home.path(),
        "select count(*) from review where text like 'Changed%'",
    );
    assert_eq!(changed.trim(), "0");
}

#[test]
fn a_backup_is_restored_where_there_is_no_database_yet() {
    let (home, other) = (home(), Home::new());
    fs::copy(
        home.0.path().join("copy.db"),
        other.0.path().join("copy.db"),
    )
    .unwrap();
    let done = other.does(&["restore", "copy.db", "--yes"], "restored from copy.db");
    assert!(!done.out.contains("is kept as"), "{}", done.out);
    let mode = fs::metadata(other.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    other.does(&["check"], "4 reviews");
    other.does(&["business"], "Desert Peak");
}

#[test]
fn a_cluster_is_not_restored_into() {
    let home = home();
    let url = "rqlite://127.0.0.1:1?file=node.sqlite";
    let refused = said(
        reviews(home.0.path())
            .env("DATABASE_URL", url)
            .args(["restore", "copy.db"]),
    );
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.err.contains("cannot be restored into a cluster"),
        "{}",
        refused.err
    );
}
