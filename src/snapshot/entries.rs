//! All published reviews, newest first, with their segments and the index of their values.

use std::cmp::Reverse;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bytes::Bytes;
use chrono::Datelike;
use roaring::RoaringBitmap;
use sha2::{Digest, Sha256};

use super::entry::{self, Entry, EntryKey, QueryTrigrams, Segment, TEXTS_PER_BLOCK, position};
use super::index::Index;
use crate::links::Links;
use crate::model::{Day, FoldedText, RatingCounts, ReviewId};

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
        let segments = entry::divide(&list, &previous.segments, previous, links);
        let ends = segments.iter().scan(0, |end, segment| {
            *end += segment.count();
            Some(*end)
        });
        Self {
            index: Arc::new(Index::new(&list)),
            ends: ends.collect(),
            segments: segments.into(),
            list: list.into(),
        }
    }

    /// The entries after `changes`: each review's new entry, or `None` if it is no longer published.
    pub fn revise(&self, changes: Vec<(ReviewId, Option<Entry>)>, links: &Links) -> Self {
        let (mut gone, mut new) = (RoaringBitmap::new(), Vec::new());
        for (id, entry) in changes {
            gone.extend(self.find(&id).map(position));
            new.extend(entry.map(Arc::new));
        }
        let kept = self
            .iter()
            .enumerate()
            .filter(|(at, _)| !gone.contains(position(*at)));
        let mut list: Vec<_> = kept.map(|(_, entry)| Arc::clone(entry)).collect();
        list.append(&mut new);
        list.sort_by(|one, other| one.key().cmp(&other.key()));
        Self::new(list, self, links)
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
        let mut positions = self.index.positions_by_hash(id.as_str());
        positions.find(|at| self[*at].id() == id)
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
    pub fn positions(&self, since: Option<Day>, until: Option<Day>) -> Range<u32> {
        let start = until.map_or(0, |day| self.count_after(day));
        let end = since.map_or(self.len(), |day| self.count_since(day));
        position(start)..position(end.max(start))
    }

    /// The texts that may match the query, newest first, with their positions.
    pub fn candidates<'a>(
        &'a self,
        query: &'a QueryTrigrams,
    ) -> impl Iterator<Item = (u32, FoldedText<'a>)> {
        let segments = self.segments.iter().zip(&*self.ends);
        let blocks = segments.flat_map(|(segment, end)| {
            let starts = (end - segment.count()..).step_by(TEXTS_PER_BLOCK);
            starts.zip(&segment.texts)
        });
        blocks.flat_map(|(start, block)| {
            let texts = block.candidates(query);
            texts.map(move |at| (position(start + at), block.text(at)))
        })
    }

    /// The text of the entry at that position.
    pub fn text(&self, at: usize) -> FoldedText<'_> {
        let (whole, start) = self.cut(at);
        let at = at - start;
        self.segments[whole].texts[at / TEXTS_PER_BLOCK].text(at % TEXTS_PER_BLOCK)
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
        self.segments[whole].json_at(at - start)
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
