//! Native records: of our own exports, in lines or as a table, and of another instance's `/reviews.json`.

use std::sync::Arc;

use chrono::NaiveDate;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::imports::export;
use crate::imports::file_error::FileError;
use crate::imports::map::date::Numbers;
use crate::imports::map::date_order::{flag, possible};
use crate::imports::map::fields::{FieldError, Fields, or_default};
use crate::imports::map::table::Table;
use crate::imports::map::values::without_address;
use crate::imports::map::visibility::{NOT_PUBLISHED, Subject, is_public_record, is_state};
use crate::imports::map::{self, COLUMNS, Incoming, Stated};
use crate::imports::merge::collector::Collector;
use crate::imports::platforms::{Reader, native};
use crate::imports::read::json::{self, RowValue};
use crate::imports::read::rows::{Part, Rows};
use crate::imports::report::Position;
use crate::imports::request::ImportRequest;
use crate::model::Status;

/// That a spreadsheet has changed the dates of our own export.
pub fn changed_date(table: &Table, tomorrow: NaiveDate) -> Option<FileError> {
    let column = table.find("date")?;
    let mut changed = table
        .cells(column)
        .filter(|(_, cell)| Numbers::of(cell).is_some());
    let (row, cell) = changed.next()?;
    let orders = possible(table.cells(column).map(|(_, cell)| cell), tomorrow);
    let flags: Vec<String> = orders.iter().map(|order| flag(*order, cell)).collect();
    Some(FileError::new(format!(
        "line {}: a spreadsheet has changed the dates of this export ({cell}); pass {}",
        row.at,
        flags.join(" or ")
    )))
}

/// Passes on the native records of a part.
pub fn read_native(
    part: &Part,
    date_format: Option<&str>,
    sink: &mut Collector<'_>,
) -> Result<(), FileError> {
    let take = |at, row, sink: &mut Collector<'_>| {
        sink.budget.note_row();
        read_record(at, row, sink)
    };
    match &part.rows {
        Rows::Table(_) => Ok(()),
        Rows::NativeTable(table) => {
            for row in &table.rows {
                let record = export::of_cells(&table.columns, row, date_format);
                let record = match &row.fault {
                    Some(fault) => Err((fault.message.clone(), record)),
                    None => Ok(record),
                };
                take(row.at.clone(), record, sink)?;
            }
            Ok(())
        }
        Rows::NativeLines(text) => json::lines(text, false).try_for_each(|line| match &line.row {
            Ok(value) if is_about_business(value) => sink.about_business(value),
            _ => take(line.at, line.row, sink),
        }),
        Rows::NativeValues(values) => values
            .iter()
            .try_for_each(|(at, row)| take(at.clone(), row.clone(), sink)),
        Rows::NativeDocument(text, path) => {
            let document: &RawValue = serde_json::from_str(text)?;
            let members = json::members(document);
            if part.format.reader == Reader::Document
                && let Some(business) = members.get("business")
            {
                sink.business(|| Ok(serde_json::from_str(business.get())?))?;
            }
            let Some(path) = path else {
                if part.format.reader == Reader::Document {
                    return Ok(());
                }
                let row = json::parsed(text, text);
                return match &row {
                    Ok(value) if is_about_business(value) => sink.about_business(value),
                    _ => take(Position::line(1), row, sink),
                };
            };
            let mut arrays = Vec::new();
            json::arrays(document, "", usize::MAX, &mut arrays);
            let array = arrays.into_iter().find(|array| array.path == *path);
            let elements = array.into_iter().flat_map(|array| array.elements);
            let path = path.as_str().into();
            for (index, (element, _)) in (0..).zip(elements) {
                let array = Arc::clone(&path);
                let row = json::parsed(element.get(), text);
                take(Position::Element { array, index }, row, sink)?;
            }
            Ok(())
        }
    }
}

/// Whether a line contains the business and the editorial texts, and no review.
fn is_about_business(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some_and(Value::is_object);
    (has("business") || has("editorial"))
        && value.get("id").is_none()
        && value.get("rating").is_none()
}

/// Passes on a native record, or the reason why it could not be read.
fn read_record(at: Position, row: RowValue, sink: &mut Collector<'_>) -> Result<(), FileError> {
    let mut value = match row {
        Ok(value) => value,
        Err((message, raw)) => {
            return sink.reject(at, &|| raw.clone(), &[FieldError::new("", message)]);
        }
    };
    map::apply(&sink.request.renames, &mut value);
    let raw = || readable(&value, &COLUMNS);
    if value.get("deleted") == Some(&Value::Bool(true)) {
        let fields = Fields::of(&value, String::new());
        let id = fields.and_then(|its| its.parsed("id")?.ok_or_else(|| its.missing("id")));
        return match id {
            Ok(id) => {
                sink.deleted(id);
                Ok(())
            }
            Err(problem) => sink.reject(at, &raw, &[problem]),
        };
    }
    let made = native::review(&value, sink.calendar());
    sink.review(at, hide(&value, made, sink.request), &raw)
}

/// The review, withheld or without its answer if a member of its record marks these as not public at their source.
fn hide(
    row: &Value,
    made: Result<Incoming, Vec<FieldError>>,
    request: &ImportRequest,
) -> Result<Incoming, Vec<FieldError>> {
    let Value::Object(members) = row else {
        return made;
    };
    let is_public = |subject: Subject| {
        let is_ignored = request.rename(subject.field()) == Some("");
        // In native records these two members have their own meaning.
        is_public_record(members, subject, |name| {
            is_ignored || matches!(name, "status" | "deleted")
        })
    };
    let (review, answer) = (is_public(Subject::Review), is_public(Subject::Answer));
    let mut wrong = Vec::new();
    let [review, answer] = [review, answer].map(|public| or_default(&mut wrong, public));
    let mut incoming = match made {
        Ok(incoming) if wrong.is_empty() => incoming,
        Ok(_) => return Err(wrong),
        Err(mut all) => {
            all.extend(wrong);
            return Err(all);
        }
    };
    let status = &mut incoming.stated.status;
    if review == Some(false) && status.given().is_none_or(|its| *its == Status::Published) {
        *status = Stated::Given(Status::withheld(NOT_PUBLISHED));
    }
    if answer == Some(false) {
        incoming.stated.response = Stated::None;
    }
    Ok(incoming)
}

/// Members with the names of authors.
const NAMES: [&str; 3] = ["author", "displayName", "name"];

/// The native record with only the members at these paths, and those that show whether it is public; all others may be private.
/// What is not an object is unchanged.
fn readable(row: &Value, paths: &[&str]) -> Value {
    match row {
        Value::Object(members) => {
            let kept = members.iter().filter_map(|(name, value)| {
                let inner = paths.iter().filter_map(|path| {
                    let inner = path.strip_prefix(name.as_str())?;
                    inner.strip_prefix('.')
                });
                let inner: Vec<&str> = inner.collect();
                let is_read = paths.contains(&name.as_str()) || is_state(name);
                let is_read = is_read || (!inner.is_empty() && !value.is_string());
                let text = value.as_str().filter(|_| NAMES.contains(&name.as_str()));
                let value = match text {
                    Some(text) => Value::from(without_address(text)),
                    None => readable(value, &inner),
                };
                is_read.then(|| (name.clone(), value))
            });
            Value::Object(kept.collect())
        }
        Value::Array(elements) => {
            let elements = elements.iter().map(|element| readable(element, paths));
            Value::Array(elements.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => row.clone(),
    }
}
