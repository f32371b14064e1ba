//! Hostile files given to `reviews import`: its exit code and message, and that nothing of them is stored.

mod archives;
mod tables;

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::process::Stdio;

use serde_json::json;

use super::{google, lines, native, page, sqlite3};
use crate::process::{CommandOutput, Home, reviews};

impl Home {
    /// Imports a file `given` with this content.
    fn import_content(&self, content: impl AsRef<[u8]>) -> CommandOutput {
        fs::write(self.0.path().join("given"), content).unwrap();
        self.run(&["import", "given"])
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn stored(&self) -> String {
        sqlite3(
            &self.path(),
            "select review_id, rating, text from review order by review_id",
        )
    }
}

/// Asserts that the output contains `message`, is short, and has no control characters, which a terminal would execute.
#[track_caller]
fn assert_clear(what: &str, done: &CommandOutput, message: &str) {
    let output = format!("{}{}", done.out, done.err);
    assert!(
        output.contains(message),
        "{what}: {output} should contain {message}"
    );
    assert!(
        !output.contains("panicked") && !output.contains(|c: char| c.is_control() && c != '\n'),
        "{what}: {output:?}"
    );
    assert!(output.len() < 8 << 10, "{what}: {} bytes", output.len());
}

/// Asserts that importing `content` fails and leaves no file behind.
#[track_caller]
fn assert_refused(what: &str, content: impl AsRef<[u8]>, message: &str) {
    let home = Home::new();
    let done = home.import_content(content);
    assert_eq!(done.code, Some(2), "{what}: {}{}", done.out, done.err);
    assert_clear(what, &done, message);
    assert_eq!(home.names(), ["given"], "{what}");
}

/// Asserts that `row` is rejected and a valid row `r-1` before it is stored.
#[track_caller]
fn assert_rejected(what: &str, row: impl AsRef<[u8]>, message: &str) {
    let home = Home::new();
    let good = native(&json!({})).to_string();
    let done = home.import_content([good.as_bytes(), b"\n", row.as_ref(), b"\n"].concat());
    assert_eq!(done.code, Some(1), "{what}: {}{}", done.out, done.err);
    assert_clear(what, &done, message);
    assert_eq!(home.stored(), "r-1|5|Good.", "{what}");
}

#[test]
fn endless_input_is_refused_after_a_gigabyte() {
    let home = Home::new();
    let mut import = reviews(home.0.path())
        .args(["import", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = import.stdin.take().unwrap();
    let done = std::thread::scope(|scope| {
        scope.spawn(move || {
            input.write_all(b"{\"id\": \"a\", \"text\": \"").unwrap();
            let piece = vec![b'x'; 64 << 10];
            // Ends when the import closes its input.
            while input.write_all(&piece).is_ok() {}
        });
        import.wait_with_output().unwrap()
    });
    let printed = CommandOutput {
        code: done.status.code(),
        out: String::from_utf8(done.stdout).unwrap(),
        err: String::from_utf8(done.stderr).unwrap(),
    };
    assert_eq!(printed.code, Some(2), "{}", printed.err);
    assert_clear(
        "endless input",
        &printed,
        "standard input: the files of one import may have at most 256 MiB in total",
    );
    assert_eq!(home.names(), [""; 0]);
}

#[test]
fn an_oversized_row_is_rejected_and_the_others_are_imported() {
    let home = Home::new();
    let mut file = File::create(home.0.path().join("given")).unwrap();
    file.write_all(b"{\"id\": \"long\", \"text\": \"").unwrap();
    // A sparse file: 16 MiB of zeros that need no disk space.
    file.seek(io::SeekFrom::Current(16 << 20)).unwrap();
    write!(file, "\"}}\n{}\n", native(&json!({}))).unwrap();
    let done = home.run(&["import", "given"]);
    assert_eq!(done.code, Some(1), "{}", done.err);
    assert_clear(
        "a long line",
        &done,
        "given:1: longer than 1048576 bytes; shorten it",
    );
    assert_eq!(home.stored(), "r-1|5|Good.");
}

#[test]
fn deeply_nested_json_is_refused_and_overflows_no_stack() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let objects = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    // Linked data is searched to a depth of 32.
    for (what, value) in [("arrays", &deep), ("objects", &objects)] {
        assert_rejected(
            what,
            format!("{{\"id\": \"deep\", \"x\": {value}}}"),
            "given:2:",
        );
        assert_refused(
            what,
            format!("<html><script type=\"application/ld+json\">{value}</script></html>"),
            "is a page whose structured data has no Review (1 elements were looked at)",
        );
    }
    let home = Home::new();
    let done = home.import_content(page(&[google(1, "a", &json!({}))]).replace("\"FOUR\"", &deep));
    assert_ne!(done.code, Some(0), "{}", done.out);
    assert_clear("deep in an element", &done, "recursion limit exceeded");
}

#[test]
fn invalid_rows_are_reported_and_not_stored() {
    let row = |changes: &serde_json::Value| {
        native(&json!({"id": "bad"}))
            .to_string()
            .replace("\"Good.\"", &changes.to_string())
    };
    assert_rejected("a text with NUL", row(&json!("a\u{0}b")), "given:2: text");
    assert_rejected(
        "half a surrogate pair",
        row(&json!("@")).replace('@', "\\ud800"),
        "given:2:",
    );
    assert_rejected(
        "a number out of range",
        native(&json!({"id": "bad"}))
            .to_string()
            .replace(":5,", ":1e999,"),
        "given:2:",
    );
    assert_rejected(
        "garbled bytes",
        b"{\"id\": \"bad\", \"text\": \"\xff\xfe\xc3\"}",
        "given:2: not UTF-8; save the file as UTF-8",
    );
    assert_rejected(
        "control characters",
        "{\"id\": \"\x1b]0;owned\x07\", \u{9b}31m",
        "given:2:",
    );
    assert_rejected(
        "escaped control characters",
        native(&json!({"id": "\u{1b}[2J", "rating": "\u{1b}[31m", "date": "\u{9b}1m"})).to_string(),
        "given:2:",
    );
    assert_rejected(
        "an ID with a path",
        native(&json!({"id": "../../etc/passwd"})).to_string(),
        "given:2: id",
    );
}

#[test]
fn one_unusable_file_stops_the_import_of_all_files() {
    let home = Home::new();
    home.file("good", &lines(&[native(&json!({}))]));
    home.file("bad", "%PDF-1.7");
    home.run_err(&["import", "good", "bad"], "bad: is a PDF document");
    assert_eq!(home.names(), ["bad", "good"]);
    home.run_ok(&["import", "good"], "1 new");
    home.run_err(&["import", "bad", "good"], "bad: is a PDF document");
    assert_eq!(home.stored(), "r-1|5|Good.");
}
