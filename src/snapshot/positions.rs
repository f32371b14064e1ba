//! Maps review numbers of the text index to positions in a snapshot.

use std::collections::HashMap;
use std::sync::Arc;

use super::segment::UNINDEXED;

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
    #[must_use]
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
    #[must_use]
    pub fn find(&self, review_no: u32) -> Option<u32> {
        let listed = self
            .table
            .get(review_no as usize)
            .copied()
            .filter(|position| *position != NOWHERE);
        listed.or_else(|| self.beyond.get(&review_no).copied())
    }

    /// The positions of reviews that the text index may not find, ascending.
    #[must_use]
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
