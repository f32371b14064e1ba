//! A file by its parts: the sheets of a workbook, the lists of a document of JSON, a text below its header, or the structured data of a
//! page. The names of the columns of a part say which format the file has, and by that one part is read as a table.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::imports::detect::{Kind, check_header, kind_of_text, refuse_text};
use crate::imports::draft::named_field;
use crate::imports::fault::{FileError, Position};
use crate::imports::format::{Format, Names, Reader, ReviewField, column_key, is_inside};
use crate::imports::native::{columns_of_table, native_row};
use crate::imports::platforms::{DOCUMENT, NATIVE};
use crate::imports::read::json::{RowList, read_lists};
use crate::imports::read::text::{Decoded, describe_damage, find_header, read_text};
use crate::imports::read::workbook::{Sheet, read_workbook};
use crate::imports::read::{Bounds, Table, page};
use crate::model::fold;
use crate::model::json::{member, visit};

/// An opened file.
pub struct OpenedFile<'t> {
    /// At least one.
    pub parts: Vec<FilePart<'t>>,
    /// Its text, if it is one document of JSON.
    document: Option<&'t str>,
    pub own_form: Option<OwnForm>,
    /// A sentence for the owner about its letters.
    pub note: Option<String>,
}

/// A part of a file, of which only the names of its columns are known.
pub struct FilePart<'t> {
    /// The path of a list, or the name of a sheet.
    place: String,
    /// Those of a sheet or a text in its first row.
    names: ColumnNames,
    content: PartContent<'t>,
}

enum PartContent<'t> {
    Sheet(Sheet),
    List(RowList<'t>),
    Text(&'t str),
    Page(&'t str),
}

/// The names of the columns of a part.
#[derive(Clone)]
struct ColumnNames {
    columns: Vec<String>,
    keys: HashSet<String>,
}

/// Our own form in JSON.
pub struct OwnForm {
    pub format: Arc<Format>,
    /// Whether no other file is like it.
    pub is_certain: bool,
}

impl<'t> FilePart<'t> {
    fn new(
        place: &str,
        columns: impl IntoIterator<Item = String>,
        content: PartContent<'t>,
    ) -> Self {
        Self {
            place: place.to_owned(),
            names: ColumnNames::new(columns),
            content,
        }
    }

    const fn list(&self) -> Option<&RowList<'t>> {
        match &self.content {
            PartContent::List(list) => Some(list),
            PartContent::Sheet(_) | PartContent::Text(_) | PartContent::Page(_) => None,
        }
    }

    /// The names of its columns, in the row that the format names.
    fn names_by(&self, format: &Format) -> Cow<'_, ColumnNames> {
        let columns = match (&self.content, format.header_row) {
            (PartContent::Sheet(sheet), row @ Some(_)) => sheet.header(row),
            (PartContent::Text(text), row @ Some(_)) => {
                let header = find_header(text, row);
                header.map(|header| header.cells).unwrap_or_default()
            }
            (_, _) => return Cow::Borrowed(&self.names),
        };
        Cow::Owned(ColumnNames::new(columns))
    }

    /// Whether it has all names of one of the format's lists; a table of somebody else may have a few of them.
    pub fn has_keys(&self, format: &Format) -> bool {
        let has = |name: &str| self.names.has(name);
        let has_field = |field| format.column_names(field).into_iter().any(has);
        let is_whole = self.list().is_some()
            || format.reader == Reader::Columns
                && (has_field(ReviewField::Rating) || has_field(ReviewField::Recommended))
                && has_field(ReviewField::Date)
                && has_field(ReviewField::Text);
        let mut keys = format.keys.iter();
        is_whole && keys.any(|set| set.split(", ").all(has))
    }

    /// Whether it has the columns that an owner's format needs, but perhaps not those of publication.
    pub fn fits(&self, format: &Format) -> bool {
        self.names_by(format).fit(format)
    }

    /// Whether its first row, or that which the format names, has the columns that the format needs.
    pub fn may_be_of(&self, format: &Format) -> bool {
        self.names.fit(format) || self.fits(format)
    }

    /// Whether it lacks a column that says what is public.
    pub fn lacks_public(&self, format: &Format) -> bool {
        let names = self.names_by(format);
        let blocks = format.public_blocks();
        let mut blocks = blocks.iter().flat_map(|(_, blocks)| blocks.iter());
        blocks.any(|block| !names.has_one(&block.names))
    }

    /// Whether it has neither the stars nor the texts of an owner's format, so that it is another table.
    pub fn is_other(&self, format: &Format) -> bool {
        let names = self.names_by(format);
        let has = |field| {
            let listed = format.fields.get(&field);
            listed.is_some_and(|listed| names.has_one(listed))
        };
        !has(ReviewField::Rating) && !has(ReviewField::Text)
    }
}

