//! A file by its parts: the sheets of a workbook, the lists of a document of JSON, a text below its header, or the structured data of a
//! page. The names of the columns of a part say which format the file has, and by that one part is read as a table.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::imports::detect::{Kind, check_header, kind_of_text, refuse_text};
use crate::imports::fault::FileError;
use crate::imports::format::{Format, Reader};
use crate::imports::native::{columns_of_table, is_native_record};
use crate::imports::part::FilePart;
use crate::imports::platforms::{DOCUMENT, NATIVE};
use crate::imports::read::json::{JsonText, RawRow, RowList};
use crate::imports::read::text::{Decoded, describe_damage, find_header, read_text};
use crate::imports::read::workbook::{Sheet, read_workbook};
use crate::imports::read::{Bounds, Table, page};
use crate::model::fold;
use crate::model::json::{member, visit};

/// An opened file.
pub struct OpenedFile<'t> {
    content: FileContent<'t>,
    pub parts: Vec<FilePart>,
    pub own_form: Option<OwnForm>,
    /// A sentence for the owner about its letters.
    pub note: Option<String>,
}

enum FileContent<'t> {
    Workbook(Vec<Sheet>),
    Json(JsonText<'t>),
    Page(&'t str),
    Text(&'t Decoded<'t>),
}

/// Our own form in JSON.
pub struct OwnForm {
    pub format: Arc<Format>,
    /// The list of its records; `None` if it has none.
    list: Option<usize>,
    /// Whether no other file is like it.
    pub is_certain: bool,
}

/// The part of a document that is read.
pub struct FoundPart {
    number: usize,
    /// The names of those that may be meant, if several may.
    pub candidates: Vec<String>,
}

impl<'t> OpenedFile<'t> {
    /// # Errors
    /// If it cannot be read, or has no visible sheet.
    pub fn of_workbook(
        packed: &[u8],
        header_row: Option<u64>,
        bounds: &mut Bounds<'_>,
    ) -> Result<Self, FileError> {
        let mut sheets = read_workbook(packed, bounds)?;
        sheets.retain(|sheet| !sheet.header(header_row).is_empty());
        // Without rows in any sheet, it is an import of nothing.
        if sheets.iter().any(|sheet| sheet.has_rows(header_row)) {
            sheets.retain(|sheet| sheet.has_rows(header_row));
        } else {
            sheets.truncate(1);
        }
        let shape = |sheet: &Sheet| FilePart::new(&sheet.name, sheet.header(header_row), 1, true);
        let parts: Vec<FilePart> = sheets.iter().map(shape).collect();
        if parts.is_empty() {
            return Err(FileError::new("has no visible sheet with rows"));
        }
        Self::new(FileContent::Workbook(sheets), parts, None)
    }

    /// A file that is no archive; `None` if there is nothing in it.
    ///
    /// # Errors
    /// If it is no file of reviews, with what it is and what to give instead.
    pub fn of_text(
        decoded: &'t Decoded<'t>,
        header_row: Option<u64>,
    ) -> Result<Option<Self>, FileError> {
        let text = &*decoded.text;
        let kind = kind_of_text(text);
        refuse_text(kind, text)?;
        let document = match kind {
            Kind::Nothing => return Ok(None),
            Kind::Json => {
                let json = JsonText::of(text, decoded.is_damaged)?;
                let is_empty = |it: &str| is_empty_document(it) && !is_own_document(it);
                if json.lists.len() == 1 && json.document().is_some_and(is_empty) {
                    return Ok(None);
                }
                let lists = json.lists.iter();
                let shape = |list: &RowList<'_>| {
                    FilePart::new(&list.path, list.names(), list.elements.len(), false)
                };
                let parts: Vec<FilePart> = lists.map(shape).collect();
                let own_form = find_own_form(&json, &parts);
                Self::new(FileContent::Json(json), parts, own_form)?
            }
            Kind::Page => {
                decoded.check_whole()?;
                Self::new(FileContent::Page(text.trim()), Vec::new(), None)?
            }
            Kind::Text => {
                let header = find_header(text, header_row);
                let columns = header.into_iter().flat_map(|header| header.cells);
                let columns = columns.map(|cell| cell.trim().to_owned());
                let parts = vec![FilePart::new("", columns, 1, true)];
                Self::new(FileContent::Text(decoded), parts, None)?
            }
        };
        let note = (!decoded.is_unknown).then(|| describe_damage(text));
        Ok(Some(Self {
            note: note.flatten(),
            ..document
        }))
    }

    fn new(
        content: FileContent<'t>,
        parts: Vec<FilePart>,
        own_form: Option<OwnForm>,
    ) -> Result<Self, FileError> {
        let is_own = |part: &FilePart| {
            columns_of_table().all(|name| part.columns.iter().any(|it| it == name))
        };
        if parts.iter().any(is_own) {
            return Err(FileError::new(
                "is a table that `reviews export` wrote for spreadsheets, which is not read back; export as JSON Lines, and import that file",
            ));
        }
        Ok(Self {
            content,
            parts,
            own_form,
            note: None,
        })
    }

    pub const fn is_page(&self) -> bool {
        matches!(self.content, FileContent::Page(_))
    }

    /// The native records of a file that has our own form, or is to be read so.
    ///
    /// # Errors
    /// If it is no JSON.
    pub fn records(&self, format: &Format) -> Result<Vec<RawRow>, FileError> {
        let FileContent::Json(json) = &self.content else {
            return Err(unreadable(format));
        };
        let list = match &self.own_form {
            Some(form) => form.list,
            None => Some(usize::from(json.lists.len() > 1)),
        };
        let rows = list.into_iter().flat_map(|list| json.rows(list));
        Ok(rows.collect())
    }

    /// The business in another instance's `/reviews.json`, as JSON.
    pub fn business(&self) -> Option<&'t str> {
        let FileContent::Json(json) = &self.content else {
            return None;
        };
        member(json.document()?, "business")
    }

    /// The part that is read: the one that the format names or whose columns it knows, else the only one that may have reviews. `base` is
    /// the built-in format in it, if there is one.
    ///
    /// # Errors
    /// If there is none.
    pub fn find_part(
        &self,
        format: &Format,
        base: Option<&Format>,
    ) -> Result<FoundPart, FileError> {
        let (named, noun, first) = match &self.content {
            FileContent::Workbook(_) => (&format.sheet, "sheet", 0),
            FileContent::Json(json) => {
                (&format.rows, "list", usize::from(json.document().is_some()))
            }
            FileContent::Page(_) | FileContent::Text(_) => (&None, "", 0),
        };
        let one = |number| FoundPart {
            number,
            candidates: Vec::new(),
        };
        let mut numbers = first..self.parts.len();
        if let Some(name) = named {
            let found = numbers
                .clone()
                .find(|it| fold(&self.parts[*it].place) == fold(name));
            return found.map(one).ok_or_else(|| {
                let names: Vec<&str> = numbers.map(|it| self.parts[it].place.as_str()).collect();
                FileError::new(format!(
                    "has no {noun} {name:?} with rows, which the source's format names; there are {}",
                    names.join(", ")
                ))
            });
        }
        let is_read = |number: &usize| match base {
            Some(base) => self.parts[*number].has_keys(base),
            None => self.parts[*number].fits(format),
        };
        // Of the lists in a document the one with most rows; of equal ones `max_by_key` takes the last.
        let found = (0..self.parts.len()).rev().filter(is_read);
        let found = found.max_by_key(|number| match number {
            0 => usize::MAX,
            number => self.parts[*number].rows,
        });
        if let Some(number) = found {
            return Ok(one(number));
        }
        let candidates = match &self.content {
            FileContent::Json(_) => self.lists_of_reviews(first),
            FileContent::Page(_) => vec![0],
            FileContent::Workbook(_) | FileContent::Text(_) => numbers.by_ref().collect(),
        };
        let fields = |number: &usize| self.parts[*number].core_fields();
        match candidates.as_slice() {
            [] => Err(FileError::new(
                "is JSON without a list of objects; give a list of reviews, or one review in each line",
            )),
            [number] => Ok(one(*number)),
            several => Ok(FoundPart {
                number: several
                    .iter()
                    .copied()
                    .rev()
                    .max_by_key(fields)
                    .unwrap_or(0),
                candidates: several
                    .iter()
                    .map(|it| self.parts[*it].place.clone())
                    .collect(),
            }),
        }
    }

    /// The outermost lists with names of a review; without any, the outermost of all. A document that is one review has none.
    fn lists_of_reviews(&self, first: usize) -> Vec<usize> {
        let parts = &self.parts;
        let is_inside = |inner: usize, outer: usize| {
            let outer = &parts[outer].place;
            let rest = parts[inner].place.strip_prefix(outer);
            let is_below = |rest: &str| rest.starts_with(['.', '[']) || outer.is_empty();
            rest.is_some_and(|rest| !rest.is_empty() && is_below(rest))
        };
        let all = first..parts.len();
        let mut known: Vec<usize> = all
            .clone()
            .filter(|it| parts[*it].core_fields() > 1)
            .collect();
        if known.is_empty() {
            known = all.collect();
        }
        if known.is_empty() && parts[0].core_fields() > 1 {
            return vec![0];
        }
        let is_outermost = |list: &usize| !known.iter().any(|outer| is_inside(*list, *outer));
        known.iter().copied().filter(is_outermost).collect()
    }

    /// A part as a table.
    ///
    /// # Errors
    /// If it is no table that the format can read.
    pub fn table(
        &mut self,
        part: &FoundPart,
        format: &Format,
        bounds: &mut Bounds<'_>,
    ) -> Result<Table, FileError> {
        let is_linked = format.reader == Reader::LinkedData;
        match &mut self.content {
            FileContent::Page(text) if is_linked => page::reviews_of_page(text, format, bounds),
            FileContent::Json(json) if is_linked => page::reviews_of_document(json, format, bounds),
            FileContent::Json(json) => json.table(part.number, format, bounds),
            FileContent::Workbook(sheets) if !is_linked => {
                let table = sheets
                    .swap_remove(part.number)
                    .into_table(format.header_row)?;
                let mut cells = table.rows.iter().flat_map(|row| row.cells.all());
                self.note = cells.find_map(|(_, cell)| describe_damage(cell));
                drop(cells);
                Ok(table)
            }
            FileContent::Text(decoded) if !is_linked => {
                let header = find_header(&decoded.text, format.header_row).ok_or_else(|| {
                    FileError::new(format!(
                        "has no row {} among its first rows; correct header_row in the source's format",
                        format.header_row.unwrap_or(1)
                    ))
                })?;
                check_header(&decoded.text, &header, format.header_row.is_some())?;
                read_text(&decoded.text, decoded.is_damaged, &header, bounds)
            }
            FileContent::Page(_) | FileContent::Workbook(_) | FileContent::Text(_) => {
                Err(unreadable(format))
            }
        }
    }
}

