//! Which callbacks may be known, without asking the database for each: a flood of requests that a limit
//! refuses costs it one look a second, not one each.
//!
//! Errs on one side: a callback that is in here is looked up. One that another process has taken is
//! missed for as long as the list stands, and refused like a stranger's until then.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use tokio::sync::Mutex;

use crate::clock::{Clock, Monotonic};

/// How long the list stands.
const STANDS: Duration = Duration::from_secs(1);
/// For each second that reading it took, this many pass before it is read again.
const PAUSE_FACTOR: u32 = 20;

pub(super) struct KnownCallbacks {
    clock: Clock,
    hasher: RandomState,
    list: Mutex<List>,
}

#[derive(Default)]
struct List {
    hashes: HashSet<u64>,
    /// Not before anybody has asked.
    stands_until: Option<Monotonic>,
}

impl KnownCallbacks {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            clock,
            hasher: RandomState::new(),
            list: Mutex::default(),
        }
    }

    /// Whether `callback` may be known; `read` reads those that are.
    ///
    /// # Errors
    /// Those of `read`.
    pub(super) async fn may_have<E>(
        &self,
        callback: &str,
        read: impl AsyncFnOnce() -> Result<Vec<String>, E>,
    ) -> Result<bool, E> {
        let mut list = self.list.lock().await;
        let began = self.clock.monotonic();
        if list.stands_until.is_none_or(|until| until <= began) {
            let known = read().await?;
            list.hashes = known.iter().map(|known| self.hash(known)).collect();
            let ended = self.clock.monotonic();
            list.stands_until = Some(ended + STANDS.max((ended - began) * PAUSE_FACTOR));
        }
        Ok(list.hashes.contains(&self.hash(callback)))
    }

    /// Notes a callback that this process has taken.
    pub(super) async fn add(&self, callback: &str) {
        self.list.lock().await.hashes.insert(self.hash(callback));
    }

    fn hash(&self, callback: &str) -> u64 {
        self.hasher.hash_one(callback)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;

    use chrono::DateTime;

    use super::*;

    #[tokio::test]
    async fn a_thousand_strangers_cost_one_look_a_second_and_what_is_taken_here_is_known_at_once() {
        let clock = Clock::manual(DateTime::UNIX_EPOCH + chrono::Duration::days(20_000));
        let (known, reads) = (KnownCallbacks::new(clock.clone()), Cell::new(0));
        let may_have = async |callback: &str| {
            let read = async || {
                reads.set(reads.get() + 1);
                Ok::<_, Infallible>(vec!["a".to_owned()])
            };
            known.may_have(callback, read).await.unwrap()
        };
        for number in 0..1_000 {
            assert!(!may_have(&format!("stranger {number}")).await);
        }
        assert_eq!((may_have("a").await, reads.get()), (true, 1));
        known.add("b").await;
        assert_eq!((may_have("b").await, reads.get()), (true, 1));
        clock.advance(chrono::Duration::seconds(1));
        assert_eq!((may_have("a").await, reads.get()), (true, 2));
    }

    #[tokio::test]
    async fn a_list_that_takes_long_to_read_is_read_less_often() {
        let clock = Clock::manual(DateTime::UNIX_EPOCH + chrono::Duration::days(20_000));
        let (known, reads) = (KnownCallbacks::new(clock.clone()), Cell::new(0));
        for (after_ms, expected) in [(0, 1), (1_999, 1), (1, 2)] {
            clock.advance(chrono::Duration::milliseconds(after_ms));
            let read = async || {
                reads.set(reads.get() + 1);
                clock.advance(chrono::Duration::milliseconds(100));
                Ok::<_, Infallible>(Vec::new())
            };
            assert_eq!(known.may_have("a", read).await, Ok(false));
            assert_eq!(reads.get(), expected, "{after_ms}");
        }
    }
}
