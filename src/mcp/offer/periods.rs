//! `compare_periods`: two ranges of days, counted from the blocks' columns, whole blocks at a time.

use serde_json::Value;

use super::arguments::{Given, refusal};
use super::listing::Refusal;
use super::shape;
use crate::edition::Edition;
use crate::insights::compile::{Votes, votes_of};
use crate::insights::trade::Aspect;
use crate::reviews::{Day, Rating, Tally};
use crate::wire::{Code, Comparison, Issue, Period, PeriodAspect};

/// The answer: each period, and the second less the first.
///
/// # Errors
/// Where a period ends before it begins.
pub fn compare(edition: &Edition, given: &Given) -> Result<Value, Refusal> {
    let mut issues = Vec::new();
    let mut period = |since: &str, until: &str| {
        let (first, last) = (given.day(since), given.day(until));
        if last < first {
            let (code, message) = (Code::TooSmall, format!("must not be before {since}, which is {first}"));
            issues.push(Issue { path: vec![until.to_owned()], code, message, received: last.to_string() });
        }
        (first, last)
    };
    let (first, second) = (period("first_since", "first_until"), period("second_since", "second_until"));
    if !issues.is_empty() {
        return Err(refusal(&issues));
    }
    Ok(shape(&Comparison::new(count(edition, first), count(edition, second))))
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
