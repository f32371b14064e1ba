//! Counts the reviews with each frequent phrase. Packed analyses contain hashes of phrases, often millions. All are
//! first counted approximately in a small table that fits into the cache; then the frequent ones are counted exactly.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::count::bits;
use crate::insights::packed_analysis::PackedAnalyses;

/// Number of bits of a hash that the approximate count uses.
const ROUGH_BITS: u32 = 16;
/// Maximum number of phrases that are returned; only the most frequent ones are.
const CLOSELY: usize = 160;
/// Number of hashes tested at once: one for each bit.
const AT_ONCE: usize = u64::BITS as usize;

const fn rough(hash: u32) -> usize {
    (hash >> (u32::BITS - ROUGH_BITS)) as usize
}

/// The number of reviews with a phrase and the newest of these reviews, by the phrase's hash; only the most frequent
/// phrases, each with at least `least` reviews.
pub fn heavy_hitters(segments: &[&PackedAnalyses], least: u32) -> BTreeMap<u32, (u32, u32)> {
    let counts = rough_counts(segments);
    let mut cells = 2 * CLOSELY;
    loop {
        // An approximate count is never too small: a phrase outside of the fullest cells has at most as many reviews as
        // the next cell.
        let fullest = nth_largest(&counts, cells).max(least);
        let mut heavy_hitters = exact(segments, &counts, fullest);
        heavy_hitters.retain(|(_, reviews, _)| *reviews >= least);
        heavy_hitters.sort_unstable_by_key(|(hash, reviews, _)| (Reverse(*reviews), *hash));
        heavy_hitters.truncate(CLOSELY);
        let is_certain = heavy_hitters
            .get(CLOSELY - 1)
            .is_some_and(|(_, reviews, _)| *reviews >= fullest);
        if is_certain || fullest == least {
            let newest = |newest| u32::try_from(newest).unwrap_or(u32::MAX);
            return heavy_hitters
                .into_iter()
                .map(|(hash, reviews, at)| (hash, (reviews, newest(at))))
                .collect();
        }
        cells *= 4;
    }
}

/// The number of reviews with a phrase of each truncated hash; more if a review has several such phrases.
fn rough_counts(segments: &[&PackedAnalyses]) -> Vec<u32> {
    let mut counts = vec![0; 1 << ROUGH_BITS];
    for segment in segments {
        segment
            .phrases()
            .iter()
            .for_each(|hash| counts[rough(*hash)] += 1);
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

/// Hash, number of reviews and newest review of all phrases in cells with a count of at least `fullest`.
fn exact(segments: &[&PackedAnalyses], counts: &[u32], fullest: u32) -> Vec<(u32, u32, usize)> {
    let marked = Marked::of_rough(
        (0..)
            .zip(counts)
            .filter(|(_, count)| **count >= fullest)
            .map(|(at, _)| at),
    );
    let mut exact = Exact::default();
    each_marked(segments, &marked, |before, _, packed_analysis, hash| {
        exact.count(hash, before + packed_analysis);
    });
    exact.slots
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

/// Hash, reviews, newest review; open addressing, at most half full.
struct Exact {
    slots: Vec<(u32, u32, usize)>,
    used: usize,
}

impl Default for Exact {
    fn default() -> Self {
        Self {
            slots: vec![(0, 0, 0); 1 << 12],
            used: 0,
        }
    }
}

impl Exact {
    fn count(&mut self, hash: u32, position: usize) {
        let slot = self.slot(hash);
        let (its, reviews, newest) = &mut self.slots[slot];
        *reviews += 1;
        if *reviews == 1 {
            (*its, *newest) = (hash, position);
            self.used += 1;
            if self.used * 2 > self.slots.len() {
                self.grow();
            }
        }
    }

    fn slot(&self, hash: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot].1 > 0 && self.slots[slot].0 != hash {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        let doubled = vec![(0, 0, 0); self.slots.len() * 2];
        for old in std::mem::replace(&mut self.slots, doubled) {
            if old.1 > 0 {
                let slot = self.slot(old.0);
                self.slots[slot] = old;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BTreeMap;

    use super::{CLOSELY, heavy_hitters};
    use crate::insights::analysis::{Language, Polarity};
    use crate::insights::packed_analysis::PackedAnalyses;
    use crate::insights::packed_analysis::{PackedAnalysisRef, PackedHead};

    /// Packed analyses in segments of seven; their phrases have numbers below `phrases` and are distributed evenly or
    /// unevenly.
    fn segments(packed_analyses: u64, phrases: u64, is_even: bool) -> Vec<PackedAnalyses> {
        let head = PackedHead {
            day: 0,
            stars: 5,
            language: Language::English,
            overall: Polarity::Neutral,
            sentences: 1,
        };
        let mut segments = vec![PackedAnalyses::default()];
        for packed_analysis in 0..packed_analyses {
            let draw = |at: u64| {
                let drawn =
                    (packed_analysis * 50 + at + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
                let most = if is_even {
                    phrases
                } else {
                    1 + drawn % phrases
                };
                u32::try_from((drawn / 7) % most)
                    .unwrap()
                    .wrapping_mul(0x9E37_79B1)
            };
            let mut hashes: Vec<u32> = (0..50).map(draw).collect();
            hashes.sort_unstable();
            hashes.dedup();
            if packed_analysis % 7 == 0 {
                segments.push(PackedAnalyses::default());
            }
            segments.last_mut().unwrap().push(PackedAnalysisRef {
                head,
                findings: &[],
                names: &[],
                phrases: &hashes,
            });
        }
        segments
    }

    #[test]
    fn what_is_heavy_hitters_is_what_counting_every_phrase_finds() {
        for (packed_analyses, phrases, is_even, least) in [
            (0, 1, true, 4),
            (300, 40, true, 4),
            (2_000, 4_000, true, 4),
            (2_000, 4_000, false, 4),
            (900, 90_000, true, 2),
        ] {
            let segments = segments(packed_analyses, phrases, is_even);
            let mut counts: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
            for (position, packed_analysis) in
                (0..).zip(segments.iter().flat_map(PackedAnalyses::iter))
            {
                packed_analysis
                    .phrases
                    .iter()
                    .for_each(|hash| counts.entry(*hash).or_insert((0, position)).0 += 1);
            }
            let mut counted: Vec<(u32, (u32, u32))> = counts
                .into_iter()
                .filter(|(_, (reviews, _))| *reviews >= least)
                .collect();
            counted.sort_by_key(|(hash, (reviews, _))| (Reverse(*reviews), *hash));
            counted.truncate(CLOSELY);
            let borrowed: Vec<&PackedAnalyses> = segments.iter().collect();
            assert_eq!(
                heavy_hitters(&borrowed, least),
                counted.into_iter().collect(),
                "{packed_analyses} {phrases} {is_even}"
            );
        }
    }
}
