//! Two periods side by side: what was said in each, and what changed.

use chrono::NaiveDate;
use poem_openapi::Object;
use serde::{Deserialize, Serialize};

use super::business::Distribution;
use crate::model::RatingCounts;

/// Two periods side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
pub struct Comparison {
    /// The reviews from `first_since` through `first_until`.
    pub first: Period,
    /// The reviews from `second_since` through `second_until`.
    pub second: Period,
    /// The second less the first.
    pub difference: Difference,
}

/// The published reviews of a range of days.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
pub struct Period {
    /// First day of the period, `YYYY-MM-DD`, inclusive.
    pub since: NaiveDate,
    /// Last day of the period, `YYYY-MM-DD`, inclusive.
    pub until: NaiveDate,
    /// How many published reviews are dated within the period.
    pub count: u64,
    /// Their mean, to two decimals; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating_value: Option<f64>,
    /// How many have how many stars.
    pub distribution: Distribution,
    /// What they speak of; what no review of the period speaks of is left out.
    pub aspects: Vec<PeriodAspect>,
}

/// How many reviews of a period speak of an aspect, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct PeriodAspect {
    /// Id of the aspect, for example `punctuality`.
    pub id: String,
    /// Display name of the aspect.
    pub label: String,
    /// How many reviews speak of it: well, badly, both, as a fact, or so that it cannot be told.
    pub reviews: u64,
    /// How many of them only well.
    pub positive: u64,
    /// How many only badly.
    pub negative: u64,
}

/// The second period less the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Object)]
pub struct Difference {
    /// Change in the number of reviews; negative where the second period has fewer.
    pub count: i64,
    /// Change in the mean rating, to two decimals; absent where a period has no reviews.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating_value: Option<f64>,
    /// Change in the number of reviews for each rating.
    pub distribution: DistributionChange,
    /// Change for each aspect that either period has.
    pub aspects: Vec<AspectChange>,
}

/// Differences of counts by stars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct DistributionChange {
    /// Change in the number of one-star reviews.
    #[serde(rename = "1")]
    #[oai(rename = "1")]
    pub one: i64,
    /// Change in the number of two-star reviews.
    #[serde(rename = "2")]
    #[oai(rename = "2")]
    pub two: i64,
    /// Change in the number of three-star reviews.
    #[serde(rename = "3")]
    #[oai(rename = "3")]
    pub three: i64,
    /// Change in the number of four-star reviews.
    #[serde(rename = "4")]
    #[oai(rename = "4")]
    pub four: i64,
    /// Change in the number of five-star reviews.
    #[serde(rename = "5")]
    #[oai(rename = "5")]
    pub five: i64,
}

/// How an aspect's counts differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct AspectChange {
    /// Id of the aspect, for example `punctuality`.
    pub id: String,
    /// Display name of the aspect.
    pub label: String,
    /// Change in the number of reviews that speak of it.
    pub reviews: i64,
    /// Change in the number of reviews that speak only well of it.
    pub positive: i64,
    /// Change in the number of reviews that speak only badly of it.
    pub negative: i64,
}

impl Comparison {
    /// Both periods, with their difference.
    #[must_use]
    pub fn new(first: Period, second: Period) -> Self {
        let difference = Difference::between(&first, &second);
        Self {
            first,
            second,
            difference,
        }
    }
}

impl Period {
    /// The reviews of the days `since` to `until`, counted.
    #[must_use]
    pub fn new(
        since: NaiveDate,
        until: NaiveDate,
        rating_counts: &RatingCounts,
        aspects: Vec<PeriodAspect>,
    ) -> Self {
        let [one, two, three, four, five] = rating_counts.by_stars();
        let distribution = Distribution {
            one,
            two,
            three,
            four,
            five,
        };
        let rating_value = rating_counts
            .mean_hundredths()
            .map(|mean| hundredths(signed(mean)));
        Self {
            since,
            until,
            count: rating_counts.total(),
            rating_value,
            distribution,
            aspects,
        }
    }
}

impl Difference {
    fn between(first: &Period, second: &Period) -> Self {
        let less = |first: u64, second: u64| signed(second) - signed(first);
        let (before, after) = (&first.distribution, &second.distribution);
        // Each is shown in whole hundredths: subtracted as such, 4.9 less 4.8 is 0.1 and not 0.10000000000000053.
        let mean = |period: &Period| period.rating_value.map(|mean| (mean * 100.0).round());
        Self {
            count: less(first.count, second.count),
            rating_value: mean(first)
                .zip(mean(second))
                .map(|(first, second)| (second - first) / 100.0),
            distribution: DistributionChange {
                one: less(before.one, after.one),
                two: less(before.two, after.two),
                three: less(before.three, after.three),
                four: less(before.four, after.four),
                five: less(before.five, after.five),
            },
            aspects: changes(&first.aspects, &second.aspects),
        }
    }
}

fn changes(first: &[PeriodAspect], second: &[PeriodAspect]) -> Vec<AspectChange> {
    let find =
        |among: &[PeriodAspect], id: &str| among.iter().find(|aspect| aspect.id == id).cloned();
    let gone = first
        .iter()
        .filter(|aspect| find(second, &aspect.id).is_none());
    let every = second.iter().chain(gone);
    let change = |aspect: &PeriodAspect| {
        let counts = |among: &[PeriodAspect]| {
            let [reviews, positive, negative] = find(among, &aspect.id).map_or([0; 3], |found| {
                [found.reviews, found.positive, found.negative]
            });
            [signed(reviews), signed(positive), signed(negative)]
        };
        let (before, after) = (counts(first), counts(second));
        AspectChange {
            id: aspect.id.clone(),
            label: aspect.label.clone(),
            reviews: after[0] - before[0],
            positive: after[1] - before[1],
            negative: after[2] - before[2],
        }
    };
    every.map(change).collect()
}

/// Counts of reviews are far below the bound.
fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Hundredths of a star, at most 500, as a decimal.
fn hundredths(mean: i64) -> f64 {
    f64::from(i32::try_from(mean).unwrap_or(500)) / 100.0
}

#[cfg(test)]
mod tests {
    use super::{Comparison, Period, PeriodAspect};
    use crate::model::{Rating, RatingCounts};

    fn period(stars: &[i64], aspects: Vec<PeriodAspect>) -> Period {
        let mut rating_counts = RatingCounts::default();
        stars
            .iter()
            .for_each(|stars| rating_counts.count(Rating::try_from(*stars).unwrap()));
        Period::new(
            "2026-01-01".parse().unwrap(),
            "2026-02-01".parse().unwrap(),
            &rating_counts,
            aspects,
        )
    }

    #[test]
    fn the_difference_is_the_second_less_the_first() {
        let aspect = |id: &str, reviews, positive| PeriodAspect {
            id: id.to_owned(),
            label: id.to_uppercase(),
            reviews,
            positive,
            negative: reviews - positive,
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
        } = Comparison::new(first, second);
        assert_eq!(
            (first.rating_value, second.rating_value),
            (Some(4.8), Some(3.33))
        );
        assert_eq!(
            (difference.count, difference.rating_value),
            (-2, Some(-1.47))
        );
        assert_eq!(
            (difference.distribution.one, difference.distribution.five),
            (1, -3)
        );
        let changes: Vec<(&str, i64, i64, i64)> = difference
            .aspects
            .iter()
            .map(|change| {
                (
                    change.id.as_str(),
                    change.reviews,
                    change.positive,
                    change.negative,
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
}
