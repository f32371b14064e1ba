//! The phrases of the most reviews, which may become topics. Packed analyses contain only hashes of phrases, often
//! millions: all are first counted approximately in a small table that fits into the cache; then the frequent ones are
//! counted exactly.
//!
//! Three in four hashes are of phrases that are far from frequent, but would take as much memory as half of the JSON.
//! [`RarePhrases::leave_out`] removes them when all reviews have been read. The frequent phrases stay exact for a number
//! of changes, [`FrequentPhrases::changes_max`]; after that, all reviews must be read again.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;

use crate::insights::packed_analysis::{PackedAnalyses, bits};
use crate::insights::text::Fingerprint;

/// Minimum number of reviews with a frequent phrase.
pub const REVIEWS_MIN: u32 = 4;
/// Maximum number of frequent phrases.
const PHRASES_MAX: usize = 160;
/// Number of bits of a hash that the approximate count uses.
const ROUGH_BITS: u32 = 16;
/// Number of hashes tested at once: one for each bit.
const AT_ONCE: usize = u64::BITS as usize;

const fn rough(hash: u32) -> usize {
    (hash >> (u32::BITS - ROUGH_BITS)) as usize
}

/// The most frequent phrases of some reviews.
#[derive(Debug)]
pub struct FrequentPhrases(BTreeMap<u32, (u32, u32)>);

impl FrequentPhrases {
    /// Counts the phrases in `segments`.
    pub fn new(segments: &[&PackedAnalyses]) -> Self {
        Self(most_frequent(segments, &rough_counts(segments)))
    }

    /// By hash: the number of reviews with the phrase, and the position of the newest of them among the packed analyses.
    pub const fn reviews(&self) -> &BTreeMap<u32, (u32, u32)> {
        &self.0
    }

    /// The number of reviews that may be added, changed or removed before a phrase in `rare`, which was left out, can be
    /// one of the frequent ones: each may add one review to a rare phrase and take one from a frequent phrase.
    pub fn changes_max(&self, rare: &RarePhrases) -> usize {
        let most = rare.0.iter().max();
        most.map_or(usize::MAX, |most| {
            (least(&self.0).saturating_sub(*most).saturating_sub(1) / 2) as usize
        })
    }
}

/// The minimum number of reviews of a frequent phrase.
fn least(frequent: &BTreeMap<u32, (u32, u32)>) -> u32 {
    if frequent.len() < PHRASES_MAX {
        return REVIEWS_MIN;
    }
    let reviews = frequent.values().map(|(reviews, _)| *reviews);
    reviews.min().unwrap_or(REVIEWS_MIN)
}

/// A rare phrase has less than a quarter of the reviews of any frequent phrase.
const RARE_SHARE: u32 = 4;
/// Nothing is left out if a frequent phrase may have fewer reviews than this share of all, because all reviews would
/// soon be read again: one in this many.
const FREQUENT_SHARE: usize = 64;

/// Phrases that were left out, by truncated hash: at least as many reviews as any of them has. Empty if none was left
/// out.
#[derive(Debug, Clone, Default)]
pub struct RarePhrases(Vec<u32>);

impl RarePhrases {
    /// Removes the rare phrases from `segments` if these have more than `hashes_max` hashes. The frequent ones stay the
    /// same.
    pub fn leave_out(segments: &mut [&mut PackedAnalyses], hashes_max: usize) -> Self {
        let all: Vec<&PackedAnalyses> = segments.iter().map(|segment| &**segment).collect();
        let reviews: usize = all.iter().map(|segment| segment.len()).sum();
        let hashes: usize = all.iter().map(|segment| segment.phrases().len()).sum();
        if hashes <= hashes_max {
            return Self::default();
        }
        let mut counts = rough_counts(&all);
        let least = least(&most_frequent(&all, &counts));
        if (least as usize) < reviews / FREQUENT_SHARE {
            return Self::default();
        }
        let is_kept = |count: u32| count >= least / RARE_SHARE;
        for segment in segments {
            segment.retain_phrases(|hash| is_kept(counts[rough(hash)]));
        }
        for count in counts.iter_mut().filter(|count| is_kept(**count)) {
            *count = 0;
        }
        Self(counts)
    }

