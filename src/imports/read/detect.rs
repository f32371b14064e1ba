//! Detects a file's format by its content, never by its name, because half of all exports are named `reviews.json`.
//! Detection looks at names; values only tell our own records from those of others, and an empty answer from a fault.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use encoding_rs::Encoding;
use serde_json::Value;

use crate::imports::limits::ImportLimits;
use crate::imports::map::fields::{COLUMNS, ReviewField, foreign_members, named_field};
use crate::imports::map::values::{WORDS, is_in, names, same_name};
use crate::imports::platforms::{Format, LINKED_DATA, NATIVE, Reader, TABLE, all_formats};
use crate::imports::read::json::{JsonText, RawRow, RowArray, too_large};
use crate::imports::read::text::{self, Decoded, Dialect, describe_damage};
use crate::imports::read::{linked_data, workbook};
use crate::imports::report::FileError;
use crate::imports::request::ImportRequest;
use crate::imports::request::{HAS_SECRET, Mask};
use crate::imports::table::{Cells, RowFault, Table, is_export, list_columns};
use crate::model::json::{member, visit};

/// What a file holds.
#[derive(Debug)]
enum FileContent<'t> {
    /// Only whitespace.
    Nothing,
    Json(JsonText<'t>),
    /// A page or another document with tags.
    Markup,
    /// Delimited text with these columns.
    Text(Dialect, Vec<String>),
    /// A workbook's sheet with these columns.
    Sheet(Vec<String>),
    /// Neither JSON nor markup nor a table; the row that may be its header.
    Other(Option<u64>),
}

/// What a name takes beside its letters.
const NAME_BYTES: usize = 64;

/// What is known of a file, from its names.
#[derive(Debug)]
struct FileShape<'t> {
    content: FileContent<'t>,
    /// The columns of a table. Of JSON the members of the document or the lines, then those of the rows of each array in it.
    places: Vec<BTreeSet<String>>,
}

impl<'t> FileShape<'t> {
    fn of(content: FileContent<'t>, limits: &mut ImportLimits<'_>) -> Result<Self, FileError> {
        let names = |array: &RowArray<'_>| {
            let names = array.names();
            let lengths = names.iter().map(|name| name.len() + NAME_BYTES);
            limits.take(lengths.sum())?;
            Ok::<_, FileError>(names)
        };
        let places = match &content {
            FileContent::Json(json) => json.places.iter().map(names).collect::<Result<_, _>>()?,
            FileContent::Text(_, columns) | FileContent::Sheet(columns) => {
                vec![columns.iter().cloned().collect()]
            }
            FileContent::Nothing | FileContent::Markup | FileContent::Other(_) => {
                vec![BTreeSet::new()]
            }
        };
        Ok(Self { content, places })
    }

    /// The members of the document or of the lines, or the columns of the table.
    fn names(&self) -> &BTreeSet<String> {
        &self.places[0]
    }

    /// The columns of a table.
    fn columns(&self) -> Option<&[String]> {
        if let FileContent::Text(_, columns) | FileContent::Sheet(columns) = &self.content {
            return Some(columns);
        }
        None
    }

    const fn json(&self) -> Option<&JsonText<'t>> {
        if let FileContent::Json(json) = &self.content {
            return Some(json);
        }
        None
    }

    /// The document, if the file is one.
    fn document(&self) -> Option<&'t str> {
        self.json().and_then(JsonText::document)
    }

    /// The place whose rows have such members: the top level, or the longest array.
    fn find_place(&self, is_so: impl Fn(&BTreeSet<String>) -> bool) -> Option<usize> {
        let length = |number: &usize| match (number, self.json()) {
            (0, _) | (_, None) => usize::MAX,
            (number, Some(json)) => json.places[*number].elements.len(),
        };
        let found = (0..self.places.len()).filter(|number| is_so(&self.places[*number]));
        // Of equal ones `max_by_key` takes the last.
        found.rev().max_by_key(length)
    }
}

