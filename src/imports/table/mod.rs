//! Tables: delimited text and workbooks, as rows of cells under headers.
//!
//! Apart from the platforms: what a column means is theirs. Every cell is a text here, as a person
//! sees it in the table.

pub(super) mod delimited;
pub(super) mod workbook;

use super::file_error::FileError;
use super::lines::Rename;
use super::platforms::table;
use super::row::Columns;
use super::values::same_name;

/// How many bytes one row may have: as many as a line of JSON Lines.
pub(super) const ROW_BYTES_MAX: usize = 1 << 20;
/// How many columns a table may have.
const COLUMNS_MAX: usize = 1_000;

/// A row of a table: its cells, or why they cannot be told apart, with what was read.
pub(super) type Cells<'c> = Result<&'c [String], (String, &'c [String])>;

/// Takes a row that begins in that line, from 1.
pub(super) type TakeRow<'t> = &'t mut dyn FnMut(u64, Cells<'_>) -> Result<(), FileError>;

/// Among how many rows a header is that is named by its row.
const ROWS_NAMED_MAX: usize = 200;
/// Among how many rows the header is looked for: titles and notes stand above it.
const ROWS_ABOVE_MAX: usize = 20;
/// How many cells of a row are looked at to find the header.
const CELLS_LOOKED_AT: usize = 100;
/// The longest cell that may be a header that is known, in bytes.
const HEADER_BYTES_MAX: usize = 64;

/// What the caller says of a table, and what is known of headers.
#[derive(Default)]
pub(super) struct Wanted<'w> {
    /// `--sheet`.
    pub(super) sheet: Option<&'w str>,
    /// `--header-row`.
    pub(super) header_row: Option<u64>,
    /// What `--map` calls columns.
    pub(super) renames: &'w [Rename],
}

/// The header among the first rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Header {
    /// Its place among these rows.
    at: usize,
    /// How many of its cells are known as headers.
    known: usize,
}

impl Wanted<'_> {
    /// The header among these rows: the one that is named; else the first of those with most known words, if these are at
    /// least two; else the first that has so many cells, or any.
    fn header(&self, rows: &[(u64, Vec<String>)], cells_min: usize) -> Option<Header> {
        let known = |cells: &[String]| {
            let cells = cells.iter().take(CELLS_LOOKED_AT);
            cells.filter(|cell| self.is_known(cell)).count()
        };
        if let Some(wanted) = self.header_row {
            let at = rows.iter().position(|(number, _)| *number == wanted)?;
            let known = known(&rows[at].1);
            return Some(Header { at, known });
        }
        let filled = |cells: &[String]| cells.iter().filter(|cell| !cell.trim().is_empty()).count();
        let looked_at = rows.iter().enumerate();
        let best = looked_at
            .clone()
            .map(|(at, (_, cells))| Header {
                at,
                known: known(cells),
            })
            .filter(|header| header.known > 1)
            // The first of the most: `max_by_key` takes the last.
            .reduce(|best, next| if next.known > best.known { next } else { best });
        let first = |cells_min: usize| {
            looked_at
                .clone()
                .find(|(_, (_, cells))| filled(cells) >= cells_min)
                .map(|(at, (_, cells))| Header {
                    at,
                    known: known(cells),
                })
        };
        best.or_else(|| first(cells_min)).or_else(|| first(1))
    }

    /// How many rows are looked at.
    const fn rows(&self) -> usize {
        if self.header_row.is_some() {
            ROWS_NAMED_MAX
        } else {
            ROWS_ABOVE_MAX
        }
    }

    fn is_known(&self, cell: &str) -> bool {
        let is_renamed = |rename: &Rename| same_name(rename.theirs(), cell);
        cell.len() <= HEADER_BYTES_MAX
            && cell.chars().any(char::is_alphabetic)
            && (table::is_header(cell) || self.renames.iter().any(is_renamed))
    }
}

/// The headers without the blanks around them. The blank cells after the last are no columns.
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

/// Refuses more columns than any table of reviews has.
const fn bounded(columns: &Columns) -> Result<(), FileError> {
    if columns.0.len() > COLUMNS_MAX {
        return Err(FileError::TooManyColumns(columns.0.len()));
    }
    Ok(())
}

/// Brings a row to the number of columns: blank cells too many are cut, other ones are a complaint.
fn fit(cells: &mut Vec<String>, columns: usize) -> Result<(), String> {
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
