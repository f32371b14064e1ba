//! A segment: about 128 consecutive reviews, immutable and shared by every snapshot that has them unchanged. It is built
//! of entries: a review's JSON, its folded text and the values of filters.
//!
//! A segment ends after a review whose ID has a certain hash, never by count. So segments depend only on the reviews,
//! not on the order of their arrival, and a change rebuilds only its own segment.

use std::cmp::Reverse;
use std::mem::take;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use sha2::{Digest, Sha256};

use crate::insights::aggregate::vote_of;
use crate::insights::{PackedAnalyses, PackedAnalysis, PackedAnalysisRef};
use crate::links::Links;
use crate::model::hash::{FNV_OFFSET, fnv1a};
use crate::model::{
    Day, MentionKind, Mentions, Rating, RatingCounts, Traits, Vote, VoteCounts, fold,
};
use crate::{model, wire};

/// One ID in this many ends its segment.
const REVIEWS_PER_SEGMENT: u64 = 128;

/// Whether the review with that ID is the last of its segment.
pub fn ends_segment(id: &str) -> bool {
    id_hash(id).is_multiple_of(REVIEWS_PER_SEGMENT)
}

/// FNV-1a with the finaliser of `MurmurHash3`. Must not change: segments, and so digests and `ETag`s, depend on it.
pub fn id_hash(id: &str) -> u64 {
    let hash = fnv1a(FNV_OFFSET, id.as_bytes());
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    hash ^ (hash >> 33)
}

#[derive(Debug)]
pub struct Segment {
    json: Bytes,
    columns: ReviewColumns,
    digest: [u8; 32],
    opinions: OnceLock<Opinions>,
    prefix_digests: OnceLock<Box<[[u8; 32]]>>,
}

/// The values of a segment's reviews.
#[derive(Debug, Clone, Default)]
struct ReviewColumns {
    /// The end of each review's JSON, its comma included.
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
    rating_counts: RatingCounts,
    with_text: u64,
}

impl Segment {
    /// Never 0.
    pub fn len(&self) -> usize {
        self.columns.days.len()
    }

    /// Always false: a segment has at least one review.
    pub fn is_empty(&self) -> bool {
        self.columns.days.is_empty()
    }

    /// The JSON of all its reviews, each followed by a comma.
    pub const fn json(&self) -> &Bytes {
        &self.json
    }

    /// Shares the same JSON with another segment.
    pub fn set_json(&mut self, json: Bytes) {
        self.json = json;
    }

    /// The JSON of the first `count` reviews, each followed by a comma.
    pub fn json_of_first(&self, count: usize) -> Bytes {
        self.json
            .slice(..end_before(&self.columns.json_ends, count))
    }

