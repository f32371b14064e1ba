//! `compare_periods`: two ranges of days, counted from the blocks' columns, whole blocks at a time.

use std::ops::Range;

use serde_json::Value;

use super::arguments::{Given, refusal};
use super::listing::Refusal;
use super::shape;
use crate::edition::{Edition, Shelf};
use crate::insights::compile::{Votes, vote_of};
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
    let shelf = &edition.copy.shelf;
    let positions = shelf.count_after(until)..shelf.count_since(since);
    Period::new(since.date(), until.date(), &tally(shelf, positions.clone()), aspects(edition, positions))
}

fn tally(shelf: &Shelf, positions: Range<usize>) -> Tally {
    let mut tally = Tally::default();
    let Some((first, mut index)) = shelf.locate(positions.start) else { return tally };
    let mut left = positions.len();
    for block in &shelf.blocks()[first..] {
        let taken = left.min(block.len() - index);
        if taken == block.len() {
            tally.add(block.tally());
        } else {
            let ratings = block.stars()[index..index + taken].iter().map(|stars| Rating::try_from(i64::from(*stars)));
            ratings.flatten().for_each(|rating| tally.count(rating));
        }
        left -= taken;
        index = 0;
        if left == 0 {
            break;
        }
    }
    tally
}

/// What the reviews at `positions` speak of, in the order of the insights and counted as there.
fn aspects(edition: &Edition, positions: Range<usize>) -> Vec<PeriodAspect> {
    let trade = edition.copy.reader.trade();
    let mut votes = vec![Votes::default(); trade.aspects.len()];
    for note in edition.copy.shelf.notes(positions) {
        for (aspect, votes) in (0..).zip(&mut votes) {
            if let Some(vote) = vote_of(note, aspect) {
                votes.count(vote);
            }
        }
    }
    let told = |(aspect, votes): (&Aspect, &Votes)| PeriodAspect {
        id: aspect.id.clone(),
        label: aspect.label.clone(),
        reviews: u64::from(votes.reviews()),
        positive: u64::from(votes.positive),
        negative: u64::from(votes.negative),
    };
    trade.aspects.iter().zip(&votes).filter(|(_, votes)| votes.reviews() > 0).map(told).collect()
}
