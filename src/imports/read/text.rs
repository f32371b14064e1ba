//! Delimited text: CSV (RFC 4180), also with semicolons (Excel in locales with a decimal comma), tabs or bars. The row of the
//! header gives the delimiter, and no other row decides how a text is read: people write into the cells.
//!
//! `csv-core`, the parser of the `csv` crate, reads one cell after the other into a buffer, whose size bounds a row. So it is known
//! where in the file each cell stands: the line of a row, and whether a cell ends where its quotation mark closes.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use csv_core::{ReadFieldResult, Reader, ReaderBuilder};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::memchr2_iter;

use crate::imports::limits::ImportLimits;
use crate::imports::map::fields::Mapping;
use crate::imports::map::values::{is_address, parse_rating, same_name};
use crate::imports::platforms::is_header;
use crate::imports::report::{FileError, Position};
use crate::imports::request::ImportRequest;
use crate::imports::table::{Cells, ROW_BYTES_MAX, RowFault, Table, TableRow, is_date, shown_cell};
use crate::model::text::quoted;

const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Number of bytes at the beginning of a file in which the row of the header is.
const HEAD_BYTES: usize = 64 << 10;

/// How the cells of a text are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    delimiter: u8,
    /// Line of the header, from 1; Excel's `sep=;` is above it.
    pub line: u64,
    /// The number of cells of the header, also of blank ones at its end.
    width: usize,
}

/// The dialect and the headers of a text, if it is a table: the header has at least two cells, or `sep=` gives the
/// delimiter. If several delimiters are possible, the one with the most known headers wins, then the one with the most
/// columns.
///
/// # Errors
/// When the row of the header has no names.
pub fn sniff(
    text: &str,
    request: &ImportRequest,
) -> Result<Option<(Dialect, Vec<String>)>, FileError> {
    let named = text.strip_prefix("sep=");
    let named = named.and_then(|rest| rest.bytes().next().filter(u8::is_ascii));
    let delimiters = named.map_or(DELIMITERS.to_vec(), |delimiter| vec![delimiter]);
    // Of equal ones `max_by_key` takes the last, so the delimiters are reversed.
    let tried = delimiters.into_iter().rev().filter_map(|delimiter| {
        let mut dialect = Dialect::of(delimiter);
        let mut rows = dialect.first_rows(text);
        if named.is_some() && !rows.is_empty() {
            rows.remove(0);
        }
        rows.drain(..header_at(&rows, request)?);
        let (line, cells) = rows.first()?;
        (dialect.line, dialect.width) = (*line, cells.len());
        let known = known_headers(cells, request);
        let columns = headers(cells.clone());
        Some((known, dialect, columns, rows))
    });
    let Some((_, dialect, columns, rows)) =
        tried.max_by_key(|(known, _, columns, _)| (*known, columns.len()))
    else {
        return Ok(None);
    };
    let is_table = columns.len() > 1 || named.is_some();
    if is_table {
        check_header(&columns, &rows)?;
    }
    Ok(is_table.then_some((dialect, columns)))
}

impl Dialect {
    const fn of(delimiter: u8) -> Self {
        Self {
            delimiter,
            line: 1,
            width: 0,
        }
    }

    /// The first rows of a text, each with its line.
    fn first_rows(self, text: &str) -> Vec<(u64, Vec<String>)> {
        let head = &text[..text.floor_char_boundary(HEAD_BYTES)];
        let rows = TextRows::new(head, self).map_while(Result::ok);
        let rows = rows.take(ROWS_NAMED_MAX);
        rows.map(|row| (row.line, texts(&row.cells))).collect()
    }
}

/// The row with names among the first rows of a text without a table, for a message.
pub fn row_with_names(text: &str) -> Option<u64> {
    let mut rows = DELIMITERS.map(|delimiter| Dialect::of(delimiter).first_rows(text));
    rows.iter_mut().find_map(|rows| named_row(rows))
}

/// Whether one of the first rows of a text begins on that line.
pub fn has_row(text: &str, line: u64) -> bool {
    let rows = Dialect::of(DELIMITERS[0]).first_rows(text);
    rows.iter().any(|(begin, _)| *begin == line)
}

