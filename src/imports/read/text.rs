//! Delimited text: CSV (RFC 4180), also with semicolons (Excel in locales with a decimal comma), tabs or bars, and with
//! quotation marks escaped by a backslash, as some databases do.
//!
//! It does not use the `csv` crate, which tells neither where a quotation mark closes a cell too early or never, nor the line of a
//! row after CR alone, and so would need a second pass beside it for each.
//! A cell that was no UTF-8 rejects its row.

use std::iter::Peekable;
use std::str::Chars;

use crate::imports::limits::Limits;
use crate::imports::map::Mapping;
use crate::imports::map::table::{Cells, Row, RowFault, Table, is_date};
use crate::imports::map::values::same_name;
use crate::imports::platforms::is_header;
use crate::imports::read::json::ROW_BYTES_MAX;
use crate::imports::report::{FileError, Position};
use crate::imports::request::ImportRequest;

const DELIMITERS: [char; 4] = [',', ';', '\t', '|'];
/// Number of bytes at the beginning of a file in which the header is searched.
const HEAD_BYTES: usize = 64 << 10;

/// How the cells of a text are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    delimiter: char,
    /// Whether a backslash escapes a quotation mark, a line break and itself, as databases write them.
    has_backslashes: bool,
    /// Line of the header, from 1; Excel's `sep=;` and titles are above it.
    pub line: u64,
    /// The number of cells of the header, also of blank ones at its end.
    width: usize,
}

/// The dialect and the headers of a text, if it is a table: the header has at least two cells, or `sep=` gives the
/// delimiter. If several delimiters are possible, the one with the most known headers wins, then the one with the most
/// columns.
pub fn sniff(text: &str, request: &ImportRequest) -> Option<(Dialect, Vec<String>)> {
    let named = text
        .strip_prefix("sep=")
        .and_then(|rest| rest.chars().next());
    let delimiters = named.map_or(DELIMITERS.to_vec(), |delimiter| vec![delimiter]);
    // Of equal ones `max_by_key` takes the last, so the delimiters are reversed.
    let tried = delimiters.into_iter().rev().filter_map(|delimiter| {
        let mut dialect = Dialect::of(text, delimiter);
        let mut rows = dialect.first_rows(text, rows_looked_at(request));
        if named.is_some() && !rows.is_empty() {
            rows[0].1.clear();
        }
        let found = find_header(&rows, 1, request)?;
        let (line, cells) = rows.swap_remove(found.at);
        (dialect.line, dialect.width) = (line, cells.len());
        let columns = headers(cells);
        let is_table = columns.len() > 1 || named.is_some();
        is_table.then_some((found.known, dialect, columns))
    });
    let best = tried.max_by_key(|(known, _, columns)| (*known, columns.len()));
    best.map(|(_, dialect, columns)| (dialect, columns))
}

impl Dialect {
    /// A text with that delimiter. Quotation marks inside cells are escaped by a backslash if otherwise more such marks would end
    /// a cell in which words follow, or more rows would not fit the header.
    fn of(text: &str, delimiter: char) -> Self {
        let plain = Self {
            delimiter,
            has_backslashes: false,
            line: 1,
            width: 0,
        };
        let escaped = Self {
            has_backslashes: true,
            ..plain
        };
        let is_escaped = text.contains("\\\"") && escaped.misfits(text) < plain.misfits(text);
        if is_escaped || plain.has_database_cells(text) {
            escaped
        } else {
            plain
        }
    }

