//! Excel workbooks (ECMA-376, `.xlsx`): the sheet with reviews, or the named one. The archive is unpacked once against
//! a bound before the parser reads it, because the parser keeps all shared strings in memory.

use std::io::{self, Cursor, Read};

use calamine::{DataRef, Reader as _, Xlsx};
use zip::ZipArchive;

use crate::imports::ImportRequest;
use crate::imports::file_error::FileError;
use crate::imports::map::plan::Columns;
use crate::imports::map::values::same_name;
use crate::imports::read::table::{
    COLUMNS_MAX, ROW_BYTES_MAX, TakeRow, bounded as bounded_columns, fit, header, headers,
    rows_looked_at,
};

/// Maximum size of a workbook in bytes, packed.
pub const PACKED_BYTES_MAX: u64 = 32 << 20;
/// Maximum size of all its parts in bytes, unpacked, because its texts are kept in memory.
const UNPACKED_BYTES_MAX: u64 = 256 << 20;

type Book<'b> = Xlsx<Cursor<&'b [u8]>>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub sheet: String,
    /// From 1.
    pub row: u64,
    pub others: Vec<String>,
}

/// Minimum number of known headers that identify a sheet of reviews, regardless of later sheets.
const KNOWN_MIN: usize = 3;

/// The headers of the named sheet; otherwise of the first sheet with at least [`KNOWN_MIN`] known headers, or of the
/// one with the most.
pub fn find(packed: &[u8], request: &ImportRequest) -> Result<(Header, Columns), FileError> {
    bounded(packed)?;
    let mut book: Book<'_> = Xlsx::new(Cursor::new(packed)).map_err(broken)?;
    let names = book.sheet_names();
    let is_wanted = |name: &&String| {
        request
            .sheet
            .as_ref()
            .is_none_or(|its| same_name(its, name))
    };
    let sheets: Vec<String> = names.iter().filter(is_wanted).cloned().collect();
    if sheets.is_empty() {
        return Err(FileError::NoSuchSheet {
            wanted: request.sheet.clone().unwrap_or_default(),
            there: names,
        });
    }
    let (mut best, mut any): (Option<(usize, Header, Columns)>, bool) = (None, false);
    for sheet in sheets {
        if best.as_ref().is_some_and(|(known, ..)| *known >= KNOWN_MIN) {
            break;
        }
        let mut rows = Vec::new();
        each(&mut book, &sheet, &mut |row, cells| {
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
            let place = Header { sheet, row, others };
            best = Some((header.known, place, headers(cells)));
        }
    }
    match (best, request.header_row) {
        (Some((_, header, columns)), _) => Ok((header, columns)),
        (None, Some(row)) if any => Err(FileError::NoSuchRow(row)),
        (None, _) => Err(FileError::Workbook(
            "all of its sheets are empty".to_owned(),
        )),
    }
}

/// Calls `take` with every row below the headers.
pub fn read(
    packed: &[u8],
    header: &Header,
    columns: &Columns,
    take: TakeRow<'_>,
) -> Result<(), FileError> {
    bounded_columns(columns)?;
    let mut book: Book<'_> = Xlsx::new(Cursor::new(packed)).map_err(broken)?;
    each(&mut book, &header.sheet, &mut |row, cells| {
        if row > header.row {
            hand_over(row, cells, columns, take)?;
        }
        Ok(true)
    })
}

/// Refuses an archive that unpacks to more bytes than allowed, regardless of the size in its directory.
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

/// Called with a row's number, from 1, and its cells; returns whether to continue.
type TakeCells<'t> = &'t mut dyn FnMut(u64, &mut Vec<String>) -> Result<bool, FileError>;

/// Calls `take` with the sheet's rows that have a cell, until it returns false.
fn each(book: &mut Book<'_>, sheet: &str, take: TakeCells<'_>) -> Result<(), FileError> {
    let mut reader = book.worksheet_cells_reader(sheet).map_err(broken)?;
    let mut row = 0;
    let mut cells: Vec<String> = Vec::new();
    let mut bytes = 0;
    loop {
        let next = reader.next_cell().map_err(broken)?;
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
        let text = shown(cell.get_value());
        let at = cell.get_position().1 as usize;
        bytes += text.len();
        if bytes > ROW_BYTES_MAX {
            return Err(FileError::RowTooLong(u64::from(row) + 1));
        }
        if text.is_empty() {
            continue;
        }
        if at >= COLUMNS_MAX {
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

/// A cell as displayed; a date in ISO 8601.
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