/// The table in a text, in which U+FFFD stands for what is no UTF-8 if it `is_damaged`.
pub fn read_text(
    text: &str,
    is_damaged: bool,
    dialect: Dialect,
    columns: Vec<String>,
    limits: &mut ImportLimits<'_>,
) -> Result<Table, FileError> {
    if columns.len() > COLUMNS_MAX {
        return Err(too_many_columns(columns.len()));
    }
    let mut table = Table {
        columns,
        place: Some(format!(", header in row {}", dialect.line)),
        ..Table::default()
    };
    for row in TextRows::new(text, dialect) {
        let TextRow {
            line,
            mut cells,
            fault,
        } = row?;
        let filled = cells.filled();
        if filled == 0 || line <= dialect.line {
            limits.take(0)?;
            continue;
        }
        let is_garbled = |(_, cell): &(usize, &str)| is_damaged && cell.contains('\u{fffd}');
        let garbled = cells.all().find(is_garbled);
        let garbled = garbled.map(|(at, _)| {
            let name = table.columns.get(at).map_or("", String::as_str);
            format!(
                "the cell under {name:?} is not UTF-8, which the rows before are; save the file as UTF-8"
            )
        });
        if (table.columns.len()..=dialect.width).contains(&filled) {
            table.columns.resize(filled, String::new());
        }
        let columns = table.columns.len();
        // Extra blank cells are no cells. Those that are missing at the end are judged once all rows are read.
        cells.truncate(filled.max(columns));
        let misfit = (filled > columns).then(|| misfit(filled, columns));
        let message = garbled.or(fault).or(misfit);
        let fault = message.map(|message| RowFault { message, raw: None });
        let row = TableRow::new(Position::Line(line), cells, fault);
        limits.take(row.bytes())?;
        table.rows.push(row);
    }
    fill_short_rows(&mut table, limits)?;
    table.name_columns();
    Ok(table)
}

/// Fills rows whose last cells are missing, as Excel and people leave out empty ones. A row without a date is the rest of a
/// text whose line break is not in quotes, and so is incomplete the row before it.
fn fill_short_rows(table: &mut Table, limits: &mut ImportLimits<'_>) -> Result<(), FileError> {
    let columns = table.columns.len();
    let mut is_rest = false;
    for row in table.rows.iter_mut().rev() {
        let count = row.cells.there.end;
        if count >= columns {
            is_rest = false;
            continue;
        }
        let has_date = row.cells.all().any(|(_, cell)| is_date(cell));
        let is_whole = has_date && !is_rest;
        is_rest = !has_date;
        if row.fault.is_some() {
            continue;
        }
        if is_whole {
            row.cells.there.end = columns;
        } else {
            let before = row.bytes();
            row.fault = Some(Box::new(RowFault {
                message: misfit(count, columns),
                raw: None,
            }));
            limits.take(row.bytes() - before)?;
        }
    }
    Ok(())
}

/// A row of a text.
struct TextRow {
    /// On which it begins, from 1.
    line: u64,
    cells: Cells,
    /// That a quotation mark opens a cell and closes before its end: one is missing, and the cell may have swallowed other rows.
    fault: Option<String>,
}

/// The rows of a text that are not empty.
struct TextRows<'t> {
    text: &'t str,
    parser: Reader,
    /// Where the parser is.
    at: usize,
    /// Where the last row begins, and on which line.
    row_at: usize,
    line: u64,
    /// For the cells of a row.
    buffer: Vec<u8>,
}

impl<'t> TextRows<'t> {
    fn new(text: &'t str, dialect: Dialect) -> Self {
        Self {
            text,
            parser: ReaderBuilder::new().delimiter(dialect.delimiter).build(),
            at: 0,
            row_at: 0,
            line: 1,
            buffer: vec![0; ROW_BYTES_MAX],
        }
    }

    /// The line at a place in the last row.
    fn line_at(&self, at: usize) -> u64 {
        self.line + line_ends(&self.text[self.row_at..at])
    }