impl ColumnNames {
    fn new(columns: impl IntoIterator<Item = String>) -> Self {
        let columns: Vec<String> = columns.into_iter().collect();
        Self {
            keys: columns.iter().map(|column| column_key(column)).collect(),
            columns,
        }
    }

    /// Whether there is a name `name`, or one inside it: a name that identifies a format may be that of an object or a list. A mark at
    /// its beginning counts: `@type`, `_id`.
    fn has(&self, name: &str) -> bool {
        let is_name = if name.starts_with(['@', '_']) {
            self.columns.iter().any(|column| column == name)
        } else {
            self.keys.contains(&column_key(name))
        };
        is_name || self.columns.iter().any(|column| is_inside(column, name))
    }

    /// The number of fields of a review of which a column has an exact name.
    fn core_fields(&self) -> usize {
        let named = self.columns.iter().filter_map(|column| named_field(column));
        let named: BTreeSet<ReviewField> = named.collect();
        let core = ReviewField::CORE.iter();
        core.filter(|field| named.contains(field)).count()
    }

    /// Whether they have the columns of stars, date, author, text and `only` of an owner's format.
    fn fit(&self, format: &Format) -> bool {
        let core = ReviewField::CORE.iter();
        let fields = core.filter_map(|field| format.fields.get(field));
        let mut fields = fields.filter(|names| !names.is_empty()).peekable();
        let only = format.only.as_ref().map(|only| only.column.as_str());
        fields.peek().is_some()
            && fields.all(|names| self.has_one(names))
            && only.is_none_or(|name| self.has(name))
    }

    fn has_one(&self, names: &Names) -> bool {
        let mut names = names.among(&self.columns).into_iter();
        names.any(|name| self.has(name))
    }
}

impl<'t> OpenedFile<'t> {
    /// # Errors
    /// If it cannot be read, or has no visible sheet.
    pub fn of_workbook(packed: &[u8], bounds: &mut Bounds<'_>) -> Result<Self, FileError> {
        let mut sheets = read_workbook(packed, bounds)?;
        sheets.retain(|sheet| !sheet.header(None).is_empty());
        // Without rows in any sheet, it is an import of nothing.
        if sheets.iter().any(Sheet::has_rows) {
            sheets.retain(Sheet::has_rows);
        } else {
            sheets.truncate(1);
        }
        if sheets.is_empty() {
            return Err(FileError::new("has no visible sheet with rows"));
        }
        let parts = sheets.into_iter().map(|sheet| {
            let (name, header) = (sheet.name.clone(), sheet.header(None));
            FilePart::new(&name, header, PartContent::Sheet(sheet))
        });
        Self::new(parts.collect())
    }

    /// A file that is no archive; `None` if there is nothing in it.
    ///
    /// # Errors
    /// If it is no file of reviews, with what it is and what to give instead.
    pub fn of_text(decoded: &'t Decoded<'t>) -> Result<Option<Self>, FileError> {
        let text = &*decoded.text;
        let kind = kind_of_text(text);
        refuse_text(kind, text)?;
        let mut document = None;
        let parts = match kind {
            Kind::Nothing => return Ok(None),
            Kind::Json => {
                let lists;
                (document, lists) = read_lists(text)?;
                let parts = lists.into_iter().map(|list| {
                    let (path, names) = (list.path.clone(), list.names());
                    FilePart::new(&path, names, PartContent::List(list))
                });
                parts.collect()
            }
            Kind::Page => vec![FilePart::new("", [], PartContent::Page(text.trim()))],
            Kind::Text => {
                let header = find_header(text, None);
                let columns = header.map(|header| header.cells).unwrap_or_default();
                vec![FilePart::new("", columns, PartContent::Text(text))]
            }
        };
        let mut file = Self::new(parts)?;
        file.document = document;
        let has_lists = file.parts[0].list().is_some_and(|list| !list.are_lines);
        let is_empty = |it: &str| is_empty_document(it) && !is_own_document(it);
        if !has_lists && document.is_some_and(is_empty) {
            return Ok(None);
        }
        file.own_form = find_own_form(&file);
        file.note = (!decoded.is_unknown)
            .then(|| describe_damage(text))
            .flatten();
        Ok(Some(file))
    }

