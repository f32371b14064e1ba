//! Reads files: opens them, detects their format by its content, extracts rows from lines, arrays, tables or pages, and
//! passes the reviews to the collector.

pub(crate) mod budget;
pub(crate) mod detect;
pub(crate) mod json;
pub(crate) mod open;
mod page;
pub(crate) mod table;

use std::io::BufRead;
use std::sync::Arc;

use serde_json::Value;

use crate::imports::export;
use crate::imports::file_error::{FileError, reason};
use crate::imports::map::date::Dates;
use crate::imports::map::fields::{FieldError, Fields, names};
use crate::imports::map::plan::{Columns, InputRow, Plan, PlannedRow};
use crate::imports::map::values::{NOT_PUBLISHED, is_public, readable};
use crate::imports::map::{self, Incoming, STATUS, Stated};
use crate::imports::merge::collector::Collector;
use crate::imports::platforms::{Format, Reader, find_format, native, schema_org};
use crate::imports::report::Position;
use crate::model::Status;
use detect::{Detected, Rows};
use json::{ELEMENT_BYTES_MAX, Element, Met, RowValue};
use table::TablePlace;

const NOT_UTF8: &str = "is not UTF-8; save it as UTF-8, or convert it, for example from Windows-1252 with `iconv -f WINDOWS-1252 \
     -t UTF-8`";

/// Passes every row of the file `name` to `sink`; `input` is its content, as text or as a workbook's archive.
pub fn read(
    name: String,
    found: &Detected,
    input: &mut dyn BufRead,
    sink: &mut Collector<'_>,
) -> Result<(), FileError> {
    let (format, request) = (found.format, sink.request);
    sink.begin(name, format)?;
    match &found.rows {
        Rows::Lines { rejected } => {
            // Rejected rows of several files may have several formats.
            let mut plans = vec![Plan::new(format, None, request)];
            json::lines(input, *rejected, &mut |at, named, read| {
                let named = named.filter(|_| request.format.is_none());
                let format = named.and_then(|name| find_format(&name)).unwrap_or(format);
                sink.use_format(format)?;
                let known = plans
                    .iter()
                    .position(|plan| plan.format.name == format.name);
                let plan = known.unwrap_or(plans.len());
                if known.is_none() {
                    plans.push(Plan::new(format, None, request));
                }
                match &read {
                    Ok(its) if format.is_own() && is_about_business(its) => {
                        sink.about_business(its)
                    }
                    _ => value(&mut plans[plan], at, read, sink),
                }
            })?;
            plans.iter().try_for_each(Plan::complete_objects)
        }
        Rows::Array(path) => {
            let mut plan = Plan::new(format, None, request);
            array(&mut plan, path, input, sink)?;
            plan.complete_objects()
        }
        Rows::Table(place, columns) => table(format, place, columns, input, sink),
        Rows::LinkedData { is_page } => linked_data(*is_page, input, sink),
    }
}

/// Whether a line contains the business and the editorial texts, and no review.
fn is_about_business(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some_and(Value::is_object);
    (has("business") || has("editorial"))
        && value.get("id").is_none()
        && value.get("rating").is_none()
}

fn table(
    format: &'static Format,
    place: &TablePlace,
    columns: &Columns,
    input: &mut dyn BufRead,
    sink: &mut Collector<'_>,
) -> Result<(), FileError> {
    let mut plan = Plan::new(format, Some(columns), sink.request);
    if !format.is_own() {
        let mut used = plan.columns(columns);
        match place {
            TablePlace::Text(dialect) => used.row = dialect.line,
            TablePlace::Workbook(header) => {
                used.row = header.row;
                used.sheet = Some(header.sheet.clone());
                used.other_sheets.clone_from(&header.others);
            }
        }
        sink.table(&used);
        plan.complete(columns, &used)?;
    }
    let mut take = |line, cells: &[String], fault: Option<String>| {
        let at = Position::Line { line, column: None };
        if format.is_own() {
            let record = export::of_cells(columns, cells);
            let record = match fault {
                Some(message) => Err((message, record)),
                None => Ok(record),
            };
            return value(&mut plan, at, record, sink);
        }
        let its = plan.row(InputRow::Cells(columns, cells), sink.calendar());
        if let Some(found) = its.scale_of_ten() {
            return Err(FileError::new(format!(
                "line {line}: a rating of {found} means that the scale ends at 10; pass --scale 10, because 5 out of 10 would \
                 otherwise become five stars"
            )));
        }
        match fault {
            Some(message) => sink.reject(at, &|| its.raw(), &[FieldError::new("", message)]),
            None => row(at, its, sink),
        }
    };
    match place {
        TablePlace::Text(dialect) => table::read_text(input, *dialect, columns, &mut take),
        TablePlace::Workbook(header) => {
            let mut packed = Vec::new();
            input.read_to_end(&mut packed).map_err(FileError::reading)?;
            table::read_sheet(&packed, header, columns, &mut take)
        }
    }
}

fn array(
    plan: &mut Plan<'_>,
    path: &str,
    input: &mut dyn BufRead,
    sink: &mut Collector<'_>,
) -> Result<(), FileError> {
    let array: Arc<str> = path.into();
    let beside = names(plan.format.document).find(|name| *name == "business");
    json::elements(input, path, beside, &mut |met| match met {
        Met::Beside(text) => sink.business(|| Ok(serde_json::from_slice(text)?)),
        Met::Element(element) => {
            let at = Position::Element {
                array: Arc::clone(&array),
                index: element.index,
            };
            value(plan, at, parsed(&element), sink)
        }
    })
}

