//! Workbooks of Excel (ECMA-376, `.xlsx`) and of `OpenDocument` (`.ods`): one sheet with its header in the first row that has cells, or in
//! the format's `header_row`. Every cell is a text, as displayed. Hidden sheets are not read; a table with hidden rows or columns is
//! refused.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::io::{BufReader, Cursor, Read as _};

use calamine::{DataRef, Reader as _, SheetType, SheetVisible, Xlsx};
use memchr::memmem;
use quick_xml::Reader as XmlReader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;

use crate::imports::fault::{FileError, Position};
use crate::imports::read::bytes::open_archive;
use crate::imports::read::text::ROWS_NEAR_HEADER;
use crate::imports::read::{Amount, Bounds, COLUMNS_MAX, Cells, NOT_CALCULATED, Table};
use crate::imports::value::text::TEXT_BYTES_MAX;

/// Maximum size of all its parts in bytes, unpacked, and of one part: the parser keeps all shared texts in memory.
const UNPACKED_BYTES_MAX: u64 = 256 << 20;
const PART_BYTES_MAX: u64 = 128 << 20;
/// Maximum number of bytes between two tags, which the parser reads at once. A text has at most 64 KiB, and `&#10;` is one byte of it.
const RUN_BYTES_MAX: usize = 6 << 20;
/// Maximum number of tags outside of the sheets: the parser keeps up to 512 bytes for each.
const TAGS_MAX: usize = 400_000;
/// A row of less height in points, and a column of less width, shows nothing.
const SIZE_MIN: f64 = 1.0;
const TOO_LARGE: &str =
    "the workbook is too large (at most 64 MiB packed and 256 MiB unpacked); save it as CSV";

/// A visible sheet.
#[derive(Debug, Default)]
pub struct Sheet {
    pub name: String,
    /// By their numbers from 1, those that have cells.
    rows: Vec<(u64, Cells)>,
    hidden_rows: Vec<u64>,
    /// The first ones, from 0.
    hidden_columns: Vec<usize>,
}

/// The visible sheets of a workbook.
///
/// # Errors
/// If it cannot be read, or is too large.
pub fn read_workbook(packed: &[u8], bounds: &mut Bounds<'_>) -> Result<Vec<Sheet>, FileError> {
    let archive = open_archive(packed)?;
    let is_excel = archive.index_for_name("xl/workbook.xml").is_some();
    check_unpacked(archive)?;
    let mut sheets = if is_excel {
        read_excel(packed, bounds)?
    } else {
        read_open_document(packed, bounds)?
    };
    for sheet in &mut sheets {
        sheet.rows.sort_by_key(|(number, _)| *number);
        for (_, cells) in &mut sheet.rows {
            cells.finish();
        }
    }
    Ok(sheets)
}

/// The columns of a sheet of Excel.
const SHEET_COLUMNS: usize = 16_384;

impl Sheet {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// Adds a cell that is not blank to its row.
    fn put(
        &mut self,
        number: u64,
        column: usize,
        text: &str,
        bounds: &mut Bounds<'_>,
    ) -> Result<(), FileError> {
        if text.trim().is_empty() {
            // Styled cells may stand in all columns of a sheet.
            let columns = column / SHEET_COLUMNS * SHEET_COLUMNS;
            return bounds.count(Amount {
                columns,
                ..Amount::default()
            });
        }
        let is_new = self.rows.last().is_none_or(|(last, _)| *last != number);
        // A longer text is not kept.
        let kept = Some(text.len()).filter(|bytes| *bytes <= TEXT_BYTES_MAX);
        bounds.count(Amount {
            rows: u64::from(is_new),
            columns: column + 1,
            cells: 1,
            bytes: kept.unwrap_or_default(),
        })?;
        if is_new {
            self.rows.push((number, Cells::default()));
        }
        if let Some((_, cells)) = self.rows.last_mut() {
            cells.put(column, text);
            cells.width = cells.width.max(column + 1);
        }
        Ok(())
    }

    /// The rows from the header on: the first one that has cells, or the one that is named.
    fn rows_from(&self, header_row: Option<u64>) -> &[(u64, Cells)] {
        let first = header_row.unwrap_or(1);
        let above = self.rows.partition_point(|(number, _)| *number < first);
        &self.rows[above..]
    }