fn unreadable(format: &Format) -> FileError {
    FileError::new(format!(
        "cannot be read as {}; leave --format out",
        format.name
    ))
}

/// The list of native records, if that is what a text of JSON has.
fn find_own_form(json: &JsonText<'_>, parts: &[FilePart]) -> Option<OwnForm> {
    let of = |format: &Arc<Format>, list, is_certain| {
        Some(OwnForm {
            format: Arc::clone(format),
            list,
            is_certain,
        })
    };
    let Some(document) = json.document() else {
        let lines = &json.lists[0].elements;
        // The faults of lines that are no objects are those of rows.
        let is_certain = lines.first().is_some_and(|line| begins_export(line))
            || json.is_lines() && parts[0].columns.is_empty();
        if is_certain || are_native(lines) {
            return of(&NATIVE, Some(0), is_certain);
        }
        return None;
    };
    if is_own_document(document) {
        return of(&DOCUMENT, json.find("reviews"), true);
    }
    let is_certain = begins_export(document);
    if is_certain || document.starts_with('{') && is_native_record(document) {
        return of(&NATIVE, Some(0), is_certain);
    }
    let mut members = 0;
    visit(document, |_, _| {
        members += 1;
        ControlFlow::<()>::Continue(())
    });
    // What stands beside a list may hide its rows.
    let place = match (document.starts_with('{'), members) {
        (false, _) => "",
        (true, 1) => "reviews",
        (true, _) => return None,
    };
    let list = json.find(place)?;
    if are_native(&json.lists[list].elements) {
        return of(&NATIVE, Some(list), false);
    }
    None
}

