//! Detects a file's format by its content, never by its name, because half of all exports are named `reviews.json`.
//! Detection looks at names, never at values but the errors of an answer without rows.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::imports::export::is_export;
use crate::imports::map::table::{Table, list_columns};
use crate::imports::map::values::{Names, is_in, letters, names, same_name};
use crate::imports::map::{COLUMNS, ReviewField};
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
    /// A JSON document, or several that follow each other.
    Json(Vec<&'t str>),
    /// The arrays in a JSON document that is broken somewhere.
    BrokenJson(Vec<RowArray<'t>>),
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

/// Where the rows of a file may be.
#[derive(Debug)]
struct Place<'t> {
    /// The members of the rows, or the columns of a table.
    names: BTreeSet<String>,
    /// `None` if the rows are the lines, the table, the page, or the document itself.
    array: Option<RowArray<'t>>,
}

/// What is known of a file, from its names.
#[derive(Debug)]
pub struct FileShape<'t> {
    content: Content<'t>,
    /// Of lines.
    text: &'t [u8],
    /// The file itself, then the arrays of objects in it.
    places: Vec<Place<'t>>,
}

/// Maximum depth of the array of rows in a document.
const DEEP_MAX: usize = 4;
/// Number of lines that are looked at, because a member may be missing in the first line.
const LINES_MAX: usize = 50;

impl<'t> FileShape<'t> {
    fn of(mut content: Content<'t>, text: &'t [u8]) -> Self {
        let mut arrays = Vec::new();
        let names = match &mut content {
            Content::BrokenJson(found) => {
                arrays.append(found);
                BTreeSet::new()
            }
            Content::Json(values) => match values.as_slice() {
                [document] => {
                    json::arrays(document, "", DEEP_MAX, &mut arrays);
                    json::members(document).into_keys().collect()
                }
                values => {
                    arrays.push(RowArray {
                        path: String::new(),
                        elements: values.iter().map(|value| (*value, None)).collect(),
                    });
                    BTreeSet::new()
                }
            },
            Content::JsonLines => {
                let lines = text.split(|byte| *byte == b'\n');
                let lines = lines.filter_map(|line| std::str::from_utf8(line).ok());
                let lines = lines.filter(|line| line.trim_start().starts_with('{'));
                json::names(lines.take(LINES_MAX))
            }
            Content::Text(_, columns) | Content::Sheet(columns) => {
                columns.iter().cloned().collect()
            }
            Content::Nothing | Content::Markup | Content::Other => BTreeSet::new(),
        };
        // Elements that match no format may themselves hold arrays of reviews.
        let inner: Vec<_> = arrays.iter().flat_map(RowArray::inner).collect();
        arrays.extend(inner);
        let top = Place { names, array: None };
        let arrays = arrays.into_iter().map(|array| Place {
            names: array.names(),
            array: Some(array),
        });
        let places = std::iter::once(top).chain(arrays).collect();
        Self {
            content,
            text,
            places,
        }
    }

    /// The objects at a place.
    fn objects(&self, place: &Place<'t>) -> Vec<Value> {
        let lines = || self.text.split(|byte| *byte == b'\n');
        let rows: Vec<&[u8]> = match &place.array {
            Some(array) => array
                .elements
                .iter()
                .map(|(row, _)| row.as_bytes())
                .collect(),
            None => lines().collect(),
        };
        let parsed = rows
            .into_iter()
            .filter_map(|row| serde_json::from_slice(row).ok());
        parsed.filter(Value::is_object).collect()
    }

    /// The members of the document or of the lines, or the columns of the table.
    fn names(&self) -> &BTreeSet<String> {
        &self.places[0].names
    }

    /// The arrays, each with the members of its elements.
    fn arrays(&self) -> impl Iterator<Item = (&RowArray<'t>, &BTreeSet<String>)> {
        let places = self.places.iter();
        places.filter_map(|place| Some((place.array.as_ref()?, &place.names)))
    }

