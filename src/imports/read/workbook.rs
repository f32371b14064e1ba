//! Workbooks of Excel (ECMA-376, `.xlsx`) and of `OpenDocument` (`.ods`): one sheet with its header in the first row that has cells, or in
//! the format's `header_row`. Every cell is a text, as displayed. Hidden sheets are not read; a table with hidden rows or columns, or with
//! merged cells, is refused.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{BufRead as _, BufReader, Cursor, Read};

use calamine::{DataRef, Reader as _, SheetType, SheetVisible, Xlsx};
use quick_xml::Reader as XmlReader;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;

use crate::imports::fault::{FileError, Position};
use crate::imports::read::bytes::open_archive;
use crate::imports::read::text::too_long;
use crate::imports::read::{
    Bounds, COLUMNS_MAX, Cells, NOT_CALCULATED, Row, Table, too_many_columns,
};
use crate::imports::value::text::TEXT_BYTES_MAX;

/// Maximum size of all its parts in bytes, unpacked, and of one part: the parser keeps all shared texts in memory.
const UNPACKED_BYTES_MAX: u64 = 256 << 20;
const PART_BYTES_MAX: u64 = 128 << 20;
/// Maximum number of bytes between two tags, which the parser reads at once. A text has at most 64 KiB, and `&#10;` is one byte of it.
const RUN_BYTES_MAX: usize = 6 << 20;
/// Maximum number of tags outside of the sheets: the parser keeps up to 512 bytes for each.
const TAGS_MAX: usize = 400_000;
const TOO_LARGE: &str =
    "the workbook is too large (at most 64 MiB packed and 256 MiB unpacked); save it as CSV";

/// A workbook.
pub enum Book<'b> {
    Excel {
        packed: &'b [u8],
        book: Box<Xlsx<Cursor<&'b [u8]>>>,
    },
    OpenDocument(&'b [u8]),
}

/// A visible sheet.
#[derive(Debug)]
pub struct Sheet {
    pub name: String,
    /// Empty if there is none.
    pub header: Vec<String>,
    /// Whether there is a row below the header.
    pub has_rows: bool,
}

/// The cells of a sheet by their place, row and column from 0, with the number of rows below.
type SheetRow = (u64, Cells);

impl<'b> Book<'b> {
    /// # Errors
    /// If it cannot be read, or is too large.
    pub fn open(packed: &'b [u8]) -> Result<Self, FileError> {
        let archive = open_archive(packed)?;
        let is_excel = archive.index_for_name("xl/workbook.xml").is_some();
        check_unpacked(archive)?;
        if !is_excel {
            return Ok(Self::OpenDocument(packed));
        }
        let book = Xlsx::new(Cursor::new(packed)).map_err(broken)?;
        let book = Box::new(book);
        Ok(Self::Excel { packed, book })
    }

    /// The visible sheets.
    pub fn sheets(&mut self, header_row: Option<u64>) -> Result<Vec<Sheet>, FileError> {
        let mut sheets = Vec::new();
        match self {
            Self::Excel { book, .. } => {
                let all = book.sheets_metadata().iter();
                // Others are charts and dialogs.
                let visible = all.filter(|sheet| {
                    sheet.typ == SheetType::WorkSheet && sheet.visible == SheetVisible::Visible
                });
                let names: Vec<String> = visible.map(|sheet| sheet.name.clone()).collect();
                for name in names {
                    let mut head = Vec::new();
                    read_sheet(book, &name, &mut |number, column, cell| {
                        take_cell(&mut head, number, column, cell);
                        let is_below = |row: &SheetRow| header_row.is_none_or(|it| row.0 >= it);
                        Ok(head.iter().filter(|row| is_below(row)).count() < 2)
                    })?;
                    sheets.push(Sheet::new(name, head, header_row));
                }
            }
            Self::OpenDocument(packed) => {
                for (name, rows) in read_open_document(packed, None, &mut Bounds::new(&|| false))? {
                    sheets.push(Sheet::new(name, rows, header_row));
                }
            }
        }
        Ok(sheets)
    }

