//! A segment: about 128 consecutive reviews, immutable and shared by every snapshot that has them unchanged.
//!
//! A segment ends after a review whose ID has a certain hash, never by count. So segments depend only on the reviews,
//! not on the order of their arrival, and a change rebuilds only its own segment.

use std::sync::OnceLock;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::entry::{Entry, FoldedValue, SortKey, ValueColumn, sort_key};
use crate::insights::aggregate::{Vote, VoteCounts, vote_of};
use crate::insights::{PackedAnalyses, PackedAnalysis, PackedAnalysisRef};
use crate::model::hash::{FNV_OFFSET, fnv1a};
use crate::model::{Rating, RatingCounts, Traits};
use crate::wire;

/// One ID in this many ends its segment.
const REVIEWS_PER_SEGMENT: u64 = 128;

/// Whether the review with that ID is the last of its segment.
#[must_use]
pub fn ends_segment(id: &str) -> bool {
    id_hash(id).is_multiple_of(REVIEWS_PER_SEGMENT)
}

/// FNV-1a with the finaliser of `MurmurHash3`. Must not change: segments, and so digests and `ETag`s, depend on it.
#[must_use]
pub fn id_hash(id: &str) -> u64 {
    let hash = fnv1a(FNV_OFFSET, id.as_bytes());
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    hash ^ (hash >> 33)
}

#[derive(Debug)]
pub struct Segment {
    json: Bytes,
    json_ends: Vec<u32>,
    folded: PackedStrings,
    ids: PackedStrings,
    days: Vec<i32>,
    stars: Vec<u8>,
    postings: [Postings; ValueColumn::COUNT],
    traits: Vec<Traits>,
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
    /// Never 0.
    #[must_use]
    pub fn len(&self) -> usize {
        self.days.len()
    }

    /// Always false: a segment has at least one review.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.days.is_empty()
    }

    /// The JSON of all its reviews, each followed by a comma.
    #[must_use]
    pub const fn json(&self) -> &Bytes {
        &self.json
    }

    /// Shares the same JSON with another segment.
    pub fn set_json(&mut self, json: Bytes) {
        self.json = json;
    }

    /// The JSON of the first `count` reviews, each followed by a comma.
    #[must_use]
    pub fn json_of_first(&self, count: usize) -> Bytes {
        let end = if count == 0 {
            0
        } else {
            self.json_ends[count - 1] as usize
        };
        self.json.slice(..end)
    }

    /// SHA-256 of the JSON of the first `count` reviews; `count` is at least 1. All prefixes are computed together on
    /// the first call and cached, because hashing costs ten times as much as sending the bytes.
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

    /// The JSON of a review, without the comma.
    #[must_use]
    pub fn json_of(&self, index: usize) -> Bytes {
        let start = if index == 0 {
            0
        } else {
            self.json_ends[index - 1] as usize
        };
        self.json.slice(start..self.json_ends[index] as usize - 1)
    }

    /// Parses the review's JSON. Always `Some`: the JSON was rendered by this process.
    #[must_use]
    pub fn review(&self, index: usize) -> Option<wire::Review> {
        serde_json::from_slice(&self.json_of(index)).ok()
    }

    /// The concatenated folded texts, each followed by the byte 0xFF, which UTF-8 does not have.
    #[must_use]
    pub fn folded(&self) -> &[u8] {
        &self.folded.bytes
    }

    /// The start of a review's folded text in [`Segment::folded`], and the start of the next one.
    #[must_use]
    pub fn folded_bounds(&self, index: usize) -> (usize, usize) {
        self.folded.bounds(index)
    }

    /// The index of the review whose folded text contains the byte at `offset`, which must be `from` or later.
    #[must_use]
    pub fn review_at(&self, offset: usize, from: usize) -> usize {
        let ends_before = |end: &u32| *end as usize <= offset;
        // Usually it is the first: a common term is in nearly every text.
        match &self.folded.ends[from..] {
            [first, rest @ ..] if ends_before(first) => {
                from + 1 + rest.partition_point(ends_before)
            }
            _ => from,
        }
    }

    #[must_use]
    pub fn sort_key(&self, index: usize) -> SortKey<'_> {
        sort_key(self.days[index], self.id(index))
    }

    #[must_use]
    pub fn id(&self, index: usize) -> &str {
        let (start, end) = self.ids.bounds(index);
        // IDs are ASCII by type.
        std::str::from_utf8(&self.ids.bytes[start..end]).unwrap_or_default()
    }

    /// Day numbers, descending.
    #[must_use]
    pub fn days(&self) -> &[i32] {
        &self.days
    }

    /// 1 to 5, by review.
    #[must_use]
    pub fn stars(&self) -> &[u8] {
        &self.stars
    }

    /// The reviews of each value in `column`.
    #[must_use]
    pub const fn postings(&self, column: ValueColumn) -> &Postings {
        &self.postings[column as usize]
    }

    /// By review.
    #[must_use]
    pub fn traits(&self) -> &[Traits] {
        &self.traits
    }

    /// Each review's number in the text index, or [`UNINDEXED`](super::positions::UNINDEXED).
    #[must_use]
    pub fn review_nos(&self) -> &[u32] {
        &self.review_nos
    }

    /// The analyses with the indices of their reviews; reviews that are not analyzed are omitted.
    pub fn analyses(&self) -> impl Iterator<Item = (usize, PackedAnalysisRef<'_>)> {
        (0..self.len()).filter_map(|index| Some((index, self.packed_analysis(index)?)))
    }

    /// The packed analyses of the analyzed reviews, in order.
    #[must_use]
    pub const fn packed_analyses(&self) -> &PackedAnalyses {
        &self.analyses
    }

    pub const fn packed_analyses_mut(&mut self) -> &mut PackedAnalyses {
        &mut self.analyses
    }

    /// The opinions on each of the trade's aspects, whose number is `aspects`; computed on the first call.
    #[must_use]
    pub fn opinions(&self, aspects: usize) -> &Opinions {
        self.opinions
            .get_or_init(|| Opinions::new(self.analyses(), aspects))
    }

    /// `None` if the review is not analyzed yet.
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

    /// The indices of reviews that are not analyzed yet, ascending.
    #[must_use]
    pub fn unanalyzed(&self) -> &[u32] {
        &self.unanalyzed
    }

    /// SHA-256 of its JSON.
    #[must_use]
    pub const fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    #[must_use]
    pub const fn rating_counts(&self) -> &RatingCounts {
        &self.rating_counts
    }

    /// The number of reviews with a text.
    #[must_use]
    pub const fn with_text(&self) -> u64 {
        self.with_text
    }
}

