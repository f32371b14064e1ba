//! The hub's intake: what is well-formed and within the limits is committed and then answered 202,
//! before anything is sent. Whether the callback means it is found out afterwards and never said
//! here (WebSub §5.1.2).
//!
//! Limits are there for what is new. What renews or ends an active subscription, or takes the place
//! of its own request, has a share of its own that no stranger's requests use up.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::Notify;

use super::limits::{NETWORK_PREFIX, RateExceeded, RateLimits};
use super::request::{Mode, Request, RequestError, parse};
use super::store::{self, Counts, SubscriptionRequest};
use crate::clock::{Clock, Monotonic};
use crate::config::{LeaseBounds, network};
use crate::links::Links;
use crate::storage::{Database, DbError};
use crate::websub::http_client::Policy;

/// How long committing may take before the request is refused.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(5);
/// When to come back to a hub that is full, or cannot write.
const FULL_RETRY: Duration = Duration::from_mins(1);
const UNAVAILABLE: IntakeError = IntakeError::Unavailable {
    reason: "the hub cannot write now",
    after: FULL_RETRY,
};

/// Of the places for requests that wait, one network has one in so many, but never fewer than these:
/// the network that asks, and the one that is dialled.
const SHARE: u64 = 10;
const SHARE_MIN: u64 = 10;
/// How many times the places may wait in all: those that lead to a network beyond its share take no
/// place, and end here.
const WAITING_FACTOR: u64 = 10;

/// See the head of this file.
pub struct SubscriptionIntake {
    database: Database,
    links: Links,
    clock: Clock,
    policy: Policy,
    leases: LeaseBounds,
    rates: Arc<RateLimits>,
    known: KnownCallbacks,
    wake: Arc<Notify>,
}

/// Why a request was not taken: one line that says what to change.
#[derive(Debug, Error)]
pub enum IntakeError {
    /// It cannot be taken as it is.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// Somebody asks too often: 429.
    #[error("{reason}; try again in {} s.", after.as_secs().max(1))]
    TooMany {
        /// What there is too much of.
        reason: &'static str,
        /// How long to wait.
        after: Duration,
    },
    /// The hub cannot take it now: 503.
    #[error("{reason}; try again in {} s.", after.as_secs().max(1))]
    Unavailable {
        /// Why the request is refused, for the log.
        reason: &'static str,
        /// How long to wait.
        after: Duration,
    },
}

impl From<RateExceeded> for IntakeError {
    fn from(RateExceeded { reason, after }: RateExceeded) -> Self {
        Self::TooMany { reason, after }
    }
}

impl IntakeError {
    /// The body is longer than any request needs to be.
    #[must_use]
    pub const fn too_large() -> Self {
        Self::Request(RequestError::TooLarge)
    }
}

impl SubscriptionIntake {
    /// Takes requests into this database. `wake` tells the worker that there is something new.
    #[must_use]
    pub fn new(
        database: Database,
        links: Links,
        clock: Clock,
        policy: Policy,
        leases: LeaseBounds,
        rates: Arc<RateLimits>,
        wake: Arc<Notify>,
    ) -> Self {
        Self {
            known: KnownCallbacks::new(clock.clone()),
            database,
            links,
            clock,
            policy,
            leases,
            rates,
            wake,
        }
    }

