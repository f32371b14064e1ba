//! An entry: one published review as a value, with its analysis.

use std::cmp::Reverse;

use crate::insights::CompactAnalysis;
use crate::model::hash::{FNV_OFFSET, fnv1a};
use crate::model::{Day, MentionKind, Review, ReviewId};

/// The order of entries: by date descending, then by ID ascending.
pub type EntryKey<'a> = (Reverse<Day>, &'a str);

#[derive(Debug)]
pub struct Entry {
    /// With technicians as they are shown, and with the names that its text mentions.
    pub review: Review,
    /// `None` until the text is analyzed.
    pub analysis: Option<CompactAnalysis>,
}

impl Entry {
    /// `names` were found in the review's text, and are added to the recorded ones.
    pub fn new(
        review: Review,
        names: &[(MentionKind, String)],
        analysis: Option<CompactAnalysis>,
    ) -> Self {
        Self {
            review: add_names(review, names),
            analysis,
        }
    }

    pub const fn id(&self) -> &ReviewId {
        &self.review.id
    }

    pub fn key(&self) -> EntryKey<'_> {
        (Reverse(self.review.date), self.review.id.as_str())
    }
}

fn add_names(mut review: Review, names: &[(MentionKind, String)]) -> Review {
    if !names.is_empty() {
        let recorded = review.mentions.pairs();
        let recorded = recorded.map(|(kind, value)| (kind, value.clone()));
        review.mentions = recorded.chain(names.iter().cloned()).collect();
    }
    review
}

/// FNV-1a with the finaliser of `MurmurHash3`. Must not change: segments, and so digests and `ETag`s, depend on it.
pub fn id_hash(id: &str) -> u64 {
    let hash = fnv1a(FNV_OFFSET, id.as_bytes());
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    hash ^ (hash >> 33)
}

/// A position as bitmaps hold it; no snapshot has 2³² reviews.
pub fn position(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
