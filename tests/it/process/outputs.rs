//! Files that commands write: they never overwrite other files.

use super::*;

/// One valid row and one that is rejected.
const ROWS: &str = "{\"id\":\"a\",\"rating\":5,\"date\":\"2026-11-01\",\"author\":\"Ann B.\",\"text\":\"Good.\"}\n\
    {\"id\":\"b\",\"rating\":9,\"date\":\"2026-11-01\",\"author\":\"Ann B.\",\"text\":\"Good.\"}\n";

/// Names and contents of all files in a folder; links are followed.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                fs::read(entry.path()).unwrap_or_default(),
            )
        })
        .collect();
    all.sort();
    all
}

fn import(home: &Home, rejects: &str) -> CommandOutput {
    fs::write(home.0.path().join("rows.jsonl"), ROWS).unwrap();
    home.run(&["import", "rows.jsonl", "--rejects", rejects])
}

/// Asserts that the command exits with 2 and this message, and leaves the folder unchanged.
#[track_caller]
fn assert_refused(home: &Home, words: impl Words, wanted: &str) {
    let words = words.list();
    let before = contents(home.0.path());
    let refused = home.run(&words);
    refused.failed(wanted);
    assert_eq!(refused.out, "", "{words:?}");
    let after = contents(home.0.path());
    let names =
        |all: &[(String, Vec<u8>)]| all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert!(
        after == before,
        "{words:?}: {:?} was {:?}",
        names(&after),
        names(&before)
    );
}

#[test]
fn rejected_rows_never_overwrite_the_database_under_any_path() {
    let home = Home::with(3);
    let folder = home.0.path();
    fs::write(folder.join("rows.jsonl"), ROWS).unwrap();
    fs::hard_link(home.path(), folder.join("hard")).unwrap();
    symlink("reviews.db", folder.join("soft")).unwrap();
    symlink("soft", folder.join("softer")).unwrap();
    fs::create_dir(folder.join("in")).unwrap();
    let whole = home.path().display().to_string();
    // If the database is a link, its files are next to the target.
    for [database, rejects, expected] in table(
        "
        reviews.db → reviews.db → --rejects reviews.db is the database; name another one
        reviews.db → WHOLE → is the database; name another one
        reviews.db → ./in/../reviews.db → is the database; name another one
        reviews.db → hard → --rejects hard is the database; name another one
        reviews.db → softer → --rejects softer is the database; name another one
        reviews.db → reviews.db-wal → is the database's file reviews.db-wal; name another one
        reviews.db → reviews.db-shm → is the database's file reviews.db-shm; name another one
        reviews.db → reviews.db-journal → is the database's file reviews.db-journal; name another one
        soft → reviews.db-wal → name another one
        soft → soft-sender → name another one
        soft → reviews.db → name another one
        hard → reviews.db → name another one
        new.db → ./new.db → name another one
        new.db → new.db-sender → name another one
        ",
    ) {
        let rejects = rejects.replace("WHOLE", &whole);
        let words = format!("import rows.jsonl --database {database} --rejects {rejects}");
        assert_refused(&home, words.as_str(), expected);
    }
    assert_eq!(home.sql("select count(*) from review"), "3");
}

#[test]
fn rejected_rows_never_overwrite_files_of_a_database_in_use() {
    let home = Home::with(3);
    fs::write(home.0.path().join("rows.jsonl"), ROWS).unwrap();
    let serving = home.serve();
    let log = home.path().with_extension("db-wal");
    fs::hard_link(log, home.0.path().join("hard")).unwrap();
    for rejects in ["hard", "reviews.db-shm", "reviews.db-sender", "reviews.db"] {
        let words = ["import", "rows.jsonl", "--rejects", rejects];
        home.run_err(&words, "name another one");
    }
    assert_eq!(serving.ids().len(), 3);
}

#[test]
fn rejected_rows_overwrite_only_earlier_rejected_rows() {
    let home = Home::with(1);
    let folder = home.0.path();
    fs::write(folder.join("rows.jsonl"), ROWS).unwrap();
    for content in [
        "Dear diary\n",
        "\n",
        "{}\n",
        ROWS,
        "{\"error\":\"not found\"}",
        "{\"error\":\"e\",\"file\":\"f\",\"line\":1}\n",
        "{\"error\":\"e\",\"file\":\"f\",\"line\":1,\"row\":{},\"mine\":1}\n",
        "\u{0}\u{1}\u{2}",
    ] {
        fs::write(folder.join("notes"), content).unwrap();
        fs::set_permissions(folder.join("notes"), fs::Permissions::from_mode(0o644)).unwrap();
        assert_refused(
            &home,
            "import rows.jsonl --rejects notes",
            "--rejects notes exists and is not a file of rejected rows; name another file",
        );
        assert_eq!(
            fs::metadata(folder.join("notes"))
                .unwrap()
                .permissions()
                .mode()
                & 0o777,
            0o644
        );
    }
    symlink("nowhere", folder.join("loose")).unwrap();
    fs::create_dir(folder.join("folder")).unwrap();
    for (rejects, expected) in [
        ("loose", "is a symbolic link to a missing file"),
        ("folder", "is a folder or a disk; name a file"),
        (
            "none/rejected",
            "--rejects none/rejected cannot be written: No such file or directory",
        ),
    ] {
        assert_refused(
            &home,
            &["import", "rows.jsonl", "--rejects", rejects],
            expected,
        );
    }
}