fn are_native(rows: &[&str]) -> bool {
    !rows.is_empty() && rows.iter().all(|row| is_native_record(row))
}

/// Whether a line is the first one of an export.
fn begins_export(line: &str) -> bool {
    member(line, "reviews").is_none()
        && (member(line, "editorial").is_some()
            || member(line, "business").is_some_and(|it| member(it, "publish_staff").is_some()))
}

/// Whether a document is another instance's `/reviews.json`: no other one has the withheld reviews beside the rating, which lacks
/// its value where there is no review.
fn is_own_document(document: &str) -> bool {
    ["aggregate_rating", "withheld"]
        .iter()
        .all(|name| member(document, name).is_some_and(|value| value.starts_with('{')))
}

/// Whether a document is an export without rows: an empty list or object, or one that has an empty list and no error. An answer of a
/// failed request is none.
fn is_empty_document(document: &str) -> bool {
    let is_list = |value: &str| {
        let mut list = value.chars().filter(|c| !c.is_whitespace());
        list.next() == Some('[') && list.all(|c| matches!(c, '[' | ']'))
    };
    let (mut has_empty, mut has_rows, mut says_error) = (false, false, false);
    visit(document, |name, value| {
        has_empty |= is_list(value) || name == "totalReviewCount" && value == "0";
        has_rows |= value.starts_with('[') && !is_list(value);
        says_error |= match name {
            "error" | "errors" => !matches!(value, "null" | "false" | "\"\"" | "[]" | "{}"),
            "success" => value == "false",
            _ => false,
        };
        ControlFlow::<()>::Continue(())
    });
    is_list(document)
        || document == "{}"
        || document.starts_with('{') && has_empty && !has_rows && !says_error
}
