//! Facets: counts of mentions, opinions, dates and stars, which are sizes of sets in the snapshot's index; and those of two
//! periods side by side.

use crate::insights::rules::AspectDefinition;
use crate::model::{ComparisonVerdict, Day, RatingCounts, VoteCounts};
use crate::snapshot::Snapshot;
use crate::wire::{self, Arguments, AspectVerdict, Comparison, Parameters, Period};

/// Maximum number of values in a list.
pub const FACET_VALUES_MAX: usize = 100;

/// Lists have at most `most` values, with the number of omitted values; aspects and ratings are complete.
pub fn facets(snapshot: &Snapshot, most: usize) -> wire::Facets {
    let (entries, counts) = (&snapshot.input.entries, snapshot.counts());
    let lists = [
        ("technicians", &counts.technicians),
        ("services", &counts.services),
        ("service_areas", &counts.service_areas),
        ("sources", &counts.sources),
        ("languages", &counts.languages),
    ];
    let years: Vec<wire::YearFacet> = entries
        .years()
        .map(|(year, positions)| wire::YearFacet {
            year,
            reviews: positions.len() as u64,
        })
        .collect();
    let lengths = lists.iter().map(|(name, list)| (*name, list.len()));
    let left_out = lengths
        .chain([("years", years.len())])
        .filter(|(_, length)| *length > most)
        .map(|(list, length)| wire::LeftOut {
            list: list.to_owned(),
            values: (length - most) as u64,
        })
        .collect();
    let [technicians, services, service_areas, sources, languages] =
        lists.map(|(_, list)| list.iter().take(most).cloned().collect());
    let (trade, all) = (
        snapshot.input.analyzer.trade,
        entries.positions_between(None, None),
    );
    let votes = entries.index().votes(&all, trade.shown_aspects().len());
    let ratings = (1..=5).zip(entries.rating_counts().by_stars()).rev();
    let ratings = ratings.map(|(rating, reviews)| wire::RatingFacet { rating, reviews });
    wire::Facets {
        reviews: entries.len() as u64,
        technicians,
        services,
        service_areas,
        sources,
        languages,
        aspects: with_opinions(trade.shown_aspects(), &votes).collect(),
        years: years.into_iter().take(most).collect(),
        ratings: ratings.collect(),
        left_out,
    }
}

/// The aspects with opinions and their votes, in the order of the trade (at most a few dozen).
pub(super) fn with_opinions<'a>(
    aspects: &'a [AspectDefinition],
    votes: &'a [VoteCounts],
) -> impl Iterator<Item = wire::AspectFacet> {
    let aspects = aspects.iter().zip(votes);
    aspects
        .filter(|(_, votes)| votes.reviews() > 0)
        .map(|(aspect, votes)| wire::AspectFacet::new(&aspect.id, &aspect.label, votes))
}

// Two periods: the counts of each, and whether the second is better.

/// First and last day, both inclusive.
pub type Days = (Day, Day);

/// The first and the second period; `None` if there are issues.
#[derive(Debug)]
pub struct PeriodsParameters(pub Option<[Days; 2]>);

impl Parameters for PeriodsParameters {
    fn parse(arguments: &mut Arguments) -> Self {
        let since = arguments.required("2025-01-01");
        let since = since.day(
            "first_since",
            "First day of the first period, `YYYY-MM-DD`.",
        );
        let until = arguments.required("2025-12-31");
        let until = until.day("first_until", "Last day of the first period, `YYYY-MM-DD`.");
        let first = since.zip(until);
        let since = arguments.required("2026-01-01");
        let since = since.day(
            "second_since",
            "First day of the second period, `YYYY-MM-DD`.",
        );
        let until = arguments.required("2026-12-31");
        let until = until.day(
            "second_until",
            "Last day of the second period, `YYYY-MM-DD`.",
        );
        let second = since.zip(until);
        Self(first.zip(second).map(<[Days; 2]>::from))
    }
}

/// Each period, and whether the rating and each aspect is better in the second.
pub fn compare(snapshot: &Snapshot, periods: [Days; 2]) -> Comparison {
    let [first, second] = periods.map(|days| count(snapshot, days));
    let aspects = snapshot.input.analyzer.trade.shown_aspects().iter();
    let votes = first.votes.iter().zip(&second.votes);
    let verdicts = aspects.zip(votes).map(|(aspect, (before, now))| {
        let [before, now] = [before, now].map(|votes| (votes.positive, votes.judged()));
        AspectVerdict {
            id: aspect.id.clone(),
            label: aspect.label.clone(),
            verdict: ComparisonVerdict::of(before, now),
        }
    });
    Comparison {
        verdict: rating_verdict(&first.ratings, &second.ratings),
        aspects: verdicts.collect(),
        first: first.period,
        second: second.period,
    }
}

struct PeriodCounts {
    period: Period,
    ratings: RatingCounts,
    /// On each aspect of the trade.
    votes: Vec<VoteCounts>,
}

fn count(snapshot: &Snapshot, (since, until_requested): Days) -> PeriodCounts {
    let (entries, trade) = (&snapshot.input.entries, snapshot.input.analyzer.trade);
    // The data ends with the newest review. The clock is not used, so that the response does not depend on the time of
    // the request.
    let newest = entries.first().map(|entry| entry.review.date);
    let until = newest
        .filter(|newest| (since..until_requested).contains(newest))
        .unwrap_or(until_requested);
    let positions = entries.positions_between(Some(since), Some(until));
    let index = entries.index();
    let ratings = index.rating_counts(positions.clone());
    let votes = index.votes(&positions, trade.shown_aspects().len());
    let rating = wire::AggregateRating::from(&ratings);
    PeriodCounts {
        period: Period {
            since: since.date(),
            until: until.date(),
            until_requested: (until != until_requested).then(|| until_requested.date()),
            count: rating.review_count,
            rating_value: rating.rating_value,
            distribution: rating.distribution,
            aspects: with_opinions(trade.shown_aspects(), &votes).collect(),
        },
        ratings,
        votes,
    }
}

fn rating_verdict(before: &RatingCounts, now: &RatingCounts) -> ComparisonVerdict {
    let share = |counts: &RatingCounts| {
        let [.., four, five] = counts.by_stars();
        (to_u32(four + five), to_u32(counts.total()))
    };
    ComparisonVerdict::of(share(before), share(now))
}

/// Counts of reviews are far below the bound.
fn to_u32(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::rating_verdict;
    use crate::model::ComparisonVerdict;
    use crate::model::RatingCounts;

    #[test]
    fn rating_verdict_follows_the_share_of_four_and_five_stars() {
        for (first, second, verdict) in [
            ([1, 0, 0, 1, 18], [1, 0, 1, 2, 16], ComparisonVerdict::Same),
            // Ten reviews in each period are enough, nine are too few.
            ([0, 0, 0, 0, 10], [10, 0, 0, 0, 0], ComparisonVerdict::Worse),
            (
                [10, 0, 0, 0, 0],
                [0, 0, 0, 0, 10],
                ComparisonVerdict::Better,
            ),
            ([0, 0, 0, 0, 10], [9, 0, 0, 0, 0], ComparisonVerdict::TooFew),
            // The share of four and five stars is the same.
            ([0, 0, 0, 0, 20], [0, 0, 0, 20, 0], ComparisonVerdict::Same),
        ] {
            let [before, now] = [first, second].map(RatingCounts::new);
            assert_eq!(
                rating_verdict(&before, &now),
                verdict,
                "{first:?} {second:?}"
            );
        }
    }
}
