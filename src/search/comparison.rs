//! Two periods side by side: the counts of each, and whether the second is better.

use super::facets::with_opinions;
use crate::model::{Day, VoteCounts};
use crate::snapshot::Snapshot;
use crate::wire::{
    self, Arguments, AspectVerdict, Comparison, ComparisonVerdict, Issue, IssueCode, Parameters,
    Period,
};

/// First and last day, both inclusive.
pub type Days = (Day, Day);

/// The first and the second period; `None` if there are issues.
#[derive(Debug)]
pub struct PeriodsParameters(pub Option<[Days; 2]>);

impl Parameters for PeriodsParameters {
    fn parse(arguments: &mut Arguments) -> Self {
        let first = (
            arguments.required("2025-01-01").day(
                "first_since",
                "First day of the first period, `YYYY-MM-DD`.",
            ),
            arguments
                .required("2025-12-31")
                .day("first_until", "Last day of the first period, `YYYY-MM-DD`."),
        );
        let second = (
            arguments.required("2026-01-01").day(
                "second_since",
                "First day of the second period, `YYYY-MM-DD`.",
            ),
            arguments.required("2026-12-31").day(
                "second_until",
                "Last day of the second period, `YYYY-MM-DD`.",
            ),
        );
        let [first, second] = [first, second].map(|(since, until)| since.zip(until));
        for (days, [since, until]) in [
            (first, ["first_since", "first_until"]),
            (second, ["second_since", "second_until"]),
        ] {
            if let Some((first_day, last)) = days.filter(|(first_day, last)| last < first_day) {
                let message = format!("must not be before {since}, which is {first_day}");
                let (code, received) = (IssueCode::TooSmall, last.to_string());
                let issue = Issue::new(until, code, message, &received);
                arguments.issues.push(issue);
            }
        }
        Self(first.zip(second).map(<[Days; 2]>::from))
    }
}

/// Each period, and whether the rating and each aspect is better in the second.
pub fn compare(snapshot: &Snapshot, periods: [Days; 2]) -> Comparison {
    let [(first, before), (second, now)] = periods.map(|days| count(snapshot, days));
    let share = |votes: &VoteCounts| (votes.positive, votes.judged());
    let aspects = snapshot.input.analyzer.trade.shown_aspects().iter();
    let votes = before.iter().zip(&now);
    let verdicts = aspects
        .zip(votes)
        .map(|(aspect, (before, now))| AspectVerdict {
            id: aspect.id.clone(),
            label: aspect.label.clone(),
            verdict: ComparisonVerdict::of(share(before), share(now)),
        });
    Comparison {
        verdict: rating_verdict(&first, &second),
        aspects: verdicts.collect(),
        first,
        second,
    }
}

/// A period, and its votes on each aspect of the trade.
fn count(snapshot: &Snapshot, (since, until_requested): Days) -> (Period, Vec<VoteCounts>) {
    let (entries, trade) = (&snapshot.input.entries, snapshot.input.analyzer.trade);
    // The data ends with the newest review. The clock is not used, so that the response does not depend on the time of
    // the request.
    let newest = entries.first().map(|entry| entry.review.date);
    let until = newest
        .filter(|newest| (since..until_requested).contains(newest))
        .unwrap_or(until_requested);
    let positions = entries.positions_between(Some(since), Some(until));
    let rating_counts = entries.index().rating_counts(positions.clone());
    let votes = entries
        .index()
        .votes(&positions, trade.shown_aspects().len());
    let rating = wire::AggregateRating::from(&rating_counts);
    let period = Period {
        since: since.date(),
        until: until.date(),
        until_requested: (until != until_requested).then(|| until_requested.date()),
        count: rating.review_count,
        rating_value: rating.rating_value,
        distribution: rating.distribution,
        aspects: with_opinions(trade.shown_aspects(), &votes).collect(),
    };
    (period, votes)
}

fn rating_verdict(first: &Period, second: &Period) -> ComparisonVerdict {
    let share = |period: &Period| {
        let stars = &period.distribution;
        (to_u32(stars["4"] + stars["5"]), to_u32(period.count))
    };
    ComparisonVerdict::of(share(first), share(second))
}

/// Counts of reviews are far below the bound.
fn to_u32(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::rating_verdict;
    use crate::model::{Rating, RatingCounts};
    use crate::wire::{AggregateRating, ComparisonVerdict, Period};

    fn period(stars: &[i64]) -> Period {
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
            aspects: Vec::new(),
        }
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
            ([18, 1, 0, 0, 1], [16, 2, 1, 0, 1], ComparisonVerdict::Same),
            // Ten reviews in each period are enough, nine are too few.
            ([10, 0, 0, 0, 0], [0, 0, 0, 0, 10], ComparisonVerdict::Worse),
            (
                [0, 0, 0, 0, 10],
                [10, 0, 0, 0, 0],
                ComparisonVerdict::Better,
            ),
            ([10, 0, 0, 0, 0], [0, 0, 0, 0, 9], ComparisonVerdict::TooFew),
            // The share of four and five stars is the same.
            ([20, 0, 0, 0, 0], [0, 20, 0, 0, 0], ComparisonVerdict::Same),
        ] {
            let [before, now] = [first, second].map(|counts| period(&stars(counts)));
            assert_eq!(
                rating_verdict(&before, &now),
                verdict,
                "{first:?} {second:?}"
            );
        }
    }
}
