//! Tables: delimited text and workbooks, as rows of cells with headers. Every cell is a text, as displayed.

use std::collections::HashSet;
use std::fmt::Display;
use std::io::{self, BufRead, Cursor, Read};

use calamine::{DataRef, Reader as _, SheetVisible, Xlsx};
use encoding_rs::WINDOWS_1252;
use zip::ZipArchive;

use crate::imports::file_error::FileError;
use crate::imports::map::Rename;
use crate::imports::map::plan::Columns;
use crate::imports::map::values::same_name;
use crate::imports::platforms::is_header;
use crate::imports::request::ImportRequest;

/// The position of a table's headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TablePlace {
    /// In delimited text.
    Text(Dialect),
    /// In a workbook.
    Workbook(SheetHeader),
}

/// Maximum size of a row in bytes: as much as a line of JSON Lines.
const ROW_BYTES_MAX: usize = 1 << 20;
/// Maximum number of columns: no table of reviews has more.
const COLUMNS_MAX: usize = 1_000;

fn too_many_columns(columns: usize) -> FileError {
    FileError::new(format!(
        "has {columns} columns; at most {COLUMNS_MAX} are supported"
    ))
}

/// Usually because of an unclosed quote.
fn row_too_long(line: u64) -> FileError {
    FileError::new(format!(
        "line {line}: the row that starts here is larger than 1 MiB; close the quote that was opened in it, or shorten it"
    ))
}

/// Of `--header-row`; the row may also be too far down.
pub fn no_such_row(row: u64) -> FileError {
    FileError::new(format!(
        "has no row {row} among its first {ROWS_NAMED_MAX} rows that are not empty; leave --header-row out, or name the header \
         row"
    ))
}

/// Called with a row: the line on which it begins, from 1, its cells, and what is wrong with them, if anything.
pub type TakeRow<'t> = &'t mut dyn FnMut(u64, &[String], Option<String>) -> Result<(), FileError>;

/// Number of first rows from which `--header-row` may choose.
const ROWS_NAMED_MAX: usize = 200;
/// Number of first rows in which the header is searched, below titles and notes.
const ROWS_ABOVE_MAX: usize = 20;
/// Maximum number of cells of a row that are compared with known headers.
const CELLS_LOOKED_AT: usize = 100;
/// Maximum length in bytes of a cell that is compared with known headers.
const HEADER_BYTES_MAX: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct HeaderRow {
    /// Index among the first rows.
    at: usize,
    /// Number of cells that are known headers.
    known: usize,
}

/// The header among these rows: the row given by the user; otherwise the first with the most known words, if these are
/// at least two; otherwise the first with at least `cells_min` cells, or with any cell.
fn header(
    rows: &[(u64, Vec<String>)],
    cells_min: usize,
    request: &ImportRequest,
) -> Option<HeaderRow> {
    let is_known = |cell: &&String| {
        let is_renamed = |rename: &Rename| same_name(&rename.theirs, cell);
        cell.len() <= HEADER_BYTES_MAX
            && cell.chars().any(char::is_alphabetic)
            && (is_header(cell) || request.renames.iter().any(is_renamed))
    };
    let header = |(at, (_, cells)): (usize, &(u64, Vec<String>))| HeaderRow {
        at,
        known: cells.iter().take(CELLS_LOOKED_AT).filter(is_known).count(),
    };
    let mut all = rows.iter().enumerate();
    if let Some(wanted) = request.header_row {
        return all.find(|(_, (number, _))| *number == wanted).map(header);
    }
    let known = all.clone().map(header).filter(|header| header.known > 1);
    // Of equal ones `max_by_key` takes the last, so the rows are reversed.
    let best = known.rev().max_by_key(|header| header.known);
    let first = |cells_min: usize| {
        let is_filled = |cell: &&String| !cell.trim().is_empty();
        let mut all = rows.iter().enumerate();
        let row = all.find(|(_, (_, cells))| cells.iter().filter(is_filled).count() >= cells_min);
        row.map(header)
    };
    best.or_else(|| first(cells_min)).or_else(|| first(1))
}

