//! Writes native records: an import of them into an empty database restores everything. `read::native` reads them.

use std::collections::HashMap;

use chrono::NaiveDate;
use serde_json::{Map, Value, json};
use sqlx::SqliteConnection;

pub use crate::imports::map::COLUMNS;
use crate::imports::map::put;
use crate::imports::map::table::{Row, find};
use crate::model::{DigestKey, Review, Status, Unit, Units};
use crate::storage::reviews;
use crate::storage::reviews::SourceVersion;

/// One line of an export.
#[derive(Debug, Clone, PartialEq)]
pub enum Exported {
    Review(Box<ExportedReview>),
    Deleted {
        id: String,
        /// `None` if files of its source have its id.
        kept: Option<Box<SourceVersion>>,
    },
}

/// A review with what an import of it needs.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedReview {
    pub review: Review,
    /// The units that the owner decided.
    pub decided: Units,
    pub source: Option<SourceVersion>,
    /// The owner's note.
    pub note: Option<String>,
}

/// Reviews per batch.
const ROWS: i64 = 250;

/// Reads everything in batches, in id order. All lines show one state of the database if the connection is in a
/// transaction.
#[derive(Debug, Default)]
pub struct Export {
    key: Option<DigestKey>,
    /// By which rows of a deleted review, and copies of other sources, are found.
    deleted: HashMap<String, SourceVersion>,
    last: String,
}

impl Export {
    /// # Errors
    /// When the database cannot be read.
    pub async fn new(connection: &mut SqliteConnection) -> sqlx::Result<Self> {
        let deleted = reviews::deleted_reviews(connection).await?.into_iter();
        Ok(Self {
            deleted: deleted.map(|kept| (kept.id.to_string(), kept)).collect(),
            key: reviews::find_key(connection).await?,
            last: String::new(),
        })
    }

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
        let mut standing = reviews::standing(connection, &list).await?;
        let mut notes = reviews::notes(connection, &list).await?;
        let line = |id: &String| {
            let Some(review) = standing.reviews.remove(id) else {
                // A row without a valid review counts neither as a review nor as a deletion.
                return standing.deleted.contains(id).then(|| Exported::Deleted {
                    id: id.clone(),
                    kept: self.deleted.get(id).cloned().map(Box::new),
                });
            };
            let source = standing.sources.remove(id);
            let base = source.as_ref().map(|source| source.base.clone());
            let base = base.unwrap_or_default();
            let set = Unit::ALL.into_iter().filter(|unit| !unit.is_unset(&review));
            let decided = match &self.key {
                Some(key) => base.decisions(key, &review),
                None => set.collect(),
            };
            Some(Exported::Review(Box::new(ExportedReview {
                review,
                decided,
                source,
                note: notes.remove(id),
            })))
        };
        Ok(Some(ids.iter().filter_map(line).collect()))
    }
}

impl Exported {
    /// A line of JSON Lines.
    pub fn json(&self) -> Value {
        match self {
            Self::Deleted { id, kept: None } => json!({ "id": id, "deleted": true }),
            Self::Deleted {
                id,
                kept: Some(kept),
            } => without_nulls(json!({
                "id": id,
                "deleted": true,
                "imported_from": kept.source_name,
                "location": kept.location,
                "id_at_source": kept.own_id,
                "fingerprints": kept.fingerprints.to_string(),
            })),
            Self::Review(exported) => record(exported),
        }
    }

    /// The record as cells, one for each of [`COLUMNS`]; no spreadsheet runs a cell as a formula.
    pub fn cells(&self) -> Vec<String> {
        let mut json = self.json();
        json["escaped"] = json!(true);
        let cell = |path: &&str| {
            let value = path
                .split('.')
                .try_fold(&json, |value, name| value.get(name));
            match value {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(text)) => text.clone(),
                Some(Value::Array(values)) => {
                    let cell: Vec<_> = values.iter().filter_map(Value::as_str).collect();
                    let cell = cell.join("; ");
                    if listed(&cell) == *values {
                        cell
                    } else {
                        Value::from(values.as_slice()).to_string()
                    }
                }
                Some(other) => other.to_string(),
            }
        };
        let escaped = |cell: String| {
            let quote = if is_formula(&cell) { "'" } else { "" };
            format!("{quote}{cell}")
        };
        COLUMNS.iter().map(cell).map(escaped).collect()
    }
}

/// Whether a spreadsheet may run a cell as a formula (CWE-1236), or the cell looks escaped: such a cell is also
/// escaped, so that every cell reads back unchanged.
fn is_formula(cell: &str) -> bool {
    cell.trim_start_matches('\'')
        .starts_with(['=', '+', '-', '@', '\t', '\r'])
}

