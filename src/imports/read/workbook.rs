//! Excel workbooks (ECMA-376, `.xlsx`): the sheet with reviews, or the named one. Every cell is a text, as displayed.
//!
//! The archive is unpacked once against a bound before the parser reads it, because the parser keeps all shared strings in
//! memory.

use std::collections::HashSet;
use std::fmt::Display;
use std::io::{self, Cursor, Read};

use calamine::{DataRef, Reader as _, SheetVisible, Xlsx};
use zip::ZipArchive;

use crate::imports::map::table::{Row, Table};
use crate::imports::map::values::same_name;
use crate::imports::read::json::ROW_BYTES_MAX;
use crate::imports::read::text::{
    COLUMNS_MAX, find_header, headers, missing_row, row_too_long, rows_looked_at, too_many_columns,
};
use crate::imports::report::{FileError, Position};
use crate::imports::request::ImportRequest;

/// Maximum size of a workbook in bytes, packed.
pub const WORKBOOK_BYTES_MAX: u64 = 32 << 20;
/// Maximum size of all its parts in bytes, unpacked, because its texts are kept in memory.
const UNPACKED_BYTES_MAX: u64 = 256 << 20;
pub const WORKBOOK_TOO_LARGE: &str =
    "the workbook is too large (at most 32 MiB packed and 256 MiB unpacked); save it as CSV";

type Book<'b> = Xlsx<Cursor<&'b [u8]>>;

/// The text of a cell whose formula was never calculated, as in workbooks that a program wrote.
pub const NOT_CALCULATED: &str = "#NOT-CALCULATED!";

/// Minimum number of known headers that identify a sheet of reviews, regardless of later sheets.
const KNOWN_MIN: usize = 3;

/// The table in the named sheet; otherwise in the first visible sheet with at least [`KNOWN_MIN`] known headers, or in the one
/// with the most.
pub fn read_workbook(packed: &[u8], request: &ImportRequest) -> Result<Table, FileError> {
    check_unpacked(packed)?;
    let mut book: Book<'_> = Xlsx::new(Cursor::new(packed)).map_err(broken_workbook)?;
    let names = book.sheet_names();
    let is_chosen = |name: &&String| {
        request
            .sheet
            .as_ref()
            .is_none_or(|chosen| same_name(chosen, name))
    };
    let mut sheets: Vec<String> = names.iter().filter(is_chosen).cloned().collect();
    let visible: HashSet<&str> = book
        .sheets_metadata()
        .iter()
        .filter(|sheet| sheet.visible == SheetVisible::Visible)
        .map(|sheet| sheet.name.as_str())
        .collect();
    if request.sheet.is_none() && !visible.is_empty() {
        sheets.retain(|name| visible.contains(name.as_str()));
    }
    if sheets.is_empty() {
        let chosen = request.sheet.as_deref().unwrap_or_default();
        let there: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        return Err(FileError::new(format!(
            "has no sheet \"{chosen}\"; its sheets are {}",
            there.join(", ")
        )));
    }
    let (mut best, mut any): (Option<(usize, Table)>, bool) = (None, false);
    for sheet in sheets {
        let most = best.as_ref().map(|(known, _)| *known);
        if most.is_some_and(|known| known >= KNOWN_MIN) {
            break;
        }
        let mut rows = sheet_rows(&mut book, &sheet)?;
        any |= !rows.is_empty();
        let first = &rows[..rows.len().min(rows_looked_at(request))];
        let header = find_header(first, 2, request);
        if let Some(header) = header.filter(|header| most.is_none_or(|most| most < header.known)) {
            let mut table = table(rows.split_off(header.at));
            table.place = table
                .place
                .map(|place| format!(", sheet \"{sheet}\"{place}"));
            table.other_sheets = names.iter().filter(|it| **it != sheet).cloned().collect();
            best = Some((header.known, table));
        }
    }
    match (best, request.header_row) {
        (Some((_, table)), _) => Ok(table),
        (None, Some(row)) if any => Err(missing_row(row)),
        (None, _) => Err(broken_workbook("all of its sheets are empty")),
    }
}

/// The table whose first row has the headers.
fn table(rows: Vec<(u64, Vec<String>)>) -> Table {
    let mut table = Table::default();
    for (number, mut cells) in rows {
        if table.place.is_none() {
            table.place = Some(format!(", header in row {number}"));
            table.columns = headers(cells);
            continue;
        }
        // Trailing blank cells are not stored, and notes may stand beside the table.
        let count = cells.len().max(table.columns.len());
        cells.resize(count, String::new());
        table.columns.resize(count, String::new());
        let cells = cells.into_iter().map(|cell| Some(cell.into()));
        table.rows.push(Row {
            at: Position::Line(number),
            cells: cells.collect(),
            fault: None,
        });
    }
    table.name_columns();
    table
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

/// The rows of a sheet that have a cell, each with its number from 1.
fn sheet_rows(book: &mut Book<'_>, sheet: &str) -> Result<Vec<(u64, Vec<String>)>, FileError> {
    let mut reader = book
        .worksheet_cells_reader(sheet)
        .map_err(broken_workbook)?;
    let (mut rows, mut bytes): (Vec<(u64, Vec<String>)>, usize) = (Vec::new(), 0);
    while let Some(cell) = reader.next_cell_with_formula().map_err(broken_workbook)? {
        let text = match (&cell.value, cell.formula) {
            (DataRef::Empty, Some(_)) => NOT_CALCULATED.to_owned(),
            (value, _) => displayed(value),
        };
        if text.trim().is_empty() {
            continue;
        }
        let (number, at) = (u64::from(cell.pos.0) + 1, cell.pos.1 as usize);
        if at >= COLUMNS_MAX {
            return Err(too_many_columns(at + 1));
        }
        if rows.last().is_none_or(|(last, _)| *last != number) {
            rows.push((number, Vec::new()));
            bytes = 0;
        }
        bytes += text.len();
        if bytes > ROW_BYTES_MAX {
            return Err(row_too_long(number));
        }
        if let Some((_, cells)) = rows.last_mut() {
            cells.resize(cells.len().max(at + 1), String::new());
            cells[at] = text;
        }
    }
    Ok(rows)
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
