//! Parts of the dataset: what a search finds, and what is new since a day.

use chrono::NaiveDate;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::review::Review;

/// What a search found: one page of it, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct SearchResult {
    /// All but its reviews.
    #[serde(flatten)]
    #[oai(flatten)]
    pub head: SearchHead,
    /// Date descending, then id ascending.
    pub reviews: Vec<Review>,
}

/// A search's answer without its reviews, which are rendered already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct SearchHead {
    /// How many reviews match altogether, on all pages; see `total_relation`.
    pub total: u64,
    /// Whether `total` is exact.
    pub total_relation: TotalRelation,
    /// How many reviews this page has.
    pub count: u64,
    /// How many it could have had.
    pub limit: u64,
    /// Give it back as `cursor`, with the same filters, for the next page; left out on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What may have been meant, where nobody and nothing of the name asked for is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<DidYouMean>,
    /// Names of parameters that were given and are none, at most 20; absent where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[oai(default, skip_serializing_if_is_empty)]
    pub ignored: Vec<String>,
}

/// The nearest values of parameters whose own are not known; give one back as that parameter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct DidYouMean {
    /// The nearest full name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mentions_technician: Option<String>,
    /// The id of the nearest service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mentions_service: Option<String>,
    /// The nearest full name, of evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub technician: Option<String>,
    /// The id of the nearest service, of evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// The nearest language tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The name of the nearest source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl DidYouMean {
    /// Itself, if it names anything.
    #[must_use]
    pub fn if_any(self) -> Option<Self> {
        (self != Self::default()).then_some(self)
    }
}

/// `eq`: the total is exact; `gte`: counting stopped there, and there are more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
pub enum TotalRelation {
    /// The total is exact.
    Eq,
    /// There are at least as many.
    Gte,
}

impl TotalRelation {
    /// How a total stands to what there is.
    #[must_use]
    pub const fn of(is_exact: bool) -> Self {
        if is_exact { Self::Eq } else { Self::Gte }
    }
}

/// The reviews of a day and of all days after it, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct SinceResult {
    /// All but its reviews.
    #[serde(flatten)]
    #[oai(flatten)]
    pub head: SinceHead,
    /// Date descending, then id ascending: the beginning of the dataset's `reviews`.
    pub reviews: Vec<Review>,
}

/// What is new since a day, without its reviews, which are rendered already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct SinceHead {
    /// The day asked for.
    pub since: NaiveDate,
    /// How many reviews there are.
    pub count: u64,
}
