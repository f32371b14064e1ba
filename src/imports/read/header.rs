//! The header of a table among its first rows, below titles and notes.

use crate::imports::file_error::FileError;
use crate::imports::map::Rename;
use crate::imports::map::values::same_name;
use crate::imports::platforms::is_header;
use crate::imports::request::ImportRequest;

/// Maximum number of columns: no table of reviews has more.
pub const COLUMNS_MAX: usize = 1_000;
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

/// Fits a row to the number of columns: extra blank cells are removed. Returns a message if it does not fit.
pub fn fit(cells: &mut Vec<String>, columns: usize) -> Option<String> {
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
