//! `reviews restore`: replacing the database by a backup, and what is kept of the current one.

use super::*;

/// A business with four reviews and a backup of them.
pub fn home() -> Home {
    let home = Home::new();
    home.run_ok("init --name 'Desert Peak' --time-zone UTC", "Desert Peak");
    let row = |n: u32| {
        json!({"id": format!("r-{n}"), "rating": 5, "date": "2026-10-01", "author": "Ann", "text": format!("Text of number {n}.")})
            .to_string()
    };
    let rows: Vec<String> = (1..=4).map(row).collect();
    home.file("rows.jsonl", &rows.join("\n"));
    home.file("later.jsonl", &row(5).replace("10-01", "10-05"));
    home.run_ok("import rows.jsonl", "4 new");
    home.run_ok("backup copy.db", "`reviews restore copy.db`");
    home
}

impl Home {
    /// The files that restores have kept, in order.
    pub fn previous_files(&self) -> Vec<PathBuf> {
        let names = self.file_names().into_iter();
        let kept = names.filter(|name| name.contains("before-restore"));
        kept.map(|name| self.folder.path().join(name)).collect()
    }
}

/// The same after decisions, an edit and an import that the backup lacks.
fn home_with_decisions() -> Home {
    let home = home();
    home.steps(
        "
        withhold r-1 --reason 'under dispute' → withheld
        delete r-2 --yes → deleted
        import later.jsonl → 1 new
        reply r-3 'A mistake.' → replied
        sql: update review set author = 'A.' where review_id = 'r-4'
        ",
    );
    home
}

#[test]
fn restoring_a_backup_keeps_later_deletions_and_withholdings() {
    home_with_decisions().steps(
        r"
        restore copy.db → 1 deleted again, as after the backup
        show r-1 → withheld (under dispute)
        check → ok
        import rows.jsonl → kept deleted: r-2
        import later.jsonl → 1 new
        sql: select review_id, status from review order by 1 → r-1|withheld\nr-3|published\nr-4|published\nr-5|published
        ",
    );
}

#[test]
fn a_restore_says_what_it_takes_back_and_where_the_previous_file_is() {
    let home = home_with_decisions();
    let done = home.run_ok("restore copy.db", "reviews.db: restored from copy.db\n");
    let [previous] = home.previous_files().try_into().unwrap();
    for part in [
        "1 deleted again",
        "1 withheld again",
        "imports (1), reviews (1), edited reviews (1), replies (1); what a source has hidden since may be public until its next import",
        "the previous file is kept as ",
        previous.file_name().unwrap().to_str().unwrap(),
        "remove it when you do not need it",
    ] {
        assert_has(&done.out, part);
    }
    assert_eq!(mode(&previous), 0o600);
    assert_eq!(sqlite3(&previous, "select count(*) from review"), "4");
}

#[test]
fn a_restored_file_has_nothing_of_a_review_that_was_deleted_since() {
    let home = home_with_decisions();
    home.run_ok("restore copy.db", "1 deleted again");
    assert!(!home.file_has("Text of number 2."));
}

#[test]
fn changes_and_versions_after_a_restore_have_higher_numbers() {
    let home = home_with_decisions();
    home.serve().wait_for("/reviews.json", "A mistake.");
    let newest = home.sql("select max(version), max(changed_at) from publication");
    let (version, changed_at) = newest.split_once('|').unwrap();
    let numbers = "select max(change_no) from review_change";
    let highest: i64 = home.sql(numbers).parse().unwrap();
    home.run_ok("restore copy.db", "restored");
    assert!(home.sql(numbers).parse::<i64>().unwrap() > highest);
    home.serve().wait_for("/reviews.json", "Text of number 3.");
    let is_newer = format!("min(version) > {version}, min(changed_at) >= '{changed_at}'");
    home.finds(
        &format!("select count(*), {is_newer} from publication"),
        "4|1|1",
    );
}

#[test]
fn a_review_without_the_reply_that_readers_have_seen_counts_as_newer() {
    let home = home_with_decisions();
    let dated = || home.json("show r-3 --json")["updated_at"].to_string();
    let answered_at = dated();
    for _ in 0..2 {
        home.run_ok("restore copy.db", "restored");
        assert!(dated() > answered_at, "{answered_at}");
    }
}

#[test]
fn the_kept_file_restored_again_lacks_nothing() {
    let home = home();
    home.steps(
        "
        reply r-3 'A mistake.' → replied
        import later.jsonl → 1 new
        restore copy.db → without what changed since: imports (1), reviews (1), replies (1); what
        ",
    );
    let [previous] = home.previous_files().try_into().unwrap();
    let done = home.run_ok(format!("restore {}", previous.display()), "restored from");
    assert!(!done.out.contains("without what changed"), "{}", done.out);
}