    /// Takes a request from `source`.
    ///
    /// # Errors
    /// [`IntakeError`]; nothing is kept then.
    pub async fn take(
        &self,
        source: Option<IpAddr>,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Result<(), IntakeError> {
        let is_trusted = source.is_some_and(|source| self.policy.is_allowed_besides(source));
        let exceeded = source
            .filter(|_| !is_trusted)
            .and_then(|source| self.rates.count_source(source).err());
        let (mut wanted, is_within) =
            match parse(content_type, body, &self.links, &self.policy, &self.leases) {
                Ok(request) => self.subscription_request(request),
                Err(fault) => return Err(exceeded.map_or_else(|| fault.into(), Into::into)),
            };
        let is_free = is_trusted || is_within;
        if is_free {
            wanted.address = None;
        } else {
            wanted.source = source.map(|source| network(source, NETWORK_PREFIX).to_string());
        }
        let exceeded = exceeded.or_else(|| {
            let of_host = || self.rates.count_host(&wanted.host).err();
            if is_free { None } else { of_host() }
        });
        match tokio::time::timeout(COMMIT_TIMEOUT, self.commit(&wanted, is_free, exceeded)).await {
            Ok(Ok(taken)) => taken?,
            Ok(Err(error)) => {
                tracing::error!(%error, "websub.not_taken: a request could not be committed and was answered 503");
                return Err(UNAVAILABLE);
            }
            Err(_) => {
                tracing::error!(
                    "websub.not_taken: the database was not available within 5 s; the request was answered 503"
                );
                return Err(UNAVAILABLE);
            }
        }
        self.wake.notify_one();
        Ok(())
    }

    /// Commits a request that may be kept; one that a limit refuses, only where it is known and has
    /// its own share left.
    async fn commit(
        &self,
        wanted: &SubscriptionRequest,
        is_free: bool,
        exceeded: Option<RateExceeded>,
    ) -> Result<Result<(), IntakeError>, DbError> {
        let fault = |error| DbError::at(self.database.path(), error);
        if let Some(exceeded) = exceeded
            && !self.has_own_share(wanted).await.map_err(fault)?
        {
            return Ok(Err(exceeded.into()));
        }
        let mut write = self.database.write().await?;
        let counts = store::counts(&mut write, wanted, self.share()).await;
        let counts = counts.map_err(fault)?;
        if let Some(error) = self.full(wanted, counts, is_free) {
            return Ok(Err(error));
        }
        store::accept(&mut write, wanted, self.clock.now())
            .await
            .map_err(fault)?;
        // synchronous=FULL: what is answered 202 survives a loss of power.
        write.commit().await.map_err(fault)?;
        self.known.add(&wanted.callback_key).await;
        Ok(Ok(()))
    }

    /// Whether a request is for a subscription that is known and has its own share left. Whoever
    /// floods the hub is mostly refused without the database being asked.
    async fn has_own_share(&self, wanted: &SubscriptionRequest) -> sqlx::Result<bool> {
        let readers = self.database.readers();
        let read = async || store::known_callbacks(&mut *readers.acquire().await?).await;
        let key = &wanted.callback_key;
        if !self.known.may_have(key, read).await? || !self.rates.has_own_share(wanted.document, key)
        {
            return Ok(false);
        }
        store::is_known(&mut *readers.acquire().await?, wanted).await
    }

    /// How many requests that wait one network may have.
    fn share(&self) -> u64 {
        (self.rates.limits.pending_max / SHARE).max(SHARE_MIN)
    }

    /// Why there is no room for a request, if there is none.
    fn full(
        &self,
        wanted: &SubscriptionRequest,
        counts: Counts,
        is_free: bool,
    ) -> Option<IntakeError> {
        let is_new = wanted.mode == Mode::Subscribe && !counts.is_there;
        let waits_anew = !counts.is_replaced && (is_new || counts.is_there);
        let pending_max = self.rates.limits.pending_max;
        let is_full = counts.places >= pending_max
            || counts.waiting >= pending_max.saturating_mul(WAITING_FACTOR);
        let full = |reason| IntakeError::Unavailable {
            reason,
            after: FULL_RETRY,
        };
        if waits_anew && is_full {
            Some(full("too many requests are waiting for verification"))
        } else if waits_anew && counts.of_source >= self.share() {
            Some(full(
                "too many requests from this network are waiting for verification",
            ))
        } else if waits_anew && !is_free && counts.of_address >= self.share() {
            Some(full(
                "too many requests for this callback's address are waiting for verification",
            ))
        } else if is_new && counts.in_all >= self.rates.limits.subscriptions_max {
            Some(full("the hub has reached its limit of subscriptions"))
        } else if is_new
            && !is_free
            && counts.of_host >= self.rates.limits.subscriptions_per_host_max
        {
            Some(IntakeError::TooMany {
                reason: "this callback's host has reached its limit of subscriptions",
                after: FULL_RETRY,
            })
        } else {
            None
        }
    }

    /// The row to be, and whether its callback surely leads into a net that the operator opened.
    fn subscription_request(&self, request: Request) -> (SubscriptionRequest, bool) {
        let callback = request.callback;
        let is_within = callback.is_allowed_besides(&self.policy);
        let host = callback.host();
        let literal = host.parse::<IpAddr>().ok();
        let wanted = SubscriptionRequest {
            mode: request.mode,
            document: request.document,
            callback_key: callback.key(),
            source: None,
            address: literal.map(|address| network(address, NETWORK_PREFIX).to_string()),
            host,
            callback: callback.as_str().to_owned(),
            secret: request.secret,
            lease_seconds: i64::try_from(request.lease_seconds).unwrap_or(i64::MAX),
        };
        (wanted, is_within)
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

struct KnownCallbacks {
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
    fn new(clock: Clock) -> Self {
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
    async fn may_have<E>(
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
    async fn add(&self, callback: &str) {
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
