//! A file by its parts: the sheets of a workbook, the lists of a document of JSON, a text below its header, or the structured data of a
//! page. The names of the columns of a part say which format the file has, and by that one part is read as a table.

use std::collections::{BTreeSet, HashSet};
use std::iter;
use std::ops::ControlFlow;

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::imports::fault::{FileError, Position};
use crate::imports::format::{
    Format, Missing, Reader, basic_string, column_key, is_inside, is_same_column, named_field,
};
use crate::imports::native::{begins_export, columns_of_table, first_record, is_native};
use crate::imports::read::json::{RowList, members_beside, read_lists};
use crate::imports::read::text::{
    Decoded, Kind, find_header, kind_of_text, read_text, refuse_text, rows_near_header,
};
use crate::imports::read::workbook::{Sheet, read_workbook};
use crate::imports::read::{Bounds, Table, page};
use crate::imports::row::field_columns;
use crate::imports::value::date::is_date;
use crate::imports::value::rating::{RatingWords, parse_rating};
use crate::model::json::{is_empty_at, is_empty_list, visit};
use crate::model::{ReviewField, fold};

/// An opened file.
pub struct OpenedFile<'t> {
    /// At least one.
    parts: Vec<FilePart<'t>>,
    /// Its text, if it is one document of JSON.
    document: Option<&'t str>,
    pub native_form: NativeForm,
}

/// A part of a file, of which only the names of its columns are known.
struct FilePart<'t> {
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
struct ColumnNames {
    columns: Vec<String>,
    keys: HashSet<String>,
}

/// Whether a file has the native form.
pub enum NativeForm {
    No,
    /// Its first line is that of an export, which no other file has.
    Export,
    /// Lines with the members of our own form alone.
    Lines,
}

/// How far an owner's format reads a table, in the order of certainty, by which it is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// It has neither the stars nor the texts: it is another table.
    OtherTable,
    /// The format names no field that each review has, so it is of any table.
    NamesNoField,
    /// From here on the format reads something of the table.
    Partly,
    /// From here on it has all that a review needs; this one lacks a column that says what is public.
    AllButPublic,
    Wholly,
}

impl<'t> FilePart<'t> {
    fn new(columns: Vec<String>, content: PartContent<'t>) -> Self {
        let names = ColumnNames::new(columns);
        Self { names, content }
    }

    /// The path of a list, or the name of a sheet, and its number of rows.
    fn place(&self) -> (&str, usize) {
        match &self.content {
            PartContent::Sheet(sheet) => (&sheet.name, sheet.count_rows()),
            PartContent::List(list) => (&list.path, list.elements.len()),
            PartContent::Text(_) | PartContent::Page(_) => ("", 0),
        }
    }

