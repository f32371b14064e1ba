//! Native records: written by exports, in lines or as a table, and read again from lines. An import of an export into an empty database
//! restores everything.

use std::sync::{Arc, LazyLock};

use chrono::{DateTime, Datelike, Timelike, Utc};
use serde::Deserialize;
use serde_json::{Value, json};
use serde_with::{DisplayFromStr, serde_as};
use sqlx::SqliteConnection;

use crate::imports::fault::{FieldError, RowKey};
use crate::imports::format::Format;
use crate::imports::owner::{
    TextRule, UnknownMember, language, note_fault, read_members, read_texts, remove_unknown,
};
use crate::imports::read::json::parse_row;
use crate::imports::request::{ImportRequest, SOURCE_DEFAULT};
use crate::imports::row::{Exported, ReviewRow, VOUCHED, derive_id};
use crate::imports::value::text::{escape_formulas, without_address};
use crate::model::json::without_nulls;
use crate::model::text::{quoted, shown, url};
use crate::model::{
    Calendar, Day, Digests, LastStatement, Mentions, Method, NOT_VERIFIED, Posted, Rating, Reply,
    Review, ReviewId, Source, StatedReview, Status, Unit, Units, Verification, fold,
};
use crate::storage::reviews::{self, Deletion, KnownReview, Mark, ReviewState, SourceRecord};

/// The paths of the members of a native record, one review as JSON, as in exports and documents (`docs/FORMAT.md`): the header of an
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
    ) -> sqlx::Result<Option<Vec<(ReviewId, Box<KnownReview>)>>> {
        let ids = reviews::ids_after(connection, &self.last, ROWS).await?;
        let Some(last) = ids.last() else {
            return Ok(None);
        };
        self.last.clone_from(last);
        let list: Vec<&str> = ids.iter().map(String::as_str).collect();
        let known = reviews::load_reviews(connection, &list).await?.into_iter();
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
                "decided": deletion.is_anonymized.then_some([Unit::Author.name()]),
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
    let cells = columns_of_table().map(|path| {
        let cell = match record.pointer(&format!("/{}", path.replace('.', "/"))) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(values)) => {
                let cell: Vec<_> = values.iter().filter_map(Value::as_str).collect();
                cell.join("; ")
            }
            Some(other) => other.to_string(),
        };
        escape_formulas(&cell)
    });
    cells.collect()
}

/// The paths of the members of a native record: the columns, the permalink, and what a source said of any field.
static MEMBERS: LazyLock<String> = LazyLock::new(|| COLUMNS.replace(",said,", ",said.*,url,"));

/// The members of a record that native records do not have. A record with these is somebody else's, and a review that it hides there would
/// be published.
fn foreign_members(record: &Value) -> Vec<UnknownMember<'static>> {
    remove_unknown(&mut record.clone(), &MEMBERS)
}

/// What a native record is about.
pub enum NativeRecord {
    /// The business, the editorial texts and the formats of sources: the first line of an export.
    Settings,
    /// A review that the owner deleted.
    Deleted(Box<Mark>),
    Review(Box<ReviewRow>),
}

/// What a native record says, or all its faults.
pub fn parse_record(
    value: &Value,
    format: &Arc<Format>,
    calendar: Calendar,
) -> Result<NativeRecord, Vec<FieldError>> {
    if !value.is_object() {
        let message = format!("{} is not a JSON object in {{…}}", shown(value));
        return Err(vec![FieldError::new("record", message)]);
    }
    let is_review = value.get("id").or(value.get("rating")).is_some();
    if !is_review && (value["business"].is_object() || value["editorial"].is_object()) {
        return Ok(NativeRecord::Settings);
    }
    let (record, mut faults) = Record::read(value);
    if value["deleted"] == true {
        let mark = record.into_mark(faults)?;
        return Ok(NativeRecord::Deleted(Box::new(mark)));
    }
    faults.extend(foreign_members(value).iter().map(UnknownMember::fault));
    let row = record.into_row(value, format, calendar, faults)?;
    Ok(NativeRecord::Review(Box::new(row)))
}