    /// Whether a cell is a database's null, or a line break is written as `\n` between tabs and without quotation marks.
    fn has_database_cells(self, text: &str) -> bool {
        let is_end = |c: char| c == self.delimiter || matches!(c, '\n' | '\r');
        let mut nulls = text.match_indices("\\N");
        nulls.any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + 2..]);
            (before.is_empty() || before.ends_with(is_end))
                && (after.is_empty() || after.starts_with(is_end))
        }) || self.delimiter == '\t' && text.contains("\\n") && !text.contains('"')
    }

    /// The number of rows and quotation marks that do not fit.
    fn misfits(self, text: &str) -> usize {
        let (mut columns, mut misfits) = (None, 0);
        let mut rows = TextRows::new(text, self);
        for row in rows.by_ref() {
            let count = row.cells.there.end;
            misfits += usize::from(*columns.get_or_insert(count) != count) + row.stray;
        }
        misfits + usize::from(rows.is_open)
    }

    /// The first rows of a text, each with its line.
    fn first_rows(self, text: &str, rows_max: usize) -> Vec<(u64, Vec<String>)> {
        let head = &text[..text.floor_char_boundary(HEAD_BYTES)];
        let rows = TextRows::new(head, self).take(rows_max);
        rows.map(|row| (row.line, texts(&row.cells))).collect()
    }
}

/// Whether one of the first rows of a text begins on that line.
pub fn has_row(text: &str, line: u64) -> bool {
    let rows = Dialect::of(text, DELIMITERS[0]).first_rows(text, ROWS_NAMED_MAX);
    rows.iter().any(|(begin, _)| *begin == line)
}

/// The table in a text, in which U+FFFD stands for what is no UTF-8 if it `is_damaged`.
pub fn read_text(
    text: &str,
    is_damaged: bool,
    dialect: Dialect,
    columns: Vec<String>,
    limits: &mut Limits<'_>,
) -> Result<Table, FileError> {
    if columns.len() > COLUMNS_MAX {
        return Err(too_many_columns(columns.len()));
    }
    let mut rows = TextRows::new(text, dialect);
    let mut table = Table {
        columns,
        place: Some(format!(", header in row {}", dialect.line)),
        ..Table::default()
    };
    let mut last = 1;
    for mut row in rows.by_ref() {
        last = row.line;
        if row.is_too_long {
            return Err(row_too_long(last));
        }
        let filled = row.cells.filled();
        if filled == 0 || last <= dialect.line {
            limits.take(0)?;
            continue;
        }
        let is_garbled = |(_, cell): &(usize, &str)| is_damaged && cell.contains('\u{fffd}');
        let garbled = row.cells.all().find(is_garbled);
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
        row.cells.truncate(filled.max(columns));
        let misfit = (filled > columns).then(|| misfit(filled, columns));
        let message = garbled.or_else(|| row.swallowed()).or(misfit);
        let fault = message.map(|message| RowFault { message, raw: None });
        let row = Row::new(Position::Line(last), row.cells, fault);
        limits.take(row.bytes())?;
        table.rows.push(row);
    }
    fill_short_rows(&mut table, limits)?;
    table.name_columns();
    if rows.is_open {
        return Err(FileError::new(format!(
            "line {last}: a quotation mark opens a cell and none closes it, so all that follows would be part of this row; \
             close it, or export the file again if its end is missing"
        )));
    }
    Ok(table)
}

/// Fills rows whose last cells are missing, as Excel and people leave out empty ones. A row without a date is the rest of a
/// text whose line break is not in quotes, and so is incomplete the row before it.
fn fill_short_rows(table: &mut Table, limits: &mut Limits<'_>) -> Result<(), FileError> {
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
    /// Whether it has more than any row may have, and its cells are lost.
    is_too_long: bool,
    /// The number of line ends in its cells.
    line_ends: u64,
    /// How many quotation marks close a cell without ending it.
    stray: usize,
}

impl TextRow {
    /// A message if a quotation mark of the row closes a cell of several lines without ending it: one that opens a cell is
    /// probably not closed, and the cell has swallowed other rows.
    fn swallowed(&self) -> Option<String> {
        (self.line_ends > 0 && self.stray > 0).then(|| {
            format!(
                "a quotation mark opens a cell in this row and is not closed where the cell ends; close or remove the mark; lines \
                 {} to {} are not imported",
                self.line,
                self.line + self.line_ends
            )
        })
    }
}

/// The rows of a text that are not empty.
struct TextRows<'t> {
    letters: Peekable<Chars<'t>>,
    dialect: Dialect,
    line: u64,
    /// Whether a quotation mark opens the last cell, and none closes it.
    is_open: bool,
}

