//! Hostile archives and folders: zip bombs, links, names, random bytes.

use std::fs;
use std::io::{self, Cursor, Write};

use serde_json::json;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{assert_clear, assert_refused};
use crate::commands::Home;
use crate::imports::{google, page, zipped};
use crate::support::Generator;

/// An archive whose members each unpack to 60 MiB.
fn bomb(members: usize) -> Vec<u8> {
    let mut one = ZipWriter::new(Cursor::new(Vec::new()));
    one.start_file("reviews.json", SimpleFileOptions::default())
        .unwrap();
    one.write_all(b"{\"reviews\": [], \"pad\": \"").unwrap();
    io::copy(&mut io::Read::take(io::repeat(b'x'), 60 << 20), &mut one).unwrap();
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

#[test]
fn an_archive_that_unpacks_to_more_than_the_limit_is_refused() {
    let bomb = bomb(5);
    assert!(bomb.len() < 2 << 20, "{} bytes", bomb.len());
    assert_refused(
        "a zip bomb",
        bomb,
        "the files of one import may have, unpacked, at most 256 MiB",
    );
}

#[test]
fn garbled_files_are_refused() {
    let mut dice = Generator::new(7);
    let noise = (0..200_000).map(|_| u8::try_from(dice.below(256)).unwrap());
    let noise: Vec<u8> = noise.collect();
    assert_refused("noise", noise, "given: ");
    let archive = zipped(&[("reviews.json", &page(&[google(1, "a", &json!({}))]))]);
    for cut in [5, 30, archive.len() / 2, archive.len() - 1] {
        let message = "given: the zip archive cannot be read";
        assert_refused("a truncated archive", &archive[..cut], message);
    }
    let mut garbled = archive;
    for byte in &mut garbled[45..60] {
        *byte ^= 0x5a;
    }
    assert_refused("a garbled member", garbled, "given: reviews.json: ");
}

#[test]
fn archive_names_create_no_files_and_are_escaped_in_messages() {
    let home = Home::new();
    home.run_ok("init --time-zone UTC", "UTC");
    let before = home.file_names();
    let names = r"../../reviews.json /tmp/reviews-owned.json ..\..\reviews.json C:\reviews.json";
    let pages = [1, 2, 3, 4].map(|number: u32| page(&[google(1, &number.to_string(), &json!({}))]));
    let members = names.split(' ');
    let members: Vec<(&str, &str)> = members.zip(pages.iter().map(String::as_str)).collect();
    let done = home.import_content(zipped(&members));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_clear("paths", &done, "4 new");
    let mut after = home.file_names();
    after.retain(|name| name != "given");
    assert_eq!(after, before);
    let paths = "../reviews.json ../../reviews.json /tmp/reviews-owned.json";
    for path in paths.split(' ') {
        assert!(!home.folder.path().join(path).exists(), "{path}");
    }
    assert_refused(
        "a name of control characters",
        zipped(&[("\u{1b}]0;owned\u{7}\r/reviews.json", "{")]),
        "given: \\u001b]0;owned\\u0007\\u000d/reviews.json: line 1, column 1: the JSON is broken",
    );
}

#[test]
fn a_folder_is_refused_and_a_link_in_an_archive_not_followed() {
    let home = Home::new();
    fs::create_dir(home.folder.path().join("takeout")).unwrap();
    home.run_err(
        &["import", "takeout"],
        "takeout: is a folder; give its files",
    );
    // A link in an archive is a file that contains its target.
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    (archive.add_symlink("reviews.json", "/etc/passwd", options)).unwrap();
    let archive = archive.finish().unwrap().into_inner();
    assert_refused("a link in an archive", archive, "given: reviews.json: ");
}