// Builds a segment's columns from its reviews, either new ones or those of an earlier segment.

/// The byte after each folded text. It does not occur in UTF-8, so no match spans two texts.
const SEPARATOR: u8 = 0xFF;

#[derive(Debug, Default)]
pub struct SegmentBuilder {
    json: PackedStrings,
    folded: PackedStrings,
    ids: PackedStrings,
    days: Vec<i32>,
    stars: Vec<u8>,
    postings: [Postings; ValueColumn::COUNT],
    traits: Vec<Traits>,
    review_nos: Vec<u32>,
    analyses: PackedAnalyses,
    unanalyzed: Vec<u32>,
    rating_counts: RatingCounts,
    with_text: u64,
}

impl SegmentBuilder {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.days.is_empty()
    }

    pub fn push(&mut self, entry: &Entry) {
        self.columns(
            &entry.key.id,
            entry.key.day,
            entry.stars,
            &entry.json,
            entry.folded.as_bytes(),
        );
        let at = self.days.len() - 1;
        for (column, mention) in &entry.values {
            self.postings[*column as usize].push(at, mention);
        }
        self.traits.push(entry.traits);
        self.review_nos.push(entry.indexed_no());
        self.packed_analysis(
            at,
            entry.packed_analysis.as_ref().map(PackedAnalysis::borrowed),
        );
    }

    /// Adds a review of another segment.
    pub fn push_from(&mut self, segment: &Segment, index: usize) {
        let (start, end) = segment.folded_bounds(index);
        let folded = &segment.folded()[start..end - 1];
        let (days, stars) = (segment.days[index], segment.stars[index]);
        self.columns(
            segment.id(index),
            days,
            stars,
            &segment.json_of(index),
            folded,
        );
        let at = self.days.len() - 1;
        for (postings, known) in self.postings.iter_mut().zip(&segment.postings) {
            known
                .at(index)
                .for_each(|mention| postings.push(at, mention));
        }
        self.traits.push(segment.traits[index]);
        self.review_nos.push(segment.review_nos[index]);
        self.packed_analysis(at, segment.packed_analysis(index));
    }

    fn packed_analysis(&mut self, at: usize, packed_analysis: Option<PackedAnalysisRef<'_>>) {
        match packed_analysis {
            Some(packed_analysis) => self.analyses.push(packed_analysis),
            None => self.unanalyzed.push(u32::try_from(at).unwrap_or(u32::MAX)),
        }
    }

    fn columns(&mut self, id: &str, day: i32, stars: u8, json: &[u8], folded: &[u8]) {
        self.json.push(json, b",");
        self.folded.push(folded, &[SEPARATOR]);
        self.ids.push(id.as_bytes(), b"");
        self.days.push(day);
        self.stars.push(stars);
        self.with_text += u64::from(!folded.is_empty());
        if let Ok(rating) = Rating::try_from(i64::from(stars)) {
            self.rating_counts.count(rating);
        }
    }

    /// Builds the segment and clears the builder, which keeps its capacity; the columns are copied once to their exact
    /// size.
    #[must_use]
    pub fn finish(&mut self) -> Segment {
        let segment = Segment {
            digest: Sha256::digest(&self.json.bytes).into(),
            json: Bytes::copy_from_slice(&self.json.bytes),
            json_ends: self.json.ends.clone(),
            folded: self.folded.clone(),
            ids: self.ids.clone(),
            days: self.days.clone(),
            stars: self.stars.clone(),
            postings: std::mem::take(&mut self.postings),
            traits: self.traits.clone(),
            review_nos: self.review_nos.clone(),
            analyses: self.analyses.clone(),
            unanalyzed: std::mem::take(&mut self.unanalyzed),
            rating_counts: std::mem::take(&mut self.rating_counts),
            with_text: std::mem::take(&mut self.with_text),
            opinions: OnceLock::new(),
            prefix_digests: OnceLock::new(),
        };
        [&mut self.json, &mut self.folded, &mut self.ids]
            .into_iter()
            .for_each(PackedStrings::clear);
        self.days.clear();
        self.stars.clear();
        self.traits.clear();
        self.review_nos.clear();
        self.analyses.clear();
        segment
    }
}

