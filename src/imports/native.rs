//! Native records: written by exports, in lines or as a table, and read again from lines and from another instance's `/reviews.json`.
//! An import of an export into an empty database restores everything.

use std::fmt::Display;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use sqlx::SqliteConnection;

use crate::imports::format::Format;
use crate::imports::incoming::{Incoming, Unpublished, VOUCHED};
use crate::imports::owner::business::language;
use crate::imports::owner::fault::FieldError;
use crate::imports::owner::shape::{
    INSTANT, Member, NAME, NAMES, Shape, ShapeReader, needed, optional, patch,
};
use crate::imports::request::{ImportRequest, SOURCE_DEFAULT};
use crate::imports::value::names::{digest, without_address};
use crate::imports::value::text::{TEXT_BYTES_MAX, escape_formulas};
use crate::model::json::{join, without_nulls};
use crate::model::text::{nearest, quoted, url};
use crate::model::{
    Calendar, Day, Digests, Mentions, Method, NOT_PUBLISHED, NOT_VERIFIED, Reply, Review, ReviewId,
    Statement, Status, Unit, Units,
};
use crate::storage::reviews::{self, Deletion, KnownReview, Mark, ReviewState, SourceRecord};

/// A line of an export: a review, or the id of a deleted one, with what an import of it needs.
#[derive(Debug)]
pub struct Exported {
    id: ReviewId,
    known: KnownReview,
    /// The units that the owner decided.
    decided: Units,
}

/// The headers of an exported table.
pub fn columns_of_table() -> impl Iterator<Item = &'static str> {
    COLUMNS.iter().map(String::as_str)
}

/// Reviews per batch.
const ROWS: i64 = 250;

/// Reads everything in batches, in id order. All lines show one state of the database if the connection is in a
/// transaction.
#[derive(Debug, Default)]
pub struct Export {
    last: String,
}

impl Export {
    /// The next lines; `None` after the last.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn next(
        &mut self,
        connection: &mut SqliteConnection,
    ) -> sqlx::Result<Option<Vec<Exported>>> {
        let ids = reviews::ids_after(connection, &self.last, ROWS).await?;
        let Some(last) = ids.last() else {
            return Ok(None);
        };
        self.last.clone_from(last);
        let list: Vec<&str> = ids.iter().map(String::as_str).collect();
        let known = reviews::standing(connection, &list).await?.into_iter();
        // A row without a valid review counts neither as a review nor as a deletion.
        let known = known.filter(|(_, known)| known.is_deleted() || known.review().is_some());
        Ok(Some(known.map(Exported::new).collect()))
    }
}

impl Exported {
    pub fn new((id, known): (ReviewId, KnownReview)) -> Self {
        let decided = known.decisions();
        Self { id, known, decided }
    }

    pub const fn is_deleted(&self) -> bool {
        self.known.is_deleted()
    }