impl<'t> TextRows<'t> {
    fn new(text: &'t str, dialect: Dialect) -> Self {
        Self {
            letters: text.chars().peekable(),
            dialect,
            line: 1,
            is_open: false,
        }
    }

    /// Counts the line that ends with CR LF, LF or, in files of old Macs, CR.
    fn end_line(&mut self, letter: char) {
        self.line += u64::from(letter == '\n' || self.letters.peek() != Some(&'\n'));
    }

    /// Adds what a backslash escapes: a line break, a tab, or the letter after it; a database's null stays as it is.
    fn add_escaped(&mut self, cell: &mut String) {
        match self.letters.next() {
            Some('n') => cell.push('\n'),
            Some('t') => cell.push('\t'),
            Some('r' | '0' | 'Z') => {}
            Some('N') => cell.push_str("\\N"),
            Some(letter) => self.add(letter, cell),
            None => cell.push('\\'),
        }
    }

    fn add(&mut self, letter: char, cell: &mut String) {
        if is_line_end(letter) {
            self.end_line(letter);
        }
        cell.push(letter);
    }
}

impl Iterator for TextRows<'_> {
    type Item = TextRow;

    fn next(&mut self) -> Option<TextRow> {
        while let Some(letter) = self.letters.next_if(|letter| is_line_end(*letter)) {
            self.end_line(letter);
        }
        self.letters.peek()?;
        let delimiter = self.dialect.delimiter;
        let (line, mut cells, mut stray) = (self.line, Cells::default(), 0);
        let (mut start, mut is_open, mut is_start) = (0, false, true);
        let mut is_too_long = false;
        let is_inside = |letter: &char, is_open| is_open || !is_line_end(*letter);
        while let Some(letter) = self.letters.next_if(|letter| is_inside(letter, is_open)) {
            let was_start = std::mem::replace(&mut is_start, letter == delimiter && !is_open);
            let cell = &mut cells.text;
            match letter {
                '\\' if self.dialect.has_backslashes => self.add_escaped(cell),
                // Two quotation marks stand for one.
                '"' if is_open && self.letters.next_if_eq(&'"').is_some() => cell.push('"'),
                '"' if is_open => {
                    is_open = false;
                    let next = self.letters.peek();
                    let is_end = next.is_none_or(|it| *it == delimiter || is_line_end(*it));
                    stray += usize::from(!is_end);
                }
                '"' if was_start => is_open = true,
                _ if is_start => {
                    cells.end_cell(start);
                    start = cells.text.len();
                }
                letter => self.add(letter, cell),
            }
            if cells.text.len() > ROW_BYTES_MAX || cells.there.end > CELLS_MAX {
                (is_too_long, cells, start) = (true, Cells::default(), 0);
            }
        }
        cells.end_cell(start);
        self.is_open = is_open;
        Some(TextRow {
            line,
            cells,
            is_too_long,
            line_ends: self.line - line,
            stray,
        })
    }
}

const fn is_line_end(letter: char) -> bool {
    matches!(letter, '\r' | '\n')
}

// The header of a table among its first rows, below titles and notes; also of a sheet.

/// Maximum number of columns: no table of reviews has more.
pub const COLUMNS_MAX: usize = 1_000;
/// Maximum number of cells of a row, also of blank ones beyond the last column.
const CELLS_MAX: usize = 100_000;
/// Number of first rows from which `--header-row` may choose.
pub const ROWS_NAMED_MAX: usize = 200;
/// Number of first rows in which the header is searched.
const ROWS_ABOVE_MAX: usize = 20;
/// Maximum number of cells of a row that are compared with known headers.
const CELLS_LOOKED_AT: usize = 100;
/// Maximum length in bytes of a cell that is compared with known headers.
const HEADER_BYTES_MAX: usize = 64;

