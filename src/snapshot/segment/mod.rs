//! A segment: about 128 reviews in their order, immutable, shared by every snapshot that has them
//! unchanged.
//!
//! A segment ends after a review whose id's hash says so, never by count. Segments are therefore a
//! function of the reviews alone, not of the order in which they arrived, and a change rebuilds its
//! own segment and no other.

mod builder;

use std::sync::OnceLock;

pub use builder::SegmentBuilder;
use bytes::Bytes;
use sha2::{Digest, Sha256};

use crate::hash::{FNV_OFFSET, fnv1a};
use crate::insights::{PackedAnalyses, PackedAnalysisRef};
use crate::reviews::RatingCounts;
use crate::snapshot::entry::{SortKey, sort_key};
use crate::snapshot::labels::Labels;
use crate::snapshot::opinions::Opinions;
use crate::snapshot::packed_strings::PackedStrings;
use crate::snapshot::postings::Postings;

/// One id in this many ends its segment.
const REVIEWS_PER_SEGMENT: u64 = 128;

/// Whether the review of that id is the last of its segment.
#[must_use]
pub fn ends_segment(id: &str) -> bool {
    id_hash(id).is_multiple_of(REVIEWS_PER_SEGMENT)
}

/// FNV-1a with the finaliser of `MurmurHash3`. Fixed for good: segments, hence digests and `ETag`s,
/// depend on it.
#[must_use]
pub fn id_hash(id: &str) -> u64 {
    let hash = fnv1a(FNV_OFFSET, id.as_bytes());
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    hash ^ (hash >> 33)
}

/// See the head of this file.
#[derive(Debug)]
pub struct Segment {
    json: Bytes,
    json_ends: Vec<u32>,
    folded: PackedStrings,
    ids: PackedStrings,
    days: Vec<i32>,
    stars: Vec<u8>,
    technicians: Postings,
    services: Postings,
    service_areas: Postings,
    labels: Labels,
    review_nos: Vec<u32>,
    analyses: PackedAnalyses,
    unanalyzed: Vec<u32>,
    digest: [u8; 32],
    rating_counts: RatingCounts,
    with_text: u64,
    opinions: OnceLock<Opinions>,
    prefix_digests: OnceLock<Box<[[u8; 32]]>>,
}

impl Segment {
    /// How many reviews it has; never 0.
    #[must_use]
    pub fn len(&self) -> usize {
        self.days.len()
    }

