//! The texts of a segment as queries compare them, in blocks, each with a filter that tells which texts may contain a query.
//!
//! Each trigram (sequence of three bytes) belongs to one of 2,048 buckets, and a bucket has a bit for each text. A text that
//! contains a query has its bit in the buckets of all trigrams of the query; a few more texts have, because other trigrams share
//! these buckets. (In the literature: Bloom filters, stored as bit slices.)

use std::iter::from_fn;

use crate::model::{FoldedText, TextQuery, fold_both};

/// A review of 500 bytes has bits in a sixth of them.
const BUCKETS: usize = 2_048;
/// The bits of a bucket.
pub const TEXTS_PER_BLOCK: usize = 64;

/// Consecutive texts, which are read one after the other.
#[derive(Debug)]
pub struct TextBlock {
    /// All texts in their plain form, in which a text has every query that any form of it has.
    plain: Box<str>,
    texts: Box<[Text]>,
    /// For each bucket, the plain texts with one of its trigrams; the first text has the lowest bit.
    buckets: Box<[u64]>,
}

#[derive(Debug)]
struct Text {
    /// Its end in `plain`.
    end: usize,
    /// `None` if it equals its plain form.
    folded: Option<Box<str>>,
}

/// The buckets of a query; none if its parts are shorter than a trigram, which every text may contain.
#[derive(Debug)]
pub struct QueryTrigrams(Vec<usize>);

impl TextBlock {
    pub fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let (mut all, mut of_buckets) = (String::new(), vec![0; BUCKETS]);
        let texts = texts.enumerate().map(|(at, text)| {
            let (folded, plain) = fold_both(text);
            for bucket in buckets(&plain) {
                of_buckets[bucket] |= 1 << at;
            }
            all.push_str(&plain);
            Text {
                end: all.len(),
                folded: (folded != plain).then(|| folded.into()),
            }
        });
        Self {
            texts: texts.collect(),
            plain: all.into(),
            buckets: of_buckets.into(),
        }
    }

    /// The indices of the texts that may contain the query, ascending.
    pub fn candidates(&self, query: &QueryTrigrams) -> impl Iterator<Item = usize> {
        let mut texts = u64::MAX >> (TEXTS_PER_BLOCK - self.texts.len());
        for bucket in &query.0 {
            texts &= self.buckets[*bucket];
            if texts == 0 {
                break;
            }
        }
        from_fn(move || {
            let first = (texts != 0).then_some(texts.trailing_zeros() as usize);
            texts &= texts.wrapping_sub(1);
            first
        })
    }

    pub fn text(&self, at: usize) -> FoldedText<'_> {
        let start = at.checked_sub(1).map_or(0, |before| self.texts[before].end);
        let text = &self.texts[at];
        let plain = &self.plain[start..text.end];
        FoldedText {
            plain,
            folded: text.folded.as_deref().unwrap_or(plain),
        }
    }
}

impl QueryTrigrams {
    pub fn new(query: &TextQuery) -> Self {
        let parts = query.plain_parts();
        Self(parts.iter().flat_map(|part| buckets(part)).collect())
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