    fn read_row(&mut self) -> Result<TextRow, FileError> {
        let (mut cells, mut is_last, mut is_whole) = (Cells::default(), false, true);
        while !is_last {
            let (start, length) = (self.at, cells.text.len());
            let buffer = &mut self.buffer[length..];
            let bytes = self.text.as_bytes();
            let (result, read, written) = self.parser.read_field(&bytes[start..], buffer);
            self.at += read;
            let mut raw = &bytes[start..self.at];
            is_last = match result {
                ReadFieldResult::Field { record_end } => {
                    raw = raw.split_last().map_or(raw, |(_, raw)| raw);
                    record_end
                }
                ReadFieldResult::OutputFull => return Err(row_too_long(self.line_at(start))),
                // The text does not end with a line end. One more belongs to its last cell only if that is open.
                ReadFieldResult::InputEmpty | ReadFieldResult::End => {
                    if self.parser.read_field(b"\n", &mut [0; 2]).2 > 0 {
                        return Err(never_closed(self.line_at(start)));
                    }
                    true
                }
            };
            let cell = String::from_utf8_lossy(&self.buffer[length..length + written]);
            // A quoted cell is as long as its text, its two marks, and one more for each mark in the text.
            let quoted = written + 2 + cell.matches('"').count();
            let is_quoted = raw.starts_with(b"\"");
            is_whole &= !is_quoted || raw.ends_with(b"\"") && raw.len() == quoted;
            cells.text += &formula_text(&cell).map_or(cell, Cow::Owned);
            cells.end_cell(length);
            if cells.there.end > CELLS_MAX {
                return Err(row_too_long(self.line));
            }
        }
        let row = self.text[self.row_at..self.at].trim_end_matches(['\r', '\n']);
        if !is_whole && row.contains("\\\"") {
            return Err(FileError::new(format!(
                "is a dump of a database, which writes \\\" for a quotation mark (line {}); export it as CSV that doubles them \
                 (RFC 4180), or as JSON",
                self.line
            )));
        }
        let fault = (!is_whole).then(|| {
            format!(
                "a quotation mark opens a cell in this row and is not closed where the cell ends; close or remove the mark, and \
                 double those inside of a cell; nothing up to line {} is imported",
                self.line + line_ends(row)
            )
        });
        Ok(TextRow {
            line: self.line,
            cells,
            fault,
        })
    }
}

impl Iterator for TextRows<'_> {
    type Item = Result<TextRow, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.text.as_bytes()[self.at..].iter();
        self.at += rest.take_while(|byte| b"\r\n".contains(byte)).count();
        self.line = self.line_at(self.at);
        self.row_at = self.at;
        (self.at < self.text.len()).then(|| self.read_row())
    }
}

/// The number of lines that end with CR LF, LF or, in files of old Macs, CR.
fn line_ends(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let ends = memchr2_iter(b'\r', b'\n', bytes);
    let ends = ends.filter(|at| !bytes[*at..].starts_with(b"\r\n"));
    ends.count() as u64
}

/// The text of `="0123"`: programs write one so that a spreadsheet takes it for no number.
fn formula_text(cell: &str) -> Option<String> {
    let text = cell.strip_prefix("=\"")?.strip_suffix('"')?;
    let is_one = !text.replace("\"\"", "").contains('"');
    is_one.then(|| text.replace("\"\"", "\""))
}

// The header of a table, which is its first row unless the owner names another; also of a sheet.

/// Maximum number of columns: no table of reviews has more.
pub const COLUMNS_MAX: usize = 1_000;
/// Maximum number of cells of a row, also of blank ones beyond the last column.
const CELLS_MAX: usize = 100_000;
/// Number of first rows from which `--header-row` may choose.
pub const ROWS_NAMED_MAX: usize = 200;
/// Maximum number of cells of a row that are compared with known headers.
const CELLS_LOOKED_AT: usize = 100;
/// Maximum length in bytes of a cell that is compared with known headers.
const HEADER_BYTES_MAX: usize = 64;

pub fn too_many_columns(columns: usize) -> FileError {
    FileError::new(format!(
        "has {columns} columns; at most {COLUMNS_MAX} are supported"
    ))
}

fn never_closed(line: u64) -> FileError {
    FileError::new(format!(
        "line {line}: a quotation mark opens a cell and none closes it, so all that follows would be part of this row; \
         close it, or export the file again if its end is missing"
    ))
}

/// Usually because of an unclosed quote.
pub fn row_too_long(line: u64) -> FileError {
    FileError::new(format!(
        "line {line}: the row that starts here is larger than 1 MiB; close the quote that was opened in it, or shorten it, also by blank \
         cells"
    ))
}