    const fn list(&self) -> Option<&RowList<'t>> {
        match &self.content {
            PartContent::List(list) => Some(list),
            PartContent::Sheet(_) | PartContent::Text(_) | PartContent::Page(_) => None,
        }
    }

    /// Whether it has all names of one of the format's lists; a table of somebody else may have a few of them. A page has linked data.
    fn has_keys(&self, format: &Format) -> bool {
        if let PartContent::Page(_) = self.content {
            return format.reader == Reader::LinkedData;
        }
        let has_field = |field| {
            let mut names = format.column_names(field).into_iter();
            names.any(|name| self.names.has(name))
        };
        let is_whole = self.list().is_some()
            || format.reader == Reader::Columns
                && (has_field(ReviewField::Rating) || has_field(ReviewField::Recommended))
                && has_field(ReviewField::Date)
                && has_field(ReviewField::Text);
        let mut keys = format.keys.iter().map(|set| set.split(", "));
        is_whole && keys.any(|mut set| set.all(|name| self.names.has(name)))
    }

    /// How far an owner's format reads it, with its first row as the header or the row that the format names.
    fn measure_fit(&self, format: &Format) -> Fit {
        let first = self.measure_fit_of(&self.names.columns, format);
        let columns = match (&self.content, format.header_row.map(|it| it.get().into())) {
            (PartContent::Sheet(sheet), row @ Some(_)) => sheet.header(row),
            (PartContent::Text(text), row @ Some(_)) => {
                find_header(text, row).map_or_else(Vec::new, |header| header.cells)
            }
            (_, _) => return first,
        };
        first.max(self.measure_fit_of(&columns, format))
    }

    fn measure_fit_of(&self, columns: &[String], format: &Format) -> Fit {
        if format.like.is_some() {
            return Fit::OtherTable;
        }
        let mut needed = ReviewField::CORE.iter();
        if needed.all(|field| format.column_names(*field).is_empty()) {
            return Fit::NamesNoField;
        }
        let table = &Table {
            columns: columns.to_vec(),
            is_objects: self.list().is_some(),
            named: format.all_names(),
            ..Table::default()
        };
        let format = &format.clone().split_public(columns);
        let lacking = find_lacking_keys(format, table);
        let has_field = |field| !field_columns(format, table, field).is_empty();
        if lacking.is_empty() {
            Fit::Wholly
        } else if lacking.iter().all(|key| key.starts_with("public")) {
            Fit::AllButPublic
        } else if has_field(ReviewField::Rating) || has_field(ReviewField::Text) {
            Fit::Partly
        } else {
            Fit::OtherTable
        }
    }
}

/// Sheets, or lists, with their numbers of rows.
pub fn describe_places(places: &[(String, usize)]) -> String {
    let places = places.iter();
    let shown = places.map(|(name, rows)| format!("{} (rows: {rows})", basic_string(name)));
    shown.collect::<Vec<_>>().join(", ")
}

/// The keys of what a format needs and a table lacks: columns of the fields that each review has, of `only`, and of publication.
pub fn find_lacking_keys(format: &Format, table: &Table) -> BTreeSet<String> {
    let has_field = |field| !field_columns(format, table, field).is_empty();
    let has_author = ReviewField::AUTHORS.into_iter().any(has_field);
    let mut lacking = BTreeSet::new();
    for field in ReviewField::CORE {
        let is_needed = !format.column_names(field).is_empty();
        let is_there = has_field(field) || field == ReviewField::Author && has_author;
        if is_needed && !is_there {
            lacking.insert(format!("fields.{field}"));
        }
    }
    for (part, blocks) in format.public_blocks() {
        for (number, block) in blocks.iter().enumerate() {
            let is_asked = block.missing.is_none() && !block.is_of_base();
            if is_asked && table.columns_of(&block.names).is_empty() {
                lacking.insert(format!("{part}.{number}.missing"));
            }
        }
    }
    let only = format.only.as_ref();
    if only.is_some_and(|only| table.find(&only.column).is_none()) {
        lacking.insert("only".to_owned());
    }
    lacking
}

impl ColumnNames {
    fn new(columns: Vec<String>) -> Self {
        Self {
            keys: columns.iter().map(|column| column_key(column)).collect(),
            columns,
        }
    }

    /// Whether there is a name `name`, or one inside it: a name that identifies a format may be that of an object or a list.
    fn has(&self, name: &str) -> bool {
        self.keys.contains(&column_key(name))
            || self.columns.iter().any(|column| is_inside(column, name))
    }

    /// The number of fields of a review of which a column has an exact name.
    fn core_fields(&self) -> usize {
        let named = self.columns.iter().filter_map(|column| named_field(column));
        let named: BTreeSet<ReviewField> = named.collect();
        let core = ReviewField::CORE.iter();
        core.filter(|field| named.contains(field)).count()
    }
}

