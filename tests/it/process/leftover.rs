//! A command that fails, or was asked only to look, leaves no new file behind: neither the database nor what
//! stands beside it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::Home;

const ROW: &str =
    r#"{"id":"a","rating":5,"date":"2024-11-01","author":"Ann B.","text":"Good.","title":"Title"}"#;
/// A Business Profile's reviews: instants, for which there is no time zone yet.
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
    let said = home.does(&["import", "--dry-run", "own.jsonl"], "1 new, 0 updated");
    assert!(
        said.out.contains("dry run: nothing was changed"),
        "{}",
        said.out
    );
    assert_eq!(names(&home), before);
    // Where there is one, it is left as it was.
    home.does(&["import", "own.jsonl"], "1 new");
    let bytes = fs::read(home.path()).unwrap();
    home.file("more.jsonl", &ROW.replace("\"a\"", "\"b\""));
    home.does(&["import", "--dry-run", "more.jsonl"], "1 new, 0 updated");
    assert!(
        fs::read(home.path()).unwrap() == bytes,
        "the database was written"
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
        &["seed", "seeds"],
        &["business", "broken.json"],
        &["export", "out.jsonl"],
        &["show", "a"],
    ] {
        let said = home.run(words);
        assert_eq!(said.code, Some(2), "{words:?}: {}{}", said.out, said.err);
        assert_eq!(names(&home), before, "{words:?}: {}", said.err);
        assert!(!said.err.contains(".new-"), "{words:?}: {}", said.err);
    }
}

#[test]
fn a_new_database_of_an_import_is_there_whole_and_alone() {
    let home = Home::new();
    home.file("own.jsonl", ROW);
    home.does(&["import", "own.jsonl"], "1 new");
    assert_eq!(names(&home), ["own.jsonl", "reviews.db"]);
    let mode = fs::metadata(home.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    home.does(&["check"], "1 reviews");
    home.refuses(
        &[
            "import",
            "own.jsonl",
            "--database",
            "sqlite://none/reviews.db",
        ],
        "cannot create the database none/reviews.db",
    );
}