    pub fn header(&self, header_row: Option<u64>) -> Vec<String> {
        let first = self.rows_from(header_row).first();
        first.map(|(_, cells)| cells.texts()).unwrap_or_default()
    }

    /// The first rows, for advice.
    pub fn rows_near_header(&self) -> Vec<(u64, Vec<String>)> {
        let near = self.rows.iter().take(ROWS_NEAR_HEADER);
        near.map(|(number, cells)| (*number, cells.texts()))
            .collect()
    }

    /// The number of rows below the first.
    pub fn count_rows(&self) -> usize {
        self.rows.len().saturating_sub(1)
    }

    /// # Errors
    /// If it has hidden rows or columns.
    pub fn into_table(mut self, header_row: Option<u64>) -> Result<Table, FileError> {
        let name = &self.name;
        let below = self.rows_from(header_row).len();
        let rows = self.rows.split_off(self.rows.len() - below);
        let mut rows = rows.into_iter();
        let found = rows.next();
        let found = found.filter(|row| header_row.is_none_or(|it| row.0 == it));
        let Some((header_row, header)) = found else {
            return Err(FileError::new(format!(
                "its sheet \"{name}\" has no row {}; name the row of the header as `header_row` in the source's format",
                header_row.unwrap_or(1)
            )));
        };
        self.refuse_hidden(header_row, rows.as_slice(), header.width)?;
        let mut table = Table {
            columns: header.texts(),
            place: match header_row {
                1 => format!(", sheet \"{name}\""),
                _ => format!(", sheet \"{name}\", header in row {header_row}"),
            },
            ..Table::default()
        };
        for (number, mut cells) in rows {
            // Trailing blank cells are not stored, and notes may stand beside the table.
            let count = cells.width.max(table.columns.len());
            cells.width = count;
            table.columns.resize(count, String::new());
            table.push(Position::Line(number), cells, None);
        }
        table.name_columns();
        Ok(table)
    }

    fn refuse_hidden(
        &self,
        header_row: u64,
        rows: &[(u64, Cells)],
        width: usize,
    ) -> Result<(), FileError> {
        let widths = rows.iter().map(|(_, cells)| cells.width);
        let width = widths.fold(width, usize::max);
        let mut hidden = self.hidden_rows.iter();
        let (fault, advice) = if hidden.any(|number| {
            *number == header_row || rows.binary_search_by_key(number, |row| row.0).is_ok()
        }) {
            ("hidden rows", "clear the filter and show them")
        } else if self.hidden_columns.iter().any(|first| *first < width) {
            ("hidden columns", "show them")
        } else {
            return Ok(());
        };
        Err(FileError::new(format!(
            "its sheet \"{}\" has {fault}; {advice}, or save the sheet as CSV",
            self.name
        )))
    }
}

// Excel.