/// Whether there is a name `name`, but for case, accents and punctuation, or one inside it: a name that identifies a format may be
/// that of an object or an array. A mark at its beginning counts: `@type`, `_id`.
fn has(names: &BTreeSet<String>, name: &str) -> bool {
    let is_name = |member: &String| {
        let inside = member.strip_prefix(name);
        let is_inside = inside.is_some_and(|rest| rest.starts_with(['.', '[']));
        let is_marked = name.starts_with(['@', '_']);
        is_inside
            || if is_marked {
                member == name
            } else {
                same_name(member, name)
            }
    };
    names.iter().any(is_name)
}

/// The format of a file, and the number of the place of its rows; `None` if the document has none.
type Detected = (&'static Format, Option<usize>);

/// The place of the file itself.
const TOP: Option<usize> = Some(0);

/// Of a file whose reviews were written by one Google Maps user, and are not about the business.
const MAPS_REVIEWS: &str = "holds the places that a Google Maps user has reviewed, not the reviews of a business; \
     export `Google Business Profile` with https://takeout.google.com and give its reviews.json, or the whole archive";

/// The requested format, or the detected one.
fn detect(shape: &FileShape<'_>, request: &ImportRequest) -> Result<Detected, FileError> {
    refuse_options_of_tables(shape, request)?;
    refuse_dump(shape)?;
    let top_names = shape.names();
    // GeoJSON's FeatureCollection (RFC 7946 §3.3): Google Maps exports a user's reviews as such.
    if ["features", "type"]
        .iter()
        .all(|name| top_names.contains(*name))
        && !top_names.contains("rating")
    {
        return Err(FileError::new(MAPS_REVIEWS));
    }
    let requested = request.format;
    if requested.is_none_or(Format::is_native) {
        // Whether it has other columns, too, its rows tell.
        if shape.columns().is_some_and(is_export) || begins_with_business(shape) {
            return Ok((&NATIVE, TOP));
        }
    }
    for format in all_formats() {
        if requested.is_none_or(|requested| requested.name == format.name)
            && let Some((format, place)) = detected_as(format, shape)
        {
            // A platform's document may have the same reviews twice.
            if format.is_native() {
                let has_reviews = |number| has_keys(format, &shape.places[number], false);
                refuse_several_lists(shape, place, has_reviews)?;
            }
            let is_ours = format.is_ours();
            let may_be_foreign = requested.is_none() && is_ours;
            let is_foreign = may_be_foreign
                && (!request.columns.maps.is_empty()
                    || place.is_some_and(|number| are_foreign(shape, number)));
            return Ok((if is_foreign { &TABLE } else { format }, place));
        }
    }
    // A page beyond the last, or a quiet day.
    if shape.document().is_some_and(is_empty) {
        return Ok((requested.unwrap_or(&TABLE), None));
    }
    if let Some(format) = requested {
        return insist(shape, format, request);
    }
    match &shape.content {
        FileContent::Nothing => Ok((&NATIVE, TOP)),
        FileContent::Markup => Ok((&LINKED_DATA, TOP)),
        // The faults of native records are those of rows.
        FileContent::Json(json) if json.is_lines() && top_names.is_empty() => Ok((&NATIVE, TOP)),
        FileContent::Json(_) if shape.places.iter().all(BTreeSet::is_empty) => {
            Err(FileError::new("is JSON without objects"))
        }
        FileContent::Text(..) | FileContent::Sheet(_) | FileContent::Json(_) => {
            insist(shape, &TABLE, request)
        }
        FileContent::Other(named) => Err(FileError::new(named.map_or(
            "is a text without a header line of several columns; convert it to a table (CSV) with a header line".to_owned(),
            |row| format!("has no header in its first row; the names are in row {row}: pass --header-row {row}"),
        ))),
    }
}

/// Whether members or columns have all names of one of the format's lists; a table of somebody else may have a few of them.
fn has_keys(format: &Format, members: &BTreeSet<String>, is_table: bool) -> bool {
    let has_field = |field| format.columns(field).any(|name| has(members, name));
    let is_whole = !is_table
        || (has_field(ReviewField::Rating) || has_field(ReviewField::Recommended))
            && has_field(ReviewField::Date)
            && has_field(ReviewField::Text);
    let mut keys = format.keys.iter();
    is_whole && keys.any(|set| names(set).all(|name| has(members, name)))
}

/// That format, with the place of its rows, if the file has it.
fn detected_as(format: &'static Format, shape: &FileShape<'_>) -> Option<Detected> {
    let is_table = shape.columns().is_some();
    // A table made for this program may have our columns, but it is still a table.
    if is_table && format.reader != Reader::Columns {
        return None;
    }
    if format.reader == Reader::Document {
        // A large business may fill all bytes that detection reads, so the members beside the rows suffice.
        let is_ours = is_document(shape);
        let array = shape.json().and_then(|json| json.find("reviews"));
        return (shape.document().is_some() && is_ours).then_some((format, array));
    }
    let place = shape.find_place(|members| has_keys(format, members, is_table))?;
    Some((format, Some(place)))
}

/// Refuses options for tables if the file is not a table.
fn refuse_options_of_tables(
    shape: &FileShape<'_>,
    request: &ImportRequest,
) -> Result<(), FileError> {
    let is_workbook = matches!(shape.content, FileContent::Sheet(_));
    let part = if request.sheet.is_some() && !is_workbook {
        "sheet"
    } else if request.header_row.is_some() && shape.columns().is_none() {
        "header-row"
    } else {
        return Ok(());
    };
    let content = describe(&shape.content);
    Err(FileError::new(format!(
        "is {content}, which has no {part}; leave --{part} out"
    )))
}

/// Members by which a dump names the types of its values (Extended JSON 2.0 of `MongoDB`, Firestore, `DynamoDB`).
const DUMPS: [(&str, &str); 6] = [
    ("$oid", "MongoDB"),
    ("$date", "MongoDB"),
    ("$numberInt", "MongoDB"),
    ("stringValue", "Firestore"),
    ("integerValue", "Firestore"),
    ("S, N", "DynamoDB"),
];

/// Refuses a dump of a database, which has an object in place of each value.
fn refuse_dump(shape: &FileShape<'_>) -> Result<(), FileError> {
    if shape.json().is_none() {
        return Ok(());
    }
    let mut inner = BTreeSet::new();
    for name in shape.places.iter().flatten() {
        inner.extend(name.rsplit_once('.').map(|(_, inner)| inner.to_owned()));
    }
    // One review, of which only the members of the document are known.
    let review = shape.document().filter(|it| it.starts_with('{'));
    visit(review.unwrap_or_default(), |_, value| {
        let value = Some(value).filter(|value| value.starts_with('{'));
        visit(value.unwrap_or_default(), |name, _| {
            inner.insert(name.to_owned());
            ControlFlow::<()>::Continue(())
        });
        ControlFlow::<()>::Continue(())
    });
    let is_there = |types: &'static str| names(types).all(|name| inner.contains(name));
    let dump = DUMPS.into_iter().find(|(types, _)| is_there(types));
    dump.map_or(Ok(()), |(types, database)| {
        Err(FileError::new(format!(
            "is a dump of {database}, which writes an object with the type ({types}) in place of each value; export it as CSV, or \
             write plain values"
        )))
    })
}

/// How scripts of databases begin.
const SCRIPTS: [&str; 5] = [
    "-- ",
    "CREATE TABLE",
    "DROP TABLE",
    "INSERT INTO",
    "PRAGMA ",
];

/// Whether a document is an export without rows: an empty list or object, one with an empty list of reviews, or one that says
/// that there are none. An answer of a failed request is none.
fn is_empty(document: &str) -> bool {
    let is_list = |value: &str| {
        let mut list = value.chars().filter(|c| !c.is_whitespace());
        list.next() == Some('[') && list.all(|c| matches!(c, '[' | ']'))
    };
    let (mut says_none, mut says_error) = (false, false);
    visit(document, |name, value| {
        says_none |= match name {
            "totalReviewCount" => value == "0",
            name => is_in(&WORDS.lists, name) && is_list(value),
        };
        says_error |= match name {
            "error" | "errors" => !matches!(value, "null" | "false" | "\"\"" | "[]" | "{}"),
            "success" => value == "false",
            _ => false,
        };
        ControlFlow::<()>::Continue(())
    });
    is_list(document) || document == "{}" || says_none && !says_error
}

/// Whether the first line is that of an export, with the business and the editorial texts. Only exports contain the
/// setting `publish_staff`.
fn begins_with_business(shape: &FileShape<'_>) -> bool {
    let first = shape
        .json()
        .and_then(|json| json.places[0].elements.first());
    let first = first.map_or("", |(line, _)| *line);
    let business = member(first, "business").unwrap_or_default();
    let has_staff = member(business, "publish_staff").is_some();
    (member(first, "editorial").is_some() || has_staff) && member(first, "reviews").is_none()
}

/// The place of the rows, if the file can be read as the requested format.
fn insist(
    shape: &FileShape<'_>,
    format: &'static Format,
    request: &ImportRequest,
) -> Result<Detected, FileError> {
    let is_json = shape.json().is_some() || matches!(shape.content, FileContent::Nothing);
    let fits = match format.reader {
        Reader::Document | Reader::Native => is_json,
        Reader::Columns | Reader::Table => is_json || shape.columns().is_some(),
        Reader::LinkedData => is_json || matches!(shape.content, FileContent::Markup),
    };
    if !fits {
        let (content, format) = (describe(&shape.content), format.name);
        return Err(FileError::new(format!(
            "is {content}, which cannot be read as {format}; leave --format out, or pass --format table for a table"
        )));
    }
    // The rows are in the object that has the members of `--map`.
    let maps = request.columns.maps.iter().map(|map| map.column.as_str());
    let mapped: Vec<&str> = maps.filter(|column| !column.is_empty()).collect();
    let has_mapped = |names: &BTreeSet<String>| {
        !mapped.is_empty() && mapped.iter().all(|column| has(names, column))
    };
    // Otherwise in the array with the most columns of reviews.
    let needed = [ReviewField::Rating, ReviewField::Date, ReviewField::Text];
    let known = |number: &usize| {
        let has_field = |field: &&ReviewField| {
            let mut columns = format.columns(**field);
            let mut members = shape.places[*number].iter();
            columns.any(|name| has(&shape.places[*number], name))
                || format.is_table() && members.any(|name| named_field(name) == Some(**field))
        };
        // Of arrays with equally many, the one with the most columns that are not inside other arrays.
        let own = shape.places[*number]
            .iter()
            .filter(|name| !name.contains('['));
        (needed.iter().filter(has_field).count(), own.count())
    };
    let best = (1..shape.places.len()).rev().max_by_key(known);
    // One review may have a list that is none of reviews.
    let best = best.filter(|number| known(number).0 > 0 || known(&0).0 < 2);
    let place = shape.find_place(has_mapped).or(best);
    if format.is_table() {
        let has_reviews = |number| known(&number).0 > 1 || has_mapped(&shape.places[number]);
        refuse_several_lists(shape, place, has_reviews)?;
        let is_object = |document: &str| document.starts_with('{');
        if shape.document().is_some_and(is_object) && place.is_none() && known(&0).0 == 0 {
            return Err(FileError::new(
                "is JSON without a list of objects, and no member of it is known as a review's stars, date or text; if it is one review, \
                 name them with --map",
            ));
        }
    }
    Ok((format, place.or(TOP)))
}

/// One list may have what another hides, so none is chosen.
fn refuse_several_lists(
    shape: &FileShape<'_>,
    chosen: Option<usize>,
    has_reviews: impl Fn(usize) -> bool,
) -> Result<(), FileError> {
    let (Some(json), Some(chosen)) = (shape.json(), chosen) else {
        return Ok(());
    };
    let path = |number: usize| json.places[number].path.as_str();
    let is_inside = |outer: &str, inner: &str| {
        let rest = inner.strip_prefix(outer);
        outer.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let mut others = (1..json.places.len()).filter(|number| has_reviews(*number));
    let other = others.find(|number| {
        !is_inside(path(chosen), path(*number)) && !is_inside(path(*number), path(chosen))
    });
    match other.filter(|_| chosen > 0) {
        None => Ok(()),
        Some(other) => Err(FileError::new(format!(
            "is JSON with several lists of reviews ({}, {}); write the one to import into a file of its own",
            path(chosen),
            path(other)
        ))),
    }
}

/// Whether a document has only members of `/reviews.json`.
fn is_document(shape: &FileShape<'_>) -> bool {
    let names = shape.names();
    let is_known = |name: &String| DOCUMENT_MEMBERS.contains(&name.as_str());
    let mut ours = ["business", "aggregate_rating"].into_iter();
    ours.any(|name| names.contains(name)) && names.iter().all(is_known)
}

/// The members of `/reviews.json`.
const DOCUMENT_MEMBERS: [&str; 5] = [
    "business",
    "aggregate_rating",
    "withheld",
    "updated_at",
    "reviews",
];

/// The columns that our exports do not have, also a second one of a name.
fn foreign_columns(columns: &[String]) -> Vec<&str> {
    let mut known: BTreeSet<&str> = COLUMNS.iter().map(|(path, _)| path.as_str()).collect();
    let foreign = columns
        .iter()
        .filter(|column| !known.remove(column.as_str()));
    foreign.map(String::as_str).collect()
}

/// Whether rows that have the names of native records are somebody else's: one has another member, such as `meta.approved`, or
/// values of other kinds and none of the members that only native records have.
fn are_foreign(shape: &FileShape<'_>, number: usize) -> bool {
    let Some(json) = shape.json() else {
        return true;
    };
    let rows = json.places[number].elements.iter();
    // One that is too large is rejected.
    let rows = rows.filter(|(row, _)| too_large(row).is_none());
    let rows = rows.filter_map(|(row, _)| serde_json::from_str::<Value>(row).ok());
    // A document of our own was detected before.
    let is_inside = number > 0 && !is_document(shape);
    let place = &json.places[number];
    // An object around the list may say that its reviews are hidden, and so may one that encloses it.
    let is_deep = place.path.contains('.');
    if is_inside && (is_deep || shape.names().len() > 1 || !place.has_plain_name()) {
        return true;
    }
    let is_ours = OURS.iter().any(|name| has(&shape.places[number], name));
    let mut rows = rows.filter(Value::is_object);
    rows.any(|row| !foreign_members(&row).is_empty() || !is_ours && !fits_native(&row))
}

/// Members that only native records have.
const OURS: [&str; 6] = [
    "mentions",
    "withheld_reason",
    "decided",
    "imported_from",
    "said",
    "digests",
];

/// Whether the members of a record have the kinds of values that native records have.
fn fits_native(record: &Value) -> bool {
    let fits = |name: &str, is_so: fn(&Value) -> bool| record.get(name).is_none_or(is_so);
    let is_object = |value: &Value| value.is_object() || value.is_null();
    let is_text = |value: &Value| value.is_string() || value.is_null();
    let is_day = |day: &Value| {
        day.as_str()
            .is_some_and(|day| !day.contains(['/', '.', ':']))
    };
    ["id", "author", "text"]
        .iter()
        .all(|name| fits(name, Value::is_string))
        && fits("rating", Value::is_number)
        && fits("date", is_day)
        && fits("source", is_text)
        && fits("verification", is_text)
        && fits("owner_reply", is_object)
}

/// A description of the file for messages.
fn describe(content: &FileContent<'_>) -> String {
    match content {
        FileContent::Nothing => "an empty file".to_owned(),
        FileContent::Markup => "a page of HTML or XML".to_owned(),
        FileContent::Other(_) => "a text without a header line of several columns".to_owned(),
        FileContent::Text(_, columns) => {
            format!("a table with the columns {}", list_columns(columns))
        }
        FileContent::Sheet(columns) => {
            format!("a workbook with the columns {}", list_columns(columns))
        }
        FileContent::Json(_) => "JSON".to_owned(),
    }
}

// The rows of a file, by its format.

/// A file that was read.
pub struct InputFile {
    /// For messages; the caller knows it.
    pub name: String,
    pub format: &'static Format,
    pub rows: Rows,
    /// The business in another instance's `/reviews.json`, as JSON.
    pub business: Option<Box<str>>,
    /// `None` for Unicode.
    pub encoding: Option<&'static Encoding>,
    /// A sentence for the owner about how it was read.
    pub note: Option<String>,
}

pub enum Rows {
    Table(Table),
    /// Native records in JSON.
    Records(Vec<RawRow<'static>>),
}

impl InputFile {
    /// Whether options and answers about columns apply to it; those of our own form are fixed.
    pub const fn has_columns(&self) -> bool {
        matches!(self.rows, Rows::Table(_)) && !self.format.is_native()
    }

    const fn new(format: &'static Format, rows: Rows) -> Self {
        Self {
            name: String::new(),
            format,
            rows,
            business: None,
            encoding: None,
            note: None,
        }
    }

    /// Rejects the rows of a table that have a secret, and masks the names of its columns; those are shown, in one line each.
    pub fn apply_mask(&mut self, mask: &Mask) {
        let Rows::Table(table) = &mut self.rows else {
            return;
        };
        let names = table.columns.iter_mut().chain(&mut table.lists);
        for name in names.chain(&mut self.note) {
            *name = mask.apply(name).replace(char::is_control, " ");
        }
        for row in &mut table.rows {
            let around = row.around.iter().flat_map(|around| around.all());
            let has_secret = |(_, cell): (usize, &str)| mask.is_in(cell);
            if row.cells.all().chain(around).any(has_secret) {
                (row.cells, row.around) = (Cells::default(), None);
                row.fault = Some(Box::new(RowFault {
                    message: HAS_SECRET.to_owned(),
                    raw: None,
                }));
            }
        }
    }
}

/// Reads a file.
pub fn read_file(
    decoded: &Decoded<'_>,
    request: &ImportRequest,
    limits: &mut ImportLimits<'_>,
) -> Result<InputFile, FileError> {
    let Decoded {
        text, is_damaged, ..
    } = decoded;
    let records = |array: &RowArray<'_>, limits: &mut ImportLimits<'_>| {
        let rows = array.rows(text, *is_damaged);
        let rows = rows.map(|row| row.into_owned(limits));
        Ok::<_, FileError>(Rows::Records(rows.collect::<Result<_, _>>()?))
    };
    let before = limits.bytes_left();
    if request.is_sample {
        let rows = records(&RowArray::lines(text, limits)?, limits)?;
        return Ok(InputFile::new(&NATIVE, rows));
    }
    let shape = FileShape::of(content_of(text, request, limits)?, limits)?;
    // Free again when the rows are read.
    let searched = before - limits.bytes_left();
    let (format, place) = detect(&shape, request)?;
    let business = request.business.as_ref().map(|it| it.name.as_str());
    let rows = match &shape.content {
        FileContent::Markup | FileContent::Json(_)
            if format.reader == Reader::LinkedData && *is_damaged =>
        {
            return Err(FileError::new(
                "is not UTF-8; save it as UTF-8, or name its encoding with --encoding",
            ));
        }
        FileContent::Markup => {
            Rows::Table(linked_data::reviews_of_page(text.trim(), business, limits)?)
        }
        FileContent::Json(_) if format.reader == Reader::LinkedData => {
            Rows::Table(linked_data::reviews_of_document(text, business, limits)?)
        }
        FileContent::Text(dialect, columns) => Rows::Table(text::read_text(
            text,
            *is_damaged,
            *dialect,
            columns.clone(),
            limits,
        )?),
        FileContent::Json(json) => {
            let array = place.map(|number| &json.places[number]);
            match array {
                Some(array) if matches!(format.reader, Reader::Columns | Reader::Table) => {
                    let format = Some(format).filter(|format| !format.is_table());
                    let table = array.table(json, *is_damaged, format, limits)?;
                    let reference = format.and_then(|format| format.included);
                    Rows::Table(match reference.zip(json.find("included")) {
                        None => table,
                        Some((reference, number)) => {
                            let included = &json.places[number];
                            let included = included.table(json, *is_damaged, format, limits)?;
                            table.join_included(&included, reference, limits)?
                        }
                    })
                }
                Some(array) => records(array, limits)?,
                None => no_rows(format),
            }
        }
        FileContent::Nothing | FileContent::Sheet(_) | FileContent::Other(_) => no_rows(format),
    };
    let format = format_of_rows(format, &rows, request)?;
    let mut file = InputFile::new(format, rows);
    limits.give(searched);
    file.note = place
        .and_then(|number| describe_around(&shape, number))
        .filter(|_| format.is_table());
    if let (Reader::Document, Some(document)) = (format.reader, shape.document()) {
        file.business = member(document, "business").map(Into::into);
    }
    Ok(file)
}

fn no_rows(format: &Format) -> Rows {
    if format.is_ours() {
        Rows::Records(Vec::new())
    } else {
        Rows::Table(Table::default())
    }
}

/// The format of a text, without its rows.
pub fn format_of_text(
    text: &str,
    request: &ImportRequest,
    limits: &mut ImportLimits<'_>,
) -> Result<&'static Format, FileError> {
    let shape = FileShape::of(content_of(text, request, limits)?, limits)?;
    Ok(detect(&shape, request)?.0)
}

fn content_of<'t>(
    text: &'t str,
    request: &ImportRequest,
    limits: &mut ImportLimits<'_>,
) -> Result<FileContent<'t>, FileError> {
    if SCRIPTS
        .iter()
        .any(|start| text.trim_start().starts_with(start))
    {
        return Err(FileError::new(
            "is a script or dump of a database (SQL); export its table of reviews as CSV",
        ));
    }
    Ok(match text.trim().as_bytes().first() {
        None => FileContent::Nothing,
        Some(b'[' | b'{') => FileContent::Json(JsonText::of(text, limits)?),
        Some(b'<') => FileContent::Markup,
        Some(_) => match text::sniff(text, request)? {
            Some((dialect, columns)) => FileContent::Text(dialect, columns),
            None => match request.header_row {
                Some(row) if !text::has_row(text, row) => return Err(text::missing_row(row)),
                Some(_) => FileContent::Other(None),
                None => FileContent::Other(text::row_with_names(text)),
            },
        },
    })
}

