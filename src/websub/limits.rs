//! The hub's limits on rates, as entries of one table: each allows an amount in a period for each key, such as requests a
//! minute from one source or bytes an hour to one host.
//!
//! This code only counts; it neither answers nor sends. The monotonic clock is used, so setting the wall clock neither
//! lifts nor prolongs a limit. The state is only in memory, so a restart resets it.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;

use thiserror::Error;

use crate::clock::Clock;
use crate::compute::{lock, network};
use crate::config::HubLimits;
use crate::config::bounds::LIMITED_KEYS_MAX;
use crate::model::named;

/// Prefix length of an IPv6 network that one customer may have, of clients and of callbacks; an IPv4 network is one address.
pub const NETWORK_PREFIX: u32 = 48;
/// Maximum requests per minute that renew, end or repeat one known subscription while other limits are used up, and maximum
/// verifications of it then: so forged requests for a subscriber's address do not block it.
const KNOWN_PER_MINUTE: u64 = 4;

named! {
    /// The rows of the table, each with its reason; clients see those of `Source` and `Host`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Rate {
        Source = "this address sends too many requests",
        Host = "this callback's host gets too many requests",
        /// Requests for one known subscription, and verifications of it, beyond the other limits.
        Known = "this subscription is requested too often",
        /// Verifications sent to callbacks in one network, under any names.
        Verifications = "this callback's address gets too many verifications",
        Bytes = "this callback's host gets too many bytes",
    }
}

impl Rate {
    /// The amount that is allowed in the period.
    fn allowed(self, limits: &HubLimits) -> (u64, Duration) {
        let minute = Duration::from_mins(1);
        match self {
            Self::Source => (limits.requests_per_source_per_minute, minute),
            Self::Host => (limits.verifications_per_host_per_minute, minute),
            Self::Known => (KNOWN_PER_MINUTE, minute),
            Self::Verifications => (limits.verifications_per_address_per_minute, minute),
            Self::Bytes => (limits.bytes_per_host_per_hour, Duration::from_hours(1)),
        }
    }
}

/// The table: each amount may be used at once, and then becomes free again evenly over the period (GCRA).
#[derive(Debug)]
pub struct RateLimits {
    /// The settings, including the limits on waiting requests and subscriptions.
    pub limits: HubLimits,
    clock: Clock,
    /// For each limit, the time since the clock's start at which a key's whole amount is free again.
    free_at: [Mutex<HashMap<String, Duration>>; Rate::ALL.len()],
    /// The time since the clock's start that is booked for a waiting verification, by subscription and network.
    booked: Mutex<HashMap<(i64, String), Duration>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{reason}; try again in {} s.", after.as_secs().max(1))]
pub struct RateExceeded {
    pub reason: &'static str,
    pub after: Duration,
}

impl RateLimits {
    pub fn new(limits: &HubLimits, clock: &Clock) -> Self {
        Self {
            limits: *limits,
            clock: clock.clone(),
            free_at: Rate::ALL.map(|_| Mutex::default()),
            booked: Mutex::default(),
        }
    }

    /// Uses one of `rate` for `key`.
    ///
    /// # Errors
    /// If none is free.
    pub fn take(&self, rate: Rate, key: &str) -> Result<(), RateExceeded> {
        let taken = self.book(rate, key, 1, Duration::ZERO);
        taken.map(drop).map_err(|after| RateExceeded {
            reason: rate.name(),
            // Clients get whole seconds, and a wait that is too short ends in another refusal.
            after: Duration::from_secs(after.as_secs() + u64::from(after.subsec_nanos() > 0)),
        })
    }

    /// Counts a verification of a subscription for the networks of all `addresses` if it may be sent now; one of an active subscription
    /// counts only for itself. Otherwise it is booked for the first time at which all of them are free.
    ///
    /// # Errors
    /// The time to wait, and the network that has had too many.
    pub fn book_verification(
        &self,
        subscription_id: i64,
        addresses: &[IpAddr],
        is_active: bool,
    ) -> Result<(), (Duration, String)> {
        let networks: BTreeSet<String> = (addresses.iter())
            .map(|address| network(*address, NETWORK_PREFIX).to_string())
            .collect();
        if is_active {
            let taken = self.take(Rate::Known, &subscription_id.to_string());
            let network = networks.into_iter().next().unwrap_or_default();
            return taken.map_err(|exceeded| (exceeded.after, network));
        }
        let now = self.clock.monotonic().since_start();
        let mut booked = lock(&self.booked);
        let (mut longest, mut full_network, mut times) = (Duration::ZERO, None, Vec::new());
        for network in networks {
            let key = (subscription_id, network);
            let booking = match booked.remove(&key) {
                Some(at) => Ok(at.saturating_sub(now)),
                None => self.book(Rate::Verifications, &key.1, 1, Duration::MAX),
            };
            let (Ok(wait) | Err(wait)) = booking;
            if wait > longest {
                (longest, full_network) = (wait, Some(key.1.clone()));
            }
            // Without a booking, it is tried again.
            if booking.is_ok() {
                times.push((key, now + wait));
            }
        }
        let Some(network) = full_network else {
            return Ok(());
        };
        if booked.len() >= LIMITED_KEYS_MAX {
            booked.retain(|_, at| *at > now);
        }
        booked.extend(times);
        Err((longest, network))
    }

