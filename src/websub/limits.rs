//! The hub's limits on what strangers may cause: anonymous requests make us call others, so how often
//! that may happen is bounded by who asks and by who is called. Counting only: nothing here answers
//! or sends. Time is measured on the monotonic clock, so that setting the wall clock neither opens a
//! limit nor closes it for longer.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::clock::{Clock, Monotonic};
use crate::config::{HubLimits, network};
use crate::snapshot::Document;

/// A source is one IPv4 address, or an IPv6 network of the size that one customer gets.
const SOURCE_PREFIX: u32 = 64;
/// What one customer of a larger kind gets: 65,536 of those. What is dialled is counted by it, too.
pub const NETWORK_PREFIX: u32 = 48;
/// How often in a minute one subscription may be renewed, ended or asked for anew while limits are
/// used up.
const KNOWN_PER_MINUTE: u64 = 4;

/// Every rate of the hub: what it counts by, and how much is allowed in a minute.
#[derive(Debug)]
pub struct RateLimits {
    /// The settings that they come from, and how many requests and subscriptions there may be.
    pub limits: HubLimits,
    by_source: RateLimit<IpAddr>,
    by_network: RateLimit<IpAddr>,
    by_host: RateLimit<String>,
    by_subscription: RateLimit<(Document, String)>,
    /// Verifications sent to callbacks at one network, whatever their names.
    by_address: RateLimit<IpAddr>,
    /// More of them, for renewing and ending active subscriptions alone, so that false requests that
    /// lead to a subscriber's address do not keep it out.
    by_address_reserved: RateLimit<IpAddr>,
    clock: Clock,
}

/// A request is one too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateExceeded {
    /// What there is too much of.
    pub reason: &'static str,
    /// After how long there is room again.
    pub after: Duration,
}

impl RateLimits {
    /// The rates that these settings allow.
    #[must_use]
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

    /// Counts a request from `source`, and from the network that it is in.
    ///
    /// # Errors
    /// [`RateExceeded`].
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
    /// [`RateExceeded`].
    pub fn count_host(&self, host: &str) -> Result<(), RateExceeded> {
        let by_host = self.by_host.take(&host.to_owned());
        by_host.map_err(exceeded("this callback's host gets too many requests"))
    }

    /// Whether a subscription that is known may be renewed, ended or asked for anew, though another
    /// limit is used up.
    #[must_use]
    pub fn has_own_share(&self, document: Document, callback_key: &str) -> bool {
        let key = (document, callback_key.to_owned());
        self.by_subscription.take(&key).is_ok()
    }

    /// Books a verification at all of `addresses`, but where `before` has booked one already.
    ///
    /// # Errors
    /// The turn, where it has not come yet.
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
            let wait = if is_booked || is_active && self.by_address.take(&network).is_ok() {
                Duration::ZERO
            } else if is_active {
                self.by_address_reserved.book(&network)
            } else {
                self.by_address.book(&network)
            };
            if now + wait > turn.at {
                turn.at = now + wait;
                turn.networks.insert(0, network);
            } else {
                turn.networks.push(network);
            }
        }
        if turn.at > now { Err(turn) } else { Ok(()) }
    }
}

fn exceeded(reason: &'static str) -> impl Fn(Duration) -> RateExceeded {
    move |after| RateExceeded { reason, after }
}

/// A turn that was booked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    /// The instant, on the monotonic clock, at which it may be taken.
    pub at: Monotonic,
    /// At which networks it was booked; the one that is waited for is the first.
    pub networks: Vec<IpAddr>,
}

/// With more keys than this, those that are unused again are forgotten.
const KEYS_MAX: usize = 50_000;

/// So many a minute for each key, all of which may come at once; those beyond are refused, or booked
/// ahead (GCRA). Booking gives each of those that wait a moment of its own, before which it does
/// nothing; a limiter that only refuses (governor) would have all of them ask again at the first free
/// one. Kept in memory alone: after a restart all is counted anew.
#[derive(Debug)]
struct RateLimit<K> {
    interval: Duration,
    burst: Duration,
    clock: Clock,
    /// When each key would be free again if none could come at once, since the start.
    free_at: Mutex<HashMap<K, Duration>>,
}