/// Number of first rows that are read to find the header.
const fn rows_looked_at(request: &ImportRequest) -> usize {
    if request.header_row.is_some() {
        ROWS_NAMED_MAX
    } else {
        ROWS_ABOVE_MAX
    }
}

/// The headers, trimmed. Blank cells after the last header do not count as columns.
fn headers(mut cells: Vec<String>) -> Columns {
    while cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    Columns(
        cells
            .into_iter()
            .map(|cell| cell.trim().to_owned())
            .collect(),
    )
}

/// Fits a row to the number of columns: extra blank cells are removed. Returns a message if it does not fit.
fn fit(cells: &mut Vec<String>, columns: usize) -> Option<String> {
    while cells.len() > columns && cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    let found = cells.len();
    (found != columns).then(|| {
        format!(
            "has {found} cells under {columns} headers; put a cell that holds the delimiter or a line break in \"quotes\""
        )
    })
}

// Delimited text: CSV (RFC 4180), also with semicolons (Excel in locales with a decimal comma), tabs or bars.
//
// The encoding is UTF-8 or Windows-1252; the first byte that only one of them allows decides. UTF-16 was already
// converted to UTF-8. The size of a row is bounded, so that an unclosed quote does not fill the memory.

const DELIMITERS: [u8; 4] = *b",;\t|";
/// Maximum number of bytes that the reader below may have read beyond the row's end.
const READ_AHEAD_BYTES: usize = 64 << 10;

/// The delimiter and the position of the headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    delimiter: u8,
    /// Line of the header, from 1; Excel's `sep=;` and titles are above it.
    pub line: u64,
}

/// The dialect and the headers of a text that begins with `head`, if it is a table: the header has at least two cells,
/// or `sep=` gives the delimiter. If several delimiters are possible, the one with the most known headers wins, then
/// the one with the most columns.
pub fn sniff(head: &[u8], request: &ImportRequest) -> Option<(Dialect, Columns)> {
    let named = head
        .strip_prefix(b"sep=")
        .and_then(|rest| rest.first().copied());
    let delimiters = named.map_or(DELIMITERS.to_vec(), |delimiter| vec![delimiter]);
    // Of equal ones `max_by_key` takes the last, so the delimiters are reversed.
    let tried = delimiters.into_iter().rev().filter_map(|delimiter| {
        let mut rows = first_rows(head, delimiter, rows_looked_at(request));
        if named.is_some() && !rows.is_empty() {
            rows[0].1.clear();
        }
        let found = header(&rows, 1, request)?;
        let (line, columns) = (rows[found.at].0, headers(rows.swap_remove(found.at).1));
        let is_table = columns.0.len() > 1 || named.is_some();
        let dialect = Dialect { delimiter, line };
        is_table.then_some((found.known, dialect, columns))
    });
    let best = tried.max_by_key(|(known, _, columns)| (*known, columns.0.len()));
    best.map(|(_, dialect, columns)| (dialect, columns))
}

/// Whether one of the first rows of a text begins on that line.
pub fn has_row(head: &[u8], line: u64) -> bool {
    let rows = first_rows(head, DELIMITERS[0], ROWS_NAMED_MAX);
    rows.iter().any(|(its, _)| *its == line)
}

/// The first rows of a text, each with its line.
fn first_rows(mut head: &[u8], delimiter: u8, rows_max: usize) -> Vec<(u64, Vec<String>)> {
    let mut text = TextRows::new(&mut head, delimiter);
    let mut rows = Vec::new();
    while rows.len() < rows_max
        && let Ok(Some(line)) = text.read()
    {
        let cells = text.record.iter();
        let cells = cells.map(|cell| Encoding::Undecided.decode(cell));
        rows.push((line, cells.collect()));
    }
    rows
}