    /// A line of JSON Lines.
    pub fn json(&self) -> Value {
        let source = self.known.source.as_ref();
        let Some(review) = self.known.review() else {
            let deletion = match &self.known.state {
                ReviewState::Deleted(deletion) => Some(deletion),
                ReviewState::There(_) | ReviewState::Unreadable => None,
            };
            let shown_as = deletion.map(|deletion| &deletion.source_name);
            return without_nulls(json!({
                "id": self.id,
                "deleted": true,
                "source": shown_as,
                "deleted_on": deletion.and_then(|deletion| deletion.day.as_ref()),
                "deleted_reason": deletion.and_then(|deletion| deletion.reason.as_ref()),
                "imported_from": source.map(|source| &source.source_name).filter(|name| Some(*name) != shown_as),
                "id_at_source": source.and_then(|source| source.id_at_source.as_ref()),
                "digests": source.map(|source| source.digests.to_string()),
            }));
        };
        let mut record = json!(review);
        record["owner_reply"] = without_nulls(record["owner_reply"].take());
        record["verified"] = json!(review.verification.is_independent());
        record["status"] = json!(review.status.name());
        record["withheld_reason"] = json!(review.status.reason());
        record["said"] = self.known.last_statement().json();
        record["note"] = json!(self.known.note);
        if let Some(source) = source {
            // Unpublished values from the source, which the next import needs.
            record["posted_at"] = json!(source.posted_at);
            record["id_at_source"] = json!(source.id_at_source);
            if source.source_name != review.source.name {
                record["imported_from"] = json!(source.source_name);
            }
            if source.digests != Digests::new(review, &review.author, source.posted_at) {
                record["digests"] = json!(source.digests.to_string());
            }
        }
        let names: Vec<&str> = self.decided.iter().copied().map(Unit::name).collect();
        record["decided"] = json!((!names.is_empty()).then_some(names));
        let is_stated = |name: &str| match name {
            // An absent value is written only if the owner decided it: a missing member means an unstated value.
            "title" => self.decided.contains(&Unit::Title),
            "language" => self.decided.contains(&Unit::Language),
            "owner_reply" => self.decided.contains(&Unit::Reply),
            // Null means that there is no reason; without it, "not verified" would become the reason.
            "withheld_reason" => review.status != Status::Published,
            _ => false,
        };
        if let Value::Object(members) = &mut record {
            members.retain(|name, value| !value.is_null() || is_stated(name));
        }
        record
    }

    /// The record as cells, one for each of [`columns_of_table`]; no spreadsheet runs a cell as a formula.
    pub fn cells(&self) -> Vec<String> {
        let json = self.json();
        let cell = |path: &str| {
            let value = path
                .split('.')
                .try_fold(&json, |value, name| value.get(name));
            match value {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(text)) => text.clone(),
                Some(Value::Array(values)) => {
                    let cell: Vec<_> = values.iter().filter_map(Value::as_str).collect();
                    cell.join("; ")
                }
                Some(other) => other.to_string(),
            }
        };
        let cells = columns_of_table().map(cell);
        cells.map(|cell| escape_formulas(&cell)).collect()
    }
}

/// The members of a native record, one review as JSON, as in our own files and documents (`docs/IMPORT.md`). An exported table has a
/// column for each, by its path.
///
/// It is strict because reviews are published under the business's name: an invalid member rejects the row.
pub const RECORD: &[Member] = &[
    optional("id", Shape::Word(parsed::<ReviewId>)),
    needed("rating", Shape::Stars),
    needed("date", Shape::Day),
    needed("author", NAME),
    optional("title", Shape::Text),
    optional("text", Shape::Text),
    optional("language", Shape::Word(language)),
    optional("source", NAME),
    optional("source_url", Shape::Word(url)),
    optional("verified", Shape::Flag),
    optional(
        "verification",
        Shape::Word(|name| one_of(name, &Method::ALL.map(Method::name))),
    ),
    optional("verified_at", INSTANT),
    optional("mentions", Shape::Object(MENTIONS)),
    optional("owner_reply", Shape::Object(REPLY)),
    optional(
        "status",
        Shape::Word(|name| one_of(name, &["published", "withheld"])),
    ),
    optional("withheld_reason", NAME),
    optional("updated_at", INSTANT),
    optional("decided", NAMES),
    optional("deleted", Shape::Flag),
    optional("deleted_on", Shape::Day),
    optional("deleted_reason", NAME),
    optional("posted_at", INSTANT),
    optional("imported_from", NAME),
    optional("id_at_source", NAME),
    optional("said", Shape::Any),
    optional("digests", Shape::Word(parsed::<Digests>)),
    optional("note", NAME),
];
const MENTIONED: Shape = Shape::List(&Shape::Word(mentioned));
const MENTIONS: &[Member] = &[
    optional("technicians", MENTIONED),
    optional("services", MENTIONED),
    optional("service_areas", MENTIONED),
];
const REPLY: &[Member] = &[
    needed("text", Shape::Text),
    optional("date", Shape::Day),
    optional("author", NAME),
];

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

