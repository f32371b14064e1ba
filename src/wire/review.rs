//! The published review.

use chrono::{DateTime, NaiveDate, Utc};
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::model::{self, Mentions, Method};

/// A published review of the business.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct Review {
    /// Unique and stable id, also the last part of `url`.
    #[oai(validator(pattern = r"^[A-Za-z0-9._~=-]{1,128}$"))]
    pub id: String,
    /// One to five stars.
    #[oai(validator(minimum(value = "1"), maximum(value = "5")))]
    pub rating: u8,
    /// The day it is from, in the business's time zone.
    pub date: NaiveDate,
    /// The author's display name.
    pub author: String,
    /// A headline, if the platform has one.
    pub title: Option<String>,
    /// The text; empty for a rating without a comment.
    pub text: String,
    /// BCP 47 language tag.
    pub language: Option<String>,
    /// Where it was written: the name that the filter `source` takes.
    pub source: String,
    /// The review's page there.
    pub source_url: Option<String>,
    /// The owner's public reply; left out if there is none.
    pub owner_reply: Option<OwnerReply>,
    /// Whether a platform, a job or an invitation verified it; only the business vouches for others.
    pub verified: bool,
    /// How it is known to be from a customer.
    pub verification: Method,
    /// When it was verified, RFC 3339 UTC; left out if it is not recorded.
    pub verified_at: Option<DateTime<Utc>>,
    /// What it is about.
    pub mentions: Mentions,
    /// Permalink: the URL of the review's own page.
    pub url: String,
    /// When it last changed; if that is not recorded, the start of its day.
    pub updated_at: DateTime<Utc>,
}

/// The owner's reply to a review.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct OwnerReply {
    /// Text of the reply, as it was written.
    pub text: String,
    /// The day it is from.
    pub date: Option<NaiveDate>,
    /// Name of the person who replied; left out if it is not recorded.
    pub author: Option<String>,
}

impl Review {
    /// `url` is its permalink.
    pub fn new(review: &model::Review, url: String) -> Self {
        Self {
            url,
            id: review.id.to_string(),
            rating: review.rating.stars(),
            date: review.date.date(),
            author: review.author.clone(),
            title: review.title.clone(),
            text: review.text.clone(),
            language: review.language.clone(),
            source: review.source.name.clone(),
            source_url: review.source.url.clone(),
            owner_reply: review.reply.clone().map(OwnerReply::from),
            verified: review.verification.is_independent(),
            verification: review.verification.method.unwrap_or(Method::Manual),
            verified_at: review.verification.verified_at,
            mentions: review.mentions.clone(),
            updated_at: review.changed_at(),
        }
    }
}

impl From<model::Reply> for OwnerReply {
    fn from(reply: model::Reply) -> Self {
        Self {
            text: reply.text,
            date: reply.date.map(model::Day::date),
            author: reply.author,
        }
    }
}

// Parts of the dataset: search results, and changes since a day.

/// What a search found: one page of it, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct SearchResult {
    /// All but its reviews.
    #[serde(flatten)]
    #[oai(flatten)]
    pub head: SearchHead,
    /// Date descending, then id ascending.
    pub reviews: Vec<Review>,
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
    /// Suggestions if the requested name is unknown.
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

impl DidYouMean {
    /// `None` if it is empty.
    pub fn if_any(self) -> Option<Self> {
        (self != Self::default()).then_some(self)
    }
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
    pub reviews: Vec<Review>,
}

/// What is new since a day, without its reviews, which are rendered already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct SinceHead {
    /// The day asked for.
    pub since: NaiveDate,
    /// How many reviews there are.
    pub returned: u64,
}