/// Calls `take` with every row of `input`, in file order.
pub fn read_text(
    input: &mut dyn BufRead,
    dialect: Dialect,
    columns: &Columns,
    take: TakeRow<'_>,
) -> Result<(), FileError> {
    if columns.0.len() > COLUMNS_MAX {
        return Err(too_many_columns(columns.0.len()));
    }
    let mut rows = TextRows::new(input, dialect.delimiter);
    let mut encoding = Encoding::Undecided;
    let mut cells: Vec<String> = Vec::new();
    while let Some(line) = rows.read()? {
        let record = &rows.record;
        encoding.learn(record);
        let is_blank = |cell: &[u8]| cell.trim_ascii().is_empty();
        if line <= dialect.line || record.iter().all(is_blank) {
            continue;
        }
        cells.clear();
        cells.extend(record.iter().map(|cell| encoding.decode(cell)));
        let wrong = encoding.complaint(record, columns);
        let wrong = wrong.or_else(|| fit(&mut cells, columns.0.len()));
        take(line, &cells, wrong)?;
    }
    Ok(())
}

/// The rows of a text, one at a time.
struct TextRows<'r> {
    reader: csv::Reader<Limited<'r>>,
    record: csv::ByteRecord,
    delimiter: u8,
}

impl<'r> TextRows<'r> {
    fn new(input: &'r mut dyn BufRead, delimiter: u8) -> Self {
        let reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .from_reader(Limited {
                inner: input,
                seen: Seen {
                    spent: 0,
                    bytes: 0,
                    row: (0, 1),
                    last: Vec::new(),
                },
            });
        let record = csv::ByteRecord::new();
        Self {
            reader,
            record,
            delimiter,
        }
    }

    /// Reads the next row into `record`; returns the line on which it begins, or `None` after the last row.
    fn read(&mut self) -> Result<Option<u64>, FileError> {
        let start = self.reader.position().byte();
        self.reader.get_mut().seen.spent = 0;
        let more = self.reader.read_byte_record(&mut self.record);
        let seen = &mut self.reader.get_mut().seen;
        let (begin, line) = seen.next_row(start);
        let error = match more.map_err(csv::Error::into_kind) {
            Ok(true) => {
                seen.row = (begin, line);
                return Ok(Some(line));
            }
            Ok(false) => {
                let (begin, line) = seen.row;
                if ends_in_quotes(seen.since(begin), self.delimiter) {
                    return Err(FileError::new(format!(
                        "line {line}: a quotation mark opens a cell and none closes it, so all that follows would be part of \
                         this row; close it, or export the file again if its end is missing"
                    )));
                }
                return Ok(None);
            }
            Err(csv::ErrorKind::Io(error)) => error,
            // Rows of bytes with any number of cells cause no other error.
            Err(other) => io::Error::other(format!("{other:?}")),
        };
        Err(match error.downcast() {
            Ok(RowTooLong) => row_too_long(line),
            Err(error) => FileError::reading(error),
        })
    }
}

/// Whether a quotation mark opens a cell in the row `raw` and none closes it. The parser ends such a cell, and the
/// row, with the file.
fn ends_in_quotes(raw: &[u8], delimiter: u8) -> bool {
    let (mut is_quoted, mut is_start) = (false, true);
    let mut bytes = raw.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if is_quoted {
            // Two quotation marks stand for one.
            is_quoted = byte != b'"' || bytes.next_if_eq(&b'"').is_some();
        } else {
            is_quoted = is_start && byte == b'"';
            is_start = byte == delimiter || matches!(byte, b'\n' | b'\r');
        }
    }
    is_quoted
}

/// The encoding of non-ASCII bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Undecided,
    Utf8,
    Windows1252,
}

impl Encoding {
    /// Windows-1252 text with non-ASCII letters is hardly ever valid UTF-8, so the first such row decides.
    fn learn(&mut self, record: &csv::ByteRecord) {
        if *self == Self::Undecided && !record.as_slice().is_ascii() {
            let is_utf8 = record.iter().all(|cell| std::str::from_utf8(cell).is_ok());
            *self = if is_utf8 {
                Self::Utf8
            } else {
                Self::Windows1252
            };
        }
    }

    fn decode(self, cell: &[u8]) -> String {
        match (self, std::str::from_utf8(cell)) {
            (Self::Windows1252, _) | (Self::Undecided, Err(_)) => WINDOWS_1252
                .decode_without_bom_handling(cell)
                .0
                .into_owned(),
            (Self::Utf8, Err(_)) => String::from_utf8_lossy(cell).into_owned(),
            (Self::Utf8 | Self::Undecided, Ok(text)) => text.to_owned(),
        }
    }

