//! Hostile tables and workbooks: formulas, and contents that would exhaust memory.

use std::io::{Cursor, Write};

use serde_json::json;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::{assert_clear, assert_refused};
use crate::commands::Home;
use crate::imports::tables::{open_document, workbook};
use crate::imports::zipped;

/// A workbook with this content for `part`.
fn workbook_with(part: &str, content: &[u8]) -> Vec<u8> {
    with_part(
        &workbook(&[&["author", "rating", "date", "text"]]),
        part,
        content,
    )
}

/// The workbook with this content for `part`.
fn with_part(table: &[u8], part: &str, content: &[u8]) -> Vec<u8> {
    let mut table = ZipArchive::new(Cursor::new(table)).unwrap();
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for number in 0..table.len() {
        let other = table.by_index_raw(number).unwrap();
        if other.name().unwrap() != part {
            archive.raw_copy_file(other).unwrap();
        }
    }
    let options = SimpleFileOptions::default();
    archive.start_file(part, options).unwrap();
    archive.write_all(content).unwrap();
    archive.finish().unwrap().into_inner()
}

#[test]
fn a_small_file_that_would_become_large_is_refused() {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let row = "<row><c t=\"inlineStr\"><is><t>Review</t></is></c><c t=\"s\"><v>0</v></c></row>";
    let sheet = format!(
        "<worksheet xmlns=\"{main}\"><sheetData>{}</sheetData></worksheet>",
        row.repeat(3_000)
    );
    let text = "x ".repeat((1 << 19) - 100);
    let shared = format!("<sst xmlns=\"{main}\"><si><t>{text}</t></si></sst>");
    let workbook = workbook_with("xl/worksheets/sheet1.xml", sheet.as_bytes());
    let workbook = with_part(&workbook, "xl/sharedStrings.xml", shared.as_bytes());
    assert!(workbook.len() < 64 << 10, "{} bytes", workbook.len());
    assert_refused(
        "a text that 3,000 rows share",
        workbook,
        "which column is the rating",
    );
    let list = "has a list of more than 200000 elements; split it";
    let import = "the import has more than 200000 rows; split it";
    for (start, unit, end, message) in [
        ("[", "[],", "[]]", list),
        ("[", "{},", "{}]", list),
        ("", "{}\n", "", list),
        ("", "a,b\n", "", import),
    ] {
        let content = [start, &unit.repeat((16 << 20) / unit.len()), end].concat();
        assert_refused(unit, content, message);
    }
}

/// The bounds hold for each reader, and for what is passed over.
#[test]
fn each_reader_refuses_more_than_an_import_may_hold() {
    let columns = "has more than 1000 columns; give the columns of reviews only";
    let [rows, cells, bytes] = ["200000 rows", "4000000 cells", "134217728 bytes of cells"]
        .map(|bound| format!("the import has more than {bound}; split it"));
    let header = "rating,date,author,text\n";
    let empty = ",".repeat(8 << 20);
    let member = |member: usize| {
        format!("{{\"stars\":5,\"date\":\"2025-01-02\",\"review\":\"Ok\",\"m{member}\":1}}\n")
    };
    let members: String = (0..26_000).map(|number| member(number % 1_990)).collect();
    let wide_header: String = (0..50).map(|column| format!("c{column},")).collect();
    let wide_row = "x,".repeat(50);
    let review = "{\"@type\":\"Review\"}";
    let open = |row: &str| {
        open_document(
            &row.replace("ROW", "table:table-row")
                .replace("CELL", "table:table-cell"),
        )
    };
    let text = "x".repeat(60_000);
    let table = format!(
        "{header}{}",
        format!("5,2026-01-01,Ann,{text}\n").repeat(1_000)
    );
    let native =
        json!({"id": "n", "rating": 5, "date": "2026-10-30", "author": "Ann", "text": text});
    let lines = format!("{native}\n").repeat(1_000);
    let [tables, lines] = [("csv", &table), ("jsonl", &lines)].map(|(kind, part)| {
        let names = ["1", "2", "3"].map(|name| format!("{name}.{kind}"));
        zipped(&names.each_ref().map(|name| (&**name, &**part)))
    });
    let excel = |row: &str| {
        let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
        let sheet = format!("<worksheet xmlns=\"{main}\"><sheetData>{row}</sheetData></worksheet>");
        workbook_with("xl/worksheets/sheet1.xml", sheet.as_bytes())
    };
    let full = "<row><c><v>1</v></c></row>";
    for (what, content, message) in [
        (
            "a row of nothing",
            format!("{header}5,2026-01-01,Ann,Good\n{empty}\n").into(),
            columns,
        ),
        (
            "a header of nothing",
            format!("{}{empty}\n", header.trim()).into(),
            columns,
        ),
        ("members of few", members.into(), columns),
        (
            "a cell far to the right",
            open(&format!(
                "<ROW>{}<CELL><text:p>x</text:p></CELL></ROW>",
                "<CELL/>".repeat(1_000)
            )),
            columns,
        ),
        (
            "empty cells beyond the last column of a sheet",
            excel(&format!("<row>{}</row>", "<c/>".repeat(16_385))),
            columns,
        ),
        (
            "rows of CSV",
            format!("{header}{}", "5,,,\n".repeat(200_001)).into(),
            &rows,
        ),
        (
            "rows of JSON-LD",
            format!(
                "<script type=\"application/ld+json\">[{}{review}]</script>",
                format!("{review},").repeat(200_000)
            )
            .into(),
            &rows,
        ),
        ("rows of XLSX", excel(&full.repeat(200_001)), &rows),
        (
            "rows of ODS",
            open(
                "<ROW table:number-rows-repeated=\"200001\"><CELL><text:p>x</text:p></CELL></ROW>",
            ),
            &rows,
        ),
        (
            "cells of CSV",
            format!("{wide_header}\n{}", format!("{wide_row}\n").repeat(80_001)).into(),
            &cells,
        ),
        ("bytes of the tables in an archive", tables, &bytes),
        ("bytes of the native lines in an archive", lines, &bytes),
    ] {
        let content: Vec<u8> = content;
        assert_refused(what, content, message);
    }
    let list = format!("[{}0]", "0,".repeat(60_000));
    let lists: Vec<String> = (0..70).map(|name| format!("\"m{name}\":{list}")).collect();
    let lists = format!("{{{}}}", lists.join(","));
    let message = "has lists with more than 4000000 elements; give a file with the reviews only";
    assert_refused("elements of lists", lists, message);
}

