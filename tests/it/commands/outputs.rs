//! Files that commands write: they never overwrite other files.

use super::*;

/// One valid row and one that is rejected.
const ROWS: &str = "{\"id\":\"a\",\"rating\":5,\"date\":\"2026-11-01\",\"author\":\"Ann B.\",\"text\":\"Good.\"}\n\
    {\"id\":\"b\",\"rating\":9,\"date\":\"2026-11-01\",\"author\":\"Ann B.\",\"text\":\"Good.\"}\n";

/// Names and contents of all files in a folder; links are followed.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap_or_default())
        })
        .collect()
}

/// Asserts that the command exits with 2 and this message, and leaves the folder unchanged.
#[track_caller]
fn assert_refused(home: &Home, words: impl Words, message: &str) {
    let before = contents(home.folder.path());
    let refused = home.run(words);
    refused.failed(message);
    assert_eq!(refused.out, "");
    let after = contents(home.folder.path());
    let names: [Vec<&String>; 2] = [&before, &after].map(|all| all.keys().collect());
    assert!(after == before, "{names:?}");
}

#[test]
fn rejected_rows_never_overwrite_the_database_under_any_path() {
    let home = Home::with(3);
    let folder = home.folder.path();
    home.file("rows.jsonl", ROWS);
    symlink("reviews.db", folder.join("soft")).unwrap();
    symlink("soft", folder.join("softer")).unwrap();
    let whole = home.path().display().to_string();
    // If the database is a link, its files are next to the target.
    for [database, rejects, expected] in table(
        "
        reviews.db → reviews.db → --rejects reviews.db is a file of the database; name another one
        reviews.db → WHOLE → is a file of the database
        reviews.db → softer → --rejects softer is a file of the database
        reviews.db → rows.jsonl → name another file
        reviews.db → reviews.db-wal → is a file of the database
        soft → reviews.db-wal → name another one
        soft → soft-sender → name another one
        soft → reviews.db → name another one
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
fn earlier_rejected_rows_are_overwritten_with_mode_0600() {
    let home = Home::with(1);
    home.file("rows.jsonl", ROWS);
    home.file("notes", "{\"error\":\"not found\"}");
    symlink("nowhere", home.folder.path().join("loose")).unwrap();
    fs::create_dir(home.folder.path().join("folder")).unwrap();
    for [rejects, expected] in table(
        "
        notes → notes exists and is not a file of rejected rows; name another file
        loose → is a symbolic link to a missing file
        folder → is no file; name one
        none/rejected → --rejects none/rejected cannot be written: No such file or directory
        ",
    ) {
        let words = format!("import rows.jsonl --rejects {rejects}");
        assert_refused(&home, words.as_str(), expected);
    }
    let [path, link] = ["rejected", "link"].map(|name| home.folder.path().join(name));
    let import = |rejects: &str| {
        let done = home.run(&["import", "rows.jsonl", "--rejects", rejects]);
        assert_eq!(done.code, Some(1), "{rejects}: {}", done.err);
    };
    import("rejected");
    assert_eq!(mode(&path), 0o600);
    let written = home.read("rejected");
    assert_eq!(written.lines().count(), 1);
    // A link is kept.
    for content in [&written, ""] {
        home.file("rejected", content);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        import("rejected");
        let found = (home.read("rejected"), mode(&path));
        assert_eq!(found, (written.clone(), 0o600));
    }
    symlink("rejected", &link).unwrap();
    import("link");
    assert!(link.is_symlink());
    assert!(!home.file_names().iter().any(|name| name.contains(".new-")));
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
