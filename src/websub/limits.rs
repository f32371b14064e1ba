//! The hub's limits on rates, as entries of one table: each allows an amount in a period for each key, such as requests a
//! minute from one source or bytes an hour to one host.
//!
//! This code only counts; it neither answers nor sends. The monotonic clock is used, so setting the wall clock neither
//! lifts nor prolongs a limit. The state is only in memory, so a restart resets it.

use std::collections::HashMap;
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
const REMOVAL_INTERVAL: Duration = Duration::from_secs(1);

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
    rates: [Mutex<Keys>; Rate::ALL.len()],
    /// The verifications that wait, by subscription.
    booked: Mutex<HashMap<i64, Booking>>,
}

/// The keys of one limit. All times are since the clock's start.
#[derive(Debug, Default)]
struct Keys {
    /// The time at which a key's whole amount is free again.
    free_at: HashMap<String, Duration>,
    /// The earliest time for removing free keys again if there are too many; each removal visits all.
    next_removal_at: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{reason}; try again in {} s.", after.as_secs().max(1))]
pub struct RateExceeded {
    pub reason: &'static str,
    pub after: Duration,
}

/// The time that a verification must wait for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerificationWait {
    pub wait: Duration,
    /// The network that has had too many.
    pub network: String,
}

/// The time, since the clock's start, that is booked for a verification.
#[derive(Debug)]
struct Booking {
    at: Duration,
    /// The networks of its callback's addresses.
    networks: Vec<String>,
}

impl RateLimits {
    pub fn new(limits: &HubLimits, clock: &Clock) -> Self {
        Self {
            limits: *limits,
            clock: clock.clone(),
            rates: Rate::ALL.map(|_| Mutex::default()),
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

    /// Counts a verification of a subscription for the networks of all `addresses` if it may be sent now. Otherwise it is booked
    /// for the first time at which all of them are free.
    pub fn book_verification(
        &self,
        subscription_id: i64,
        addresses: &[IpAddr],
        is_active: bool,
    ) -> Result<(), VerificationWait> {
        let now = self.clock.monotonic().since_start();
        let mut booked = lock(&self.booked);
        let former = booked.remove(&subscription_id);
        let (mut wait, mut slowest, mut networks) = (Duration::ZERO, None, Vec::new());
        for address in addresses {
            let network = network(*address, NETWORK_PREFIX).to_string();
            if networks.contains(&network) {
                continue;
            }
            let of_network = match &former {
                Some(former) if former.networks.contains(&network) => {
                    Ok(former.at.saturating_sub(now))
                }
                Some(_) | None => {
                    let active = is_active.then_some(subscription_id);
                    self.book_for_network(&network, active)
                }
            };
            let (Ok(after) | Err(after)) = of_network;
            if after > wait {
                (wait, slowest) = (after, Some(network.clone()));
            }
            if of_network.is_ok() {
                networks.push(network);
            }
        }
        let Some(network) = slowest else {
            return Ok(());
        };
        if booked.len() >= LIMITED_KEYS_MAX {
            booked.retain(|_, booking| booking.at > now);
        }
        if booked.len() < LIMITED_KEYS_MAX {
            let at = now + wait;
            booked.insert(subscription_id, Booking { at, networks });
        }
        Err(VerificationWait { wait, network })
    }

    /// Counts a verification for `network`, now or later, and returns the wait; `Err` is the wait if it is not counted. `active` is
    /// the ID of an active subscription.
    fn book_for_network(&self, network: &str, active: Option<i64>) -> Result<Duration, Duration> {
        let Some(subscription_id) = active else {
            return self.book(Rate::Verifications, network, 1, Duration::MAX);
        };
        if self.take(Rate::Verifications, network).is_ok() {
            return Ok(Duration::ZERO);
        }
        self.book(Rate::Known, &subscription_id.to_string(), 1, Duration::MAX)
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
        let mut keys = lock(&self.rates[rate as usize]);
        let known_at = keys.free_at.get(key).copied();
        if known_at.is_none() && !keys.has_room(now) {
            return Err(REMOVAL_INTERVAL);
        }
        let free_at = known_at.map_or(now, |at| now.max(at)) + share;
        let wait = free_at.saturating_sub(now + period);
        if wait > wait_max {
            return Err(wait);
        }
        keys.free_at.insert(key.to_owned(), free_at);
        Ok(wait)
    }

    /// Whether a delivery to `host` may begin: not all of its bytes are used up.
    pub fn may_send(&self, host: &str) -> bool {
        let (_, period) = Rate::Bytes.allowed(&self.limits);
        let now = self.clock.monotonic().since_start();
        let keys = lock(&self.rates[Rate::Bytes as usize]);
        keys.free_at.get(host).is_none_or(|at| *at < now + period)
    }

    /// Counts `bytes` delivered to `host`. With too many hosts they are not counted: sending too much is better than
    /// nothing.
    pub fn count_sent(&self, host: &str, bytes: u64) {
        let _ = self.book(Rate::Bytes, host, bytes, Duration::MAX);
    }
}

impl Keys {
    /// Whether another key fits. Removes free keys, which limit nothing, at most once per [`REMOVAL_INTERVAL`].
    fn has_room(&mut self, now: Duration) -> bool {
        if self.free_at.len() >= LIMITED_KEYS_MAX && now >= self.next_removal_at {
            self.free_at.retain(|_, at| *at > now);
            self.next_removal_at = now + REMOVAL_INTERVAL;
        }
        self.free_at.len() < LIMITED_KEYS_MAX
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
        assert_eq!(lock(&rates.rates[Rate::Host as usize]).free_at.len(), 2);
    }
}