/// The source of a rejected record that may say that its review is withheld, with what finds the review: what is wrong may be just that.
pub fn withheld_review(record: &Value, request: &ImportRequest) -> Option<(String, RowKey)> {
    let text = |name: &str| record[name].as_str();
    let (status, verified) = (&record["status"], &record["verified"]);
    let is_withheld = !status.is_null() && status != "published"
        || !record["withheld_reason"].is_null()
        || verified == false && record["verification"] != "manual";
    let id = text("id").and_then(|id| id.parse().ok());
    let day = text("date").and_then(|day| day.parse().ok());
    let [author, content] = ["author", "text"].map(|name| text(name).unwrap_or_default());
    let key = RowKey::new(id, author, day, content).filter(|_| is_withheld)?;
    let source = request.source.as_deref();
    let source = source.or(text("imported_from")).or(text("source"));
    Some((fold(source.unwrap_or(SOURCE_DEFAULT)), key))
}

/// The members of a native record that are read; all others may be private. What is not an object is unchanged.
pub fn readable(record: &Value) -> Value {
    let mut readable = record.clone();
    remove_unknown(&mut readable, &MEMBERS);
    if let Some(Value::String(author)) = readable.get_mut("author") {
        *author = without_address(author);
    }
    readable
}

/// The members without which there is no review.
const NEEDED: [&str; 3] = ["rating", "date", "author"];

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
    if let Ok(instant) = DateTime::parse_from_rfc3339(text)
        && is_shaped
        && (1..=9999).contains(&instant.to_utc().year())
        && instant.nanosecond() < 1_000_000_000
    {
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
        let mut record: Self = read_members(record, &mut faults);
        // Exports that write every field have an empty answer if there is none.
        record.owner_reply = record.owner_reply.filter(|reply| !reply.text.is_empty());
        (record, faults)
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

    /// `None` if it is not stated. A review for which no one vouches is withheld, even if its status is published. Exports state
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

    /// Notes what is missing of a review, and days that cannot be.
    fn check(&self, calendar: Calendar, faults: &mut Vec<FieldError>) {
        let is_there = [
            self.rating.is_some(),
            self.date.is_some(),
            self.author.is_some(),
        ];
        for (name, is_there) in NEEDED.into_iter().zip(is_there) {
            if !is_there {
                note_fault(faults, name, "missing");
            }
        }
        let answered_on = self.owner_reply.as_ref().and_then(|reply| reply.date);
        for (name, day) in [("date", self.date), ("owner_reply.date", answered_on)] {
            if let Some(Err(message)) = day.map(|day| calendar.place(Posted::Day(day))) {
                note_fault(faults, name, message);
            }
        }
    }

    fn into_mark(self, mut faults: Vec<FieldError>) -> Result<Mark, Vec<FieldError>> {
        let shown_as = self.source.or_else(|| self.imported_from.clone());
        let shown_as = shown_as.unwrap_or_else(|| SOURCE_DEFAULT.to_owned());
        if self.id.is_none() {
            note_fault(&mut faults, "id", "missing");
        }
        let Some(id) = self.id.filter(|_| faults.is_empty()) else {
            return Err(faults);
        };
        let name = self.imported_from.unwrap_or_else(|| shown_as.clone());
        let source = self.digests.map(|digests| SourceRecord {
            id_at_source: self.id_at_source,
            ..SourceRecord::new(id.clone(), name, digests)
        });
        Ok(Mark {
            id,
            deletion: Deletion {
                source_name: shown_as,
                day: self.deleted_on.map(|day| day.to_string()),
                reason: self.deleted_reason,
                is_anonymized: self.decided.is_some_and(|it| it == [Unit::Author.name()]),
            },
            source,
        })
    }

    /// The review in the record, whose JSON is `value` and whose faults are known, or all its faults.
    fn into_row(
        mut self,
        value: &Value,
        format: &Arc<Format>,
        calendar: Calendar,
        mut faults: Vec<FieldError>,
    ) -> Result<ReviewRow, Vec<FieldError>> {
        let stars = self.stars(&mut faults);
        let verification = self.vouched(&mut faults);
        self.check(calendar, &mut faults);
        let (Some(rating), Some(date), Some(author), []) =
            (stars, self.date, self.author.take(), &faults[..])
        else {
            return Err(faults);
        };
        let has_id = self.id.is_some();
        let is_no_reason = value.get("withheld_reason") == Some(&Value::Null);
        let status = self.stated_status(verification.method.is_some(), is_no_reason);
        // The merge withholds a review that is not verified.
        let status = status.unwrap_or(Status::Published);
        self.updated_at = self.updated_at.map(|at| at.min(calendar.now));
        let review = self.take_review(rating, date, author, verification, status)?;
        let decided = self.decided.iter().flatten();
        let decided: Units = decided.filter_map(|name| Unit::find(name)).collect();
        let statement = StatedReview {
            unstated: self.unstated(value, &review, &decided),
            review,
            decided,
            not_public: Units::new(),
            blocks: Vec::new(),
        };
        let mut row = ReviewRow::new(format, statement, has_id);
        row.posted_at = self.posted_at;
        row.exported = Some(Box::new(Exported {
            id_at_source: self.id_at_source,
            imported_from: self.imported_from,
            note: self.note,
            last_statement: self.last_statement,
            digests: self.digests,
        }));
        Ok(row)
    }

    /// Moves the review out of the record.
    fn take_review(
        &mut self,
        rating: Rating,
        date: Day,
        author: String,
        verification: Verification,
        status: Status,
    ) -> Result<Review, Vec<FieldError>> {
        let name = self.source.clone();
        let name = name.unwrap_or_else(|| SOURCE_DEFAULT.to_owned());
        let (title, text) = (self.title.take(), self.text.take().unwrap_or_default());
        let id = match self.id.take() {
            Some(id) => id,
            // It is that of a row with the same values in a table.
            None => derive_id(
                "table",
                [&name, &author, &date.to_string(), &text],
                title.as_deref(),
                rating,
            )?,
        };
        let mentions = self.mentions.take().unwrap_or_default();
        Ok(Review {
            id,
            rating,
            date,
            author,
            title,
            text,
            language: self.language.take(),
            source: Source {
                name,
                url: self.source_url.take(),
            },
            verification,
            mentions: Mentions::new(
                mentions.technicians,
                mentions.services,
                mentions.service_areas,
            ),
            reply: self.owner_reply.take(),
            status,
            updated_at: self.updated_at,
        })
    }

    /// The units of `review` that the record, whose JSON is `value`, does not state.
    fn unstated(&self, value: &Value, review: &Review, decided: &Units) -> Units {
        let is_null = |name| value.get(name).is_none_or(Value::is_null);
        let is_absent = |unit: Unit| match unit {
            // A withheld review states its status with its reason.
            Unit::Status => self.status.is_none() && review.status == Status::Published,
            Unit::Source => self.source.is_none(),
            Unit::Verification => is_null("verified") && is_null("verification"),
            Unit::Reply => value.get("owner_reply").is_none(),
            Unit::Rating
            | Unit::Date
            | Unit::Author
            | Unit::Title
            | Unit::Text
            | Unit::Language
            | Unit::Mentions => value.get(unit.name()).is_none(),
        };
        let mut unstated = Units::new();
        for unit in Unit::ALL {
            // Neither the source nor the owner said anything of it.
            let is_unknown = self.last_statement.as_ref().is_some_and(|last| {
                unit.is_unset(review)
                    && last.compare(unit, review).is_none()
                    && !decided.contains(&unit)
            });
            if is_absent(unit) || is_unknown {
                unstated.insert(unit);
            }
        }
        unstated
    }
}

#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StatusName {
    Published,
    Withheld,
}

/// The first of these lines that is an object with members.
pub fn first_record<'t>(lines: impl Iterator<Item = &'t str>) -> Option<Value> {
    let mut records = lines.filter_map(|line| parse_row(line).ok());
    records.find(|it| it.as_object().is_some_and(|members| !members.is_empty()))
}

/// Whether a record has the members of native records alone. What the records after it have besides is their fault.
pub fn is_native(record: &Value) -> bool {
    foreign_members(record).is_empty()
}

/// Whether a record is the first line of an export: it has the members of that alone, and one that no other file has.
pub fn begins_export(record: &Value) -> bool {
    let mut members = record.as_object().into_iter().flatten();
    let is_ours =
        record.get("editorial").is_some() || !record["business"]["publish_staff"].is_null();
    is_ours && members.all(|(name, _)| ["business", "editorial", "formats"].contains(&&**name))
}
