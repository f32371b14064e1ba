//! Parts of the dataset: search results, and changes since a day.

use chrono::NaiveDate;
use poem_openapi::{Enum, Object};
use serde::Serialize;
use serde_with::skip_serializing_none;

use crate::model::PublishedReview;

/// What a search found: one page of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct SearchResult {
    /// All but its reviews.
    #[serde(flatten)]
    #[oai(flatten)]
    pub head: SearchHead,
    /// In the order of `sort`; those of equal rank by date descending, then by id.
    pub reviews: Vec<PublishedReview>,
}

/// A search's answer without its reviews, which are rendered already.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct SearchHead {
    /// How many reviews match, on all pages; see `matched_relation`.
    pub matched: u64,
    /// Whether `matched` is exact.
    pub matched_relation: MatchedRelation,
    /// How many reviews this page has.
    pub returned: u64,
    /// Maximum number of reviews on a page.
    pub limit: u64,
    /// Send it as `cursor`, with the same filters, for the next page; left out on the last one.
    pub next_cursor: Option<String>,
    /// Other ways to ask, where nothing was found: known names, or another `match`.
    pub did_you_mean: Option<DidYouMean>,
    /// Names of unknown parameters in the request, at most 20; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[oai(default, skip_serializing_if_is_empty)]
    pub ignored: Vec<String>,
}

/// Known values for parameters that found nothing; send one as that parameter. Of an unknown value the nearest one, or if
/// none is near those that reviews have, at most ten.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Object)]
pub struct DidYouMean {
    /// Full names.
    pub mentions_technician: Option<Vec<String>>,
    /// Ids of services.
    pub mentions_service: Option<Vec<String>>,
    /// Names of service areas.
    pub mentions_area: Option<Vec<String>>,
    /// Language tags.
    pub language: Option<Vec<String>>,
    /// Names of sources.
    pub source: Option<Vec<String>>,
    /// `words` if a search by words would find reviews.
    #[serde(rename = "match")]
    #[oai(rename = "match")]
    pub text_match: Option<Vec<String>>,
}

/// `eq`: the number is exact; `gte`: counting stopped there, and there are more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
pub enum MatchedRelation {
    /// The number is exact.
    Eq,
    /// There are at least as many.
    Gte,
}

/// The reviews of a day and of all days after it, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct SinceResult {
    /// All but its reviews.
    #[serde(flatten)]
    #[oai(flatten)]
    pub head: SinceHead,
    /// Date descending, then id ascending: the beginning of the dataset's `reviews`.
    pub reviews: Vec<PublishedReview>,
}

/// What is new since a day, without its reviews, which are rendered already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct SinceHead {
    /// The day asked for.
    pub since: NaiveDate,
    /// How many reviews there are.
    pub returned: u64,
}
