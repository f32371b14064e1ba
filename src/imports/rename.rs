//! `--map text=Review`: JSON Lines whose fields have other names than ours.

use std::str::FromStr;

use serde_json::{Map, Value};
use thiserror::Error;

/// The fields of a native record that can be filled from a field of another name.
const FIELDS: [&str; 22] = [
    "id",
    "rating",
    "date",
    "author",
    "title",
    "text",
    "language",
    "source.name",
    "source.url",
    "verification.verified",
    "verification.method",
    "verification.verified_at",
    "response.text",
    "response.date",
    "response.author",
    "location",
    "mentions.technicians",
    "mentions.services",
    "mentions.service_areas",
    "status",
    "withheld_reason",
    "updated_at",
];

/// The one field that may be filled from nothing: `--map status=` ignores what a file says of it.
pub(super) const STATUS: &str = "status";

/// One field of ours, and what the file calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    ours: &'static str,
    theirs: String,
}

/// A `--map` that names nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RenameError {
    /// There is no `=` with something on both sides.
    #[error("write it as FIELD=THEIR_FIELD, for example text=Review")]
    Shape,
    /// The field is none of ours.
    #[error("`{0}` is no field of a review; take one of {known}", known = FIELDS.join(", "))]
    Field(String),
}

impl Rename {
    /// The field of the native record that it fills.
    pub(super) const fn ours(&self) -> &'static str {
        self.ours
    }

    /// Whether it says that nothing of the file is the status.
    pub(super) fn ignores_status(&self) -> bool {
        self.ours == STATUS && self.theirs.is_empty()
    }

    /// What the file calls it; empty where nothing of the file is to fill it, which only a status can be.
    pub(super) fn theirs(&self) -> &str {
        &self.theirs
    }
}

impl FromStr for Rename {
    type Err = RenameError;

    fn from_str(text: &str) -> Result<Self, RenameError> {
        let (ours, theirs) = text.split_once('=').ok_or(RenameError::Shape)?;
        if ours.is_empty() || (theirs.is_empty() && ours != STATUS) {
            return Err(RenameError::Shape);
        }
        let known = FIELDS.into_iter().find(|field| *field == ours);
        Ok(Self {
            ours: known.ok_or_else(|| RenameError::Field(ours.to_owned()))?,
            theirs: theirs.to_owned(),
        })
    }
}

/// Moves the fields of `record` to our names. A field that it does not have leaves ours as it is.
pub(super) fn apply(renames: &[Rename], record: &mut Value) {
    let Value::Object(fields) = record else {
        return;
    };
    // All are taken out before any is put in, so that two names can change places.
    let taken: Vec<_> = renames
        .iter()
        .filter_map(|rename| {
            let theirs = match rename.theirs.as_str() {
                "" => rename.ours,
                theirs => theirs,
            };
            let value = fields.remove(theirs)?;
            (!rename.theirs.is_empty()).then_some((rename.ours, value))
        })
        .collect();
    for (ours, value) in taken {
        put(fields, ours, value);
    }
}

fn put(fields: &mut Map<String, Value>, path: &str, value: Value) {
    // An absent part stays absent: an empty object would lack what it must have.
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Rename, apply};

    #[test]
    fn names_can_change_places_and_reach_inside() {
        let renames: Vec<Rename> = ["text=title", "title=text", "source.name=From", "author=Who"]
            .iter()
            .map(|map| map.parse().unwrap())
            .collect();
        let mut record = json!({"text": "a", "title": "b", "From": "Yelp", "id": "1"});
        apply(&renames, &mut record);
        assert_eq!(
            record,
            json!({"text": "b", "title": "a", "source": {"name": "Yelp"}, "id": "1"})
        );
    }

    #[test]
    fn a_field_that_is_none_of_ours_is_refused() {
        assert!(
            "review=Review"
                .parse::<Rename>()
                .unwrap_err()
                .to_string()
                .contains("text")
        );
        assert!("text".parse::<Rename>().is_err());
        assert!("text=".parse::<Rename>().is_err());
        assert!("status=".parse::<Rename>().is_ok());
    }
}
