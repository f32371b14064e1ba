//! What a text is, by its content, never by its name: half of all exports are named `reviews.json`.
//!
//! Delimited text is CSV (RFC 4180) with any delimiter. The first row is the header and gives the delimiter, or the format's `header_row`;
//! no later cell decides how a file is read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::iter;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use csv_core::{ReadRecordResult, ReaderBuilder};
use encoding_rs::{Encoding, MACINTOSH, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::memchr_iter;

use crate::imports::fault::{FileError, Position};
use crate::imports::read::{Amount, Bounds, COLUMNS_MAX, Cells, RowFault, Table};
use crate::model::text::quoted;

const DELIMITERS: [u8; 4] = *b",;\t|";
/// Number of bytes at the beginning of a file in which the header stands.
const HEAD_BYTES: usize = 256 << 10;

/// The header of a text: its delimiter, its line, and its cells.
#[derive(Debug, Clone)]
pub struct Header {
    delimiter: u8,
    line: u64,
    /// Without blank cells at the end.
    pub cells: Vec<String>,
    /// The number of its cells with these.
    width: usize,
}

/// The header: the first row that is not empty, or the row `number`. It is cut by the delimiter that gives most cells.
pub fn find_header(text: &str, number: Option<u64>) -> Option<Header> {
    // Of equal ones `max_by_key` takes the last, so the delimiters are reversed.
    let headers = DELIMITERS.into_iter().rev().filter_map(|delimiter| {
        let mut rows = first_rows(text, delimiter);
        let (line, mut cells) = rows.find(|(line, _)| number.is_none_or(|it| it == *line))?;
        let width = cells.len();
        while cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        Some(Header {
            delimiter,
            line,
            cells,
            width,
        })
    });
    headers.max_by_key(|header| header.cells.len())
}

/// The first rows of a text, each with its line.
fn first_rows(text: &str, delimiter: u8) -> impl Iterator<Item = (u64, Vec<String>)> {
    let head = &text[..text.floor_char_boundary(HEAD_BYTES)];
    let rows = text_rows(head, delimiter).map_while(Result::ok);
    rows.map(|row| (row.line, row.cells.texts()))
}

/// Number of rows at the beginning of a table among which the header is looked for, for advice.
pub const ROWS_NEAR_HEADER: usize = 20;

/// The rows that stand near the header, by any delimiter, for advice.
pub fn rows_near_header(text: &str) -> impl Iterator<Item = (u64, Vec<String>)> {
    let delimiters = DELIMITERS.into_iter();
    delimiters.flat_map(move |delimiter| first_rows(text, delimiter).take(ROWS_NEAR_HEADER))
}

/// The table below a header.
///
/// # Errors
/// When the text ends in the middle of a cell, or has more than an import may hold.
pub fn read_text(text: &str, header: &Header, bounds: &mut Bounds<'_>) -> Result<Table, FileError> {
    let mut table = Table {
        columns: header.cells.clone(),
        ..Table::default()
    };
    if header.line > 1 {
        table.place = format!(", header in row {}", header.line);
    }
    let (named, width) = (table.columns.len(), header.width);
    for row in text_rows(text, header.delimiter) {
        let mut row = row?;
        let last = row.cells.all().rfind(|(_, cell)| !cell.trim().is_empty());
        let filled = last.map_or(0, |(column, _)| column + 1);
        let is_passed = row.fault.is_none() && filled == 0 || row.line <= header.line;
        let count = row.cells.width;
        bounds.count(Amount {
            rows: u64::from(!is_passed),
            columns: count,
            cells: row.cells.count(),
            bytes: row.cells.bytes(),
        })?;
        if is_passed {
            continue;
        }
        let misfit = (filled > width || count < named).then(|| {
            format!(
                "has {} cells under {width} headers; put a cell that holds the delimiter or a line break in \"quotes\", and no whole line",
                count.max(filled)
            )
        });
        if misfit.is_none() && filled > table.columns.len() {
            table.columns.resize(filled, String::new());
        }
        let fault = row.fault.or(misfit).map(RowFault::new);
        row.cells.width = table.columns.len();
        table.push(Position::Line(row.line), row.cells, fault);
    }
    table.name_columns();
    Ok(table)
}

/// A row of a text.
struct TextRow {
    /// On which it begins, from 1.
    line: u64,
    cells: Cells,
    /// That a quotation mark opens a cell and closes before its end: one is missing, and the cell may have
    /// swallowed other rows.
    fault: Option<String>,
}

/// The rows of a text that are not empty. One with more cells than a table may have columns is cut off behind these, and the last one: a
/// place is reserved for each cell.
fn text_rows(text: &str, delimiter: u8) -> impl Iterator<Item = Result<TextRow, FileError>> {
    let mut reader = ReaderBuilder::new().delimiter(delimiter).build();
    let (mut end, mut is_cut) = (0, false);
    let (mut record, mut ends) = (vec![0; 1 << 10], vec![0; COLUMNS_MAX + 1]);
    iter::from_fn(move || {
        if is_cut {
            return None;
        }
        let (start, line) = (end, reader.line());
        let (mut bytes, mut count) = (0, 0);
        loop {
            let (rest, free) = (&text.as_bytes()[end..], &mut record[bytes..]);
            let (result, read, written, ended) = reader.read_record(rest, free, &mut ends[count..]);
            end += read;
            bytes += written;
            count += ended;
            match result {
                ReadRecordResult::OutputFull => record.resize(record.len() * 2, 0),
                // The next call gets nothing, which ends the row.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::End => return None,
                ReadRecordResult::Record => break,
                ReadRecordResult::OutputEndsFull => {
                    is_cut = true;
                    break;
                }
            }
        }
        let cells = match str::from_utf8(&record[..bytes]) {
            Ok(cells) => cells,
            Err(error) => return Some(Err(FileError::new(format!("cannot be read: {error}")))),
        };
        let mut from = 0;
        let cells = ends[..count].iter().map(|end| {
            let cell = &cells[from..*end];
            from = *end;
            cell
        });
        let cells: Vec<&str> = cells.collect();
        let above = &text[start..end];
        let row = above.trim_start_matches(['\r', '\n']);
        let blank = &above[..above.len() - row.len()];
        let line = line + memchr_iter(b'\n', blank.as_bytes()).count() as u64;
        let row = (!is_cut).then_some(row);
        Some(read_row(&cells, row, line, delimiter, end == text.len()))
    })
}

/// The cells of a record; `row` is its text, unless it is cut off.
fn read_row(
    record: &[&str],
    row: Option<&str>,
    line: u64,
    delimiter: u8,
    is_last: bool,
) -> Result<TextRow, FileError> {
    let (mut cells, mut fault) = (Cells::default(), None);
    let row = row.unwrap_or_default();
    let is_whole = row.is_empty() || is_well_quoted(record, row, delimiter);
    if !is_whole && row.contains("\\\"") {
        return Err(FileError::new(format!(
            "is a dump of a database, which writes \\\" for a quotation mark (line {line}); export it as CSV that doubles them (RFC 4180), or \
             as JSON"
        )));
    }
    // In one line, marks in pairs have taken in no other row.
    let is_closed = !row.trim_end().contains('\n') && row.matches('"').count().is_multiple_of(2);
    if !is_whole && is_last && !is_closed {
        return Err(FileError::new(format!(
            "line {line}: a quotation mark opens a cell and none closes it, so all that follows would be part of this row; close it, or \
             export the file again if its end is missing"
        )));
    }
    if !is_whole {
        let end = line + memchr_iter(b'\n', row.trim_end().as_bytes()).count() as u64;
        fault = Some(format!(
            "a quotation mark opens a cell in this row and is not closed where the cell ends (or text follows the closing one); close or \
             remove the mark, and double those inside of a cell; nothing up to line {end} is imported"
        ));
    }
    for (column, cell) in record.iter().copied().enumerate() {
        if !cell.is_empty() {
            cells.put(column, cell);
        }
    }
    cells.width = record.len();
    Ok(TextRow { line, cells, fault })
}

/// Whether a row is its cells, each as it is or in quotation marks: the reader takes what stands behind a closing mark, and a last cell that
/// is not closed, as a part of the cell.
fn is_well_quoted(record: &[&str], row: &str, delimiter: u8) -> bool {
    let mut rest = row.trim_end_matches(['\r', '\n']);
    for cell in record {
        let after = if rest.starts_with('"') {
            rest.strip_prefix(&format!("\"{}\"", cell.replace('"', "\"\"")))
        } else {
            rest.strip_prefix(*cell)
        };
        let Some(after) = after else { return false };
        rest = after.strip_prefix(char::from(delimiter)).unwrap_or(after);
    }
    rest.is_empty()
}

// The encoding of a file.

/// A file as text.
pub struct Decoded<'b> {
    pub text: Cow<'b, str>,
    /// Whether its encoding is not known: the text is as the first of [`encodings`] reads it.
    pub is_unknown: bool,
}