impl<'t> OpenedFile<'t> {
    /// # Errors
    /// If it cannot be read, or has no visible sheet.
    pub fn of_workbook(packed: &[u8], bounds: &mut Bounds<'_>) -> Result<Self, FileError> {
        let mut sheets = read_workbook(packed, bounds)?;
        sheets.retain(|sheet| !sheet.header(None).is_empty());
        // Without rows in any sheet, it is an import of nothing.
        if sheets.iter().any(|sheet| sheet.count_rows() > 0) {
            sheets.retain(|sheet| sheet.count_rows() > 0);
        } else {
            sheets.truncate(1);
        }
        if sheets.is_empty() {
            return Err(FileError::new("has no visible sheet with rows"));
        }
        let parts = sheets.into_iter();
        let parts = parts.map(|sheet| FilePart::new(sheet.header(None), PartContent::Sheet(sheet)));
        Self::new(parts.collect(), None)
    }

    /// A file that is no archive; `None` if it is JSON without a row.
    ///
    /// # Errors
    /// If it is empty, or no file of reviews, with what it is and what to give instead.
    pub fn of_text(decoded: &'t Decoded<'t>) -> Result<Option<Self>, FileError> {
        let text = &*decoded.text;
        let are_own_lines = has_own_lines(text);
        let mut kind = kind_of_text(text);
        if kind == Kind::Text && are_own_lines {
            kind = Kind::Json;
        }
        refuse_text(kind, text)?;
        let (parts, document) = match kind {
            Kind::Nothing => return Err(FileError::new("the file is empty")),
            Kind::Json => {
                let (document, lists) = read_lists(text, are_own_lines)?;
                let are_lines = lists[0].are_lines;
                let parts = lists.into_iter();
                let parts = parts.map(|it| FilePart::new(it.names(), PartContent::List(it)));
                let parts: Vec<FilePart<'_>> = parts.collect();
                let is_empty = |it| is_empty_document(it, &parts[0].names);
                if are_lines && document.is_some_and(is_empty) {
                    return Ok(None);
                }
                (parts, document)
            }
            Kind::Page => {
                let page = FilePart::new(Vec::new(), PartContent::Page(text.trim()));
                (vec![page], None)
            }
            Kind::Text => {
                let columns = find_header(text, None).map_or_else(Vec::new, |it| it.cells);
                (vec![FilePart::new(columns, PartContent::Text(text))], None)
            }
        };
        Self::new(parts, document).map(Some)
    }

    /// # Errors
    /// If it is an exported table, which is not read back.
    fn new(parts: Vec<FilePart<'t>>, document: Option<&'t str>) -> Result<Self, FileError> {
        let mut columns = parts.iter().map(|part| &part.names.columns);
        if columns.any(|columns| columns_of_table().all(|name| columns.iter().any(|it| it == name)))
        {
            return Err(FileError::new(
                "is a table that `reviews export` wrote for spreadsheets, which is not read back; export as JSON Lines, and import that file",
            ));
        }
        Ok(Self {
            native_form: find_native_form(&parts[0], document),
            parts,
            document,
        })
    }

    /// Whether a part has the names that identify a built-in format.
    pub fn has_keys(&self, format: &Format) -> bool {
        self.parts.iter().any(|part| part.has_keys(format))
    }

    /// How far an owner's format reads the part that it reads best.
    pub fn measure_fit(&self, format: &Format) -> Fit {
        if self.is_empty_by(format) {
            return Fit::Wholly;
        }
        let fits = self.parts.iter().map(|part| part.measure_fit(format));
        fits.max().unwrap_or(Fit::OtherTable)
    }

    /// Whether an owner's format says which reviews, replies or names of the file are public: by a column that it has, or by one that it lacks,
    /// unless all are public without it.
    pub fn is_decided_by(&self, format: &Format) -> bool {
        let columns = &self.parts[0].names.columns;
        let format = format.clone().split_public(columns);
        let mut blocks = format.public_columns();
        blocks.any(|block| {
            let mut names = block.names.parts().into_iter();
            block.missing != Some(Missing::Public)
                || names.any(|name| columns.iter().any(|column| is_same_column(column, name)))
        })
    }