/// Of `--header-row`; the row may also be too far down.
pub fn missing_row(row: u64) -> FileError {
    FileError::new(format!(
        "has no row {row} among its first {ROWS_NAMED_MAX} rows that are not empty; leave --header-row out, or name the header \
         row"
    ))
}

/// Where the row of the header is among the first rows of a table.
pub fn header_at(rows: &[(u64, Vec<String>)], request: &ImportRequest) -> Option<usize> {
    let named = request.header_row;
    rows.iter()
        .position(|(row, _)| named.is_none_or(|named| named == *row))
}

/// The number of cells that are known headers.
pub fn known_headers(cells: &[String], request: &ImportRequest) -> usize {
    let is_known = |cell: &&String| {
        let is_mapped = |map: &Mapping| same_name(&map.column, cell);
        is_known_header(cell) || request.columns.maps.iter().any(is_mapped)
    };
    let cells = cells.iter().take(CELLS_LOOKED_AT);
    cells.filter(is_known).count()
}

fn is_known_header(cell: &str) -> bool {
    cell.len() <= HEADER_BYTES_MAX && cell.chars().any(char::is_alphabetic) && is_header(cell)
}

/// Refuses a header whose cells are values of a review; `rows` are it and those below it.
pub fn check_header(columns: &[String], rows: &[(u64, Vec<String>)]) -> Result<(), FileError> {
    let is_lone_rating =
        |cell: &str| !cell.contains(char::is_alphabetic) && parse_rating(cell, None).is_ok();
    let is_value = |cell: &&String| is_date(cell) || is_address(cell) || is_lone_rating(cell);
    let value = columns.iter().find(is_value);
    let content = match (value, columns) {
        (Some(value), _) => shown_cell(value),
        (None, [] | [_]) => "one cell only".to_owned(),
        (None, _) => return Ok(()),
    };
    let row = rows.first().map_or(1, |(row, _)| *row);
    let advice = named_row(rows).map_or(
        "put a row with the names of the columns above it".to_owned(),
        |row| format!("the names are in row {row}: pass --header-row {row}"),
    );
    Err(FileError::new(format!(
        "has no header in row {row}, which has {content}; {advice}"
    )))
}

/// The first of these rows with at least two known headers, for messages.
pub fn named_row(rows: &[(u64, Vec<String>)]) -> Option<u64> {
    let is_named = |cells: &[String]| {
        let known = cells.iter().take(CELLS_LOOKED_AT);
        known.filter(|cell| is_known_header(cell)).nth(1).is_some()
    };
    let mut rows = rows.iter().filter(|(_, cells)| is_named(cells));
    rows.next().map(|(row, _)| *row)
}

/// The headers, trimmed. Blank cells after the last header do not count as columns.
pub fn headers(mut cells: Vec<String>) -> Vec<String> {
    while cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    let cells = cells.into_iter();
    cells.map(|cell| cell.trim().to_owned()).collect()
}

/// The cells as texts, with the blank ones at the end.
pub fn texts(cells: &Cells) -> Vec<String> {
    let cells = (0..cells.there.end).map(|column| cells.get(column).unwrap_or_default());
    cells.map(str::to_owned).collect()
}

fn misfit(cells: usize, columns: usize) -> String {
    format!(
        "has {cells} cells under {columns} headers; put a cell that holds the delimiter or a line break in \"quotes\""
    )
}

// The encoding of a file: UTF-8, UTF-16, or the one that `--encoding` names or that the letters suggest. Everything else is
// refused as binary.

/// A file as text.
pub struct Decoded<'b> {
    /// With U+FFFD in place of what cannot be read.
    pub text: Cow<'b, str>,
    /// Whether some of a file in UTF-8 is none.
    pub is_damaged: bool,
    /// `None` for Unicode.
    pub encoding: Option<&'static Encoding>,
}