/// The file as text. A byte order mark, and bytes that are UTF-8, override the format's encoding, which is `named`.
///
/// # Errors
/// When it is not in that encoding.
pub fn decode<'b>(bytes: &'b [u8], named: Option<&str>) -> Result<Decoded<'b>, FileError> {
    let named = named.and_then(|label| Encoding::for_label(label.as_bytes()));
    let unicode = marked(bytes).or_else(|| std::str::from_utf8(bytes).is_ok().then_some(UTF_8));
    let known = unicode.or(named);
    let is_json = matches!(bytes.trim_ascii_start().first(), Some(b'[' | b'{'));
    if known.is_none() && is_json {
        // A control character, which no JSON has, makes the line or the document broken.
        let text = String::from_utf8_lossy(bytes).replace('\u{fffd}', "\u{1}");
        return Ok(Decoded {
            text: text.into(),
            is_unknown: false,
        });
    }
    let encoding = known.unwrap_or_else(|| encodings(bytes)[0]);
    let (mut text, has_errors) = encoding.decode_with_bom_removal(bytes);
    // Old Macs end lines with it.
    if text.contains('\r') && !text.contains('\n') {
        text = text.replace('\r', "\n").into();
    }
    if has_errors && known.is_some() {
        return Err(FileError::new(format!(
            "is not in the encoding {}; name another one as `encoding` in the source's format, or save the file as UTF-8",
            encoding.name()
        )));
    }
    Ok(Decoded {
        text,
        is_unknown: known.is_none(),
    })
}