    /// Whether it is a document with an empty list where the format names the list of rows.
    pub fn is_empty_by(&self, format: &Format) -> bool {
        self.document.is_some_and(|it| is_empty_by(it, format))
    }

    /// The lines of a file that has the native form, or is to be read so. They are parsed one after another, because all parsed records
    /// of a large file need too much memory.
    ///
    /// # Errors
    /// If it is no JSON Lines.
    pub fn records(&self) -> Result<Vec<(Position, &'t str)>, FileError> {
        if let Some(line) = self.document.filter(|it| it.starts_with('{')) {
            return Ok(vec![(Position::Line(1), line)]);
        }
        let list = self.parts[0].list().filter(|list| list.are_lines);
        let list = list.ok_or_else(|| {
            FileError::new(
                "is not our own form, JSON Lines with one review in each line; leave `jsonl` out",
            )
        })?;
        Ok(list.rows().collect())
    }

    /// The parts that may be meant, at least one, and first the one that is read: the one that the format names or whose columns it knows,
    /// else the one that is most like reviews. `base` is the built-in format in it, if there is one.
    ///
    /// # Errors
    /// If there is none.
    pub fn find_parts(
        &self,
        format: &Format,
        base: Option<&Format>,
    ) -> Result<Vec<usize>, FileError> {
        if let Some(part) = self.named_part(format, base)? {
            return Ok(vec![part]);
        }
        let is_known = |part: &usize| match base {
            Some(base) => self.parts[*part].has_keys(base),
            None => self.parts[*part].measure_fit(format) >= Fit::AllButPublic,
        };
        let are_lists = self.parts[0].list().is_some();
        let known: BTreeSet<usize> = (0..self.parts.len()).filter(is_known).collect();
        let mut parts = known.clone();
        // What stands beside it may be what is not public. An owner's format knows no other sheet and list.
        if base.is_none() || known.is_empty() {
            parts.extend(if are_lists {
                self.lists_of_reviews()
            } else {
                (0..self.parts.len()).collect()
            });
        }
        // Of lists within each other that it knows the one with most rows.
        let rank = |part: &usize| match self.parts[*part].list() {
            Some(list) if known.contains(part) => (true, list.elements.len()),
            _ => (known.contains(part), self.parts[*part].names.core_fields()),
        };
        // Of equal ones `max_by_key` takes the last.
        let Some(best) = parts.iter().copied().rev().max_by_key(rank) else {
            return Err(FileError::new(
                "is JSON without a list of objects; give a list of reviews, or one review in each line",
            ));
        };
        parts.retain(|part| !self.is_inside(*part, best) && !self.is_inside(best, *part));
        parts.remove(&best);
        let parts: Vec<usize> = [best].into_iter().chain(parts).collect();
        match base {
            Some(base) if are_lists && parts.len() > 1 => Err(FileError::new(format!(
                "has {} lists of reviews of {}: {}; give a file with one of them, for example with jq",
                parts.len(),
                base.label,
                describe_places(&self.places(&parts))
            ))),
            _ => Ok(parts),
        }
    }

    /// The sheet or list that the format names.
    ///
    /// # Errors
    /// If there is none of that name; not all files of a platform have the list that its format names.
    fn named_part(
        &self,
        format: &Format,
        base: Option<&Format>,
    ) -> Result<Option<usize>, FileError> {
        let (name, noun) = match &self.parts[0].content {
            PartContent::Sheet(_) => (&format.sheet, "sheet"),
            PartContent::List(_) => (&format.rows, "list"),
            PartContent::Text(_) | PartContent::Page(_) => (&None, ""),
        };
        let Some(name) = name else { return Ok(None) };
        let mut places = self.parts.iter().map(|part| fold(part.place().0));
        let found = places.position(|place| place == fold(name));
        if found.is_some() || base.is_some_and(|base| base.rows.is_some()) {
            return Ok(found);
        }
        let places = if self.parts[0].list().is_some_and(|list| list.are_lines) {
            "none".to_owned()
        } else {
            describe_places(&self.places(&(0..self.parts.len()).collect::<Vec<_>>()))
        };
        Err(FileError::new(format!(
            "has no {noun} {name:?} with rows, which the source's format names; it has {places}"
        )))
    }