    /// The table of a sheet.
    ///
    /// # Errors
    /// If it has hidden rows or columns, or merged cells.
    pub fn table(
        &mut self,
        sheet: &str,
        header_row: Option<u64>,
        bounds: &mut Bounds<'_>,
    ) -> Result<Table, FileError> {
        let (mut rows, marks) = match self {
            Self::Excel { packed, book } => {
                let mut rows = Vec::new();
                read_sheet(book, sheet, &mut |number, column, cell| {
                    let is_new = take_cell(&mut rows, number, column, cell);
                    bounds.cell(is_new, cell.len())?;
                    Ok(true)
                })?;
                let place = book
                    .sheets_metadata()
                    .iter()
                    .position(|it| it.name == sheet);
                (rows, SheetMarks::of_excel(packed, place.unwrap_or(0))?)
            }
            Self::OpenDocument(packed) => {
                let mut found = read_open_document(packed, Some(sheet), bounds)?;
                (
                    found.pop().map(|it| it.1).unwrap_or_default(),
                    SheetMarks::default(),
                )
            }
        };
        rows.sort_by_key(|(number, _)| *number);
        let first = header_row.or(rows.first().map(|row| row.0)).unwrap_or(1);
        rows.retain(|(number, _)| *number >= first);
        if rows.is_empty() || rows[0].0 != first {
            return Err(FileError::new(format!(
                "its sheet \"{sheet}\" has no row {first}; name the row of the header as `header_row` in the source's format"
            )));
        }
        table_of(sheet, rows, &marks)
    }
}

/// Adds a cell to the rows; returns whether its row is new.
fn take_cell(rows: &mut Vec<SheetRow>, number: u64, column: usize, cell: &str) -> bool {
    let is_new = rows.last().is_none_or(|(last, _)| *last != number);
    if is_new {
        rows.push((number, Cells::default()));
    }
    if let Some((_, cells)) = rows.last_mut() {
        cells.put(column, cell);
        cells.there.end = cells.there.end.max(column + 1);
    }
    is_new
}

impl Sheet {
    /// A sheet with these first rows.
    fn new(name: String, mut rows: Vec<SheetRow>, header_row: Option<u64>) -> Self {
        rows.retain(|(number, _)| header_row.is_none_or(|it| *number >= it));
        let has_rows = rows.len() > 1;
        let mut header = Vec::new();
        if let Some((_, cells)) = rows.first_mut() {
            cells.finish();
            for at in 0..cells.there.end {
                header.push(cells.get(at).unwrap_or_default().trim().to_owned());
            }
        }
        Self {
            name,
            header,
            has_rows,
        }
    }
}

/// The table whose first row has the headers.
fn table_of(sheet: &str, mut rows: Vec<SheetRow>, marks: &SheetMarks) -> Result<Table, FileError> {
    let (header_row, mut header) = rows.remove(0);
    header.finish();
    let width = header.there.end;
    if let Some(fault) = marks.fault(header_row, &rows, width) {
        return Err(FileError::new(format!(
            "its sheet \"{sheet}\" has {fault}; {} or save the sheet as CSV",
            if fault.starts_with("merged") {
                "unmerge them and fill each cell,"
            } else {
                "clear the filter and show them,"
            }
        )));
    }
    if let Some((at, _)) = header.all().find(|(_, cell)| *cell == LONG) {
        return Err(FileError::new(too_long(at + 1)));
    }
    let columns = (0..width).map(|at| header.get(at).unwrap_or_default().trim().to_owned());
    let mut table = Table {
        columns: columns.collect(),
        place: match header_row {
            1 => format!(", sheet \"{sheet}\""),
            _ => format!(", sheet \"{sheet}\", header in row {header_row}"),
        },
        ..Table::default()
    };
    for (number, mut cells) in rows {
        // Trailing blank cells are not stored, and notes may stand beside the table.
        let count = cells.there.end.max(table.columns.len());
        cells.there.end = count;
        table.columns.resize(count, String::new());
        let long = cells.all().find(|(_, cell)| *cell == LONG);
        let long = long.map(|(at, _)| (too_long(at + 1), None));
        table
            .rows
            .push(Row::new(Position::Line(number), cells, long));
    }
    table.name_columns();
    Ok(table)
}

/// In place of a cell that is too long to be copied.
const LONG: &str = "\u{1}long";

// Excel.

