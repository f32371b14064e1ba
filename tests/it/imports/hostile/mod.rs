//! Files that somebody made to do harm, given to the command as anybody would give them: how it
//! ends, what it says, and that nothing of them is stored.

mod archives;
mod tables;

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::process::Stdio;

use serde_json::json;

use super::{google, lines, native, page};
use crate::process::{Home, Said, reviews};
use crate::support::sqlite3;

impl Home {
    /// Imports a file of that content.
    fn imports(&self, content: impl AsRef<[u8]>) -> Said {
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

/// A message may be read in a terminal, which obeys some characters instead of showing them.
#[track_caller]
fn assert_clear(what: &str, done: &Said, message: &str) {
    let said = format!("{}{}", done.out, done.err);
    assert!(
        said.contains(message),
        "{what}: {said} should say {message}"
    );
    assert!(
        !said.contains("panicked") && !said.contains(|c: char| c.is_control() && c != '\n'),
        "{what}: {said:?}"
    );
    assert!(said.len() < 8 << 10, "{what}: {} bytes", said.len());
}

/// The whole call failed, and there is nothing that was not there before.
#[track_caller]
fn assert_refused(what: &str, content: impl AsRef<[u8]>, message: &str) {
    let home = Home::new();
    let done = home.imports(content);
    assert_eq!(done.code, Some(2), "{what}: {}{}", done.out, done.err);
    assert_clear(what, &done, message);
    assert_eq!(home.names(), ["given"], "{what}");
}

/// One row was refused and its good neighbour `r-1` stored.
#[track_caller]
fn assert_rejected(what: &str, row: impl AsRef<[u8]>, message: &str) {
    let home = Home::new();
    let good = native(&json!({})).to_string();
    let done = home.imports([good.as_bytes(), b"\n", row.as_ref(), b"\n"].concat());
    assert_eq!(done.code, Some(1), "{what}: {}{}", done.out, done.err);
    assert_clear(what, &done, message);
    assert_eq!(home.stored(), "r-1|5|Good.", "{what}");
}

#[test]
fn input_that_never_ends_is_given_up_after_a_gigabyte() {
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
            // Ends when nobody reads any more.
            while input.write_all(&piece).is_ok() {}
        });
        import.wait_with_output().unwrap()
    });
    let said = Said {
        code: done.status.code(),
        out: String::from_utf8(done.stdout).unwrap(),
        err: String::from_utf8(done.stderr).unwrap(),
    };
    assert_eq!(said.code, Some(2), "{}", said.err);
    assert_clear(
        "endless input",
        &said,
        "standard input: the files of one import may have at most 1024 MiB in total",
    );
    assert_eq!(home.names(), [""; 0]);
}

#[test]
fn a_row_that_is_longer_than_its_bound_stops_no_other() {
    let home = Home::new();
    let mut file = File::create(home.0.path().join("given")).unwrap();
    file.write_all(b"{\"id\": \"long\", \"text\": \"").unwrap();
    // A hole: 256 MiB of zeros that need no room on the disk.
    file.seek(io::SeekFrom::Current(256 << 20)).unwrap();
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
fn json_of_any_depth_is_refused_and_overflows_no_stack() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let objects = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    for (what, value) in [("arrays", &deep), ("objects", &objects)] {
        assert_rejected(
            what,
            format!("{{\"id\": \"deep\", \"x\": {value}}}"),
            "given:2:",
        );
        assert_refused(
            what,
            format!("<html><script type=\"application/ld+json\">{value}</script></html>"),
            "the JSON is broken (recursion limit exceeded)",
        );
    }
    let home = Home::new();
    let done = home.imports(page(&[google(1, "a", &json!({}))]).replace("\"FOUR\"", &deep));
    assert_ne!(done.code, Some(0), "{}", done.out);
    assert_clear("deep in an element", &done, "recursion limit exceeded");
}

#[test]
fn rows_that_no_review_can_be_made_of_are_named_and_not_stored() {
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
        "a number beyond all bounds",
        native(&json!({"id": "bad"}))
            .to_string()
            .replace(":5,", ":1e999,"),
        "given:2:",
    );
    assert_rejected(
        "garbled bytes",
        b"{\"id\": \"bad\", \"text\": \"\xff\xfe\xc3\"}",
        "given:2:24: not UTF-8 from here on; save the file as UTF-8",
    );
    assert_rejected(
        "what a terminal obeys",
        "{\"id\": \"\x1b]0;owned\x07\", \u{9b}31m",
        "given:2:",
    );
    assert_rejected(
        "the same, escaped",
        native(&json!({"id": "\u{1b}[2J", "rating": "\u{1b}[31m", "date": "\u{9b}1m"})).to_string(),
        "given:2:",
    );
    assert_rejected(
        "an id that leads elsewhere",
        native(&json!({"id": "../../etc/passwd"})).to_string(),
        "given:2: id",
    );
}

#[test]
fn one_hostile_file_keeps_the_good_ones_of_its_call_out() {
    let home = Home::new();
    home.file("good", &lines(&[native(&json!({}))]));
    home.file("bad", "%PDF-1.7");
    home.refuses(
        &["import", "good", "bad"],
        "bad: is a PDF document, not an export of reviews",
    );
    assert_eq!(home.names(), ["bad", "good"]);
    home.does(&["import", "good"], "1 new");
    home.refuses(&["import", "bad", "good"], "bad: is a PDF document");
    assert_eq!(home.stored(), "r-1|5|Good.");
}
