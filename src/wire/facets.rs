//! Facets: the filter values that occur in reviews, with the number of reviews for each.

use poem_openapi::Object;
use serde::Serialize;

use super::insights::ConfirmedVotes;
use crate::model::VoteCounts;

/// The values by which reviews can be filtered, with counts of published reviews.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct Facet {
    /// Id of a service or of a listed technician; absent for all other facets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name as displayed; for a service that the business does not list, its id.
    pub name: String,
    /// How many published reviews mention it.
    pub reviews: u64,
}

/// Something that customers judge. One review has one vote: `positive` to `uncertain`, the values of `polarity`, add up to
/// `reviews`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct AspectFacet {
    /// Id of the aspect, for example `punctuality`.
    pub id: String,
    /// Display name of the aspect.
    pub label: String,
    /// Number of published reviews that mention it.
    pub reviews: u64,
    /// How many of them are only positive about it.
    pub positive: u64,
    /// How many of them are only negative about it.
    pub negative: u64,
    /// How many of them only state facts about it.
    pub neutral: u64,
    /// How many of them are both positive and negative about it.
    pub mixed: u64,
    /// How many of them are too close to call.
    pub uncertain: u64,
    /// How many of the uncertain ones the stars confirm as positive or negative; left out if none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<u64>,
    /// Address of the sentences for one technician or service; otherwise use the aspect's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence_url: Option<String>,
}

impl AspectFacet {
    pub fn new(id: &str, label: &str, votes: &VoteCounts) -> Self {
        Self {
            id: id.to_owned(),
            label: label.to_owned(),
            reviews: votes.reviews().into(),
            positive: votes.positive.into(),
            negative: votes.negative.into(),
            neutral: votes.neutral.into(),
            mixed: votes.mixed.into(),
            uncertain: votes.uncertain.into(),
            confirmed: ConfirmedVotes::from(votes.confirmed)
                .in_short()
                .map(u64::from),
            evidence_url: None,
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
