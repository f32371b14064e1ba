//! Counts: facets (mentions, opinions, dates and stars), and the comparison of two periods. They are sizes of sets in
//! the snapshot's index.

use super::request::aspect_of;
use crate::insights::Trade;
use crate::insights::rules::AspectDefinition;
use crate::model::{Day, VoteCounts};
use crate::snapshot::Snapshot;
use crate::wire::{self, Arguments, Comparison, Issue, IssueCode, Parameters, Period};

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
        snapshot.input.analyzer.trade(),
        entries.positions_between(None, None),
    );
    let votes = entries.index().votes(&all, trade.shown_aspects().len());
    let ratings = (1..=5)
        .zip(entries.rating_counts().by_stars())
        .rev()
        .map(|(rating, reviews)| wire::RatingFacet { rating, reviews });
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
    Comparison::new(
        count(snapshot, request.first, request.aspect),
        count(snapshot, request.second, request.aspect),
    )
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