/// Calls `take` with row (from 1), column (from 0) and text of the cells of a sheet that are not blank, until it returns false.
fn read_sheet(
    book: &mut Xlsx<Cursor<&[u8]>>,
    sheet: &str,
    take: &mut dyn FnMut(u64, usize, &str) -> Result<bool, FileError>,
) -> Result<(), FileError> {
    let mut reader = book.worksheet_cells_reader(sheet).map_err(broken)?;
    // Shared formulas are not expanded: a cell may name any of four billion.
    while let Some(cell) = reader.next_cell_with_formula_metadata().map_err(broken)? {
        let text = match (&cell.value, cell.formula) {
            (DataRef::Empty, Some(_)) => NOT_CALCULATED.into(),
            (value, _) => displayed(value),
        };
        let text = if text.len() > TEXT_BYTES_MAX {
            LONG
        } else {
            &*text
        };
        let (number, column) = (u64::from(cell.pos.0) + 1, cell.pos.1 as usize);
        if text.trim().is_empty() {
            continue;
        }
        if column >= COLUMNS_MAX {
            return Err(too_many_columns());
        }
        if !take(number, column, text)? {
            break;
        }
    }
    Ok(())
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

/// What a sheet hides or merges, which the parser does not tell.
#[derive(Debug, Default)]
struct SheetMarks {
    hidden_rows: Vec<u64>,
    /// First and last, from 0.
    hidden_columns: Vec<(usize, usize)>,
    /// First row and column, last row and column; rows from 1.
    merged: Vec<[u64; 4]>,
}

impl SheetMarks {
    /// Of the sheet at `place` among all sheets.
    fn of_excel(packed: &[u8], place: usize) -> Result<Self, FileError> {
        let mut archive = open_archive(packed)?;
        let (mut ids, mut part) = (Vec::new(), String::new());
        visit_elements(&mut archive, "xl/workbook.xml", &mut |sheet| {
            if sheet.local_name().as_ref() == "sheet" {
                ids.push(attribute(sheet, "id"));
            }
        })?;
        visit_elements(&mut archive, "xl/_rels/workbook.xml.rels", &mut |target| {
            let is_it = ids.get(place) == Some(&attribute(target, "Id"));
            if is_it && target.local_name().as_ref() == "Relationship" {
                part = attribute(target, "Target").unwrap_or_default();
            }
        })?;
        // From the archive's root, or from the folder of the workbook.
        let path = part.strip_prefix('/');
        let path = path.map_or_else(|| format!("xl/{part}"), str::to_owned);
        let (mut marks, mut number, mut hides_rows) = (Self::default(), 0, false);
        let is_set = |element: &BytesStart<'_>, name: &str| {
            attribute(element, name).is_some_and(|it| matches!(it.trim(), "1" | "true"))
        };
        let is_zero = |element: &BytesStart<'_>, name: &str| {
            attribute(element, name).is_some_and(|it| it.trim().parse() == Ok(0.0_f64))
        };
        visit_elements(
            &mut archive,
            &path,
            &mut |element| match element.local_name().as_ref() {
                "sheetFormatPr" => hides_rows = is_set(element, "zeroHeight"),
                "col" => {
                    let at = |name| attribute(element, name)?.trim().parse::<usize>().ok();
                    if is_set(element, "hidden") || is_zero(element, "width") {
                        let (first, last) = (at("min").unwrap_or(1), at("max").unwrap_or(1));
                        marks
                            .hidden_columns
                            .push((first.saturating_sub(1), last.saturating_sub(1)));
                    }
                }
                "row" => {
                    let stated = attribute(element, "r").and_then(|it| it.trim().parse().ok());
                    number = stated.unwrap_or(number + 1);
                    let by_default = hides_rows && attribute(element, "ht").is_none();
                    let is_hidden =
                        is_set(element, "hidden") || is_zero(element, "ht") || by_default;
                    if is_hidden && marks.hidden_rows.len() < 1_000 {
                        marks.hidden_rows.push(number);
                    }
                }
                "mergeCell" => {
                    let cells = attribute(element, "ref").and_then(|cells| cell_range(&cells));
                    marks
                        .merged
                        .extend(cells.filter(|_| marks.merged.len() < 100_000));
                }
                _ => {}
            },
        )?;
        Ok(marks)
    }

    /// What the table has that must not be there.
    fn fault(&self, header_row: u64, rows: &[SheetRow], width: usize) -> Option<&'static str> {
        let last = rows.last().map_or(header_row, |row| row.0);
        let is_row = |number: &u64| {
            *number == header_row || rows.binary_search_by_key(number, |row| row.0).is_ok()
        };
        if self.hidden_rows.iter().any(is_row) {
            return Some("hidden rows");
        }
        if self.hidden_columns.iter().any(|(first, _)| *first < width) {
            return Some("hidden columns");
        }
        let mut merged = self.merged.iter();
        let is_inside = |[first, column, end, _]: &[u64; 4]| {
            *first <= last && *end > header_row && *column < width as u64
        };
        merged.any(is_inside).then_some("merged cells")
    }
}