    /// Never: a segment is finished only with a review in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.days.is_empty()
    }

    /// The JSON of all its reviews, each followed by a comma.
    #[must_use]
    pub const fn json(&self) -> &Bytes {
        &self.json
    }

    /// Takes the same JSON from where others have it.
    pub fn set_json(&mut self, json: Bytes) {
        self.json = json;
    }

    /// The JSON of its first `count` reviews, each followed by a comma.
    #[must_use]
    pub fn json_of_first(&self, count: usize) -> Bytes {
        let end = if count == 0 {
            0
        } else {
            self.json_ends[count - 1] as usize
        };
        self.json.slice(..end)
    }

    /// SHA-256 of the JSON of its first `count` reviews, of which there is at least one. All of them
    /// are found when the first is asked for: a digest costs ten times as much as sending what it is
    /// of.
    #[must_use]
    pub fn digest_of_first(&self, count: usize) -> [u8; 32] {
        let digests = self.prefix_digests.get_or_init(|| {
            let (mut digest, mut start) = (Sha256::new(), 0);
            let ends = self.json_ends.iter().map(|end| *end as usize);
            ends.map(|end| {
                digest.update(&self.json[start..end]);
                start = end;
                digest.clone().finalize().into()
            })
            .collect()
        });
        digests[count - 1]
    }

    /// The JSON of one review, without the comma.
    #[must_use]
    pub fn json_of(&self, index: usize) -> Bytes {
        let start = if index == 0 {
            0
        } else {
            self.json_ends[index - 1] as usize
        };
        self.json.slice(start..self.json_ends[index] as usize - 1)
    }

    /// The folded texts, one behind the other, each followed by a byte that no text has.
    #[must_use]
    pub fn folded(&self) -> &[u8] {
        &self.folded.bytes
    }

    /// Where a review's folded text begins in [`Segment::folded`], and where the next one's does.
    #[must_use]
    pub fn folded_bounds(&self, index: usize) -> (usize, usize) {
        self.folded.bounds(index)
    }

    /// In which review's folded text the byte at `offset` is, given that it is in that of `from` or
    /// a later one.
    #[must_use]
    pub fn review_at(&self, offset: usize, from: usize) -> usize {
        let ends_before = |end: &u32| *end as usize <= offset;
        // Mostly it is the first: what is common is in nearly every text.
        match &self.folded.ends[from..] {
            [first, rest @ ..] if ends_before(first) => {
                from + 1 + rest.partition_point(ends_before)
            }
            _ => from,
        }
    }

    /// Where a review stands.
    #[must_use]
    pub fn sort_key(&self, index: usize) -> SortKey<'_> {
        sort_key(self.days[index], self.id(index))
    }

    /// The id of the review at `index` in the segment.
    #[must_use]
    pub fn id(&self, index: usize) -> &str {
        let (start, end) = self.ids.bounds(index);
        // Ids are ASCII by type.
        std::str::from_utf8(&self.ids.bytes[start..end]).unwrap_or_default()
    }

    /// The days of its reviews, descending.
    #[must_use]
    pub fn days(&self) -> &[i32] {
        &self.days
    }

    /// The stars of its reviews.
    #[must_use]
    pub fn stars(&self) -> &[u8] {
        &self.stars
    }

    /// The technicians that its reviews mention.
    #[must_use]
    pub const fn technicians(&self) -> &Postings {
        &self.technicians
    }

    /// The services that its reviews mention.
    #[must_use]
    pub const fn services(&self) -> &Postings {
        &self.services
    }

    /// The places that its reviews mention.
    #[must_use]
    pub const fn service_areas(&self) -> &Postings {
        &self.service_areas
    }

    /// What else is known of its reviews.
    #[must_use]
    pub const fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The numbers by which the text index knows its reviews, or
    /// [`UNINDEXED`](super::positions::UNINDEXED).
    #[must_use]
    pub fn review_nos(&self) -> &[u32] {
        &self.review_nos
    }

    /// What was read in its texts, with each review's index; reviews that are still to be analyzed
    /// are left out.
    pub fn analyses(&self) -> impl Iterator<Item = (usize, PackedAnalysisRef<'_>)> {
        (0..self.len()).filter_map(|index| Some((index, self.packed_analysis(index)?)))
    }

    /// The packed analyses of the reviews that have been analyzed, one behind the other.
    #[must_use]
    pub const fn packed_analyses(&self) -> &PackedAnalyses {
        &self.analyses
    }

    /// How its reviews speak of each of a trade's aspects, which there are so many of; found when it
    /// is first asked for.
    #[must_use]
    pub fn opinions(&self, aspects: usize) -> &Opinions {
        self.opinions
            .get_or_init(|| Opinions::new(self.analyses(), aspects))
    }

    /// What was read in a review's text, or `None` where that is still to be done.
    #[must_use]
    pub fn packed_analysis(&self, index: usize) -> Option<PackedAnalysisRef<'_>> {
        let before = self
            .unanalyzed
            .partition_point(|unanalyzed| (*unanalyzed as usize) < index);
        let is_unanalyzed = self
            .unanalyzed
            .get(before)
            .is_some_and(|unanalyzed| *unanalyzed as usize == index);
        (!is_unanalyzed).then(|| self.analyses.get(index - before))
    }

    /// The indices of the reviews that are still to be analyzed, ascending.
    #[must_use]
    pub fn unanalyzed(&self) -> &[u32] {
        &self.unanalyzed
    }

    /// SHA-256 of its JSON.
    #[must_use]
    pub const fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// How many of its reviews have how many stars.
    #[must_use]
    pub const fn rating_counts(&self) -> &RatingCounts {
        &self.rating_counts
    }

    /// How many of its reviews say something.
    #[must_use]
    pub const fn with_text(&self) -> u64 {
        self.with_text
    }
}
