//! All published reviews as values, newest first, with their analyses and the index of their values. They form segments:
//! the JSON of about 128 consecutive ones and their texts for queries, shared by every snapshot that has them unchanged.
//!
//! A segment ends after a review whose ID has a certain hash, never by count. So segments depend only on the reviews,
//! not on the order of their arrival, and a change rebuilds only its own segment.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::ops::{Deref, Range};
use std::sync::Arc;

use chrono::Datelike;
use hyper::body::Bytes;
use roaring::RoaringBitmap;
use sha2::{Digest, Sha256};

use super::index::Index;
use crate::insights::CompactAnalysis;
use crate::links::Links;
use crate::model::{
    Day, FNV_OFFSET, FoldedText, PublishedReview, RatingCounts, Review, ReviewId, fnv1a, fold_both,
};
use crate::wire;

/// The entries of one snapshot, newest first. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Entries {
    list: Arc<[Arc<Entry>]>,
    segments: Arc<[Arc<Segment>]>,
    /// The number of entries up to the end of each segment.
    ends: Arc<[usize]>,
    index: Arc<Index>,
}

impl Deref for Entries {
    type Target = [Arc<Entry>];

    fn deref(&self) -> &[Arc<Entry>] {
        &self.list
    }
}

impl Entries {
    /// `list` is newest first. Segments are shared with `previous` if their content is the same.
    pub fn new(list: Vec<Arc<Entry>>, previous: &Self, links: &Links) -> Self {
        let mut index = Index::default();
        for (at, entry) in (0..).zip(&list) {
            let analysis = entry.analysis.as_ref();
            index.add(at, entry.review_no, &entry.review, analysis);
        }
        let segments = divide(&list, &previous.segments, previous, links);
        let ends = segments.iter().scan(0, |end, segment| {
            *end += segment.count();
            Some(*end)
        });
        Self {
            index: index.into(),
            ends: ends.collect(),
            segments: segments.into(),
            list: list.into(),
        }
    }

    /// The entries with `new` ones in place of those of the reviews `ids`.
    pub fn revise(
        &self,
        ids: &HashSet<ReviewId>,
        new: impl IntoIterator<Item = Entry>,
        links: &Links,
    ) -> Self {
        let gone = ids.iter().filter_map(|id| self.find(id));
        let gone: RoaringBitmap = gone.map(position).collect();
        let kept = self.iter().enumerate();
        let kept = kept.filter(|(at, _)| !gone.contains(position(*at)));
        let mut list: Vec<_> = kept.map(|(_, entry)| Arc::clone(entry)).collect();
        list.extend(new.into_iter().map(Arc::new));
        list.sort_by(|one, other| one.key().cmp(&other.key()));
        Self::new(list, self, links)
    }