/// What a page says of the business is not copied for each review.
#[test]
fn long_name_of_a_business_is_no_fault_of_its_reviews() {
    let review = json!({"@type": "Review", "author": "Ann", "datePublished": "2026-10-30", "reviewBody": "Good.", "reviewRating": {"ratingValue": 5}});
    let reviews = vec![review; 1_000];
    let firm = json!({"@context": "https://schema.org", "@type": "Plumber", "name": "N".repeat(8 << 20), "review": reviews});
    let home = Home::new();
    let done = home.import_content(format!(
        "<script type=\"application/ld+json\">{firm}</script>"
    ));
    assert_eq!(done.code, Some(0), "{}{}", done.out, done.err);
    assert_clear("a long name", &done, "1 new");
}

#[test]
fn the_parser_of_workbooks_reserves_no_more_than_there_is() {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let shared =
        format!("<sst xmlns=\"{main}\" uniqueCount=\"99999999999999\"><si><t>a</t></si></sst>");
    assert_refused(
        "a number of shared strings",
        workbook_with("xl/sharedStrings.xml", shared.as_bytes()),
        "the workbook is too large",
    );
    let formula = "<c r=\"A1\"><f t=\"shared\" ref=\"A1:A2\" si=\"4000000000\">B1</f></c>";
    let sheet = format!(
        "<worksheet xmlns=\"{main}\"><sheetData><row r=\"1\">{formula}</row></sheetData></worksheet>"
    );
    let home = Home::new();
    let done = home.import_content(workbook_with("xl/worksheets/sheet1.xml", sheet.as_bytes()));
    assert_clear("a number of a formula", &done, "begins without a header");
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
    let reason = "given, sheet \"Reviews\":3: text: is a formula without a value; open the file in a spreadsheet and save it";
    assert_clear("a formula that was never calculated", &done, reason);
    assert_eq!(home.stored(), "r-1|4|Neat");
}

#[test]
fn tables_that_would_fill_the_memory_are_refused() {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let sheet = |cell: &str| {
        format!(
            "<worksheet xmlns=\"{main}\"><dimension ref=\"A1:XFD1048576\"/><sheetData><row r=\"1\">{cell}</row></sheetData></worksheet>"
        )
    };
    let entities: String = (('b'..='m').zip('a'..))
        .map(|(name, other)| format!("<!ENTITY {name} \"{}\">", format!("&{other};").repeat(10)))
        .collect();
    let laughs = sheet("<c r=\"A1\" t=\"inlineStr\"><is><t>&m;</t></is></c>");
    let laughs =
        format!("<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY a \"ha\">{entities}]>{laughs}");
    let far = sheet("<c r=\"XFD1\"><v>1</v></c>");
    let workbook = |sheet: String| workbook_with("xl/worksheets/sheet1.xml", sheet.as_bytes());
    let quote = "author,rating,date,text\nAnn,5,2026-10-30,\"".to_owned() + &"x\n".repeat(1 << 20);
    let wide = format!("author,rating,date,text{}\n", ",x".repeat(20_000));
    let page = format!("<html>{}</html>", "<p>".repeat(1 << 20));
    for (content, message) in [
        (
            quote.into_bytes(),
            "given: line 2: a quotation mark opens a cell and none closes it",
        ),
        (wide.into_bytes(), "given: has more than 1000 columns"),
        (workbook(far), "given: has more than 1000 columns"),
        (workbook(laughs), "given: "),
        (
            page.into_bytes(),
            "given: is a page or a document without schema.org reviews",
        ),
    ] {
        assert_refused(message, content, message);
    }
}
