//! All published reviews, newest first, in blocks; and where each one is.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::block::{Block, Builder, ends_block, id_hash};
use super::entry::{Entry, Key, place};
use super::positions::Positions;
use crate::reviews::{Day, ReviewId, Tally};
use crate::steps;

/// Into how many parts the index of ids is cut: a change copies one of them.
const SHARDS: usize = 1024;

/// The reviews of one edition. Copies share their blocks.
#[derive(Debug, Clone)]
pub struct Shelf {
    blocks: Vec<Arc<Block>>,
    /// How many reviews stand before each block.
    starts: Vec<usize>,
    len: usize,
    days: DaysById,
    positions: Arc<OnceLock<Positions>>,
}

impl Default for Shelf {
    fn default() -> Self {
        Self::from_blocks(Vec::new(), DaysById::default())
    }
}

/// Fills a shelf from the newest review to the oldest.
#[derive(Debug, Default)]
pub struct Filler {
    blocks: Vec<Arc<Block>>,
    builder: Builder,
    days: Vec<(u64, i32)>,
}

impl Filler {
    /// Adds the next older review.
    pub fn push(&mut self, entry: &Entry) {
        steps::one();
        self.days.push((id_hash(&entry.key.id), entry.key.day));
        self.builder.push(entry);
        if ends_block(&entry.key.id) {
            self.blocks.push(Arc::new(self.builder.finish()));
        }
    }

    /// The filled shelf.
    #[must_use]
    pub fn finish(mut self) -> Shelf {
        if !self.builder.is_empty() {
            self.blocks.push(Arc::new(self.builder.finish()));
        }
        Shelf::from_blocks(self.blocks, DaysById::new(self.days))
    }
}

impl Shelf {
    fn from_blocks(blocks: Vec<Arc<Block>>, days: DaysById) -> Self {
        let (mut starts, mut len) = (Vec::with_capacity(blocks.len()), 0);
        for block in &blocks {
            starts.push(len);
            len += block.len();
        }
        Self { blocks, starts, len, days, positions: Arc::default() }
    }

    /// How many reviews there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The blocks, newest first.
    #[must_use]
    pub fn blocks(&self) -> &[Arc<Block>] {
        &self.blocks
    }

