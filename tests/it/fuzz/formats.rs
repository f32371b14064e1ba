//! Formats of sources: any text is a format or is refused with its place, and a draft with any cells is a format.

use std::fs;
use std::path::Path;

use reviews_service::clock::Clock;
use reviews_service::imports::{Format, ImportError, ImportRequest, import};
use reviews_service::storage::Database;
use reviews_service::sync::SyncFile;

use super::{raw_or_text, runtime, text_from};
use crate::support::{Quiet, start};

const WORDS: &str = "ignored = |[\"a\"]|\"*\"|\n|[fields]\n|[[public]]\n|[[public_reply]]\n|rating = |date = |text = |\"?\"|\"\"|names = |\
    values = |[]|reason = |\"x\"|scale = |10|0|-1|date_format = |\"dd/mm/yyyy\"|like = |\"google\"|\"yelp\"|only = |\
    { column = \"a\", value = \"b\" }|rows = |\"a[].b\"|zone = |\"UTC\"|encoding = |\"latin1\"|header_row = |1|#|=|{|}|[paging]\n|next = ";

const CELLS: &str = "\"\"|=1+1|?|# |\n|\r\n|\"\"\"|'''|[[public]]|names = |\\|\u{202e}|\u{0}|\u{1b}[31m|yes|no|2026-03-04|5|10|,|;";

const ENTRY_WORDS: &str = "[a]\n|[b-c]\n|url = |\"https://a.test/r?k=${KEY}\"|\"${COMMAND}\"|\"$${\"|every = |at = |\"6h\"|\"0 5 * * *\"|headers = |\
    { X-Key = \"${A_B}\" }|basic = |\"a:b\"|command = |[\"./a\"]|partial = |true|format = |\"google\"|\"./a.toml\"|source = |\n|=|#|\"|'|{|}|[|]";

/// Reads texts of these words, which have a fault or none.
fn check_texts(words: &'static str, fault_of: fn(&str) -> Option<String>) {
    bolero::check!()
        .with_type::<(bool, Vec<u8>)>()
        .for_each(move |(is_raw, bytes)| {
            let fault = fault_of(&raw_or_text(*is_raw, bytes, words));
            assert!(fault.is_none_or(|it| it.len() > 10), "an empty error");
        });
}

#[test]
fn any_text_is_a_format_or_a_file_of_entries_or_is_refused() {
    check_texts(WORDS, |text| {
        let format = Format::parse(text).map(|format| format.to_text());
        let again = |text: &String| Format::parse(text).unwrap().to_text();
        assert!(format.iter().all(|text| again(text) == *text), "{format:?}");
        format.err().map(|error| error.to_string())
    });
    check_texts(ENTRY_WORDS, |text| {
        let file = SyncFile::parse(text, Path::new("/nowhere/reviews.sync.toml"));
        let mut entries = file.iter().flat_map(|file| &file.entries);
        assert!(entries.all(|entry| entry.shown_url().len() > 2));
        file.err()
    });
}

#[test]
fn draft_with_any_cells_is_a_format() {
    let runtime = runtime();
    let folder = tempfile::tempdir().unwrap();
    let (database, _) = runtime
        .block_on(Database::open(&folder.path().join("reviews.db")))
        .unwrap();
    let used = std::panic::AssertUnwindSafe((runtime, database, folder));
    bolero::check!()
        .with_type::<(Vec<u8>, Vec<u8>)>()
        .for_each(move |(header, cells)| {
            let used = &used;
            let (runtime, database, folder) = &used.0;
            let quoted = |bytes| format!("\"{}\"", text_from(bytes, CELLS).replace('"', "\"\""));
            let (header, cells) = (quoted(header), quoted(cells));
            let path = folder.path().join("t.csv");
            let table =
                format!("Name,Stars,Date,Review,{header}\nAnn,5,2026-03-02,Good.,{cells}\n");
            fs::write(&path, table).unwrap();
            let request = ImportRequest {
                files: vec![path],
                dry_run: true,
                ..ImportRequest::default()
            };
            let clock = Clock::manual(start());
            let mut quiet = Quiet::default();
            let imported = runtime.block_on(import(database, &clock, &request, &mut quiet));
            if let Err(ImportError::Open(draft)) = imported {
                let format = Format::parse(&draft.text("reviews import")).unwrap();
                assert_eq!(format.open, draft.format.open);
            }
        });
}