    /// The places of parts: the paths of lists, or the names of sheets, with their numbers of rows.
    pub fn places(&self, parts: &[usize]) -> Vec<(String, usize)> {
        let places = parts.iter().map(|part| self.parts[*part].place());
        places.map(|(name, rows)| (name.to_owned(), rows)).collect()
    }

    /// What the document says beside these lists, of which one must be named; nothing of sheets.
    pub fn members_beside(&self, places: &[(String, usize)]) -> Vec<(String, String)> {
        let mut found: Vec<(String, String)> = Vec::new();
        let documents = self.document.iter().flat_map(|document| {
            let paths = places.iter().map(|(path, _)| path);
            paths.flat_map(|path| members_beside(document, path))
        });
        for member in documents {
            let is_list = places.iter().any(|(path, _)| *path == member.0);
            if !is_list && !found.contains(&member) {
                found.push(member);
            }
        }
        found
    }

    /// Whether a list is within the elements of another.
    fn is_inside(&self, inner: usize, outer: usize) -> bool {
        let [inner, outer] = [inner, outer].map(|part| self.parts[part].place().0);
        let rest = inner.strip_prefix(outer);
        rest.is_some_and(|rest| rest.starts_with("[]"))
    }

    /// The outermost lists with names of a review; without any, the outermost of all. A document without a list may be one review.
    fn lists_of_reviews(&self) -> Vec<usize> {
        let mut lists: Vec<usize> = (0..self.parts.len()).collect();
        lists.retain(|list| self.parts[*list].names.core_fields() > 1);
        let are_lines = self.parts[0].list().is_some_and(|list| list.are_lines);
        if lists.is_empty() && !(are_lines && self.document.is_some()) {
            lists.extend(0..self.parts.len());
        }
        let all = lists.clone();
        lists.retain(|list| !all.iter().any(|outer| self.is_inside(*list, *outer)));
        lists
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
        let document = self.document;
        let is_linked = format.reader == Reader::LinkedData;
        let number = if is_linked { 0 } else { number };
        let row = format.header_row.map(|it| it.get().into());
        match self.parts.swap_remove(number).content {
            PartContent::Page(text) => {
                let table = page::read_page(text, format, bounds)?;
                is_linked.then_some(table).ok_or_else(|| {
                    FileError::new(
                        "is a page with schema.org reviews; write `like = \"schema-org\"` into the format, or leave it out",
                    )
                })
            }
            PartContent::List(list) if is_linked => {
                page::find_reviews(list.texts(), format, bounds)
            }
            PartContent::Sheet(_) | PartContent::Text(_) if is_linked => Err(unreadable(format)),
            PartContent::List(list) => list.table(document, format, bounds),
            PartContent::Sheet(sheet) => {
                let fault = format!(
                    "its sheet \"{}\" begins without a header of several columns",
                    sheet.name
                );
                let (cells, near) = (sheet.header(row), sheet.rows_near_header());
                let mut table = sheet.into_table(row)?;
                table.names_below = check_header(&cells, &near, row.is_some(), &fault)?;
                Ok(table)
            }
            PartContent::Text(text) => {
                let header = find_header(text, row).ok_or_else(|| {
                    FileError::new(format!(
                        "has no row {} among its first rows; correct header_row in the source's format",
                        row.unwrap_or(1)
                    ))
                })?;
                let near: Vec<_> = rows_near_header(text).collect();
                refuse_quoted_lines(&header.cells, &near)?;
                let fault = "is a text without a header line of several columns";
                let names_below = check_header(&header.cells, &near, row.is_some(), fault)?;
                let mut table = read_text(text, &header, bounds)?;
                table.names_below = names_below;
                Ok(table)
            }
        }
    }
}

