//! Which way is cheaper: to walk over the rest of the reviews, or to ask the text index. Apart from
//! both, and pure: it is told what a walk over the newest reviews found, and keeps nothing between
//! questions.

#![expect(
    clippy::cast_precision_loss,
    reason = "costs are estimates, and counts are far below 2^52"
)]

use std::ops::{ControlFlow, Range};

use memchr::memmem::Finder;

use super::answer::{Answer, Pass};
use super::scan::each_text;
use super::trigrams::{expression, trigrams};

/// The text index is not asked for more candidates than this.
pub const CANDIDATES_MAX: usize = 4_096;
/// One in so many of the reviews is looked at before deciding, within these bounds.
const SAMPLE_SHARE: usize = 256;
const SAMPLE_MIN: usize = 256;
const SAMPLE_MAX: usize = 2_048;

/// What things cost, in nanoseconds of CPU; measured by `benches/search.rs`, on which only the
/// choice depends, never what is found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// Walking over a kibibyte of text.
    pub text_kib: f64,
    /// Reading one text on its own, wherever it is.
    pub text: f64,
    /// Passing over one review that mentions nobody who is asked for.
    pub review: f64,
    /// Asking the text index anything.
    pub index: f64,
    /// Each row that a trigram has in the index.
    pub index_row: f64,
    /// Each candidate that comes back, until it is verified.
    pub candidate: f64,
}

impl Default for Costs {
    fn default() -> Self {
        Self {
            text_kib: 29.0,
            text: 120.0,
            review: 1.0,
            index: 40_000.0,
            index_row: 60.0,
            candidate: 400.0,
        }
    }
}

/// How many reviews of so many are walked over before anything is decided.
#[must_use]
pub fn sample(reviews: usize) -> usize {
    (reviews / SAMPLE_SHARE).clamp(SAMPLE_MIN, SAMPLE_MAX)
}

/// What to ask the text index for, where that is expected to be cheaper than walking over `rest`,
/// after the walk over `sampled` found what `answer` has.
#[must_use]
pub fn ask(
    answer: &Answer<'_>,
    pass: Pass,
    sampled: &Range<usize>,
    rest: &Range<usize>,
    costs: &Costs,
) -> Option<String> {
    let trigrams = trigrams(answer.query()?);
    let walk = walk_cost(answer, pass, sampled, rest, costs);
    let reviews = answer.review_index().len() as f64;
    let seen = sampled.len() as f64;
    // A trigram that more reviews have than this costs more than the walk.
    let most = ((walk - costs.index) / costs.index_row / reviews * seen).min(seen);
    if trigrams.is_empty() || most <= 0.0 {
        return None;
    }
    let counted = trigrams
        .into_iter()
        .filter_map(|trigram| Some((count(answer, sampled, trigram, most)?, trigram)));
    let mut rarest: Vec<(usize, &str)> = counted.collect();
    rarest.sort_unstable();
    // Half a review stands for what was not seen at all.
    let rows = |count: usize| reviews * (count as f64).max(0.5) / seen;
    let (first, first_trigram) = *rarest.first()?;
    let one = costs.index + rows(first) * (costs.index_row + costs.candidate);
    let second = rarest.get(1).map(|(second, trigram)| {
        // Trigrams of one word come together: of those that the rarer one takes, a quarter is
        // expected to stay.
        let cost = costs.index
            + (rows(first) + rows(*second)) * costs.index_row
            + rows(first) / 4.0 * costs.candidate;
        (cost, *trigram)
    });
    let (cost, asked) = match second {
        Some((two, trigram)) if two <= one => (two, vec![first_trigram, trigram]),
        _ => (one, vec![first_trigram]),
    };
    (cost < walk).then(|| expression(&asked))
}

/// What it is expected to cost to go on walking.
fn walk_cost(
    answer: &Answer<'_>,
    pass: Pass,
    sampled: &Range<usize>,
    rest: &Range<usize>,
    costs: &Costs,
) -> f64 {
    let (review_index, scan, seen) = (answer.review_index(), answer.scan(), sampled.len() as f64);
    let until_all_is_found = answer.wanted(pass) as f64 * seen / answer.hits() as f64;
    let reviews = until_all_is_found.min(rest.len() as f64);
    if !scan.asks_mentions() {
        let bytes: usize = review_index
            .slices(sampled.clone())
            .map(|(segment, range)| bytes(segment, &range))
            .sum();
        return reviews * (bytes as f64 / seen / 1024.0 * costs.text_kib);
    }
    let (mut mentioned, mut all) = (0, 0);
    for (segment, _) in review_index.slices(sampled.clone()) {
        mentioned += scan.count_mentioned(segment);
        all += segment.len();
    }
    reviews * (costs.review + mentioned as f64 / all.max(1) as f64 * costs.text)
}

fn bytes(segment: &crate::snapshot::segment::Segment, range: &Range<usize>) -> usize {
    range.end.checked_sub(1).map_or(0, |last| {
        segment.folded_bounds(last).1 - segment.folded_bounds(range.start).0
    })
}

/// How many of the reviews at `sampled` hold `trigram`; `None` where those are more than `most`.
fn count(answer: &Answer<'_>, sampled: &Range<usize>, trigram: &str, most: f64) -> Option<usize> {
    let (finder, mut count) = (Finder::new(trigram), 0);
    for (segment, range) in answer.review_index().slices(sampled.clone()) {
        let flow = each_text(segment, range, &finder, &mut |_| {
            count += 1;
            if count as f64 > most {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        if flow.is_break() {
            return None;
        }
    }
    Some(count)
}
