//! An entry: one published review as a value, with its JSON and what searches read of it.

use std::cmp::Reverse;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use crate::insights::CompactAnalysis;
use crate::links::Links;
use crate::model::hash::{FNV_OFFSET, fnv1a};
use crate::model::{Day, MentionKind, Mentions, Review, ReviewId};
use crate::wire;

/// The order of entries: by date descending, then by ID ascending.
pub type EntryKey<'a> = (Reverse<Day>, &'a str);

#[derive(Debug)]
pub struct Entry {
    /// With technicians as they are shown, and with the names that its text mentions.
    pub review: Review,
    /// Its JSON in the documents; a part of its segment's, so that it is in memory once.
    pub(super) json: Bytes,
    /// SHA-256 of the JSON.
    pub(super) digest: [u8; 32],
    /// `None` until the text is analyzed.
    pub analysis: Option<CompactAnalysis>,
}

impl Entry {
    /// Renders a review. `names` were found in its text, and are added to the recorded ones.
    pub fn new(
        review: Review,
        names: &[(MentionKind, String)],
        analysis: Option<CompactAnalysis>,
        links: &Links,
    ) -> Self {
        let review = add_names(review, names);
        let json = wire::json(&wire::Review::new(&review, links));
        Self {
            digest: Sha256::digest(&json).into(),
            json: json.into(),
            analysis,
            review,
        }
    }

    pub const fn id(&self) -> &ReviewId {
        &self.review.id
    }

    pub fn key(&self) -> EntryKey<'_> {
        (Reverse(self.review.date), self.review.id.as_str())
    }

    /// Its JSON in the documents.
    pub const fn json(&self) -> &Bytes {
        &self.json
    }
}

fn add_names(mut review: Review, names: &[(MentionKind, String)]) -> Review {
    if names.is_empty() {
        return review;
    }
    let Mentions {
        mut technicians,
        mut services,
        mut service_areas,
    } = std::mem::take(&mut review.mentions);
    for (kind, value) in names {
        let values = match kind {
            MentionKind::Technician => &mut technicians,
            MentionKind::Service => &mut services,
            MentionKind::ServiceArea => &mut service_areas,
        };
        values.push(value.clone());
    }
    review.mentions = Mentions::new(technicians, services, service_areas);
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