    fn complaint(self, record: &csv::ByteRecord, columns: &Columns) -> Option<String> {
        if self != Self::Utf8 {
            return None;
        }
        let at = record
            .iter()
            .position(|cell| std::str::from_utf8(cell).is_err())?;
        let name = columns.0.get(at).map_or("", String::as_str);
        Some(format!(
            "the cell under {name:?} is not UTF-8, which the rows before are; save the file as UTF-8"
        ))
    }
}

/// Fewer bytes are kept in any case.
const LAST_BYTES_MIN: usize = 1 << 16;

/// What was read so far. The parser's own line count is one too small after CR LF and after blank lines.
#[derive(Debug)]
struct Seen {
    /// Number of bytes since the parser was asked for the next row.
    spent: usize,
    bytes: u64,
    /// The start of the last row, and its line, from 1.
    row: (u64, u64),
    /// The last bytes read: at least those from the last row on.
    last: Vec<u8>,
}

impl Seen {
    fn add(&mut self, bytes: &[u8]) {
        let kept = self.since(self.row.0).len();
        if self.last.len() > 2 * kept + LAST_BYTES_MIN {
            self.last.drain(..self.last.len() - kept);
        }
        self.last.extend_from_slice(bytes);
        self.bytes += bytes.len() as u64;
        self.spent += bytes.len();
    }

    /// The bytes read since `start`, which is not before the last row.
    fn since(&self, start: u64) -> &[u8] {
        let count = usize::try_from(self.bytes - start).unwrap_or(usize::MAX);
        &self.last[self.last.len().saturating_sub(count)..]
    }

    /// The start and the line of the row after the last one, which ends at the byte `end`.
    fn next_row(&self, end: u64) -> (u64, u64) {
        let blank = self.since(end).iter();
        let blank = blank.take_while(|byte| matches!(byte, b'\r' | b'\n'));
        let begin = end + blank.count() as u64;
        let (row, line) = self.row;
        let passed = &self.since(row)[..self.since(row).len() - self.since(begin).len()];
        // Lines end with CR LF, LF or, in files of old Macs, CR.
        let is_end = |at: &usize| passed[*at] == b'\n' || passed.get(at + 1) != Some(&b'\n');
        let ends = memchr::memchr2_iter(b'\r', b'\n', passed).filter(is_end);
        (begin, line + ends.count() as u64)
    }
}

/// A reader that fails if a row has more bytes than allowed.
struct Limited<'r> {
    inner: &'r mut dyn BufRead,
    seen: Seen,
}

#[derive(Debug, thiserror::Error)]
#[error("row too long")]
struct RowTooLong;

impl Read for Limited<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.seen.add(&buffer[..read]);
        if self.seen.spent > ROW_BYTES_MAX + READ_AHEAD_BYTES {
            Err(io::Error::other(RowTooLong))
        } else {
            Ok(read)
        }
    }
}

// Excel workbooks (ECMA-376, `.xlsx`): the sheet with reviews, or the named one. The archive is unpacked once against
// a bound before the parser reads it, because the parser keeps all shared strings in memory.

/// Maximum size of a workbook in bytes, packed.
pub const WORKBOOK_BYTES_MAX: u64 = 32 << 20;
/// Maximum size of all its parts in bytes, unpacked, because its texts are kept in memory.
const UNPACKED_BYTES_MAX: u64 = 256 << 20;
pub const WORKBOOK_TOO_LARGE: &str = "the workbook is too large (at most 32 MiB packed and 256 MiB unpacked); save it as CSV, \
     which has no such limit";

type Book<'b> = Xlsx<Cursor<&'b [u8]>>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetHeader {
    pub sheet: String,
    /// From 1.
    pub row: u64,
    pub others: Vec<String>,
}

/// Minimum number of known headers that identify a sheet of reviews, regardless of later sheets.
const KNOWN_MIN: usize = 3;

