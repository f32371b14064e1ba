//! All published reviews in segments, newest first, and lookups of their positions.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use chrono::{Datelike, NaiveDate};
use sha2::{Digest, Sha256};

use super::segment::{
    Entry, Key, Segment, SegmentsBuilder, UNINDEXED, ends_segment, id_hash, sort_key,
};
use crate::compute::apart;
use crate::insights::aggregate::{FrequentPhrases, RarePhrases};
use crate::model::{Day, RatingCounts, ReviewId};
use crate::wire;

/// So many phrases in packed analyses, 4 MB, are all kept.
const PHRASES_KEPT: usize = 1 << 20;

/// A review's segment and its index there.
pub type Place = (usize, usize);

/// The reviews of one snapshot. Clones share their segments.
#[derive(Debug, Clone)]
pub struct ReviewIndex {
    segments: Vec<Arc<Segment>>,
    /// The number of reviews before each segment.
    starts: Vec<usize>,
    len: usize,
    days: DaysById,
    /// The phrases that were left out of the segments.
    rare: Arc<RarePhrases>,
    phrases: Arc<OnceLock<FrequentPhrases>>,
    positions: Arc<OnceLock<Positions>>,
}

impl Default for ReviewIndex {
    fn default() -> Self {
        Self::from_segments(Vec::new(), DaysById::default(), RarePhrases::default())
    }
}

/// Reviews are added from the newest to the oldest.
#[derive(Debug, Default)]
pub struct ReviewIndexBuilder {
    segments: SegmentsBuilder,
    days: Vec<(u64, i32)>,
}

impl ReviewIndexBuilder {
    /// The next older review.
    pub fn push(&mut self, entry: &Entry) {
        self.days.push((id_hash(&entry.key.id), entry.key.day.0));
        self.segments.push(entry);
    }

    pub fn finish(self) -> ReviewIndex {
        let (segments, days) = (self.segments.finish(), DaysById::new(self.days));
        ReviewIndex::from_segments(segments, days, RarePhrases::default())
    }
}

impl ReviewIndex {
    /// `rare` are the phrases that were left out of the segments.
    fn from_segments(segments: Vec<Arc<Segment>>, days: DaysById, rare: RarePhrases) -> Self {
        let (mut starts, mut len) = (Vec::with_capacity(segments.len()), 0);
        for segment in &segments {
            starts.push(len);
            len += segment.len();
        }
        Self {
            segments,
            starts,
            len,
            days,
            rare: Arc::new(rare),
            phrases: Arc::default(),
            positions: Arc::default(),
        }
    }

    pub const fn len(&self) -> usize {
        self.len
    }

    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Newest first.
    pub fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    pub fn rating_counts(&self) -> RatingCounts {
        let mut rating_counts = RatingCounts::default();
        self.segments
            .iter()
            .for_each(|segment| rating_counts.add(segment.rating_counts()));
        rating_counts
    }

    pub fn count_unanalyzed(&self) -> usize {
        self.segments
            .iter()
            .map(|segment| segment.unanalyzed().len())
            .sum()
    }

    /// The IDs of reviews that are not analyzed yet, newest first.
    pub fn unanalyzed(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().flat_map(|segment| {
            segment
                .unanalyzed()
                .iter()
                .map(|index| segment.id(*index as usize))
        })
    }

    /// Day and ID of the reviews from `position` on, newest first: all, or only those that are not analyzed yet.
    pub fn keys(&self, position: usize, is_all: bool) -> impl Iterator<Item = (i32, &str)> {
        let segments = self
            .segments
            .iter()
            .zip(&self.starts)
            .filter(move |(segment, start)| **start + segment.len() > position);
        segments.flat_map(move |(segment, start)| {
            let indices = position.saturating_sub(*start)..segment.len();
            let is_wanted =
                move |index: &usize| is_all || segment.packed_analysis(*index).is_none();
            indices
                .filter(is_wanted)
                .map(|index| (segment.days()[index], segment.id(index)))
        })
    }

    /// The size of all folded texts.
    pub fn text_bytes(&self) -> usize {
        self.segments
            .iter()
            .map(|segment| segment.folded().len())
            .sum()
    }

    /// The segments of these positions, newest first, with the indices within each.
    pub fn slices(
        &self,
        positions: Range<usize>,
    ) -> impl Iterator<Item = (&Segment, Range<usize>)> {
        let slices = self
            .segments
            .iter()
            .zip(&self.starts)
            .map(move |(segment, start)| {
                let indices = positions.start.saturating_sub(*start)
                    ..segment.len().min(positions.end.saturating_sub(*start));
                (&**segment, indices)
            });
        slices.filter(|(_, indices)| !indices.is_empty())
    }