#[test]
fn a_withholding_since_a_backup_keeps_its_note() {
    home().steps(
        r"
        import later.jsonl → 1 new
        withhold r-1 --reason x --note 'Called the customer.' → withheld
        withhold r-5 --reason x --note 'Called the customer.' → withheld
        restore copy.db → 2 withheld again
        show r-1 → note, not public:\n  Called the customer.
        show r-5 → note, not public:\n  Called the customer.
        import later.jsonl → 1 kept withheld
        ",
    );
}

#[test]
fn a_withholding_by_the_source_since_a_backup_ends_once_the_source_says_so() {
    home().steps(
        r#"
        hidden.jsonl ← {"id": "r-2", "rating": 5, "date": "2026-10-01", "author": "Ann", "text": "Text of number 2.", "status": "withheld"}
        shown.jsonl ← {"id": "r-2", "rating": 5, "date": "2026-10-01", "author": "Ann", "text": "Text of number 2.", "status": "published"}
        import hidden.jsonl → 1 updated
        restore copy.db → 1 withheld again
        import shown.jsonl → 1 updated
        sql: select status from review where review_id = 'r-2' → published
        "#,
    );
}

#[test]
fn an_anonymized_or_deleted_review_stays_so_under_the_former_name_of_its_source() {
    home().steps(
        r#"
        last.jsonl ← {"id": "r-6", "rating": 5, "date": "2026-10-06", "author": "Quorvex", "text": "Tidy."}
        import last.jsonl → 1 new
        anonymize r-6 → Anonymous
        delete r-4 --yes → deleted
        source rename Direct Bookly → 4 reviews are now from Bookly
        restore copy.db → 1 deleted again, as after the backup\n1 anonymized again, as after the backup
        import last.jsonl → 1 kept edited: r-6 author
        import rows.jsonl → 1 kept deleted: r-4
        sql: select (select group_concat(name) from source), source_name, imported_from from deleted_review → Direct|Direct|
        "#,
    );
}

#[test]
fn a_decision_about_a_review_that_its_source_hid_before_stays_the_owners() {
    home().steps(
        r#"
        withhold r-4 --reason A → withheld
        same.jsonl ← {"id": "r-7", "rating": 5, "date": "2026-10-07", "author": "Quorvex", "text": "Dry again.", "status": "withheld", "withheld_reason": "A"}
        import same.jsonl → 1 new
        backup copy.db --force → copy.db
        withhold r-7 --reason A → withheld
        restore copy.db → 1 withheld again
        show r-7 → decided         status
        "#,
    );
}

#[test]
fn decisions_hold_for_reviews_to_which_another_program_gave_other_ids() {
    home().steps(
        r"
        withhold r-4 --reason A → withheld
        backup copy.db --force → copy.db
        sql: update review set review_id = 'new-' || review_id
        delete new-r-1 --yes --reason x → deleted
        withhold new-r-2 --reason B → withheld
        anonymize new-r-3 → Anonymous
        withhold new-r-4 --reason B --note N → withheld
        restore copy.db → 1 deleted again, as after the backup\n1 anonymized again, as after the backup\n2 withheld again
        sql: select review_id, author, withheld_reason, note from review order by 1 → new-r-2|Ann|B|\nnew-r-3|Anonymous||\nnew-r-4|Ann|B|N
        sql: select review_id, reason from deleted_review where reason <> '' → new-r-1|x
        ",
    );
}

#[test]
fn a_restore_warns_of_settings_and_rules_that_hid_more() {
    home().steps(
        r#"
        sql: update business set publish_staff = 'off', description = 'new'; update review set language = 'es' where review_id = 'r-3'
        b.toml ← [[public]]\nnames = "OK"\nvalues = ["y"]\n
        source format Direct b.toml → kept for Direct
        restore copy.db → edited reviews (1), parts of the business and its texts (1); what a source has hidden since may be public until its next import\nwarning: publish_staff is "full" again, which was "off"; set it with `reviews business FILE`\nwarning: Direct is read as in the backup again, without the later rule by which "OK" decides what is public
        "#,
    );
}