/// Rows and columns of a range such as `A2:C9`, if it has several cells.
fn cell_range(range: &str) -> Option<[u64; 4]> {
    let cell = |text: &str| {
        let letters = text.trim_start_matches('$');
        let split = letters.find(|c: char| !c.is_ascii_alphabetic())?;
        let column = letters[..split].bytes().try_fold(0_u64, |column, byte| {
            column
                .checked_mul(26)?
                .checked_add(u64::from(byte.to_ascii_uppercase() - b'A') + 1)
        })?;
        let row: u64 = letters[split..].trim_start_matches('$').parse().ok()?;
        Some((row, column.checked_sub(1)?))
    };
    let (first, last) = range.split_once(':')?;
    let ((row, column), (end_row, end_column)) = (cell(first)?, cell(last)?);
    Some([row, column, end_row, end_column])
}

/// Calls `visit` with the elements in a part of the workbook.
fn visit_elements(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    path: &str,
    visit: &mut dyn FnMut(&BytesStart<'_>),
) -> Result<(), FileError> {
    let is_part = |index: &usize| {
        let part = archive.name_for_index(*index).and_then(Result::ok);
        part.is_some_and(|part| part.eq_ignore_ascii_case(path))
    };
    let index = (0..archive.len()).find(is_part);
    let index = index.ok_or_else(|| broken(format!("it has no part {path}")))?;
    let part = archive.by_index(index).map_err(broken)?;
    let (mut xml, mut buffer) = (XmlReader::from_reader(BufReader::new(part)), Vec::new());
    loop {
        match xml.read_event_into(&mut buffer).map_err(broken)? {
            Event::Eof => return Ok(()),
            Event::Start(element) | Event::Empty(element) => visit(&element),
            Event::End(_)
            | Event::Text(_)
            | Event::CData(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_)
            | Event::GeneralRef(_) => {}
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

// OpenDocument.

/// Cells that a repetition may stand for; more are blank formatting.
const REPEATED_MAX: usize = 1_000;

/// The visible sheets with their rows, of all sheets the first two rows with cells, of `sheet` all.
fn read_open_document(
    packed: &[u8],
    sheet: Option<&str>,
    bounds: &mut Bounds<'_>,
) -> Result<Vec<(String, Vec<SheetRow>)>, FileError> {
    let mut archive = open_archive(packed)?;
    let part = archive.by_name("content.xml").map_err(broken)?;
    let (mut xml, mut buffer) = (XmlReader::from_reader(BufReader::new(part)), Vec::new());
    let mut reader = OpenDocument::default();
    loop {
        let event = xml.read_event_into(&mut buffer).map_err(broken)?;
        match event {
            Event::Eof => return Ok(reader.sheets),
            Event::Start(element) => reader.begin(&element, false, sheet, bounds)?,
            Event::Empty(element) => reader.begin(&element, true, sheet, bounds)?,
            Event::Text(text) if reader.is_in_paragraph && reader.text.len() <= TEXT_BYTES_MAX => {
                reader.text += &text.xml10_content();
            }
            Event::GeneralRef(reference) if reader.is_in_paragraph => {
                reader.text += &resolve(&reference);
            }
            Event::End(element) => reader.end(element.local_name().as_ref(), sheet, bounds)?,
            Event::Text(_)
            | Event::CData(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_)
            | Event::GeneralRef(_) => {}
        }
        buffer.clear();
    }
}

/// The character that a reference such as `&amp;` stands for.
fn resolve(reference: &quick_xml::events::BytesRef<'_>) -> String {
    let character = reference.resolve_char_ref().ok().flatten();
    character.map_or_else(
        || {
            let known = match &**reference {
                "amp" => "&",
                "lt" => "<",
                "gt" => ">",
                "quot" => "\"",
                "apos" => "'",
                _ => "",
            };
            known.to_owned()
        },
        String::from,
    )
}

#[derive(Default)]
struct OpenDocument {
    sheets: Vec<(String, Vec<SheetRow>)>,
    /// Styles of sheets that are not displayed.
    hidden_styles: Vec<String>,
    /// Styles of rows and columns without a height or width.
    flat_styles: Vec<String>,
    style: String,
    /// The groups around, and whether each is folded.
    groups: Vec<bool>,
    is_chosen: bool,
    is_in_paragraph: bool,
    number: u64,
    row_repeats: u64,
    column: usize,
    cell_repeats: usize,
    cells: Cells,
    value: Option<String>,
    text: String,
    /// The columns of the sheet that are hidden, from the first on.
    hidden_columns: Vec<usize>,
    columns: usize,
    is_row_hidden: bool,
}

impl OpenDocument {
    fn begin(
        &mut self,
        element: &BytesStart<'_>,
        is_empty: bool,
        sheet: Option<&str>,
        bounds: &mut Bounds<'_>,
    ) -> Result<(), FileError> {
        let name = element.local_name();
        let name: &str = name.as_ref();
        let repeats = |name| {
            attribute(element, name)
                .and_then(|it| it.parse::<u64>().ok())
                .unwrap_or(1)
        };
        let style = attribute(element, "style-name").unwrap_or_default();
        let is_hidden = attribute(element, "visibility").is_some_and(|it| it != "visible")
            || self.flat_styles.contains(&style)
            || self.groups.contains(&true);
        match name {
            "style" => self.style = attribute(element, "name").unwrap_or_default(),
            "table-properties" if attribute(element, "display").is_some_and(|it| it == "false") => {
                self.hidden_styles.push(std::mem::take(&mut self.style));
            }
            "table-row-properties" | "table-column-properties" => {
                let sizes = [
                    attribute(element, "row-height"),
                    attribute(element, "column-width"),
                ];
                let is_flat = |size: &String| {
                    size.starts_with('0') && !size.contains(|c| ('1'..='9').contains(&c))
                };
                if sizes.iter().flatten().any(is_flat) {
                    self.flat_styles.push(std::mem::take(&mut self.style));
                }
            }
            // Groups that are folded are not displayed.
            "table-row-group" | "table-column-group" | "table-header-rows" if !is_empty => {
                let display = attribute(element, "display");
                self.groups.push(display.is_some_and(|it| it == "false"));
            }
            "table" => {
                let title = attribute(element, "name").unwrap_or_default();
                self.is_chosen =
                    !self.hidden_styles.contains(&style) && sheet.is_none_or(|it| it == title);
                if self.is_chosen {
                    self.sheets.push((title, Vec::new()));
                }
                (self.number, self.columns) = (0, 0);
                self.hidden_columns.clear();
            }
            "table-column" => {
                let count =
                    usize::try_from(repeats("number-columns-repeated")).unwrap_or(COLUMNS_MAX);
                if is_hidden {
                    self.hidden_columns.push(self.columns);
                }
                self.columns += count.min(COLUMNS_MAX);
            }
            "table-row" => {
                self.number = self.number.saturating_add(1);
                self.row_repeats = repeats("number-rows-repeated").max(1);
                self.is_row_hidden = is_hidden;
                self.column = 0;
                self.cells = Cells::default();
            }
            "table-cell" | "covered-table-cell" => {
                self.cell_repeats =
                    usize::try_from(repeats("number-columns-repeated")).unwrap_or(COLUMNS_MAX);
                let kind = attribute(element, "value-type").unwrap_or_default();
                self.value = match kind.as_str() {
                    "float" | "currency" | "percentage" => attribute(element, "value"),
                    "date" => attribute(element, "date-value").map(|day| day.replace('T', " ")),
                    "boolean" => attribute(element, "boolean-value"),
                    _ => None,
                };
                self.text.clear();
                let spans =
                    repeats("number-columns-spanned") > 1 || repeats("number-rows-spanned") > 1;
                if spans && sheet.is_some() && self.is_chosen {
                    return Err(FileError::new(
                        "its sheet has merged cells; unmerge them and fill each cell, or save the sheet as CSV",
                    ));
                }
                if is_empty {
                    self.end_cell(bounds)?;
                }
            }
            "p" => {
                if !self.text.is_empty() {
                    self.text.push('\n');
                }
                self.is_in_paragraph = !is_empty;
            }
            "s" if self.is_in_paragraph => self.text.push(' '),
            "line-break" if self.is_in_paragraph => self.text.push('\n'),
            // What a person wrote about a cell is no part of it.
            "annotation" => self.is_in_paragraph = false,
            _ => {}
        }
        Ok(())
    }

    fn end(
        &mut self,
        name: &str,
        sheet: Option<&str>,
        bounds: &mut Bounds<'_>,
    ) -> Result<(), FileError> {
        match name {
            "p" => self.is_in_paragraph = false,
            "annotation" => self.text.clear(),
            "table-cell" | "covered-table-cell" => self.end_cell(bounds)?,
            "table-row" => self.end_row(sheet, bounds)?,
            "table-row-group" | "table-column-group" | "table-header-rows" => {
                self.groups.pop();
            }
            _ => {}
        }
        Ok(())
    }

    fn end_cell(&mut self, bounds: &mut Bounds<'_>) -> Result<(), FileError> {
        let text = self
            .value
            .take()
            .unwrap_or_else(|| std::mem::take(&mut self.text));
        let text = if text.len() > TEXT_BYTES_MAX {
            LONG
        } else {
            &text
        };
        if !text.trim().is_empty() && self.is_chosen {
            for _ in 0..self.cell_repeats.min(REPEATED_MAX) {
                if self.column >= COLUMNS_MAX {
                    return Err(too_many_columns());
                }
                self.cells.put(self.column, text);
                bounds.cell(false, text.len())?;
                self.cells.there.end = self.column + 1;
                self.column += 1;
            }
        } else {
            self.column = (self.column + self.cell_repeats).min(COLUMNS_MAX);
        }
        Ok(())
    }

    fn end_row(&mut self, sheet: Option<&str>, bounds: &mut Bounds<'_>) -> Result<(), FileError> {
        let cells = std::mem::take(&mut self.cells);
        let first = self.number;
        self.number = self.number.saturating_add(self.row_repeats - 1);
        let Some((_, rows)) = self.sheets.last_mut().filter(|_| self.is_chosen) else {
            return Ok(());
        };
        if cells.count() == 0 || sheet.is_none() && rows.len() == 2 {
            return Ok(());
        }
        let is_column_hidden = self.hidden_columns.iter().any(|at| *at < cells.there.end);
        if sheet.is_some() && (self.is_row_hidden || is_column_hidden) {
            let hidden = if self.is_row_hidden {
                "rows"
            } else {
                "columns"
            };
            return Err(FileError::new(format!(
                "its sheet has hidden {hidden}; clear the filter and show them, or save the sheet as CSV"
            )));
        }
        // To list the sheets, the header and a row below it are enough.
        let last = match sheet {
            Some(_) => self.number,
            None => self.number.min(first.saturating_add(1)),
        };
        for number in first..=last {
            bounds.row(cells.count(), cells.bytes())?;
            let mut copy = Cells::default();
            for (column, cell) in cells.all() {
                copy.put(column, cell);
            }
            copy.there = cells.there.clone();
            rows.push((number, copy));
        }
        Ok(())
    }
}

// Bounds of the archive.

/// Refuses a workbook that unpacks to more bytes than allowed, regardless of the sizes in its directory, or whose parser would reserve
/// more than it has.
fn check_unpacked(mut archive: ZipArchive<Cursor<&[u8]>>) -> Result<(), FileError> {
    let (mut left, mut tags) = (UNPACKED_BYTES_MAX, 0);
    for index in 0..archive.len() {
        let part = archive.by_index(index).map_err(broken)?;
        let name = part.name().map_err(broken)?.to_ascii_lowercase();
        let is_sheet = name.starts_with("xl/worksheets/") || name == "content.xml";
        let is_shared = name.ends_with("sharedstrings.xml");
        let bytes_max = left.min(PART_BYTES_MAX);
        let seen = PartSeen::of(part.take(bytes_max + 1))?;
        if !is_sheet {
            // Shared texts have at least two tags each, and take 24 bytes for one.
            tags += if is_shared { seen.tags / 20 } else { seen.tags };
        }
        let has_long_number = is_shared && seen.digits > 7;
        if seen.bytes > bytes_max || seen.run > RUN_BYTES_MAX || has_long_number || tags > TAGS_MAX
        {
            return Err(FileError::new(TOO_LARGE));
        }
        left -= seen.bytes;
    }
    Ok(())
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
    fn of(part: impl Read) -> Result<Self, FileError> {
        let (mut seen, mut run, mut digits, mut is_inside) = (Self::default(), 0, 0, false);
        let mut part = BufReader::with_capacity(64 << 10, part);
        loop {
            let bytes = part.fill_buf().map_err(broken)?;
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

fn broken(error: impl Display) -> FileError {
    FileError::new(format!(
        "the workbook cannot be read ({error}); save it as CSV and import that file"
    ))
}