    /// The document, if the file is one.
    fn document(&self) -> Option<&'t str> {
        let Content::Json(values) = &self.content else {
            return None;
        };
        values.first().copied().filter(|_| values.len() == 1)
    }

    /// The columns of a table.
    fn columns(&self) -> Option<&[String]> {
        if let Content::Text(_, columns) | Content::Sheet(columns) = &self.content {
            return Some(columns);
        }
        None
    }

    const fn is_json(&self) -> bool {
        matches!(
            self.content,
            Content::Json(_) | Content::BrokenJson(_) | Content::JsonLines
        )
    }

    /// The place whose rows have such members: the top level, or the longest array.
    fn find_place(&self, is_so: impl Fn(&BTreeSet<String>) -> bool) -> Option<usize> {
        let found = (0..)
            .zip(&self.places)
            .filter(|(_, place)| is_so(&place.names));
        let length = |place: &Place<'_>| place.array.as_ref().map(|it| it.elements.len());
        // Of equal ones `max_by_key` takes the last, and the top level goes before all.
        let found = found.map(|(number, place)| (length(place).unwrap_or(usize::MAX), number));
        let found: Vec<_> = found.collect();
        let longest = found.iter().rev().max_by_key(|(length, _)| *length);
        longest.map(|(_, number)| *number)
    }
}

/// Minimum number of a platform's columns in a table that spells its headers in another way.
const COLUMNS_MIN: usize = 5;

/// Whether there is a name `name` except for case, or one inside it: a name that identifies a format may be that of an object or
/// an array.
fn has_key(names: &BTreeSet<String>, name: &str) -> bool {
    let is_name = |member: &String| {
        let inside = member.strip_prefix(name);
        inside.is_some_and(|rest| rest.starts_with(['.', '['])) || member.eq_ignore_ascii_case(name)
    };
    names.iter().any(is_name)
}

/// The same except for punctuation, too.
fn has(names: &BTreeSet<String>, name: &str) -> bool {
    let is_spelled_freely = !name.starts_with('@');
    has_key(names, name) || is_spelled_freely && names.iter().any(|member| same_name(member, name))
}

