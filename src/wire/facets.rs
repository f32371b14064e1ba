//! Facets: the filter values that occur in reviews, with the number of reviews for each; and the comparison of two periods.

use std::cmp::Reverse;

use chrono::NaiveDate;
use poem_openapi::Object;
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::business::Distribution;
use super::insights::{ComparisonVerdict, Votes};
use crate::model::VoteCounts;

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
    /// Address of the sentences for one technician or service; otherwise use the aspect's own.
    pub evidence_url: Option<String>,
}

impl AspectFacet {
    pub fn new(id: &str, label: &str, votes: &VoteCounts) -> Self {
        Self {
            id: id.to_owned(),
            label: label.to_owned(),
            votes: votes.into(),
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

/// Two periods side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Comparison {
    /// The reviews from `first_since` through `first_until`.
    pub first: Period,
    /// The reviews from `second_since` through `second_until`.
    pub second: Period,
    /// The second period minus the first.
    pub difference: Difference,
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

/// The second period minus the first.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
pub struct Difference {
    /// Change in the number of reviews; negative if the second period has fewer.
    pub count: i64,
    /// Change in the mean rating, to two decimals; absent if a period has no reviews.
    pub rating_value: Option<f64>,
    /// Change for each aspect that either period has.
    pub aspects: Vec<AspectChange>,
}

/// How an aspect's counts differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct AspectChange {
    /// Id of the aspect, for example `punctuality`.
    pub id: String,
    /// Display name of the aspect.
    pub label: String,
    /// Change in the number of reviews that mention it.
    pub mention_count: i64,
    /// Change in the number of reviews that are only positive about it.
    pub positive_count: i64,
    /// Change in the number of reviews that are only negative about it.
    pub negative_count: i64,
    /// Whether it is better in the second period: the share of reviews that are only positive about it among those that judge it
    /// (positive, negative and mixed).
    pub verdict: ComparisonVerdict,
}

impl Comparison {
    pub fn new(first: Period, second: Period) -> Self {
        let difference = Difference::between(&first, &second);
        let verdict = rating_verdict(&first, &second);
        Self {
            first,
            second,
            difference,
            verdict,
        }
    }
}

impl Difference {
    fn between(first: &Period, second: &Period) -> Self {
        // Subtracted as whole hundredths: 4.9 minus 4.8 is 0.1 and not 0.10000000000000053.
        let mean = |period: &Period| period.rating_value.map(|mean| (mean * 100.0).round());
        Self {
            count: second.count.cast_signed() - first.count.cast_signed(),
            rating_value: mean(first)
                .zip(mean(second))
                .map(|(first, second)| (second - first) / 100.0),
            aspects: changes(&first.aspects, &second.aspects),
        }
    }
}

fn changes(first: &[AspectFacet], second: &[AspectFacet]) -> Vec<AspectChange> {
    let find = |among: &[AspectFacet], aspect: &AspectFacet| {
        among.iter().find(|other| other.id == aspect.id).cloned()
    };
    let absent =
        |aspect: &AspectFacet| AspectFacet::new(&aspect.id, &aspect.label, &VoteCounts::default());
    let of_second = second.iter().map(|after| {
        let before = find(first, after).unwrap_or_else(|| absent(after));
        [before, after.clone()]
    });
    let gone = first
        .iter()
        .filter(|aspect| find(second, aspect).is_none())
        .map(|before| [before.clone(), absent(before)]);
    let share = |aspect: &AspectFacet| (aspect.votes.positive_count, aspect.votes.judged_count);
    let less = |before: u32, now: u32| i64::from(now) - i64::from(before);
    let pairs = of_second.chain(gone);
    pairs
        .map(|[before, after]| AspectChange {
            mention_count: less(before.votes.mention_count, after.votes.mention_count),
            positive_count: less(before.votes.positive_count, after.votes.positive_count),
            negative_count: less(before.votes.negative_count, after.votes.negative_count),
            verdict: ComparisonVerdict::of(share(&before), share(&after)),
            id: after.id,
            label: after.label,
        })
        .collect()
}

fn rating_verdict(first: &Period, second: &Period) -> ComparisonVerdict {
    let share = |period: &Period| {
        let stars = period.distribution;
        (to_u32(stars.four + stars.five), to_u32(period.count))
    };
    ComparisonVerdict::of(share(first), share(second))
}

/// Counts of reviews are far below the bound.
fn to_u32(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{AspectFacet, Comparison, ComparisonVerdict, Period};
    use crate::model::{Rating, RatingCounts, VoteCounts};
    use crate::wire::AggregateRating;

    fn period(stars: &[i64], aspects: Vec<AspectFacet>) -> Period {
        let mut rating_counts = RatingCounts::default();
        stars
            .iter()
            .for_each(|stars| rating_counts.count(Rating::try_from(*stars).unwrap()));
        let rating = AggregateRating::from(&rating_counts);
        Period {
            since: "2026-01-01".parse().unwrap(),
            until: "2026-02-01".parse().unwrap(),
            until_requested: None,
            count: rating.review_count,
            rating_value: rating.rating_value,
            distribution: rating.distribution,
            aspects,
        }
    }

    #[test]
    fn the_difference_is_the_second_minus_the_first() {
        let aspect = |id: &str, reviews, positive| {
            let votes = VoteCounts {
                positive,
                negative: reviews - positive,
                ..VoteCounts::default()
            };
            AspectFacet::new(id, &id.to_uppercase(), &votes)
        };
        let first = period(
            &[5, 5, 5, 5, 4],
            vec![aspect("price", 4, 1), aspect("honesty", 2, 2)],
        );
        let second = period(
            &[5, 4, 1],
            vec![aspect("price", 1, 1), aspect("warranty", 3, 0)],
        );
        let Comparison {
            first,
            second,
            difference,
            ..
        } = Comparison::new(first, second);
        assert_eq!(
            (first.rating_value, second.rating_value),
            (Some(4.8), Some(3.33))
        );
        assert_eq!(
            (difference.count, difference.rating_value),
            (-2, Some(-1.47))
        );
        let changes: Vec<(&str, i64, i64, i64)> = difference
            .aspects
            .iter()
            .map(|change| {
                (
                    change.id.as_str(),
                    change.mention_count,
                    change.positive_count,
                    change.negative_count,
                )
            })
            .collect();
        assert_eq!(
            changes,
            [
                ("price", -3, 0, -3),
                ("warranty", 3, 0, 3),
                ("honesty", -2, -2, 0)
            ]
        );
        assert_eq!(
            Comparison::new(period(&[], Vec::new()), second)
                .difference
                .rating_value,
            None
        );
    }

    /// The given number of reviews of each number of stars, five first.
    fn stars(counts: [usize; 5]) -> Vec<i64> {
        let each = counts.into_iter().zip((1..=5).rev());
        each.flat_map(|(count, stars)| std::iter::repeat_n(stars, count))
            .collect()
    }

    #[test]
    fn rating_verdict_follows_the_share_of_four_and_five_stars() {
        for (first, second, verdict) in [
            ([20, 0, 0, 0, 0], [0, 0, 0, 0, 20], ComparisonVerdict::Worse),
            (
                [0, 0, 0, 0, 20],
                [20, 0, 0, 0, 0],
                ComparisonVerdict::Better,
            ),
            ([18, 1, 0, 0, 1], [16, 2, 1, 0, 1], ComparisonVerdict::Same),
            ([20, 0, 0, 0, 0], [20, 0, 0, 0, 0], ComparisonVerdict::Same),
            // Ten reviews in each period are enough, nine are too few.
            ([10, 0, 0, 0, 0], [0, 0, 0, 0, 10], ComparisonVerdict::Worse),
            ([10, 0, 0, 0, 0], [0, 0, 0, 0, 9], ComparisonVerdict::TooFew),
            ([0; 5], [90, 0, 0, 0, 0], ComparisonVerdict::TooFew),
            // The share of four and five stars is the same.
            ([20, 0, 0, 0, 0], [0, 20, 0, 0, 0], ComparisonVerdict::Same),
        ] {
            let [before, now] = [first, second].map(|counts| period(&stars(counts), Vec::new()));
            let verdict_of = Comparison::new(before, now).verdict;
            assert_eq!(verdict_of, verdict, "{first:?} {second:?}");
        }
    }

    #[test]
    fn an_aspect_is_compared_by_reviews_with_a_judgement_only() {
        let aspect = |id: &str, positive, negative, mixed| {
            let votes = VoteCounts {
                positive,
                negative,
                mixed,
                // Half of the reviews have no judgement.
                neutral: positive + negative + mixed,
                ..VoteCounts::default()
            };
            AspectFacet::new(id, id, &votes)
        };
        let first = vec![
            aspect("price", 20, 2, 0),
            aspect("punctuality", 4, 16, 4),
            aspect("honesty", 12, 2, 0),
            aspect("warranty", 9, 0, 0),
            aspect("scheduling", 30, 0, 0),
        ];
        let second = vec![
            aspect("price", 2, 10, 10),
            aspect("punctuality", 24, 2, 0),
            aspect("honesty", 11, 1, 1),
            aspect("warranty", 0, 20, 0),
        ];
        let difference = Comparison::new(period(&[5], first), period(&[5], second)).difference;
        let verdicts: Vec<(&str, ComparisonVerdict)> = difference
            .aspects
            .iter()
            .map(|change| (change.id.as_str(), change.verdict))
            .collect();
        assert_eq!(
            verdicts,
            [
                ("price", ComparisonVerdict::Worse),
                ("punctuality", ComparisonVerdict::Better),
                ("honesty", ComparisonVerdict::Same),
                ("warranty", ComparisonVerdict::TooFew),
                ("scheduling", ComparisonVerdict::TooFew)
            ]
        );
    }
}
