//! The phrases of the most reviews, which may become topics. Packed analyses contain only hashes of phrases, often
//! millions: all are first counted approximately in a small table that fits into the cache; then the frequent ones are
//! counted exactly.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;

use crate::insights::packed_analysis::PackedAnalysis;
use crate::insights::text::Fingerprint;

/// Minimum number of reviews with a frequent phrase.
pub const REVIEWS_MIN: u32 = 4;
/// Maximum number of frequent phrases.
const PHRASES_MAX: usize = 160;
/// Number of bits of a hash that the approximate count uses.
const ROUGH_BITS: u32 = 16;

const fn rough(hash: u32) -> usize {
    (hash >> (u32::BITS - ROUGH_BITS)) as usize
}

/// The most frequent phrases of some reviews.
#[derive(Debug)]
pub struct FrequentPhrases(BTreeMap<u32, (u32, u32)>);

impl FrequentPhrases {
    /// Counts the phrases in `analyses`, which are newest first.
    pub fn new(analyses: &[&PackedAnalysis]) -> Self {
        Self(most_frequent(analyses, &rough_counts(analyses)))
    }

    /// By hash: the number of reviews with the phrase, and the position of the newest of them among the packed analyses.
    pub const fn reviews(&self) -> &BTreeMap<u32, (u32, u32)> {
        &self.0
    }
}

/// The phrases with the most reviews, each with at least [`REVIEWS_MIN`]: the number of reviews and the position of the
/// newest of them, by hash. `counts` are the [`rough_counts`].
fn most_frequent(analyses: &[&PackedAnalysis], counts: &[u32]) -> BTreeMap<u32, (u32, u32)> {
    let mut cells = 2 * PHRASES_MAX;
    loop {
        // An approximate count is never too small: a phrase outside of the fullest cells has at most as many reviews as
        // the next cell.
        let fullest = nth_largest(counts, cells).max(REVIEWS_MIN);
        let mut frequent = exact(analyses, counts, fullest);
        frequent.retain(|(_, (reviews, _))| *reviews >= REVIEWS_MIN);
        frequent.sort_unstable_by_key(|(hash, (reviews, _))| (Reverse(*reviews), *hash));
        frequent.truncate(PHRASES_MAX);
        let is_certain = frequent
            .get(PHRASES_MAX - 1)
            .is_some_and(|(_, (reviews, _))| *reviews >= fullest);
        if is_certain || fullest == REVIEWS_MIN {
            return frequent.into_iter().collect();
        }
        cells *= 4;
    }
}

/// The number of reviews with a phrase of each truncated hash; more if a review has several such phrases.
fn rough_counts(analyses: &[&PackedAnalysis]) -> Vec<u32> {
    let mut counts = vec![0; 1 << ROUGH_BITS];
    for hash in analyses.iter().flat_map(|analysis| &analysis.phrases) {
        counts[rough(*hash)] += 1;
    }
    counts
}

/// The `n`th largest of the counts, or 0 if there are fewer.
fn nth_largest(counts: &[u32], n: usize) -> u32 {
    let mut counts = counts.to_vec();
    if n < counts.len() {
        *counts
            .select_nth_unstable_by_key(n, |count| Reverse(*count))
            .1
    } else {
        0
    }
}

/// By hash, the number of reviews and the newest review of all phrases in cells with a count of at least `fullest`.
fn exact(analyses: &[&PackedAnalysis], counts: &[u32], fullest: u32) -> Vec<(u32, (u32, u32))> {
    let marked = Marked(counts.iter().map(|count| *count >= fullest).collect());
    let mut exact: HashMap<u32, (u32, u32), BuildHasherDefault<Fingerprint>> = HashMap::default();
    each_marked(analyses, &marked, |position, _, hash| {
        exact.entry(hash).or_insert((0, position)).0 += 1;
    });
    exact.into_iter().collect()
}

/// Whether phrases with each truncated hash are meant: small enough for the cache while millions of hashes are tested.
pub struct Marked(Vec<bool>);

