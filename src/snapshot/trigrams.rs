//! Which texts may contain a query, by their trigrams (sequences of three bytes).
//!
//! Each trigram belongs to one of 2,048 buckets, and a bucket has a bit for each of up to 64 texts. A text that contains a query has
//! its bit in the buckets of all trigrams of the query. Other trigrams share these buckets, so a few more texts have their bits in
//! all of them: callers compare the texts themselves. (In the literature: Bloom filters, stored as bit slices.)

use std::iter::from_fn;

use crate::model::{FoldedText, TextQuery};

/// A review of 500 bytes has bits in a sixth of them.
const BUCKETS: usize = 2_048;
/// The bits of a bucket.
pub const TEXTS_MAX: usize = 64;

/// The trigrams of up to [`TEXTS_MAX`] texts in their plain form, in which a text has every query that any form of it has.
#[derive(Debug)]
pub struct TrigramFilter {
    buckets: Box<[u64]>,
    /// A bit for each text.
    texts: u64,
}

/// The buckets of a query, ascending; none if its parts are shorter than a trigram, which every text may contain.
#[derive(Debug)]
pub struct QueryTrigrams(Vec<usize>);

impl TrigramFilter {
    /// The first text has the lowest bit.
    pub fn new<'a>(texts: impl Iterator<Item = (&'a str, &'a FoldedText)>) -> Self {
        let mut filter = Self {
            buckets: vec![0; BUCKETS].into(),
            texts: 0,
        };
        for (at, (text, folded)) in texts.enumerate() {
            let bit = 1 << at;
            filter.texts |= bit;
            for bucket in buckets(&folded.plain(text)) {
                filter.buckets[bucket] |= bit;
            }
        }
        filter
    }

    /// The indices of the texts that may contain the query, ascending.
    pub fn candidates(&self, query: &QueryTrigrams) -> impl Iterator<Item = u32> {
        let mut texts = self.texts;
        for bucket in &query.0 {
            texts &= self.buckets[*bucket];
            if texts == 0 {
                break;
            }
        }
        from_fn(move || {
            let first = (texts != 0).then(|| texts.trailing_zeros());
            texts &= texts.wrapping_sub(1);
            first
        })
    }
}

impl QueryTrigrams {
    pub fn new(query: &TextQuery) -> Self {
        let parts = query.plain_parts();
        let mut all: Vec<usize> = parts.iter().flat_map(|part| buckets(part)).collect();
        all.sort_unstable();
        all.dedup();
        Self(all)
    }
}

/// The bucket of each trigram of a text.
fn buckets(text: &str) -> impl Iterator<Item = usize> {
    text.as_bytes().windows(3).map(|bytes| {
        let trigram = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]);
        // Fibonacci hashing: the upper bits of the product depend on all bits of the trigram.
        let hash = trigram.wrapping_mul(0x9E37_79B9) >> (u32::BITS - BUCKETS.ilog2());
        hash as usize
    })
}
