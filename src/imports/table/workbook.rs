//! Workbooks of Excel (ECMA-376, `.xlsx`): the first sheet that has cells, its first row as
//! headers.
//!
//! The archive is unpacked once against a bound before the parser sees it, because the parser keeps
//! all shared texts in memory.

use std::io::{self, Cursor, Read};

use calamine::{DataRef, Reader as _, Xlsx};
use zip::ZipArchive;

use super::{ROW_BYTES_MAX, TakeRow, bounded as bounded_columns, fit, headers};
use crate::imports::file_error::FileError;
use crate::imports::row::Columns;

/// How many bytes a workbook may have, packed.
pub(in crate::imports) const PACKED_BYTES_MAX: u64 = 32 << 20;
/// How many bytes its parts may have together, unpacked: its texts stand in memory.
const UNPACKED_BYTES_MAX: u64 = 256 << 20;

type Book<'b> = Xlsx<Cursor<&'b [u8]>>;

/// Hands the headers to `begin` and every row below them to the taker that it gives.
pub(in crate::imports) fn read(
    packed: &[u8],
    begin: &mut dyn FnMut(&Columns) -> Result<(), FileError>,
    take: TakeRow<'_>,
) -> Result<(), FileError> {
    bounded(packed)?;
    let mut book: Book<'_> = Xlsx::new(Cursor::new(packed)).map_err(broken)?;
    for sheet in book.sheet_names() {
        if rows(&mut book, &sheet, begin, take)? {
            return Ok(());
        }
    }
    Err(FileError::Workbook(
        "none of its sheets has a cell".to_owned(),
    ))
}

/// The headers alone, to find out what the table is.
pub(in crate::imports) fn columns(packed: &[u8]) -> Result<Columns, FileError> {
    let mut found = None;
    let mut seen = |columns: &Columns| {
        found = Some(columns.clone());
        Err(FileError::Workbook(String::new()))
    };
    let read = read(packed, &mut seen, &mut |_, _| Ok(()));
    found.map_or_else(
        || {
            Err(read
                .err()
                .unwrap_or_else(|| FileError::Workbook("it has no headers".to_owned())))
        },
        Ok,
    )
}

/// Refuses an archive that unpacks to more than is allowed, whatever it says about itself.
fn bounded(packed: &[u8]) -> Result<(), FileError> {
    let broken = |error: zip::result::ZipError| FileError::Workbook(error.to_string());
    let mut archive = ZipArchive::new(Cursor::new(packed)).map_err(broken)?;
    let mut left = UNPACKED_BYTES_MAX;
    for index in 0..archive.len() {
        let part = archive.by_index(index).map_err(broken)?;
        let unpacked = io::copy(&mut part.take(left + 1), &mut io::sink())
            .map_err(|error| FileError::Workbook(error.to_string()))?;
        left = left
            .checked_sub(unpacked)
            .ok_or(FileError::WorkbookTooLarge)?;
    }
    Ok(())
}

/// Says whether the sheet has any cell.
fn rows(
    book: &mut Book<'_>,
    sheet: &str,
    begin: &mut dyn FnMut(&Columns) -> Result<(), FileError>,
    take: TakeRow<'_>,
) -> Result<bool, FileError> {
    let mut reader = book.worksheet_cells_reader(sheet).map_err(broken)?;
    let mut columns: Option<Columns> = None;
    let mut row = 0;
    let mut cells: Vec<String> = Vec::new();
    let mut bytes = 0;
    loop {
        let next = reader.next_cell().map_err(broken)?;
        let ends = next
            .as_ref()
            .is_none_or(|cell| cell.get_position().0 != row);
        if ends && cells.iter().any(|cell| !cell.trim().is_empty()) {
            match &columns {
                None => {
                    let its = headers(std::mem::take(&mut cells));
                    bounded_columns(&its)?;
                    begin(&its)?;
                    columns = Some(its);
                }
                Some(columns) => hand_over(u64::from(row) + 1, &mut cells, columns, take)?,
            }
        }
        let Some(cell) = next else {
            return Ok(columns.is_some());
        };
        if ends {
            (row, bytes) = (cell.get_position().0, 0);
            cells.clear();
        }
        let text = shown(cell.get_value());
        let at = cell.get_position().1 as usize;
        bytes += text.len();
        if bytes > ROW_BYTES_MAX {
            return Err(FileError::RowTooLong(u64::from(row) + 1));
        }
        if text.is_empty() {
            continue;
        }
        if at >= super::COLUMNS_MAX {
            return Err(FileError::TooManyColumns(at + 1));
        }
        cells.resize(cells.len().max(at + 1), String::new());
        cells[at] = text;
    }
}

fn hand_over(
    line: u64,
    cells: &mut Vec<String>,
    columns: &Columns,
    take: TakeRow<'_>,
) -> Result<(), FileError> {
    // Trailing blank cells are not stored.
    cells.resize(cells.len().max(columns.0.len()), String::new());
    match fit(cells, columns.0.len()) {
        Ok(()) => take(line, Ok(cells)),
        Err(message) => take(line, Err((message, cells))),
    }
}

/// A cell as a person reads it; a date as ISO 8601 has it.
fn shown(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Empty => String::new(),
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            text.clone()
        }
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(flag) => flag.to_string(),
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

#[expect(clippy::needless_pass_by_value, reason = "handed to `map_err`")]
fn broken(error: calamine::XlsxError) -> FileError {
    FileError::Workbook(error.to_string())
}