    /// All stars, counted.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        self.blocks.iter().for_each(|block| tally.add(block.tally()));
        tally
    }

    /// How many reviews are still to be read.
    #[must_use]
    pub fn count_unread(&self) -> usize {
        self.blocks.iter().map(|block| block.unread().len()).sum()
    }

    /// The ids of reviews that are still to be read, newest first.
    pub fn unread(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().flat_map(|block| block.unread().iter().map(|index| block.id(*index as usize)))
    }

    /// Day and id of the reviews from `position` on, newest first: all, or only those that are still to be read.
    pub fn places(&self, position: usize, is_all: bool) -> impl Iterator<Item = (i32, &str)> {
        let blocks = self.blocks.iter().zip(&self.starts).filter(move |(block, start)| **start + block.len() > position);
        blocks.flat_map(move |(block, start)| {
            let indices = position.saturating_sub(*start)..block.len();
            let is_wanted = move |index: &usize| is_all || block.note(*index).is_none();
            indices.filter(is_wanted).map(|index| (block.days()[index], block.id(index)))
        })
    }

    /// How many bytes their folded texts have.
    #[must_use]
    pub fn text_bytes(&self) -> usize {
        self.blocks.iter().map(|block| block.folded().len()).sum()
    }

    /// The blocks that hold these positions, newest first, each with the indices of the reviews meant.
    pub fn slices(&self, positions: Range<usize>) -> impl Iterator<Item = (&Block, Range<usize>)> {
        let slices = self.blocks.iter().zip(&self.starts).map(move |(block, start)| {
            let indices = positions.start.saturating_sub(*start)..block.len().min(positions.end.saturating_sub(*start));
            (&**block, indices)
        });
        slices.filter(|(_, indices)| !indices.is_empty())
    }

    /// How many reviews are of `day` or newer: the length of the prefix that they are.
    #[must_use]
    pub fn count_since(&self, day: Day) -> usize {
        self.count_before(|block, index| block.days()[index] >= day.number())
    }

    /// How many reviews are newer than `day`.
    #[must_use]
    pub fn count_after(&self, day: Day) -> usize {
        self.count_before(|block, index| block.days()[index] > day.number())
    }

    /// How many reviews stand at or before the place of that day number and id, whether or not it is taken.
    #[must_use]
    pub fn count_through(&self, day: i32, id: &str) -> usize {
        self.count_before(|block, index| block.place(index) <= place(day, id))
    }

    /// How many reviews there are for which `stands` holds, given that it holds for a prefix.
    fn count_before(&self, stands: impl Fn(&Block, usize) -> bool) -> usize {
        let at = self.blocks.partition_point(|block| stands(block, block.len() - 1));
        let Some(block) = self.blocks.get(at) else { return self.len };
        let (mut low, mut high) = (0, block.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if stands(block, middle) { low = middle + 1 } else { high = middle }
        }
        self.starts[at] + low
    }

    /// The block that holds the review at `position`, and its index there.
    #[must_use]
    pub fn locate(&self, position: usize) -> Option<(usize, usize)> {
        let block = self.starts.partition_point(|start| *start <= position).checked_sub(1)?;
        (position < self.len).then(|| (block, position - self.starts[block]))
    }

    /// Where the reviews stand that the text index names by number; counted when it is first asked for.
    #[must_use]
    pub fn positions(&self) -> &Positions {
        self.positions.get_or_init(|| Positions::new(self.blocks.iter().map(|block| block.review_nos()), self.len))
    }

    /// The JSON of the newest `count` reviews, each followed by a comma.
    #[must_use]
    pub fn json_of_first(&self, count: usize) -> Vec<Bytes> {
        let count = count.min(self.len);
        let whole = self.starts.partition_point(|start| *start < count);
        let mut pieces: Vec<Bytes> = self.blocks[..whole.saturating_sub(1)].iter().map(|block| block.json().clone()).collect();
        if let Some(last) = whole.checked_sub(1) {
            pieces.push(self.blocks[last].json_of_first(count - self.starts[last]));
        }
        pieces
    }

    /// A digest of the newest `count` reviews' JSON: of whole blocks' digests, and of the part of the last one.
    #[must_use]
    pub fn digest_of_first(&self, count: usize) -> [u8; 32] {
        let count = count.min(self.len);
        let whole = self.starts.partition_point(|start| *start < count);
        let mut digest = Sha256::new();
        for (block, start) in self.blocks.iter().zip(&self.starts).take(whole) {
            if start + block.len() <= count {
                digest.update(block.digest());
            } else {
                digest.update(Sha256::digest(block.json_of_first(count - start)));
            }
        }
        digest.finalize().into()
    }

    /// The JSON of the review of that id.
    #[must_use]
    pub fn find(&self, id: &ReviewId) -> Option<Bytes> {
        let id = id.as_str();
        self.days.of(id_hash(id)).find_map(|day| {
            let (block, index) = self.locate(self.count_through(day, id).checked_sub(1)?)?;
            let block = &self.blocks[block];
            (block.id(index) == id).then(|| block.json_of(index))
        })
    }

    /// The shelf after `changes`: each review as it is now, or `None` where it does not appear any more.
    /// Blocks that no change touches are shared.
    #[must_use]
    pub fn revise(&self, changes: Vec<(ReviewId, Option<Entry>)>) -> Self {
        let mut days = self.days.clone();
        let (mut gone, mut new) = (BTreeSet::new(), BTreeMap::new());
        for (id, entry) in changes {
            let hash = id_hash(id.as_str());
            for day in self.days.of(hash).filter(|day| self.holds(*day, id.as_str())) {
                days.remove(hash, day);
                gone.insert(Key { day, id: id.to_string() });
            }
            if let Some(entry) = entry {
                days.insert(hash, entry.key.day);
                new.insert(entry.key.clone(), entry);
            }
        }
        Self::from_blocks(merge(&self.blocks, &gone, new), days)
    }

    fn holds(&self, day: i32, id: &str) -> bool {
        let at = self.count_through(day, id).checked_sub(1).and_then(|position| self.locate(position));
        at.is_some_and(|(block, index)| self.blocks[block].place(index) == place(day, id))
    }
}

