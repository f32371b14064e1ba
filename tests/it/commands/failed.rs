//! A command that fails, only shows what it would do, or is ended by a signal leaves no file behind.

use super::*;

const ROW: &str =
    r#"{"id":"a","rating":5,"date":"2024-11-01","author":"Ann B.","text":"Good.","title":"Title"}"#;
/// Google reviews with instants, which cannot be imported without a time zone.
const INSTANTS: &str = r#"{"reviews":[{"reviewId":"g-1","reviewer":{"displayName":"Ann B."},"starRating":"FIVE",
    "comment":"Good.","createTime":"2024-11-01T03:00:00Z","updateTime":"2024-11-01T03:00:00Z"}],"totalReviewCount":1}"#;

#[test]
fn a_failed_or_tried_import_leaves_no_new_database_and_no_file() {
    let home = Home::new();
    home.file("instants.json", INSTANTS);
    home.file("own.jsonl", ROW);
    home.file("broken.json", r#"{"id":"#);
    fs::create_dir(home.folder.path().join("seeds")).unwrap();
    home.file("seeds/business.json", "{");
    let before = home.file_names();
    home.run_ok("import --dry-run own.jsonl --rejects bad.jsonl", "1 new");
    assert_eq!(home.file_names(), before);
    for words in [
        "import instants.json",
        "import --dry-run instants.json",
        "import own.jsonl missing.jsonl",
        "import own.jsonl --format missing.toml",
        "import own.jsonl --rejects own.jsonl",
        "import instants.json --rejects bad.jsonl",
        "seed seeds",
        "serve --seed none",
        "business broken.json",
        "export out.jsonl",
        "show a",
    ] {
        let done = home.run(words);
        done.failed("");
        assert_eq!(home.file_names(), before, "{words}: {}", done.err);
        assert!(!done.err.contains(".new-"), "{words}: {}", done.err);
    }
}