    /// SHA-256 of the JSON of the first `count` reviews; `count` is at least 1. All prefixes are computed together on
    /// the first call and cached, because hashing costs ten times as much as sending the bytes.
    pub fn digest_of_first(&self, count: usize) -> [u8; 32] {
        let digests = self.prefix_digests.get_or_init(|| {
            let (mut digest, mut start) = (Sha256::new(), 0);
            let ends = self.columns.json_ends.iter().map(|end| *end as usize);
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
    pub fn json_of(&self, index: usize) -> Bytes {
        let (start, end) = bounds(&self.columns.json_ends, index);
        self.json.slice(start..end - 1)
    }

    /// Parses the review's JSON. Always `Some`: the JSON was rendered by this process.
    pub fn review(&self, index: usize) -> Option<wire::Review> {
        serde_json::from_slice(&self.json_of(index)).ok()
    }

    /// The concatenated folded texts, each followed by the byte 0xFF, which UTF-8 does not have.
    pub fn folded(&self) -> &[u8] {
        &self.columns.folded.bytes
    }

    /// The start of a review's folded text in [`Segment::folded`], and the start of the next one.
    pub fn folded_bounds(&self, index: usize) -> (usize, usize) {
        bounds(&self.columns.folded.ends, index)
    }

    /// A review's folded text.
    pub fn folded_text(&self, index: usize) -> &[u8] {
        let (start, end) = self.folded_bounds(index);
        &self.folded()[start..end - 1]
    }

    /// The index of the review whose folded text contains the byte at `offset`, which must be `from` or later.
    pub fn review_at(&self, offset: usize, from: usize) -> usize {
        let ends_before = |end: &u32| *end as usize <= offset;
        // Usually it is the first: a common term is in nearly every text.
        match &self.columns.folded.ends[from..] {
            [first, rest @ ..] if ends_before(first) => {
                from + 1 + rest.partition_point(ends_before)
            }
            _ => from,
        }
    }

    pub fn sort_key(&self, index: usize) -> SortKey<'_> {
        sort_key(self.columns.days[index], self.id(index))
    }

    pub fn id(&self, index: usize) -> &str {
        let (start, end) = bounds(&self.columns.ids.ends, index);
        // IDs are ASCII by type.
        std::str::from_utf8(&self.columns.ids.bytes[start..end]).unwrap_or_default()
    }

    /// Day numbers, descending.
    pub fn days(&self) -> &[i32] {
        &self.columns.days
    }

    /// 1 to 5, by review.
    pub fn stars(&self) -> &[u8] {
        &self.columns.stars
    }

    /// The reviews of each value in `column`.
    pub const fn postings(&self, column: ValueColumn) -> &Postings {
        &self.columns.postings[column as usize]
    }

    /// By review.
    pub fn traits(&self) -> &[Traits] {
        &self.columns.traits
    }

    /// Each review's number in the text index, or [`UNINDEXED`].
    pub fn review_nos(&self) -> &[u32] {
        &self.columns.review_nos
    }

    /// The analyses with the indices of their reviews; reviews that are not analyzed are omitted.
    pub fn analyses(&self) -> impl Iterator<Item = (usize, PackedAnalysisRef<'_>)> {
        (0..self.len()).filter_map(|index| Some((index, self.packed_analysis(index)?)))
    }

    /// The packed analyses of the analyzed reviews, in order.
    pub const fn packed_analyses(&self) -> &PackedAnalyses {
        &self.columns.analyses
    }

    pub const fn packed_analyses_mut(&mut self) -> &mut PackedAnalyses {
        &mut self.columns.analyses
    }

    /// The opinions on each of the trade's aspects, whose number is `aspects`; computed on the first call.
    pub fn opinions(&self, aspects: usize) -> &Opinions {
        self.opinions
            .get_or_init(|| Opinions::new(self.analyses(), aspects))
    }

    /// `None` if the review is not analyzed yet.
    pub fn packed_analysis(&self, index: usize) -> Option<PackedAnalysisRef<'_>> {
        let unanalyzed = &self.columns.unanalyzed;
        match unanalyzed.binary_search_by_key(&index, |unanalyzed| *unanalyzed as usize) {
            Ok(_) => None,
            Err(before) => Some(self.columns.analyses.get(index - before)),
        }
    }

    /// The indices of reviews that are not analyzed yet, ascending.
    pub fn unanalyzed(&self) -> &[u32] {
        &self.columns.unanalyzed
    }

    /// SHA-256 of its JSON.
    pub const fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    pub const fn rating_counts(&self) -> &RatingCounts {
        &self.columns.rating_counts
    }

    /// The number of reviews with a text.
    pub const fn with_text(&self) -> u64 {
        self.columns.with_text
    }
}

// Builds segments' columns from their reviews, either new ones or those of earlier segments.

/// The byte after each folded text. It does not occur in UTF-8, so no match spans two texts.
const SEPARATOR: u8 = 0xFF;

/// Builds consecutive segments.
#[derive(Debug, Default)]
pub struct SegmentsBuilder {
    segments: Vec<Arc<Segment>>,
    /// The JSON and the other columns of the segment that is being built.
    json: Vec<u8>,
    columns: ReviewColumns,
}

impl SegmentsBuilder {
    /// Whether a segment has begun and not ended.
    pub fn is_within_segment(&self) -> bool {
        !self.columns.days.is_empty()
    }

    pub fn push(&mut self, entry: &Entry) {
        let Key { day, ref id } = entry.key;
        let at = self.begin_review(id, day.0, entry.stars, &entry.json, entry.folded.as_bytes());
        for (column, mention) in &entry.values {
            self.columns.postings[*column as usize].push(at, mention);
        }
        let analysis = entry.packed_analysis.as_ref().map(PackedAnalysis::borrowed);
        self.end_review(at, id, entry.traits, entry.indexed_no(), analysis);
    }

    /// Adds a review of another segment.
    pub fn push_from(&mut self, segment: &Segment, index: usize) {
        let (folded, id) = (segment.folded_text(index), segment.id(index));
        let (json, known) = (segment.json_of(index), &segment.columns);
        let at = self.begin_review(id, known.days[index], known.stars[index], &json, folded);
        for (postings, known) in self.columns.postings.iter_mut().zip(&known.postings) {
            known
                .at(index)
                .for_each(|mention| postings.push(at, mention));
        }
        let (traits, review_no) = (known.traits[index], known.review_nos[index]);
        self.end_review(at, id, traits, review_no, segment.packed_analysis(index));
    }