/// The paths of the plain members of a native record, which are the columns of an export as a table.
static COLUMNS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let columns = |member: &Member| {
        let Shape::Object(members) = member.shape else {
            return vec![member.name.to_owned()];
        };
        let inner = members.iter();
        inner.map(|inner| join(member.name, inner.name)).collect()
    };
    RECORD.iter().flat_map(columns).collect()
});

/// Splits a native record into what it may have, and the paths of what it may not. A record with these is somebody else's, and a review
/// that it hides there would be published.
fn split(record: &Map<String, Value>, members: &[Member]) -> (Map<String, Value>, Vec<String>) {
    let (mut own, mut foreign) = (Map::new(), Vec::new());
    for (name, value) in record {
        let shape = members.iter().find(|it| it.name == name).map(|it| it.shape);
        match (shape, value) {
            (Some(Shape::Object(inner)), Value::Object(object)) => {
                let (inner, others) = split(object, inner);
                own.insert(name.clone(), Value::Object(inner));
                foreign.extend(others.iter().map(|other| join(name, other)));
            }
            (Some(Shape::Any), Value::Object(_)) => {}
            // An object where none belongs may have anything.
            (Some(_), Value::Object(object)) => {
                foreign.extend(object.keys().map(|inner| join(name, inner)));
            }
            (Some(_), value) => {
                own.insert(name.clone(), value.clone());
            }
            (None, _) => foreign.push(name.clone()),
        }
    }
    (own, foreign)
}

/// The paths of members that native records do not have.
fn foreign_members(record: &Value) -> Vec<String> {
    let is_foreign = |name: &String| !["url", "business", "editorial"].contains(&name.as_str());
    let foreign = record.as_object().map(|it| split(it, RECORD).1);
    let foreign = foreign.into_iter().flatten();
    foreign.filter(is_foreign).collect()
}

/// Whether a line contains the business and the editorial texts, and no review.
pub fn is_about_business(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some_and(Value::is_object);
    (has("business") || has("editorial"))
        && value.get("id").is_none()
        && value.get("rating").is_none()
}

/// The review in a native record, or all its faults.
pub fn parse_record(
    record: &Value,
    format: &Format,
    request: &ImportRequest,
    calendar: Calendar,
) -> Result<Incoming, Vec<FieldError>> {
    let mut incoming = parse_review(record, format, calendar)?;
    if !format.is_native() {
        let author = &mut incoming.statement.review.author;
        *author = without_address(author);
    }
    if request.run_of.is_some() {
        take_as_customer(&mut incoming);
    }
    Ok(incoming)
}

/// The deleted review in a native record; `None` if the record is one of a review.
pub fn parse_deleted(record: &Value) -> Option<Result<Mark, Vec<FieldError>>> {
    record
        .get("deleted")
        .filter(|it| **it == Value::Bool(true))?;
    let text = |path: &str| record.pointer(path).and_then(Value::as_str);
    let id = text("/id").unwrap_or_default().parse::<ReviewId>();
    let id = match id {
        Ok(id) => id,
        Err(error) => return Some(Err(vec![FieldError::new("id", error.to_string())])),
    };
    let imported_from = text("/imported_from");
    let shown_as = text("/source").or(imported_from).unwrap_or(SOURCE_DEFAULT);
    let digests = text("/digests").and_then(|digests| digests.parse().ok());
    let source = digests.map(|digests| SourceRecord {
        id_at_source: text("/id_at_source").map(str::to_owned),
        ..SourceRecord::new(
            id.clone(),
            imported_from.unwrap_or(shown_as).to_owned(),
            digests,
        )
    });
    let day = text("/deleted_on").filter(|day| day.parse::<Day>().is_ok());
    Some(Ok(Mark {
        id,
        deletion: Deletion {
            source_name: shown_as.to_owned(),
            day: day.map(str::to_owned),
            reason: text("/deleted_reason").map(str::to_owned),
        },
        source,
    }))
}

