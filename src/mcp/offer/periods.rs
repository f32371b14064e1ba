//! `compare_periods`: two ranges of days, counted from the blocks' columns, whole blocks at a time.

use serde_json::Value;

use super::arguments::Arguments;
use super::listing::Refusal;
use super::shape;
use crate::edition::Edition;
use crate::insights::compile::{Votes, votes_of};
use crate::insights::trade::Aspect;
use crate::reviews::parameters::{Date, Fault, FirstSince, FirstUntil, InvalidParameter, Parameter, SecondSince, SecondUntil};
use crate::reviews::{Day, Rating, Tally};
use crate::wire::{Comparison, Period, PeriodAspect};

/// The answer: each period, and the second less the first.
///
/// # Errors
/// Where a day is missing or wrong, or a period ends before it begins.
pub fn compare(edition: &Edition, mut arguments: Arguments<'_>) -> Result<Value, Refusal> {
    let first = period::<FirstSince, FirstUntil>(&mut arguments);
    let second = period::<SecondSince, SecondUntil>(&mut arguments);
    let (first, second) = arguments.finish(first.zip(second))?;
    Ok(shape(&Comparison::new(count(edition, first), count(edition, second))))
}

fn period<S: Parameter<Kind = Date>, U: Parameter<Kind = Date>>(arguments: &mut Arguments<'_>) -> Option<(Day, Day)> {
    let (first, last) = (arguments.require::<S>(), arguments.require::<U>());
    let (first, last) = first.zip(last)?;
    if last < first {
        let message = format!("must not be before {}, which is {first}", S::NAME);
        arguments.refuse(InvalidParameter::new::<U>(Fault::TooSmall, message, &last.to_string()));
    }
    Some((first, last))
}

fn count(edition: &Edition, (since, until): (Day, Day)) -> Period {
    let (shelf, trade) = (&edition.copy.shelf, edition.copy.reader.trade());
    let (mut tally, mut votes) = (Tally::default(), vec![Votes::default(); trade.aspects.len()]);
    for (block, indices) in shelf.slices(shelf.count_after(until)..shelf.count_since(since)) {
        if indices.len() == block.len() {
            tally.add(block.tally());
            add(&mut votes, block.votes(trade.aspects.len()));
        } else {
            let ratings = block.stars()[indices.clone()].iter().map(|stars| Rating::try_from(i64::from(*stars)));
            ratings.flatten().for_each(|rating| tally.count(rating));
            add(&mut votes, &votes_of(indices.filter_map(|index| block.note(index)), trade.aspects.len()));
        }
    }
    Period::new(since.date(), until.date(), &tally, told(&trade.aspects, &votes))
}

fn add(votes: &mut [Votes], more: &[Votes]) {
    votes.iter_mut().zip(more).for_each(|(votes, more)| votes.add(more));
}

/// What is spoken of, in the order of the insights.
fn told(aspects: &[Aspect], votes: &[Votes]) -> Vec<PeriodAspect> {
    let told = |(aspect, votes): (&Aspect, &Votes)| PeriodAspect {
        id: aspect.id.clone(),
        label: aspect.label.clone(),
        reviews: u64::from(votes.reviews()),
        positive: u64::from(votes.positive),
        negative: u64::from(votes.negative),
    };
    aspects.iter().zip(votes).filter(|(_, votes)| votes.reviews() > 0).map(told).collect()
}