impl Marked {
    pub fn new(hashes: impl Iterator<Item = u32>) -> Self {
        let mut marked = vec![false; 1 << ROUGH_BITS];
        hashes.for_each(|hash| marked[rough(hash)] = true);
        Self(marked)
    }
}

/// Calls `take` with every marked phrase: the position of the packed analysis, the packed analysis, and the hash.
pub fn each_marked<'a>(
    analyses: &[&'a PackedAnalysis],
    marked: &Marked,
    mut take: impl FnMut(u32, &'a PackedAnalysis, u32),
) {
    for (position, analysis) in (0..).zip(analyses) {
        for hash in analysis
            .phrases
            .iter()
            .filter(|hash| marked.0[rough(**hash)])
        {
            take(position, *analysis, *hash);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BTreeMap;

    use super::{FrequentPhrases, PHRASES_MAX, REVIEWS_MIN};
    use crate::insights::analysis::{Polarity, TextLanguage};
    use crate::insights::packed_analysis::{PackedAnalysis, PackedHead};

    /// The phrases of some reviews: `each` with numbers below `phrases`, distributed evenly or unevenly.
    fn reviews(reviews: u64, each: u64, phrases: u64, is_even: bool) -> Vec<Vec<u32>> {
        let one = |review: u64| {
            let draw = |at: u64| {
                let drawn = (review * each + at + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
                let most = if is_even {
                    phrases
                } else {
                    phrases >> (drawn % u64::from(1 + phrases.ilog2()))
                };
                u32::try_from((drawn / 64) % most)
                    .unwrap()
                    .wrapping_mul(0x9E37_79B1)
            };
            let mut hashes: Vec<u32> = (0..each).map(draw).collect();
            hashes.sort_unstable();
            hashes.dedup();
            hashes
        };
        (0..reviews).map(one).collect()
    }

    fn frequent(reviews: &[Vec<u32>]) -> FrequentPhrases {
        let head = PackedHead {
            day: 0,
            stars: 5,
            language: TextLanguage::English,
            overall: Polarity::Neutral,
            sentences: 1,
        };
        let analysis = |phrases: &Vec<u32>| PackedAnalysis {
            head,
            findings: Box::default(),
            names: Box::default(),
            phrases: phrases.as_slice().into(),
        };
        let analyses: Vec<PackedAnalysis> = reviews.iter().map(analysis).collect();
        let borrowed = analyses.iter();
        FrequentPhrases::new(&borrowed.collect::<Vec<_>>())
    }

    /// By hash, the number of reviews and the newest one: all phrases, counted one by one.
    fn counted(reviews: &[Vec<u32>]) -> Vec<(u32, (u32, u32))> {
        let mut counts: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
        for (position, phrases) in (0..).zip(reviews) {
            for hash in phrases {
                counts.entry(*hash).or_insert((0, position)).0 += 1;
            }
        }
        let mut counted: Vec<(u32, (u32, u32))> = counts.into_iter().collect();
        counted.sort_by_key(|(hash, (reviews, _))| (Reverse(*reviews), *hash));
        counted
    }

    fn most_frequent(reviews: &[Vec<u32>]) -> BTreeMap<u32, (u32, u32)> {
        let mut counted = counted(reviews);
        counted.retain(|(_, (reviews, _))| *reviews >= REVIEWS_MIN);
        counted.truncate(PHRASES_MAX);
        counted.into_iter().collect()
    }

    #[test]
    fn frequent_phrases_are_those_that_counting_every_phrase_finds() {
        for (number, phrases, is_even) in [
            (0, 1, true),
            (300, 40, true),
            (2_000, 4_000, true),
            (2_000, 4_000, false),
            (900, 90_000, true),
        ] {
            let reviews = reviews(number, 50, phrases, is_even);
            let frequent = frequent(&reviews);
            assert_eq!(
                *frequent.reviews(),
                most_frequent(&reviews),
                "{number} {phrases} {is_even}"
            );
        }
    }
}
