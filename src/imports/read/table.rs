//! Tables: delimited text and workbooks, as rows of cells with headers. Every cell is a text, as displayed.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, BufRead, Read};

use encoding_rs::WINDOWS_1252;

use crate::imports::ImportRequest;
use crate::imports::file_error::FileError;
use crate::imports::map::Rename;
use crate::imports::map::plan::Columns;
use crate::imports::map::values::same_name;
use crate::imports::platforms::table;

/// Maximum size of a row in bytes: as much as a line of JSON Lines.
pub const ROW_BYTES_MAX: usize = 1 << 20;
pub const COLUMNS_MAX: usize = 1_000;

/// A row's cells; or the reason why they cannot be separated, with the cells read so far.
pub type Cells<'c> = Result<&'c [String], (String, &'c [String])>;

/// Called with a row and the line on which it begins, from 1.
pub type TakeRow<'t> = &'t mut dyn FnMut(u64, Cells<'_>) -> Result<(), FileError>;

/// Number of first rows from which `--header-row` may choose.
const ROWS_NAMED_MAX: usize = 200;
/// Number of first rows in which the header is searched, below titles and notes.
const ROWS_ABOVE_MAX: usize = 20;
/// Maximum number of cells of a row that are compared with known headers.
const CELLS_LOOKED_AT: usize = 100;
/// Maximum length in bytes of a cell that is compared with known headers.
const HEADER_BYTES_MAX: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Index among the first rows.
    pub at: usize,
    /// Number of cells that are known headers.
    pub known: usize,
}

/// The header among these rows: the row given by the user; otherwise the first with the most known words, if these are
/// at least two; otherwise the first with at least `cells_min` cells, or with any cell.
pub fn header(
    rows: &[(u64, Vec<String>)],
    cells_min: usize,
    request: &ImportRequest,
) -> Option<Header> {
    let is_known = |cell: &&String| {
        let is_renamed = |rename: &Rename| same_name(rename.theirs(), cell);
        cell.len() <= HEADER_BYTES_MAX
            && cell.chars().any(char::is_alphabetic)
            && (table::is_header(cell) || request.renames.iter().any(is_renamed))
    };
    let header = |(at, (_, cells)): (usize, &(u64, Vec<String>))| Header {
        at,
        known: cells.iter().take(CELLS_LOOKED_AT).filter(is_known).count(),
    };
    let mut all = rows.iter().enumerate();
    if let Some(wanted) = request.header_row {
        return all.find(|(_, (number, _))| *number == wanted).map(header);
    }
    let known = all.clone().map(header).filter(|header| header.known > 1);
    // This selects the first maximum: `max_by_key` takes the last.
    let best = known.reduce(|best, next| if next.known > best.known { next } else { best });
    let first = |cells_min: usize| {
        let is_filled = |cell: &&String| !cell.trim().is_empty();
        let mut all = rows.iter().enumerate();
        let row = all.find(|(_, (_, cells))| cells.iter().filter(is_filled).count() >= cells_min);
        row.map(header)
    };
    best.or_else(|| first(cells_min)).or_else(|| first(1))
}

/// Number of first rows that are read to find the header.
pub const fn rows_looked_at(request: &ImportRequest) -> usize {
    if request.header_row.is_some() {
        ROWS_NAMED_MAX
    } else {
        ROWS_ABOVE_MAX
    }
}

/// The headers, trimmed. Blank cells after the last header do not count as columns.
pub fn headers(mut cells: Vec<String>) -> Columns {
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

/// Refuses a table with more columns than any table of reviews has.
pub const fn bounded(columns: &Columns) -> Result<(), FileError> {
    if columns.0.len() > COLUMNS_MAX {
        return Err(FileError::TooManyColumns(columns.0.len()));
    }
    Ok(())
}

/// Fits a row to the number of columns: extra blank cells are removed, other extra cells are an error.
pub fn fit(cells: &mut Vec<String>, columns: usize) -> Result<(), String> {
    while cells.len() > columns && cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    let found = cells.len();
    if found == columns {
        return Ok(());
    }
    Err(format!(
        "has {found} cells under {columns} headers; put a cell that holds the delimiter or a line break in \"quotes\""
    ))
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
    /// Number of rows before the header, such as Excel's `sep=;` and titles.
    skipped: usize,
    /// Line of the header, from 1.
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
    let tried = delimiters.into_iter().filter_map(|delimiter| {
        let mut rows = first(head, delimiter, rows_looked_at(request));
        if named.is_some() && !rows.is_empty() {
            rows[0].1.clear();
        }
        let found = header(&rows, 1, request)?;
        let (line, columns) = (rows[found.at].0, headers(rows.swap_remove(found.at).1));
        let is_table = columns.0.len() > 1 || named.is_some();
        let dialect = Dialect {
            delimiter,
            skipped: found.at,
            line,
        };
        is_table.then_some((found.known, dialect, columns))
    });
    // This selects the first maximum: `max_by_key` takes the last.
    let best = tried.reduce(|best, next| {
        if (next.0, next.2.0.len()) > (best.0, best.2.0.len()) {
            next
        } else {
            best
        }
    });
    best.map(|(_, dialect, columns)| (dialect, columns))
}

/// Whether one of the first rows of a text begins on that line.
pub fn has_row(head: &[u8], line: u64) -> bool {
    let rows = first(head, DELIMITERS[0], ROWS_NAMED_MAX);
    rows.iter().any(|(its, _)| *its == line)
}

/// The first rows of a text, each with its line.
fn first(mut head: &[u8], delimiter: u8, rows_max: usize) -> Vec<(u64, Vec<String>)> {
    let seen = RefCell::new(Seen::default());
    let mut reader = reader(
        Limited {
            inner: &mut head,
            seen: &seen,
        },
        delimiter,
    );
    let mut record = csv::ByteRecord::new();
    let mut rows = Vec::new();
    while rows.len() < rows_max {
        let start = reader.position().byte();
        seen.borrow_mut().spent = 0;
        if !reader.read_byte_record(&mut record).is_ok_and(|more| more) {
            break;
        }
        let line = seen.borrow_mut().line_of(start);
        let cells = record.iter();
        rows.push((
            line,
            cells.map(|cell| Encoding::Undecided.decode(cell)).collect(),
        ));
    }
    rows
}

/// Calls `take` with every row of `input`, in file order.
pub fn read(
    input: &mut dyn BufRead,
    dialect: Dialect,
    columns: &Columns,
    take: TakeRow<'_>,
) -> Result<(), FileError> {
    bounded(columns)?;
    let seen = RefCell::new(Seen::default());
    let mut reader = reader(
        Limited {
            inner: input,
            seen: &seen,
        },
        dialect.delimiter,
    );
    let mut record = csv::ByteRecord::new();
    let mut encoding = Encoding::Undecided;
    let mut cells: Vec<String> = Vec::new();
    let mut number = 0;
    loop {
        let start = reader.position().byte();
        seen.borrow_mut().spent = 0;
        let more = reader.read_byte_record(&mut record);
        let line = seen.borrow_mut().line_of(start);
        let more = more.map_err(|error| fault(error, line))?;
        if !more {
            return Ok(());
        }
        number += 1;
        if number <= dialect.skipped + 1 {
            encoding.learn(&record);
            continue;
        }
        if record.iter().all(|cell| cell.trim_ascii().is_empty()) {
            continue;
        }
        encoding.learn(&record);
        cells.clear();
        cells.extend(record.iter().map(|cell| encoding.decode(cell)));
        let wrong = encoding
            .complaint(&record, columns)
            .or_else(|| fit(&mut cells, columns.0.len()).err());
        match wrong {
            None => take(line, Ok(&cells))?,
            Some(message) => take(line, Err((message, &cells)))?,
        }
    }
}

fn reader<R: Read>(input: R, delimiter: u8) -> csv::Reader<R> {
    csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(input)
}

fn is_too_long(error: &io::Error) -> bool {
    match error.get_ref() {
        Some(inner) => inner.is::<RowTooLong>(),
        None => false,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the crate adds kinds")]
fn fault(error: csv::Error, line: u64) -> FileError {
    match error.into_kind() {
        csv::ErrorKind::Io(error) if is_too_long(&error) => FileError::RowTooLong(line),
        csv::ErrorKind::Io(error) => FileError::reading(error),
        other => FileError::Table {
            line,
            reason: format!("{other:?}"),
        },
    }
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

/// Counts what was read so far: the bytes of this row, and the positions of line feeds. The parser's own line count is
/// one too small after CR LF and after blank lines.
#[derive(Debug, Default)]
struct Seen {
    spent: usize,
    bytes: u64,
    ends_in_cr: bool,
    /// The line feeds after the last row, and whether a carriage return precedes each. There are at most as many as a
    /// row has bytes.
    feeds: VecDeque<(u64, bool)>,
    /// Number of line feeds before the last row.
    passed: u64,
}

impl Seen {
    fn add(&mut self, bytes: &[u8]) {
        for at in memchr::memchr_iter(b'\n', bytes) {
            let after_cr = at
                .checked_sub(1)
                .map_or(self.ends_in_cr, |before| bytes[before] == b'\r');
            self.feeds.push_back((self.bytes + at as u64, after_cr));
        }
        self.ends_in_cr = bytes.last().map_or(self.ends_in_cr, |last| *last == b'\r');
        self.bytes += bytes.len() as u64;
        self.spent += bytes.len();
    }

    /// The line, from 1, of the first row at or after the byte `start`.
    fn line_of(&mut self, mut start: u64) -> u64 {
        while let Some((feed, after_cr)) = self.feeds.front().copied() {
            let is_blank = feed == start || (after_cr && feed == start + 1);
            if feed >= start && !is_blank {
                break;
            }
            start = start.max(feed + 1);
            self.passed += 1;
            self.feeds.pop_front();
        }
        self.passed + 1
    }
}

/// A reader that fails if a row has more bytes than allowed.
struct Limited<'r> {
    inner: &'r mut dyn BufRead,
    seen: &'r RefCell<Seen>,
}

#[derive(Debug, thiserror::Error)]
#[error("row too long")]
struct RowTooLong;

impl Read for Limited<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let mut seen = self.seen.borrow_mut();
        seen.add(&buffer[..read]);
        if seen.spent > ROW_BYTES_MAX + READ_AHEAD_BYTES {
            Err(io::Error::other(RowTooLong))
        } else {
            Ok(read)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{read, sniff};
    use crate::imports::ImportRequest;

    fn rows(file: &[u8]) -> Vec<String> {
        let (dialect, columns) = sniff(file, &ImportRequest::default()).unwrap();
        let mut rows = vec![columns.0.join("|")];
        let take = &mut |line, cells: super::Cells<'_>| {
            rows.push(match cells {
                Ok(cells) => format!("{line}: {}", cells.join("|")),
                Err((message, _)) => format!("{line}! {message}"),
            });
            Ok(())
        };
        read(&mut &file[..], dialect, &columns, take).unwrap();
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