    /// The number of reviews on the day with that number or later, which form a prefix.
    pub fn count_since(&self, day: i32) -> usize {
        self.count_before(|segment, index| segment.days()[index] >= day)
    }

    /// The number of reviews after the day with that number.
    pub fn count_after(&self, day: i32) -> usize {
        self.count_before(|segment, index| segment.days()[index] > day)
    }

    /// The years with reviews, newest first, with the positions of each, which are contiguous.
    pub fn years(&self) -> impl Iterator<Item = (i32, Range<usize>)> {
        let mut position = 0;
        std::iter::from_fn(move || {
            let (segment, index) = self.locate(position)?;
            let year = NaiveDate::from_num_days_from_ce_opt(self.segments[segment].days()[index])
                .unwrap_or_default()
                .year();
            let first = NaiveDate::from_ymd_opt(year, 1, 1)
                .and_then(Day::new)
                .unwrap_or(Day::MIN);
            // At least one review, so that the loop ends even if the columns are inconsistent.
            let end = self.count_since(first.number()).max(position + 1);
            let positions = position..end;
            position = end;
            Some((year, positions))
        })
    }

    /// The number of reviews up to the position of that day number and ID, even if no review has them.
    pub fn count_through(&self, day: i32, id: &str) -> usize {
        self.count_before(|segment, index| segment.sort_key(index) <= sort_key(day, id))
    }