/// The file as text. The first letter beyond ASCII decides whether it is UTF-8; JSON always is (RFC 8259 §8.1).
/// `country` is that of the business.
///
/// # Errors
/// When it is binary, or not in the encoding `named`.
pub fn decode<'b>(
    bytes: &'b [u8],
    named: Option<&'static Encoding>,
    country: Option<&str>,
    limits: &mut ImportLimits<'_>,
) -> Result<Decoded<'b>, FileError> {
    let mut binary = BINARY.iter();
    if let Some((_, content)) = binary.find(|(start, _)| bytes.starts_with(start)) {
        return Err(FileError::new(format!("is {content}")));
    }
    let is_unicode = || is_utf8(bytes) || is_json(bytes);
    let encoding = named
        .or_else(|| wide(bytes))
        .or_else(|| is_unicode().then_some(UTF_8))
        .unwrap_or_else(|| guess(bytes, country));
    // A letter has up to three bytes.
    let room = 3 * bytes.len() * usize::from(std::str::from_utf8(bytes).is_err());
    limits.take(room)?;
    let (text, has_errors) = encoding.decode_with_bom_removal(bytes);
    limits.give(room);
    if let Cow::Owned(text) = &text {
        limits.take(text.len())?;
    }
    if has_errors && named.is_some_and(|named| named != UTF_8) {
        return Err(FileError::new(format!(
            "is not in the encoding {}; leave --encoding out, or name another one",
            encoding.name()
        )));
    }
    Ok(Decoded {
        text,
        is_damaged: has_errors && encoding == UTF_8,
        encoding: Some(encoding).filter(|it| ![UTF_8, UTF_16LE, UTF_16BE].contains(it)),
    })
}

/// The first bytes of binary files that people take for exports.
const BINARY: [(&[u8], &str); 7] = [
    (
        b"PK\x03\x04",
        "an archive in an archive; unpack it and give the file or folder",
    ),
    (
        b"\x1F\x8B",
        "packed with gzip; unpack it and give the file or folder",
    ),
    (b"%PDF", "a PDF document, not an export of reviews"),
    (
        b"SQLite format 3\0",
        "a database; `reviews restore FILE` takes a backup of this service, not an export of reviews",
    ),
    (b"\x89PNG", "an image, not an export of reviews"),
    (b"\x7FELF", "a program, not an export of reviews"),
    (
        b"\xD0\xCF\x11\xE0",
        "an old Excel workbook (.xls) or another document of Microsoft Office; save it as XLSX or CSV, not an export of reviews",
    ),
];

/// The UTF-16 encoding of a text, if it has one.
const fn wide(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [0xFF, 0xFE, ..] | [1..=0x7F, 0, 1..=0x7F, 0, ..] => Some(UTF_16LE),
        [0xFE, 0xFF, ..] | [0, 1..=0x7F, 0, 1..=0x7F, ..] => Some(UTF_16BE),
        _ => None,
    }
}

/// Whether the first bytes beyond ASCII are UTF-8: text in another encoding hardly ever is.
fn is_utf8(text: &[u8]) -> bool {
    let Err(error) = std::str::from_utf8(text) else {
        return true;
    };
    !text[..error.valid_up_to()].is_ascii()
}

/// Whether a text is a list or an object of JSON, or has lines of such.
fn is_json(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n');
    text.trim_ascii_start().starts_with(b"[")
        || lines.any(|line| line.trim_ascii_start().starts_with(b"{"))
}

/// The encoding that the letters of a text suggest. The country counts as a browser's address would: one letter proves little, and next
/// month's file should be read in the same way. Against western Europe's encoding two letters prove more than the country.
fn guess(text: &[u8], country: Option<&str>) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(text, true);
    let country = country.filter(|it| it.bytes().all(|byte| byte.is_ascii_alphabetic()));
    let domain = country.unwrap_or("US").to_ascii_lowercase();
    let of_country = detector.guess(Some(domain.as_bytes()), Utf8Detection::Deny);
    let mut letters = text.iter().filter(|byte| **byte >= 0xC0);
    let first = letters.next();
    if of_country != WINDOWS_1252 || letters.all(|letter| Some(letter) == first) {
        return of_country;
    }
    detector.guess(None, Utf8Detection::Deny)
}

