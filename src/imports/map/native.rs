//! Native records: of our own exports, in lines or as a table, and of another instance's `/reviews.json`.

use std::fmt::Display;
use std::str::FromStr;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::imports::export;
use crate::imports::map::collector::{Collector, Incoming, Unpublished, VOUCHED};
use crate::imports::map::date::formats;
use crate::imports::map::fields::COLUMNS;
use crate::imports::map::values::{TEXT_BYTES_MAX, is_in, without_address};
use crate::imports::mask::HAS_SECRET;
use crate::imports::platforms::Format;
use crate::imports::read::detect::{InputFile, Rows, foreign_members};
use crate::imports::read::json::RowValue;
use crate::imports::report::{FileError, Position};
use crate::imports::request::SOURCE_DEFAULT;
use crate::imports::table::Table;
use crate::model::text::{quoted, url};
use crate::model::{
    Calendar, Digests, Mentions, Method, NOT_VERIFIED, Response, Review, ReviewId, Statement,
    Status, Unit, Units,
};
use crate::owner::business::language;
use crate::owner::fault::FieldError;
use crate::owner::shape::{
    INSTANT, Member, NAME, NAMES, Shape, ShapeReader, needed, optional, patch,
};
use crate::storage::reviews::SourceRecord;

/// That a spreadsheet has changed the dates of our own export.
pub fn changed_date(table: &Table) -> Option<FileError> {
    let column = table.find("date")?;
    let cells = table
        .cells(column)
        .map(|(row, cell)| (row, cell, formats(cell)));
    let changed = cells.filter(|(.., formats)| !formats.is_empty());
    // One that can be read in one way alone tells how all are written.
    let (row, cell, formats) = changed.min_by_key(|(.., formats)| formats.len())?;
    let flags: Vec<String> = formats
        .iter()
        .map(|format| format!("--date-format {format}"))
        .collect();
    Some(FileError::new(format!(
        "line {}: a spreadsheet has changed the dates of this export ({cell}); pass {}",
        row.at,
        flags.join(" or ")
    )))
}

/// Passes on the native records of a file.
pub fn read_native(
    file: &InputFile,
    date_format: Option<&str>,
    sink: &mut Collector<'_>,
) -> Result<(), FileError> {
    if let Some(business) = &file.business {
        sink.business(&serde_json::from_str(business)?)?;
    }
    match &file.rows {
        Rows::Table(table) => {
            for row in &table.rows {
                let record = export::of_cells(&table.columns, row, date_format);
                sink.keep_columns(&record);
                let record = match &row.fault {
                    Some(fault) => Err((fault.message.clone(), record)),
                    None => Ok(record),
                };
                read_record(row.at.clone(), record, file.format, sink)?;
            }
        }
        Rows::Records(rows) => {
            for row in rows {
                match row.parse() {
                    Ok(value) if sink.request.mask.is_in_record(&value) => {
                        let fault = (HAS_SECRET.to_owned(), Value::Null);
                        read_record(row.at.clone(), Err(fault), file.format, sink)?;
                    }
                    Ok(value) if is_about_business(&value) => sink.about_business(&value)?,
                    record => read_record(row.at.clone(), record, file.format, sink)?,
                }
            }
        }
    }
    Ok(())
}

/// Whether a line contains the business and the editorial texts, and no review.
fn is_about_business(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some_and(Value::is_object);
    (has("business") || has("editorial"))
        && value.get("id").is_none()
        && value.get("rating").is_none()
}

/// Passes on a native record, or the reason why it could not be read.
fn read_record(
    at: Position,
    row: RowValue,
    format: &Format,
    sink: &mut Collector<'_>,
) -> Result<(), FileError> {
    let mut value = match row {
        Ok(value) => value,
        Err((message, raw)) => {
            let fault = FieldError::new("", message);
            return sink.row(at, Err(vec![fault]), || raw.clone());
        }
    };
    if let Value::Object(members) = &mut value {
        // `--map location=`
        let maps = &sink.request.columns.maps;
        members.retain(|name, _| {
            !maps
                .iter()
                .any(|map| map.column.is_empty() && map.field.name() == name)
        });
    }
    let read = if value.get("deleted") == Some(&Value::Bool(true)) {
        let id = value.get("id").and_then(Value::as_str).unwrap_or_default();
        match id.parse::<ReviewId>() {
            Ok(id) => {
                let kept = kept(&value, &id);
                return sink.deleted((id, kept));
            }
            Err(error) => Err(vec![FieldError::new("id", error.to_string())]),
        }
    } else {
        review(&value, sink.collected.calendar)
    };
    let read = read.map(|mut incoming| {
        if !format.is_native() {
            let author = &mut incoming.statement.review.author;
            *author = without_address(author);
        }
        if sink.request.run_of.is_some() {
            take_as_customer(&mut incoming);
        }
        incoming
    });
    sink.row(at, read, || readable(&value))
}

