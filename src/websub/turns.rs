//! Who has to wait for a limit, and until when: turns are booked ahead, so that each of those that
//! a limit puts off knows the moment at which it may go on, and does nothing before. Kept in memory
//! alone: after a restart turns are booked anew.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::clock::{Clock, Monotonic};

/// With more keys than this, those at which nobody waits are forgotten.
const KEYS_MAX: usize = 50_000;
/// A turn that nobody has taken for so long belongs to a request that is not there any more.
const FORGOTTEN_AFTER: Duration = Duration::from_hours(1);

/// A turn that was booked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    /// The instant, on the monotonic clock, at which it may be taken.
    pub at: Monotonic,
    /// At which networks it was booked; the one that is waited for is the first.
    pub networks: Vec<IpAddr>,
}

/// So many a minute for each key, all of which may come at once; those beyond are given the next
/// free moment (GCRA, as governor counts, which can say when there is a moment again but not keep
/// it for anybody).
#[derive(Debug)]
pub struct Bookings<K> {
    interval: Duration,
    burst: Duration,
    clock: Clock,
    /// When each key would be free again if none could come at once.
    booked: Mutex<HashMap<K, Duration>>,
}

impl<K: Hash + Eq + Clone> Bookings<K> {
    /// `count` a minute, at least one.
    #[must_use]
    pub fn new(count: u64, clock: &Clock) -> Self {
        let count = u32::try_from(count).unwrap_or(u32::MAX).max(1);
        let interval = Duration::from_mins(1) / count;
        Self {
            interval,
            burst: interval * (count - 1),
            clock: clock.clone(),
            booked: Mutex::default(),
        }
    }

    /// Books a turn at `key`, and says how long it is until then.
    pub fn book(&self, key: &K) -> Duration {
        self.book_within(key, Duration::MAX).unwrap_or_default()
    }

    /// Books a turn at `key` if there is one that is free now; says whether there was.
    pub fn book_now(&self, key: &K) -> bool {
        self.book_within(key, Duration::ZERO).is_some()
    }

    fn book_within(&self, key: &K, longest: Duration) -> Option<Duration> {
        let now = self.clock.monotonic().since_start();
        let mut booked = self.booked.lock().unwrap_or_else(PoisonError::into_inner);
        if booked.len() >= KEYS_MAX {
            booked.retain(|_, until| *until > now);
        }
        let free_at = booked.get(key).map_or(now, |until| now.max(*until));
        let wait = free_at.saturating_sub(self.burst).saturating_sub(now);
        if wait > longest {
            return None;
        }
        booked.insert(key.clone(), free_at + self.interval);
        Some(wait)
    }
}

/// Subscriptions with which nothing is done before their turn.
#[derive(Debug, Default)]
pub struct Waiting(HashMap<i64, Turn>);

impl Waiting {
    /// From now on this one waits for its turn.
    pub fn insert(&mut self, subscription_id: i64, turn: Turn) {
        self.0.insert(subscription_id, turn);
    }

    /// Whether its turn has not come yet.
    #[must_use]
    pub fn contains(&self, subscription_id: i64, now: Monotonic) -> bool {
        self.0
            .get(&subscription_id)
            .is_some_and(|turn| turn.at > now)
    }

    /// Its turn, which has come, if it waited for one.
    pub fn take(&mut self, subscription_id: i64) -> Option<Turn> {
        self.0.remove(&subscription_id)
    }

    /// When the next turn comes; those that nobody took are forgotten.
    pub fn next_at(&mut self, now: Monotonic) -> Option<Monotonic> {
        self.0.retain(|_, turn| turn.at + FORGOTTEN_AFTER > now);
        self.0
            .values()
            .map(|turn| turn.at)
            .filter(|at| *at > now)
            .min()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta};

    use super::*;

    #[test]
    fn each_that_is_put_off_has_a_moment_of_its_own() {
        let clock = Clock::manual(DateTime::UNIX_EPOCH);
        let bookings = Bookings::new(20, &clock);
        let waits: Vec<u64> = (0..23).map(|_| bookings.book(&"a").as_secs()).collect();
        assert_eq!((&waits[..20], &waits[20..]), (&[0; 20][..], &[3, 6, 9][..]));
        assert_eq!(bookings.book(&"b"), Duration::ZERO);
        clock.advance(TimeDelta::seconds(3));
        assert!(
            !bookings.book_now(&"a"),
            "what is free now was booked before"
        );
        assert_eq!(
            bookings.book(&"a"),
            Duration::from_secs(9),
            "behind those that wait"
        );
        clock.advance(TimeDelta::minutes(2));
        assert_eq!((0..20).filter(|_| bookings.book_now(&"a")).count(), 20);
    }

    #[test]
    fn whoever_waits_is_told_from_those_whose_turn_has_come() {
        let (mut waiting, start) = (Waiting::default(), Monotonic::default());
        let at = |seconds| start + Duration::from_secs(seconds);
        waiting.insert(
            1,
            Turn {
                at: at(3),
                networks: Vec::new(),
            },
        );
        waiting.insert(
            2,
            Turn {
                at: at(6),
                networks: Vec::new(),
            },
        );
        assert_eq!(
            (
                waiting.contains(1, at(2)),
                waiting.contains(1, at(3)),
                waiting.contains(9, start)
            ),
            (true, false, false)
        );
        assert_eq!(
            (
                waiting.next_at(at(3)),
                waiting.take(1).is_some(),
                waiting.len()
            ),
            (Some(at(6)), true, 1)
        );
        assert_eq!(
            (waiting.next_at(at(3_700)), waiting.len()),
            (None, 0),
            "nobody came for it"
        );
    }
}