    /// The length of the prefix for which `stands` holds.
    fn count_before(&self, stands: impl Fn(&Segment, usize) -> bool) -> usize {
        let at = self
            .segments
            .partition_point(|segment| stands(segment, segment.len() - 1));
        let Some(segment) = self.segments.get(at) else {
            return self.len;
        };
        let (mut low, mut high) = (0, segment.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if stands(segment, middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        self.starts[at] + low
    }

    pub fn locate(&self, position: usize) -> Option<Place> {
        let segment = self
            .starts
            .partition_point(|start| *start <= position)
            .checked_sub(1)?;
        (position < self.len).then(|| (segment, position - self.starts[segment]))
    }

    /// The inverse of [`Self::locate`].
    pub fn position(&self, (segment, index): Place) -> usize {
        self.starts[segment] + index
    }

    /// The positions of reviews by their number in the text index; computed on the first call.
    pub fn positions(&self) -> &Positions {
        self.positions.get_or_init(|| {
            let review_nos = self.segments.iter().map(|segment| segment.review_nos());
            apart(|| Positions::new(review_nos, self.len))
        })
    }

    /// The JSON of the newest `count` reviews, each followed by a comma.
    pub fn json_of_first(&self, count: usize) -> Vec<Bytes> {
        let count = count.min(self.len);
        let whole = self.starts.partition_point(|start| *start < count);
        let mut pieces: Vec<Bytes> = self.segments[..whole.saturating_sub(1)]
            .iter()
            .map(|segment| segment.json().clone())
            .collect();
        if let Some(last) = whole.checked_sub(1) {
            pieces.push(self.segments[last].json_of_first(count - self.starts[last]));
        }
        pieces
    }

    /// A digest of the newest `count` reviews' JSON, from whole segments' digests and the part of the last one.
    pub fn digest_of_first(&self, count: usize) -> [u8; 32] {
        let count = count.min(self.len);
        let whole = self.starts.partition_point(|start| *start < count);
        let mut digest = Sha256::new();
        for (segment, start) in self.segments.iter().zip(&self.starts).take(whole) {
            if start + segment.len() <= count {
                digest.update(segment.digest());
            } else {
                digest.update(segment.digest_of_first(count - start));
            }
        }
        digest.finalize().into()
    }

    pub fn find(&self, id: &ReviewId) -> Option<Place> {
        let id = id.as_str();
        let mut days = self.days.of(id_hash(id));
        days.find_map(|day| self.place_of(day, id))
    }

    /// The place of the review of that day number and ID.
    fn place_of(&self, day: i32, id: &str) -> Option<Place> {
        let (segment, index) = self.locate(self.count_through(day, id).checked_sub(1)?)?;
        let is_its = self.segments[segment].sort_key(index) == sort_key(day, id);
        is_its.then_some((segment, index))
    }

    pub fn json_of(&self, (segment, index): Place) -> Bytes {
        self.segments[segment].json_of(index)
    }

    pub fn review(&self, (segment, index): Place) -> Option<wire::Review> {
        self.segments[segment].review(index)
    }

    pub fn newest(&self, count: usize) -> Vec<wire::Review> {
        let positions = 0..count.min(self.len);
        positions
            .filter_map(|position| self.review(self.locate(position)?))
            .collect()
    }

    /// The same index, using the JSON of `known` for identical segments: an unchanged document keeps it in memory anyway,
    /// and its deflated pieces, which are found by address, stay usable. The segments must not be shared yet.
    pub fn sharing(mut self, known: &Self) -> Self {
        let known = known.segments.iter();
        let known: HashMap<_, _> = known.map(|one| (one.digest(), one.json())).collect();
        for segment in self.segments.iter_mut().filter_map(Arc::get_mut) {
            if let Some(json) = known.get(segment.digest()) {
                segment.set_json((*json).clone());
            }
        }
        self
    }

    /// The same index, whose segments are not shared yet, without rare phrases if they take much memory.
    pub fn without_rare_phrases(mut self) -> Self {
        let segments = self.segments.iter_mut().filter_map(Arc::get_mut);
        let mut analyses: Vec<_> = segments.map(Segment::packed_analyses_mut).collect();
        let rare = RarePhrases::leave_out(&mut analyses, PHRASES_KEPT);
        Self::from_segments(self.segments, self.days, rare)
    }

    /// The phrases in the most reviews; computed on the first call.
    pub fn phrases(&self) -> &FrequentPhrases {
        self.phrases.get_or_init(|| {
            let segments = self.segments.iter();
            let analyses: Vec<_> = segments.map(|segment| segment.packed_analyses()).collect();
            FrequentPhrases::new(&analyses)
        })
    }

    /// The number of changes that [`Self::revise`] may apply before rare phrases must be read again.
    pub fn changes_max(&self) -> usize {
        self.phrases().changes_max(&self.rare)
    }

    /// Applies `changes`: each review's new entry, or `None` if it is no longer published. Untouched segments are
    /// shared. More than [`Self::changes_max`] may make the frequent phrases wrong.
    pub fn revise(&self, changes: Vec<(ReviewId, Option<Entry>)>) -> Self {
        let (mut days, mut rare) = (self.days.clone(), RarePhrases::clone(&self.rare));
        let (mut gone, mut new) = (BTreeSet::new(), BTreeMap::new());
        for (id, entry) in changes {
            let (hash, id) = (id_hash(id.as_str()), id.to_string());
            let out = self.days.of(hash);
            for day in out.filter(|day| self.place_of(*day, &id).is_some()) {
                days.remove(hash, day);
                gone.insert(Key {
                    day: Reverse(day),
                    id: id.clone(),
                });
            }
            if let Some(entry) = entry {
                if let Some(analysis) = &entry.packed_analysis {
                    rare.count(&analysis.phrases);
                }
                days.insert(hash, entry.key.day.0);
                new.insert(entry.key.clone(), entry);
            }
        }
        Self::from_segments(merge(&self.segments, &gone, new), days, rare)
    }
}

/// The segments without `gone` and with `new`: those that a change touches are rebuilt, all others are shared.
fn merge(
    segments: &[Arc<Segment>],
    gone: &BTreeSet<Key>,
    new: BTreeMap<Key, Entry>,
) -> Vec<Arc<Segment>> {
    let mut revised = SegmentsBuilder::default();
    let mut gone = gone.iter().peekable();
    let mut new = new.into_iter().peekable();
    for segment in segments {
        let last = segment.sort_key(segment.len() - 1);
        let is_open = !ends_segment(segment.id(segment.len() - 1));
        let is_touched = revised.is_within_segment()
            || gone.peek().is_some_and(|key| key.sort_key() <= last)
            || new
                .peek()
                .is_some_and(|(key, _)| is_open || key.sort_key() <= last);
        if !is_touched {
            revised.share(segment);
            continue;
        }
        for index in 0..segment.len() {
            let place = segment.sort_key(index);
            while let Some((_, entry)) = new.next_if(|(key, _)| key.sort_key() <= place) {
                revised.push(&entry);
            }
            if gone.next_if(|key| key.sort_key() == place).is_none() {
                revised.push_from(segment, index);
            }
        }
    }
    new.for_each(|(_, entry)| revised.push(&entry));
    revised.finish()
}

// Review numbers of the text index, mapped to positions in a snapshot.

/// Numbers up to this multiple of the number of reviews are looked up in a table with four bytes per entry; greater
/// ones, which only a database with very many deleted reviews has, in a map.
const TABLE_SHARE_MAX: usize = 8;
/// Minimum capacity of the table.
const TABLE_MIN: usize = 1 << 16;
/// In the table: no review of the snapshot has this number.
const NOWHERE: u32 = u32::MAX;

#[derive(Debug, Default)]
pub struct Positions {
    table: Vec<u32>,
    beyond: HashMap<u32, u32>,
    unindexed: Vec<u32>,
}

impl Positions {
    /// `review_nos` are in the order of the `len` reviews.
    pub fn new<'a>(review_nos: impl Iterator<Item = &'a [u32]>, len: usize) -> Self {
        let table_max = len.saturating_mul(TABLE_SHARE_MAX).max(TABLE_MIN);
        let mut positions = Self {
            table: vec![NOWHERE; len],
            ..Self::default()
        };
        for (position, review_no) in (0..).zip(review_nos.flatten()) {
            let index = *review_no as usize;
            if *review_no == UNINDEXED {
                positions.unindexed.push(position);
            } else if index < table_max {
                if positions.table.len() <= index {
                    positions.table.resize(
                        (index + 1).max(positions.table.len() * 2).min(table_max),
                        NOWHERE,
                    );
                }
                positions.table[index] = position;
            } else {
                positions.beyond.insert(*review_no, position);
            }
        }
        positions
    }

    /// `None` if the review is not in this snapshot.
    pub fn find(&self, review_no: u32) -> Option<u32> {
        let listed = self
            .table
            .get(review_no as usize)
            .copied()
            .filter(|position| *position != NOWHERE);
        listed.or_else(|| self.beyond.get(&review_no).copied())
    }

    /// The positions of reviews that the text index may not find, ascending.
    pub fn unindexed(&self) -> &[u32] {
        &self.unindexed
    }
}

// The day of each review by ID: with the day, its position is found by binary search. Sharded, so that a change copies
// only one shard.

/// Shards of the index; a change copies one of them.
const SHARDS: usize = 1024;

/// The day of each review by its ID's hash. IDs may collide, so callers compare the ID that they find.
#[derive(Debug, Clone)]
struct DaysById(Vec<Arc<Vec<(u64, i32)>>>);

impl Default for DaysById {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl DaysById {
    pub fn new(mut days: Vec<(u64, i32)>) -> Self {
        days.sort_unstable();
        let mut rest = days.as_slice();
        let shards = (0..SHARDS).map(|shard| {
            let (mine, others) =
                rest.split_at(rest.partition_point(|(hash, _)| Self::shard(*hash) <= shard));
            rest = others;
            Arc::new(mine.to_vec())
        });
        Self(shards.collect())
    }