/// Leaves only what a review of a customer says, and what the row withholds: nobody vouches for what a run brings, and its server
/// knows nothing of decisions here.
fn take_as_customer(incoming: &mut Incoming) {
    let Statement {
        review,
        unstated,
        decided,
    } = &mut incoming.statement;
    decided.clear();
    review.verification = VOUCHED;
    unstated.insert(Unit::Verification);
    if review.status == Status::Published {
        unstated.insert(Unit::Status);
    }
    incoming.unpublished = Unpublished {
        location: incoming.unpublished.location.take(),
        ..Unpublished::default()
    };
}

/// What the line of a deleted review has beside its id, by which rows of its source are found.
fn kept(value: &Value, id: &ReviewId) -> Option<SourceRecord> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let (name, digests) = (text("imported_from")?, text("digests")?.parse().ok()?);
    Some(SourceRecord {
        location: text("location").map(str::to_owned),
        id_at_source: text("id_at_source").map(str::to_owned),
        ..SourceRecord::new(id.clone(), name.to_owned(), digests)
    })
}

/// The members of a native record that are read, by their paths; all others may be private. What is not an object is
/// unchanged.
fn readable(record: &Value) -> Value {
    let Some(members) = record.as_object() else {
        return record.clone();
    };
    let inner = |(outer, value): (&String, &Value)| {
        let inner = value
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| (format!("{outer}.{name}"), value.clone()));
        inner.collect::<Vec<_>>()
    };
    let all = members.iter().flat_map(inner).chain(members.clone());
    let mut read = Map::new();
    for (path, value) in all.filter(|(path, value)| !value.is_object() && is_in(COLUMNS, path)) {
        export::put(&mut read, &path, value);
    }
    if let Some(Value::String(author)) = read.get_mut("author") {
        *author = without_address(author);
    }
    Value::Object(read)
}

// Reads the native record: one review as JSON, as in our own files and documents (`docs/IMPORT.md`).
//
// It is strict because reviews are published under the business's name: an invalid field rejects the row. Unknown
// fields are ignored, and so is `url`, which is computed when publishing.

const RECORD: &[Member] = &[
    needed("id", Shape::Word(parsed::<ReviewId>)),
    needed("rating", Shape::Stars),
    needed("date", Shape::Day),
    needed("author", NAME),
    optional("title", Shape::Text),
    needed("text", Shape::Text),
    optional("language", Shape::Word(language)),
    optional("source", Shape::Object(SOURCE)),
    optional("verification", Shape::Object(VERIFICATION)),
    optional(
        "status",
        Shape::Word(|name| one_of(name, &["published", "withheld"])),
    ),
    optional("withheld_reason", NAME),
    optional("mentions", Shape::Object(MENTIONS)),
    optional("response", Shape::Object(RESPONSE)),
    optional("updated_at", INSTANT),
    optional("location", NAME),
    optional("decided", NAMES),
    optional("posted_at", INSTANT),
    optional("responded_at", INSTANT),
    optional("imported_from", NAME),
    optional("id_at_source", NAME),
    optional("note", NAME),
    optional("said", Shape::Any),
    optional("digests", Shape::Word(parsed::<Digests>)),
];
const SOURCE: &[Member] = &[needed("name", NAME), optional("url", Shape::Word(url))];
const VERIFICATION: &[Member] = &[
    optional("verified", Shape::Flag),
    optional(
        "method",
        Shape::Word(|name| one_of(name, &Method::ALL.map(Method::name))),
    ),
    optional("verified_at", INSTANT),
];
const MENTIONED: Shape = Shape::List(&Shape::Word(mentioned));
const MENTIONS: &[Member] = &[
    optional("technicians", MENTIONED),
    optional("services", MENTIONED),
    optional("service_areas", MENTIONED),
];
const RESPONSE: &[Member] = &[
    needed("text", Shape::Text),
    optional("date", Shape::Day),
    optional("author", NAME),
];