/// The encoding that a byte order mark, or the zeros between letters, tell.
const fn marked(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [0xEF, 0xBB, 0xBF, ..] => Some(UTF_8),
        [0xFF, 0xFE, ..] | [1..=0x7F, 0, 1..=0x7F, 0, ..] => Some(UTF_16LE),
        [0xFE, 0xFF, ..] | [0, 1..=0x7F, 0, 1..=0x7F, ..] => Some(UTF_16BE),
        _ => None,
    }
}

/// Number of bytes by which an encoding is found, and of the beginning of a word before its first letter that is not ASCII.
const ENCODED_BYTES: usize = 1 << 20;
const WORD_BYTES: usize = 100;

/// What tells the encoding of a text which is not UTF-8: its first word with a letter that is not ASCII, and what follows.
pub fn encoded_part(text: &[u8]) -> &[u8] {
    let first = text.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let before = text[..first].iter().rev().take(WORD_BYTES);
    let word = before
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    let rest = &text[first - word..];
    &rest[..rest.len().min(ENCODED_BYTES)]
}

/// Up to three encodings that a text may have which is not UTF-8, the likeliest first.
pub fn encodings(text: &[u8]) -> Vec<&'static Encoding> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(encoded_part(text), true);
    let likeliest = detector.guess(None, Utf8Detection::Deny);
    let mut found = vec![WINDOWS_1252, MACINTOSH];
    found.retain(|other| *other != likeliest);
    found.insert(0, likeliest);
    found
}