pub fn too_many_columns(columns: usize) -> FileError {
    FileError::new(format!(
        "has {columns} columns; at most {COLUMNS_MAX} are supported"
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeaderRow {
    /// Index among the first rows.
    pub at: usize,
    /// Number of cells that are known headers.
    pub known: usize,
}

/// The header among these rows: the row given by the user; otherwise the first with the most known words, if these are
/// at least two; otherwise the first with at least `cells_min` cells, or with any cell.
pub fn find_header(
    rows: &[(u64, Vec<String>)],
    cells_min: usize,
    request: &ImportRequest,
) -> Option<HeaderRow> {
    let is_known = |cell: &&String| {
        let is_mapped = |map: &Mapping| same_name(&map.column, cell);
        cell.len() <= HEADER_BYTES_MAX
            && cell.chars().any(char::is_alphabetic)
            && (is_header(cell) || request.columns.maps.iter().any(is_mapped))
    };
    let header = |(at, (_, cells)): (usize, &(u64, Vec<String>))| HeaderRow {
        at,
        known: cells.iter().take(CELLS_LOOKED_AT).filter(is_known).count(),
    };
    let mut all = rows.iter().enumerate();
    if let Some(row) = request.header_row {
        return all.find(|(_, (number, _))| *number == row).map(header);
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
pub const fn rows_looked_at(request: &ImportRequest) -> usize {
    if request.header_row.is_some() {
        ROWS_NAMED_MAX
    } else {
        ROWS_ABOVE_MAX
    }
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

#[cfg(test)]
mod tests {
    use super::{read_text, sniff};
    use crate::imports::limits::Limits;
    use crate::imports::read::encoding::decode;
    use crate::imports::request::ImportRequest;

    fn rows(file: &[u8]) -> Vec<String> {
        let decoded = decode(file, None, None, &mut Limits::new(None)).unwrap();
        let (dialect, columns) = sniff(&decoded.text, &ImportRequest::default()).unwrap();
        let table = read_text(
            &decoded.text,
            decoded.is_damaged,
            dialect,
            columns,
            &mut Limits::new(None),
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
        assert!(sniff("just a text\nof lines\n", &ImportRequest::default()).is_none());
    }

    #[test]
    fn quotes_escaped_by_a_backslash_are_part_of_the_cell() {
        assert_eq!(
            rows(b"\"a\",\"b\"\n\"1\",\"say \\\"hi, you\\\", and\\nleft\"\n\"2\",\\N\n"),
            ["a|b", "2: 1|say \"hi, you\", and\nleft", r"3: 2|\N"]
        );
        assert_eq!(
            rows(b"a,b\n1,\"line \\\"one\\\"\ntwo\"\n2,\"C:\\\\\"\n"),
            ["a|b", "2: 1|line \"one\"\ntwo", "4: 2|C:\\"]
        );
        assert_eq!(
            rows(b"a\tb\n1\tTy\\nline\n2\t\\N\n"),
            ["a|b", "2: 1|Ty\nline", r"3: 2|\N"]
        );
        assert_eq!(rows(b"a,b\n1,C:\\new\n"), ["a|b", r"2: 1|C:\new"]);
        for plain in ["C:\\\",x", "a 5\\\"\",x"] {
            let file = format!("a,b\n\"{plain}\n");
            assert_eq!(rows(file.as_bytes()).len(), 2, "{file}");
        }
        assert_eq!(rows(b"a,b\n\"C:\\\",x\n"), ["a|b", "2: C:\\|x"]);
        assert_eq!(rows(b"a,b\n\"C:\\\"\"x\",y\n"), ["a|b", "2: C:\\\"x|y"]);
    }

    #[test]
    fn a_cell_that_is_not_utf_8_rejects_its_row() {
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
    fn a_row_whose_quotation_mark_is_not_closed_is_rejected() {
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
        let whole =
            rows(b"Date,Name,Stars,Comment\n3/15/2025,Bo,4,\"Late,\nrude, on 3/16/2025\"\n");
        assert_eq!(whole[1], "2: 3/15/2025|Bo|4|Late,\nrude, on 3/16/2025");
    }
}
