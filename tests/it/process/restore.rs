//! `reviews restore`: replacing the database by a backup, and what is kept of the current one.

use super::*;

/// A business with four reviews and a backup of them.
fn home() -> Home {
    let home = Home::new();
    home.run_ok("init --name 'Desert Peak' --time-zone UTC", "Desert Peak");
    let row = |n: u32| {
        json!({"id": format!("r-{n}"), "rating": 5, "date": "2026-10-01", "author": "Ann", "text": format!("Text of number {n}.")})
            .to_string()
    };
    let rows: Vec<String> = (1..=4).map(row).collect();
    home.file("rows.jsonl", &rows.join("\n"));
    home.file("later.jsonl", &row(5));
    home.run_ok("import rows.jsonl", "4 new");
    home.run_ok("backup copy.db", "`reviews restore copy.db`");
    home
}

impl Home {
    /// ID and status of each review.
    fn statuses(&self) -> String {
        sqlite3(
            &self.path(),
            "select group_concat(review_id || ' ' || status, ', ') from (select * from review order by review_id)",
        )
    }

    /// The files that restores have kept.
    fn previous_files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .filter(|path| path.to_str().unwrap().contains("before-restore"))
            .collect()
    }

    /// Document, version, and time of change of each publication.
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
fn restoring_a_backup_keeps_later_deletions_and_withholdings() {
    let home = home();
    home.run_ok("withhold r-1 --reason 'under dispute'", "withheld");
    home.run_ok("delete r-2", "deleted");
    home.run_ok("import later.jsonl", "1 new");
    home.run_ok("respond r-3 'A mistake.'", "answered");
    home.serve().wait_for("/reviews.json", "A mistake.");
    let before = home.publications();
    let dated = |id: &str| {
        let shown = home.run_ok(&["show", id, "--json"], "updated_at").out;
        let shown: Value = serde_json::from_str(&shown).unwrap();
        shown["updated_at"].as_str().unwrap().to_owned()
    };
    let answered_at = dated("r-3");
    let highest: i64 = home
        .sql("select max(change_no) from review_change")
        .parse()
        .unwrap();
    let done = home.run_ok("restore copy.db", "reviews.db: restored from copy.db\n");
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
    home.run_ok("show r-1", "withheld (under dispute)");
    let [previous] = home.previous_files().try_into().unwrap();
    let mode = fs::metadata(&previous).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_has(&done.out, previous.file_name().unwrap().to_str().unwrap());
    assert_eq!(sqlite3(&previous, "select count(*) from review"), "4");
    // The file has nothing of the deleted review, and change numbers continue.
    let bytes = fs::read(home.path()).unwrap();
    let text = b"Text of number 2.";
    assert!(!bytes.windows(text.len()).any(|part| part == text));
    let numbers = home.sql("select max(change_no) from review_change");
    assert!(numbers.parse::<i64>().unwrap() > highest);
    // Feed readers have seen the answer, so the review without it counts as newer.
    assert!(dated("r-3") > answered_at, "{answered_at}");
    // The next publication has higher versions than all before.
    home.serve().wait_for("/reviews.json", "Text of number 3.");
    let after = home.publications();
    assert_eq!(before.len(), after.len());
    for (old, new) in before.iter().zip(&after) {
        assert!(new.1 > old.1 && new.2 >= old.2, "{old:?} {new:?}");
    }
    home.run_ok("check", "ok ");
    home.run_ok("import rows.jsonl", "kept deleted: r-2");
    assert_eq!(
        home.statuses(),
        "r-1 withheld, r-3 published, r-4 published"
    );
    home.run_ok("import later.jsonl", "1 new");
}

#[test]
fn reviews_withheld_since_a_backup_keep_state_and_notes() {
    let home = home();
    home.run_ok("import later.jsonl", "1 new");
    for id in ["r-1", "r-5"] {
        let words = [
            "withhold",
            id,
            "--reason",
            "x",
            "--note",
            "Called the customer.",
        ];
        home.run_ok(&words, "withheld");
    }
    home.run_ok("restore copy.db", "2 withheld again");
    for id in ["r-1", "r-5"] {
        home.run_ok(&["show", id], "note, not public:\n  Called the customer.");
    }
    home.run_ok("import later.jsonl", "1 kept withheld");
    assert!(
        home.statuses().ends_with("r-5 withheld"),
        "{}",
        home.statuses()
    );
}

#[test]
fn reviews_withheld_by_the_source_follow_it_after_a_restore() {
    let home = home();
    let row = |status: &str| {
        json!({"id": "r-1", "rating": 5, "date": "2026-10-01", "author": "Ann", "text": "Text of number 1.", "status": status})
            .to_string()
    };
    home.file("hidden.jsonl", &row("withheld"));
    home.file("shown.jsonl", &row("published"));
    home.run_ok("import hidden.jsonl", "1 updated");
    home.run_ok("restore copy.db", "1 withheld again");
    home.run_ok("import shown.jsonl", "1 updated");
    assert!(
        home.statuses().starts_with("r-1 published"),
        "{}",
        home.statuses()
    );
}

