//! Detects a file's format by its content, never by its name, because half of all exports are named `reviews.json`.
//! Detection looks at names, never at values but the format of rejected rows and the errors of an answer without rows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::imports::export::is_export;
use crate::imports::map::table::{Table, list_columns};
use crate::imports::map::values::{Names, letters, names, same_name};
use crate::imports::map::{Rename, ReviewField};
use crate::imports::platforms::{
    Format, LINKED_DATA, NATIVE, Reader, TABLE, all_formats, find_format, format_names,
};
use crate::imports::read::json::{self, Objects, RawRow, RowArray};
use crate::imports::read::text::{self, Dialect};
use crate::imports::read::{linked_data, workbook};
use crate::imports::report::FileError;
use crate::imports::request::ImportRequest;

/// What a file holds.
#[derive(Debug)]
pub enum Content<'t> {
    /// Empty or only whitespace.
    Nothing,
    /// A JSON document.
    Json(&'t RawValue),
    /// Several JSON values, each over several lines.
    JsonValues(Vec<&'t RawValue>),
    JsonLines,
    /// A page or another document with tags.
    Markup,
    /// Delimited text.
    Text(Dialect, Vec<String>),
    /// A workbook's sheet with these columns.
    Sheet(Vec<String>),
    /// Neither JSON nor markup nor a table.
    Other,
}

/// What is known of a file, from its names.
#[derive(Debug)]
pub struct FileShape<'t> {
    pub content: Content<'t>,
    /// Members of a document, or of the first lines; columns of a table.
    names: BTreeSet<String>,
    /// The arrays of objects in a document, each with the members of its elements.
    arrays: Vec<(RowArray<'t>, BTreeSet<String>)>,
    /// Whether the lines are `{file, line, format, error, row}`, as `--rejects` writes them; the names are those of the rows.
    pub is_rejected: bool,
    /// Then the format of the first row.
    rejected: Option<&'static Format>,
}

/// Maximum depth of the array of rows in a document.
const DEEP_MAX: usize = 4;
/// Number of lines that are looked at, because a member may be missing in the first line.
const LINES_MAX: usize = 50;

impl<'t> FileShape<'t> {
    pub fn of(content: Content<'t>, text: &'t [u8]) -> Self {
        let mut shape = Self {
            content,
            names: BTreeSet::new(),
            arrays: Vec::new(),
            is_rejected: false,
            rejected: None,
        };
        match &shape.content {
            Content::Json(document) => {
                shape.names = json::members(document).into_keys().collect();
                let mut arrays = Vec::new();
                json::arrays(document, "", DEEP_MAX, &mut arrays);
                shape.arrays = named(arrays);
            }
            Content::JsonValues(values) => {
                let elements = values.iter().map(|value| (*value, None)).collect();
                let path = String::new();
                shape.arrays = named(vec![RowArray { path, elements }]);
            }
            Content::JsonLines => {
                let lines = text.split(|byte| *byte == b'\n');
                let lines = lines.filter_map(|line| std::str::from_utf8(line).ok());
                let lines = lines.filter(|line| line.trim_start().starts_with('{'));
                shape.names = json::names(lines.take(LINES_MAX));
                let has = |name: &str| shape.names.contains(name);
                let is_of_row = |name: &String| name.starts_with("row");
                shape.is_rejected =
                    has("file") && has("error") && shape.names.iter().any(is_of_row);
                if shape.is_rejected {
                    let inner = shape
                        .names
                        .iter()
                        .filter_map(|name| name.strip_prefix("row."));
                    shape.names = inner.map(str::to_owned).collect();
                    let first = json::rejected_rows(text).next();
                    shape.rejected = first.and_then(|(format, _)| format);
                }
            }
            Content::Text(_, columns) | Content::Sheet(columns) => {
                shape.names = columns.iter().cloned().collect();
            }
            Content::Nothing | Content::Markup | Content::Other => {}
        }
        shape
    }

    const fn is_table(&self) -> bool {
        matches!(self.content, Content::Text(..) | Content::Sheet(_))
    }

    const fn is_json(&self) -> bool {
        matches!(
            self.content,
            Content::Json(_) | Content::JsonValues(_) | Content::JsonLines
        )
    }

    /// The first place whose rows have such members: the top level, then the arrays.
    fn find_place(&self, is_so: impl Fn(&BTreeSet<String>) -> bool) -> Option<Place> {
        if is_so(&self.names) {
            return Some(Place::Top);
        }
        let array = self.arrays.iter().position(|(_, names)| is_so(names));
        array.map(Place::Array)
    }

    /// The rows at a place of a document.
    pub fn array(&self, place: Place) -> Option<&RowArray<'t>> {
        match place {
            Place::Array(number) => self.arrays.get(number).map(|(array, _)| array),
            Place::Top | Place::Nowhere => None,
        }
    }
}