/// A sentence for the owner if some of the text was in UTF-8 and read as Windows-1252 before (spreadsheets do so with a CSV file that
/// they open by a double click), or has the mark of a letter that was lost.
pub fn describe_damage(text: &str) -> Option<String> {
    // The first byte of a letter in UTF-8, or that mark.
    let is_first = |c: char| matches!(c, '\u{c2}'..='\u{f4}' | '\u{fffd}');
    let lines = text.lines().filter(|line| line.contains(is_first));
    let mut words =
        lines.flat_map(|line| line.split(|c: char| c.is_whitespace() || ",;\"".contains(c)));
    let word = words.find(|word| word.contains(is_first) && is_garbled(word))?;
    Some(format!(
        "letters were probably changed or lost when a program saved the file, for example {}; export it again, and \
         import it without opening it",
        quoted(word)
    ))
}

/// Whether a word has that mark, or is, as bytes of Windows-1252, the UTF-8 of another. A capital letter before a closing mark looks like a letter of
/// another alphabet, too; so one letter counts only if it is Latin, a sign, or an emoji.
fn is_garbled(word: &str) -> bool {
    let (bytes, _, has_errors) = WINDOWS_1252.encode(word);
    let decoded = std::str::from_utf8(&bytes).unwrap_or_default();
    let mut letters = decoded.chars().filter(|c| !has_errors && !c.is_ascii());
    match (letters.next(), letters.next()) {
        (Some(letter), None) => {
            matches!(letter, '\u{80}'..='\u{17f}' | '\u{2000}'..='\u{2bff}' | '\u{10000}'..)
        }
        (first, _) => first.is_some() || word.contains('\u{fffd}'),
    }
}

// What a text is, by its beginning, and what to give instead of one that is no table.

/// Number of bytes of a text that are looked at.
const KIND_BYTES: usize = 64 << 10;

/// What a text is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Only whitespace.
    Nothing,
    Json,
    /// A page or another document with tags.
    Page,
    /// Delimited text.
    Text,
}

