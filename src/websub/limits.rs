//! Rate limits on requests and on the verifications that they cause, by the client's address and by the callback's.
//! This code only counts; it neither answers nor sends. The monotonic clock is used, so setting the wall clock neither
//! lifts nor prolongs a limit.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;

use thiserror::Error;

use crate::clock::{Clock, Monotonic};
use crate::compute::{lock, network};
use crate::config::HubLimits;
use crate::snapshot::Document;

/// Prefix length of an IPv6 client address, the size of one customer's network; IPv4 clients are single addresses.
pub const SOURCE_PREFIX: u32 = 64;
/// Prefix length of a larger customer's network, which contains 65,536 of the former. It also applies to callback
/// addresses.
pub const NETWORK_PREFIX: u32 = 48;
/// Maximum requests per minute that renew, end or repeat one known subscription while other limits are used up.
const KNOWN_PER_MINUTE: u64 = 4;

/// All rates of the hub, per minute.
#[derive(Debug)]
pub struct RateLimits {
    /// The settings, including the limits on waiting requests and subscriptions.
    pub limits: HubLimits,
    by_source: RateLimit<IpAddr>,
    by_network: RateLimit<IpAddr>,
    by_host: RateLimit<String>,
    by_subscription: RateLimit<(Document, String)>,
    /// Verifications sent to callbacks in one network, under any names.
    by_address: RateLimit<IpAddr>,
    /// An additional share for renewing and ending active subscriptions, so that forged requests for a subscriber's
    /// address do not block it.
    by_address_reserved: RateLimit<IpAddr>,
    clock: Clock,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{reason}; try again in {} s.", after.as_secs().max(1))]
pub struct RateExceeded {
    /// Which limit was exceeded.
    pub reason: &'static str,
    /// The wait before the next attempt.
    pub after: Duration,
}

impl RateLimits {
    pub fn new(limits: &HubLimits, clock: &Clock) -> Self {
        let verifications = limits.verifications_per_address_per_minute;
        Self {
            limits: *limits,
            by_source: RateLimit::new(limits.requests_per_source_per_minute, clock),
            by_network: RateLimit::new(limits.requests_per_network_per_minute, clock),
            by_host: RateLimit::new(limits.verifications_per_host_per_minute, clock),
            by_subscription: RateLimit::new(KNOWN_PER_MINUTE, clock),
            by_address: RateLimit::new(verifications, clock),
            by_address_reserved: RateLimit::new(verifications / 4, clock),
            clock: clock.clone(),
        }
    }

    /// Counts a request from `source`, and from its network.
    ///
    /// # Errors
    /// If either limit is exceeded.
    pub fn count_source(&self, source: IpAddr) -> Result<(), RateExceeded> {
        let by_source = self.by_source.take(&network(source, SOURCE_PREFIX));
        by_source.map_err(exceeded("this address sends too many requests"))?;
        // An IPv4 address is its own network.
        if source.to_canonical().is_ipv4() {
            return Ok(());
        }
        let by_network = self.by_network.take(&network(source, NETWORK_PREFIX));
        by_network.map_err(exceeded("this network sends too many requests"))
    }

    /// Counts a request whose callback is at `host`.
    ///
    /// # Errors
    /// If the limit is exceeded.
    pub fn count_host(&self, host: &str) -> Result<(), RateExceeded> {
        let by_host = self.by_host.take(&host.to_owned());
        by_host.map_err(exceeded("this callback's host gets too many requests"))
    }

    /// Whether a known subscription may be renewed, ended or requested again although another limit is used up; counts
    /// the request if so.
    pub fn has_own_share(&self, document: Document, callback_key: &str) -> bool {
        let key = (document, callback_key.to_owned());
        self.by_subscription.take(&key).is_ok()
    }