fn named(arrays: Vec<RowArray<'_>>) -> Vec<(RowArray<'_>, BTreeSet<String>)> {
    // Elements that match no format may themselves hold arrays of reviews.
    let inner: Vec<_> = arrays.iter().flat_map(RowArray::inner).collect();
    let all = arrays
        .into_iter()
        .chain(inner)
        .map(|array| (array.names(), array));
    all.map(|(names, array)| (array, names)).collect()
}

/// Whether there is a name `name`, exactly or except for case and punctuation.
fn has(names: &BTreeSet<String>, name: &str) -> bool {
    names.contains(name)
        || !name.starts_with('@') && names.iter().any(|member| same_name(member, name))
        || names.iter().any(|member| {
            // A name that identifies a format may be that of an object or an array.
            let inside = member.strip_prefix(name);
            inside.is_some_and(|rest| rest.starts_with('.') || rest.starts_with("[]"))
        })
}

/// Where the rows of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the lines, the table, the page, or the document itself.
    Top,
    /// The number of an array in the document.
    Array(usize),
    /// The document has none.
    Nowhere,
}

#[derive(Debug, Clone, Copy)]
pub struct Detected {
    pub format: &'static Format,
    pub place: Place,
}

impl Detected {
    const fn top(format: &'static Format) -> Self {
        Self {
            format,
            place: Place::Top,
        }
    }
}

/// Of a file whose reviews were written by one Google Maps user, and are not about the business.
pub const MAPS_REVIEWS: &str = "holds the places that a Google Maps user has reviewed, not the reviews of a business; \
     export `Google Business Profile` with https://takeout.google.com and give its reviews.json, or the whole archive";

/// The requested format, or the detected one.
pub fn detect(shape: &FileShape<'_>, request: &ImportRequest) -> Result<Detected, FileError> {
    refuse_options_of_tables(shape, request)?;
    // GeoJSON's FeatureCollection (RFC 7946 §3.3): Google Maps exports a user's reviews as such.
    if ["features", "type"]
        .iter()
        .all(|name| shape.names.contains(*name))
        && !shape.names.contains("rating")
    {
        return Err(FileError::new(MAPS_REVIEWS));
    }
    let is_error = |array: &RowArray<'_>| is_in(ERRORS, &plain(&array.path));
    let has_rows = shape.arrays.iter().any(|(array, _)| !is_error(array));
    if let Content::Json(document) = &shape.content
        && !has_rows
        && let Some(error) = error_of(document)
    {
        return Err(FileError::new(format!(
            "is an answer of the source without reviews, not an export: its `{error}` says that something went wrong, or that it \
             is not ready; fetch it again"
        )));
    }
    let is_any = |format: &&'static Format| {
        request
            .format
            .is_none_or(|requested| requested.name == format.name)
    };
    if request.format.is_none_or(Format::is_native)
        && (matches!(&shape.content, Content::Text(_, columns) | Content::Sheet(columns) if is_export(columns))
            || is_lines_with_business(shape))
    {
        return Ok(Detected::top(&NATIVE));
    }
    if let Some(format) = shape.rejected.filter(is_any) {
        return Ok(Detected::top(format));
    }
    for format in all_formats().filter(is_any) {
        if let Some(place) = place_of(format, shape) {
            return Ok(Detected { format, place });
        }
    }
    if let Some(format) = request.format {
        let place = insist(shape, format, &request.renames)?;
        return Ok(Detected { format, place });
    }
    let top = |format: &'static Format| Ok(Detected::top(format));
    match &shape.content {
        Content::Nothing => top(&NATIVE),
        Content::Markup => top(&LINKED_DATA),
        Content::JsonLines
            if !request.renames.is_empty() || shape.names.is_empty() || looks_native(shape) =>
        {
            top(&NATIVE)
        }
        // Rejected rows of an unknown platform come from a table.
        Content::JsonLines if shape.is_rejected => top(&TABLE),
        Content::Text(..) | Content::Sheet(_) => top(&TABLE),
        // A page beyond the last, or a quiet day.
        Content::Json(document) if is_empty(document) => Ok(Detected {
            format: &TABLE,
            place: Place::Nowhere,
        }),
        // A Takeout of a business without reviews.
        Content::Json(document) if document.get() == "{}" => Ok(Detected {
            format: find_format("google").unwrap_or(&TABLE),
            place: Place::Nowhere,
        }),
        Content::Json(document)
            if !document.get().contains('\n')
                && shape.arrays.is_empty()
                && (!request.renames.is_empty() || looks_native(shape)) =>
        {
            top(&NATIVE)
        }
        Content::Json(_) | Content::JsonValues(_) | Content::JsonLines | Content::Other => {
            Err(FileError::new(format!(
                "is {}: none of the known formats ({}); {}",
                describe(shape),
                format_names().collect::<Vec<_>>().join(", "),
                advise(shape)
            )))
        }
    }
}