impl<K: Hash + Eq + Clone> RateLimit<K> {
    /// `count` a minute, at least one.
    fn new(count: u64, clock: &Clock) -> Self {
        let count = u32::try_from(count).unwrap_or(u32::MAX).max(1);
        let interval = Duration::from_mins(1) / count;
        Self {
            interval,
            burst: interval * (count - 1),
            clock: clock.clone(),
            free_at: Mutex::default(),
        }
    }

    /// Takes one for `key`, if there is one now; or says after how long there will be.
    fn take(&self, key: &K) -> Result<(), Duration> {
        self.book_within(key, Duration::ZERO).map(drop)
    }

    /// Books one for `key`, and says how long it is until then.
    fn book(&self, key: &K) -> Duration {
        let (Ok(wait) | Err(wait)) = self.book_within(key, Duration::MAX);
        wait
    }

    /// Books one for `key` where the wait until then, which it says, is no longer than `wait_max`.
    fn book_within(&self, key: &K, wait_max: Duration) -> Result<Duration, Duration> {
        let now = self.clock.monotonic().since_start();
        let mut free_at = self.free_at.lock().unwrap_or_else(PoisonError::into_inner);
        if free_at.len() >= KEYS_MAX {
            free_at.retain(|_, at| *at > now);
        }
        let at = free_at.get(key).map_or(now, |at| now.max(*at));
        let wait = at.saturating_sub(self.burst).saturating_sub(now);
        if wait > wait_max {
            return Err(wait);
        }
        free_at.insert(key.clone(), at + self.interval);
        Ok(wait)
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
pub struct HostBudget {
    bytes_per_hour: u64,
    spent: HashMap<String, (Monotonic, u64)>,
}

impl HostBudget {
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

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta};

    use super::*;

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
    fn setting_the_wall_clock_neither_opens_a_limit_nor_closes_it_for_longer() {
        for by in [TimeDelta::hours(1), TimeDelta::hours(-1)] {
            let clock = clock();
            let limit = RateLimit::new(1, &clock);
            assert_eq!(limit.take(&"a"), Ok(()));
            clock.set_wall(by);
            assert_eq!(limit.take(&"a"), Err(Duration::from_mins(1)), "{by}");
            clock.advance(TimeDelta::minutes(1));
            assert_eq!(limit.take(&"a"), Ok(()), "{by}");
        }
    }

    #[test]
    fn each_that_is_put_off_has_a_moment_of_its_own() {
        let clock = clock();
        let limit = RateLimit::new(20, &clock);
        let waits: Vec<u64> = (0..23).map(|_| limit.book(&"a").as_secs()).collect();
        assert_eq!((&waits[..20], &waits[20..]), (&[0; 20][..], &[3, 6, 9][..]));
        assert_eq!(limit.book(&"b"), Duration::ZERO);
        clock.advance(TimeDelta::seconds(3));
        assert!(
            limit.take(&"a").is_err(),
            "what is free now was booked before"
        );
        assert_eq!(
            limit.book(&"a"),
            Duration::from_secs(9),
            "behind those that wait"
        );
        clock.advance(TimeDelta::minutes(2));
        assert_eq!((0..20).filter(|_| limit.take(&"a").is_ok()).count(), 20);
    }

    #[test]
    fn a_host_rests_until_its_hour_is_over() {
        let (mut budget, start) = (HostBudget::new(100), Monotonic::default());
        budget.spend("a", 60, start);
        assert!(!budget.is_spent("a", start));
        budget.spend("a", 60, start);
        assert!(budget.is_spent("a", start + Duration::from_mins(59)));
        assert!(!budget.is_spent("a", start + HOUR));
        assert!(!budget.is_spent("b", start));
    }
}
