//! Hostile files given to `reviews import`: its exit code and message, and that nothing of them is stored.

mod archives;
mod tables;

use std::fs::{self, File};
use std::io::{self, Seek, Write};

use serde_json::json;

use super::{google, native, page};
use crate::commands::{CommandOutput, Home};

impl Home {
    /// Imports a file `given` with this content.
    fn import_content(&self, content: impl AsRef<[u8]>) -> CommandOutput {
        fs::write(self.folder.path().join("given"), content).unwrap();
        self.run(&["import", "given"])
    }

    fn stored(&self) -> String {
        self.sql("select review_id, rating, text from review order by review_id")
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
    assert_eq!(home.file_names(), ["given"], "{what}");
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
fn an_oversized_row_is_rejected_and_the_others_are_imported() {
    let home = Home::new();
    let mut file = File::create(home.folder.path().join("given")).unwrap();
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
            "is a page or a document without schema.org reviews",
        );
    }
    let home = Home::new();
    let done = home.import_content(page(&[google(1, "a", &json!({}))]).replace("\"FOUR\"", &deep));
    assert_ne!(done.code, Some(0), "{}", done.out);
    assert_clear("deep in an element", &done, "recursion limit exceeded");
}

#[test]
fn invalid_rows_are_reported_and_not_stored() {
    let controls = json!({"id": "\u{1b}[2J", "rating": "\u{1b}[31m", "date": "\u{9b}1m"});
    for (what, row) in [
        (
            "garbled bytes",
            &b"{\"id\": \"bad\", \"text\": \"\xff\xfe\xc3\"}"[..],
        ),
        ("control characters", b"{\"id\": \"\x1b]0;owned\x07\", 31m"),
        ("escaped ones", native(&controls).to_string().as_bytes()),
    ] {
        assert_rejected(what, row, "given:2:");
    }
}