    /// Whether both are clones of the same entries.
    pub fn is_same_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.list, &other.list)
    }

    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Newest first.
    pub fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    /// The position of the review with that ID.
    pub fn find(&self, id: &ReviewId) -> Option<usize> {
        self.index.by_id.get(id).map(|at| *at as usize)
    }

    /// The number of entries of `day` or later, which form a prefix.
    pub fn count_since(&self, day: Day) -> usize {
        self.partition_point(|entry| entry.review.date >= day)
    }

    /// The number of entries after `day`.
    pub fn count_after(&self, day: Day) -> usize {
        self.partition_point(|entry| entry.review.date > day)
    }

    /// The number of entries up to the position of that day and ID, even if no review has them.
    pub fn count_through(&self, day: Day, id: &str) -> usize {
        let key: EntryKey<'_> = (Reverse(day), id);
        self.partition_point(|entry| entry.key() <= key)
    }

    /// The positions of the days from `since` to `until`, both inclusive.
    pub fn positions_between(&self, since: Option<Day>, until: Option<Day>) -> Range<u32> {
        let start = until.map_or(0, |day| self.count_after(day));
        let end = since.map_or(self.len(), |day| self.count_since(day));
        position(start)..position(end.max(start))
    }

    /// The texts of the entries at these positions, newest first.
    pub fn texts<'a>(
        &'a self,
        positions: &'a RoaringBitmap,
    ) -> impl Iterator<Item = (u32, FoldedText<'a>)> {
        // Not a range of positions for each segment, which searches the set from its beginning.
        let (mut whole, mut start) = (0, 0);
        positions.iter().map(move |at| {
            while self.ends[whole] <= at as usize {
                start = self.ends[whole];
                whole += 1;
            }
            (at, self.segments[whole].text(at as usize - start))
        })
    }

    /// The text of the entry at that position.
    pub fn text(&self, at: usize) -> FoldedText<'_> {
        let (whole, start) = self.cut(at);
        self.segments[whole].text(at - start)
    }

    /// The years with reviews, newest first, with the positions of each.
    pub fn years(&self) -> impl Iterator<Item = (i32, Range<u32>)> {
        let years = self.chunk_by(|one, other| year(one) == year(other));
        years.scan(0, |start, of_year| {
            let positions = *start..*start + position(of_year.len());
            *start = positions.end;
            Some((year(&of_year[0]), positions))
        })
    }

    pub fn rating_counts(&self) -> RatingCounts {
        self.index.rating_counts(0..position(self.len()))
    }

    /// The JSON of the entry at that position, and its SHA-256.
    pub fn json(&self, at: usize) -> (Bytes, &[u8; 32]) {
        let (whole, start) = self.cut(at);
        let (segment, at) = (&self.segments[whole], at - start);
        let (end, digest) = &segment.rendered[at];
        let start = segment.json_of_first(at).len();
        (segment.json.slice(start..*end), digest)
    }

    /// The JSON of the newest `count` reviews, each followed by a comma.
    pub fn json_of_first(&self, count: usize) -> Vec<Bytes> {
        let (whole, start) = self.cut(count);
        let segments = self.segments[..whole].iter();
        let mut pieces: Vec<Bytes> = segments.map(|one| one.json.clone()).collect();
        if start < count.min(self.len()) {
            pieces.push(self.segments[whole].json_of_first(count - start));
        }
        pieces
    }

    /// A digest of the newest `count` reviews' JSON, from the digests of whole segments and that of the rest.
    pub fn digest_of_first(&self, count: usize) -> [u8; 32] {
        let (whole, start) = self.cut(count);
        let mut digest = Sha256::new();
        let segments = self.segments[..whole].iter();
        segments.for_each(|one| digest.update(one.digest));
        if start < count.min(self.len()) {
            digest.update(self.segments[whole].digest_of_first(count - start));
        }
        digest.finalize().into()
    }

    /// The number of segments within the newest `count` entries, and that of their entries.
    fn cut(&self, count: usize) -> (usize, usize) {
        let whole = self.ends.partition_point(|end| *end <= count);
        (
            whole,
            whole.checked_sub(1).map_or(0, |last| self.ends[last]),
        )
    }
}

fn year(entry: &Entry) -> i32 {
    entry.review.date.date().year()
}

/// The order of entries: by date descending, then by ID ascending.
type EntryKey<'a> = (Reverse<Day>, &'a str);

#[derive(Debug)]
pub struct Entry {
    /// `review_change.review_no`; `None` if that row was deleted.
    pub review_no: Option<i64>,
    /// With technicians as they are shown, and with the names that its text mentions.
    pub review: Review,
    /// `None` until the text is analyzed.
    pub analysis: Option<CompactAnalysis>,
}

impl Entry {
    pub const fn id(&self) -> &ReviewId {
        &self.review.id
    }

    pub fn key(&self) -> EntryKey<'_> {
        (Reverse(self.review.date), self.review.id.as_str())
    }
}

/// FNV-1a with the finaliser of `MurmurHash3`. Must not change: segments, and so digests and `ETag`s, depend on it.
fn id_hash(id: &str) -> u64 {
    let hash = fnv1a(FNV_OFFSET, id.as_bytes());
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    hash ^ (hash >> 33)
}

