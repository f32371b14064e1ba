//! Bounds against abuse: anonymous requests make us call strangers, so how often that may happen is
//! bounded per source and per callback host. Counting only: what a refusal looks like is said
//! elsewhere. Minutes are measured on the monotonic clock, so that setting the wall clock neither
//! opens a limit nor closes it for longer.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use governor::clock::Clock as _;
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};

use crate::clock::{Clock, Monotonic};

/// With more keys than this, those that are full again are forgotten.
const KEYS_MAX: usize = 50_000;

/// Our monotonic clock as governor reads it.
#[derive(Debug, Clone)]
struct Ticks(Clock);

impl governor::clock::Clock for Ticks {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        self.0.monotonic().since_start().into()
    }
}

/// So many a minute for each key, all of which may come at once.
#[derive(Debug)]
pub struct PerMinute<K: Hash + Eq + Clone> {
    limiter: RateLimiter<K, HashMapStateStore<K>, Ticks, NoOpMiddleware<Nanos>>,
    clock: Ticks,
}

impl<K: Hash + Eq + Clone> PerMinute<K> {
    /// `count` a minute, at least one.
    #[must_use]
    pub fn new(count: u64, clock: &Clock) -> Self {
        let count =
            NonZeroU32::new(u32::try_from(count).unwrap_or(u32::MAX)).unwrap_or(NonZeroU32::MIN);
        let clock = Ticks(clock.clone());
        Self {
            limiter: RateLimiter::hashmap_with_clock(Quota::per_minute(count), clock.clone()),
            clock,
        }
    }

    /// Takes one for `key`.
    ///
    /// # Errors
    /// After how long there will be one again.
    pub fn take(&self, key: &K) -> Result<(), Duration> {
        if self.limiter.len() > KEYS_MAX {
            self.limiter.retain_recent();
        }
        self.limiter
            .check_key(key)
            .map_err(|until| until.wait_time_from(self.clock.now()))
    }
}

/// The share of a limit that is kept for renewing and ending what is there: a quarter besides, at
/// least one.
#[must_use]
pub const fn reserved(limit: u64) -> u64 {
    if limit < 4 { 1 } else { limit / 4 }
}

/// What is counted as one: an IPv4 address, or the IPv6 network of the first `prefix` bits (1 to
/// 128).
#[must_use]
pub fn network(address: IpAddr, prefix: u32) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(
            address.to_bits() & (u128::MAX << (128 - prefix)),
        )),
    }
}

// How often callbacks at one network may be asked to verify, whatever their names: anonymous
// requests make us call strangers. Who would have to wait books a turn. Renewing and ending active
// subscriptions has a share of its own, so that false requests that lead to a subscriber's address
// do not keep it out.

/// What is dialled is counted by one IPv4 address, or by one IPv6 /48.
pub const ADDRESS_PREFIX: u32 = 48;

/// See the head of this file.
#[derive(Debug)]
pub struct Addresses {
    clock: Clock,
    all: Bookings<IpAddr>,
    reserved: Bookings<IpAddr>,
}

impl Addresses {
    /// `count` verifications a minute for each network, and a quarter as many more for active
    /// subscriptions.
    #[must_use]
    pub fn new(count: u64, clock: &Clock) -> Self {
        Self {
            clock: clock.clone(),
            all: Bookings::new(count, clock),
            reserved: Bookings::new(reserved(count), clock),
        }
    }

    /// Books a turn at all of `addresses`, but where `before` has one already.
    ///
    /// # Errors
    /// The turn, where it has not come yet.
    pub fn book(
        &self,
        before: Option<&Turn>,
        addresses: &[IpAddr],
        is_active: bool,
    ) -> Result<(), Turn> {
        let now = self.clock.monotonic();
        let mut turn = Turn {
            at: before.map_or(now, |turn| turn.at),
            networks: Vec::with_capacity(addresses.len()),
        };
        for address in addresses {
            let network = network(*address, ADDRESS_PREFIX);
            if turn.networks.contains(&network) {
                continue;
            }
            let is_booked = before.is_some_and(|turn| turn.networks.contains(&network));
            let next = if is_booked {
                now
            } else {
                self.next(&network, is_active, now)
            };
            if next > turn.at {
                turn.at = next;
                turn.networks.insert(0, network);
            } else {
                turn.networks.push(network);
            }
        }
        if turn.at > now { Err(turn) } else { Ok(()) }
    }

    fn next(&self, network: &IpAddr, is_active: bool, now: Monotonic) -> Monotonic {
        if is_active && !self.all.book_now(network) {
            return now + self.reserved.book(network);
        }
        if is_active {
            now
        } else {
            now + self.all.book(network)
        }
    }
}