    /// Counts the phrases of a new review. Those of a cell with 0 were all kept, or there were none.
    pub fn count(&mut self, phrases: &[u32]) {
        for hash in phrases {
            if let Some(count) = self.0.get_mut(rough(*hash)).filter(|count| **count > 0) {
                *count += 1;
            }
        }
    }
}

/// The phrases with the most reviews, each with at least [`REVIEWS_MIN`]: the number of reviews and the position of the
/// newest of them, by hash. `counts` are the [`rough_counts`].
fn most_frequent(segments: &[&PackedAnalyses], counts: &[u32]) -> BTreeMap<u32, (u32, u32)> {
    let mut cells = 2 * PHRASES_MAX;
    loop {
        // An approximate count is never too small: a phrase outside of the fullest cells has at most as many reviews as
        // the next cell.
        let fullest = nth_largest(counts, cells).max(REVIEWS_MIN);
        let mut frequent = exact(segments, counts, fullest);
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
fn rough_counts(segments: &[&PackedAnalyses]) -> Vec<u32> {
    let mut counts = vec![0; 1 << ROUGH_BITS];
    for hash in segments.iter().flat_map(|segment| segment.phrases()) {
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
fn exact(segments: &[&PackedAnalyses], counts: &[u32], fullest: u32) -> Vec<(u32, (u32, u32))> {
    let full = (0..).zip(counts).filter(|(_, count)| **count >= fullest);
    let marked = Marked::of_rough(full.map(|(at, _)| at));
    let mut exact: HashMap<u32, (u32, u32), BuildHasherDefault<Fingerprint>> = HashMap::default();
    each_marked(segments, &marked, |before, _, packed_analysis, hash| {
        let newest = u32::try_from(before + packed_analysis).unwrap_or(u32::MAX);
        exact.entry(hash).or_insert((0, newest)).0 += 1;
    });
    exact.into_iter().collect()
}

/// A bit for each truncated hash: small enough for the cache while millions of hashes are tested.
pub struct Marked(Vec<u64>);

impl Marked {
    /// The bits of these hashes.
    pub fn new(hashes: impl Iterator<Item = u32>) -> Self {
        Self::of_rough(hashes.map(rough))
    }

    fn of_rough(rough: impl Iterator<Item = usize>) -> Self {
        let mut bits = vec![0; (1 << ROUGH_BITS) / 64];
        rough.for_each(|at| bits[at / 64] |= 1 << (at % 64));
        Self(bits)
    }

    fn bit(&self, hash: u32) -> u64 {
        let at = rough(hash);
        self.0[at / 64] >> (at % 64) & 1
    }
}

/// Calls `take` with every marked phrase: the number of packed analyses before its segment, the segment, the index of
/// the packed analysis in it, and the hash.
pub fn each_marked<'a>(
    segments: &[&'a PackedAnalyses],
    marked: &Marked,
    mut take: impl FnMut(usize, &'a PackedAnalyses, usize, u32),
) {
    let mut before = 0;
    for segment in segments {
        let mut packed_analysis = 0;
        for (start, some) in (0..)
            .step_by(AT_ONCE)
            .zip(segment.phrases().chunks(AT_ONCE))
        {
            // There is no branch for each hash, because marked hashes cannot be predicted.
            for at in bits(
                (0..)
                    .zip(some)
                    .fold(0, |mask, (at, hash)| mask | marked.bit(*hash) << at),
            ) {
                packed_analysis = segment.with_phrase(start + at, packed_analysis);
                take(before, segment, packed_analysis, some[at]);
            }
        }
        before += segment.len();
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BTreeMap;

    use super::{FrequentPhrases, PHRASES_MAX, REVIEWS_MIN, RarePhrases};
    use crate::insights::analysis::{Polarity, TextLanguage};
    use crate::insights::packed_analysis::{PackedAnalyses, PackedAnalysisRef, PackedHead};

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

    /// Segments of seven reviews.
    fn segments(reviews: &[Vec<u32>]) -> Vec<PackedAnalyses> {
        let head = PackedHead {
            day: 0,
            stars: 5,
            language: TextLanguage::English,
            overall: Polarity::Neutral,
            sentences: 1,
        };
        let segment = |reviews: &[Vec<u32>]| {
            let mut segment = PackedAnalyses::default();
            for phrases in reviews {
                segment.push(PackedAnalysisRef {
                    head,
                    findings: &[],
                    names: &[],
                    phrases,
                });
            }
            segment
        };
        reviews.chunks(7).map(segment).collect()
    }

    fn frequent(segments: &[PackedAnalyses]) -> FrequentPhrases {
        FrequentPhrases::new(&segments.iter().collect::<Vec<_>>())
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
            let frequent = frequent(&segments(&reviews));
            assert_eq!(
                *frequent.reviews(),
                most_frequent(&reviews),
                "{number} {phrases} {is_even}"
            );
            assert_eq!(frequent.changes_max(&RarePhrases::default()), usize::MAX);
        }
    }

    #[test]
    fn frequent_phrases_stay_exact_without_the_rare_ones_for_that_many_changes() {
        let mut reviews = reviews(2_000, 50, 40_000, false);
        let all = segments(&reviews);
        let mut kept = all.clone();
        let mut rare = RarePhrases::leave_out(&mut kept.iter_mut().collect::<Vec<_>>(), 50_000);
        let hashes = |segments: &[PackedAnalyses]| -> usize {
            segments.iter().map(|segment| segment.phrases().len()).sum()
        };
        assert!(hashes(&kept) < hashes(&all) * 3 / 4);
        let before = frequent(&kept);
        assert_eq!(*before.reviews(), most_frequent(&reviews));
        // The worst changes: each takes a review from the last frequent phrase and gives one to a rare phrase.
        let (last, first) = {
            let counted = counted(&reviews);
            let is_kept = |hash: u32| kept.iter().any(|one| one.phrases().contains(&hash));
            let mut others = counted[PHRASES_MAX..].iter().map(|(hash, _)| *hash);
            (
                counted[PHRASES_MAX - 1].0,
                others.find(|hash| !is_kept(*hash)).unwrap(),
            )
        };
        let mut known: Vec<Vec<u32>> = kept
            .iter()
            .flat_map(|segment| segment.iter().map(|one| one.phrases.to_vec()))
            .collect();
        let mut allowed = before.changes_max(&rare);
        assert!(allowed > 2_000 / 256, "{allowed}");
        while allowed > 0 {
            for (phrases, known) in reviews.iter_mut().zip(&mut known) {
                if allowed > 0 && phrases.contains(&last) && !phrases.contains(&first) {
                    phrases.retain(|hash| *hash != last);
                    phrases.push(first);
                    phrases.sort_unstable();
                    rare.count(phrases);
                    known.clone_from(phrases);
                    allowed -= 1;
                }
            }
            let after = frequent(&segments(&known));
            assert_eq!(*after.reviews(), most_frequent(&reviews));
            if allowed > 0 {
                break;
            }
            allowed = after.changes_max(&rare);
        }
    }

    #[test]
    fn nothing_is_left_out_of_few_phrases_or_if_none_is_frequent() {
        for (hashes_max, phrases, is_even) in [(100_000, 40_000, false), (0, 40_000, true)] {
            let all = segments(&reviews(2_000, 50, phrases, is_even));
            let mut kept = all.clone();
            let rare = RarePhrases::leave_out(&mut kept.iter_mut().collect::<Vec<_>>(), hashes_max);
            assert_eq!(kept, all);
            assert_eq!(frequent(&kept).changes_max(&rare), usize::MAX);
        }
    }
}