fn unreadable(format: &Format) -> FileError {
    let name = &format.name;
    FileError::new(format!("cannot be read as {name}; leave the format out"))
}

/// Whether at least two cells of a row are exact names of fields.
fn has_names(cells: &[String]) -> bool {
    let named = cells.iter().filter(|cell| named_field(cell).is_some());
    named.count() >= 2
}

/// Refuses a text whose rows are each one cell in quotation marks; `near` are the rows near its header.
///
/// # Errors
/// With what to give instead.
fn refuse_quoted_lines(header: &[String], near: &[(u64, Vec<String>)]) -> Result<(), FileError> {
    // Nothing else holds a delimiter in a row of one cell.
    let is_quoted =
        header.len() == 1 && header[0].trim_end_matches([',', ';']).contains([',', ';']);
    if is_quoted && !near.iter().any(|(_, cells)| has_names(cells)) {
        let refusal = "has whole lines in quotation marks; save the table again, as XLSX or CSV";
        return Err(FileError::new(refusal));
    }
    Ok(())
}

/// Refuses a row that is no header of several columns; `without_columns` says so of one with a single cell. Returns the row that has the
/// names of columns, if another of the rows `near` the header has, and the header has not.
///
/// # Errors
/// With what to write.
fn check_header(
    cells: &[String],
    near: &[(u64, Vec<String>)],
    is_named: bool,
    without_columns: &str,
) -> Result<Option<u64>, FileError> {
    let mut letters = cells.iter().flat_map(|cell| cell.chars());
    if letters.any(|c| c.is_control() && !c.is_whitespace()) {
        return Err(FileError::new(
            "has control characters in the row of its header, so it is no table; give the table as XLSX, ODS or CSV",
        ));
    }
    let named = near.iter().find(|(_, cells)| has_names(cells));
    let named = named.map(|(line, _)| *line);
    // The owner may name a row with such a cell, if no other one can be meant.
    let is_only_choice = is_named && (named.is_none() || has_names(cells));
    let fault = if cells.len() < 2 {
        without_columns
    } else if !is_only_choice && cells.iter().any(|cell| is_day_or_rating(cell)) {
        "has a day or a rating in the row of its header, so that is none"
    } else {
        return Ok(named.filter(|_| !is_named && !has_names(cells)));
    };
    let advice = match named {
        Some(line) => format!(
            "the names are in row {line}: write header_row = {line} into the source's format"
        ),
        None => "give a table with the names of its columns in the first row, or write the number of their row as header_row into the \
            source's format"
            .to_owned(),
    };
    Err(FileError::new(format!("{fault}; {advice}")))
}

fn is_day_or_rating(cell: &str) -> bool {
    let is_day = cell.trim().starts_with(|c: char| c.is_ascii_digit()) && is_date(cell);
    is_day || parse_rating(cell, None, &RatingWords::new()).is_ok()
}

/// Number of lines at the beginning of a text among which the first of our own form is looked for.
const OWN_LINES_LOOKED_AT: usize = 1_000;

/// Whether the first line that is an object of JSON has the members of our own form alone, or is that of an export: those before it are no
/// rows. A line below a header of a table, or at the end of a list, is none.
fn has_own_lines(text: &str) -> bool {
    let lines = text.lines().take(OWN_LINES_LOOKED_AT).map(str::trim);
    let mut lines = lines.filter(|line| !line.is_empty());
    let mut before = "";
    let record = lines.by_ref().find_map(|line| {
        let lines = iter::once(line).filter(|line| line.starts_with('{'));
        let record = first_record(lines);
        if record.is_none() {
            before = line;
        }
        record
    });
    let is_in_list =
        before.ends_with("},") || lines.next().is_some_and(|next| next.starts_with(']'));
    let is_own = |record: Value| begins_export(&record) || is_native(&record);
    let has_header = || find_header(text, None).is_some_and(|header| has_names(&header.cells));
    record.is_some_and(is_own) && !is_in_list && !has_header()
}