/// The headers of the named sheet; otherwise of the first visible sheet with at least [`KNOWN_MIN`] known headers, or of the
/// one with the most.
pub fn find_sheet(
    packed: &[u8],
    request: &ImportRequest,
) -> Result<(SheetHeader, Columns), FileError> {
    check_unpacked(packed)?;
    let mut book: Book<'_> = Xlsx::new(Cursor::new(packed)).map_err(broken_workbook)?;
    let names = book.sheet_names();
    let is_wanted = |name: &&String| {
        request
            .sheet
            .as_ref()
            .is_none_or(|its| same_name(its, name))
    };
    let mut sheets: Vec<String> = names.iter().filter(is_wanted).cloned().collect();
    let visible = book.sheets_metadata().iter();
    let visible = visible.filter(|sheet| sheet.visible == SheetVisible::Visible);
    let visible: HashSet<&str> = visible.map(|sheet| sheet.name.as_str()).collect();
    if request.sheet.is_none() && !visible.is_empty() {
        sheets.retain(|name| visible.contains(name.as_str()));
    }
    if sheets.is_empty() {
        let wanted = request.sheet.as_deref().unwrap_or_default();
        let there: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        return Err(FileError::new(format!(
            "has no sheet \"{wanted}\"; its sheets are {}",
            there.join(", ")
        )));
    }
    let (mut best, mut any): (Option<(usize, SheetHeader, Columns)>, bool) = (None, false);
    for sheet in sheets {
        if best.as_ref().is_some_and(|(known, ..)| *known >= KNOWN_MIN) {
            break;
        }
        let mut rows = Vec::new();
        each_row(&mut book, &sheet, &mut |row, cells| {
            rows.push((row, std::mem::take(cells)));
            Ok(rows.len() < rows_looked_at(request))
        })?;
        any |= !rows.is_empty();
        let Some(header) = header(&rows, 2, request) else {
            continue;
        };
        let (row, cells) = rows.swap_remove(header.at);
        if best
            .as_ref()
            .is_none_or(|(known, ..)| *known < header.known)
        {
            let others = names.iter().filter(|its| **its != sheet).cloned().collect();
            let place = SheetHeader { sheet, row, others };
            best = Some((header.known, place, headers(cells)));
        }
    }
    match (best, request.header_row) {
        (Some((_, header, columns)), _) => Ok((header, columns)),
        (None, Some(row)) if any => Err(no_such_row(row)),
        (None, _) => Err(broken_workbook("all of its sheets are empty")),
    }
}

/// Calls `take` with every row below the headers.
pub fn read_sheet(
    packed: &[u8],
    header: &SheetHeader,
    columns: &Columns,
    take: TakeRow<'_>,
) -> Result<(), FileError> {
    let mut book: Book<'_> = Xlsx::new(Cursor::new(packed)).map_err(broken_workbook)?;
    each_row(&mut book, &header.sheet, &mut |row, cells| {
        if row > header.row {
            // Trailing blank cells are not stored.
            cells.resize(cells.len().max(columns.0.len()), String::new());
            let wrong = fit(cells, columns.0.len());
            take(row, cells, wrong)?;
        }
        Ok(true)
    })
}

/// Refuses an archive that unpacks to more bytes than allowed, regardless of the size in its directory.
fn check_unpacked(packed: &[u8]) -> Result<(), FileError> {
    let mut archive = ZipArchive::new(Cursor::new(packed)).map_err(broken_workbook)?;
    let mut left = UNPACKED_BYTES_MAX;
    for index in 0..archive.len() {
        let part = archive.by_index(index).map_err(broken_workbook)?;
        let unpacked = io::copy(&mut part.take(left + 1), &mut io::sink());
        left = left
            .checked_sub(unpacked.map_err(broken_workbook)?)
            .ok_or_else(|| FileError::new(WORKBOOK_TOO_LARGE))?;
    }
    Ok(())
}

/// Called with a row's number, from 1, and its cells; returns whether to continue.
type TakeCells<'t> = &'t mut dyn FnMut(u64, &mut Vec<String>) -> Result<bool, FileError>;

