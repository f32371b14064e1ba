//! Two periods side by side: the counts of each, their difference, and whether the second is better.

use super::facets::with_opinions;
use super::parameters::aspect_of;
use crate::insights::Trade;
use crate::model::{Day, VoteCounts};
use crate::snapshot::Snapshot;
use crate::wire::{
    self, Arguments, AspectChange, AspectFacet, Comparison, ComparisonVerdict, Difference, Issue,
    IssueCode, Parameters, Period,
};

/// First and last day, both inclusive.
type Days = (Day, Day);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeriodsRequest {
    first: Days,
    second: Days,
    /// The index of the one aspect in the trade; `None` for all.
    aspect: Option<usize>,
}

#[derive(Debug)]
pub struct PeriodsParameters {
    pub first_since: Option<Day>,
    pub first_until: Option<Day>,
    pub second_since: Option<Day>,
    pub second_until: Option<Day>,
    pub aspect: Option<String>,
}

impl Parameters for PeriodsParameters {
    fn parse(arguments: &mut Arguments) -> Self {
        Self {
            first_since: arguments.required("2025-01-01").day(
                "first_since",
                "First day of the first period, `YYYY-MM-DD`.",
            ),
            first_until: arguments
                .required("2025-12-31")
                .day("first_until", "Last day of the first period, `YYYY-MM-DD`."),
            second_since: arguments.required("2026-01-01").day(
                "second_since",
                "First day of the second period, `YYYY-MM-DD`.",
            ),
            second_until: arguments.required("2026-12-31").day(
                "second_until",
                "Last day of the second period, `YYYY-MM-DD`.",
            ),
            aspect: arguments.text("aspect", "Only this aspect, for example `price`."),
        }
    }
}

impl PeriodsRequest {
    /// `None` if there are issues: those of the parameters, to which others are added.
    pub fn new(
        parameters: &PeriodsParameters,
        issues: &mut Vec<Issue>,
        trade: &Trade,
    ) -> Option<Self> {
        let first = parameters.first_since.zip(parameters.first_until);
        let second = parameters.second_since.zip(parameters.second_until);
        for (days, [since, until]) in [
            (first, ["first_since", "first_until"]),
            (second, ["second_since", "second_until"]),
        ] {
            if let Some((first_day, last)) = days.filter(|(first_day, last)| last < first_day) {
                let message = format!("must not be before {since}, which is {first_day}");
                let (code, received) = (IssueCode::TooSmall, last.to_string());
                issues.push(Issue::new(until, code, message, &received));
            }
        }
        let aspect = parameters
            .aspect
            .as_deref()
            .and_then(|id| aspect_of(issues, trade, id));
        let (first, second) = first.zip(second).filter(|_| issues.is_empty())?;
        Some(Self {
            first,
            second,
            aspect,
        })
    }
}

/// Each period, the second minus the first, and whether it is better.
pub fn compare(snapshot: &Snapshot, request: &PeriodsRequest) -> Comparison {
    let [first, second] =
        [request.first, request.second].map(|days| count(snapshot, days, request.aspect));
    let (difference, verdict) = (difference(&first, &second), rating_verdict(&first, &second));
    Comparison {
        first,
        second,
        difference,
        verdict,
    }
}

fn count(snapshot: &Snapshot, (since, until_requested): Days, aspect: Option<usize>) -> Period {
    let (entries, trade) = (&snapshot.input.entries, snapshot.input.analyzer.trade());
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
    let mut aspects: Vec<_> = with_opinions(trade.shown_aspects(), &votes).collect();
    if let Some(one) = aspect.map(|at| &trade.aspects[at].id) {
        aspects.retain(|aspect| aspect.id == *one);
    }
    let rating = wire::AggregateRating::from(&rating_counts);
    Period {
        since: since.date(),
        until: until.date(),
        until_requested: (until != until_requested).then(|| until_requested.date()),
        count: rating.review_count,
        rating_value: rating.rating_value,
        distribution: rating.distribution,
        aspects,
    }
}

fn difference(first: &Period, second: &Period) -> Difference {
    // Subtracted as whole hundredths: 4.9 minus 4.8 is 0.1 and not 0.10000000000000053.
    let mean = |period: &Period| period.rating_value.map(|mean| (mean * 100.0).round());
    Difference {
        count: second.count.cast_signed() - first.count.cast_signed(),
        rating_value: mean(first)
            .zip(mean(second))
            .map(|(first, second)| (second - first) / 100.0),
        aspects: changes(&first.aspects, &second.aspects),
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
    use super::{difference, rating_verdict};
    use crate::model::{Rating, RatingCounts, VoteCounts};
    use crate::wire::{AggregateRating, AspectFacet, ComparisonVerdict, Period};

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
            assert_eq!(
                rating_verdict(&before, &now),
                verdict,
                "{first:?} {second:?}"
            );
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
        let found = difference(&period(&[5], first), &period(&[5], second));
        let verdicts: Vec<(&str, ComparisonVerdict)> = found
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