#[test]
fn restoring_a_backup_keeps_the_current_subscribers() {
    let home = home();
    let subscribe = |callback: &str| {
        home.sql(&format!(
                "insert into subscription (document, callback, callback_key, host, state, lease_ends_at, created_at, updated_at)
                 values ('reviews', '{callback}', '{callback}', 'example', 'active', '2100-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')"
            ))
    };
    subscribe("https://gone.example/");
    home.run_ok("backup copy.db --force", "copy.db");
    home.sql("delete from subscription");
    subscribe("https://new.example/");
    home.run_ok("restore copy.db", "restored");
    assert_eq!(
        home.sql("select callback from subscription"),
        "https://new.example/"
    );
}

#[test]
fn nothing_is_restored_while_a_service_uses_the_database() {
    let home = home();
    let serving = home.serve();
    home.steps("restore copy.db ✗ reviews.db is in use by another process; stop `reviews serve`");
    // A second service only reads, but also uses the database.
    let second = home.serve();
    drop(serving);
    home.run_err("restore copy.db", "is in use by another process");
    drop(second);
    home.run_ok("restore copy.db", "restored");
    assert_eq!(home.previous_files().len(), 1);
}

#[test]
fn an_unusable_backup_is_refused_and_changes_nothing() {
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
    for [file, expected] in table(
        "
        none.db → no backup at none.db; `reviews backup FILE` writes one
        text.db → text.db is not a SQLite database
        empty.db → empty.db is not a SQLite database
        theirs.db → theirs.db is the database of another program
        wrong.db → the backup wrong.db is damaged, and nothing was changed: text index: review r-3
        cut.db → cut.db is damaged
        reviews.db → FILE reviews.db is the database; name another one
        . → . is not a SQLite database
        ",
    ) {
        home.run_err(&["restore", file], expected);
        assert_eq!(names(), before, "{file}");
    }
    assert!(
        fs::read(home.path()).unwrap() == bytes,
        "the database was changed"
    );
}

#[test]
fn a_damaged_database_is_replaced_with_a_warning() {
    let home = home();
    fs::write(home.path(), "This was a database once.").unwrap();
    let done = home.run_ok(
        "restore copy.db",
        "warning: the previous file could not be read",
    );
    assert_has(&done.out, "is kept as");
    home.run_ok("check", "4 reviews");
    let [previous] = home.previous_files().try_into().unwrap();
    assert_eq!(fs::read(previous).unwrap(), b"This was a database once.");
}

#[test]
fn every_restore_keeps_the_previous_file() {
    let home = home();
    for _ in 0..3 {
        home.run_ok("restore copy.db", "is kept as");
    }
    assert_eq!(home.previous_files().len(), 3);
}

#[test]
fn the_log_of_a_damaged_database_is_kept() {
    let home = home();
    let log = home.0.path().join("reviews.db-wal");
    let writer = connect(&home.path());
    writer
        .execute_batch("pragma wal_autocheckpoint = 0; update review set text = 'Changed at last.' where review_id = 'r-1'")
        .unwrap();
    let bytes = fs::read(&log).unwrap();
    drop(writer);
    // Put the log back as SIGKILL would leave it, then damage the file.
    fs::write(&log, &bytes).unwrap();
    fs::write(home.path(), "This was a database once.").unwrap();
    home.run_ok("restore copy.db", "is kept as");
    home.run_ok("check", "4 reviews");
    let text = home.sql("select text from review where review_id = 'r-1'");
    assert_eq!(text.trim(), "Text of number 1.");
    let kept = home.previous_files();
    let kept = kept
        .iter()
        .find(|path| path.to_str().unwrap().ends_with("-wal"));
    assert_eq!(fs::read(kept.unwrap()).unwrap(), bytes);
}

#[test]
fn the_log_of_a_removed_database_is_not_applied_on_restore() {
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
    home.run_ok("restore copy.db", "restored from copy.db");
    home.run_ok("check", "4 reviews");
    let changed = home.sql("select count(*) from review where text like 'Changed%'");
    assert_eq!(changed.trim(), "0");
}

#[test]
fn a_backup_is_restored_if_there_is_no_database_yet() {
    let (home, other) = (home(), Home::new());
    fs::copy(
        home.0.path().join("copy.db"),
        other.0.path().join("copy.db"),
    )
    .unwrap();
    let done = other.run_ok("restore copy.db --yes", "restored from copy.db");
    assert!(!done.out.contains("is kept as"), "{}", done.out);
    let mode = fs::metadata(other.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    other.run_ok("check", "4 reviews");
    other.run_ok("business", "Desert Peak");
}

#[test]
fn restoring_into_a_cluster_is_refused() {
    let home = home();
    let url = "rqlite://127.0.0.1:1?file=node.sqlite";
    let refused = output_of(
        reviews(home.0.path())
            .env("DATABASE_URL", url)
            .args(["restore", "copy.db"]),
    );
    assert_eq!(refused.code, Some(2));
    assert_has(&refused.err, "cannot be restored into a cluster");
}
