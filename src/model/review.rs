//! One review, every part right by type.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::day::Day;

/// A review as the database has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// Its id, unique and stable.
    pub id: ReviewId,
    /// One to five stars.
    pub rating: Rating,
    /// The day it is from.
    pub date: Day,
    /// The author's display name.
    pub author: String,
    /// A headline, where the platform has one.
    pub title: Option<String>,
    /// What it says; may be empty.
    pub text: String,
    /// The language tag of the text (BCP 47), where it is known.
    pub language: Option<String>,
    /// Where it was written.
    pub source: Source,
    /// How it is known to be from a customer.
    pub verification: Verification,
    /// What it was recorded to be about.
    pub mentions: Mentions,
    /// The owner's public response to the review.
    pub response: Option<Response>,
    /// Whether the review is published or withheld, and why.
    pub status: Status,
    /// When it last changed, where that is known.
    pub updated_at: Option<DateTime<Utc>>,
}

/// Ids that no link can lead to: steps in a path (RFC 3986 §3.3), and what `/api/reviews/search`
/// is. The database's triggers refuse them too (`migrations/0010_language_and_reserved_ids.sql`).
const RESERVED_IDS: [&str; 3] = [".", "..", "search"];

/// `[A-Za-z0-9._~=-]{1,128}`, and none of `.`, `..` and `search`: what stands for itself in a URL's
/// path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct ReviewId(String);

/// A text that is no review id.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InvalidReviewId {
    /// It is too long, or has other characters.
    #[error("`{0}` is not a review id: use 1 to 128 of the characters A-Z a-z 0-9 . _ ~ = -")]
    Characters(String),
    /// No link could lead to it.
    #[error(
        "`{0}` cannot be the id of a review: `.`, `..` and `search` cannot be part of a link; use another one"
    )]
    Reserved(String),
}

impl FromStr for ReviewId {
    type Err = InvalidReviewId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || b"._~=-".contains(&byte);
        if !(1..=128).contains(&text.len()) || !text.bytes().all(known) {
            return Err(InvalidReviewId::Characters(
                text.chars().take(140).collect(),
            ));
        }
        if RESERVED_IDS.contains(&text) {
            return Err(InvalidReviewId::Reserved(text.to_owned()));
        }
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for ReviewId {
    type Error = InvalidReviewId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl ReviewId {
    /// The id as it appears in URLs.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ReviewId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Stars. Invariant: 1 to 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "i64")]
pub struct Rating(u8);

/// A number that is no rating.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("a rating of {0} is not one of 1, 2, 3, 4, 5")]
pub struct InvalidRating(pub i64);

impl TryFrom<i64> for Rating {
    type Error = InvalidRating;

    fn try_from(stars: i64) -> Result<Self, Self::Error> {
        match u8::try_from(stars) {
            Ok(stars @ 1..=5) => Ok(Self(stars)),
            _ => Err(InvalidRating(stars)),
        }
    }
}

impl Rating {
    /// How many stars: 1 to 5.
    #[must_use]
    pub const fn stars(self) -> u8 {
        self.0
    }
}

/// Where a review was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The name of the platform that the review comes from.
    pub name: String,
    /// The review's page there.
    pub url: Option<String>,
}

/// How a review is known to be from a customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// Whether it is; a review that says no is withheld.
    pub verified: bool,
    /// How it was verified that the author was a customer.
    pub method: Method,
    /// The instant of the verification, where it is known.
    pub verified_at: Option<DateTime<Utc>>,
}

/// How a review was verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// It matches a job in the firm's books.
    JobMatch,
    /// The platform it comes from vouches for it.
    SourcePlatform,
    /// Only invited customers could write it.
    Invite,
    /// Whoever imported it vouches for it.
    Manual,
}

impl Method {
    /// Every method, in the order of the schema.
    pub const ALL: [Self; 4] = [
        Self::JobMatch,
        Self::SourcePlatform,
        Self::Invite,
        Self::Manual,
    ];

    /// Its name in the database and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::JobMatch => "job_match",
            Self::SourcePlatform => "source_platform",
            Self::Invite => "invite",
            Self::Manual => "manual",
        }
    }

    /// The method of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }
}

/// What a review is recorded to be about. Each list is sorted and has no value twice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mentions {
    /// Full names of technicians, as recorded with the job.
    pub technicians: Vec<String>,
    /// Ids of services, as recorded with the job.
    pub services: Vec<String>,
    /// Names of service areas, as recorded with the job.
    pub service_areas: Vec<String>,
}

