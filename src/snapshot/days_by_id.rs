//! On which day the review of an id was written: with day and id, its place in the order is found by
//! bisection. Apart from the index, because it is cut into shards of which a change copies one.

use std::sync::Arc;

/// Into how many parts the index of ids is cut: a change copies one of them.
const SHARDS: usize = 1024;

/// The day of each review by its id's hash; two ids may share a hash, so whoever asks compares the
/// id found.
#[derive(Debug, Clone)]
pub struct DaysById(Vec<Arc<Vec<(u64, i32)>>>);

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

    /// By the highest bits, so that a sorted list is cut into shards by slicing.
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