#[test]
fn earlier_rejected_rows_are_overwritten_with_mode_0600() {
    let home = Home::with(1);
    let path = home.0.path().join("rejected");
    let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    let first = import(&home, "rejected");
    assert_eq!((first.code, mode()), (Some(1), 0o600), "{}", first.err);
    let written = fs::read_to_string(&path).unwrap();
    assert_eq!(written.lines().count(), 1);
    let element =
        "{\"element\":3,\"error\":\"e\",\"file\":\"f\",\"format\":\"table\",\"row\":\"cut\"}\n";
    // Unchanged, empty, or of another format.
    for content in [
        written.clone(),
        String::new(),
        format!("{element}{written}"),
    ] {
        fs::write(&path, &content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let again = import(&home, "rejected");
        assert_eq!(
            (again.code, mode()),
            (Some(1), 0o600),
            "{content}: {}",
            again.err
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), written, "{content}");
    }
    // A device is always accepted.
    assert_eq!(import(&home, "/dev/null").code, Some(1));
    // A link is kept.
    let link = home.0.path().join("link");
    symlink("rejected", &link).unwrap();
    fs::write(&path, "").unwrap();
    assert_eq!(import(&home, "link").code, Some(1));
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(&path).unwrap(), written);
    let names = contents(home.0.path()).into_iter().map(|(name, _)| name);
    assert!(names.into_iter().all(|name| !name.contains(".new-")));
}

#[test]
fn only_an_import_replaces_earlier_rejected_rows() {
    let home = Home::with(1);
    let path = home.0.path().join("rejected");
    import(&home, "rejected");
    let written = fs::read_to_string(&path).unwrap();
    home.file("good.jsonl", ROWS.lines().next().unwrap());
    for (words, code) in [
        (&["import", "missing.csv"][..], 2),
        (&["import", "good.jsonl", "--map", "stars=Score"], 2),
        (&["import", "good.jsonl", "--dry-run"], 0),
    ] {
        let done = home.run(&[words, &["--rejects", "rejected"]].concat());
        assert_eq!(done.code, Some(code), "{words:?}: {}", done.err);
        assert_eq!(fs::read_to_string(&path).unwrap(), written, "{words:?}");
    }
    home.run_ok("import good.jsonl --rejects rejected", "");
    assert_eq!(fs::read_to_string(&path).unwrap(), "");
    // The rows are needed most if they are why the import is refused.
    let words = ["import", "rows.jsonl", "--withdraw-missing"];
    let refused = home.run(&[&words[..], &["--rejects", "rejected"]].concat());
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert_eq!(fs::read_to_string(&path).unwrap(), written);
}

#[test]
fn a_dash_is_standard_output_for_an_export_and_no_other_file() {
    let home = Home::with(2);
    let exported = home.run_ok("export", "p-1");
    assert_eq!(home.run_ok("export -", "p-1").out, exported.out);
    assert_refused(&home, "backup -", "- is no file");
    home.file("rows.jsonl", ROWS);
    assert_refused(&home, "import rows.jsonl --rejects -", "- is no file");
}

#[test]
fn a_closed_stdout_stops_no_command_that_writes() {
    for (words, code, query, wanted) in [
        (
            &["import", "rows.jsonl"][..],
            1,
            "select group_concat(review_id) from review",
            "a",
        ),
        (
            &["migrate"],
            0,
            "select count(lineage_id) from instance",
            "1",
        ),
        (
            &["insights", "rebuild"],
            0,
            "select count(*) from derived_analysis",
            "0",
        ),
    ] {
        let home = Home::new();
        fs::write(home.0.path().join("rows.jsonl"), ROWS).unwrap();
        let done = output_with_closed_stdout(reviews(home.0.path()).args(words));
        assert_eq!(done.code, Some(code), "{words:?}: {}", done.err);
        assert!(
            !done.err.contains("cannot be printed"),
            "{words:?}: {}",
            done.err
        );
        assert_eq!(home.sql(query), wanted, "{words:?}");
    }
}

#[test]
fn closed_outputs_stop_no_import_and_rejected_rows_are_saved() {
    let home = Home::new();
    fs::write(home.0.path().join("rows.jsonl"), ROWS).unwrap();
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    let words = ["import", "rows.jsonl", "--rejects", "rejected"];
    let status = reviews(home.0.path())
        .args(words)
        .stdout(writer.try_clone().unwrap())
        .stderr(writer)
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(1));
    assert_eq!(home.sql("select group_concat(review_id) from review"), "a");
    assert_eq!(
        fs::read_to_string(home.0.path().join("rejected"))
            .unwrap()
            .lines()
            .count(),
        1
    );
}

#[test]
fn a_report_that_cannot_be_written_gives_a_warning() {
    let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else {
        return;
    };
    let home = Home::new();
    fs::write(home.0.path().join("rows.jsonl"), ROWS).unwrap();
    let output = reviews(home.0.path())
        .args(["import", "rows.jsonl"])
        .stdout(full)
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert_has(
        &err,
        "warning: done, but the report cannot be printed: No space left on device",
    );
}
