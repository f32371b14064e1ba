//! Native records: written by exports, in lines or as a table, and read again from lines and from another instance's `/reviews.json`.
//! An import of an export into an empty database restores everything.

use chrono::{DateTime, Datelike, Timelike, Utc};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use serde_with::{DisplayFromStr, serde_as};
use sqlx::SqliteConnection;

use crate::imports::fault::FieldError;
use crate::imports::format::Format;
use crate::imports::incoming::{Incoming, Unpublished, VOUCHED};
use crate::imports::owner::{Origin, TextRule, language, note_fault, read_members, read_texts};
use crate::imports::read::json::parse_row;
use crate::imports::request::{ImportRequest, SOURCE_DEFAULT};
use crate::imports::value::names::{derive_id, without_address};
use crate::imports::value::text::escape_formulas;
use crate::model::json::{join, without_nulls};
use crate::model::text::{nearest, quoted, shown, url};
use crate::model::{
    Calendar, Day, Digests, LastStatement, Mentions, Method, NOT_PUBLISHED, NOT_VERIFIED, Posted,
    Rating, Reply, Review, ReviewId, Source, Statement, Status, Unit, Units, Verification,
};
use crate::storage::reviews::{self, Deletion, KnownReview, Mark, ReviewState, SourceRecord};

/// The paths of the members of a native record, one review as JSON, as in our own files and documents (`docs/IMPORT.md`): the header of an
/// exported table.
const COLUMNS: &str = "id,rating,date,author,title,text,language,source,source_url,verified,verification,verified_at,mentions.technicians,\
    mentions.services,mentions.service_areas,owner_reply.text,owner_reply.date,owner_reply.author,status,withheld_reason,updated_at,decided,\
    deleted,deleted_on,deleted_reason,posted_at,imported_from,id_at_source,said,digests,note";

/// The headers of an exported table.
pub fn columns_of_table() -> impl Iterator<Item = &'static str> {
    COLUMNS.split(',')
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
    /// The next reviews and deleted ones; `None` after the last.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn next(
        &mut self,
        connection: &mut SqliteConnection,
    ) -> sqlx::Result<Option<Vec<(ReviewId, KnownReview)>>> {
        let ids = reviews::ids_after(connection, &self.last, ROWS).await?;
        let Some(last) = ids.last() else {
            return Ok(None);
        };
        self.last.clone_from(last);
        let list: Vec<&str> = ids.iter().map(String::as_str).collect();
        let known = reviews::standing(connection, &list).await?.into_iter();
        // A row without a valid review counts neither as a review nor as a deletion.
        let known = known.filter(|(_, known)| known.is_deleted() || known.review().is_some());
        Ok(Some(known.collect()))
    }
}

/// A line of an export: a review, or the id of a deleted one, with what an import of it needs.
pub fn export_record(id: &ReviewId, known: &KnownReview) -> Value {
    let source = known.source.as_ref();
    let review = match &known.state {
        ReviewState::There(review) => review,
        ReviewState::Unreadable => return json!({ "id": id }),
        ReviewState::Deleted(deletion) => {
            let shown_as = &deletion.source_name;
            return without_nulls(json!({
                "id": id,
                "deleted": true,
                "source": shown_as,
                "deleted_on": deletion.day,
                "deleted_reason": deletion.reason,
                "imported_from": source.map(|source| &source.source_name).filter(|name| *name != shown_as),
                "id_at_source": source.and_then(|source| source.id_at_source.as_ref()),
                "digests": source.map(|source| source.digests.to_string()),
            }));
        }
    };
    let mut record = json!(review);
    record["owner_reply"] = without_nulls(record["owner_reply"].take());
    record["verified"] = json!(review.verification.is_independent());
    record["status"] = json!(review.status.name());
    record["withheld_reason"] = json!(review.status.reason());
    record["said"] = json!(known.last_statement());
    record["note"] = json!(known.note);
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
    let decided = known.decisions();
    let names: Vec<&str> = decided.iter().copied().map(Unit::name).collect();
    record["decided"] = json!((!names.is_empty()).then_some(names));
    let is_stated = |name: &str| match name {
        // An absent value is written only if the owner decided it: a missing member means an unstated value.
        "title" => decided.contains(&Unit::Title),
        "language" => decided.contains(&Unit::Language),
        "owner_reply" => decided.contains(&Unit::Reply),
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
pub fn record_cells(record: &Value) -> Vec<String> {
    let cell = |path: &str| match record.pointer(&format!("/{}", path.replace('.', "/"))) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(values)) => {
            let cell: Vec<_> = values.iter().filter_map(Value::as_str).collect();
            cell.join("; ")
        }
        Some(other) => other.to_string(),
    };
    let cells = columns_of_table().map(cell);
    cells.map(|cell| escape_formulas(&cell)).collect()
}