/// Where the rows of that format are, if the file has it.
fn place_of(format: &'static Format, shape: &FileShape<'_>) -> Option<Place> {
    // A table made for this program may have our columns, but it is still a table.
    if shape.is_table() && format.reader != Reader::Columns {
        return None;
    }
    let has_keys = |members: &BTreeSet<String>| {
        let mut keys = format.keys.iter();
        keys.any(|set| names(set).all(|name| has(members, name)))
    };
    let reviews = shape
        .arrays
        .iter()
        .position(|(array, _)| array.path == "reviews");
    let is_document = matches!(shape.content, Content::Json(_))
        && names(format.document).any(|name| shape.names.contains(name))
        // Either no row identifies another format, or the members beside the rows suffice.
        && (names(format.document).any(|name| name == "business")
            || reviews.is_none_or(|number| has_keys(&shape.arrays[number].1)));
    if is_document {
        return Some(reviews.map_or(Place::Nowhere, Place::Array));
    }
    shape.find_place(has_keys)
}

/// Refuses options for tables if the file is not a table.
fn refuse_options_of_tables(
    shape: &FileShape<'_>,
    request: &ImportRequest,
) -> Result<(), FileError> {
    let is_workbook = matches!(shape.content, Content::Sheet(_));
    for (what, is_given, is_there) in [
        ("sheet", request.sheet.is_some(), is_workbook),
        ("header-row", request.header_row.is_some(), shape.is_table()),
    ] {
        if is_given && !is_there && shape.rejected.is_none() {
            let content = describe(shape);
            return Err(FileError::new(format!(
                "is {content}, which has no {what}; leave --{what} out"
            )));
        }
    }
    Ok(())
}

/// Members of an answer that says that something went wrong, by their letters.
const ERRORS: Names =
    "error, errors, errormessage, errorcode, errortype, exception, fault, faultstring";
/// Members of an answer that state whether all went well.
const STATES: Names = "status, state, statuscode, code, success";
/// Their values if it did not, besides the statuses of HTTP.
const FAILURES: Names = "error, errors, fail, failed, failure, false, pending, processing, running, queued, waiting, in progress, timeout";

fn is_in(list: Names, name: &str) -> bool {
    names(list).any(|known| known == name)
}

fn plain(name: &str) -> String {
    letters(name).collect()
}

/// The member of a document without rows by which it says that something went wrong.
fn error_of(document: &RawValue) -> Option<String> {
    let says_error = |(name, value): (&String, &&RawValue)| {
        let value: Value = serde_json::from_str(value.get()).unwrap_or_default();
        let name = plain(name);
        let is_set = match &value {
            Value::Null | Value::Bool(false) => false,
            Value::String(text) => !text.is_empty(),
            Value::Array(list) => !list.is_empty(),
            Value::Object(members) => !members.is_empty(),
            Value::Bool(true) => true,
            Value::Number(number) => number.as_i64() != Some(0),
        };
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_lowercase);
        let is_bad = || {
            is_in(FAILURES, text.trim())
                || text
                    .parse::<u16>()
                    .is_ok_and(|code| (400..600).contains(&code))
        };
        is_in(ERRORS, &name) && is_set || is_in(STATES, &name) && is_bad()
    };
    let members: BTreeMap<String, &RawValue> = json::members(document);
    let found = members.iter().find(|member| says_error(*member));
    found.map(|(name, _)| name.clone())
}

