//! Counts: facets (mentions, opinions, dates and stars), and the comparison of two periods. They use the counts of
//! whole segments.

use std::ops::Range;

use chrono::NaiveDate;

use super::names::aspect_of;
use crate::insights::Trade;
use crate::insights::aggregate::votes_of;
use crate::insights::trades::AspectDefinition;
use crate::model::{Day, Rating, RatingCounts, VoteCounts};
use crate::snapshot::{ReviewIndex, Snapshot};
use crate::wire::parameters::{
    Aspect, FirstSince, FirstUntil, Parameter, SecondSince, SecondUntil, arguments,
};
use crate::wire::{self, Comparison, Issue, IssueCode, Period, PeriodAspect};

/// Maximum number of values in a list.
pub const VALUES_MAX: usize = 100;

/// Lists have at most `most` values, with the number of omitted values; aspects and ratings are complete.
pub fn facets(snapshot: &Snapshot, most: usize) -> wire::Facets {
    let (review_index, counts) = (&snapshot.input.review_index, snapshot.counts());
    let lists = [
        ("technicians", &counts.technicians),
        ("services", &counts.services),
        ("service_areas", &counts.service_areas),
        ("sources", &counts.sources),
        ("languages", &counts.languages),
    ];
    let years: Vec<wire::YearFacet> = review_index
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
    let ratings = (1..=5)
        .zip(review_index.rating_counts().by_stars())
        .rev()
        .map(|(rating, reviews)| wire::RatingFacet { rating, reviews });
    wire::Facets {
        reviews: review_index.len() as u64,
        technicians,
        services,
        service_areas,
        sources,
        languages,
        aspects: aspects(snapshot),
        years: years.into_iter().take(most).collect(),
        ratings: ratings.collect(),
        left_out,
    }
}

/// The aspects with opinions, in the order of the trade; a trade has at most a few dozen.
fn aspects(snapshot: &Snapshot) -> Vec<wire::AspectFacet> {
    let aspects = &snapshot.input.analyzer.trade().aspects;
    let review_index = &snapshot.input.review_index;
    let (_, votes) = counted(review_index, 0..review_index.len(), aspects.len());
    with_opinions(aspects, &votes)
        .map(|(aspect, votes)| wire::AspectFacet::new(&aspect.id, &aspect.label, votes))
        .collect()
}

/// The aspects with opinions, each with its votes.
pub(super) fn with_opinions<'a>(
    aspects: &'a [AspectDefinition],
    votes: &'a [VoteCounts],
) -> impl Iterator<Item = (&'a AspectDefinition, &'a VoteCounts)> {
    let aspects = aspects.iter().zip(votes);
    aspects.filter(|(_, votes)| votes.reviews() > 0)
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

arguments! {
    /// The parameters of a comparison.
    pub struct PeriodsParameters {
        /// First day of the first period, `YYYY-MM-DD`.
        first_since: FirstSince,
        /// Last day of the first period, `YYYY-MM-DD`.
        first_until: FirstUntil,
        /// First day of the second period, `YYYY-MM-DD`.
        second_since: SecondSince,
        /// Last day of the second period, `YYYY-MM-DD`.
        second_until: SecondUntil,
        /// Id of the one aspect to compare, for example `price`.
        aspect: Aspect,
    }
}

impl PeriodsRequest {
    /// `None` if there are issues: those of the parameters, to which others are added.
    pub fn new(
        parameters: &PeriodsParameters,
        issues: &mut Vec<Issue>,
        trade: &Trade,
    ) -> Option<Self> {
        let days = parameters.first_since.zip(parameters.first_until);
        let first = period::<FirstSince, FirstUntil>(days, issues);
        let days = parameters.second_since.zip(parameters.second_until);
        let second = period::<SecondSince, SecondUntil>(days, issues);
        let aspect = parameters.aspect.as_deref();
        let aspect = aspect.and_then(|id| aspect_of(issues, trade, id));
        let (first, second) = first.zip(second).filter(|_| issues.is_empty())?;
        Some(Self {
            first,
            second,
            aspect,
        })
    }
}

/// The period from the value of `S` to that of `U`.
fn period<S: Parameter, U: Parameter>(days: Option<Days>, issues: &mut Vec<Issue>) -> Option<Days> {
    let (first, last) = days?;
    if last < first {
        let message = format!("must not be before {}, which is {first}", S::NAME);
        let code = IssueCode::TooSmall;
        issues.push(Issue::new(U::NAME, code, message, &last.to_string()));
        return None;
    }
    Some((first, last))
}

/// Each period, the second minus the first, and whether it is better.
pub fn compare(snapshot: &Snapshot, request: &PeriodsRequest) -> Comparison {
    Comparison::new(
        count(snapshot, request.first, request.aspect),
        count(snapshot, request.second, request.aspect),
    )
}

fn count(snapshot: &Snapshot, (since, asked): Days, aspect: Option<usize>) -> Period {
    let (review_index, trade) = (
        &snapshot.input.review_index,
        snapshot.input.analyzer.trade(),
    );
    let until = newest_day(review_index)
        .filter(|newest| (since..asked).contains(newest))
        .unwrap_or(asked);
    let positions =
        review_index.count_after(until.number())..review_index.count_since(since.number());
    let (rating_counts, votes) = counted(review_index, positions, trade.aspects.len());
    let mut aspects: Vec<PeriodAspect> = with_opinions(&trade.aspects, &votes)
        .map(|(aspect, votes)| PeriodAspect {
            id: aspect.id.clone(),
            label: aspect.label.clone(),
            reviews: u64::from(votes.reviews()),
            positive: u64::from(votes.positive),
            negative: u64::from(votes.negative),
            mixed: u64::from(votes.mixed),
            confirmed: votes.confirmed.into(),
        })
        .collect();
    if let Some(one) = aspect.map(|at| &trade.aspects[at].id) {
        aspects.retain(|aspect| aspect.id == *one);
    }
    Period {
        until_asked: (until != asked).then(|| asked.date()),
        ..Period::new(since.date(), until.date(), &rating_counts, aspects)
    }
}

/// The day of the newest review, the end of the data. The clock is not used, so that the response does not depend on
/// the time of the request.
fn newest_day(review_index: &ReviewIndex) -> Option<Day> {
    let mut segments = review_index.segments().iter();
    let newest = segments.find(|segment| !segment.is_empty())?;
    Day::new(NaiveDate::from_num_days_from_ce_opt(newest.days()[0])?)
}

/// The stars of the reviews at `positions`, and the votes on each aspect.
fn counted(
    review_index: &ReviewIndex,
    positions: Range<usize>,
    aspects: usize,
) -> (RatingCounts, Vec<VoteCounts>) {
    let mut rating_counts = RatingCounts::default();
    let mut votes = vec![VoteCounts::default(); aspects];
    let mut add = |more: &[VoteCounts]| {
        let both = votes.iter_mut().zip(more);
        both.for_each(|(votes, more)| votes.add(more));
    };
    for (segment, indices) in review_index.slices(positions) {
        if indices.len() == segment.len() {
            rating_counts.add(segment.rating_counts());
            add(segment.opinions(aspects).votes());
        } else {
            let ratings = segment.stars()[indices.clone()]
                .iter()
                .map(|stars| Rating::try_from(i64::from(*stars)));
            ratings
                .flatten()
                .for_each(|rating| rating_counts.count(rating));
            let analyses = indices.filter_map(|index| segment.packed_analysis(index));
            add(&votes_of(analyses, aspects));
        }
    }
    (rating_counts, votes)
}