/// The blocks without `gone` and with `new`.
fn merge(blocks: &[Arc<Block>], gone: &BTreeSet<Key>, new: BTreeMap<Key, Entry>) -> Vec<Arc<Block>> {
    let mut revised = Vec::with_capacity(blocks.len() + 1);
    let mut builder = Builder::default();
    let mut gone = gone.iter().peekable();
    let mut new = new.into_iter().peekable();
    for block in blocks {
        let last = block.place(block.len() - 1);
        let is_open = !ends_block(block.id(block.len() - 1));
        let is_touched = !builder.is_empty()
            || gone.peek().is_some_and(|key| key.borrowed() <= last)
            || new.peek().is_some_and(|(key, _)| is_open || key.borrowed() <= last);
        if !is_touched {
            revised.push(Arc::clone(block));
            continue;
        }
        for index in 0..block.len() {
            steps::one();
            let place = block.place(index);
            while let Some((_, entry)) = new.next_if(|(key, _)| key.borrowed() <= place) {
                push(&mut builder, &mut revised, &entry);
            }
            if gone.next_if(|key| key.borrowed() == place).is_none() {
                builder.push_from(block, index);
                finish_if(ends_block(block.id(index)), &mut builder, &mut revised);
            }
        }
    }
    for (_, entry) in new {
        push(&mut builder, &mut revised, &entry);
    }
    finish_if(!builder.is_empty(), &mut builder, &mut revised);
    revised
}

fn push(builder: &mut Builder, blocks: &mut Vec<Arc<Block>>, entry: &Entry) {
    builder.push(entry);
    finish_if(ends_block(&entry.key.id), builder, blocks);
}

fn finish_if(is_complete: bool, builder: &mut Builder, blocks: &mut Vec<Arc<Block>>) {
    if is_complete {
        blocks.push(Arc::new(builder.finish()));
    }
}

/// The day of each review by its id's hash; two ids may share a hash, so whoever asks compares the id found.
#[derive(Debug, Clone)]
struct DaysById(Vec<Arc<Vec<(u64, i32)>>>);

impl Default for DaysById {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl DaysById {
    fn new(mut days: Vec<(u64, i32)>) -> Self {
        days.sort_unstable();
        let mut rest = days.as_slice();
        let shards = (0..SHARDS).map(|shard| {
            let (mine, others) = rest.split_at(rest.partition_point(|(hash, _)| Self::shard(*hash) <= shard));
            rest = others;
            Arc::new(mine.to_vec())
        });
        Self(shards.collect())
    }

    /// By the highest bits, so that a sorted list is cut into shards by slicing.
    #[expect(clippy::cast_possible_truncation, reason = "the ten highest bits fit")]
    const fn shard(hash: u64) -> usize {
        (hash >> (u64::BITS - SHARDS.trailing_zeros())) as usize
    }

    fn of(&self, hash: u64) -> impl Iterator<Item = i32> {
        let shard = &self.0[Self::shard(hash)];
        let start = shard.partition_point(|(its, _)| *its < hash);
        shard[start..].iter().take_while(move |(its, _)| *its == hash).map(|(_, day)| *day)
    }

    fn insert(&mut self, hash: u64, day: i32) {
        let shard = Arc::make_mut(&mut self.0[Self::shard(hash)]);
        let at = shard.partition_point(|entry| *entry < (hash, day));
        shard.insert(at, (hash, day));
    }

    fn remove(&mut self, hash: u64, day: i32) {
        let shard = Arc::make_mut(&mut self.0[Self::shard(hash)]);
        if let Ok(at) = shard.binary_search(&(hash, day)) {
            shard.remove(at);
        }
    }
}