/// Whether a document is an export without rows: an empty list, an empty object, or one with an empty list of reviews.
fn is_empty(document: &RawValue) -> bool {
    const LISTS: [&str; 4] = ["reviews", "results", "data", "items"];
    let is_list = |value: &RawValue| {
        let mut list = value.get().chars().filter(|c| !c.is_whitespace());
        list.next() == Some('[') && list.all(|c| matches!(c, '[' | ']'))
    };
    let members = json::members(document);
    is_list(document)
        || members
            .iter()
            .any(|(name, value)| LISTS.contains(&name.as_str()) && is_list(value))
}

/// Advice on importing a file of an unknown format: JSON as a table whose columns are the members of its objects.
fn advise(shape: &FileShape<'_>) -> String {
    if !shape.is_json() {
        return "convert it to a table (CSV) with a header line".to_owned();
    }
    let members = shape
        .arrays
        .first()
        .map_or(&shape.names, |(_, names)| names);
    let is_needed = |field: &ReviewField| {
        matches!(
            field,
            ReviewField::Rating | ReviewField::Date | ReviewField::Author | ReviewField::Text
        )
    };
    let mut advice = "to read it anyway, pass --format table".to_owned();
    for (field, list) in &TABLE.fields {
        if is_needed(field) && !names(list).any(|name| has(members, name)) {
            // Writing to a `String` cannot fail.
            let _ = write!(advice, " --map {}=THEIR_FIELD", field.name());
        }
    }
    advice
}

/// Whether the first line is that of an export, with the business and the editorial texts. Only exports contain the
/// setting `publish_staff`.
fn is_lines_with_business(shape: &FileShape<'_>) -> bool {
    let begins = |start: &str| shape.names.iter().any(|name| name.starts_with(start));
    let (is_lines, has_staff) = if let Content::Json(document) = &shape.content {
        let members = json::members(document);
        let business = members
            .get("business")
            .map(|business| json::members(business));
        let has_staff = business.is_some_and(|members| members.contains_key("publish_staff"));
        (!document.get().contains('\n'), has_staff)
    } else {
        let is_lines = matches!(shape.content, Content::JsonLines);
        (is_lines, shape.names.contains("business.publish_staff"))
    };
    is_lines && (begins("editorial") || has_staff) && !begins("reviews")
}

/// The place of the rows, if the file can be read as the requested format.
fn insist(shape: &FileShape<'_>, format: &Format, renames: &[Rename]) -> Result<Place, FileError> {
    let is_json = shape.is_json() || matches!(shape.content, Content::Nothing);
    let fits = match format.reader {
        Reader::Document | Reader::Native => is_json,
        Reader::Columns => is_json || shape.is_table(),
        Reader::LinkedData => is_json || matches!(shape.content, Content::Markup),
    };
    if !fits {
        let (content, format) = (describe(shape), format.name);
        return Err(FileError::new(format!(
            "is {content}, which cannot be read as {format}; leave --format out, or pass --format table for a table"
        )));
    }
    // The rows are in the object that has the members of `--map`.
    let has_mapped = |names: &BTreeSet<String>| {
        let mut renames = renames
            .iter()
            .filter(|rename| !rename.theirs.is_empty())
            .peekable();
        renames.peek().is_some() && renames.all(|rename| has(names, &rename.theirs))
    };
    let is_lines = matches!(shape.content, Content::JsonLines);
    let has_arrays = !is_lines && !shape.arrays.is_empty();
    let first = if has_arrays {
        Place::Array(0)
    } else {
        Place::Top
    };
    Ok(shape.find_place(has_mapped).unwrap_or(first))
}

