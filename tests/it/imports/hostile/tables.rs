//! Hostile tables and workbooks: formulas, and contents that would exhaust memory.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::{assert_clear, assert_refused};
use crate::imports::tables::workbook;
use crate::process::Home;

/// A workbook with this content for `part`.
fn workbook_with(part: &str, content: &[u8]) -> Vec<u8> {
    let table = workbook(&[&["author", "rating", "date", "text"]]);
    let mut table = ZipArchive::new(Cursor::new(table)).unwrap();
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for number in 0..table.len() {
        let other = table.by_index_raw(number).unwrap();
        if other.name().unwrap() != part {
            archive.raw_copy_file(other).unwrap();
        }
    }
    archive
        .start_file(part, SimpleFileOptions::default())
        .unwrap();
    archive.write_all(content).unwrap();
    archive.finish().unwrap().into_inner()
}

#[test]
fn the_command_refuses_a_workbook_that_unpacks_above_the_limit() {
    let blanks = vec![b' '; 257 << 20];
    assert_refused(
        "a workbook of blanks",
        workbook_with("xl/sharedStrings.xml", &blanks),
        "the workbook is too large (at most 32 MiB packed and 256 MiB unpacked)",
    );
}

#[test]
fn formulas_are_stored_as_text_or_value_and_never_evaluated() {
    let home = Home::new();
    let command = "=cmd|' /C calc'!A0";
    let done = home.import_content(format!(
        "id,author,rating,date,text\nr-1,=1+1,5,2026-10-30,{command}\nr-2,Bo,=2+3,2026-10-30,B\n"
    ));
    assert_eq!(done.code, Some(1), "{}{}", done.out, done.err);
    assert_clear("a formula for stars", &done, "given:3: rating: \"=2+3\"");
    assert_eq!(home.stored(), format!("r-1|5|{command}"));
    let home = Home::new();
    let done = home.import_content(workbook(&[
        &["id", "author", "rating", "date", "text"],
        &["r-1", "Ann", "=2+3|4", "2026-10-30", "Neat"],
        &["r-2", "Bo", "#4", "2026-10-30", "=WEBSERVICE(1)|"],
    ]));
    assert_eq!(done.code, Some(1), "{}{}", done.out, done.err);
    let reason =
        "given:3: text: is a formula without a value; open the file in a spreadsheet and save it";
    assert_clear("a formula that was never calculated", &done, reason);
    assert_eq!(home.stored(), "r-1|4|Neat");
}

#[test]
fn tables_that_would_fill_the_memory_are_refused() {
    let quote = format!(
        "author,rating,date,text\nAnn,5,2026-10-30,\"{}",
        "x\n".repeat(1 << 20)
    );
    assert_refused(
        "an unclosed quote",
        quote,
        "given: line 2: the row that starts here is larger than 1 MiB; close the quote",
    );
    assert_refused(
        "20,004 columns",
        format!("author,rating,date,text{}\n", ",x".repeat(20_000)),
        "given: has 20004 columns; at most 1000 are supported",
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
        "given: has 16384 columns; at most 1000 are supported",
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
        "nested entities",
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
