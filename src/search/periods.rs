//! Two ranges of days side by side, counted from the blocks' columns, whole blocks at a time.

use crate::edition::Edition;
use crate::insights::compile::{Votes, votes_of};
use crate::insights::trade::Aspect;
use crate::reviews::parameters::{Date, Fault, InvalidParameter, Parameter};
use crate::reviews::{Day, Rating, Tally};
use crate::wire::{Comparison, Period, PeriodAspect};

/// A period from `first` to `last`, the values of `S` and `U`; both days are of it.
///
/// # Errors
/// Where it ends before it begins.
pub fn period<S, U>(first: Day, last: Day) -> Result<(Day, Day), InvalidParameter>
where
    S: Parameter<Kind = Date>,
    U: Parameter<Kind = Date>,
{
    if last < first {
        let message = format!("must not be before {}, which is {first}", S::NAME);
        return Err(InvalidParameter::new::<U>(Fault::TooSmall, message, &last.to_string()));
    }
    Ok((first, last))
}

/// Each period, and the second less the first.
#[must_use]
pub fn compare(edition: &Edition, first: (Day, Day), second: (Day, Day)) -> Comparison {
    Comparison::new(count(edition, first), count(edition, second))
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
