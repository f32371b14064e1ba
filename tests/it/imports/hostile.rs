//! Files that somebody made to do harm, given to the command as anybody would give them: how it
//! ends, what it says, and that nothing of them is stored.

use std::fs::{self, File};
use std::io::{self, Cursor, Seek, Write};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use serde_json::json;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::tables::workbook;
use super::{google, lines, native, page, zipped};
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

/// An archive of so many members that each unpack to 64 MiB.
fn bomb(members: usize) -> Vec<u8> {
    let mut one = ZipWriter::new(Cursor::new(Vec::new()));
    one.start_file("reviews.json", SimpleFileOptions::default())
        .unwrap();
    one.write_all(b"{\"reviews\": [], \"pad\": \"").unwrap();
    io::copy(&mut io::Read::take(io::repeat(b'x'), 64 << 20), &mut one).unwrap();
    one.write_all(b"\"}").unwrap();
    let mut one = one.finish_into_readable().unwrap();
    let mut all = ZipWriter::new(Cursor::new(Vec::new()));
    for number in 0..members {
        let member = one.by_index_raw(0).unwrap();
        all.raw_copy_file_rename(member, format!("reviews-{number}.json"))
            .unwrap();
    }
    all.finish().unwrap().into_inner()
}

/// A workbook whose part of that name is another.
fn workbook_with(part: &str, content: &[u8]) -> Vec<u8> {
    let table = workbook(&[&["author", "rating", "date", "text"]]);
    let mut archive = ZipWriter::new_append(Cursor::new(table)).unwrap();
    archive
        .start_file(part, SimpleFileOptions::default())
        .unwrap();
    archive.write_all(content).unwrap();
    archive.finish().unwrap().into_inner()
}

#[test]
fn an_archive_that_unpacks_to_more_than_a_gigabyte_is_given_up() {
    let bomb = bomb(17);
    assert!(bomb.len() < 2 << 20, "{} bytes", bomb.len());
    assert_refused(
        "a zip bomb",
        bomb,
        "all files of one import together may have 1024 MiB, unpacked; split it",
    );
}

#[test]
fn a_workbook_that_unpacks_to_more_than_its_bound_is_given_up() {
    let blanks = vec![b' '; 257 << 20];
    assert_refused(
        "a workbook of blanks",
        workbook_with("xl/sharedStrings.xml", &blanks),
        "the workbook is too large: 32 MiB packed and 256 MiB unpacked are taken",
    );
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
    let writer = std::thread::spawn(move || {
        input.write_all(b"{\"id\": \"a\", \"text\": \"").unwrap();
        // Ends when nobody reads any more.
        while input.write_all(&[b'x'; 64 << 10]).is_ok() {}
    });
    let done = import.wait_with_output().unwrap();
    writer.join().unwrap();
    let said = Said {
        code: done.status.code(),
        out: String::from_utf8(done.stdout).unwrap(),
        err: String::from_utf8(done.stderr).unwrap(),
    };
    assert_eq!(said.code, Some(2), "{}", said.err);
    assert_clear(
        "endless input",
        &said,
        "standard input: all files of one import together may have 1024 MiB",
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
        "given:2:23: not UTF-8 from here on; save the file as UTF-8",
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
fn garbled_bytes_are_no_file_of_reviews() {
    let mut state = 7_u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    })
    .take(200_000)
    .collect();
    assert_refused("noise", &noise, "given: ");
    let archive = zipped(&[("reviews.json", &page(&[google(1, "a", &json!({}))]))]);
    for cut in [5, 30, archive.len() / 2, archive.len() - 1] {
        assert_refused(
            "a truncated archive",
            &archive[..cut],
            "given: the zip archive cannot be read",
        );
    }
    let mut garbled = archive.clone();
    for byte in &mut garbled[45..60] {
        *byte ^= 0x5a;
    }
    assert_refused("a garbled member", garbled, "given: reviews.json: ");
}

#[test]
fn names_in_an_archive_lead_nowhere_and_say_nothing_to_a_terminal() {
    let home = Home::new();
    home.does(&["init", "--time-zone", "UTC"], "UTC");
    let before = home.names();
    let names = [
        "../../reviews.json",
        "/tmp/reviews-owned.json",
        "..\\..\\reviews.json",
        "C:\\reviews.json",
    ];
    let members: Vec<(&str, String)> = names
        .iter()
        .zip(["a", "b", "c", "d"])
        .map(|(name, id)| (*name, page(&[google(1, id, &json!({}))])))
        .collect();
    let members: Vec<(&str, &str)> = members
        .iter()
        .map(|(name, page)| (*name, page.as_str()))
        .collect();
    let done = home.imports(zipped(&members));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_clear("paths", &done, "4 new");
    let mut after = home.names();
    after.retain(|name| name != "given");
    assert_eq!(after, before);
    for path in [
        "../reviews.json",
        "../../reviews.json",
        "/tmp/reviews-owned.json",
    ] {
        assert!(!home.0.path().join(path).exists(), "{path}");
    }
    assert_refused(
        "a name of control characters",
        zipped(&[("\u{1b}]0;owned\u{7}\r/reviews.json", "{")]),
        "the JSON is broken",
    );
}