/// A sentence for the owner about an encoding that was not named; `kept_of` is the source whose earlier import used it.
pub fn describe(encoding: &'static Encoding, text: &str, kept_of: Option<&str>) -> String {
    let mut cells = text.split([',', ';', '\t', '|', '"', '\r', '\n']);
    let example = cells.find(|cell| !cell.is_ascii()).unwrap_or_default();
    let kept = kept_of.map(|source| format!(", as in an earlier import of {source}"));
    format!(
        "the file is not UTF-8 and is read as {}{}, for example {}; if letters are wrong, name its encoding, such as \
         --encoding windows-1250, or save it as UTF-8",
        encoding.name(),
        kept.unwrap_or_default(),
        quoted(example.trim())
    )
}

/// A sentence for the owner if some of the text was in UTF-8 and read as Windows-1252 before: spreadsheets do so with a CSV
/// file that they open by a double click, and Facebook's downloads have it in the escapes of their JSON.
pub fn describe_damage(text: &str) -> Option<String> {
    let is_end = |c: char| c.is_whitespace() || ",;\"".contains(c);
    // The first byte of a letter in UTF-8.
    let is_first = |c: char| matches!(c, '\u{c2}'..='\u{f4}');
    let may_be = |part: &&str| part.contains(is_first) || part.contains("\\u00");
    let words = text.lines().filter(may_be);
    let words = words.flat_map(|line| line.split(is_end)).filter(may_be);
    let mut words = words.map(|word| {
        let decoded = serde_json::from_str(&format!("\"{word}\""));
        decoded.unwrap_or_else(|_| word.to_owned())
    });
    let word = words.find(|word| is_damaged(word))?;
    Some(format!(
        "the file was probably saved after another program read its UTF-8 as Windows-1252, for example {}; export it again, and \
         import it without opening it",
        quoted(&word)
    ))
}