/// Removes the members that native records do not have, and returns their paths. A record with these is somebody else's, and a review that
/// it hides there would be published.
fn remove_foreign(members: &mut Map<String, Value>, path: &str) -> Vec<String> {
    let mut foreign = Vec::new();
    members.retain(|name, value| {
        let path = join(path, name);
        let is_column = columns_of_table().any(|column| column == path);
        let is_object = columns_of_table().any(|column| column.starts_with(&format!("{path}.")));
        if is_object && let Value::Object(inner) = value {
            foreign.extend(remove_foreign(inner, &path));
            return true;
        }
        if is_column || is_object {
            // An object where none belongs may have anything.
            return !value.is_object() || path == "said";
        }
        if !["url", "business", "editorial"].contains(&path.as_str()) {
            foreign.push(path);
        }
        false
    });
    foreign
}

/// The paths of the members of a record that native records do not have.
pub fn foreign_members(record: &Value) -> Vec<String> {
    let mut members = record.as_object().cloned().unwrap_or_default();
    remove_foreign(&mut members, "")
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
    let (record, mut faults) = Record::read(record);
    let shown_as = record.source.or_else(|| record.imported_from.clone());
    let shown_as = shown_as.unwrap_or_else(|| SOURCE_DEFAULT.to_owned());
    if record.id.is_none() {
        note_fault(&mut faults, "id", "missing");
    }
    let Some(id) = record.id.filter(|_| faults.is_empty()) else {
        return Some(Err(faults));
    };
    let name = record.imported_from.unwrap_or_else(|| shown_as.clone());
    let source = record.digests.map(|digests| SourceRecord {
        id_at_source: record.id_at_source,
        ..SourceRecord::new(id.clone(), name, digests)
    });
    Some(Ok(Mark {
        id,
        deletion: Deletion {
            source_name: shown_as,
            day: record.deleted_on.map(|day| day.to_string()),
            reason: record.deleted_reason,
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
    let mut readable = record.clone();
    if let Value::Object(members) = &mut readable {
        remove_foreign(members, "");
        if let Some(Value::String(author)) = members.get_mut("author") {
            *author = without_address(author);
        }
    }
    readable
}

/// The rules for texts of a record.
const RULES: [(&str, TextRule); 8] = [
    ("language", language),
    ("source_url", url),
    ("verified_at", instant),
    ("updated_at", instant),
    ("posted_at", instant),
    ("mentions.technicians[]", mentioned),
    ("mentions.services[]", mentioned),
    ("mentions.service_areas[]", mentioned),
];

/// Mentions are read packed between control characters.
fn mentioned(name: &str) -> Result<String, String> {
    if name.contains(char::is_control) {
        return Err("has a control character; remove it".to_owned());
    }
    Ok(name.to_owned())
}

/// RFC 3339 with any offset. SQLite's date functions, which the tables' checks use, accept no leap seconds and only the years 1 to 9999.
fn instant(text: &str) -> Result<String, String> {
    // RFC 3339 §5.6 has a T between date and time; chrono also accepts blanks.
    let is_shaped = matches!(text.as_bytes().get(10), Some(b'T' | b't'));
    let fits = |instant: DateTime<Utc>| {
        is_shaped && (1..=9999).contains(&instant.year()) && instant.nanosecond() < 1_000_000_000
    };
    if DateTime::parse_from_rfc3339(text).is_ok_and(|instant| fits(instant.to_utc())) {
        return Ok(text.to_owned());
    }
    let shown = quoted(text);
    Err(format!(
        "{shown} is not a time of RFC 3339, for example 2024-05-31T08:00:00Z"
    ))
}

/// The members of a native record. They are read strictly, because reviews are published under the business's name: an invalid one rejects
/// the row, and all that is wrong is said at once.
#[serde_as]
#[derive(Default, Deserialize)]
#[serde(default)]
struct Record {
    id: Option<ReviewId>,
    rating: Option<Value>,
    date: Option<Day>,
    author: Option<String>,
    title: Option<String>,
    text: Option<String>,
    language: Option<String>,
    source: Option<String>,
    source_url: Option<String>,
    verified: Option<bool>,
    verification: Option<Method>,
    verified_at: Option<DateTime<Utc>>,
    mentions: Option<Mentions>,
    owner_reply: Option<Reply>,
    status: Option<StatusName>,
    withheld_reason: Option<String>,
    updated_at: Option<DateTime<Utc>>,
    decided: Option<Vec<String>>,
    /// Read so that a word for true is a fault.
    deleted: Option<bool>,
    deleted_on: Option<Day>,
    deleted_reason: Option<String>,
    posted_at: Option<DateTime<Utc>>,
    imported_from: Option<String>,
    id_at_source: Option<String>,
    #[serde(rename = "said")]
    last_statement: Option<LastStatement>,
    #[serde_as(as = "Option<DisplayFromStr>")]
    digests: Option<Digests>,
    note: Option<String>,
}

impl Record {
    /// What a record says, and its faults; a member that is blank or wrong is missing.
    fn read(record: &Value) -> (Self, Vec<FieldError>) {
        let (mut record, mut faults) = (record.clone(), Vec::new());
        read_texts(&mut record, ["", ""], &RULES, &mut faults);
        let read = read_members(record, Origin::Service, &mut faults, &mut Vec::new());
        (read.unwrap_or_default(), faults)
    }

    /// Whole stars: 5.0 is whole (JSON has only one kind of number); 4.5 and "5" are not.
    fn stars(&self, faults: &mut Vec<FieldError>) -> Option<Rating> {
        let value = self.rating.as_ref()?;
        // A float without a fraction is written without a point.
        let whole = value.as_f64().and_then(|it| it.to_string().parse().ok());
        let stars = whole.and_then(|whole: i64| Rating::try_from(whole).ok());
        if stars.is_none() {
            let advice = format!("{} is not one of 1, 2, 3, 4, 5", shown(value));
            note_fault(faults, "rating", advice);
        }
        stars
    }

    /// Who vouches for the review, as `verified` and `verification` say: for a row without both it is the owner, who imports it.
    fn vouched(&self, faults: &mut Vec<FieldError>) -> Verification {
        let (verified, method) = (self.verified, self.verification);
        let is_wrong = faults.iter().any(|fault| fault.path == "verification");
        if verified == Some(true) && method.is_none() && !is_wrong {
            let advice = "true without verification, which says who verified it; add it, or leave verified out";
            note_fault(faults, "verified", advice);
        }
        if verified == Some(true) && method == Some(Method::Manual) {
            let advice = "true beside verification \"manual\", which means that only you vouch for it; write false";
            note_fault(faults, "verified", advice);
        }
        let is_vouched = verified != Some(false) || method == Some(Method::Manual);
        Verification {
            method: method.or(VOUCHED.method).filter(|_| is_vouched),
            verified_at: self.verified_at,
        }
    }

    /// `None` if it is not stated. A review for which no one vouches is withheld, even if its status is published. Our own exports state
    /// explicitly that there `is_no_reason`.
    fn stated_status(&self, is_vouched: bool, is_no_reason: bool) -> Option<Status> {
        // A reason means withheld; otherwise a review that must stay hidden would be published.
        let is_withheld =
            self.status == Some(StatusName::Withheld) || self.withheld_reason.is_some();
        if is_vouched && !is_withheld {
            return self.status.as_ref().map(|_| Status::Published);
        }
        let is_unexplained = is_withheld && (is_vouched || is_no_reason);
        let usual = (!is_unexplained).then(|| NOT_VERIFIED.to_owned());
        Some(Status::Withheld {
            reason: self.withheld_reason.clone().or(usual),
        })
    }
}

#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StatusName {
    Published,
    Withheld,
}

/// The review in `value`, or all its errors.
fn parse_review(
    value: &Value,
    format: &Format,
    calendar: Calendar,
) -> Result<Incoming, Vec<FieldError>> {
    if !value.is_object() {
        let message = format!("{} is not a JSON object in {{…}}", shown(value));
        return Err(vec![FieldError::new("record", message)]);
    }
    let (record, mut faults) = Record::read(value);
    // A newer instance may have more, which `collect` names.
    let is_native = format.is_native();
    let foreign = is_native.then(|| foreign_members(value));
    for name in foreign.into_iter().flatten() {
        let near = nearest(&name, columns_of_table()).unwrap_or_default();
        let message = format!("is no member of an export; the nearest is {near}; leave it out");
        note_fault(&mut faults, &name, message);
    }
    let stars = record.stars(&mut faults);
    let verification = record.vouched(&mut faults);
    let is_no_reason = value.get("withheld_reason") == Some(&Value::Null);
    let status = record.stated_status(verification.method.is_some(), is_no_reason);
    for (name, is_there) in [
        ("rating", record.rating.is_some()),
        ("date", record.date.is_some()),
        ("author", record.author.is_some()),
    ] {
        if !is_there {
            note_fault(&mut faults, name, "missing");
        }
    }
    // Exports that write every field have an empty answer if there is none.
    let reply = record.owner_reply.filter(|reply| !reply.text.is_empty());
    let answered_on = reply.as_ref().and_then(|reply| reply.date);
    for (name, day) in [("date", record.date), ("owner_reply.date", answered_on)] {
        if let Some(Err(message)) = day.map(|day| calendar.place(Posted::Day(day))) {
            note_fault(&mut faults, name, message);
        }
    }
    let (Some(rating), Some(date), Some(author), []) =
        (stars, record.date, record.author, faults.as_slice())
    else {
        return Err(faults);
    };
    let decided = record.decided.unwrap_or_default();
    let decided: Units = decided.iter().filter_map(|name| Unit::find(name)).collect();
    let unpublished = Unpublished {
        posted_at: record.posted_at,
        id_at_source: record.id_at_source,
        imported_from: record.imported_from,
        note: record.note,
        last_statement: record.last_statement,
        digests: record.digests,
    };
    let (title, text, id) = (record.title, record.text.unwrap_or_default(), record.id);
    let has_source = record.source.is_some();
    let name = record.source.unwrap_or_else(|| SOURCE_DEFAULT.to_owned());
    let has_own_id = id.is_some();
    let id = match id {
        Some(id) => id,
        // It is that of a row with the same values in a table.
        None => derive_id(
            "table",
            [&name, &author, &date.to_string(), &text],
            title.as_deref(),
            rating,
        )?,
    };
    let mentions = record.mentions.unwrap_or_default();
    let review = Review {
        id,
        rating,
        date,
        author,
        title,
        text,
        language: record.language,
        source: Source {
            name,
            url: record.source_url,
        },
        verification,
        mentions: Mentions::new(
            mentions.technicians,
            mentions.services,
            mentions.service_areas,
        ),
        reply,
        // The merge withholds a review that is not verified.
        status: status.clone().unwrap_or(Status::Published),
        updated_at: record.updated_at.map(|at| at.min(calendar.now)),
    };
    let has = |name: &str| value.get(name).is_some_and(|value| !value.is_null());
    let is_unstated = |unit: &Unit| match unit {
        Unit::Status => status.is_none(),
        Unit::Source => !has_source,
        Unit::Verification => !has("verified") && !has("verification"),
        Unit::Reply => value.get("owner_reply").is_none(),
        Unit::Rating
        | Unit::Date
        | Unit::Author
        | Unit::Title
        | Unit::Text
        | Unit::Language
        | Unit::Mentions => value.get(unit.name()).is_none(),
    };
    // Neither the source nor the owner said anything of these.
    let is_unknown = |unit: &Unit| {
        let last = unpublished.last_statement.as_ref();
        last.is_some_and(|last| {
            unit.is_unset(&review)
                && last.compare(*unit, &review).is_none()
                && !decided.contains(unit)
        })
    };
    let unstated = Unit::ALL.into_iter();
    let unstated = unstated.filter(|unit| is_unstated(unit) || is_unknown(unit));
    Ok(Incoming {
        has_own_id,
        hidden_name: None,
        is_answer_hidden: false,
        has_new_value: false,
        has_instant: false,
        statement: Statement {
            unstated: unstated.collect(),
            review,
            decided,
            unshown: Units::new(),
        },
        unpublished,
    })
}

/// Whether a row of native members alone has all that it needs; `None` for any other row.
pub fn native_row(row: &str) -> Option<bool> {
    let record = parse_row(row).ok()?;
    let mut members = record.as_object()?.clone();
    members.remove("url");
    let count = members.len();
    let is_native = remove_foreign(&mut members, "").is_empty() && members.len() == count;
    let mut needed = ["rating", "date", "author"].iter();
    let is_whole = needed.all(|name| record.get(name).is_some());
    is_native.then_some(is_whole || record["deleted"] == true)
}