impl Mentions {
    /// The three lists, sorted, each value once, empty values left out.
    #[must_use]
    pub fn new(
        technicians: Vec<String>,
        services: Vec<String>,
        service_areas: Vec<String>,
    ) -> Self {
        let tidy = |mut values: Vec<String>| {
            values.retain(|value| !value.is_empty());
            values.sort_unstable();
            values.dedup();
            values
        };
        Self {
            technicians: tidy(technicians),
            services: tidy(services),
            service_areas: tidy(service_areas),
        }
    }
}

/// The owner's answer to a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Response {
    /// The response's text, plain.
    pub text: String,
    /// The day it is from.
    pub date: Option<Day>,
    /// Who responded for the firm, where it is said.
    pub author: Option<String>,
}

/// Whether a review appears.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// The review is public.
    Published,
    /// It does not; it is counted under its reason.
    Withheld {
        /// Why it is withheld, in the owner's words.
        reason: Option<String>,
    },
}

impl Status {
    /// Withheld for that reason.
    #[must_use]
    pub fn withheld(reason: &str) -> Self {
        Self::Withheld {
            reason: Some(reason.to_owned()),
        }
    }

    /// Its name in the database and in files.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Withheld { .. } => "withheld",
        }
    }
}

// How something is spoken of in one review. Apart from the insights, which find it, because
// searches ask for it by name.

/// How something is spoken of in one review: what its findings say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Vote {
    /// Well, and nowhere badly.
    Positive,
    /// Badly, and nowhere well.
    Negative,
    /// Only as a fact, without judgement.
    Neutral,
    /// Both well and badly.
    Mixed,
    /// Too close to call, and nowhere clearly well or badly.
    Uncertain,
}

impl Vote {
    /// One vote of a review from what its findings say: what is clear weighs more than what is not.
    #[must_use]
    pub const fn fold(is_praised: bool, is_blamed: bool, is_uncertain: bool) -> Self {
        match (is_praised, is_blamed, is_uncertain) {
            (true, true, _) => Self::Mixed,
            (true, false, _) => Self::Positive,
            (false, true, _) => Self::Negative,
            (false, false, true) => Self::Uncertain,
            (false, false, false) => Self::Neutral,
        }
    }

    /// Whether it says well or badly.
    #[must_use]
    pub const fn judges(self) -> bool {
        matches!(self, Self::Positive | Self::Negative | Self::Mixed)
    }

    /// Its name as a parameter and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Negative => "negative",
            Self::Neutral => "neutral",
            Self::Mixed => "mixed",
            Self::Uncertain => "uncertain",
        }
    }
}

// Counting stars.

/// How many reviews have how many stars. Tallies of parts add up to the tally of the whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RatingCounts {
    /// Counts of one star to five stars.
    by_stars: [u64; 5],
}

impl RatingCounts {
    /// Counts one more review.
    pub fn count(&mut self, rating: Rating) {
        self.by_stars[usize::from(rating.stars()) - 1] += 1;
    }

    /// Adds another tally to this one.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.by_stars.iter_mut().zip(other.by_stars) {
            *mine += theirs;
        }
    }

    /// How many reviews there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.by_stars.iter().sum()
    }

    /// Counts of one star to five stars.
    #[must_use]
    pub const fn by_stars(&self) -> [u64; 5] {
        self.by_stars
    }

    /// The mean in hundredths of a star, rounded half away from zero; `None` for no reviews.
    #[must_use]
    pub fn mean_hundredths(&self) -> Option<u64> {
        let total = self.total();
        let stars: u64 = (1..)
            .zip(self.by_stars)
            .map(|(stars, count): (u64, u64)| stars * count)
            .sum();
        // floor(x + 1/2) with whole numbers; every rating is positive, so up is away from zero.
        (total > 0).then(|| (200 * stars + total) / (2 * total))
    }
}

#[cfg(test)]
mod tests {
    use super::RatingCounts;

    fn rating_counts(by_stars: [u64; 5]) -> RatingCounts {
        RatingCounts { by_stars }
    }

    #[test]
    fn the_mean_is_rounded_half_away_from_zero() {
        assert_eq!(rating_counts([0; 5]).mean_hundredths(), None);
        assert_eq!(rating_counts([0, 0, 0, 0, 3]).mean_hundredths(), Some(500));
        // 4.125 and 4.375 are halves exactly.
        assert_eq!(rating_counts([0, 0, 0, 7, 1]).mean_hundredths(), Some(413));
        assert_eq!(rating_counts([0, 0, 0, 5, 3]).mean_hundredths(), Some(438));
        // 1.005 over 200 reviews: a float would say 1.00.
        assert_eq!(
            rating_counts([199, 1, 0, 0, 0]).mean_hundredths(),
            Some(101)
        );
        assert_eq!(rating_counts([1, 0, 0, 0, 2]).mean_hundredths(), Some(367));
    }
}