// Packed strings: the texts of a segment in one buffer.

/// Concatenated texts, with the end of each.
#[derive(Debug, Clone, Default)]
pub(super) struct PackedStrings {
    pub bytes: Vec<u8>,
    pub ends: Vec<u32>,
}

impl PackedStrings {
    pub fn push(&mut self, text: &[u8], separator: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.bytes.extend_from_slice(separator);
        // Only a single review could make a segment larger than 4 GiB, and imports limit texts far below.
        self.ends
            .push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    pub fn bounds(&self, index: usize) -> (usize, usize) {
        let start = if index == 0 {
            0
        } else {
            self.ends[index - 1] as usize
        };
        (start, self.ends[index] as usize)
    }
}

// Mentions by value.

/// For each value, the positions in the segment, ascending.
#[derive(Debug, Clone, Default)]
pub struct Postings(Vec<Posting>);

#[derive(Debug, Clone)]
pub struct Posting {
    /// The mentioned name or ID.
    pub mention: FoldedValue,
    pub positions: Vec<u32>,
}

impl Postings {
    pub(super) fn push(&mut self, position: usize, mention: &FoldedValue) {
        let position = u32::try_from(position).unwrap_or(u32::MAX);
        match self
            .0
            .iter_mut()
            .find(|posting| posting.mention.value == mention.value)
        {
            Some(posting) => posting.positions.push(position),
            None => self.0.push(Posting {
                mention: mention.clone(),
                positions: vec![position],
            }),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Posting> {
        self.0.iter()
    }

    pub(super) fn at(&self, position: usize) -> impl Iterator<Item = &FoldedValue> {
        let holds =
            move |posting: &&Posting| posting.positions.iter().any(|at| *at as usize == position);
        self.0.iter().filter(holds).map(|posting| &posting.mention)
    }
}

// Opinions by aspect. Computed from the packed analyses on the first call and kept with the segment, so that a search
// for an aspect iterates over positions.

/// The opinions of a segment's reviews on each aspect of a trade.
#[derive(Debug, Default)]
pub struct Opinions {
    votes: Vec<VoteCounts>,
    positions: Vec<AspectPositions>,
}

/// The reviews with an opinion on one aspect.
#[derive(Debug, Default)]
struct AspectPositions {
    /// Indices of reviews in the segment, ascending.
    positions: Vec<u32>,
    /// Parallel to `positions`.
    votes: Vec<Vote>,
}

impl Opinions {
    /// `analyses` are (review index, packed analysis), ascending; `aspects` is their number in the trade.
    #[must_use]
    pub fn new<'a>(
        analyses: impl Iterator<Item = (usize, PackedAnalysisRef<'a>)>,
        aspects: usize,
    ) -> Self {
        let mut votes = vec![VoteCounts::default(); aspects];
        let mut positions: Vec<AspectPositions> = Vec::new();
        positions.resize_with(aspects, AspectPositions::default);
        for (index, analysis) in analyses {
            for ((aspect, votes), spoken) in (0..).zip(&mut votes).zip(&mut positions) {
                if let Some(review) = vote_of(analysis, aspect) {
                    votes.count_review(review);
                    spoken
                        .positions
                        .push(u32::try_from(index).unwrap_or(u32::MAX));
                    spoken.votes.push(review.vote);
                }
            }
        }
        for spoken in &mut positions {
            spoken.positions.shrink_to_fit();
            spoken.votes.shrink_to_fit();
        }
        Self { votes, positions }
    }

    /// Votes by aspect.
    #[must_use]
    pub fn votes(&self) -> &[VoteCounts] {
        &self.votes
    }

    /// The reviews with an opinion on an aspect, ascending.
    #[must_use]
    pub fn positions(&self, aspect: u8) -> &[u32] {
        self.positions
            .get(usize::from(aspect))
            .map_or(&[], |spoken| &spoken.positions)
    }

    /// The reviews with this vote on an aspect, ascending.
    pub fn positions_of(&self, aspect: u8, vote: Vote) -> impl Iterator<Item = u32> {
        let spoken = self.positions.get(usize::from(aspect)).into_iter();
        spoken.flat_map(move |spoken| {
            spoken
                .positions
                .iter()
                .zip(&spoken.votes)
                .filter(move |(_, its)| **its == vote)
                .map(|(position, _)| *position)
        })
    }
}