/// A kind of text that is refused: whether a text is of it, and what it is.
type RefusedKind = (fn(&str) -> bool, &'static str);

const CHART_DATA: &str =
    "is what a Google sheet answers to charts, not the sheet; open it and download it as CSV";

const DUMP: &str = "is a dump of a database (MongoDB, Firestore or DynamoDB) with types around its values; write plain values, for example with jq";

/// What a text is that is no table.
const TEXTS: [RefusedKind; 5] = [
    // DynamoDB's other export.
    (|text| text.starts_with("$ion_1_0"), DUMP),
    (
        |text| is_jsonp(text) && text.contains("google.visualization"),
        CHART_DATA,
    ),
    (
        is_script,
        "is a script of JavaScript; write the JSON in it, from the first [ or { to the last, into a file of its own",
    ),
    (
        is_jsonp,
        "is JSONP, a call around JSON; write what stands between its round brackets into a file of its own",
    ),
    (
        is_sql,
        "is a dump of a database in SQL; export the table as CSV or JSON",
    ),
];

/// What JSON is that is no list of reviews.
const DOCUMENTS: [RefusedKind; 4] = [
    (
        |json| has_member(json, "cols") && has_member(json, "rows") && json.contains("{\"c\":["),
        CHART_DATA,
    ),
    (
        |json| has_member(json, "doc_id") && json.contains("DO NOT EDIT THIS FILE"),
        "is a link to a Google document, not the document; open it and download it as CSV",
    ),
    (
        |json| has_member(json, "features") && json.contains("\"FeatureCollection\""),
        "holds the places that a Google Maps user has reviewed, not the reviews of a business; export `Google Business Profile` with \
         https://takeout.google.com and give its reviews.json, or the whole archive",
    ),
    (is_dump, DUMP),
];

/// What a page is that has no reviews.
const PAGES: [RefusedKind; 1] = [(
    has_office_head,
    "is a page of HTML or XML that a program calls a workbook; open it, and save it as XLSX or CSV",
)];

/// What a text is.
pub fn kind_of_text(text: &str) -> Kind {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    match text.as_bytes().first() {
        None => Kind::Nothing,
        Some(b'[' | b'{') => Kind::Json,
        Some(b'<') => Kind::Page,
        Some(_) => Kind::Text,
    }
}

/// Refuses a text that is no table, or JSON that is no list of reviews.
///
/// # Errors
/// With what it is and what to give instead.
pub fn refuse_text(kind: Kind, text: &str) -> Result<(), FileError> {
    let head = &text[..text.floor_char_boundary(KIND_BYTES)];
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let kinds = match kind {
        Kind::Text => &TEXTS[..],
        Kind::Json => &DOCUMENTS,
        Kind::Page => &PAGES,
        Kind::Nothing => &[],
    };
    let found = kinds.iter().find(|(is_this, _)| is_this(head));
    found.map_or(Ok(()), |(_, refusal)| Err(FileError::new(*refusal)))
}

/// Names of types around the values of `MongoDB` and `Firestore`, which no other JSON has.
const TYPES: [&str; 8] = [
    "$oid",
    "$date",
    "$numberInt",
    "$numberLong",
    "$numberDouble",
    "$numberDecimal",
    "stringValue",
    "integerValue",
];

/// Whether the values of JSON have types around them: those of `MongoDB`, `Firestore` or `DynamoDB`.
fn is_dump(json: &str) -> bool {
    TYPES.iter().any(|name| has_member(json, name))
        || ["S", "N"].iter().any(|name| has_typed_value(json, name))
}

/// Whether a JSON text has an object whose only member is a text of this name, as `DynamoDB` writes each value.
fn has_typed_value(json: &str, name: &str) -> bool {
    let member = format!("\"{name}\"");
    json.match_indices(&member).any(|(at, _)| {
        let object = json[..at].trim_end();
        let values = object.ends_with('{').then(|| &json[object.len() - 1..]);
        let values = values.map(|it| serde_json::Deserializer::from_str(it).into_iter());
        let value: Option<Result<BTreeMap<String, String>, _>> =
            values.and_then(|mut it| it.next());
        value.and_then(Result::ok).is_some_and(|it| it.len() == 1)
    })
}

fn has_office_head(page: &str) -> bool {
    // Texts of reviews stand in scripts and in the body.
    let begin = page.split("<script").next().unwrap_or_default();
    let begin = begin.split("<body").next().unwrap_or_default();
    begin.contains("urn:schemas-microsoft-com") || begin.contains("ProgId content=Excel")
}

/// Whether a JSON text has a member of this name. Quotation marks inside of a text are escaped, so no text looks like one.
fn has_member(json: &str, name: &str) -> bool {
    let member = format!("\"{name}\"");
    let ends = json.match_indices(&member);
    let mut ends = ends.map(|(at, _)| &json[at + member.len()..]);
    ends.any(|rest| rest.trim_start().starts_with(':'))
}

fn is_script(text: &str) -> bool {
    let begins = "var |let |const |export |import |function |module.exports|window.|(function|(()|(async|\"use strict\"|'use strict'";
    let first = text.lines().next().unwrap_or_default();
    begins.split('|').any(|it| text.starts_with(it))
        && (first.contains('=') || first.contains('{') || first.contains(';'))
}

fn is_jsonp(text: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || "_$.".contains(c);
    let comment = text.strip_prefix("/*").and_then(|it| it.split_once("*/"));
    let text = comment.map_or(text, |(_, rest)| rest.trim_start());
    let rest = text.trim_start_matches(is_name);
    rest.len() < text.len() && (rest.starts_with("([") || rest.starts_with("({"))
}

fn is_sql(text: &str) -> bool {
    let begins = "insert into |create table |drop table |begin transaction;|set names |--|/*!40|/*m!|pragma ";
    let head: String = text.chars().take(100).collect::<String>().to_lowercase();
    begins.split('|').any(|it| head.starts_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_is_found_by_one_mebibyte_from_the_first_letter_on() {
        let rows = "5,2026-01-01,Ann,fine\n".repeat(100_000).into_bytes();
        let letters = b"Ann,na\xefve d\xe9j\xe0 cr\xe8me br\xfbl\xe9e\n".repeat(100_000);
        let text = [&rows[..], &letters].concat();
        let part = encoded_part(&text);
        assert!(part.starts_with(b"na\xefve") && part.len() == ENCODED_BYTES);
        assert_eq!(encodings(&text)[0], WINDOWS_1252);
        assert_eq!(encodings(&text), encodings(part));
    }
}
