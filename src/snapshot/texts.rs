//! The texts of a segment as queries compare them, in blocks, each with a filter that tells whether a query can be in it.
//!
//! The filter has a bit for each of 32,768 buckets, and each trigram (sequence of three bytes) belongs to one. A text that
//! contains a query has the bits of all its trigrams. (In the literature: a Bloom filter with one hash.)

use crate::model::{FoldedText, TextQuery, fold_both};

/// 64 reviews of 500 bytes set less than a fifth of the bits.
const BUCKETS: usize = 1 << 15;
pub const TEXTS_PER_BLOCK: usize = 64;

/// Consecutive texts, which are read one after the other.
#[derive(Debug)]
pub struct TextBlock {
    /// All texts in their plain form, in which a text has every query that any form of it has.
    plain: Box<str>,
    texts: Box<[Text]>,
    /// Of the plain texts.
    trigrams: Box<[u64]>,
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
        let (mut all, mut trigrams) = (String::new(), vec![0; BUCKETS / 64]);
        let texts = texts.map(|text| {
            let (folded, plain) = fold_both(text);
            for bucket in buckets(&plain) {
                trigrams[bucket / 64] |= 1 << (bucket % 64);
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
            trigrams: trigrams.into(),
        }
    }

    /// Whether any text can contain the query.
    pub fn may_contain(&self, query: &QueryTrigrams) -> bool {
        let has = |bucket: &usize| self.trigrams[bucket / 64] >> (bucket % 64) & 1 == 1;
        query.0.iter().all(has)
    }

    pub fn len(&self) -> usize {
        self.texts.len()
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