/// That a document has members beside the list of its reviews: pages, counts, or something that is meant for all reviews.
fn describe_around(shape: &FileShape<'_>, number: usize) -> Option<String> {
    const NAMES_MAX: usize = 10;
    let path = &shape.json()?.places[number].path;
    let list = path.split(['.', '[']).next().filter(|_| number > 0)?;
    let mut others = Vec::new();
    visit(shape.document()?, |name, value| {
        // Flags are columns.
        if name != list && !matches!(value, "true" | "false") && others.len() < NAMES_MAX {
            others.push(name.to_owned());
        }
        ControlFlow::<()>::Continue(())
    });
    (!others.is_empty()).then(|| {
        format!(
            "members of the document beside its reviews, which are not read: {}",
            others.join(", ")
        )
    })
}

/// Reads a workbook.
pub fn read_workbook(
    packed: &[u8],
    request: &ImportRequest,
    limits: &mut ImportLimits<'_>,
) -> Result<InputFile, FileError> {
    let table = workbook::read_workbook(packed, request, limits)?;
    let shape = FileShape::of(FileContent::Sheet(table.columns.clone()), limits)?;
    let (format, _) = detect(&shape, request)?;
    let note = table
        .rows
        .iter()
        .flat_map(|row| row.cells.all())
        .find_map(|(_, cell)| describe_damage(cell));
    let rows = Rows::Table(table);
    let format = format_of_rows(format, &rows, request)?;
    let file = InputFile::new(format, rows);
    Ok(InputFile { note, ..file })
}

/// Our own format only if the rows have no column of somebody else, also one without a header.
fn format_of_rows(
    format: &'static Format,
    rows: &Rows,
    request: &ImportRequest,
) -> Result<&'static Format, FileError> {
    let Rows::Table(table) = rows else {
        return Ok(format);
    };
    let foreign = foreign_columns(&table.columns);
    if !format.is_native() || foreign.is_empty() {
        return Ok(format);
    }
    if request.format.is_none() {
        return Ok(&TABLE);
    }
    let foreign = foreign.join(", ");
    Err(FileError::new(format!(
        "has columns that are not of this format: {foreign}; remove them, or pass --format table"
    )))
}
