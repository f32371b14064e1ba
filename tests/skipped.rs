//! Runs after all other tests, and lists and counts those that were skipped because a tool is missing. It has no tests itself.

use std::fs;
use std::io::{Write, stdout};

/// The file that lists them (`tests/it/support/tools.rs`).
const SKIPPED: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/skipped-tests");

fn main() {
    // With `--list` it has no tests.
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    let noted = fs::read_to_string(SKIPPED).unwrap_or_default();
    let _ = fs::remove_file(SKIPPED);
    // Ignores entries of an earlier run that did not reach its end.
    let run = format!("{}\t", std::os::unix::process::parent_id());
    let mut skipped: Vec<String> = noted
        .lines()
        .filter_map(|line| line.strip_prefix(&run))
        .filter_map(|line| line.split_once('\t'))
        .map(|(test, tool)| format!("  {test}: `{tool}` is not installed\n"))
        .collect();
    skipped.sort();
    let what = if skipped.len() == 1 {
        "test was"
    } else {
        "tests were"
    };
    let told = match skipped.len() {
        0 => "no test was skipped\n".to_owned(),
        count => format!(
            "{count} {what} skipped; `./verify` installs what they need and runs them\n{}",
            skipped.concat()
        ),
    };
    let _ = stdout().write_all(format!("\n{told}\n").as_bytes());
}