#[test]
fn an_unusable_backup_or_a_cluster_is_refused() {
    let home = home();
    home.file("text.db", "Dear diary, this is no database at all.");
    home.file("empty.db", "");
    let folder = home.folder.path();
    sqlite3(&folder.join("theirs.db"), "create table theirs (a)");
    fs::copy(folder.join("copy.db"), folder.join("wrong.db")).unwrap();
    sqlite3(
        &folder.join("wrong.db"),
        "delete from review_fts where rowid = (select review_no from review_change where review_id = 'r-3')",
    );
    let whole = fs::read(folder.join("copy.db")).unwrap();
    fs::write(folder.join("cut.db"), &whole[..whole.len() / 2]).unwrap();
    let (before, bytes) = (home.file_names(), fs::read(home.path()).unwrap());
    for [file, expected] in table(
        "
        none.db → no backup at none.db; `reviews backup FILE` writes one
        text.db → text.db is not a SQLite database
        empty.db → empty.db is not a SQLite database
        theirs.db → theirs.db is the database of another program
        wrong.db → the backup wrong.db is damaged, and nothing was changed: text index: review r-3
        cut.db → cut.db is damaged
        reviews.db → FILE reviews.db is a file of the database; name another one
        . → . is not a SQLite database
        ",
    ) {
        home.run_err(&["restore", file], expected);
        assert_eq!(home.file_names(), before, "{file}");
    }
    assert!(fs::read(home.path()).unwrap() == bytes, "it was changed");
    let home = home.with_variable("DATABASE_URL", "rqlite://127.0.0.1:1?file=node.sqlite");
    home.run_err("restore copy.db", "cannot be restored into a cluster");
}

#[test]
fn a_damaged_database_and_log_are_kept_with_a_warning() {
    let home = home();
    // A change that stands only in the log, as SIGKILL would leave it.
    let path = home.folder.path().join("reviews.db-wal");
    let writer = connect(&home.path());
    let change = "pragma wal_autocheckpoint = 0; update review set text = 'Changed at last.'";
    writer.execute_batch(change).unwrap();
    let log = fs::read(&path).unwrap();
    drop(writer);
    fs::write(&path, &log).unwrap();
    fs::write(home.path(), "This was a database once.").unwrap();
    let done = home.run_ok("restore copy.db", "previous file could not be read");
    assert_has(&done.out, "is kept as");
    home.run_ok("check", "4 reviews");
    let changed = "select count(*) from review where text like 'Changed%'";
    home.finds(changed, "0");
    let [previous, previous_log] = home.previous_files().try_into().unwrap();
    assert_eq!(fs::read(previous).unwrap(), b"This was a database once.");
    assert_eq!(fs::read(previous_log).unwrap(), log);
    // Every restore keeps the previous file.
    home.run_ok("restore copy.db", "is kept as");
    assert_eq!(home.previous_files().len(), 3);
}

#[test]
fn another_database_hands_over_no_decision() {
    let (home, other) = (Home::new(), Home::new());
    for (home, firm) in [(&home, "one"), (&other, "another")] {
        home.steps(&format!(
            r"
            t.csv ← id,author,rating,date,text\na,Ann,5,2026-10-01,Of {firm} firm.\nb,Ann,5,2026-10-01,Of {firm} firm too.\n
            import t.csv → 2 new
            "
        ));
    }
    home.run_ok("backup copy.db", "copy.db: ");
    let copy = home.folder.path().join("copy.db");
    other.steps(&format!(
        r"
        withhold a --reason x → withheld
        delete b --yes → deleted
        restore {} → the previous file was another database
        sql: select review_id, text, status from review order by 1 → a|Of one firm.|published\nb|Of one firm too.|published
        ",
        copy.display()
    ));
}

#[test]
fn restoring_a_backup_keeps_the_subscriptions() {
    let home = home();
    let subscriber = |host: &str| {
        format!(
            "insert into subscription (document, callback, callback_key, host, state, lease_ends_at, created_at, updated_at)
             select 'reviews', '{host}', '{host}', 'example', 'active', '2100-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'"
        )
    };
    home.sql(&subscriber("https://gone.example/"));
    home.run_ok("backup copy.db --force", "copy.db");
    home.sql("delete from subscription");
    home.sql(&subscriber("https://new.example/"));
    home.steps(
        "
        restore copy.db → 1 subscription kept
        sql: select callback from subscription → https://new.example/
        ",
    );
    // Also where there is no database.
    fs::remove_file(home.path()).unwrap();
    let done = home.run_ok("restore copy.db --yes", "restored from copy.db");
    assert!(!done.out.contains("is kept as"), "{}", done.out);
    assert_eq!(mode(&home.path()), 0o600);
    home.steps("check → 4 reviews\nbusiness → Desert Peak");
}