    /// Adds a whole segment, which it shares, after a segment has ended.
    pub fn share(&mut self, segment: &Arc<Segment>) {
        self.segments.push(Arc::clone(segment));
    }

    /// All segments; the last one may be open.
    pub fn finish(mut self) -> Vec<Arc<Segment>> {
        if self.is_within_segment() {
            self.end_segment();
        }
        self.segments
    }

    /// Adds a review up to its mentions, and returns its index in the segment.
    fn begin_review(&mut self, id: &str, day: i32, stars: u8, json: &[u8], folded: &[u8]) -> usize {
        let columns = &mut self.columns;
        let at = columns.days.len();
        append(&mut self.json, &mut columns.json_ends, json, b",");
        columns.folded.push(folded, &[SEPARATOR]);
        columns.ids.push(id.as_bytes(), b"");
        columns.days.push(day);
        columns.stars.push(stars);
        columns.with_text += u64::from(!folded.is_empty());
        if let Ok(rating) = Rating::try_from(i64::from(stars)) {
            columns.rating_counts.count(rating);
        }
        at
    }

    /// Adds the rest of a review, and ends the segment if this review is its last.
    fn end_review(
        &mut self,
        at: usize,
        id: &str,
        traits: Traits,
        review_no: u32,
        analysis: Option<PackedAnalysisRef<'_>>,
    ) {
        let columns = &mut self.columns;
        columns.traits.push(traits);
        columns.review_nos.push(review_no);
        match analysis {
            Some(analysis) => columns.analyses.push(analysis),
            None => columns
                .unanalyzed
                .push(u32::try_from(at).unwrap_or(u32::MAX)),
        }
        if ends_segment(id) {
            self.end_segment();
        }
    }

    /// Keeps the buffers' capacity; the columns are copied once to their exact size.
    fn end_segment(&mut self) {
        let Self { json, columns, .. } = self;
        let segment = Segment {
            digest: Sha256::digest(&*json).into(),
            json: Bytes::copy_from_slice(json),
            columns: ReviewColumns {
                postings: take(&mut columns.postings),
                unanalyzed: take(&mut columns.unanalyzed),
                rating_counts: take(&mut columns.rating_counts),
                with_text: take(&mut columns.with_text),
                ..columns.clone()
            },
            opinions: OnceLock::new(),
            prefix_digests: OnceLock::new(),
        };
        json.clear();
        columns.json_ends.clear();
        columns.folded.clear();
        columns.ids.clear();
        columns.days.clear();
        columns.stars.clear();
        columns.traits.clear();
        columns.review_nos.clear();
        columns.analyses.clear();
        self.segments.push(Arc::new(segment));
    }
}

// Packed strings: the texts of a segment in one buffer.

/// Concatenated texts, with the end of each.
#[derive(Debug, Clone, Default)]
struct PackedStrings {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl PackedStrings {
    fn push(&mut self, text: &[u8], separator: &[u8]) {
        append(&mut self.bytes, &mut self.ends, text, separator);
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}

fn append(bytes: &mut Vec<u8>, ends: &mut Vec<u32>, text: &[u8], separator: &[u8]) {
    bytes.extend_from_slice(text);
    bytes.extend_from_slice(separator);
    // Only a single review could make a segment larger than 4 GiB, and imports limit texts far below.
    ends.push(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
}

/// The end of the first `count` texts.
fn end_before(ends: &[u32], count: usize) -> usize {
    count.checked_sub(1).map_or(0, |last| ends[last] as usize)
}

fn bounds(ends: &[u32], index: usize) -> (usize, usize) {
    (end_before(ends, index), ends[index] as usize)
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
    pub fn votes(&self) -> &[VoteCounts] {
        &self.votes
    }

    /// The reviews with an opinion on an aspect, ascending.
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

// A review rendered for its segment: JSON, folded text and the values of filters.

/// In the column of review numbers: a review that the text index may not find, because its number is unknown or FTS5
/// indexes its text differently from our folding.
pub const UNINDEXED: u32 = u32::MAX;

/// The order of reviews: by date descending, then by ID ascending.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// [`Day::number`] of its date.
    pub day: Reverse<i32>,
    /// Orders the reviews of one day.
    pub id: String,
}

impl Key {
    /// A tuple with the same order.
    pub fn sort_key(&self) -> SortKey<'_> {
        (self.day, &self.id)
    }
}

/// Sorts newest first.
pub type SortKey<'a> = (Reverse<i32>, &'a str);

pub const fn sort_key(day: i32, id: &str) -> SortKey<'_> {
    (Reverse(day), id)
}

/// The columns of a segment that filters use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueColumn {
    /// Mentioned technicians, by their shown names.
    Technicians,
    /// IDs of mentioned services.
    Services,
    /// Mentioned places.
    ServiceAreas,
    /// Empty if unknown.
    Languages,
    /// The sources of the reviews.
    Sources,
}