/// The format of a file, and the number of the place of its rows; `None` if the document has none.
type Detected = (&'static Format, Option<usize>);

/// The place of the file itself.
const TOP: Option<usize> = Some(0);

/// Of a file whose reviews were written by one Google Maps user, and are not about the business.
pub const MAPS_REVIEWS: &str = "holds the places that a Google Maps user has reviewed, not the reviews of a business; \
     export `Google Business Profile` with https://takeout.google.com and give its reviews.json, or the whole archive";

/// The requested format, or the detected one.
fn detect(shape: &FileShape<'_>, request: &ImportRequest) -> Result<Detected, FileError> {
    refuse_options_of_tables(shape, request)?;
    let top_names = shape.names();
    // GeoJSON's FeatureCollection (RFC 7946 §3.3): Google Maps exports a user's reviews as such.
    if ["features", "type"]
        .iter()
        .all(|name| top_names.contains(*name))
        && !top_names.contains("rating")
    {
        return Err(FileError::new(MAPS_REVIEWS));
    }
    let mut rows = shape
        .arrays()
        .filter(|(array, _)| !is_in(ERRORS, &plain(&array.path)));
    if rows.next().is_none()
        && let Some(error) = shape.document().and_then(error_of)
    {
        return Err(FileError::new(format!(
            "is an answer of the source without reviews, not an export: its `{error}` says that something went wrong, or that it \
             is not ready; fetch it again"
        )));
    }
    let requested = request.format;
    if requested.is_none_or(Format::is_native)
        && (shape.columns().is_some_and(is_export) || is_lines_with_business(shape))
    {
        return Ok((&NATIVE, TOP));
    }
    for format in all_formats() {
        if requested.is_none_or(|requested| requested.name == format.name)
            && let Some((format, place)) = detected_as(format, shape)
        {
            let may_be_foreign =
                requested.is_none() && format.is_native() && request.renames.is_empty();
            let rows = place.map(|number| &shape.places[number]);
            let rows = rows.filter(|_| may_be_foreign);
            let is_foreign = rows.is_some_and(|rows| are_foreign(rows, shape));
            return Ok((if is_foreign { &TABLE } else { format }, place));
        }
    }
    if let Some(format) = requested {
        return insist(shape, format, request);
    }
    let is_like_native = !request.renames.is_empty() || looks_native(shape);
    match (&shape.content, shape.document()) {
        (Content::Nothing, _) => Ok((&NATIVE, TOP)),
        (Content::Markup, _) => Ok((&LINKED_DATA, TOP)),
        (Content::JsonLines, _) if is_like_native || top_names.is_empty() => Ok((&NATIVE, TOP)),
        (Content::Text(..) | Content::Sheet(_), _) => Ok((&TABLE, TOP)),
        // A page beyond the last, or a quiet day.
        (_, Some(document)) if is_empty(document) => Ok((&TABLE, None)),
        // A Takeout of a business without reviews.
        (_, Some("{}")) => Ok((find_format("google").unwrap_or(&TABLE), None)),
        (_, Some(document))
            if !document.contains('\n') && shape.places.len() == 1 && is_like_native =>
        {
            Ok((&NATIVE, TOP))
        }
        _ => Err(FileError::new(format!(
            "is {}: none of the known formats ({}); {}",
            describe(shape),
            format_names().collect::<Vec<_>>().join(", "),
            advise(shape)
        ))),
    }
}

/// That format, with the place of its rows, if the file has it.
fn detected_as(format: &'static Format, shape: &FileShape<'_>) -> Option<Detected> {
    let is_table = shape.columns().is_some();
    // A table made for this program may have our columns, but it is still a table.
    if is_table && format.reader != Reader::Columns {
        return None;
    }
    let has_keys = |members: &BTreeSet<String>| {
        let has_field = |field| format.columns(field).any(|name| has(members, name));
        // A table of somebody else may have a few of its headers.
        let is_whole = !is_table
            || (has_field(ReviewField::Rating) || has_field(ReviewField::Recommended))
                && has_field(ReviewField::Date)
                && has_field(ReviewField::Text);
        let mut keys = format.keys.iter();
        let fields = format.fields.keys().filter(|field| has_field(**field));
        let is_spelled_freely = is_table && !format.is_json && fields.count() >= COLUMNS_MIN;
        is_whole
            && keys.any(|set| {
                // Common words are no sign of a platform that gives only JSON.
                let is_sign = |name: &str| name.contains(|c: char| c == '.' || c.is_uppercase());
                (!is_table || !format.is_json || names(set).any(is_sign))
                    && names(set).all(|name| {
                        has_key(members, name) || is_spelled_freely && has(members, name)
                    })
            })
    };
    let is_reviews =
        |place: &Place<'_>| place.array.as_ref().is_some_and(|it| it.path == "reviews");
    let reviews = shape.places.iter().position(is_reviews);
    let is_document = shape.document().is_some()
        && names(format.document).any(|name| shape.names().contains(name))
        // Either no row identifies another format, or the members beside the rows suffice.
        && (names(format.document).any(|name| name == "business")
            || reviews.is_none_or(|number| has_keys(&shape.places[number].names)));
    // A document without rows has none only if it says so.
    let says_none = || {
        let members = shape.document().map(json::members).unwrap_or_default();
        let has_no_rows = |(name, value): (&String, &&str)| match name.as_str() {
            "reviews" => json::elements(value).is_empty() && value.starts_with('['),
            "totalReviewCount" | "averageRating" => value.parse().is_ok_and(|it: f64| it < 0.1),
            _ => false,
        };
        members.iter().any(has_no_rows)
    };
    if is_document && (reviews.is_some() || format.reader == Reader::Document || says_none()) {
        return Some((format, reviews));
    }
    Some((format, Some(shape.find_place(has_keys)?)))
}

/// Refuses options for tables if the file is not a table.
fn refuse_options_of_tables(
    shape: &FileShape<'_>,
    request: &ImportRequest,
) -> Result<(), FileError> {
    let is_workbook = matches!(shape.content, Content::Sheet(_));
    for (part, is_given, is_there) in [
        ("sheet", request.sheet.is_some(), is_workbook),
        (
            "header-row",
            request.header_row.is_some(),
            shape.columns().is_some(),
        ),
    ] {
        if is_given && !is_there {
            let content = describe(shape);
            return Err(FileError::new(format!(
                "is {content}, which has no {part}; leave --{part} out"
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

fn plain(name: &str) -> String {
    letters(name).collect()
}

/// The member of a document without rows by which it says that something went wrong.
fn error_of(document: &str) -> Option<String> {
    let says_error = |(name, value): (&String, &&str)| {
        let (name, value) = (plain(name), value.trim_matches('"').to_lowercase());
        let is_set = !matches!(value.as_str(), "null" | "false" | "" | "[]" | "{}" | "0");
        let is_code = || {
            value
                .parse()
                .is_ok_and(|code: u16| (400..600).contains(&code))
        };
        let is_bad = || is_in(FAILURES, value.trim()) || is_code();
        is_in(ERRORS, &name) && is_set || is_in(STATES, &name) && is_bad()
    };
    let members = json::members(document);
    let found = members.iter().find(|member| says_error(*member));
    found.map(|(name, _)| name.clone())
}

/// Whether a document is an export without rows: an empty list, an empty object, or one with an empty list of reviews.
fn is_empty(document: &str) -> bool {
    const LISTS: [&str; 4] = ["reviews", "results", "data", "items"];
    let is_list = |value: &str| {
        let mut list = value.chars().filter(|c| !c.is_whitespace());
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
        return "convert it to a table (CSV) with a header line, or name the row of the header with --header-row".to_owned();
    }
    let members = shape
        .arrays()
        .next()
        .map_or(shape.names(), |(_, names)| names);
    let mut advice = "to read it anyway, pass --format table".to_owned();
    for field in [
        ReviewField::Rating,
        ReviewField::Date,
        ReviewField::Author,
        ReviewField::Text,
    ] {
        if !names(&TABLE.fields[&field]).any(|name| has(members, name)) {
            // Writing to a `String` cannot fail.
            let _ = write!(advice, " --map {}=THEIR_FIELD", field.name());
        }
    }
    advice
}

/// Whether the first line is that of an export, with the business and the editorial texts. Only exports contain the
/// setting `publish_staff`.
fn is_lines_with_business(shape: &FileShape<'_>) -> bool {
    let begins = |start: &str| shape.names().iter().any(|name| name.starts_with(start));
    let (is_lines, has_staff) = if let Some(document) = shape.document() {
        let business = json::members(document)
            .remove("business")
            .map(json::members);
        let has_staff = business.is_some_and(|members| members.contains_key("publish_staff"));
        (!document.contains('\n'), has_staff)
    } else {
        let is_lines = matches!(shape.content, Content::JsonLines);
        (is_lines, shape.names().contains("business.publish_staff"))
    };
    is_lines && (begins("editorial") || has_staff) && !begins("reviews")
}

/// The place of the rows, if the file can be read as the requested format.
fn insist(
    shape: &FileShape<'_>,
    format: &'static Format,
    request: &ImportRequest,
) -> Result<Detected, FileError> {
    let is_json = shape.is_json() || matches!(shape.content, Content::Nothing);
    let fits = match format.reader {
        Reader::Document | Reader::Native => is_json,
        Reader::Columns => is_json || shape.columns().is_some(),
        Reader::LinkedData => is_json || matches!(shape.content, Content::Markup),
    };
    if !fits {
        let (content, format) = (describe(shape), format.name);
        return Err(FileError::new(format!(
            "is {content}, which cannot be read as {format}; leave --format out, or pass --format table for a table"
        )));
    }
    // The rows are in the object that has the members of `--map`.
    let renames = request.renames.iter().map(|rename| rename.theirs.as_str());
    let theirs: Vec<&str> = renames.filter(|theirs| !theirs.is_empty()).collect();
    let has_mapped = |names: &BTreeSet<String>| {
        !theirs.is_empty() && theirs.iter().all(|theirs| has(names, theirs))
    };
    // Otherwise in the one with the most columns of reviews.
    let needed = [ReviewField::Rating, ReviewField::Date, ReviewField::Text];
    let known = |place: &Place<'_>| {
        let has_field =
            |field: &&ReviewField| format.columns(**field).any(|name| has(&place.names, name));
        needed.iter().filter(has_field).count()
    };
    let arrays = shape.places.iter().enumerate().skip(1).rev();
    let best = arrays.max_by_key(|(_, place)| known(place));
    let best = best.map_or(0, |(number, _)| number);
    Ok((format, Some(shape.find_place(has_mapped).unwrap_or(best))))
}

/// The members that only native records have.
const OURS: [&str; 7] = [
    "mentions",
    "verification.method",
    "withheld_reason",
    "decided",
    "imported_from",
    "id_at_source",
    "fingerprints",
];

/// Whether rows that have the names of native records are somebody else's: they have members by which a table is read and that
/// native records do not have, such as `reply`, or values of other kinds.
fn are_foreign(rows: &Place<'_>, shape: &FileShape<'_>) -> bool {
    let outer = |path: &str| path.split(['.', '[']).next().unwrap_or_default().to_owned();
    let ours: BTreeSet<String> = COLUMNS.into_iter().chain(["url"]).map(outer).collect();
    let mut others = rows.names.iter().map(|path| outer(path));
    let has_others = others.any(|name| {
        let mut lists = TABLE.fields.values();
        !ours.contains(&name) && lists.any(|list| names(list).any(|known| same_name(known, &name)))
    });
    let is_ours = || OURS.iter().any(|name| has_key(&rows.names, name));
    has_others || !is_ours() && !shape.objects(rows).iter().all(fits_native)
}

/// Whether the members of a record have the kinds of values that native records have.
fn fits_native(record: &Value) -> bool {
    let fits = |name: &str, is_so: fn(&Value) -> bool| record.get(name).is_none_or(is_so);
    let is_object = |value: &Value| value.is_object() || value.is_null();
    let is_day = |day: &Value| {
        day.as_str()
            .is_some_and(|day| !day.contains(['/', '.', ':']))
    };
    ["id", "author", "text"]
        .iter()
        .all(|name| fits(name, Value::is_string))
        && fits("rating", Value::is_number)
        && fits("date", is_day)
        && ["source", "verification", "response"]
            .iter()
            .all(|name| fits(name, is_object))
}

/// Whether the lines are probably native records, even if faulty.
fn looks_native(shape: &FileShape<'_>) -> bool {
    let ours = ["id", "rating", "date", "author", "text", "deleted"];
    ours.iter()
        .filter(|name| shape.names().contains(**name))
        .count()
        >= 2
}

/// Maximum number of names in a description.
const NAMES_SHOWN_MAX: usize = 12;

/// A description of the file for messages.
fn describe(shape: &FileShape<'_>) -> String {
    let list = |names: &BTreeSet<String>| {
        let outer = |name: &String| name.split(['.', '[']).next().unwrap_or_default().to_owned();
        let mut names: BTreeSet<String> = names.iter().map(outer).collect();
        names.remove(json::PARENT);
        let more = if names.len() > NAMES_SHOWN_MAX {
            ", …"
        } else {
            ""
        };
        let names: Vec<String> = names.into_iter().take(NAMES_SHOWN_MAX).collect();
        names.join(", ") + more
    };
    let array = shape.arrays().next();
    let is_top = array.is_some_and(|(array, _)| array.path.is_empty());
    let kind = match &shape.content {
        Content::Nothing => return "an empty file".to_owned(),
        Content::Markup => return "a page of HTML or XML".to_owned(),
        Content::Other => return "a text without a header line of several columns".to_owned(),
        Content::Text(_, columns) => {
            return format!("a table with the columns {}", list_columns(columns));
        }
        Content::Sheet(columns) => {
            return format!("a workbook with the columns {}", list_columns(columns));
        }
        Content::JsonLines => "JSON Lines of objects",
        Content::BrokenJson(_) => "broken JSON",
        Content::Json(values) if values[0].starts_with('[') && array.is_none() => {
            return "a JSON array without objects".to_owned();
        }
        Content::Json(_) if is_top => "a JSON array of objects",
        Content::Json(_) => "a JSON object",
    };
    let (names, top) = (shape.names(), list(shape.names()));
    match array {
        Some((array, members)) if !is_top && !names.is_empty() => {
            let (path, members) = (&array.path, list(members));
            format!("{kind} with keys {top}, whose {path} has objects with keys {members}")
        }
        Some((_, members)) => format!("{kind} with keys {}", list(members)),
        None => format!("{kind} with keys {top}"),
    }
}

// The rows of a file, by its format.

const NOT_UTF8: &str = "is not UTF-8; save it as UTF-8, or convert it, for example from Windows-1252 with `iconv -f WINDOWS-1252 \
     -t UTF-8`";

/// A file that was read.
pub struct InputFile {
    /// For messages.
    pub name: String,
    pub format: &'static Format,
    pub rows: Rows,
    /// The business in another instance's `/reviews.json`, as JSON.
    pub business: Option<Box<str>>,
    /// A sentence for the owner about how it was read.
    pub note: Option<String>,
}

pub enum Rows {
    Table(Table),
    /// Native records in JSON.
    Records(Vec<RawRow>),
}

impl InputFile {
    fn new(name: String, format: &'static Format, rows: Rows) -> Self {
        let is_native = matches!(format.reader, Reader::Native | Reader::Document);
        let rows = match rows {
            Rows::Records(rows) if !is_native => {
                let mut objects = Objects::default();
                rows.iter().for_each(|row| objects.add(row));
                Rows::Table(objects.table)
            }
            Rows::Table(table) => Rows::Table(table.join_answers(format)),
            records @ Rows::Records(_) => records,
        };
        Self {
            name,
            format,
            rows,
            business: None,
            note: None,
        }
    }
}

/// What a text holds; JSON is UTF-8.
fn content_of<'t>(bytes: &'t [u8], request: &ImportRequest) -> Result<Content<'t>, FileError> {
    let trimmed = bytes.trim_ascii();
    let is_object = |line: &[u8]| line.trim_ascii_start().starts_with(b"{");
    Ok(match trimmed.first() {
        None => Content::Nothing,
        Some(b'[' | b'{') => {
            let text = std::str::from_utf8(bytes).map_err(|_| FileError::new(NOT_UTF8))?;
            match serde_json::from_str::<&RawValue>(text) {
                Ok(document) => Content::Json(vec![document.get()]),
                Err(_) if trimmed[0] == b'{' && json::is_lines(text.trim()) => Content::JsonLines,
                Err(_) => Content::Json(json::values(text)?),
            }
        }
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
    })
}

/// What a file holds, and the text in which its JSON is, with U+FFFD in place of what is no UTF-8.
fn read_content<'t>(
    bytes: &'t [u8],
    text: &'t mut Cow<'t, str>,
    request: &ImportRequest,
) -> Result<(Content<'t>, &'t str), FileError> {
    let is_json = matches!(bytes.trim_ascii().first(), Some(b'[' | b'{'));
    if !is_json {
        return Ok((content_of(bytes, request)?, ""));
    }
    *text = String::from_utf8_lossy(bytes);
    let text: &str = text;
    let content = content_of(text.as_bytes(), request).or_else(|fault| {
        let arrays = json::broken_arrays(text);
        let is_broken = !arrays.is_empty();
        is_broken
            .then_some(Content::BrokenJson(arrays))
            .ok_or(fault)
    });
    Ok((content?, text))
}

/// Reads a file, in UTF-8.
pub fn read_file(
    name: String,
    bytes: &[u8],
    request: &ImportRequest,
) -> Result<InputFile, FileError> {
    let lines = || Rows::Records(json::lines(bytes).collect());
    if request.is_sample {
        return Ok(InputFile::new(name, &NATIVE, lines()));
    }
    let trimmed = bytes.trim_ascii();
    let mut decoded = Cow::Borrowed("");
    let (content, text) = read_content(bytes, &mut decoded, request)?;
    let is_damaged = std::str::from_utf8(bytes).is_err();
    let shape = FileShape::of(content, trimmed);
    let (format, place) = detect(&shape, request)?;
    let place = place.map(|number| &shape.places[number]);
    let array = place.and_then(|place| place.array.as_ref());
    let business = request.business.as_ref().map(|it| it.name.as_str());
    let rows = match (&shape.content, array, shape.document()) {
        (Content::Markup, ..) if format.reader == Reader::LinkedData => {
            Rows::Table(linked_data::reviews_of_page(trimmed, business)?)
        }
        _ if format.reader == Reader::LinkedData && is_damaged => {
            return Err(FileError::new(NOT_UTF8));
        }
        _ if format.reader == Reader::LinkedData => {
            Rows::Table(linked_data::reviews_of_document(text, business)?)
        }
        (Content::Text(dialect, columns), ..) => {
            Rows::Table(text::read_text(bytes, *dialect, columns.clone())?)
        }
        (Content::JsonLines, ..) => lines(),
        (_, Some(array), _) => {
            let rows = array.rows(text, is_damaged);
            if format.reader == Reader::Columns {
                Rows::Table(array.table(&rows))
            } else {
                Rows::Records(rows)
            }
        }
        (_, None, Some(document))
            if place.is_some()
                && format.reader != Reader::Document
                && document.starts_with('{') =>
        {
            Rows::Records(vec![RawRow::of_document(document)])
        }
        _ => Rows::Records(Vec::new()),
    };
    let mut file = InputFile::new(name, format, rows);
    if let (Reader::Document, Some(document)) = (format.reader, shape.document()) {
        let business = json::members(document).remove("business");
        file.business = business.map(Into::into);
    }
    Ok(file)
}

/// Reads a workbook.
pub fn read_workbook(
    name: String,
    packed: &[u8],
    request: &ImportRequest,
) -> Result<InputFile, FileError> {
    let (place, columns) = workbook::find_sheet(packed, request)?;
    let shape = FileShape::of(Content::Sheet(columns.clone()), &[]);
    let (format, _) = detect(&shape, request)?;
    let table = workbook::read_sheet(packed, place, columns)?;
    Ok(InputFile::new(name, format, Rows::Table(table)))
}
