//! How many reviews have each phrase, of those that enough may have. Notes keep hashes: they are counted first roughly, in a
//! table that stays at hand, then exactly what may be frequent enough. Apart from what is made of the counts, because millions
//! of hashes pass here.

use std::collections::BTreeMap;

use crate::insights::note::Notes;

/// How many bits of a hash the rough count looks at.
const ROUGH_BITS: u32 = 18;
/// How many phrases are looked at closely: the most frequent ones.
const CLOSELY: usize = 160;

const fn rough(hash: u32) -> usize {
    (hash >> (u32::BITS - ROUGH_BITS)) as usize
}

/// The reviews with a phrase, and the newest of them, by the phrase's hash; the most frequent of those with `least` or more.
pub fn frequent(blocks: &[&Notes], least: u32) -> BTreeMap<u32, (u32, u32)> {
    let mut counts = vec![0_u16; 1 << ROUGH_BITS];
    for hash in blocks.iter().flat_map(|block| block.phrases()) {
        let count = &mut counts[rough(*hash)];
        *count = count.saturating_add(1);
    }
    // A rough count is never too small: what stays below is not frequent.
    let least_rough = u16::try_from(least).unwrap_or(u16::MAX);
    let may_be = Marked::of_rough((0..).zip(&counts).filter(|(_, count)| **count >= least_rough).map(|(at, _)| at));
    let mut exact = Exact::default();
    each_marked(blocks, &may_be, |before, block, place, hash| exact.count(hash, || before + block.with_phrase(place)));
    let mut frequent: Vec<(u32, u32, usize)> = exact.slots.into_iter().filter(|(_, reviews, _)| *reviews >= least).collect();
    frequent.sort_unstable_by_key(|(hash, reviews, _)| (std::cmp::Reverse(*reviews), *hash));
    frequent.truncate(CLOSELY);
    let newest = |newest| u32::try_from(newest).unwrap_or(u32::MAX);
    frequent.into_iter().map(|(hash, reviews, at)| (hash, (reviews, newest(at)))).collect()
}

/// A bit for each rough hash: small enough to stay at hand while millions are looked up.
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

    fn has(&self, hash: u32) -> bool {
        let at = rough(hash);
        self.0[at / 64] >> (at % 64) & 1 == 1
    }
}

/// Calls `take` with every phrase that is marked: how many notes stand before its block, the block, its place there, its hash.
pub fn each_marked<'a>(blocks: &[&'a Notes], marked: &Marked, mut take: impl FnMut(usize, &'a Notes, usize, u32)) {
    let mut before = 0;
    for block in blocks {
        for (place, hash) in block.phrases().iter().enumerate() {
            if marked.has(*hash) {
                take(before, block, place, *hash);
            }
        }
        before += block.len();
    }
}

/// Hash, reviews, newest review; open addressing, at most half full.
struct Exact {
    slots: Vec<(u32, u32, usize)>,
    used: usize,
}

impl Default for Exact {
    fn default() -> Self {
        Self { slots: vec![(0, 0, 0); 1 << 12], used: 0 }
    }
}

impl Exact {
    fn count(&mut self, hash: u32, position: impl Fn() -> usize) {
        let slot = self.slot(hash);
        let (its, reviews, newest) = &mut self.slots[slot];
        *reviews += 1;
        if *reviews == 1 {
            (*its, *newest) = (hash, position());
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