    /// Books a verification for all of `addresses`, except those that `before` has booked.
    ///
    /// # Errors
    /// The [`Turn`] to wait for, if its time has not come yet.
    pub fn book_verification(
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
            let network = network(*address, NETWORK_PREFIX);
            if turn.networks.contains(&network) {
                continue;
            }
            let is_booked = before.is_some_and(|turn| turn.networks.contains(&network));
            let booked = if is_booked || is_active && self.by_address.take(&network).is_ok() {
                Ok(Duration::ZERO)
            } else if is_active {
                self.by_address_reserved.book(&network)
            } else {
                self.by_address.book(&network)
            };
            let (Ok(wait) | Err(wait)) = booked;
            let decides = now + wait > turn.at;
            turn.at = turn.at.max(now + wait);
            if booked.is_ok() {
                let place = if decides { 0 } else { turn.networks.len() };
                turn.networks.insert(place, network);
            }
        }
        if turn.at > now { Err(turn) } else { Ok(()) }
    }
}

/// The wait is rounded up to whole seconds, because clients are told no others, and one that is too short ends in another
/// refusal.
fn exceeded(reason: &'static str) -> impl Fn(Duration) -> RateExceeded {
    move |after| {
        let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
        RateExceeded {
            reason,
            after: Duration::from_secs(seconds),
        }
    }
}

/// The booked time of a verification.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    /// The earliest instant at which it may be used.
    pub at: Monotonic,
    /// The networks for which it is booked; the first is the one that decides `at`.
    pub networks: Vec<IpAddr>,
}

/// Maximum number of keys of one limit; more are refused until one of them is free again.
const KEYS_MAX: usize = 50_000;
const REMOVAL_INTERVAL: Duration = Duration::from_secs(1);

/// Allows `count` per minute and key, all of which may come at once; more are refused or booked ahead (GCRA). Booking
/// gives each waiting request its own time; with a limiter that only refuses (governor), all of them would retry at the
/// first free time. The state is only in memory, so a restart resets it.
#[derive(Debug)]
struct RateLimit<K> {
    interval: Duration,
    burst: Duration,
    clock: Clock,
    buckets: Mutex<Buckets<K>>,
}

/// All times are since the clock's start.
#[derive(Debug)]
struct Buckets<K> {
    /// The time at which each key's bucket is full again.
    free_at: HashMap<K, Duration>,
    /// The earliest time for removing full buckets again if there are too many; each removal visits all.
    next_removal_at: Duration,
}

impl<K: Hash + Eq + Clone> RateLimit<K> {
    /// `count` per minute, at least one.
    fn new(count: u64, clock: &Clock) -> Self {
        let count = u32::try_from(count).unwrap_or(u32::MAX).max(1);
        let interval = Duration::from_mins(1) / count;
        Self {
            interval,
            burst: interval * (count - 1),
            clock: clock.clone(),
            buckets: Mutex::new(Buckets {
                free_at: HashMap::new(),
                next_removal_at: Duration::ZERO,
            }),
        }
    }

    /// Takes one for `key`; `Err` is the wait until one is free.
    fn take(&self, key: &K) -> Result<(), Duration> {
        self.book_within(key, Duration::ZERO).map(drop)
    }

    /// Books one for `key` and returns the wait until then; `Err` is the wait until it can be booked.
    fn book(&self, key: &K) -> Result<Duration, Duration> {
        self.book_within(key, Duration::MAX)
    }

    /// Books one for `key` if the wait is at most `wait_max`; `Err` is the wait if it is not booked.
    fn book_within(&self, key: &K, wait_max: Duration) -> Result<Duration, Duration> {
        let now = self.clock.monotonic().since_start();
        let mut buckets = lock(&self.buckets);
        let known_at = buckets.free_at.get(key).copied();
        if known_at.is_none() && buckets.free_at.len() >= KEYS_MAX && !buckets.remove_full(now) {
            return Err(REMOVAL_INTERVAL);
        }
        let at = known_at.map_or(now, |at| now.max(at));
        let wait = at.saturating_sub(self.burst).saturating_sub(now);
        if wait > wait_max {
            return Err(wait);
        }
        buckets.free_at.insert(key.clone(), at + self.interval);
        Ok(wait)
    }
}