/// The review in `value`, or all its errors.
fn review(value: &Value, calendar: Calendar) -> Result<Incoming, Vec<FieldError>> {
    let mut reader = ShapeReader {
        calendar: Some(calendar),
        bytes_max: TEXT_BYTES_MAX,
        is_strict: false,
        is_patch: false,
        faults: Vec::new(),
    };
    let mut members = reader.members("", value, RECORD);
    if value
        .get("deleted")
        .is_some_and(|deleted| !deleted.is_boolean() && !deleted.is_null())
    {
        reader.fault("deleted", "is not true or false");
    }
    let decided = decided(&mut reader, &members);
    let status = status(&mut reader, &members);
    for name in foreign_members(value) {
        reader.fault(
            name,
            "is no member of this format; leave it out, or pass --format table to read the file as any table",
        );
    }
    if members
        .get("said")
        .is_some_and(|said| !said.is_object() && !said.is_null())
    {
        reader.fault(
            "said",
            "is no object, as `reviews export` writes it; leave it out",
        );
    }
    if !reader.faults.is_empty() {
        return Err(reader.faults);
    }
    let is_unstated = |unit: &Unit| match (unit, members.get(unit.name())) {
        (Unit::Status, _) => status.is_none(),
        (Unit::Source | Unit::Verification, Some(value)) => value.is_null(),
        (_, value) => value.is_none(),
    };
    let mut unstated: Units = Unit::ALL.into_iter().filter(is_unstated).collect();
    let mut record = json!({
        "source": {"name": SOURCE_DEFAULT}, "verification": VOUCHED, "mentions": Mentions::default(),
    });
    members.retain(|_, member| !member.is_null());
    patch(&mut record, Value::Object(members));
    // The merge withholds a review that is not verified.
    record["status"] = json!(status.unwrap_or(Status::Published));
    let unreadable = |error: serde_json::Error| vec![FieldError::new("record", error.to_string())];
    let unpublished = Unpublished::deserialize(&record).map_err(unreadable)?;
    let mut review = Review::deserialize(record).map_err(unreadable)?;
    review.title = review.title.filter(|title| !title.is_empty());
    // Exports that write every field have an empty answer if there is none.
    review.response = review
        .response
        .filter(|response: &Response| !response.text.is_empty());
    let Mentions {
        technicians,
        services,
        service_areas,
    } = review.mentions;
    review.mentions = Mentions::new(technicians, services, service_areas);
    review.updated_at = review.updated_at.map(|at| at.min(calendar.now));
    if let Some(said) = &unpublished.said {
        // Neither the source nor the owner said anything of these.
        let is_unknown = |unit: &Unit| {
            unit.is_unset(&review)
                && said.compare(*unit, &review).is_none()
                && !decided.contains(unit)
        };
        unstated.extend(Unit::ALL.into_iter().filter(is_unknown));
    }
    Ok(Incoming {
        has_own_id: true,
        hidden_name: None,
        is_answer_hidden: false,
        has_new_value: false,
        changed_at: review.updated_at,
        unpublished,
        statement: Statement {
            review,
            unstated,
            decided,
        },
    })
}

/// The units that the owner decided.
fn decided(reader: &mut ShapeReader, members: &Map<String, Value>) -> Units {
    let names = members
        .get("decided")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    let unit = |name| {
        let unit = Unit::find(name);
        if unit.is_none() {
            let known = Unit::ALL.map(Unit::name).join(", ");
            reader.fault(
                "decided",
                format!("`{name}` is not a field that an owner can edit; use those of {known}"),
            );
        }
        unit
    };
    names.filter_map(unit).collect()
}

/// `None` if it is not stated. An unverified review is withheld, even if its status is published.
fn status(reader: &mut ShapeReader, members: &Map<String, Value>) -> Option<Status> {
    let text = |name| members.get(name).and_then(Value::as_str);
    let (status, reason) = (text("status"), text("withheld_reason"));
    if status == Some("published") && reason.is_some() {
        reader.fault(
            "withheld_reason",
            "given although status is \"published\"; leave one of them out",
        );
    }
    // A reason without a status means withheld; otherwise a review that must stay hidden would be published.
    let is_withheld = status == Some("withheld") || reason.is_some();
    let verification = members.get("verification");
    let verified = verification.and_then(|verification| verification.get("verified"));
    let is_unverified = verified == Some(&Value::Bool(false));
    // Our own exports state explicitly that there is no reason.
    let has_no_reason = is_withheld && members.get("withheld_reason") == Some(&Value::Null);
    if is_unverified && !has_no_reason {
        return Some(Status::withheld(reason.unwrap_or(NOT_VERIFIED)));
    }
    if is_withheld {
        let reason = reason.map(str::to_owned);
        return Some(Status::Withheld { reason });
    }
    status.map(|_| Status::Published)
}

fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<String, String> {
    let parsed = text.parse::<T>();
    parsed
        .map(|_| text.to_owned())
        .map_err(|error| error.to_string())
}

fn one_of(name: &str, allowed: &[&str]) -> Result<String, String> {
    if allowed.contains(&name) {
        return Ok(name.to_owned());
    }
    Err(format!(
        "{} is not one of {}",
        quoted(name),
        allowed.join(", ")
    ))
}

/// Mentions are read packed between control characters.
fn mentioned(name: &str) -> Result<String, String> {
    if name.contains(char::is_control) {
        return Err("has a control character; remove it".to_owned());
    }
    Ok(name.to_owned())
}