fn read_excel(packed: &[u8], bounds: &mut Bounds<'_>) -> Result<Vec<Sheet>, FileError> {
    let mut book = Xlsx::new(Cursor::new(packed)).map_err(broken)?;
    let mut archive = open_archive(packed)?;
    let parts = sheet_parts(&mut archive)?;
    let all = book.sheets_metadata().to_vec();
    let mut sheets = Vec::new();
    for (place, known) in all.iter().enumerate() {
        // Others are charts and dialogs.
        if known.typ != SheetType::WorkSheet || known.visible != SheetVisible::Visible {
            continue;
        }
        let mut sheet = Sheet::new(&known.name);
        sheet.note_hidden(&mut archive, parts.get(place).map_or("", String::as_str))?;
        let mut reader = book.worksheet_cells_reader(&known.name).map_err(broken)?;
        // Shared formulas are not expanded: a cell may name any of four billion.
        while let Some(cell) = reader.next_cell_with_formula_metadata().map_err(broken)? {
            let text = match (&cell.value, cell.formula) {
                (DataRef::Empty, Some(_)) => NOT_CALCULATED.into(),
                (value, _) => displayed(value),
            };
            let (number, column) = (u64::from(cell.pos.0) + 1, cell.pos.1 as usize);
            sheet.put(number, column, &text, bounds)?;
        }
        sheets.push(sheet);
    }
    Ok(sheets)
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

/// The paths of the parts with the sheets, in their order.
fn sheet_parts(archive: &mut ZipArchive<Cursor<&[u8]>>) -> Result<Vec<String>, FileError> {
    let (mut targets, mut parts) = (HashMap::new(), Vec::new());
    visit_elements(archive, "xl/_rels/workbook.xml.rels", |target| {
        targets.insert(attribute(target, "Id"), attribute(target, "Target"));
    })?;
    visit_elements(archive, "xl/workbook.xml", |sheet| {
        if sheet.local_name().as_ref() == "sheet" {
            let target = targets.get(&attribute(sheet, "id")).cloned().flatten();
            let part = target.unwrap_or_default();
            // From the archive's root, or from the folder of the workbook.
            let from_root = part.strip_prefix('/').map(str::to_owned);
            parts.push(from_root.unwrap_or_else(|| format!("xl/{part}")));
        }
    })?;
    Ok(parts)
}

impl Sheet {
    /// Notes what the sheet hides, which the parser does not tell.
    fn note_hidden(
        &mut self,
        archive: &mut ZipArchive<Cursor<&[u8]>>,
        part: &str,
    ) -> Result<(), FileError> {
        let (mut number, mut are_hidden) = (0, false);
        visit_elements(archive, part, |element| {
            let value = |name| {
                let value = attribute(element, name).unwrap_or_default();
                value.trim().to_owned()
            };
            let is_set = |name| !matches!(&*value(name), "" | "0" | "false" | "off");
            // In points, or in characters.
            let is_flat = |name| value(name).parse().is_ok_and(|size: f64| size < SIZE_MIN);
            let is_hidden = is_set("hidden");
            match element.local_name().as_ref() {
                "sheetFormatPr" => {
                    are_hidden = is_set("zeroHeight") || is_flat("defaultRowHeight");
                    if is_flat("defaultColWidth") {
                        self.hidden_columns.push(0);
                    }
                }
                "col" if is_hidden || is_flat("width") => {
                    let first: usize = value("min").parse().unwrap_or(1);
                    self.hidden_columns.push(first.saturating_sub(1));
                }
                "row" => {
                    number = value("r").parse().unwrap_or(number + 1);
                    // A row may differ from the others.
                    let is_like_others = value("hidden").is_empty() && value("ht").is_empty();
                    if is_hidden || is_flat("ht") || are_hidden && is_like_others {
                        self.hidden_rows.push(number);
                    }
                }
                _ => {}
            }
        })
    }
}

/// Calls `visit` with the elements in a part of the workbook.
fn visit_elements(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    path: &str,
    mut visit: impl FnMut(&BytesStart<'_>),
) -> Result<(), FileError> {
    visit_events(archive, path, |event| {
        if let Event::Start(element) = event {
            visit(&element);
        }
        Ok(())
    })
}

/// Calls `visit` with the events in a part of the workbook.
fn visit_events(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    path: &str,
    mut visit: impl FnMut(Event<'_>) -> Result<(), FileError>,
) -> Result<(), FileError> {
    let index = (0..archive.len()).find(|index| {
        let part = archive.name_for_index(*index).and_then(Result::ok);
        part.is_some_and(|part| part.eq_ignore_ascii_case(path))
    });
    let index = index.ok_or_else(|| broken(format!("it has no part {path}")))?;
    let part = archive.by_index(index).map_err(broken)?;
    let (mut xml, mut buffer) = (XmlReader::from_reader(BufReader::new(part)), Vec::new());
    xml.config_mut().expand_empty_elements = true;
    loop {
        let event = xml.read_event_into(&mut buffer).map_err(broken)?;
        if event == Event::Eof {
            return Ok(());
        }
        visit(event)?;
        buffer.clear();
    }
}

/// The value of an attribute, by its name without the prefix.
fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes();
    let mut read = attributes.with_checks(false).flatten();
    let found = read.find(|it| it.key.local_name().as_ref() == name)?;
    let text = unescape(&found.value).map(Cow::into_owned);
    Some(text.unwrap_or_else(|_| found.value.into_owned()))
}

// OpenDocument.

fn read_open_document(packed: &[u8], bounds: &mut Bounds<'_>) -> Result<Vec<Sheet>, FileError> {
    let mut archive = open_archive(packed)?;
    let mut reader = OpenDocument::default();
    // The styles that those of the content build upon.
    if archive.index_for_name("styles.xml").is_some() {
        visit_elements(&mut archive, "styles.xml", |element| {
            reader.note_style(element);
        })?;
    }
    visit_events(&mut archive, "content.xml", |event| {
        let is_text = reader.is_in_paragraph && reader.text.len() <= TEXT_BYTES_MAX;
        if let Event::Start(element) = &event {
            reader.begin(element);
        } else if let Event::End(element) = &event {
            reader.end(element.local_name().as_ref(), bounds)?;
        } else if let Event::Text(text) = &event
            && is_text
        {
            reader.text += &text.xml10_content();
        } else if let Event::GeneralRef(reference) = &event
            && is_text
        {
            let reference = format!("&{};", &**reference);
            reader.text += &unescape(&reference).unwrap_or_default();
        }
        Ok(())
    })?;
    Ok(reader.sheets)
}

/// The elements whose style may hide them.
const STYLED: [&str; 3] = ["table", "table-row", "table-column"];
/// The units of lengths, in points.
const UNITS: [(&str, f64); 6] = [
    ("cm", 28.35),
    ("mm", 2.835),
    ("in", 72.0),
    ("pt", 1.0),
    ("pc", 12.0),
    ("px", 0.75),
];

/// Whether a length shows nothing.
fn is_flat(length: &str) -> bool {
    let mut units = UNITS.iter();
    let length = length.trim();
    let points = units.find_map(|(unit, points)| {
        let number: f64 = length.strip_suffix(unit)?.trim().parse().ok()?;
        Some(number * points)
    });
    points.is_some_and(|points| points < SIZE_MIN)
}

#[derive(Default)]
struct OpenDocument {
    sheets: Vec<Sheet>,
    /// The sheet that is read; `None` of one that is not displayed.
    sheet: Option<Sheet>,
    /// The styles of sheets, rows and columns that are not displayed, each after the element that it is of.
    hidden_styles: HashSet<(&'static str, String)>,
    /// The style that is read, and the one that it builds upon; empty of a default one.
    style: String,
    parent_style: String,
    /// Of the groups of rows or columns around, whether each is folded.
    groups: Vec<bool>,
    is_in_paragraph: bool,
    /// The columns before the next.
    columns: usize,
    number: u64,
    row_repeats: u64,
    is_row_hidden: bool,
    column: usize,
    cell_repeats: usize,
    cells: Vec<(usize, String)>,
    value: Option<String>,
    text: String,
}

impl OpenDocument {
    /// Notes whether a style hides what has it.
    fn note_style(&mut self, element: &BytesStart<'_>) {
        let value = |name| attribute(element, name).unwrap_or_default();
        let (kind, said) = match element.local_name().as_ref() {
            "style" | "default-style" => {
                self.style = value("name");
                self.parent_style = value("parent-style-name");
                for kind in STYLED {
                    if self.is_hidden_by(kind, &self.parent_style) {
                        self.hidden_styles.insert((kind, self.style.clone()));
                    }
                }
                return;
            }
            "table-properties" => (STYLED[0], value("display")),
            "table-row-properties" => (STYLED[1], value("row-height")),
            "table-column-properties" => (STYLED[2], value("column-width")),
            _ => return,
        };
        let style = (kind, self.style.clone());
        if said == "false" || is_flat(&said) {
            self.hidden_styles.insert(style);
        } else if !said.is_empty() {
            self.hidden_styles.remove(&style);
        }
    }

    fn is_hidden_by(&self, kind: &'static str, style: &str) -> bool {
        self.hidden_styles.contains(&(kind, style.to_owned()))
    }

    fn begin(&mut self, element: &BytesStart<'_>) {
        self.note_style(element);
        let name = element.local_name();
        let columns = attribute(element, "number-columns-repeated");
        let columns = columns.and_then(|it| it.parse().ok()).unwrap_or(1);
        let columns = COLUMNS_MAX.min(columns);
        let style = attribute(element, "style-name").unwrap_or_default();
        let is_folded = attribute(element, "display").is_some_and(|it| it == "false");
        let mut kinds = STYLED.into_iter();
        let kind = kinds.find(|kind| *kind == name.as_ref());
        let is_hidden_by_style = kind.is_some_and(|kind| self.is_hidden_by(kind, &style));
        let is_hidden = attribute(element, "visibility").is_some_and(|it| it != "visible")
            || is_hidden_by_style
            || self.groups.contains(&true);
        match name.as_ref() {
            "table" => {
                let title = attribute(element, "name").unwrap_or_default();
                let is_shown = !is_hidden_by_style;
                self.sheet = is_shown.then(|| Sheet::new(&title));
                (self.number, self.columns) = (0, 0);
            }
            "table-row-group" | "table-column-group" => self.groups.push(is_folded),
            "table-column" => {
                let first = self.columns;
                self.columns += columns;
                if let Some(sheet) = self.sheet.as_mut().filter(|_| is_hidden) {
                    sheet.hidden_columns.push(first);
                }
            }
            "table-row" => {
                self.number = self.number.saturating_add(1);
                let rows = attribute(element, "number-rows-repeated");
                self.row_repeats = rows.and_then(|it| it.parse().ok()).unwrap_or(1).max(1);
                self.is_row_hidden = is_hidden;
                self.column = 0;
            }
            "table-cell" | "covered-table-cell" => {
                self.cell_repeats = columns;
                let values = ["value", "date-value", "boolean-value"].iter();
                let mut values = values.filter_map(|name| attribute(element, name));
                self.value = values.next().map(|value| value.replace('T', " "));
                self.text.clear();
            }
            "p" => {
                if !self.text.is_empty() {
                    self.text.push('\n');
                }
                self.is_in_paragraph = true;
            }
            "s" if self.is_in_paragraph => self.text.push(' '),
            "line-break" if self.is_in_paragraph => self.text.push('\n'),
            // What a person wrote about a cell is no part of it.
            "annotation" => self.is_in_paragraph = false,
            _ => {}
        }
    }

    fn end(&mut self, name: &str, bounds: &mut Bounds<'_>) -> Result<(), FileError> {
        match name {
            "p" => self.is_in_paragraph = false,
            "annotation" => self.text.clear(),
            "table" => self.sheets.extend(self.sheet.take()),
            "table-row-group" | "table-column-group" => drop(self.groups.pop()),
            "table-cell" | "covered-table-cell" => {
                let text = std::mem::take(&mut self.text);
                let text = self.value.take().unwrap_or(text);
                let end = (self.column + self.cell_repeats).min(COLUMNS_MAX + 1);
                if !text.trim().is_empty() {
                    self.cells
                        .extend((self.column..end).map(|column| (column, text.clone())));
                }
                self.column = end;
                bounds.count(Amount::default())?;
            }
            "table-row" => {
                let cells = std::mem::take(&mut self.cells);
                bounds.count(Amount::default())?;
                let first = self.number;
                self.number = first.saturating_add(self.row_repeats - 1);
                let sheet = self.sheet.as_mut().filter(|_| !cells.is_empty());
                let Some(sheet) = sheet else { return Ok(()) };
                if self.is_row_hidden {
                    sheet.hidden_rows.push(first);
                }
                for number in first..=self.number {
                    for (column, text) in &cells {
                        sheet.put(number, *column, text, bounds)?;
                    }
                }
            }
            _ => {}
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
        let mut bytes = Vec::new();
        let read = part.take(bytes_max + 1).read_to_end(&mut bytes);
        let read = read.map_err(broken)? as u64;
        let (mut count, mut is_large) = (0, read > bytes_max);
        for run in bytes.split(|byte| *byte == b'<') {
            count += 1;
            is_large |= run.len() > RUN_BYTES_MAX || is_shared && reserves_millions(run);
        }
        if !is_sheet {
            // Shared texts have at least two tags each, and take 24 bytes for one.
            tags += if is_shared { count / 20 } else { count };
        }
        if is_large || tags > TAGS_MAX {
            return Err(FileError::new(TOO_LARGE));
        }
        left -= read;
    }
    Ok(())
}

/// Whether a tag says that there are millions of shared texts, for which the parser reserves memory at once.
fn reserves_millions(tag: &[u8]) -> bool {
    let tag = tag.split(|byte| *byte == b'>').next().unwrap_or_default();
    let mut numbers = tag.split(|byte| !byte.is_ascii_digit());
    memmem::find(tag, b"uniqueCount").is_some() && numbers.any(|digits| digits.len() > 7)
}

fn broken(error: impl Display) -> FileError {
    FileError::new(format!(
        "the workbook cannot be read ({error}); save it as CSV and import that file"
    ))
}