    /// The highest bits, so that a sorted list is split into shards by slicing.
    #[expect(clippy::cast_possible_truncation, reason = "the ten highest bits fit")]
    const fn shard(hash: u64) -> usize {
        (hash >> (u64::BITS - SHARDS.trailing_zeros())) as usize
    }

    pub fn of(&self, hash: u64) -> impl Iterator<Item = i32> {
        let shard = &self.0[Self::shard(hash)];
        let start = shard.partition_point(|(its, _)| *its < hash);
        shard[start..]
            .iter()
            .take_while(move |(its, _)| *its == hash)
            .map(|(_, day)| *day)
    }

    pub fn insert(&mut self, hash: u64, day: i32) {
        let shard = Arc::make_mut(&mut self.0[Self::shard(hash)]);
        let at = shard.partition_point(|entry| *entry < (hash, day));
        shard.insert(at, (hash, day));
    }

    pub fn remove(&mut self, hash: u64, day: i32) {
        let shard = Arc::make_mut(&mut self.0[Self::shard(hash)]);
        if let Ok(at) = shard.binary_search(&(hash, day)) {
            shard.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Positions;
    use crate::snapshot::segment::UNINDEXED;

    #[test]
    fn a_number_leads_to_its_review_however_large_it_is() {
        let positions = Positions::new(
            [
                [7_u32, 0].as_slice(),
                &[UNINDEXED, 4_000_000_000],
                &[100_000],
            ]
            .into_iter(),
            5,
        );
        let found = [7, 0, 4_000_000_000, 100_000, 1, 99_999, UNINDEXED]
            .map(|number| positions.find(number));
        assert_eq!(
            found,
            [Some(0), Some(1), Some(3), Some(4), None, None, None]
        );
        assert_eq!(positions.unindexed(), [2]);
    }
}
