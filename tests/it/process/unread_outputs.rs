//! Commands that write complete although their output cannot be written.

use super::outputs::ROWS;
use super::*;

#[test]
fn a_closed_stdout_stops_no_command_that_writes() {
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds");
    for (words, code, query, wanted) in [
        (
            &["import", "rows.jsonl"][..],
            1,
            "select group_concat(review_id) from review",
            "a",
        ),
        (&["seed", seeds], 0, "select count(*) > 50 from review", "1"),
        (&["migrate"], 0, "select count(*) from lineage", "1"),
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
