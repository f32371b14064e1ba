//! Bounds against abuse: anonymous requests make us call strangers, so how often that may happen is
//! bounded per source and per callback host. Counting only: what a refusal looks like is said
//! elsewhere. Minutes are measured on the monotonic clock, so that setting the wall clock neither
//! opens a limit nor closes it for longer.

use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::Clock as _;
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};

use crate::clock::Clock;

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
