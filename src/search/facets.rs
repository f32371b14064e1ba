//! What there is of the reviews, counted: facets (whom and what they mention and speak of, when they
//! are from and how many stars they have), and two periods side by side. Whole segments at a time.

use crate::insights::aggregate::{VoteCounts, votes_of};
use crate::insights::trades::AspectDefinition;
use crate::model::parameters::{
    Date, FirstSince, FirstUntil, InvalidParameter, Parameter, ParameterFault, ParameterSource,
    SecondSince, SecondUntil,
};
use crate::model::{Day, Rating, RatingCounts};
use crate::snapshot::Snapshot;
use crate::wire::{self, Comparison, Period, PeriodAspect};

/// How many values a list has at the most.
pub const VALUES_MAX: usize = 100;

/// Of long lists the `most` mentioned values, and how many there are besides.
#[must_use]
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
    let mut left_out: Vec<wire::LeftOut> = lists
        .iter()
        .map(|(name, list)| ((*name).to_owned(), list.len().saturating_sub(most)))
        .chain([("years".to_owned(), years.len().saturating_sub(most))])
        .map(|(list, values)| wire::LeftOut {
            list,
            values: values as u64,
        })
        .collect();
    left_out.retain(|left_out| left_out.values > 0);
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

/// The aspects that are spoken of, in the order of the trade: a trade has a few dozen at the most.
fn aspects(snapshot: &Snapshot) -> Vec<wire::AspectFacet> {
    let aspects = &snapshot.input.analyzer.trade().aspects;
    let mut votes = vec![VoteCounts::default(); aspects.len()];
    for segment in snapshot.input.review_index.segments() {
        let of_segment = segment.opinions(aspects.len()).votes();
        add(&mut votes, of_segment);
    }
    aspects
        .iter()
        .zip(&votes)
        .filter(|(_, votes)| votes.reviews() > 0)
        .map(|(aspect, votes)| wire::AspectFacet::new(&aspect.id, &aspect.label, votes))
        .collect()
}

/// First and last day; both are of the period.
pub type Days = (Day, Day);

/// The two periods that `source` asks for; `None` where one is missing or wrong, which is kept there.
pub fn take_periods(source: &mut impl ParameterSource) -> Option<(Days, Days)> {
    let first = period::<FirstSince, FirstUntil>(source);
    let second = period::<SecondSince, SecondUntil>(source);
    first.zip(second)
}

/// A period from the value of `S` to that of `U`.
fn period<S, U>(source: &mut impl ParameterSource) -> Option<Days>
where
    S: Parameter<Kind = Date>,
    U: Parameter<Kind = Date>,
{
    let (first, last) = (source.require::<S>(), source.require::<U>());
    let (first, last) = first.zip(last)?;
    if last < first {
        let message = format!("must not be before {}, which is {first}", S::NAME);
        source.refuse(InvalidParameter::new::<U>(
            ParameterFault::TooSmall,
            message,
            &last.to_string(),
        ));
        return None;
    }
    Some((first, last))
}

/// Each period, and the second less the first.
#[must_use]
pub fn compare(snapshot: &Snapshot, first: Days, second: Days) -> Comparison {
    Comparison::new(count(snapshot, first), count(snapshot, second))
}

fn count(snapshot: &Snapshot, (since, until): Days) -> Period {
    let (review_index, trade) = (
        &snapshot.input.review_index,
        snapshot.input.analyzer.trade(),
    );
    let (mut rating_counts, mut votes) = (
        RatingCounts::default(),
        vec![VoteCounts::default(); trade.aspects.len()],
    );
    for (segment, indices) in
        review_index.slices(review_index.count_after(until)..review_index.count_since(since))
    {
        if indices.len() == segment.len() {
            rating_counts.add(segment.rating_counts());
            add(&mut votes, segment.opinions(trade.aspects.len()).votes());
        } else {
            let ratings = segment.stars()[indices.clone()]
                .iter()
                .map(|stars| Rating::try_from(i64::from(*stars)));
            ratings
                .flatten()
                .for_each(|rating| rating_counts.count(rating));
            add(
                &mut votes,
                &votes_of(
                    indices.filter_map(|index| segment.packed_analysis(index)),
                    trade.aspects.len(),
                ),
            );
        }
    }
    Period::new(
        since.date(),
        until.date(),
        &rating_counts,
        period_aspects(&trade.aspects, &votes),
    )
}

fn add(votes: &mut [VoteCounts], more: &[VoteCounts]) {
    votes
        .iter_mut()
        .zip(more)
        .for_each(|(votes, more)| votes.add(more));
}

/// What is spoken of, in the order of the insights.
fn period_aspects(aspects: &[AspectDefinition], votes: &[VoteCounts]) -> Vec<PeriodAspect> {
    let told = |(aspect, votes): (&AspectDefinition, &VoteCounts)| PeriodAspect {
        id: aspect.id.clone(),
        label: aspect.label.clone(),
        reviews: u64::from(votes.reviews()),
        positive: u64::from(votes.positive),
        negative: u64::from(votes.negative),
    };
    aspects
        .iter()
        .zip(votes)
        .filter(|(_, votes)| votes.reviews() > 0)
        .map(told)
        .collect()
}