/// Leaves only what a review of a customer says, and what the row withholds: no person vouches for what a run brings, and its server
/// knows nothing of decisions here.
fn take_as_customer(incoming: &mut Incoming) {
    let Statement {
        review,
        unstated,
        decided,
        unshown: _,
    } = &mut incoming.statement;
    decided.clear();
    review.verification = VOUCHED;
    unstated.insert(Unit::Verification);
    if review.status == Status::Published {
        unstated.insert(Unit::Status);
    } else {
        // A server's own words do not stand on the firm's pages.
        review.status = Status::withheld(NOT_PUBLISHED);
    }
    incoming.unpublished = Unpublished::default();
}

/// The members of a native record that are read; all others may be private. What is not an object is unchanged.
pub fn readable(record: &Value) -> Value {
    let Some(members) = record.as_object() else {
        return record.clone();
    };
    let (mut read, _) = split(members, RECORD);
    if let Some(Value::String(author)) = read.get_mut("author") {
        *author = without_address(author);
    }
    Value::Object(read)
}

/// The ID of a record without one, which is that of a row with the same values in a table.
fn derive_id(record: &Value) -> Result<ReviewId, Vec<FieldError>> {
    let text = |name: &str| record.get(name).and_then(Value::as_str).unwrap_or_default();
    let stars = record["rating"].to_string();
    let mut parts = vec![text("source"), text("author"), text("date"), text("text")];
    if text("text").is_empty() {
        parts.extend(record.get("title").and_then(Value::as_str));
        parts.push(&stars);
    }
    digest("table", &parts).map_err(|error| vec![FieldError::new("id", error.to_string())])
}

