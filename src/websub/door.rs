//! The hub's door: what is well-formed and within the limits is committed and then answered 202, before anything is sent.
//! Whether the callback means it is found out afterwards and never said here (WebSub §5.1.2).
//!
//! Limits are there for what is new. What renews or ends an active subscription, or takes the place of its own request, has a
//! share of its own that no stranger's requests use up.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::Notify;

use super::limits::{PerMinute, network};
use super::request::{Fault, Request, parse};
use super::store::{self, Counts, Mode, Wanted};
use crate::clock::Clock;
use crate::config::{HubLimits, LeaseBounds};
use crate::db::{Database, DbError};
use crate::edition::Document;
use crate::egress::Policy;
use crate::links::Links;

/// How long committing may take before the request is refused.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(5);
/// When to come back to a hub that is full, or cannot write.
const FULL_RETRY: Duration = Duration::from_mins(1);
const UNAVAILABLE: Refusal = Refusal::Unavailable { reason: "the hub cannot write now", after: FULL_RETRY };

/// A source is one IPv4 address, or an IPv6 network of the size that one customer gets.
const SOURCE_PREFIX: u32 = 64;
/// What one customer of a larger kind gets: 65,536 of those.
const NETWORK_PREFIX: u32 = 48;
/// How often in a minute one subscription may be renewed, ended or asked for anew while limits are used up.
const KNOWN_PER_MINUTE: u64 = 4;

/// See the head of this file.
pub struct Door {
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
    wake: Arc<Notify>,
}

/// Why a request was not taken: one line that says what to change.
#[derive(Debug, Error)]
pub enum Refusal {
    /// It cannot be taken as it is.
    #[error(transparent)]
    Fault(#[from] Fault),
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
        /// Why.
        reason: &'static str,
        /// How long to wait.
        after: Duration,
    },
}

impl Refusal {
    /// The body is longer than any request needs to be.
    #[must_use]
    pub const fn too_large() -> Self {
        Self::Fault(Fault::TooLarge)
    }
}

impl Door {
    /// A door to this database. `wake` tells the worker that there is something new.
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
    /// [`Refusal`]; nothing is kept then.
    pub async fn take(&self, source: Option<IpAddr>, content_type: Option<&str>, body: &[u8]) -> Result<(), Refusal> {
        let is_trusted = source.is_some_and(|source| self.policy.is_allowed_besides(source));
        let crowded = source.filter(|_| !is_trusted).and_then(|source| self.crowded(source).err());
        let (wanted, is_within) = match parse(content_type, body, &self.links, &self.policy, &self.leases) {
            Ok(request) => self.wanted(request),
            Err(fault) => return Err(crowded.unwrap_or_else(|| fault.into())),
        };
        let is_free = is_trusted || is_within;
        let refusal = crowded.or_else(|| if is_free { None } else { self.asked_often(&wanted).err() });
        match tokio::time::timeout(COMMIT_TIMEOUT, self.commit(&wanted, is_free, refusal)).await {
            Ok(Ok(taken)) => taken?,
            Ok(Err(error)) => {
                tracing::error!(%error, "websub.not_taken: a request could not be committed and was answered 503");
                return Err(UNAVAILABLE);
            }
            Err(_) => {
                tracing::error!("websub.not_taken: the database could not be had in 5 s; the request was answered 503");
                return Err(UNAVAILABLE);
            }
        }
        self.wake.notify_one();
        Ok(())
    }

    /// Whether this source, or the network that it is in, has asked often enough.
    fn crowded(&self, source: IpAddr) -> Result<(), Refusal> {
        let too_many = |reason| move |after| Refusal::TooMany { reason, after };
        self.by_source.take(&network(source, SOURCE_PREFIX)).map_err(too_many("this address asks too often"))?;
        // An IPv4 address is its own network.
        if source.to_canonical().is_ipv6() {
            let key = network(source, NETWORK_PREFIX);
            self.by_network.take(&key).map_err(too_many("this network asks too often"))?;
        }
        Ok(())
    }

    fn asked_often(&self, wanted: &Wanted) -> Result<(), Refusal> {
        let too_many = |after| Refusal::TooMany { reason: "this callback's host is asked too often", after };
        self.by_host.take(&wanted.host).map_err(too_many)
    }

    /// Commits a request that may be kept; one that a limit refuses, only where it is known and has its own share left.
    async fn commit(&self, wanted: &Wanted, is_free: bool, refusal: Option<Refusal>) -> Result<Result<(), Refusal>, DbError> {
        let fault = |error| DbError::at(self.database.path(), error);
        if let Some(refusal) = refusal {
            let mut connection = self.database.readers().acquire().await.map_err(fault)?;
            let is_known = store::is_known(&mut connection, wanted).await.map_err(fault)?;
            let key = (wanted.document, wanted.callback_key.clone());
            if !is_known || self.by_subscription.take(&key).is_err() {
                return Ok(Err(refusal));
            }
        }
        let mut write = self.database.write().await?;
        let counts = store::counts(&mut write, wanted).await.map_err(fault)?;
        if let Some(refusal) = self.full(wanted, counts, is_free) {
            return Ok(Err(refusal));
        }
        store::accept(&mut write, wanted, self.clock.now()).await.map_err(fault)?;
        // synchronous=FULL: what is answered 202 survives a loss of power.
        write.commit().await.map_err(fault)?;
        Ok(Ok(()))
    }

    /// Why there is no room for a request, if there is none.
    fn full(&self, wanted: &Wanted, counts: Counts, is_free: bool) -> Option<Refusal> {
        let is_new = wanted.mode == Mode::Subscribe && !counts.is_there;
        let waits_anew = !counts.is_replaced && (is_new || counts.is_there);
        if waits_anew && counts.pending >= self.limits.pending_max {
            Some(Refusal::Unavailable { reason: "too many requests wait for verification", after: FULL_RETRY })
        } else if is_new && counts.in_all >= self.limits.subscriptions_max {
            Some(Refusal::Unavailable { reason: "the hub has all the subscriptions it can hold", after: FULL_RETRY })
        } else if is_new && !is_free && counts.of_host >= self.limits.subscriptions_per_host_max {
            Some(Refusal::TooMany { reason: "this callback's host has all the subscriptions it may have", after: FULL_RETRY })
        } else {
            None
        }
    }

    /// The row to be, and whether its callback surely leads into a net that the operator opened.
    fn wanted(&self, request: Request) -> (Wanted, bool) {
        let (mode, document, callback, secret, lease_seconds) = match request {
            Request::Subscribe { document, callback, secret, lease_seconds } => {
                (Mode::Subscribe, document, callback, secret, lease_seconds)
            }
            Request::Unsubscribe { document, callback } => (Mode::Unsubscribe, document, callback, None, self.leases.grant(None)),
        };
        let is_within = callback.is_allowed_besides(&self.policy);
        let wanted = Wanted {
            mode,
            document,
            callback_key: callback.key(),
            host: callback.host(),
            callback: callback.as_str().to_owned(),
            secret: secret.map(|secret| secret.expose().to_owned()),
            lease_seconds: i64::try_from(lease_seconds).unwrap_or(i64::MAX),
        };
        (wanted, is_within)
    }
}
