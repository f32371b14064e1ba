//! A failed command or a dry run leaves no new database and no file next to it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::Home;

const ROW: &str =
    r#"{"id":"a","rating":5,"date":"2024-11-01","author":"Ann B.","text":"Good.","title":"Title"}"#;
/// Google reviews with instants, which cannot be imported without a time zone.
const INSTANTS: &str = r#"{"reviews":[{"reviewId":"g-1","reviewer":{"displayName":"Ann B."},"starRating":"FIVE",
    "comment":"Good.","createTime":"2024-11-01T03:00:00Z","updateTime":"2024-11-01T03:00:00Z"}],"totalReviewCount":1}"#;

/// The names of all files in the folder.
fn names(home: &Home) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(home.0.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_dry_run_leaves_no_new_database_and_no_file_beside_it() {
    let home = Home::new();
    home.file("own.jsonl", ROW);
    let before = names(&home);
    for words in [
        &["import", "--dry-run", "own.jsonl"][..],
        &["import", "--dry-run", "own.jsonl", "--rejects", "bad.jsonl"],
    ] {
        let done = home.run_ok(words, "1 new, 0 updated");
        assert!(
            done.out.contains("dry run: nothing was changed"),
            "{}",
            done.out
        );
        assert_eq!(names(&home), before);
    }
    // An existing database stays unchanged.
    home.run_ok(&["import", "own.jsonl"], "1 new");
    let bytes = fs::read(home.path()).unwrap();
    home.file("more.jsonl", &ROW.replace("\"a\"", "\"b\""));
    home.run_ok(&["import", "--dry-run", "more.jsonl"], "1 new, 0 updated");
    assert!(
        fs::read(home.path()).unwrap() == bytes,
        "the dry run changed the database"
    );
}

#[test]
fn a_failed_import_leaves_no_new_database_and_no_file_beside_it() {
    let home = Home::new();
    home.file("prose.txt", "Nothing that anybody could import.");
    home.file("instants.json", INSTANTS);
    home.file("own.jsonl", ROW);
    home.file("broken.json", r#"{"id":"#);
    fs::create_dir(home.0.path().join("seeds")).unwrap();
    fs::write(home.0.path().join("seeds/business.json"), "{").unwrap();
    let before = names(&home);
    for words in [
        &["import", "missing.jsonl"][..],
        &["import", "prose.txt"],
        &["import", "instants.json"],
        &["import", "--dry-run", "instants.json"],
        &["import", "own.jsonl", "missing.jsonl"],
        &["import", "own.jsonl", "--map", "stars=Score"],
        &["import", "own.jsonl", "--rejects", "own.jsonl"],
        &["import", "missing.jsonl", "--rejects", "bad.jsonl"],
        &["import", "instants.json", "--rejects", "bad.jsonl"],
        &["seed", "seeds"],
        &["business", "broken.json"],
        &["export", "out.jsonl"],
        &["show", "a"],
    ] {
        let done = home.run(words);
        assert_eq!(done.code, Some(2), "{words:?}: {}{}", done.out, done.err);
        assert_eq!(names(&home), before, "{words:?}: {}", done.err);
        assert!(!done.err.contains(".new-"), "{words:?}: {}", done.err);
    }
}

#[test]
fn an_import_into_a_new_database_creates_only_that_file() {
    let home = Home::new();
    home.file("own.jsonl", ROW);
    home.run_ok(&["import", "own.jsonl"], "1 new");
    assert_eq!(names(&home), ["own.jsonl", "reviews.db"]);
    let mode = fs::metadata(home.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    home.run_ok(&["check"], "1 reviews");
    home.run_err(
        &[
            "import",
            "own.jsonl",
            "--database",
            "sqlite://none/reviews.db",
        ],
        "cannot create the database none/reviews.db",
    );
}
