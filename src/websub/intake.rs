//! The hub's intake: what is well-formed and within the limits is committed and then answered 202,
//! before anything is sent. Whether the callback means it is found out afterwards and never said
//! here (WebSub §5.1.2).
//!
//! Limits are there for what is new. What renews or ends an active subscription, or takes the place
//! of its own request, has a share of its own that no stranger's requests use up.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::Notify;

use super::limits::{ADDRESS_PREFIX, KnownCallbacks, PerMinute, network};
use super::request::{Request, RequestError, parse};
use super::store::{self, Counts, Mode, SubscriptionRequest};
use crate::clock::Clock;
use crate::config::{HubLimits, LeaseBounds};
use crate::links::Links;
use crate::snapshot::Document;
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

/// A source is one IPv4 address, or an IPv6 network of the size that one customer gets.
const SOURCE_PREFIX: u32 = 64;
/// What one customer of a larger kind gets: 65,536 of those.
const NETWORK_PREFIX: u32 = 48;
/// Of the places for requests that wait, one network has one in so many, but never fewer than these:
/// the network that asks, and the one that is dialled.
const SHARE: u64 = 10;
const SHARE_MIN: u64 = 10;
/// How many times the places may wait in all: those that lead to a network beyond its share take no
/// place, and end here.
const WAITING_FACTOR: u64 = 10;
/// How often in a minute one subscription may be renewed, ended or asked for anew while limits are
/// used up.
const KNOWN_PER_MINUTE: u64 = 4;

/// See the head of this file.
pub struct SubscriptionIntake {
    database: Database,
    links: Links,
    clock: Clock,
    policy: Policy,
    leases: LeaseBounds,
    limits: HubLimits,
    by_source: PerMinute<IpAddr>,
    by_network: PerMinute<IpAddr>,
    by_host: PerMinute<String>,
    by_subscription: PerMinute<(Document, String)>,
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
        limits: HubLimits,
        wake: Arc<Notify>,
    ) -> Self {
        Self {
            by_source: PerMinute::new(limits.requests_per_source_per_minute, &clock),
            by_network: PerMinute::new(limits.requests_per_network_per_minute, &clock),
            by_host: PerMinute::new(limits.verifications_per_host_per_minute, &clock),
            by_subscription: PerMinute::new(KNOWN_PER_MINUTE, &clock),
            known: KnownCallbacks::new(clock.clone()),
            database,
            links,
            clock,
            policy,
            leases,
            limits,
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
        let crowded = source
            .filter(|_| !is_trusted)
            .and_then(|source| self.crowded(source).err());
        let (mut wanted, is_within) =
            match parse(content_type, body, &self.links, &self.policy, &self.leases) {
                Ok(request) => self.wanted(request),
                Err(fault) => return Err(crowded.unwrap_or_else(|| fault.into())),
            };
        let is_free = is_trusted || is_within;
        if is_free {
            wanted.address = None;
        } else {
            wanted.source = source.map(|source| network(source, NETWORK_PREFIX).to_string());
        }
        let error = crowded.or_else(|| {
            if is_free {
                None
            } else {
                self.asked_often(&wanted).err()
            }
        });
        match tokio::time::timeout(COMMIT_TIMEOUT, self.commit(&wanted, is_free, error)).await {
            Ok(Ok(taken)) => taken?,
            Ok(Err(error)) => {
                tracing::error!(%error, "websub.not_taken: a request could not be committed and was answered 503");
                return Err(UNAVAILABLE);
            }
            Err(_) => {
                tracing::error!(
                    "websub.not_taken: the database could not be had in 5 s; the request was answered 503"
                );
                return Err(UNAVAILABLE);
            }
        }
        self.wake.notify_one();
        Ok(())
    }

    /// Whether this source, or the network that it is in, has asked often enough.
    fn crowded(&self, source: IpAddr) -> Result<(), IntakeError> {
        let too_many = |reason| move |after| IntakeError::TooMany { reason, after };
        self.by_source
            .take(&network(source, SOURCE_PREFIX))
            .map_err(too_many("this address asks too often"))?;
        // An IPv4 address is its own network.
        if source.to_canonical().is_ipv6() {
            let key = network(source, NETWORK_PREFIX);
            self.by_network
                .take(&key)
                .map_err(too_many("this network asks too often"))?;
        }
        Ok(())
    }

    fn asked_often(&self, wanted: &SubscriptionRequest) -> Result<(), IntakeError> {
        let too_many = |after| IntakeError::TooMany {
            reason: "this callback's host is asked too often",
            after,
        };
        self.by_host.take(&wanted.host).map_err(too_many)
    }

    /// Commits a request that may be kept; one that a limit refuses, only where it is known and has
    /// its own share left.
    async fn commit(
        &self,
        wanted: &SubscriptionRequest,
        is_free: bool,
        error: Option<IntakeError>,
    ) -> Result<Result<(), IntakeError>, DbError> {
        let fault = |error| DbError::at(self.database.path(), error);
        if let Some(error) = error
            && !self.has_own_share(wanted).await.map_err(fault)?
        {
            return Ok(Err(error));
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
        let key = (wanted.document, wanted.callback_key.clone());
        if !self.known.may_have(&key.1, read).await? || self.by_subscription.take(&key).is_err() {
            return Ok(false);
        }
        store::is_known(&mut *readers.acquire().await?, wanted).await
    }

    /// How many requests that wait one network may have.
    fn share(&self) -> u64 {
        (self.limits.pending_max / SHARE).max(SHARE_MIN)
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
        let pending_max = self.limits.pending_max;
        let is_full = counts.places >= pending_max
            || counts.waiting >= pending_max.saturating_mul(WAITING_FACTOR);
        let full = |reason| IntakeError::Unavailable {
            reason,
            after: FULL_RETRY,
        };
        if waits_anew && is_full {
            Some(full("too many requests wait for verification"))
        } else if waits_anew && counts.of_source >= self.share() {
            Some(full(
                "too many requests of this network wait for verification",
            ))
        } else if waits_anew && !is_free && counts.of_address >= self.share() {
            Some(full(
                "too many requests that lead to this callback's address wait for verification",
            ))
        } else if is_new && counts.in_all >= self.limits.subscriptions_max {
            Some(full("the hub has all the subscriptions it can hold"))
        } else if is_new && !is_free && counts.of_host >= self.limits.subscriptions_per_host_max {
            Some(IntakeError::TooMany {
                reason: "this callback's host has all the subscriptions it may have",
                after: FULL_RETRY,
            })
        } else {
            None
        }
    }

    /// The row to be, and whether its callback surely leads into a net that the operator opened.
    fn wanted(&self, request: Request) -> (SubscriptionRequest, bool) {
        let (mode, document, callback, secret, lease_seconds) = match request {
            Request::Subscribe {
                document,
                callback,
                secret,
                lease_seconds,
            } => (Mode::Subscribe, document, callback, secret, lease_seconds),
            Request::Unsubscribe { document, callback } => (
                Mode::Unsubscribe,
                document,
                callback,
                None,
                self.leases.grant(None),
            ),
        };
        let is_within = callback.is_allowed_besides(&self.policy);
        let host = callback.host();
        let literal = host.parse::<IpAddr>().ok();
        let wanted = SubscriptionRequest {
            mode,
            document,
            callback_key: callback.key(),
            source: None,
            address: literal.map(|address| network(address, ADDRESS_PREFIX).to_string()),
            host,
            callback: callback.as_str().to_owned(),
            secret,
            lease_seconds: i64::try_from(lease_seconds).unwrap_or(i64::MAX),
        };
        (wanted, is_within)
    }
}