/// The review in `value`, or all its errors.
fn parse_review(
    value: &Value,
    format: &Format,
    calendar: Calendar,
) -> Result<Incoming, Vec<FieldError>> {
    let mut reader = ShapeReader {
        calendar: Some(calendar),
        bytes_max: TEXT_BYTES_MAX,
        is_strict: false,
        is_patch: false,
        faults: Vec::new(),
    };
    let mut members = reader.members("", value, RECORD);
    let decided = decided_units(&mut reader, &members);
    let is_vouched = check_verification(&mut reader, &members);
    let status = stated_status(&mut reader, &members, is_vouched);
    // A newer instance may have more.
    let foreign = foreign_members(value).into_iter();
    for name in foreign.filter(|_| format.is_native()) {
        let near = nearest(&name, columns_of_table()).unwrap_or_default();
        let message = format!("is no member of an export; the nearest is {near}; leave it out");
        reader.fault(name, message);
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
    let has_value = |name: &str| members.get(name).is_some_and(|value| !value.is_null());
    let is_unstated = |unit: &Unit| match unit {
        Unit::Status => status.is_none(),
        Unit::Source => !has_value("source"),
        Unit::Verification => !has_value("verified") && !has_value("verification"),
        Unit::Reply => !members.contains_key("owner_reply"),
        Unit::Rating
        | Unit::Date
        | Unit::Author
        | Unit::Title
        | Unit::Text
        | Unit::Language
        | Unit::Mentions => !members.contains_key(unit.name()),
    };
    let mut unstated: Units = Unit::ALL.into_iter().filter(is_unstated).collect();
    let mut record = json!(VOUCHED);
    record["source"] = json!(SOURCE_DEFAULT);
    record["mentions"] = json!(Mentions::default());
    record["text"] = json!("");
    members.retain(|_, member| !member.is_null());
    patch(&mut record, Value::Object(members));
    if !is_vouched {
        record["verification"] = Value::Null;
    }
    // The merge withholds a review that is not verified.
    record["status"] = json!(status.unwrap_or(Status::Published));
    let has_own_id = record.get("id").is_some();
    if !has_own_id {
        record["id"] = json!(derive_id(&record)?);
    }
    let unreadable = |error: serde_json::Error| vec![FieldError::new("record", error.to_string())];
    let unpublished = Unpublished::deserialize(&record).map_err(unreadable)?;
    let mut review = Review::deserialize(record).map_err(unreadable)?;
    review.title = review.title.filter(|title| !title.is_empty());
    // Exports that write every field have an empty answer if there is none.
    review.reply = review.reply.filter(|reply: &Reply| !reply.text.is_empty());
    let Mentions {
        technicians,
        services,
        service_areas,
    } = review.mentions;
    review.mentions = Mentions::new(technicians, services, service_areas);
    review.updated_at = review.updated_at.map(|at| at.min(calendar.now));
    if let Some(last) = &unpublished.last_statement {
        // Neither the source nor the owner said anything of these.
        let is_unknown = |unit: &Unit| {
            unit.is_unset(&review)
                && last.compare(*unit, &review).is_none()
                && !decided.contains(unit)
        };
        unstated.extend(Unit::ALL.into_iter().filter(is_unknown));
    }
    Ok(Incoming {
        has_own_id,
        hidden_name: None,
        is_answer_hidden: false,
        has_new_value: false,
        has_instant: false,
        unpublished,
        statement: Statement {
            review,
            unstated,
            decided,
            unshown: Units::new(),
        },
    })
}

/// The units that the owner decided.
fn decided_units(reader: &mut ShapeReader, members: &Map<String, Value>) -> Units {
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

/// Whether somebody vouches for the review, as `verified` and `verification` say: a row without both is vouched for by the owner,
/// who imports it.
fn check_verification(reader: &mut ShapeReader, members: &Map<String, Value>) -> bool {
    let verification = members.get("verification").and_then(Value::as_str);
    let is_manual = verification == Some(Method::Manual.name());
    match (
        members.get("verified").and_then(Value::as_bool),
        verification,
    ) {
        (Some(true), None) => {
            let advice = "true without verification, which says who verified it; add it, or leave verified out";
            reader.fault("verified", advice);
            true
        }
        (Some(true), Some(_)) if is_manual => {
            let advice = "true beside verification \"manual\", which means that only you vouch for it; write false";
            reader.fault("verified", advice);
            true
        }
        (Some(false), _) => is_manual,
        (Some(true) | None, Some(_)) | (None, None) => true,
    }
}

/// `None` if it is not stated. A review for which no one vouches is withheld, even if its status is published.
fn stated_status(
    reader: &mut ShapeReader,
    members: &Map<String, Value>,
    is_vouched: bool,
) -> Option<Status> {
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
    // Our own exports state explicitly that there is no reason.
    let has_no_reason = is_withheld && members.get("withheld_reason") == Some(&Value::Null);
    if !is_vouched && !has_no_reason {
        return Some(Status::withheld(reason.unwrap_or(NOT_VERIFIED)));
    }
    if is_withheld {
        let reason = reason.map(str::to_owned);
        return Some(Status::Withheld { reason });
    }
    status.map(|_| Status::Published)
}

/// Whether a row of native members, with the kinds of values that these have, has all that it needs; `None` for any other row.
pub fn native_row(row: &str) -> Option<bool> {
    let record = serde_json::from_str::<Value>(row).ok()?;
    let fits = |name: &str, is_so: fn(&Value) -> bool| record.get(name).is_none_or(is_so);
    let is_day = |day: &Value| {
        day.as_str()
            .is_some_and(|day| !day.contains(['/', '.', ':']))
    };
    let is_deleted = record.get("deleted") == Some(&Value::Bool(true));
    let is_review = ["rating", "date", "author"]
        .iter()
        .all(|name| record.get(name).is_some());
    let is_native = record.is_object()
        && foreign_members(&record).is_empty()
        && fits("id", Value::is_string)
        && fits("author", Value::is_string)
        && fits("text", Value::is_string)
        && fits("rating", Value::is_number)
        && fits("date", is_day)
        && ["source", "verification"]
            .iter()
            .all(|name| fits(name, |value| value.is_string() || value.is_null()))
        && fits("owner_reply", |value| value.is_object() || value.is_null());
    is_native.then_some(is_review || is_deleted)
}