/// Calls `take` with the sheet's rows that have a cell, until it returns false.
fn each_row(book: &mut Book<'_>, sheet: &str, take: TakeCells<'_>) -> Result<(), FileError> {
    let mut reader = book
        .worksheet_cells_reader(sheet)
        .map_err(broken_workbook)?;
    let mut row = 0;
    let mut cells: Vec<String> = Vec::new();
    let mut bytes = 0;
    loop {
        let next = reader.next_cell().map_err(broken_workbook)?;
        let ends = next
            .as_ref()
            .is_none_or(|cell| cell.get_position().0 != row);
        if ends
            && cells.iter().any(|cell| !cell.trim().is_empty())
            && !take(u64::from(row) + 1, &mut cells)?
        {
            return Ok(());
        }
        let Some(cell) = next else {
            return Ok(());
        };
        if ends {
            (row, bytes) = (cell.get_position().0, 0);
            cells.clear();
        }
        let text = displayed(cell.get_value());
        let at = cell.get_position().1 as usize;
        bytes += text.len();
        if bytes > ROW_BYTES_MAX {
            return Err(row_too_long(u64::from(row) + 1));
        }
        if text.is_empty() {
            continue;
        }
        if at >= COLUMNS_MAX {
            return Err(too_many_columns(at + 1));
        }
        cells.resize(cells.len().max(at + 1), String::new());
        cells[at] = text;
    }
}

/// A cell as displayed; a date in ISO 8601.
fn displayed(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Empty => String::new(),
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            text.clone()
        }
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(flag) => flag.to_string(),
        // The first day is 1; a formula over empty cells gives less.
        DataRef::DateTime(instant) if instant.as_f64() < 1.0 => instant.as_f64().to_string(),
        DataRef::DateTime(instant) => {
            let (year, month, day, hour, minute, second, _) = instant.to_ymd_hms_milli();
            if (hour, minute, second) == (0, 0, 0) {
                format!("{year:04}-{month:02}-{day:02}")
            } else {
                format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
            }
        }
        DataRef::Error(error) => error.to_string(),
    }
}

fn broken_workbook(error: impl Display) -> FileError {
    FileError::new(format!(
        "the workbook cannot be read ({error}); save it as CSV and import that file"
    ))
}

#[cfg(test)]
mod tests {
    use super::{read_text, sniff};
    use crate::imports::request::ImportRequest;

    fn rows(file: &[u8]) -> Vec<String> {
        let (dialect, columns) = sniff(file, &ImportRequest::default()).unwrap();
        let mut rows = vec![columns.0.join("|")];
        let take = &mut |line, cells: &[String], wrong| {
            rows.push(match wrong {
                None => format!("{line}: {}", cells.join("|")),
                Some(message) => format!("{line}! {message}"),
            });
            Ok(())
        };
        read_text(&mut &file[..], dialect, &columns, take).unwrap();
        rows
    }

    #[test]
    fn delimiters_are_told_apart_by_the_header() {
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
        assert!(sniff(b"just a text\nof lines\n", &ImportRequest::default()).is_none());
    }

    #[test]
    fn the_first_letter_beyond_ascii_decides_the_encoding() {
        assert_eq!(
            rows(b"a,b\n1,plain\n2,Jos\xe9\n3,\x80 5\n"),
            ["a|b", "2: 1|plain", "3: 2|José", "4: 3|€ 5"]
        );
        let mixed = rows(b"a,b\n1,Jos\xc3\xa9\n2,Jos\xe9\n");
        assert_eq!(mixed[1], "2: 1|José");
        assert!(
            mixed[2].contains("3! the cell under \"b\" is not UTF-8"),
            "{mixed:?}"
        );
    }

    #[test]
    fn a_row_with_other_cells_than_headers_is_a_complaint_unless_they_are_blank() {
        let rows = rows(b"a,b\n1,2,,\n1,2,3\n1\n");
        assert_eq!(rows[1], "2: 1|2");
        assert!(
            rows[2].starts_with("3! has 3 cells under 2 headers")
                && rows[3].starts_with("4! has 1 cells"),
            "{rows:?}"
        );
    }
}
