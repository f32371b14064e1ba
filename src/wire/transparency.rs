//! How the reviews are collected, checked and shown.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use poem_openapi::{Enum, Object};
use serde::Serialize;
use serde_with::skip_serializing_none;

use crate::model::business::ReviewPolicy;

/// How the reviews are collected, checked and shown: counted, true of the service itself, or stated by the business.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Transparency {
    /// How many reviews are published.
    pub published: u64,
    /// Their mean, rounded half away from zero to two decimals; left out if there are none. Each review counts once.
    pub rating_value: Option<f64>,
    /// The reviews that are not published.
    pub withheld: WithheldReviews,
    /// The reviews that the business deleted; of them nothing else is kept.
    pub deleted: DeletedReviews,
    /// How reviews are ordered if the client chooses no other order; always `newest_first`.
    pub order: String,
    /// Which published reviews are shown; always `all_published`.
    pub selection: String,
    /// How many published reviews have other stars, another day, author, title or text than their source last reported.
    pub changed_by_business: u64,
    /// Where the reviews come from, the source with the most published reviews first.
    pub sources: Vec<SourceTransparency>,
    /// The published reviews by how they were verified.
    pub verification: BTreeMap<String, VerifiedReviews>,
    /// How the insights are made.
    pub insights: InsightsOrigin,
    /// What the business says about its reviews, in its own words.
    pub policy: ReviewPolicy,
    /// What the business does not say: names of members of `policy`, and `contact`.
    pub not_stated: Vec<String>,
    /// Where anybody can report a review: a `mailto:` or `https:` URL.
    pub contact: Option<String>,
}

/// The reviews that are not published.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct WithheldReviews {
    /// How many there are.
    pub count: u64,
    /// Number of withheld reviews for each reason, at most the 20 most frequent.
    pub reasons: BTreeMap<String, u64>,
    /// The mean of those that the business itself withheld; left out if they are fewer than ten.
    pub rating_value: Option<f64>,
    /// How many the business itself withheld.
    #[serde(skip)]
    #[oai(skip)]
    pub by_business: u64,
}

/// The reviews that the business deleted. One that stands again is not counted, nor one whose import was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct DeletedReviews {
    /// How many there are.
    pub count: u64,
    /// Number of deleted reviews for each reason, at most the ten most frequent; `not stated` without one.
    pub reasons: BTreeMap<String, u64>,
}

/// The reviews of one source.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct SourceTransparency {
    /// Name of the source, as the filter `source` takes it.
    pub name: String,
    /// How many published reviews there are.
    pub count: u64,
    /// Their mean.
    pub rating_value: Option<f64>,
    /// Day of the oldest published review.
    pub first: Option<NaiveDate>,
    /// Day of the newest published review.
    pub last: Option<NaiveDate>,
    /// How many are withheld.
    pub withheld: u64,
    /// Of these, the ones that the source no longer has; only on the page.
    #[serde(skip)]
    #[oai(skip)]
    pub gone: u64,
    /// How many the business deleted.
    pub deleted: u64,
    /// How many reviews the source itself says that it has; left out if it does not say.
    pub stated: Option<StatedCount>,
    /// Number of published reviews for each way in which they were verified.
    pub verification: BTreeMap<String, u64>,
    /// How they arrive.
    pub arrival: Arrival,
}

/// The number of reviews that a source says it has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct StatedCount {
    /// How many.
    pub count: u64,
    /// The day on which it said so.
    pub on: NaiveDate,
}

/// How the reviews of a source arrive.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct Arrival {
    /// Whether they are fetched or imported.
    pub kind: ArrivalKind,
    /// Day of the last successful fetch or import in the business's time zone; left out if it is not known.
    pub last: Option<NaiveDate>,
}

/// `scheduled`: fetched on a schedule; `imported`: from files that the business imports; `by_hand`: written without an
/// import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
pub enum ArrivalKind {
    /// Fetched on a schedule.
    Scheduled,
    /// From files that the business imports.
    Imported,
    /// Written without an import.
    ByHand,
}

/// The published reviews that were verified in one way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct VerifiedReviews {
    /// How many there are.
    pub count: u64,
    /// What this way of verification means.
    pub meaning: String,
}

/// How the insights are made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct InsightsOrigin {
    /// Who counts and writes them; always `program`.
    pub made_by: String,
    /// How they are made.
    pub method: String,
}
