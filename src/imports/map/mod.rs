//! Turns the rows of a file into [`Incoming`] reviews, by the [`Format`](super::platforms::Format) of the file.

use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use serde_with::{DisplayFromStr, serde_as};

use crate::imports::map::values::{Names, names};
use crate::model::{Digests, Method, ReviewId, Said, Statement, Unit, Verification, named};
use crate::storage::imports::{NOTHING, VISIBILITY};

pub(crate) mod answers;
pub(crate) mod date;
pub(crate) mod header;
pub(crate) mod plan;
pub(crate) mod row;
pub(crate) mod table;
pub(crate) mod values;
pub(crate) mod visibility;

/// A review as its source states it: the result of reading one row, for every format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoming {
    /// Its ID is the row's own, or one that is derived from the row.
    pub statement: Statement,
    pub has_own_id: bool,
    /// The author's name, if it is not published.
    pub hidden_name: Option<Box<str>>,
    /// Whether its answer is not published.
    pub is_answer_hidden: bool,
    /// The number in its own ID, which may count the rows of the file, and the ID that it has in that case.
    pub counted: Option<(u64, ReviewId)>,
    /// When it last changed at the source: of rows with the same ID, the newest counts.
    pub changed_at: Option<DateTime<Utc>>,
    pub unpublished: Unpublished,
}

/// What a row has besides the review. All but the first three are only in our own exports.
#[serde_as]
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Unpublished {
    /// The business's location, by the source's name for it.
    pub location: Option<String>,
    /// Time of the review, if its source gave an instant.
    pub posted_at: Option<DateTime<Utc>>,
    /// Time of the owner's answer, if its source gave an instant.
    pub responded_at: Option<DateTime<Utc>>,
    /// The source's ID of the review if it has another one here.
    pub id_at_source: Option<String>,
    /// The source's own name, if the owner renamed it.
    pub imported_from: Option<String>,
    /// The owner's note.
    pub note: Option<String>,
    /// What the source last said.
    #[serde(deserialize_with = "said")]
    pub said: Option<Said>,
    /// Digests of what the source last gave, if they differ from those of the review.
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub digests: Option<Digests>,
}

fn said<'de, D: Deserializer<'de>>(member: D) -> Result<Option<Said>, D::Error> {
    Ok(Option::<Value>::deserialize(member)?
        .as_ref()
        .map(Said::from))
}

impl Incoming {
    /// The source's own name, even if the owner renamed it; `None` if the row states none.
    pub fn source_name(&self) -> Option<&str> {
        let Statement {
            review, unstated, ..
        } = &self.statement;
        let named = (!unstated.contains(&Unit::Source)).then_some(review.source.name.as_str());
        self.unpublished.imported_from.as_deref().or(named)
    }

    /// The members of the review that the source hides.
    pub fn hidden_parts(&self) -> Vec<&'static str> {
        let parts = [
            ("author", self.hidden_name.is_some()),
            ("response", self.is_answer_hidden),
        ];
        let parts = parts.into_iter();
        parts
            .filter_map(|(name, is_hidden)| is_hidden.then_some(name))
            .collect()
    }
}

/// Source name of a review without one.
pub const SOURCE_DEFAULT: &str = "Direct";

/// Verification of a row without one: the owner who imports the row vouches for it.
pub const VOUCHED: Verification = Verification {
    verified: true,
    method: Method::Manual,
    verified_at: None,
};

named! {
    /// A field of a review that a column may fill, by its path in a native record; one that has no path there has a name
    /// of its own.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum ReviewField {
        Id = "id",
        Rating = "rating",
        Date = "date",
        Author = "author",
        FirstName = "first_name",
        LastName = "last_name",
        Title = "title",
        Text = "text",
        Language = "language",
        SourceName = "source.name",
        Url = "source.url",
        Location = "location",
        UpdatedAt = "updated_at",
        Verified = "verification.verified",
        Method = "verification.method",
        VerifiedAt = "verification.verified_at",
        Matched = "matched",
        Technicians = "mentions.technicians",
        Services = "mentions.services",
        ServiceAreas = "mentions.service_areas",
        ResponseText = "response.text",
        ResponseDate = "response.date",
        ResponseAuthor = "response.author",
        Recommended = "recommended",
        /// Whether the author bought there.
        Buyer = "buyer",
        /// Whether the author's name is not public.
        Anonymous = "anonymous",
        /// The end of the rating's scale.
        Scale = "scale",
        Reason = "withheld_reason",
    }
}

/// The first of the columns that exist only in exports.
const EXPORT_ALONE: &str = "decided";

/// The columns of an export as a table: paths of the native record. `columns` is in the first row alone: what imports have decided
/// about the columns of sources. `escaped` marks a row with escaped cells: in other tables an apostrophe is literal.
pub const COLUMNS: Names = "id, rating, date, author, title, text, language, source.name, source.url, location, \
     verification.verified, verification.method, verification.verified_at, mentions.technicians, mentions.services, \
     mentions.service_areas, response.text, response.date, response.author, status, withheld_reason, updated_at, decided, \
     deleted, posted_at, responded_at, imported_from, id_at_source, said, digests, note, columns, escaped";

/// The fields of a native record that `--map` may fill: all columns of an export except the last ones, which exist only
/// in exports.
fn fields() -> impl Iterator<Item = &'static str> {
    names(COLUMNS).take_while(|column| *column != EXPORT_ALONE)
}

/// The fields of `--map` for columns of visibility.
fn shown() -> impl Iterator<Item = &'static str> {
    VISIBILITY.into_iter().filter(|field| *field != NOTHING)
}

/// Name of the owner's answer in the preview of a table.
const RESPONSE: &str = "response";

/// The fields that no review is without. All others may have an empty name: `--map status=` ignores the file's status.
const NEEDED: [&str; 3] = ["rating", "date", "text"];

const VERIFIED: &str = "verification.verified";

/// One of our fields, and its name in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    /// The field of the native record.
    pub ours: &'static str,
    /// The field's name in the file; empty for an ignored field.
    pub theirs: String,
}

impl Rename {
    /// Whether the field may have several columns: a review is public only if it is so in each of them.
    pub fn adds_up(&self) -> bool {
        shown().any(|field| field == self.ours)
    }
}

impl FromStr for Rename {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = |ours| match ours {
            RESPONSE => "response.text",
            "verified" => VERIFIED,
            ours => ours,
        };
        let parts = text.split_once('=').filter(|(ours, theirs)| {
            !ours.is_empty() && (!theirs.is_empty() || !NEEDED.contains(&path(ours)))
        });
        let (ours, theirs) =
            parts.ok_or("write it as FIELD=THEIR_FIELD, for example text=Review")?;
        let path = path(ours);
        let known = fields().chain(shown()).find(|field| *field == path);
        let ours = known.ok_or_else(|| {
            let known: Vec<&str> = fields().chain(shown()).collect();
            let known = known.join(", ");
            format!("`{ours}` is not a field of a review; use one of {known}")
        })?;
        let theirs = theirs.to_owned();
        Ok(Self { ours, theirs })
    }
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

#[cfg(test)]
mod tests {
    use super::Rename;

    #[test]
    fn a_rename_to_an_unknown_field_is_refused() {
        assert!(
            "review=Review"
                .parse::<Rename>()
                .unwrap_err()
                .contains("text")
        );
        assert!("text".parse::<Rename>().is_err());
        assert!("text=".parse::<Rename>().is_err());
        assert!("status=".parse::<Rename>().is_ok());
    }
}
