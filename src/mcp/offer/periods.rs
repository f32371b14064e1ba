//! `compare_periods`: two ranges of days, counted from the blocks' columns, whole blocks at a time.

use std::ops::Range;

use serde_json::Value;

use super::arguments::{Given, refusal};
use super::listing::Refusal;
use super::shape;
use crate::edition::{Edition, Shelf};
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

/// What the reviews at `positions` judge, in the order of the insights. An edition's blocks keep no judgements of single
/// reviews, so there is nothing to count by period.
const fn aspects(_: &Edition, _: Range<usize>) -> Vec<PeriodAspect> {
    Vec::new()
}