/// The native form of a text of JSON, which is lines: the first that can be read decides. A list of native records, and a document with one,
/// are tables.
fn find_native_form(first: &FilePart<'_>, document: Option<&str>) -> NativeForm {
    let Some(list) = first.list() else {
        return NativeForm::No;
    };
    let record = match document {
        Some(document) => first_record(iter::once(document)),
        None => first_record(list.texts()),
    };
    // A document by itself may be the answer of a failed request.
    let may_be_row = list.are_lines && (document.is_none() || first.names.core_fields() > 1);
    match record {
        Some(record) if begins_export(&record) => NativeForm::Export,
        Some(record) if may_be_row && is_native(&record) => NativeForm::Lines,
        Some(_) | None => NativeForm::No,
    }
}

/// Names of the list of rows in a document of an unknown format, besides those that end with `reviews`.
const ROW_LISTS: [&str; 9] = [
    "data",
    "results",
    "items",
    "records",
    "rows",
    "entries",
    "list",
    "testimonials",
    "ratings",
];

/// The least status of HTTP that means that a request failed.
const FAILED_STATUS_MIN: u32 = 400;

/// Whether a document is an export without rows: an empty list or object, or an object whose only list is empty and stands where rows do,
/// and that has no error and no member of a review. A review by itself may have an empty list, of photos for example.
fn is_empty_document(document: &str, names: &ColumnNames) -> bool {
    let (mut has_no_rows, mut has_other) = (false, false);
    visit(document, |name, value| {
        let is_empty = is_row_list(name) && is_empty_list(value);
        has_no_rows |= is_empty || name == "totalReviewCount" && value == "0";
        has_other |= value.starts_with('[') && !is_empty && !name.starts_with("error");
        ControlFlow::<()>::Continue(())
    });
    let is_of_review = |name: &String| {
        let field = named_field(name).filter(|_| !is_row_list(name));
        field.is_some_and(|field| ReviewField::CORE.contains(&field))
    };
    is_empty_list(document)
        || document == "{}"
        || document.starts_with('{')
            && has_no_rows
            && !has_other
            && !names.columns.iter().any(is_of_review)
            && !says_error(document)
}

fn is_row_list(name: &str) -> bool {
    let key = column_key(name);
    key.ends_with("reviews") || ROW_LISTS.contains(&&*key)
}

/// Whether a document has an empty list where the format names the list of rows, and no error; Google leaves out an empty list.
pub fn is_empty_by(document: &str, format: &Format) -> bool {
    let paging = (format.paging.as_ref()).and_then(|paging| paging.rows.as_ref());
    let mut paths = (format.rows.iter().chain(paging)).flat_map(|paths| paths.split(", "));
    let is_empty = document == "{}" && format.has_google_names
        || paths.any(|path| is_empty_at(document, path.replace("[]", "").trim_matches('.')));
    is_empty && serde_json::from_str::<IgnoredAny>(document).is_ok() && !says_error(document)
}

/// Whether a document is the answer of a failed request: by itself, or what it says of its state.
fn says_error(document: &str) -> bool {
    let error = visit(document, |name, value| {
        let is_nothing = matches!(value, "null" | "false" | "0" | "\"\"" | "[]" | "{}");
        let word = || value.trim_matches('"').to_lowercase();
        let fails = match &*name.to_lowercase() {
            "success" | "ok" => matches!(&*word(), "false" | "0"),
            "status" | "meta" if value.starts_with('{') => says_error(value),
            "code" | "status" | "statuscode" | "status_code" => {
                let word = word();
                let code = word.parse::<u32>();
                code.is_ok_and(|code| code >= FAILED_STATUS_MIN)
                    || ["error", "fail"].iter().any(|it| word.starts_with(it))
            }
            name => name.starts_with("error") && !is_nothing,
        };
        if fails {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    error.is_some()
}