/// Whether the lines are probably native records, even if faulty.
fn looks_native(shape: &FileShape<'_>) -> bool {
    let ours = ["id", "rating", "date", "author", "text", "deleted"];
    ours.iter()
        .filter(|name| shape.names.contains(**name))
        .count()
        >= 2
}

/// Maximum number of names in a description.
const NAMES_SHOWN_MAX: usize = 12;

/// A description of the file for messages.
pub fn describe(shape: &FileShape<'_>) -> String {
    let list = |names: &BTreeSet<String>| {
        let outer = |name: &String| name.split(['.', '[']).next().unwrap_or_default().to_owned();
        let names: BTreeSet<String> = names.iter().map(outer).collect();
        let mut names: Vec<String> = names.into_iter().filter(|name| name != "^").collect();
        if names.len() > NAMES_SHOWN_MAX {
            names.truncate(NAMES_SHOWN_MAX);
            names.push("…".to_owned());
        }
        names.join(", ")
    };
    match (&shape.content, shape.arrays.first()) {
        (Content::Nothing, _) => "an empty file".to_owned(),
        (Content::Json(_) | Content::JsonValues(_), Some((array, members)))
            if array.path.is_empty() =>
        {
            format!("a JSON array of objects with keys {}", list(members))
        }
        (Content::Json(_), Some((array, members))) => format!(
            "a JSON object with keys {}, whose {} has objects with keys {}",
            list(&shape.names),
            array.path,
            list(members)
        ),
        (Content::Json(document), None) if document.get().starts_with('[') => {
            "a JSON array without objects".to_owned()
        }
        (Content::Json(_) | Content::JsonValues(_), _) => {
            format!("a JSON object with keys {}", list(&shape.names))
        }
        (Content::JsonLines, _) => {
            format!("JSON Lines of objects with keys {}", list(&shape.names))
        }
        (Content::Markup, _) => "a page of HTML or XML".to_owned(),
        (Content::Text(_, columns), _) => {
            format!("a table with the columns {}", list_columns(columns))
        }
        (Content::Sheet(columns), _) => {
            format!("a workbook with the columns {}", list_columns(columns))
        }
        (Content::Other, _) => "a text without a header line of several columns".to_owned(),
    }
}

// The rows of a file, by its format.

const NOT_UTF8: &str = "is not UTF-8; save it as UTF-8, or convert it, for example from Windows-1252 with `iconv -f WINDOWS-1252 \
     -t UTF-8`";

/// A file that was read.
pub struct InputFile {
    /// For messages.
    pub name: String,
    /// Its rows by format; one, unless it is a file of rejected rows.
    pub parts: Vec<Part>,
}

pub struct Part {
    pub format: &'static Format,
    pub rows: Rows,
    /// The business in another instance's `/reviews.json`, as JSON.
    pub business: Option<Box<str>>,
}

pub enum Rows {
    Table(Table),
    /// Native records of a table.
    NativeTable(Table),
    /// Native records.
    Records(Vec<RawRow>),
}

impl Part {
    const fn new(format: &'static Format, rows: Rows) -> Self {
        Self {
            format,
            rows,
            business: None,
        }
    }

    fn of_table(format: &'static Format, table: Table) -> Self {
        let rows = if format.is_native() {
            Rows::NativeTable(table)
        } else {
            Rows::Table(table)
        };
        Self::new(format, rows)
    }

    fn of_rows(format: &'static Format, rows: Vec<RawRow>) -> Self {
        if matches!(format.reader, Reader::Native | Reader::Document) {
            return Self::new(format, Rows::Records(rows));
        }
        let mut objects = Objects::default();
        rows.iter().for_each(|row| objects.add(row));
        Self::new(format, Rows::Table(objects.table))
    }
}