/// Whether neighbouring letters of a word are, as bytes of Windows-1252, the UTF-8 of others. A capital letter before a closing mark
/// looks like a letter of another alphabet, too; so one letter counts only if it is Latin, a sign, or an emoji.
fn is_damaged(word: &str) -> bool {
    let byte = |c: char| {
        u8::try_from(u32::from(c)).ok().or_else(|| {
            let letter = c.to_string();
            let (bytes, _, has_errors) = WINDOWS_1252.encode(&letter);
            (!has_errors).then(|| bytes[0])
        })
    };
    let bytes: Vec<u8> = word.chars().map(|c| byte(c).unwrap_or(b' ')).collect();
    let runs = bytes.split(u8::is_ascii);
    let mut texts = runs.filter_map(|run| std::str::from_utf8(run).ok());
    texts.any(|text| {
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => {
                matches!(letter, '\u{80}'..='\u{17f}' | '\u{2000}'..='\u{2bff}' | '\u{10000}'..)
            }
            (first, _) => first.is_some(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{read_text, sniff};
    use crate::imports::limits::ImportLimits;
    use crate::imports::read::text::decode;
    use crate::imports::request::ImportRequest;

    fn rows(file: &[u8]) -> Vec<String> {
        let decoded = decode(file, None, None, &mut ImportLimits::new(None)).unwrap();
        let (dialect, columns) = sniff(&decoded.text, &ImportRequest::default())
            .unwrap()
            .unwrap();
        let table = read_text(
            &decoded.text,
            decoded.is_damaged,
            dialect,
            columns,
            &mut ImportLimits::new(None),
        )
        .unwrap();
        let mut rows = vec![table.columns.join("|")];
        for row in &table.rows {
            let cells = super::texts(&row.cells);
            rows.push(match &row.fault {
                None => format!("{}: {}", row.at, cells.join("|")),
                Some(fault) => format!("{}! {}", row.at, fault.message),
            });
        }
        rows
    }

    #[test]
    fn the_delimiter_is_detected_in_the_header() {
        assert_eq!(rows(b"a;b, c;d\n1;2,5;3\n"), ["a|b, c|d", "2: 1|2,5|3"]);
        assert_eq!(
            rows(b"a\tb\n1\t\"x\ny\"\n2\tz\n"),
            ["a|b", "2: 1|x\ny", "4: 2|z"]
        );
        assert_eq!(rows(b"sep=;\r\na;b\r\n1;2\r\n"), ["a|b", "3: 1|2"]);
        assert_eq!(
            rows(b"a,b\r\n\r\n\n1,2\r\n\"x\r\ny\",4\r\n5,6"),
            ["a|b", "4: 1|2", "5: x\r\ny|4", "7: 5|6"]
        );
        assert_eq!(
            rows(b"a,b\r1,2\r\r3,\"x\ry\"\r5,6"),
            ["a|b", "2: 1|2", "4: 3|x\ry", "6: 5|6"],
            "lines that end with CR alone"
        );
        assert_eq!(
            rows(b"a|b\n\"say \"\"hi\"\"\"|2"),
            ["a|b", "2: say \"hi\"|2"]
        );
        let text = sniff("just a text\nof lines\n", &ImportRequest::default());
        assert!(text.unwrap().is_none());
    }

    #[test]
    fn row_with_a_cell_in_invalid_utf_8_is_rejected() {
        let mixed = rows(b"a,b\n1,Jos\xc3\xa9\n2,Jos\xe9\n");
        assert_eq!(mixed[1], "2: 1|José");
        assert!(
            mixed[2].contains("3! the cell under \"b\" is not UTF-8"),
            "{mixed:?}"
        );
    }

    #[test]
    fn a_row_with_missing_or_extra_nonblank_cells_is_rejected() {
        let rows = rows(b"a,b\n1,2,,\n1,2,3\n1\n");
        assert_eq!(rows[1], "2: 1|2");
        assert!(
            rows[2].starts_with("3! has 3 cells under 2 headers")
                && rows[3].starts_with("4! has 1 cells"),
            "{rows:?}"
        );
    }

    #[test]
    fn missing_cells_at_the_end_of_a_row_with_a_date_are_empty() {
        let table = b"Date,Name,Stars,Text,Reply\n2025-03-14,Ann,5,Great\n2025-03-15,Bo,4,Late,Sorry\n2025-03-16,Cy,4\n";
        let [_, ann, bo, cy] = &rows(table)[..] else {
            panic!("four rows");
        };
        assert_eq!(ann, "2: 2025-03-14|Ann|5|Great|");
        assert_eq!(bo, "3: 2025-03-15|Bo|4|Late|Sorry");
        assert_eq!(cy, "4: 2025-03-16|Cy|4||");
        // A line break outside of quotation marks makes two incomplete rows.
        let broken = rows(b"Date,Text,Reply\n2025-03-14,Great\nwork,Ty\n2025-03-15,Late\n");
        assert!(broken[1].starts_with("2! has 2 cells"), "{broken:?}");
        assert!(broken[2].starts_with("3! has 2 cells"), "{broken:?}");
        assert_eq!(broken[3], "4: 2025-03-15|Late|");
    }

    #[test]
    fn row_with_an_unclosed_quotation_mark_is_rejected() {
        let head = "Date,Name,Stars,Comment\n3/14/2025,Ann,5,Fine\n";
        for rest in [
            "3/15/2025,Bo,4,\"Late\n3/16/2025,Cy,4,Fine\n3/17/2025,Di,4,\"Fine too\"\n",
            "3/15/2025,Bo,4,\"Late\nand rude\" indeed\n",
        ] {
            let rows = rows(format!("{head}{rest}3/18/2025,Ed,4,Fine\n").as_bytes());
            let message = "3! a quotation mark opens a cell in this row and is not closed where the cell ends;";
            assert!(rows[2].starts_with(message), "{rows:?}");
            assert!(rows[3].ends_with("3/18/2025|Ed|4|Fine"), "{rows:?}");
        }
        let one_line = rows(b"a,b\n1,\"He said \"done\" and left\"\n2,a 5\" pipe\n");
        let message = "2! a quotation mark opens a cell in this row and is not closed where the cell ends; close or remove the mark, \
                       and double those inside of a cell; nothing up to line 2 is imported";
        assert_eq!(one_line[1..], [message, "3: 2|a 5\" pipe"]);
        let whole =
            rows(b"Date,Name,Stars,Comment\n3/15/2025,Bo,4,\"Late,\nrude, on 3/16/2025\"\n");
        assert_eq!(whole[1], "2: 3/15/2025|Bo|4|Late,\nrude, on 3/16/2025");
    }
}

#[cfg(test)]
mod encoding_tests {
    use super::*;

    fn read(bytes: &[u8]) -> (String, Option<&'static str>) {
        let decoded = decode(bytes, None, None, &mut ImportLimits::new(None)).unwrap();
        let name = decoded.encoding.map(Encoding::name);
        (decoded.text.into_owned(), name)
    }

    #[test]
    fn encoding_is_detected_from_letters() {
        for (bytes, encoding, text) in [
            (&b"a\nJos\xe9\n\x80 5"[..], "windows-1252", "a\nJosé\n€ 5"),
            (b"price \xa350 ok", "windows-1252", "price £50 ok"),
            (b"na\xefve", "windows-1252", "naïve"),
            (b"\x93Great\x94 \x96 ok", "windows-1252", "“Great” – ok"),
            (b"don\x92t", "windows-1252", "don’t"),
            (
                b"Data;\xa3ucja;Za\xbf\xf3\xb3\xe6",
                "windows-1250",
                "Data;Łucja;Zażółć",
            ),
            (b"Dvo\xf8\xe1k", "windows-1250", "Dvořák"),
            (
                b"\xce\xf7\xe5\xed\xfc \xf5\xee\xf0\xee\xf8\xee",
                "windows-1251",
                "Очень хорошо",
            ),
            (
                b"\x82\xc6\x82\xc4\x82\xe0\x97\xc7\x82\xa9\x82\xc1\x82\xbd",
                "Shift_JIS",
                "とても良かった",
            ),
        ] {
            assert_eq!(read(bytes), (text.to_owned(), Some(encoding)));
        }
    }

    #[test]
    fn the_encoding_of_the_country_wins_if_it_gives_words() {
        for (bytes, country, text) in [
            (&b"Ana\xefs"[..], "US", "Anaïs"),
            (b"\xa1Hola!", "US", "¡Hola!"),
            (b"Main d\x92\x9cuvre", "FR", "Main d’œuvre"),
            (b"c\x9cur", "FR", "cœur"),
            (b"Na\xefve me, Trane\x99", "US", "Naïve me, Trane™"),
            (
                b"\x8cwietnie, gor\xb9co polecam",
                "PL",
                "Świetnie, gorąco polecam",
            ),
            (
                b"Data;\xa3ucja;Za\xbf\xf3\xb3\xe6",
                "US",
                "Data;Łucja;Zażółć",
            ),
            (
                b"\x82\xc6\x82\xc4\x82\xe0\x97\xc7\x82\xa9\x82\xc1\x82\xbd",
                "US",
                "とても良かった",
            ),
            (
                b"\xce\xf7\xe5\xed\xfc \xf5\xee\xf0\xee\xf8\xee",
                "DE",
                "Очень хорошо",
            ),
        ] {
            let decoded = decode(bytes, None, Some(country), &mut ImportLimits::new(None)).unwrap();
            assert_eq!(decoded.text, text, "{country}");
        }
        for (bytes, text) in [
            (&b"Ana\xefs"[..], "Anaïs"),
            (b"\xa1Hola!", "¡Hola!"),
            (b"c\x9cur", "cœur"),
        ] {
            assert_eq!(read(bytes).0, text);
        }
    }

    #[test]
    fn utf_8_and_utf_16_are_recognised() {
        for bytes in [
            &b"\xEF\xBB\xBFJos\xc3\xa9"[..],
            b"Jos\xc3\xa9",
            b"\xFF\xFEJ\0o\0s\0\xe9\0",
        ] {
            assert_eq!(read(bytes), ("José".to_owned(), None));
        }
        // What is broken later stays broken.
        assert_eq!(
            read(b"Jos\xc3\xa9\nJos\xe9"),
            ("José\nJos\u{fffd}".to_owned(), None)
        );
        assert_eq!(
            read(b"[\"Jos\xe9\"]"),
            ("[\"Jos\u{fffd}\"]".to_owned(), None)
        );
    }

    #[test]
    fn a_named_encoding_is_used_or_refused() {
        let read = |bytes, name: &str| {
            let named = Encoding::for_label(name.as_bytes());
            decode(bytes, named, None, &mut ImportLimits::new(None)).map(|it| it.text.into_owned())
        };
        assert_eq!(read(b"Szyma\xf1ski", "windows-1250").unwrap(), "Szymański");
        let refusal = read(b"Szyma\xf1 ski", "shift_jis").unwrap_err().to_string();
        assert!(
            refusal.contains("is not in the encoding Shift_JIS"),
            "{refusal}"
        );
    }
}
