//! Facets: the filter values that occur in reviews, with the number of reviews for each; and the comparison of two periods.

use std::cmp::Reverse;

use chrono::NaiveDate;
use poem_openapi::Object;
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::business::Distribution;
use super::insights::Votes;
use crate::model::{ComparisonVerdict, VoteCounts};

/// The values by which reviews can be filtered, with counts of published reviews.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Facets {
    /// How many published reviews there are.
    pub reviews: u64,
    /// People; the name is what `mentions_technician` takes.
    pub technicians: Vec<Facet>,
    /// Services; the id is what `mentions_service` takes.
    pub services: Vec<Facet>,
    /// Service areas by name, the most mentioned first.
    pub service_areas: Vec<Facet>,
    /// Where reviews were written; the name is what `source` takes.
    pub sources: Vec<Facet>,
    /// Language tags; the name is what `language` takes.
    pub languages: Vec<Facet>,
    /// Aspects that reviews mention; the id is what `aspect` takes.
    pub aspects: Vec<AspectFacet>,
    /// Calendar years, newest first.
    pub years: Vec<YearFacet>,
    /// One entry for each rating from 5 down to 1, even if no review has it.
    pub ratings: Vec<RatingFacet>,
    /// Lists that are shortened to their most mentioned values; absent if all are complete.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[oai(default, skip_serializing_if_is_empty)]
    pub left_out: Vec<LeftOut>,
}

/// A person, service, place or other value that reviews mention.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct Facet {
    /// Id of a service or of a listed technician; absent for all other facets.
    pub id: Option<String>,
    /// Name as displayed; for a service that the business does not list, its id.
    pub name: String,
    /// How many published reviews mention it.
    pub reviews: u64,
}

impl Facet {
    /// The order of a list: most reviews first, then by name.
    pub fn order(&self) -> (Reverse<u64>, &str) {
        (Reverse(self.reviews), &self.name)
    }
}

/// Something that customers judge.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct AspectFacet {
    /// Id of the aspect, for example `punctuality`.
    pub id: String,
    /// Display name of the aspect.
    pub label: String,
    #[serde(flatten)]
    #[oai(flatten)]
    pub votes: Votes,
}

impl AspectFacet {
    pub fn new(id: &str, label: &str, votes: &VoteCounts) -> Self {
        Self {
            id: id.to_owned(),
            label: label.to_owned(),
            votes: votes.into(),
        }
    }
}

/// One calendar year and how many published reviews it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
pub struct YearFacet {
    /// The calendar year, for example 2026.
    pub year: i32,
    /// How many published reviews are of it.
    pub reviews: u64,
}

/// A number of stars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
pub struct RatingFacet {
    /// Number of stars, 1 to 5.
    pub rating: u8,
    /// How many published reviews have it.
    pub reviews: u64,
}

/// How many values of a list are not shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct LeftOut {
    /// Name of the member that holds the shortened list, for example `technicians`.
    pub list: String,
    /// Number of values that are not shown.
    pub values: u64,
}

/// Two periods side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Comparison {
    /// The reviews from `first_since` through `first_until`.
    pub first: Period,
    /// The reviews from `second_since` through `second_until`.
    pub second: Period,
    /// Whether each aspect is better in the second period.
    pub aspects: Vec<AspectVerdict>,
    /// Whether the rating is better in the second period, by the share of reviews with four and five stars.
    pub verdict: ComparisonVerdict,
}

/// The published reviews of a range of days.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Period {
    /// First day of the period, `YYYY-MM-DD`, inclusive.
    pub since: NaiveDate,
    /// Last day of the period, `YYYY-MM-DD`, inclusive; if the period continues after the newest review, the day of that review.
    pub until: NaiveDate,
    /// The requested last day; left out if it is `until`.
    pub until_requested: Option<NaiveDate>,
    /// How many published reviews are dated within the period.
    pub count: u64,
    /// Their mean, to two decimals; absent if there are none.
    pub rating_value: Option<f64>,
    /// Number of reviews for each number of stars.
    pub distribution: Distribution,
    /// Aspects that reviews of the period mention.
    pub aspects: Vec<AspectFacet>,
}

/// Whether an aspect is better.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct AspectVerdict {
    /// Id of the aspect, for example `punctuality`.
    pub id: String,
    /// Display name of the aspect.
    pub label: String,
    /// Whether it is better in the second period: the share of reviews that are only positive about it among those that judge it
    /// (positive, negative and mixed).
    pub verdict: ComparisonVerdict,
}
