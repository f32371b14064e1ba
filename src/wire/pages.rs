//! Parts of the dataset: what a search finds, and what is new since a day.

use chrono::NaiveDate;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::review::Review;

/// What a search found: one page of it, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct SearchResult {
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
    /// Date descending, then id ascending.
    pub reviews: Vec<Review>,
}

/// A search's answer without its reviews, which are printed already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SearchHead {
    /// See [`SearchResult::total`].
    pub total: u64,
    /// See [`SearchResult::total_relation`].
    pub total_relation: TotalRelation,
    /// See [`SearchResult::count`].
    pub count: u64,
    /// See [`SearchResult::limit`].
    pub limit: u64,
    /// See [`SearchResult::next_cursor`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
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

/// The reviews of a day and of all days after it, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct SinceResult {
    /// The day asked for.
    pub since: NaiveDate,
    /// How many reviews there are.
    pub count: u64,
    /// Date descending, then id ascending: the beginning of the dataset's `reviews`.
    pub reviews: Vec<Review>,
}

/// What is new since a day, without its reviews, which are printed already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SinceHead {
    /// See [`SinceResult::since`].
    pub since: NaiveDate,
    /// See [`SinceResult::count`].
    pub count: u64,
}
