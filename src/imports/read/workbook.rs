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
use crate::imports::report::{FileError, Position, SheetPlace, TablePlace};
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

/// The headers of the named sheet; otherwise of the first visible sheet with at least [`KNOWN_MIN`] known headers, or of the
/// one with the most.
pub fn find_sheet(
    packed: &[u8],
    request: &ImportRequest,
) -> Result<(SheetPlace, Vec<String>), FileError> {
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
    let (mut best, mut any): (Option<(usize, SheetPlace, Vec<String>)>, bool) = (None, false);
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
        let Some(header) = find_header(&rows, 2, request) else {
            continue;
        };
        let (row, cells) = rows.swap_remove(header.at);
        if best
            .as_ref()
            .is_none_or(|(known, ..)| *known < header.known)
        {
            let others = names
                .iter()
                .filter(|name| **name != sheet)
                .cloned()
                .collect();
            let place = SheetPlace { sheet, row, others };
            best = Some((header.known, place, headers(cells)));
        }
    }
    match (best, request.header_row) {
        (Some((_, header, columns)), _) => Ok((header, columns)),
        (None, Some(row)) if any => Err(missing_row(row)),
        (None, _) => Err(broken_workbook("all of its sheets are empty")),
    }
}

/// The table below the headers of a sheet.
pub fn read_sheet(
    packed: &[u8],
    place: SheetPlace,
    mut columns: Vec<String>,
) -> Result<Table, FileError> {
    let mut book: Book<'_> = Xlsx::new(Cursor::new(packed)).map_err(broken_workbook)?;
    let mut rows = Vec::new();
    each_row(&mut book, &place.sheet, &mut |row, cells| {
        if row > place.row {
            // Trailing blank cells are not stored, and notes may stand beside the table.
            let count = cells.len().max(columns.len());
            cells.resize(count, String::new());
            columns.resize(count, String::new());
            let cells = cells.iter().map(|cell| Some(cell.as_str().into()));
            rows.push(Row {
                at: Position::line(row),
                cells: cells.collect(),
                fault: None,
            });
        }
        Ok(true)
    })?;
    let mut table = Table {
        columns,
        rows,
        place: TablePlace::Sheet(place),
        left_out: 0,
    };
    table.name_columns();
    Ok(table)
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
        let next = reader.next_cell_with_formula().map_err(broken_workbook)?;
        let ends = next.as_ref().is_none_or(|cell| cell.pos.0 != row);
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
            (row, bytes) = (cell.pos.0, 0);
            cells.clear();
        }
        let text = match (&cell.value, cell.formula) {
            (DataRef::Empty, Some(_)) => NOT_CALCULATED.to_owned(),
            (value, _) => displayed(value),
        };
        let at = cell.pos.1 as usize;
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