/// A position as bitmaps hold it; no snapshot has 2³² reviews.
pub fn position(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// One ID in this many ends its segment.
const REVIEWS_PER_SEGMENT: u64 = 128;

#[derive(Debug)]
pub struct Segment {
    /// The JSON of its entries, each followed by a comma.
    pub json: Bytes,
    /// Of each entry, at least one: the end of its JSON, and its SHA-256.
    rendered: Box<[(usize, [u8; 32])]>,
    /// The digest of all entries.
    pub digest: [u8; 32],
    /// The texts of its entries in their plain form, in one piece because a search may read all of them.
    plain: Box<str>,
    texts: Box<[FoldedForms]>,
}

#[derive(Debug)]
struct FoldedForms {
    /// Its end in [`Segment::plain`].
    end: usize,
    /// `None` if it equals its plain form.
    folded: Option<Box<str>>,
}

impl Segment {
    /// Renders the entries straight into one buffer: each in its own would leave holes in memory.
    fn new(entries: &[Arc<Entry>], links: &Links) -> Self {
        let (mut json, mut rendered) = (Vec::new(), Vec::with_capacity(entries.len()));
        let (mut texts, mut all) = (Vec::with_capacity(entries.len()), String::new());
        for entry in entries {
            let start = json.len();
            let url = links.review(entry.id().as_str());
            wire::write_json(&mut json, &PublishedReview::new(&entry.review, url));
            rendered.push((json.len(), Sha256::digest(&json[start..]).into()));
            json.push(b',');
            let (folded, plain) = fold_both(&entry.review.text);
            all.push_str(&plain);
            texts.push(FoldedForms {
                end: all.len(),
                folded: (folded != plain).then(|| folded.into()),
            });
        }
        Self {
            json: json.into_boxed_slice().into(),
            digest: digest(&rendered),
            rendered: rendered.into(),
            plain: all.into(),
            texts: texts.into(),
        }
    }

    fn text(&self, at: usize) -> FoldedText<'_> {
        let start = at.checked_sub(1).map_or(0, |before| self.texts[before].end);
        let text = &self.texts[at];
        let plain = &self.plain[start..text.end];
        FoldedText {
            plain,
            folded: text.folded.as_deref().unwrap_or(plain),
        }
    }

    pub const fn count(&self) -> usize {
        self.rendered.len()
    }

    /// The JSON of the first `count` entries, each followed by a comma.
    pub fn json_of_first(&self, count: usize) -> Bytes {
        let last = count.checked_sub(1);
        self.json
            .slice(..last.map_or(0, |last| self.rendered[last].0 + 1))
    }

    pub fn digest_of_first(&self, count: usize) -> [u8; 32] {
        digest(&self.rendered[..count])
    }
}

/// SHA-256 of the digests of these entries' JSON.
fn digest(rendered: &[(usize, [u8; 32])]) -> [u8; 32] {
    let mut digest = Sha256::new();
    rendered.iter().for_each(|(_, one)| digest.update(one));
    digest.finalize().into()
}

/// Whether the review with that ID is the last of its segment.
pub fn ends_segment(id: &str) -> bool {
    id_hash(id).is_multiple_of(REVIEWS_PER_SEGMENT)
}

/// Divides `entries` into segments. Those with the same content as one of `known` are that one.
fn divide(
    entries: &[Arc<Entry>],
    known: &[Arc<Segment>],
    known_entries: &[Arc<Entry>],
    links: &Links,
) -> Vec<Arc<Segment>> {
    let mut by_first = HashMap::with_capacity(known.len());
    let mut start = 0;
    for segment in known {
        let of_segment = &known_entries[start..start + segment.count()];
        by_first.insert(of_segment[0].id().as_str(), (segment, of_segment));
        start += segment.count();
    }
    let by_digest: HashMap<_, _> = known.iter().map(|one| (one.digest, one)).collect();
    let parts = entries.chunk_by(|entry, _| !ends_segment(entry.id().as_str()));
    parts
        .map(|part| {
            let same = by_first.get(part[0].id().as_str()).filter(|(_, other)| {
                let mut pairs = part.iter().zip(*other);
                part.len() == other.len() && pairs.all(|(one, other)| Arc::ptr_eq(one, other))
            });
            if let Some((segment, _)) = same {
                return Arc::clone(segment);
            }
            let new = Segment::new(part, links);
            match by_digest.get(&new.digest) {
                Some(known) => Arc::clone(known),
                None => Arc::new(new),
            }
        })
        .collect()
}