/// The values of a cell that lists them: separated by `; `, or a JSON array if one of them contains that.
fn listed(cell: &str) -> Vec<Value> {
    serde_json::from_str(cell).unwrap_or_else(|_| {
        let parts = cell.split("; ").filter(|part| !part.is_empty());
        parts.map(Value::from).collect()
    })
}

/// Whether a table with these columns is an export: no other table has all three.
pub(super) fn is_export(columns: &[String]) -> bool {
    ["id", "decided", "deleted"]
        .iter()
        .all(|name| find(columns, name).is_some())
}

/// The record of a row in an exported table: the inverse of [`Exported::cells`].
/// A spreadsheet may have changed the dates to the form `date_format`.
pub(super) fn of_cells(columns: &[String], row: &Row, date_format: Option<&str>) -> Value {
    let written = |name: &str| {
        let column = find(columns, name);
        column.and_then(|at| row.cell(at)).unwrap_or_default()
    };
    let is_escaped = written("escaped").eq_ignore_ascii_case("true");
    let cell = |name: &str| {
        let cell = written(name);
        let escaped = cell.strip_prefix('\'').filter(|_| is_escaped);
        escaped.filter(|cell| is_formula(cell)).unwrap_or(cell)
    };
    let mut record = Map::new();
    for path in COLUMNS {
        if path == "escaped" {
            continue;
        }
        let text = cell(path);
        let value = match path {
            "mentions.technicians" | "mentions.services" | "mentions.service_areas" => {
                Value::from(listed(text))
            }
            "decided" if !text.is_empty() => Value::from(listed(text)),
            _ if text.is_empty() => continue,
            "rating" => text
                .parse::<u8>()
                .map_or_else(|_| Value::from(text), Value::from),
            // Excel writes TRUE.
            "verification.verified" | "deleted" => text
                .to_ascii_lowercase()
                .parse::<bool>()
                .map_or_else(|_| Value::from(text), Value::from),
            "date" | "response.date" => {
                let day =
                    date_format.and_then(|format| NaiveDate::parse_from_str(text, format).ok());
                Value::from(day.map_or_else(|| text.to_owned(), |day| day.to_string()))
            }
            _ => Value::from(text),
        };
        put(&mut record, path, value);
    }
    // A text may be empty; null means that the owner decided that the value is absent.
    if cell("deleted").is_empty() {
        record.entry("text").or_insert_with(|| Value::from(""));
    }
    for unit in cell("decided").split("; ") {
        if ["title", "language", "response"].contains(&unit) {
            record.entry(unit).or_insert(Value::Null);
        }
    }
    if cell("status") == "withheld" {
        record.entry("withheld_reason").or_insert(Value::Null);
    }
    Value::Object(record)
}

fn record(exported: &ExportedReview) -> Value {
    let ExportedReview {
        review,
        decided,
        source: version,
        note,
    } = exported;
    let version = version.as_ref();
    let Review { source, status, .. } = review;
    let mut record = json!(review);
    record["verification"]["method"] = json!(review.verification.method.name());
    for part in ["source", "verification", "response"] {
        record[part] = without_nulls(record[part].take());
    }
    record["status"] = json!(status.name());
    record["withheld_reason"] = json!(status.reason());
    record["location"] = json!(version.and_then(|version| version.location.as_ref()));
    // Unpublished values from the source, which the next import needs.
    record["posted_at"] = json!(version.and_then(|version| version.posted_at));
    record["responded_at"] = json!(version.and_then(|version| version.responded_at));
    let imported_from = version.map(|version| &version.source_name);
    record["imported_from"] = json!(imported_from.filter(|name| **name != source.name));
    record["id_at_source"] = json!(version.and_then(|version| version.own_id.as_ref()));
    record["note"] = json!(note);
    let names: Vec<&str> = decided.iter().map(Unit::name).collect();
    record["decided"] = json!((!names.is_empty()).then_some(names));
    let is_stated = |name: &str| match name {
        // An absent value is written only if the owner decided it: a missing member means an unstated value.
        "title" => decided.has(Unit::Title),
        "language" => decided.has(Unit::Language),
        "response" => decided.has(Unit::Response),
        // Null means that there is no reason; without it, "not verified" would become the reason.
        "withheld_reason" => *status != Status::Published,
        _ => false,
    };
    if let Value::Object(members) = &mut record {
        members.retain(|name, value| !value.is_null() || is_stated(name));
    }
    record
}

/// The object without its members that are null.
pub(crate) fn without_nulls(mut value: Value) -> Value {
    if let Value::Object(members) = &mut value {
        members.retain(|_, member| !member.is_null());
    }
    value
}
