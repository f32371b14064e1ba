//! Writes native records: an import of them into an empty database restores everything. `read::native` reads them.

use chrono::NaiveDate;
use serde_json::{Map, Value, json};
use sqlx::SqliteConnection;

use crate::imports::map::fields::COLUMNS;
use crate::imports::map::values::{flag, names};
use crate::imports::table::{Row, find};
use crate::model::json::without_nulls;
use crate::model::{Digests, ReviewId, Status, Unit, Units};
use crate::storage::columns::KeptColumns;
use crate::storage::reviews;
use crate::storage::reviews::KnownReview;

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
    names(COLUMNS)
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
            return without_nulls(json!({
                "id": self.id,
                "deleted": true,
                "imported_from": source.map(|source| &source.source_name),
                "location": source.and_then(|source| source.location.as_ref()),
                "id_at_source": source.and_then(|source| source.id_at_source.as_ref()),
                "digests": source.map(|source| source.digests.to_string()),
            }));
        };
        let mut record = json!(review);
        record["verification"]["method"] = json!(review.verification.method.name());
        for part in ["source", "verification", "response"] {
            record[part] = without_nulls(record[part].take());
        }
        record["status"] = json!(review.status.name());
        record["withheld_reason"] = json!(review.status.reason());
        record["location"] = json!(source.and_then(|source| source.location.as_ref()));
        // Unpublished values from the source, which the next import needs.
        record["posted_at"] = json!(source.and_then(|source| source.posted_at));
        record["responded_at"] = json!(source.and_then(|source| source.responded_at));
        let imported_from = source.map(|source| &source.source_name);
        record["imported_from"] = json!(imported_from.filter(|name| **name != review.source.name));
        record["id_at_source"] = json!(source.and_then(|source| source.id_at_source.as_ref()));
        record["said"] = self.known.said().json();
        record["note"] = json!(self.known.note);
        let digests =
            source.filter(|it| it.digests != Digests::new(review, &review.author, it.posted_at));
        record["digests"] = json!(digests.map(|source| source.digests.to_string()));
        let names: Vec<&str> = self.decided.iter().copied().map(Unit::name).collect();
        record["decided"] = json!((!names.is_empty()).then_some(names));
        let is_stated = |name: &str| match name {
            // An absent value is written only if the owner decided it: a missing member means an unstated value.
            "title" => self.decided.contains(&Unit::Title),
            "language" => self.decided.contains(&Unit::Language),
            "response" => self.decided.contains(&Unit::Response),
            // Null means that there is no reason; without it, "not verified" would become the reason.
            "withheld_reason" => review.status != Status::Published,
            _ => false,
        };
        if let Value::Object(members) = &mut record {
            members.retain(|name, value| !value.is_null() || is_stated(name));
        }
        record
    }

    /// The record as cells, one for each of [`columns_of_table`]; no spreadsheet runs a cell as a formula. `columns` are the meanings of
    /// sources' columns.
    pub fn cells(&self, columns: &KeptColumns) -> Vec<String> {
        let mut json = self.json();
        if !columns.is_empty() {
            json["columns"] = json!(columns.all().collect::<Vec<_>>());
        }
        json["escaped"] = json!(true);
        let cell = |path: &str| {
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
        columns_of_table().map(cell).map(escaped).collect()
    }
}

/// Whether a spreadsheet may run a cell as a formula (CWE-1236), or the cell looks escaped: such a cell is also
/// escaped, so that every cell reads back unchanged.
fn is_formula(cell: &str) -> bool {
    cell.trim_start_matches('\'')
        .starts_with(['=', '+', '-', '@', '\t', '\r'])
}

/// A cell without the apostrophe that keeps a spreadsheet from running it.
pub(super) fn remove_formula_escape(cell: &str) -> &str {
    let escaped = cell.strip_prefix('\'');
    escaped.filter(|cell| is_formula(cell)).unwrap_or(cell)
}

/// The values of a cell that lists them: separated by `; `, or a JSON array if one of them contains that.
fn listed(cell: &str) -> Vec<Value> {
    serde_json::from_str(cell).unwrap_or_else(|_| {
        let parts = cell.split("; ").filter(|part| !part.is_empty());
        parts.map(Value::from).collect()
    })
}

/// Whether a table with these columns is an export: no other table has all three.
pub fn is_export(columns: &[String]) -> bool {
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
    let is_escaped = flag(written("escaped")) == Ok(true);
    let cell = |name: &str| {
        let cell = written(name);
        if is_escaped {
            remove_formula_escape(cell)
        } else {
            cell
        }
    };
    let mut record = Map::new();
    for path in columns_of_table() {
        if path == "escaped" {
            continue;
        }
        let text = cell(path);
        let value = match path {
            "mentions.technicians" | "mentions.services" | "mentions.service_areas" => {
                Value::from(listed(text))
            }
            "decided" if !text.is_empty() => Value::from(listed(text)),
            "columns" if !text.is_empty() => serde_json::from_str(text).unwrap_or_default(),
            "said" if !text.is_empty() => {
                serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
            }
            _ if text.is_empty() => continue,
            "rating" => text
                .parse::<u8>()
                .map_or_else(|_| Value::from(text), Value::from),
            // Spreadsheets write TRUE, in the language of their country.
            "verification.verified" | "deleted" => {
                flag(text).map_or_else(|_| Value::from(text), Value::from)
            }
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

/// Inserts a value at a path, as `source.name`.
pub fn put(fields: &mut Map<String, Value>, path: &str, value: Value) {
    // An absent part stays absent: an empty object would lack required members.
    if value.is_null() {
        return;
    }
    match path.split_once('.') {
        None => {
            fields.insert(path.to_owned(), value);
        }
        Some((outer, inner)) => {
            let part = fields
                .entry(outer)
                .or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(part) = part {
                put(part, inner, value);
            }
        }
    }
}
