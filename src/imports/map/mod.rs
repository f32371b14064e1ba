//! Turns the rows of a file into [`Incoming`] reviews, by the [`Format`](super::platforms::Format) of the file.

use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use serde_with::{DisplayFromStr, serde_as};

use crate::imports::map::values::Names;
use crate::model::{Digests, Method, Said, Statement, Unit, Verification, named};

pub(crate) mod choices;
pub(crate) mod columns;
pub(crate) mod date;
pub(crate) mod decide;
pub(crate) mod names;
pub(crate) mod questions;
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
    /// Whether it is withheld for a value that the owner did not name.
    pub has_new_value: bool,
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

/// The columns of an export as a table: paths of the native record. `columns` is in the first row alone: what imports have decided
/// about the columns of sources. `escaped` marks a row with escaped cells: in other tables an apostrophe is literal.
pub const COLUMNS: Names = "id, rating, date, author, title, text, language, source.name, source.url, location, \
     verification.verified, verification.method, verification.verified_at, mentions.technicians, mentions.services, \
     mentions.service_areas, response.text, response.date, response.author, status, withheld_reason, updated_at, decided, \
     deleted, posted_at, responded_at, imported_from, id_at_source, said, digests, note, columns, escaped";

impl ReviewField {
    /// The fields that `--map` may fill.
    pub const MAPPED: [Self; 21] = [
        Self::Id,
        Self::Rating,
        Self::Date,
        Self::Author,
        Self::Title,
        Self::Text,
        Self::Language,
        Self::SourceName,
        Self::Url,
        Self::Location,
        Self::UpdatedAt,
        Self::Verified,
        Self::Method,
        Self::VerifiedAt,
        Self::Technicians,
        Self::Services,
        Self::ServiceAreas,
        Self::ResponseText,
        Self::ResponseDate,
        Self::ResponseAuthor,
        Self::Reason,
    ];

    /// The field's name for the owner, in `--map` and in messages.
    pub fn label(self) -> &'static str {
        #[expect(clippy::wildcard_enum_match_arm, reason = "most go by their own names")]
        match self {
            Self::FirstName | Self::LastName => Self::Author.label(),
            Self::Recommended => Self::Rating.label(),
            Self::ResponseText => "response",
            Self::ResponseDate => "response_date",
            Self::ResponseAuthor => "response_author",
            Self::SourceName => "source",
            Self::Verified => "verified",
            Self::Method | Self::Matched | Self::Buyer => "method",
            other => other.name().rsplit('.').next().unwrap_or_default(),
        }
    }

    /// What joins the cells of two columns that fill it; `None` for a field of one column.
    pub const fn separator(self) -> Option<&'static str> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "most have one column")]
        match self {
            Self::Author | Self::ResponseAuthor => Some(" "),
            Self::Title | Self::Text | Self::ResponseText => Some("\n\n"),
            Self::Technicians | Self::Services | Self::ServiceAreas => Some(";"),
            _ => None,
        }
    }
}

/// What `--map` says: a field, and the column that fills it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    pub field: ReviewField,
    /// Empty if the source has no such field.
    pub column: String,
}

impl FromStr for Mapping {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, column) = text
            .split_once('=')
            .ok_or("write it as FIELD=COLUMN, for example text=Review")?;
        let mut known = ReviewField::MAPPED.into_iter();
        let field = known.find(|field| [field.label(), field.name()].contains(&name));
        let field = field.ok_or_else(|| {
            let known = ReviewField::MAPPED.map(ReviewField::label).join(", ");
            format!(
                "`{name}` is not a field of a review; use one of {known}; whether a review may be published is said by --public"
            )
        })?;
        let is_empty = column.is_empty();
        if is_empty && matches!(field, ReviewField::Rating | ReviewField::Date) {
            return Err(format!(
                "without {name} there is no review; name the column, as {name}=COLUMN"
            ));
        }
        if is_empty && field == ReviewField::Text {
            return Err("pass --no-text for a table without texts".to_owned());
        }
        let column = column.to_owned();
        Ok(Self { field, column })
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
    use super::Mapping;

    #[test]
    fn a_mapping_of_an_unknown_or_needed_field_is_refused() {
        for wrong in [
            "review=Review",
            "text",
            "text=",
            "date=",
            "status=Published",
        ] {
            assert!(wrong.parse::<Mapping>().is_err(), "{wrong}");
        }
        for right in [
            "author=",
            "response=Our reply",
            "source.name=Platform",
            "text=a=b",
        ] {
            assert!(right.parse::<Mapping>().is_ok(), "{right}");
        }
    }
}