fn parsed(element: &Element<'_>) -> RowValue {
    let wrong = |message: String| {
        let shown = &element.text[..element.text.len().min(json::BYTES_SHOWN)];
        (message, Value::from(String::from_utf8_lossy(shown)))
    };
    if !element.is_whole {
        return Err(wrong(format!(
            "line {}: longer than {ELEMENT_BYTES_MAX} bytes; shorten it",
            element.line
        )));
    }
    serde_json::from_slice(element.text).map_err(|error| {
        // The element's first line begins in the middle of a line, so columns are counted from the element's start.
        let line = element.line + error.line() - 1;
        let reason = reason(&error);
        wrong(format!(
            "line {line}: the JSON is broken ({reason}); correct it"
        ))
    })
}

/// Passes on the content of a JSON value, or the reason why it could not be read, with its text.
fn value(
    plan: &mut Plan<'_>,
    at: Position,
    value: RowValue,
    sink: &mut Collector<'_>,
) -> Result<(), FileError> {
    let mut value = match value {
        Ok(value) => value,
        Err((message, raw)) => {
            return sink.reject(at, &|| raw.clone(), &[FieldError::new("", message)]);
        }
    };
    if plan.format.is_own() {
        map::apply(&plan.request.renames, &mut value);
    }
    let members = &plan.format.members;
    let raw = || readable(&value, members);
    match plan.format.reader {
        Reader::Native => {
            if value.get("deleted") == Some(&Value::Bool(true)) {
                let fields = Fields::of(&value, String::new());
                let id = fields.and_then(|its| its.parsed("id")?.ok_or_else(|| its.missing("id")));
                return match id {
                    Ok(id) => sink.deleted(id),
                    Err(problem) => sink.reject(at, &raw, &[problem]),
                };
            }
            let is_ignored = plan.request.rename(STATUS) == Some("");
            // In native records these two members have their own meaning.
            let is_taken = |name: &str| is_ignored || matches!(name, "status" | "deleted");
            let made = native::review(&value, sink.calendar());
            sink.review(at, held(&value, made, &is_taken, true), &raw)
        }
        Reader::Json(review) => {
            let made = review(&value, sink.calendar());
            sink.review(at, held(&value, made, &|_| false, false), &raw)
        }
        Reader::LinkedData => linked(at, &value, sink),
        Reader::Columns => {
            if let Value::Object(members) = &value {
                plan.note_object(members);
                let its = plan.row(InputRow::Json(members), sink.calendar());
                return row(at, its, sink);
            }
            let wrong = Fields::of(&value, String::new()).err();
            sink.reject(at, &raw, wrong.as_slice())
        }
    }
}

/// Passes on the review or the answer in a row.
fn row(at: Position, row: PlannedRow<'_>, sink: &mut Collector<'_>) -> Result<(), FileError> {
    let raw = || row.raw();
    match row.comment() {
        Some(comment) => sink.comment(at, comment, &raw),
        None => sink.review(at, row.review(), &raw),
    }
}

fn linked_data(
    is_page: bool,
    input: &mut dyn BufRead,
    sink: &mut Collector<'_>,
) -> Result<(), FileError> {
    let texts = if is_page {
        page::linked_data(input)?
    } else {
        let text = String::from_utf8(page::page(input)?);
        vec![text.map_err(|_| FileError::new(NOT_UTF8))?]
    };
    let mut reviews = Vec::new();
    for text in &texts {
        schema_org::collect(
            &serde_json::from_str(text)?,
            schema_org::DEEP_MAX,
            &mut reviews,
        );
    }
    if reviews.is_empty() {
        let what = match (is_page, texts.len()) {
            (true, 0) => "a page of HTML or XML without structured data (no <script type=\"application/ld+json\">)".to_owned(),
            (true, elements) => format!("a page whose structured data has no Review ({elements} elements were looked at)"),
            (false, _) => "linked data without a Review".to_owned(),
        };
        return Err(FileError::new(format!(
            "is {what}; give the export of the platform, or a page whose source has schema.org reviews as JSON-LD"
        )));
    }
    let array: Arc<str> = "reviews".into();
    for (index, review) in (0..).zip(&reviews) {
        let array = Arc::clone(&array);
        linked(Position::Element { array, index }, review, sink)?;
    }
    Ok(())
}

/// Passes on a review in linked data.
fn linked(at: Position, review: &Value, sink: &mut Collector<'_>) -> Result<(), FileError> {
    let request = sink.request;
    let dates = Dates {
        format: request.date_format.as_deref(),
        ..Dates::default()
    };
    let source = request.source.as_deref();
    let made = schema_org::review(review, sink.calendar(), dates, request.scale, source);
    let made = held(review, made, &|_| false, false);
    let members = &schema_org::FORMAT.members;
    sink.review(at, made, &|| readable(review, members))
}

/// The review, withheld if a member of its row marks it as not public at its source.
fn held(
    row: &Value,
    made: Result<Incoming, Vec<FieldError>>,
    is_taken: &dyn Fn(&str) -> bool,
    may_ignore: bool,
) -> Result<Incoming, Vec<FieldError>> {
    let Value::Object(members) = row else {
        return made;
    };
    let mut incoming = match (made, is_public(members, is_taken, may_ignore)) {
        (Ok(incoming), Ok(Some(false))) => incoming,
        (made, Ok(_)) => return made,
        (made, Err(problem)) => {
            let mut wrong = made.err().unwrap_or_default();
            wrong.push(problem);
            return Err(wrong);
        }
    };
    let status = &mut incoming.stated.status;
    if status.given().is_none_or(|its| *its == Status::Published) {
        *status = Stated::Given(Status::withheld(NOT_PUBLISHED));
    }
    Ok(incoming)
}