impl ValueColumn {
    /// `column as usize` is below it.
    pub const COUNT: usize = 5;
}

impl From<MentionKind> for ValueColumn {
    fn from(kind: MentionKind) -> Self {
        match kind {
            MentionKind::Technician => Self::Technicians,
            MentionKind::Service => Self::Services,
            MentionKind::ServiceArea => Self::ServiceAreas,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldedValue {
    /// The value as recorded.
    pub value: String,
    /// For comparison with filters.
    pub folded: String,
}

#[derive(Debug, Clone)]
pub struct Entry {
    pub key: Key,
    /// `review_change.review_no`, its number in the text index, if it has one.
    pub review_no: Option<i64>,
    /// 1 to 5.
    pub stars: u8,
    /// The review's JSON in the documents.
    pub json: Vec<u8>,
    /// For comparison with search terms.
    pub folded: String,
    /// Mentions, language and source.
    pub values: Vec<(ValueColumn, FoldedValue)>,
    pub traits: Traits,
    /// `None` until the text is analyzed.
    pub packed_analysis: Option<PackedAnalysis>,
}

impl Entry {
    /// Renders a review. Names found in the text are added to the recorded ones; a review to analyze again keeps those
    /// found before, so that it is published only once more.
    pub fn new(
        review: model::Review,
        names: &[(MentionKind, String)],
        packed_analysis: Option<PackedAnalysis>,
        links: &Links,
    ) -> Self {
        let review = with_names(review, names);
        let day: Day = review.date;
        let stars = review.rating.stars();
        let folded = fold(&review.text);
        let mentions = &review.mentions;
        let lists = [
            (ValueColumn::Technicians, mentions.technicians.as_slice()),
            (ValueColumn::Services, &mentions.services),
            (ValueColumn::ServiceAreas, &mentions.service_areas),
            (ValueColumn::Languages, review.language.as_slice()),
            (
                ValueColumn::Sources,
                std::slice::from_ref(&review.source.name),
            ),
        ];
        let mention = |value: &String| FoldedValue {
            value: value.clone(),
            folded: fold(value),
        };
        let values = lists.iter().flat_map(|(column, values)| {
            let values = values.iter();
            values.map(|value| (*column, mention(value)))
        });
        let values = values.collect();
        let traits = Traits {
            has_text: !review.text.is_empty(),
            has_response: review.response.is_some(),
        };
        let review = wire::Review::new(review, links);
        let json = wire::json(&review);
        let key = Key {
            day: Reverse(day.number()),
            id: review.id,
        };
        Self {
            key,
            review_no: None,
            stars,
            json,
            folded,
            values,
            traits,
            packed_analysis,
        }
    }

    /// Renders a review whose text is not analyzed yet.
    pub fn unanalyzed(review: model::Review, links: &Links) -> Self {
        Self::new(review, &[], None, links)
    }

    pub fn numbered(self, review_no: Option<i64>) -> Self {
        Self { review_no, ..self }
    }

    /// The review's number if the text index certainly finds every trigram of its text, otherwise [`UNINDEXED`]. The
    /// index may miss trigrams of texts that are not UTF-8 in the file (they are repaired with U+FFFD, while FTS5 reads
    /// other characters there), and of texts with NUL, at which FTS5 before SQLite 3.44 stopped. Other programs may
    /// write such rows.
    pub(super) fn indexed_no(&self) -> u32 {
        let is_alike = !self.folded.contains(['\u{FFFD}', '\0']);
        self.review_no
            .filter(|_| is_alike)
            .and_then(|number| u32::try_from(number).ok())
            .unwrap_or(UNINDEXED)
    }
}

/// Adds the names found in the text.
fn with_names(mut review: model::Review, names: &[(MentionKind, String)]) -> model::Review {
    if names.is_empty() {
        return review;
    }
    let Mentions {
        mut technicians,
        mut services,
        mut service_areas,
    } = take(&mut review.mentions);
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
