//! Excel workbooks (ECMA-376, `.xlsx`): the sheet with reviews, or the named one. Every cell is a text, as displayed.
//!
//! The archive is unpacked once against a bound before the parser reads it, because the parser keeps all shared strings in
//! memory.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Display;
use std::io::{self, BufRead as _, BufReader, Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use calamine::{DataRef, Dimensions, Reader as _, Sheet, SheetType, SheetVisible, Xlsx};
use quick_xml::Reader as XmlReader;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;

use crate::imports::limits::ImportLimits;
use crate::imports::map::values::same_name;
use crate::imports::read::text::{
    COLUMNS_MAX, ROWS_NAMED_MAX, check_header, header_at, headers, known_headers, missing_row,
    row_too_long, texts, too_many_columns,
};
use crate::imports::report::{FileError, Position};
use crate::imports::request::ImportRequest;
use crate::imports::table::{
    BLOCK_BYTES, Cells, HIDDEN_ROW, NOT_CALCULATED, ROW_BYTES_MAX, RowFault, Table, TableRow,
};

/// Maximum size of a workbook in bytes, packed.
pub const WORKBOOK_BYTES_MAX: u64 = 32 << 20;
/// Maximum size of all its parts in bytes, unpacked, because its texts are kept in memory.
const UNPACKED_BYTES_MAX: u64 = 256 << 20;
/// Maximum size of one part: a cell may be as large, and its text is copied while it grows.
const PART_BYTES_MAX: u64 = 192 << 20;
/// Maximum number of bytes between two tags, which the parser reads at once. A text has at most 1 MiB, and `&#10;` is one byte of it.
const RUN_BYTES_MAX: usize = 6 << 20;
/// What the parser keeps for a tag: of styles, which are the largest; and of shared strings, which have at least two for each.
const TAG_BYTES: usize = 512;
const SHARED_TAG_BYTES: usize = 24;
pub const WORKBOOK_TOO_LARGE: &str =
    "the workbook is too large (at most 32 MiB packed and 256 MiB unpacked); save it as CSV";

type Book<'b> = Xlsx<Cursor<&'b [u8]>>;

/// Minimum number of known headers that identify a sheet of reviews, regardless of later sheets.
const KNOWN_MIN: usize = 3;

/// The table in the named sheet; otherwise in the first visible sheet with at least [`KNOWN_MIN`] known headers, or in the one
/// with the most.
pub fn read_workbook(
    packed: &[u8],
    request: &ImportRequest,
    limits: &mut ImportLimits<'_>,
) -> Result<Table, FileError> {
    let (kept, largest_sheet) = check_unpacked(packed)?;
    limits.take(kept)?;
    let mut book: Book<'_> = Xlsx::new(Cursor::new(packed)).map_err(broken_workbook)?;
    let names = book.sheet_names();
    let is_chosen = |sheet: &Sheet| match &request.sheet {
        Some(chosen) => same_name(chosen, &sheet.name),
        None => sheet.visible == SheetVisible::Visible,
    };
    let sheets = book.sheets_metadata().iter().enumerate();
    // Others are charts and dialogs.
    let sheets = sheets.filter(|(_, sheet)| sheet.typ == SheetType::WorkSheet);
    let sheets: Vec<(usize, String)> = sheets
        .filter(|(_, sheet)| is_chosen(sheet))
        .map(|(place, sheet)| (place, sheet.name.clone()))
        .collect();
    if sheets.is_empty() {
        let chosen = request.sheet.as_ref();
        let missing = chosen.map_or("visible sheet".to_owned(), |name| {
            format!("sheet \"{name}\"")
        });
        let there: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        return Err(FileError::new(format!(
            "has no {missing}; its sheets are {}",
            there.join(", ")
        )));
    }
    let (mut best, mut any): (Option<(usize, Table)>, bool) = (None, false);
    let mut headless = None;
    for (place, sheet) in sheets {
        let most = best.as_ref().map(|(known, _)| *known);
        if most.is_some_and(|known| known >= KNOWN_MIN) {
            break;
        }
        let before = limits.bytes_left();
        // Each takes fewer bytes than in the file, and their list is there twice while it is copied.
        limits.take(largest_sheet * 3 / 2)?;
        let merged = merged_cells(&mut book, &sheet)?;
        limits.give(largest_sheet * 3 / 2);
        limits.take(size_of_val(&merged[..]))?;
        let mut rows = sheet_rows(&mut book, &sheet, limits)?;
        any |= !rows.is_empty();
        let first = rows.iter().take(ROWS_NAMED_MAX);
        let first: Vec<_> = first.map(|(row, cells)| (*row, texts(cells))).collect();
        let header = header_at(&first, request);
        let header = header.map(|at| (at, known_headers(&first[at].1, request)));
        if let Some((at, known)) = header.filter(|(_, known)| most.is_none_or(|most| most < *known))
        {
            if let Err(fault) = check_header(&headers(first[at].1.clone()), &first[at..]) {
                headless.get_or_insert(fault);
                limits.give(before - limits.bytes_left());
                continue;
            }
            let hidden = hidden_rows(packed, place, limits)?;
            let mut table = table(rows.split_off(at), &merged, &hidden, limits)?;
            table.place = table
                .place
                .map(|place| format!(", sheet \"{sheet}\"{place}"));
            table.other_sheets = names.iter().filter(|it| **it != sheet).cloned().collect();
            best = Some((known, table));
        } else {
            limits.give(before - limits.bytes_left());
        }
    }
    limits.give(kept);
    match (best, headless, request.header_row) {
        (Some((_, table)), ..) => Ok(table),
        (None, Some(fault), _) => Err(fault),
        (None, None, Some(row)) if any => Err(missing_row(row)),
        (None, None, _) => Err(broken_workbook("all of its sheets are empty")),
    }
}

/// The merged cells of a sheet.
fn merged_cells(book: &mut Book<'_>, sheet: &str) -> Result<Vec<Dimensions>, FileError> {
    let reversed = || broken_workbook("merged cells end before they begin");
    // The parser subtracts the beginning from the end, and panics where overflows are checked.
    let read = catch_unwind(AssertUnwindSafe(|| book.merge_cells_by_sheet_name(sheet)));
    let merged = read.map_err(|_| reversed())?.map_err(broken_workbook)?;
    let is_reversed = |it: &Dimensions| it.end.0 < it.start.0 || it.end.1 < it.start.1;
    if merged.iter().any(is_reversed) {
        return Err(reversed());
    }
    Ok(merged)
}

/// The table whose first row has the headers.
fn table(
    mut rows: Vec<(u64, Cells)>,
    merged: &[Dimensions],
    hidden: &HashSet<u64>,
    limits: &mut ImportLimits<'_>,
) -> Result<Table, FileError> {
    let (number, header) = rows.remove(0);
    let mut table = Table {
        columns: headers(texts(&header)),
        place: Some(format!(", header in row {number}")),
        ..Table::default()
    };
    let unclear = merged_rows(&rows, merged, table.columns.len(), limits)?;
    if rows.iter().any(|(number, _)| hidden.contains(number)) {
        let ends = rows.iter().map(|(_, cells)| cells.there.end);
        let column = ends.fold(table.columns.len(), usize::max);
        table.columns.resize(column, String::new());
        table.columns.push(HIDDEN_ROW.to_owned());
        for (_, cells) in rows.iter_mut().filter(|(row, _)| hidden.contains(row)) {
            cells.put(column, "yes");
        }
    }
    for (number, mut cells) in rows {
        // Trailing blank cells are not stored, and notes may stand beside the table.
        let count = cells.there.end.max(table.columns.len());
        cells.there.end = count;
        table.columns.resize(count, String::new());
        let fault = unclear.contains(&number).then(|| RowFault {
            message: "has a cell that is merged with others; unmerge it, and fill each cell"
                .to_owned(),
            raw: None,
        });
        let row = TableRow::new(Position::Line(number), cells, fault);
        table.rows.push(row);
    }
    table.name_columns();
    Ok(table)
}

/// The rows with cells of the table that are merged with others: for which of these the value is meant is unknown.
fn merged_rows(
    rows: &[(u64, Cells)],
    merged: &[Dimensions],
    columns: usize,
    limits: &mut ImportLimits<'_>,
) -> Result<HashSet<u64>, FileError> {
    let mut found = HashSet::new();
    for cells in merged.iter().filter(|cells| cells.start != cells.end) {
        let (first, last) = (u64::from(cells.start.0) + 1, u64::from(cells.end.0) + 1);
        let [first, end] = [first, last + 1].map(|end| rows.partition_point(|(row, _)| *row < end));
        let covered = rows.get(first..end).unwrap_or_default();
        // Notes may stand beside the table.
        if (cells.start.1 as usize) < columns {
            limits.take(size_of_val(covered))?;
            found.extend(covered.iter().map(|(row, _)| *row));
        }
    }
    Ok(found)
}

/// The numbers of the hidden rows of the sheet at `place` among all sheets; the parser tells nothing of them.
fn hidden_rows(
    packed: &[u8],
    place: usize,
    limits: &mut ImportLimits<'_>,
) -> Result<HashSet<u64>, FileError> {
    let mut archive = ZipArchive::new(Cursor::new(packed)).map_err(broken_workbook)?;
    let (mut ids, mut part, mut number) = (Vec::new(), String::new(), 0);
    let mut hidden = HashSet::new();
    visit_elements(&mut archive, "xl/workbook.xml", "sheet", |sheet| {
        ids.push(attribute(sheet, "id"));
        Ok(())
    })?;
    visit_elements(
        &mut archive,
        "xl/_rels/workbook.xml.rels",
        "Relationship",
        |target| {
            if ids.get(place) == Some(&attribute(target, "Id")) {
                part = attribute(target, "Target").unwrap_or_default();
            }
            Ok(())
        },
    )?;
    // From the archive's root, or from the folder of the workbook.
    let path = part.strip_prefix('/');
    let path = path.map_or_else(|| format!("xl/{part}"), str::to_owned);
    visit_elements(&mut archive, &path, "row", |row| {
        let stated = attribute(row, "r").and_then(|number| number.parse().ok());
        number = stated.unwrap_or(number + 1);
        let is_hidden = attribute(row, "hidden").is_some_and(|it| it == "1" || it == "true");
        if is_hidden {
            limits.take(2 * size_of::<u64>())?;
            hidden.insert(number);
        }
        Ok(())
    })?;
    Ok(hidden)
}

/// Calls `visit` with the elements of one name in a part of the workbook.
fn visit_elements(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    path: &str,
    name: &str,
    mut visit: impl FnMut(&BytesStart<'_>) -> Result<(), FileError>,
) -> Result<(), FileError> {
    let is_part = |index: &usize| {
        let part = archive.name_for_index(*index).and_then(Result::ok);
        part.is_some_and(|part| part.eq_ignore_ascii_case(path))
    };
    let index = (0..archive.len()).find(is_part);
    let index = index.ok_or_else(|| broken_workbook(format!("it has no part {path}")))?;
    let part = archive.by_index(index).map_err(broken_workbook)?;
    let (mut xml, mut buffer) = (XmlReader::from_reader(BufReader::new(part)), Vec::new());
    loop {
        let event = xml.read_event_into(&mut buffer).map_err(broken_workbook)?;
        if matches!(event, Event::Eof) {
            return Ok(());
        }
        if let Event::Start(element) | Event::Empty(element) = event
            && element.local_name().as_ref() == name
        {
            visit(&element)?;
        }
        buffer.clear();
    }
}

/// The value of an attribute, by its name without the prefix.
fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes();
    let mut read = attributes.with_checks(false).flatten();
    let found = read.find(|it| it.key.local_name().as_ref() == name)?;
    Some(found.value.into_owned())
}

/// The memory that the parser keeps of a workbook, and the bytes of its largest sheet. Refuses one that unpacks to more bytes than allowed, regardless of the sizes in
/// its directory, or whose parser would reserve more than it has.
fn check_unpacked(packed: &[u8]) -> Result<(usize, usize), FileError> {
    let mut archive = ZipArchive::new(Cursor::new(packed)).map_err(broken_workbook)?;
    let (mut left, mut kept, mut largest_sheet) = (UNPACKED_BYTES_MAX, 0, 0);
    for index in 0..archive.len() {
        let part = archive.by_index(index).map_err(broken_workbook)?;
        let name = part.name().map_err(broken_workbook)?.to_ascii_lowercase();
        let bytes_max = left.min(PART_BYTES_MAX);
        let seen = PartSeen::of(part.take(bytes_max + 1)).map_err(broken_workbook)?;
        let has_long_number = name.ends_with("sharedstrings.xml") && seen.digits > 7;
        if seen.bytes > bytes_max || seen.run > RUN_BYTES_MAX || has_long_number {
            return Err(FileError::new(WORKBOOK_TOO_LARGE));
        }
        left -= seen.bytes;
        let bytes = usize::try_from(seen.bytes).unwrap_or(usize::MAX);
        // The rows of sheets are counted when they are read.
        if name.starts_with("xl/worksheets/") {
            largest_sheet = largest_sheet.max(bytes);
            continue;
        }
        let each = if name.ends_with("sharedstrings.xml") {
            SHARED_TAG_BYTES
        } else {
            TAG_BYTES
        };
        kept += bytes + seen.tags * each;
    }
    Ok((kept, largest_sheet))
}

/// What a part of a workbook has.
#[derive(Default)]
struct PartSeen {
    bytes: u64,
    tags: usize,
    /// The most bytes from the beginning of a tag to that of the next.
    run: usize,
    /// The most digits one after the other inside a tag: the shared strings say how many they are, and so much is reserved.
    digits: usize,
}

impl PartSeen {
    fn of(part: impl Read) -> io::Result<Self> {
        let (mut seen, mut run, mut digits, mut is_inside) = (Self::default(), 0, 0, false);
        let mut part = BufReader::with_capacity(64 << 10, part);
        loop {
            let bytes = part.fill_buf()?;
            if bytes.is_empty() {
                return Ok(seen);
            }
            for byte in bytes {
                (run, digits) = (run + 1, digits + 1);
                match byte {
                    b'<' => (is_inside, run, seen.tags) = (true, 0, seen.tags + 1),
                    b'>' => is_inside = false,
                    b'0'..=b'9' if is_inside => seen.digits = seen.digits.max(digits),
                    _ => {}
                }
                digits *= usize::from(byte.is_ascii_digit());
                seen.run = seen.run.max(run);
            }
            let count = bytes.len();
            seen.bytes += count as u64;
            part.consume(count);
        }
    }
}

/// The rows of a sheet that have a cell, each with its number from 1.
fn sheet_rows(
    book: &mut Book<'_>,
    sheet: &str,
    limits: &mut ImportLimits<'_>,
) -> Result<Vec<(u64, Cells)>, FileError> {
    let mut reader = book
        .worksheet_cells_reader(sheet)
        .map_err(broken_workbook)?;
    let mut rows: Vec<(u64, Cells)> = Vec::new();
    // Shared formulas are not expanded: a cell may name any of four billion.
    while let Some(cell) = reader
        .next_cell_with_formula_metadata()
        .map_err(broken_workbook)?
    {
        let text = match (&cell.value, cell.formula) {
            (DataRef::Empty, Some(_)) => NOT_CALCULATED.into(),
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
            limits.take(4 * size_of::<TableRow>())?;
            rows.push((number, Cells::default()));
        }
        // A text that many cells share is there once in the file.
        limits.take(text.len() + 2 * BLOCK_BYTES)?;
        if let Some((_, cells)) = rows.last_mut() {
            if cells.text.len() + text.len() > ROW_BYTES_MAX {
                return Err(row_too_long(number));
            }
            cells.put(at, &text);
            cells.there.end = cells.there.end.max(at + 1);
        }
    }
    for (_, cells) in &mut rows {
        cells.finish();
    }
    rows.sort_by_key(|(number, _)| *number);
    Ok(rows)
}

/// A cell as displayed; a date in ISO 8601.
fn displayed<'v>(value: &'v DataRef<'_>) -> Cow<'v, str> {
    match value {
        DataRef::Empty => "".into(),
        DataRef::Int(number) => number.to_string().into(),
        DataRef::Float(number) => number.to_string().into(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            text.into()
        }
        DataRef::SharedString(text) => (*text).into(),
        DataRef::Bool(flag) => flag.to_string().into(),
        // The first day is 1; a formula over empty cells gives less.
        DataRef::DateTime(instant) if instant.as_f64() < 1.0 => instant.as_f64().to_string().into(),
        DataRef::DateTime(instant) => {
            let (year, month, day, hour, minute, second, _) = instant.to_ymd_hms_milli();
            if (hour, minute, second) == (0, 0, 0) {
                format!("{year:04}-{month:02}-{day:02}").into()
            } else {
                format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}").into()
            }
        }
        DataRef::Error(error) => error.to_string().into(),
    }
}

fn broken_workbook(error: impl Display) -> FileError {
    FileError::new(format!(
        "the workbook cannot be read ({error}); save it as CSV and import that file"
    ))
}