// How much one host is sent in an hour: enough for any subscriber, too little to drown one. Hours
// are measured on the monotonic clock.

const HOUR: Duration = Duration::from_hours(1);

/// Hosts that are remembered; more than these are forgotten together, which errs on the side of
/// sending.
const HOSTS_MAX: usize = 100_000;

/// Bytes per host and hour.
#[derive(Debug)]
pub struct Budget {
    bytes_per_hour: u64,
    spent: HashMap<String, (Monotonic, u64)>,
}

impl Budget {
    /// A budget of so many bytes for each host.
    #[must_use]
    pub fn new(bytes_per_hour: u64) -> Self {
        Self {
            bytes_per_hour,
            spent: HashMap::new(),
        }
    }

    /// Whether `host` has had its share of this hour.
    #[must_use]
    pub fn is_spent(&self, host: &str, now: Monotonic) -> bool {
        self.spent
            .get(host)
            .is_some_and(|(since, bytes)| *bytes >= self.bytes_per_hour && now < *since + HOUR)
    }

    /// Counts what `host` is sent now.
    pub fn spend(&mut self, host: &str, bytes: u64, now: Monotonic) {
        if self.spent.len() >= HOSTS_MAX {
            self.spent.clear();
        }
        let entry = self.spent.entry(host.to_owned()).or_insert((now, 0));
        if now >= entry.0 + HOUR {
            *entry = (now, 0);
        }
        entry.1 += bytes;
    }
}

// Which callbacks may be known, without asking the database for each: a flood of requests that a limit
// refuses costs it one look a second, not one each.
//
// Errs on one side: a callback that is in here is looked up. One that another process has taken is
// missed for as long as the list stands, and refused like a stranger's until then.

/// How long the list stands.
const STANDS: Duration = Duration::from_secs(1);
/// For each second that reading it took, this many pass before it is read again.
const PAUSE_FACTOR: u32 = 20;

pub(super) struct KnownCallbacks {
    clock: Clock,
    hasher: RandomState,
    list: tokio::sync::Mutex<List>,
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
            list: tokio::sync::Mutex::default(),
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

// Who has to wait for a limit, and until when: turns are booked ahead, so that each of those that
// a limit puts off knows the moment at which it may go on, and does nothing before. Kept in memory
// alone: after a restart turns are booked anew.

/// With more keys than this, those at which nobody waits are forgotten.
const TURNS_MAX: usize = 50_000;
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
        if booked.len() >= TURNS_MAX {
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
    use chrono::DateTime;

    use super::*;

    #[test]
    fn a_key_has_its_share_each_minute_and_others_have_theirs() {
        let clock = Clock::manual(DateTime::UNIX_EPOCH + chrono::Duration::days(20_000));
        let limit = PerMinute::new(2, &clock);
        assert_eq!([limit.take(&"a"), limit.take(&"a")], [Ok(()), Ok(())]);
        assert_eq!(limit.take(&"a"), Err(Duration::from_secs(30)));
        assert_eq!(limit.take(&"b"), Ok(()));
        clock.advance(chrono::Duration::seconds(30));
        assert_eq!(limit.take(&"a"), Ok(()));
    }

    #[test]
    fn setting_the_wall_clock_neither_opens_a_limit_nor_closes_it_for_longer() {
        for by in [chrono::Duration::hours(1), chrono::Duration::hours(-1)] {
            let clock = Clock::manual(DateTime::UNIX_EPOCH + chrono::Duration::days(20_000));
            let limit = PerMinute::new(1, &clock);
            assert_eq!(limit.take(&"a"), Ok(()));
            clock.set_wall(by);
            assert_eq!(limit.take(&"a"), Err(Duration::from_mins(1)), "{by}");
            clock.advance(chrono::Duration::minutes(1));
            assert_eq!(limit.take(&"a"), Ok(()), "{by}");
        }
    }
}

#[cfg(test)]
mod budget_tests {
    use super::*;

    #[test]
    fn a_host_rests_until_its_hour_is_over() {
        let (mut budget, start) = (Budget::new(100), Monotonic::default());
        budget.spend("a", 60, start);
        assert!(!budget.is_spent("a", start));
        budget.spend("a", 60, start);
        assert!(budget.is_spent("a", start + Duration::from_mins(59)));
        assert!(!budget.is_spent("a", start + HOUR));
        assert!(!budget.is_spent("b", start));
    }
}

#[cfg(test)]
mod known_tests {
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

#[cfg(test)]
mod turns_tests {
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
