//! The published business, and the whole dataset.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use poem_openapi::Object;
use serde::Serialize;
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::model::business::{
    self, Geo, OpeningHours, ReviewLink, ReviewPolicy, Service, Technician,
};
use crate::model::{PublishedReview, RatingCounts};

/// The business whose reviews these are.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Business {
    /// The firm's own id.
    pub id: String,
    /// Name under which the business is published.
    pub name: String,
    /// A schema.org `LocalBusiness` subtype, for example `HVACBusiness`.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    pub kind: String,
    /// IANA name of the zone in which the dates are calendar days.
    // Empty only in the owner's file, if it was never set.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub time_zone: String,
    /// Language of its pages and feeds: BCP 47.
    pub language: Option<String>,
    /// Country whose dates and numbers its pages write: ISO 3166-1 alpha-2, for example `US`.
    pub country: Option<String>,
    /// A sentence or two about it.
    pub description: Option<String>,
    /// URL of the business's own website.
    pub url: Option<String>,
    /// Telephone number as the business writes it, in no fixed format.
    pub telephone: Option<String>,
    /// The parts of its postal address.
    pub address: Option<BTreeMap<String, Value>>,
    /// Geographic position of the business.
    pub geo: Option<Geo>,
    /// When it is open, in its time zone; a day without an entry is closed. Left out if it is not stated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[oai(default, skip_serializing_if_is_empty)]
    pub hours: Vec<OpeningHours>,
    /// URLs of the business's pages on other platforms (schema.org `sameAs`).
    pub same_as: Vec<String>,
    /// Pages on which customers can write a review of the business.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[oai(default, skip_serializing_if_is_empty)]
    pub review_links: Vec<ReviewLink>,
    /// What the business says about how it collects and checks reviews; left out of `/reviews.json`.
    pub review_policy: Option<ReviewPolicy>,
    /// Services that the business offers, in its own order.
    pub services: Vec<Service>,
    /// People who work there, in the business's own order; empty if it shows no staff.
    pub technicians: Vec<Technician>,
    /// The places it serves.
    pub service_areas: Vec<String>,
    /// Whether its staff are shown: `full` or `off`.
    pub publish_staff: String,
}

/// The overall rating, over the published reviews.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct AggregateRating {
    /// The mean, rounded half away from zero to two decimals; left out if there are no reviews.
    pub rating_value: Option<f64>,
    /// How many reviews there are.
    pub review_count: u64,
    /// Highest rating that can be given; always 5.
    pub best_rating: u8,
    /// Lowest rating that can be given; always 1.
    pub worst_rating: u8,
    /// Number of reviews for each number of stars, `1` to `5`.
    pub distribution: Distribution,
}

/// How many reviews there are for each number of stars, `1` to `5`.
pub type Distribution = BTreeMap<String, u64>;

/// Reviews that do not appear.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct Withheld {
    /// How many reviews are withheld, whatever the reason.
    pub count: u64,
    /// Number of withheld reviews for each reason, at most the 20 most frequent.
    pub reasons: BTreeMap<String, u64>,
}

/// The whole dataset: the business, its overall rating, and every published review, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct ReviewsDataset {
    /// All but its reviews.
    #[serde(flatten)]
    #[oai(flatten)]
    pub head: BusinessSummary,
    /// Date descending, then id ascending.
    pub reviews: Vec<PublishedReview>,
}

/// The business and its overall rating: the dataset without its reviews.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct BusinessSummary {
    /// The business whose reviews these are.
    pub business: Business,
    /// Overall rating computed from the published reviews.
    pub aggregate_rating: AggregateRating,
    /// What does not appear.
    pub withheld: Withheld,
    /// When the dataset last changed, RFC 3339 UTC; never goes back.
    pub updated_at: Option<DateTime<Utc>>,
}

impl From<&business::Business> for Business {
    fn from(business: &business::Business) -> Self {
        let business = business.clone();
        Self {
            id: business.id,
            name: business.name,
            kind: business.kind,
            time_zone: business.time_zone.name().to_owned(),
            language: business.language,
            country: business.country,
            description: business.description,
            url: business.url,
            telephone: business.telephone,
            address: (business.address).map(|parts| parts.into_iter().collect()),
            geo: business.geo,
            hours: business.hours,
            same_as: business.same_as,
            review_links: business.review_links,
            review_policy: Some(business.review_policy)
                .filter(|policy| *policy != ReviewPolicy::default()),
            services: business.services,
            technicians: business.technicians,
            service_areas: business.service_areas,
            publish_staff: business.publish_staff.name().to_owned(),
        }
    }
}

impl From<&RatingCounts> for AggregateRating {
    fn from(rating_counts: &RatingCounts) -> Self {
        Self {
            rating_value: mean(rating_counts),
            review_count: rating_counts.total(),
            best_rating: 5,
            worst_rating: 1,
            distribution: (1..=5_u8)
                .zip(rating_counts.by_stars())
                .map(|(stars, count)| (stars.to_string(), count))
                .collect(),
        }
    }
}

/// The mean with two decimals, which a float prints as the shortest one; `None` without reviews.
pub fn mean(rating_counts: &RatingCounts) -> Option<f64> {
    // At most 500 hundredths of a star.
    let hundredths = rating_counts.mean_hundredths()?;
    Some(f64::from(u16::try_from(hundredths).unwrap_or(500)) / 100.0)
}