#[test]
fn links_and_pipes_in_a_folder_are_not_followed() {
    let home = Home::new();
    let folder = home.0.path().join("takeout");
    fs::create_dir_all(folder.join("inside")).unwrap();
    symlink("/etc/passwd", folder.join("reviews.json")).unwrap();
    symlink(&folder, folder.join("inside/again")).unwrap();
    let pipe = folder.join("reviews-2.json");
    assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
    home.refuses(&["import", "takeout"], "takeout: holds no reviews*.json");
    assert_eq!(home.names(), ["takeout"]);
    // A link in an archive is a file whose text is where it leads.
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    archive
        .add_symlink("reviews.json", "/etc/passwd", SimpleFileOptions::default())
        .unwrap();
    let archive = archive.finish().unwrap().into_inner();
    assert_refused("a link in an archive", archive, "given: reviews.json: ");
}

#[test]
fn an_archive_of_too_many_files_is_refused() {
    let names: Vec<String> = (0..10_001).map(|n| format!("reviews-{n}.json")).collect();
    let members: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "{}")).collect();
    assert_refused(
        "10,001 files",
        zipped(&members),
        "given: holds more than 10000 files of reviews",
    );
}

#[test]
fn formulas_are_stored_as_text_or_by_their_value_and_never_reckoned() {
    let home = Home::new();
    let command = "=cmd|' /C calc'!A0";
    let done = home.imports(format!(
        "id,author,rating,date,text\nr-1,=1+1,5,2026-10-30,{command}\nr-2,Bo,=2+3,2026-10-30,B\n"
    ));
    assert_eq!(done.code, Some(1), "{}{}", done.out, done.err);
    assert_clear("a formula for stars", &done, "given:3: rating: \"=2+3\"");
    assert_eq!(home.stored(), format!("table-r-1|5|{command}"));
    let home = Home::new();
    let done = home.imports(workbook(&[
        &["id", "author", "rating", "date", "text"],
        &["r-1", "Ann", "=2+3|4", "2026-10-30", "=WEBSERVICE(1)|"],
    ]));
    assert_eq!(done.code, Some(0), "{}{}", done.out, done.err);
    assert_eq!(home.stored(), "table-r-1|4|");
}

#[test]
fn tables_that_would_fill_the_memory_are_refused() {
    let quote = format!(
        "author,rating,date,text\nAnn,5,2026-10-30,\"{}",
        "x\n".repeat(1 << 20)
    );
    assert_refused(
        "a quote that nobody closes",
        quote,
        "given: line 2: the row that begins here has more than 1 MiB; close the quote",
    );
    assert_refused(
        "a column for each letter",
        format!("author,rating,date,text{}\n", ",x".repeat(20_000)),
        "given: has 20004 columns; at most 1000 are taken",
    );
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let cell = |cell: &str| {
        format!(
            "<worksheet xmlns=\"{main}\"><dimension ref=\"A1:XFD1048576\"/><sheetData><row r=\"1\">{cell}</row></sheetData></worksheet>"
        )
    };
    assert_refused(
        "a cell at the end of the sheet",
        workbook_with(
            "xl/worksheets/sheet1.xml",
            cell("<c r=\"XFD1\"><v>1</v></c>").as_bytes(),
        ),
        "given: has 16384 columns; at most 1000 are taken",
    );
    let entities: String = ('b'..='m')
        .zip('a'..)
        .map(|(name, other)| format!("<!ENTITY {name} \"{}\">", format!("&{other};").repeat(10)))
        .collect();
    let laughs = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY a \"ha\">{entities}]>{}",
        cell("<c r=\"A1\" t=\"inlineStr\"><is><t>&m;</t></is></c>")
    );
    assert_refused(
        "entities of entities",
        workbook_with("xl/worksheets/sheet1.xml", laughs.as_bytes()),
        "given: ",
    );
    let page = format!("<html>{}</html>", "<p>".repeat(6 << 20));
    assert_refused(
        "a page",
        page,
        "given: the page, or the file of linked data, has more than 16 MiB",
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