    /// Books `amount` of `rate` for `key` if it is free within `wait_max`, and returns the wait; `Err` is the wait if it is not
    /// booked. Booking gives each waiting request its own time: if all only tried again, they would do so at once.
    fn book(
        &self,
        rate: Rate,
        key: &str,
        amount: u64,
        wait_max: Duration,
    ) -> Result<Duration, Duration> {
        let (allowed, period) = rate.allowed(&self.limits);
        let allowed = u128::from(allowed.max(1));
        // More than the whole amount at once uses up one period.
        let nanoseconds = period.as_nanos() * u128::from(amount).min(allowed) / allowed;
        let share = Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX));
        let now = self.clock.monotonic().since_start();
        let mut keys = lock(&self.free_at[rate as usize]);
        if keys.len() >= LIMITED_KEYS_MAX && !keys.contains_key(key) {
            // Free keys limit nothing.
            keys.retain(|_, at| *at > now);
            if keys.len() >= LIMITED_KEYS_MAX {
                return Err(Duration::from_secs(1));
            }
        }
        let known_at = keys.get(key).copied();
        let free_at = known_at.map_or(now, |at| now.max(at)) + share;
        let wait = free_at.saturating_sub(now + period);
        if wait > wait_max {
            return Err(wait);
        }
        keys.insert(key.to_owned(), free_at);
        Ok(wait)
    }

    /// Whether a delivery to `host` may begin: not all of its bytes are used up.
    pub fn may_send(&self, host: &str) -> bool {
        let (_, period) = Rate::Bytes.allowed(&self.limits);
        let now = self.clock.monotonic().since_start();
        let keys = lock(&self.free_at[Rate::Bytes as usize]);
        keys.get(host).is_none_or(|at| *at < now + period)
    }

    /// Counts `bytes` delivered to `host`. With too many hosts they are not counted: sending too much is better than
    /// nothing.
    pub fn count_sent(&self, host: &str, bytes: u64) {
        let _ = self.book(Rate::Bytes, host, bytes, Duration::MAX);
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta};

    use super::*;

    fn clock() -> Clock {
        Clock::manual(DateTime::UNIX_EPOCH + TimeDelta::days(20_000))
    }

    /// Every limit a minute is `count`, that of bytes an hour 100.
    fn rates(count: u64, clock: &Clock) -> RateLimits {
        let limits = HubLimits {
            requests_per_source_per_minute: count,
            verifications_per_host_per_minute: count,
            verifications_per_address_per_minute: count,
            pending_max: 1,
            subscriptions_per_host_max: 1,
            subscriptions_max: 1,
            bytes_per_host_per_hour: 100,
        };
        RateLimits::new(&limits, clock)
    }

    fn wait(rates: &RateLimits, key: &str) -> Result<(), u64> {
        let taken = rates.take(Rate::Host, key);
        taken.map_err(|exceeded| exceeded.after.as_secs())
    }

    #[test]
    fn a_new_key_is_refused_while_the_table_is_full() {
        let clock = clock();
        let rates = rates(60, &clock);
        for key in 0..LIMITED_KEYS_MAX {
            assert_eq!(wait(&rates, &key.to_string()), Ok(()));
        }
        assert_eq!(wait(&rates, "new"), Err(1));
        assert_eq!(wait(&rates, "0"), Ok(()), "a known key keeps its share");
        assert!(rates.take(Rate::Source, "new").is_ok(), "another limit");
        clock.advance(TimeDelta::seconds(1));
        assert_eq!(wait(&rates, "new"), Ok(()));
        // With the key that took two.
        assert_eq!(lock(&rates.free_at[Rate::Host as usize]).len(), 2);
    }
}