    fn new(parts: Vec<FilePart<'t>>) -> Result<Self, FileError> {
        let is_own = |part: &FilePart<'_>| {
            columns_of_table().all(|name| part.names.columns.iter().any(|it| it == name))
        };
        if parts.iter().any(is_own) {
            return Err(FileError::new(
                "is a table that `reviews export` wrote for spreadsheets, which is not read back; export as JSON Lines, and import that file",
            ));
        }
        Ok(Self {
            parts,
            document: None,
            own_form: None,
            note: None,
        })
    }

    pub fn is_page(&self) -> bool {
        matches!(self.parts[0].content, PartContent::Page(_))
    }

    /// The native records of a file that has our own form, or is to be read so. They are parsed one after another, because all parsed
    /// records of a large file need too much memory.
    ///
    /// # Errors
    /// If it is no JSON.
    pub fn records(&self, format: &Format) -> Result<Vec<(Position, String)>, FileError> {
        let mut lists = self.parts.iter().filter_map(FilePart::list);
        let document = self.document.filter(|it| it.starts_with('{'));
        let rows: Vec<(Position, &str)> = match document {
            Some(_) if format.reader == Reader::Document => {
                let list = lists.find(|list| list.path == "reviews");
                list.into_iter().flat_map(RowList::rows).collect()
            }
            Some(document) => vec![(Position::Line(1), document)],
            None => {
                let list = lists.next().ok_or_else(|| unreadable(format))?;
                list.rows().collect()
            }
        };
        let rows = rows.into_iter();
        Ok(rows.map(|(at, text)| (at, text.to_owned())).collect())
    }

    /// The business in another instance's `/reviews.json`, as JSON.
    pub fn business(&self) -> Option<&'t str> {
        member(self.document?, "business")
    }

    /// The part that is read: the one that the format names or whose columns it knows, else the only one that may have reviews; with the
    /// names of those that may be meant, if several may. `base` is the built-in format in it, if there is one.
    ///
    /// # Errors
    /// If there is none.
    pub fn find_part(
        &self,
        format: &Format,
        base: Option<&Format>,
    ) -> Result<(usize, Vec<String>), FileError> {
        let (named, noun) = match &self.parts[0].content {
            PartContent::Sheet(_) => (&format.sheet, "sheet"),
            PartContent::List(_) => (&format.rows, "list"),
            PartContent::Text(_) | PartContent::Page(_) => (&None, ""),
        };
        let all: Vec<usize> = (0..self.parts.len()).collect();
        let place = |number: &usize| self.parts[*number].place.clone();
        if let Some(name) = named {
            let found = all.iter().find(|it| fold(&place(it)) == fold(name));
            if let Some(number) = found {
                return Ok((*number, Vec::new()));
            }
            // Not all files of a platform have the list that its format names.
            if base.is_none_or(|base| base.rows.is_none()) {
                let names: Vec<String> = all.iter().map(place).collect();
                return Err(FileError::new(format!(
                    "has no {noun} {name:?} with rows, which the source's format names; there are {}",
                    names.join(", ")
                )));
            }
        }
        let is_read = |number: &&usize| match base {
            Some(base) => self.parts[**number].has_keys(base),
            None => self.parts[**number].fits(format),
        };
        let fitting: Vec<usize> = all.iter().filter(is_read).copied().collect();
        // What stands beside it may be what is not public. An owner's format knows no other sheet and list.
        let others = match noun {
            _ if base.is_some() && !fitting.is_empty() => Vec::new(),
            "list" => self.lists_of_reviews(),
            _ => all,
        };
        // Of lists within each other that fit the one with most rows; of equal ones `max_by_key` takes the last.
        let rows = |number: &&usize| {
            let list = self.parts[**number].list();
            list.map_or(0, |list| list.texts().count())
        };
        let fields = |number: &&usize| self.parts[**number].names.core_fields();
        let fit = fitting.iter().rev().max_by_key(rows);
        let found = fit.or_else(|| others.iter().rev().max_by_key(fields));
        let found = *found.ok_or_else(|| {
            FileError::new(
                "is JSON without a list of objects; give a list of reviews, or one review in each line",
            )
        })?;
        let candidates: BTreeSet<&usize> = fitting.iter().chain(&others).collect();
        let is_beside = |other: &&usize| {
            **other != found && !self.is_inside(**other, found) && !self.is_inside(found, **other)
        };
        let beside = candidates.into_iter().filter(is_beside);
        let names: Vec<String> = [&found].into_iter().chain(beside).map(place).collect();
        match (names.len(), base) {
            (1, _) => Ok((found, Vec::new())),
            (count, Some(base)) if noun == "list" => Err(FileError::new(format!(
                "has {count} lists of reviews of {}: {}; give a file with one of them, for example with jq",
                base.label,
                names.join(", ")
            ))),
            _ => Ok((found, names)),
        }
    }

    /// Whether a list is within the elements of another.
    fn is_inside(&self, inner: usize, outer: usize) -> bool {
        let place = self.parts[inner].place.as_str();
        let rest = place.strip_prefix(self.parts[outer].place.as_str());
        rest.is_some_and(|rest| rest.starts_with("[]"))
    }

    /// The outermost lists with names of a review; without any, the outermost of all. A document without a list may be one review.
    fn lists_of_reviews(&self) -> Vec<usize> {
        let has_names = |number: &usize| self.parts[*number].names.core_fields() > 1;
        let all = 0..self.parts.len();
        let mut known: Vec<usize> = all.clone().filter(has_names).collect();
        let are_lines = self.parts[0].list().is_some_and(|list| list.are_lines);
        if known.is_empty() && !(are_lines && self.document.is_some()) {
            known = all.collect();
        }
        let is_outermost = |list: &usize| !known.iter().any(|outer| self.is_inside(*list, *outer));
        known.iter().copied().filter(is_outermost).collect()
    }

    /// A part as a table.
    ///
    /// # Errors
    /// If it is no table that the format can read.
    pub fn table(
        &mut self,
        number: usize,
        format: &Format,
        bounds: &mut Bounds<'_>,
    ) -> Result<Table, FileError> {
        if format.reader == Reader::LinkedData {
            return match &self.parts[0].content {
                PartContent::Page(text) => {
                    let scripts = page::script_texts(text)?;
                    page::find_reviews(scripts.iter().map(String::as_str), format, bounds)
                }
                PartContent::List(list) => page::find_reviews(list.texts(), format, bounds),
                PartContent::Sheet(_) | PartContent::Text(_) => Err(unreadable(format)),
            };
        }
        let document = self.document;
        match self.parts.swap_remove(number).content {
            PartContent::List(list) => list.table(document, format, bounds),
            PartContent::Sheet(sheet) => {
                let table = sheet.into_table(format.header_row)?;
                let mut cells = table.rows.iter().flat_map(|row| row.cells.all());
                self.note = cells.find_map(|(_, cell)| describe_damage(cell));
                drop(cells);
                Ok(table)
            }
            PartContent::Text(text) => {
                let row = format.header_row;
                let header = find_header(text, row).ok_or_else(|| {
                    FileError::new(format!(
                        "has no row {} among its first rows; correct header_row in the source's format",
                        row.unwrap_or(1)
                    ))
                })?;
                check_header(text, &header, row.is_some())?;
                read_text(text, &header, bounds)
            }
            PartContent::Page(_) => Err(unreadable(format)),
        }
    }
}

fn unreadable(format: &Format) -> FileError {
    FileError::new(format!(
        "cannot be read as {}; leave --format out",
        format.name
    ))
}

/// Our own form, if that is what a text of JSON has: lines, or another instance's document. A list of native records is a table.
fn find_own_form(file: &OpenedFile<'_>) -> Option<OwnForm> {
    let (list, document) = (file.parts[0].list()?, file.document);
    let form = |format: &Arc<Format>, is_certain| {
        let format = Arc::clone(format);
        Some(OwnForm { format, is_certain })
    };
    if document.is_some_and(is_own_document) {
        return form(&DOCUMENT, true);
    }
    if document.or(list.texts().next()).is_some_and(begins_export) {
        return form(&NATIVE, true);
    }
    if !list.are_lines {
        return None;
    }
    let rows: Option<Vec<bool>> = list.texts().map(native_row).collect();
    // One of the rows is whole: what the others lack is their fault.
    rows.filter(|rows| rows.contains(&true))
        .and_then(|_| form(&NATIVE, false))
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
    let is_blank = |c: char| matches!(c, '[' | ']') || c.is_whitespace();
    let is_list = |value: &str| value.starts_with('[') && value.chars().all(is_blank);
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