impl<K> Buckets<K> {
    /// Removes full buckets, which limit nothing, at most once per [`REMOVAL_INTERVAL`]; whether there is room now.
    fn remove_full(&mut self, now: Duration) -> bool {
        if now >= self.next_removal_at {
            self.free_at.retain(|_, at| *at > now);
            self.next_removal_at = now + REMOVAL_INTERVAL;
        }
        self.free_at.len() < KEYS_MAX
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta};

    use super::*;
    use crate::clock::tests::set_wall;

    fn clock() -> Clock {
        Clock::manual(DateTime::UNIX_EPOCH + TimeDelta::days(20_000))
    }

    #[test]
    fn a_key_has_its_share_each_minute_and_others_have_theirs() {
        let clock = clock();
        let limit = RateLimit::new(2, &clock);
        assert_eq!([limit.take(&"a"), limit.take(&"a")], [Ok(()), Ok(())]);
        assert_eq!(limit.take(&"a"), Err(Duration::from_secs(30)));
        assert_eq!(limit.take(&"b"), Ok(()));
        clock.advance(TimeDelta::seconds(30));
        assert_eq!(limit.take(&"a"), Ok(()));
    }

    #[test]
    fn with_as_many_keys_as_are_kept_a_new_one_is_refused_until_one_is_free_again() {
        let clock = clock();
        let limit = RateLimit::new(60, &clock);
        for key in 0..KEYS_MAX {
            assert_eq!(limit.take(&key), Ok(()));
        }
        assert_eq!(limit.take(&KEYS_MAX), Err(REMOVAL_INTERVAL));
        assert_eq!(limit.take(&0), Ok(()), "a known key keeps its share");
        assert_eq!(limit.book(&KEYS_MAX), Err(REMOVAL_INTERVAL));
        assert_eq!(lock(&limit.buckets).free_at.len(), KEYS_MAX);
        clock.advance(TimeDelta::seconds(1));
        assert_eq!(limit.take(&KEYS_MAX), Ok(()));
        assert_eq!(
            lock(&limit.buckets).free_at.len(),
            2,
            "with the key that took two"
        );
    }

    #[test]
    fn setting_the_wall_clock_neither_opens_a_limit_nor_closes_it_for_longer() {
        for by in [TimeDelta::hours(1), TimeDelta::hours(-1)] {
            let clock = clock();
            let limit = RateLimit::new(1, &clock);
            assert_eq!(limit.take(&"a"), Ok(()));
            set_wall(&clock, by);
            assert_eq!(limit.take(&"a"), Err(Duration::from_mins(1)), "{by}");
            clock.advance(TimeDelta::minutes(1));
            assert_eq!(limit.take(&"a"), Ok(()), "{by}");
        }
    }

    #[test]
    fn each_that_is_put_off_has_a_moment_of_its_own() {
        let clock = clock();
        let limit = RateLimit::new(20, &clock);
        let waits: Vec<u64> = (0..23)
            .map(|_| limit.book(&"a").unwrap().as_secs())
            .collect();
        assert_eq!((&waits[..20], &waits[20..]), (&[0; 20][..], &[3, 6, 9][..]));
        assert_eq!(limit.book(&"b"), Ok(Duration::ZERO));
        clock.advance(TimeDelta::seconds(3));
        assert!(
            limit.take(&"a").is_err(),
            "what is free now was booked before"
        );
        assert_eq!(
            limit.book(&"a"),
            Ok(Duration::from_secs(9)),
            "behind those that wait"
        );
        clock.advance(TimeDelta::minutes(2));
        assert_eq!((0..20).filter(|_| limit.take(&"a").is_ok()).count(), 20);
    }
}