/// The rows of a file, in UTF-8 or an encoding of one byte.
pub fn read_file(bytes: &[u8], request: &ImportRequest) -> Result<Vec<Part>, FileError> {
    if request.is_sample {
        return Ok(vec![Part::of_rows(&NATIVE, json::lines(bytes).collect())]);
    }
    let trimmed = bytes.trim_ascii();
    let utf8 = || std::str::from_utf8(bytes).map_err(|_| FileError::new(NOT_UTF8));
    let is_object = |line: &[u8]| line.trim_ascii_start().starts_with(b"{");
    let content = match trimmed.first() {
        None => Content::Nothing,
        Some(b'[') => Content::Json(serde_json::from_str(utf8()?)?),
        Some(b'{') => match std::str::from_utf8(bytes) {
            Ok(text) => match serde_json::from_str(text) {
                Ok(document) if json::is_rejected(document) => Content::JsonLines,
                Ok(document) => Content::Json(document),
                Err(_) if json::is_lines(text.trim()) => Content::JsonLines,
                Err(_) => Content::JsonValues(json::values(text)?),
            },
            // Each line may be broken for itself.
            Err(_) if memchr::memchr(b'\n', trimmed).is_some() => Content::JsonLines,
            Err(_) => return Err(FileError::new(NOT_UTF8)),
        },
        Some(b'<') => Content::Markup,
        Some(_) => match text::sniff(bytes, request) {
            Some((dialect, columns)) => Content::Text(dialect, columns),
            // The first line may be broken.
            None if trimmed.split(|byte| *byte == b'\n').any(is_object) => Content::JsonLines,
            None => match request.header_row {
                Some(row) if !text::has_row(bytes, row) => return Err(text::missing_row(row)),
                Some(_) | None => Content::Other,
            },
        },
    };
    let shape = FileShape::of(content, trimmed);
    let Detected { format, place } = detect(&shape, request)?;
    if shape.is_rejected {
        return Ok(rejected_parts(bytes, format, request));
    }
    if format.reader == Reader::LinkedData {
        let texts = if matches!(shape.content, Content::Markup) {
            linked_data::script_texts(trimmed)?
        } else {
            vec![utf8()?.to_owned()]
        };
        let reviews = linked_data::reviews(&texts, matches!(shape.content, Content::Markup))?;
        return Ok(vec![Part::new(format, Rows::Table(reviews))]);
    }
    let rows = match (&shape.content, shape.array(place)) {
        (Content::Text(dialect, columns), _) => {
            let table = text::read_text(bytes, *dialect, columns.clone())?;
            return Ok(vec![Part::of_table(format, table)]);
        }
        (Content::JsonLines, _) => json::lines(bytes).collect(),
        (Content::Json(_) | Content::JsonValues(_), Some(array)) => {
            if matches!(format.reader, Reader::Columns) {
                let table = array.table(utf8()?);
                return Ok(vec![Part::new(format, Rows::Table(table))]);
            }
            array.rows(utf8()?)
        }
        (Content::Json(document), None)
            if place == Place::Top
                && format.reader != Reader::Document
                && document.get().starts_with('{') =>
        {
            vec![RawRow::of_document(document.get())]
        }
        _ => Vec::new(),
    };
    let mut part = Part::of_rows(format, rows);
    if let (Reader::Document, Content::Json(document)) = (format.reader, &shape.content) {
        let business = json::members(document).remove("business");
        part.business = business.map(|value| value.get().into());
    }
    Ok(vec![part])
}

/// The rows of a workbook.
pub fn read_workbook(packed: &[u8], request: &ImportRequest) -> Result<Vec<Part>, FileError> {
    let (place, columns) = workbook::find_sheet(packed, request)?;
    let shape = FileShape::of(Content::Sheet(columns.clone()), &[]);
    let format = detect(&shape, request)?.format;
    let table = workbook::read_sheet(packed, place, columns)?;
    Ok(vec![Part::of_table(format, table)])
}

/// The rows in a file of rejected rows, which may have several formats; `format` is that of rows that name none.
fn rejected_parts(bytes: &[u8], format: &'static Format, request: &ImportRequest) -> Vec<Part> {
    let mut by_format: Vec<(&'static Format, Vec<RawRow>)> = Vec::new();
    for (named, row) in json::rejected_rows(bytes) {
        let format = named.filter(|_| request.format.is_none()).unwrap_or(format);
        match by_format
            .iter_mut()
            .find(|(known, _)| known.name == format.name)
        {
            Some((_, rows)) => rows.push(row),
            None => by_format.push((format, vec![row])),
        }
    }
    let parts = by_format.into_iter();
    parts
        .map(|(format, rows)| Part::of_rows(format, rows))
        .collect()
}
