//! A review as its source states it: what `map` makes of a row, and `merge` merges.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_with::{DisplayFromStr, serde_as};

use crate::model::{Digests, Method, Said, Statement, Unit, Verification};

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
