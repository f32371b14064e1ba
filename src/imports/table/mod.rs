//! Tables: delimited text and workbooks, as rows of cells under headers.
//!
//! Apart from the platforms: what a column means is theirs. Every cell is a text here, as a person
//! sees it in the table.

pub(super) mod delimited;
pub(super) mod workbook;

use super::file_error::FileError;
use super::row::Columns;

/// How many bytes one row may have: as many as a line of JSON Lines.
pub(super) const ROW_BYTES_MAX: usize = 1 << 20;
/// How many columns a table may have.
const COLUMNS_MAX: usize = 1_000;

/// A row of a table: its cells, or why they cannot be told apart, with what was read.
pub(super) type Cells<'c> = Result<&'c [String], (String, &'c [String])>;

/// Takes a row that begins in that line, from 1.
pub(super) type TakeRow<'t> = &'t mut dyn FnMut(u64, Cells<'_>) -> Result<(), FileError>;

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
