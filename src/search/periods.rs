//! Two ranges of days side by side, counted from the segments' columns, whole segments at a time.

use crate::insights::aggregate::{VoteCounts, votes_of};
use crate::insights::trades::AspectDefinition;
use crate::model::parameters::{
    Date, FirstSince, FirstUntil, InvalidParameter, Parameter, ParameterFault, ParameterSource,
    SecondSince, SecondUntil,
};
use crate::model::{Day, Rating, RatingCounts};
use crate::snapshot::Snapshot;
use crate::wire::{Comparison, Period, PeriodAspect};

/// First and last day; both are of the period.
pub type Days = (Day, Day);

/// The two periods that `source` asks for; `None` where one is missing or wrong, which is kept there.
pub fn take_from(source: &mut impl ParameterSource) -> Option<(Days, Days)> {
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
        told(&trade.aspects, &votes),
    )
}

fn add(votes: &mut [VoteCounts], more: &[VoteCounts]) {
    votes
        .iter_mut()
        .zip(more)
        .for_each(|(votes, more)| votes.add(more));
}

/// What is spoken of, in the order of the insights.
fn told(aspects: &[AspectDefinition], votes: &[VoteCounts]) -> Vec<PeriodAspect> {
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
