//! Native records: of our own exports, in lines or as a table, and of another instance's `/reviews.json`.

use chrono::NaiveDate;
use serde_json::Value;

use crate::imports::export;
use crate::imports::map::date::{Numbers, flag, possible};
use crate::imports::map::fields::{FieldError, Fields, noted, or_default, shown_text};
use crate::imports::map::table::Table;
use crate::imports::map::values::{is_made_of_subtags, without_address};
use crate::imports::map::visibility::{NOT_PUBLISHED, Subject, is_public_record, is_state};
use crate::imports::map::{
    self, COLUMNS, Calendar, Incoming, Posted, Stated, VOUCHED, default_source,
};
use crate::imports::merge::collector::Collector;
use crate::imports::read::detect::{Part, Rows};
use crate::imports::read::json::RowValue;
use crate::imports::report::{FileError, Position};
use crate::imports::request::ImportRequest;
use crate::model::{
    Day, Mentions, Method, NOT_VERIFIED, Rating, Response, Review, Source, Statement, Status, Unit,
    Units, Verification,
};

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
    let is_own = part.format.is_native();
    if let Some(business) = &part.business {
        sink.business(|| Ok(serde_json::from_str(business)?))?;
    }
    match &part.rows {
        Rows::Table(_) => {}
        Rows::NativeTable(table) => {
            for row in &table.rows {
                let record = export::of_cells(&table.columns, row, date_format);
                let record = match &row.fault {
                    Some(fault) => Err((fault.message.clone(), record)),
                    None => Ok(record),
                };
                read_record(row.at.clone(), record, is_own, sink)?;
            }
        }
        Rows::Records(rows) => {
            for row in rows {
                match row.parse() {
                    (_, Ok(value)) if is_about_business(&value) => sink.about_business(&value)?,
                    (at, record) => read_record(at, record, is_own, sink)?,
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

/// Passes on a native record, or the reason why it could not be read; `is_own` is whether it is from an export.
fn read_record(
    at: Position,
    row: RowValue,
    is_own: bool,
    sink: &mut Collector<'_>,
) -> Result<(), FileError> {
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
        let id = fields.and_then(|fields| fields.parsed("id")?.ok_or_else(|| fields.missing("id")));
        return match id {
            Ok(id) => {
                sink.deleted(id);
                Ok(())
            }
            Err(problem) => sink.reject(at, &raw, &[problem]),
        };
    }
    let mut read = hide(&value, review(&value, sink.calendar()), sink.request);
    if let Ok(incoming) = &mut read
        && !is_own
    {
        let author = &mut incoming.statement.review.author;
        *author = without_address(author);
    }
    sink.review(at, read, &raw)
}

/// The review, withheld or without its answer if a member of its record marks these as not public at their source.
fn hide(
    row: &Value,
    read: Result<Incoming, Vec<FieldError>>,
    request: &ImportRequest,
) -> Result<Incoming, Vec<FieldError>> {
    let Value::Object(members) = row else {
        return read;
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
    let mut incoming = match read {
        Ok(incoming) if wrong.is_empty() => incoming,
        Ok(_) => return Err(wrong),
        Err(mut all) => {
            all.extend(wrong);
            return Err(all);
        }
    };
    let Statement {
        review: stated,
        unstated,
        ..
    } = &mut incoming.statement;
    if review == Some(false) && stated.status == Status::Published {
        stated.status = Status::withheld(NOT_PUBLISHED);
        unstated.remove(Unit::Status);
    }
    if answer == Some(false) {
        stated.response = None;
        unstated.remove(Unit::Response);
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

// Reads the native record: one review as JSON, as in our own files and documents (`docs/IMPORT.md`).
//
// It is strict because reviews are published under the business's name: an invalid field rejects the row. Unknown
// fields are ignored, and so is `url`, which is computed when publishing.

/// The review in `value`, or all its errors.
fn review(value: &Value, calendar: Calendar) -> Result<Incoming, Vec<FieldError>> {
    let fields = &Fields::of(value, String::new())?;
    let mut faults = Vec::new();
    let wrong = &mut faults;
    let id = noted(wrong, fields.needed("id", fields.parsed("id")));
    let rating = noted(wrong, rating(fields));
    let date = noted(wrong, fields.needed("date", day(fields, "date", calendar)));
    let author = noted(wrong, fields.required("author"));
    let title = or_default(wrong, stated(fields, "title"));
    let text = or_default(wrong, text(fields)).to_owned();
    let language = or_default(wrong, language(fields));
    let source = or_default(wrong, source(fields));
    let verification = or_default(wrong, verification(fields));
    let status = or_default(wrong, status(fields, &verification));
    let mentions = or_default(wrong, mentions(fields));
    let response = or_default(wrong, response(fields, calendar));
    let updated_at = or_default(wrong, fields.instant("updated_at"));
    let updated_at = updated_at.map(|at| at.min(calendar.now));
    let location = or_default(wrong, fields.filled("location"));
    let decided = or_default(wrong, decided(fields));
    let posted_at = or_default(wrong, fields.instant("posted_at"));
    let responded_at = or_default(wrong, fields.instant("responded_at"));
    let imported_from = or_default(wrong, fields.filled("imported_from"));
    let id_at_source = or_default(wrong, fields.filled("id_at_source"));
    let note = or_default(wrong, fields.filled("note"));
    let (Some(id), Some(rating), Some(date), Some(author), []) =
        (id, rating, date, author, faults.as_slice())
    else {
        return Err(faults);
    };
    let mut unstated = Units::NONE;
    let review = Review {
        id,
        rating,
        date,
        author,
        title: title.take(Unit::Title, &mut unstated),
        text,
        language: language.take(Unit::Language, &mut unstated),
        source: (source.take(Unit::Source, &mut unstated)).unwrap_or_else(default_source),
        // The merge withholds a review that is not verified.
        status: (status.take(Unit::Status, &mut unstated)).unwrap_or(Status::Published),
        verification: (verification.take(Unit::Verification, &mut unstated)).unwrap_or(VOUCHED),
        mentions: (mentions.take(Unit::Mentions, &mut unstated)).unwrap_or_default(),
        response: response.take(Unit::Response, &mut unstated),
        updated_at,
    };
    Ok(Incoming {
        statement: Statement {
            review,
            unstated,
            decided,
        },
        has_own_id: true,
        id_at_source,
        location,
        changed_at: updated_at,
        posted_at,
        responded_at,
        imported_from,
        note,
        writer: None,
    })
}

/// A missing field is unstated; `null` and an empty text mean that there is no value.
fn stated(fields: &Fields<'_>, name: &str) -> Result<Stated<String>, FieldError> {
    let text = fields.text(name)?;
    Ok(match text {
        Some("") => Stated::None,
        Some(text) => Stated::Value(text.to_owned()),
        None => unstated(fields, name),
    })
}

fn unstated<T>(fields: &Fields<'_>, name: &str) -> Stated<T> {
    if fields.is_null(name) {
        Stated::None
    } else {
        Stated::Unstated
    }
}

fn rating(fields: &Fields<'_>) -> Result<Rating, FieldError> {
    const ALLOWED: &str = "one of 1, 2, 3, 4, 5";
    let stars = fields.needed("rating", fields.whole("rating", ALLOWED))?;
    Rating::try_from(stars)
        .map_err(|_| fields.problem("rating", format!("{stars} is not {ALLOWED}")))
}

fn text<'a>(fields: &Fields<'a>) -> Result<&'a str, FieldError> {
    let text = fields.text("text")?;
    text.ok_or_else(|| fields.problem("text", "missing; write \"\" for a rating without a text"))
}

fn day(fields: &Fields<'_>, name: &str, calendar: Calendar) -> Result<Option<Day>, FieldError> {
    let day = fields.parsed::<Day>(name)?.map(Posted::Day);
    let dated = day.map(|day| calendar.place(day)).transpose();
    let dated = dated.map_err(|message| fields.problem(name, message))?;
    Ok(dated.map(|dated| dated.day))
}

/// The names of the units that the owner decided.
fn decided(fields: &Fields<'_>) -> Result<Units, FieldError> {
    let unit = |name: &String| {
        Unit::find(name).ok_or_else(|| {
            let known = Unit::ALL.map(Unit::name).join(", ");
            let message =
                format!("`{name}` is not a field that an owner can edit; use those of {known}");
            fields.problem("decided", message)
        })
    };
    fields.texts("decided")?.iter().map(unit).collect()
}

/// Checks the form of BCP 47 subtags (RFC 5646 §2.1), not that a tag is registered.
fn language(fields: &Fields<'_>) -> Result<Stated<String>, FieldError> {
    let shaped = |tag: &str| {
        is_made_of_subtags(tag) && tag.starts_with(|first: char| first.is_ascii_alphabetic())
    };
    match stated(fields, "language")? {
        Stated::Value(tag) if !shaped(&tag) => {
            let message = format!(
                "{} is not a language tag of BCP 47, for example en or es-MX",
                shown_text(&tag)
            );
            Err(fields.problem("language", message))
        }
        tag @ (Stated::Value(_) | Stated::None | Stated::Unstated) => Ok(tag),
    }
}

fn source(fields: &Fields<'_>) -> Result<Stated<Source>, FieldError> {
    match fields.object("source")? {
        Some(source) => Ok(Stated::Value(Source {
            name: source.required("name")?,
            url: source.url("url")?,
        })),
        None => Ok(Stated::Unstated),
    }
}

fn verification(fields: &Fields<'_>) -> Result<Stated<Verification>, FieldError> {
    let Some(verification) = fields.object("verification")? else {
        return Ok(Stated::Unstated);
    };
    let parse = |name: &str| {
        Method::find(name).ok_or_else(|| {
            let allowed = Method::ALL.map(Method::name).join(", ");
            format!("{} is not one of {allowed}", shown_text(name))
        })
    };
    let method = verification.read("method", parse)?;
    Ok(Stated::Value(Verification {
        verified: verification.flag("verified")?.unwrap_or(true),
        method: method.unwrap_or(Method::Manual),
        verified_at: verification.instant("verified_at")?,
    }))
}

/// An unverified row is withheld, even if its status is published.
fn status(
    fields: &Fields<'_>,
    verification: &Stated<Verification>,
) -> Result<Stated<Status>, FieldError> {
    let reason = fields.filled("withheld_reason")?;
    let withheld = match fields.filled("status")?.as_deref() {
        // A reason without a status means withheld; otherwise a review that must stay hidden would be published.
        None => reason.is_some().then_some(true),
        Some("withheld") => Some(true),
        Some("published") if reason.is_some() => {
            return Err(fields.problem(
                "withheld_reason",
                "given although status is \"published\"; leave one of them out",
            ));
        }
        Some("published") => Some(false),
        Some(other) => {
            let message = format!("{} is not one of published, withheld", shown_text(other));
            return Err(fields.problem("status", message));
        }
    };
    let unverified = matches!(verification, Stated::Value(verification) if !verification.verified);
    // Our own exports state explicitly that there is no reason.
    let reasonless = fields.is_null("withheld_reason") && withheld == Some(true);
    Ok(match withheld {
        _ if unverified && !reasonless => Stated::Value(Status::Withheld {
            reason: reason.or_else(|| Some(NOT_VERIFIED.to_owned())),
        }),
        Some(true) => Stated::Value(Status::Withheld { reason }),
        Some(false) => Stated::Value(Status::Published),
        None => Stated::Unstated,
    })
}

fn mentions(fields: &Fields<'_>) -> Result<Stated<Mentions>, FieldError> {
    let Some(mentions) = fields.object("mentions")? else {
        return Ok(unstated(fields, "mentions"));
    };
    let names = |name| {
        let names = mentions.texts(name)?;
        // Mentions are read packed between control characters.
        let broken = names
            .iter()
            .position(|name| name.contains(char::is_control));
        broken.map_or(Ok(names), |at| {
            Err(mentions.problem(
                &format!("{name}[{at}]"),
                "has a control character; remove it",
            ))
        })
    };
    Ok(Stated::Value(Mentions::new(
        names("technicians")?,
        names("services")?,
        names("service_areas")?,
    )))
}

fn response(fields: &Fields<'_>, calendar: Calendar) -> Result<Stated<Response>, FieldError> {
    let Some(response) = fields.object("response")? else {
        return Ok(unstated(fields, "response"));
    };
    let text = response.needed("text", response.text("text"))?.to_owned();
    let date = day(&response, "date", calendar)?;
    let author = response.filled("author")?;
    // Exports that write every field have an empty answer if there is none.
    Ok(if text.is_empty() {
        Stated::None
    } else {
        Stated::Value(Response { text, date, author })
    })
}
