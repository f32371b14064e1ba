//! The hub's door: what is well-formed and within the limits is committed and then answered 202, before anything is sent.
//! Whether the callback means it is found out afterwards and never said here (WebSub §5.1.2).

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::Notify;

use super::limits::{PerMinute, network};
use super::request::{Fault, Request, parse};
use super::store::{self, Mode, Wanted};
use crate::clock::Clock;
use crate::config::{HubLimits, LeaseBounds};
use crate::db::{Database, DbError};
use crate::egress::Policy;
use crate::links::Links;

/// How long committing may take before the request is refused.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(5);
/// When to come back to a hub that is full, or cannot write.
const FULL_RETRY: Duration = Duration::from_mins(1);

/// A source is one IPv4 address, or an IPv6 network of the size that one customer gets.
const SOURCE_PREFIX: u32 = 64;

/// See the head of this file.
pub struct Door {
    database: Database,
    links: Links,
    clock: Clock,
    policy: Policy,
    leases: LeaseBounds,
    limits: HubLimits,
    by_source: PerMinute<IpAddr>,
    by_host: PerMinute<String>,
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
            by_host: PerMinute::new(limits.verifications_per_host_per_minute, &clock),
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
        if let Some(source) = source.filter(|_| !is_trusted) {
            let too_many = |after| Refusal::TooMany { reason: "this address asks too often", after };
            self.by_source.take(&network(source, SOURCE_PREFIX)).map_err(too_many)?;
        }
        let (wanted, is_within) = self.wanted(parse(content_type, body, &self.links, &self.policy, &self.leases)?);
        let is_free = is_trusted || is_within;
        if !is_free {
            let too_many = |after| Refusal::TooMany { reason: "this callback's host is asked too often", after };
            self.by_host.take(&wanted.host).map_err(too_many)?;
        }
        let unavailable = Refusal::Unavailable { reason: "the hub cannot write now", after: FULL_RETRY };
        match tokio::time::timeout(COMMIT_TIMEOUT, self.commit(&wanted, is_free)).await {
            Ok(Ok(taken)) => taken?,
            Ok(Err(error)) => {
                tracing::error!(%error, "websub.not_taken: a request could not be committed and was answered 503");
                return Err(unavailable);
            }
            Err(_) => {
                tracing::error!("websub.not_taken: the database could not be had in 5 s; the request was answered 503");
                return Err(unavailable);
            }
        }
        self.wake.notify_one();
        Ok(())
    }

    async fn commit(&self, wanted: &Wanted, is_free: bool) -> Result<Result<(), Refusal>, DbError> {
        let fault = |error| DbError::at(self.database.path(), error);
        let mut write = self.database.write().await?;
        let counts = store::counts(&mut write, wanted).await.map_err(fault)?;
        let is_new = wanted.mode == Mode::Subscribe && !counts.is_renewal;
        let refusal = if counts.pending >= self.limits.pending_max {
            Some(Refusal::Unavailable { reason: "too many requests wait for verification", after: FULL_RETRY })
        } else if is_new && counts.in_all >= self.limits.subscriptions_max {
            Some(Refusal::Unavailable { reason: "the hub has all the subscriptions it can hold", after: FULL_RETRY })
        } else if is_new && !is_free && counts.of_host >= self.limits.subscriptions_per_host_max {
            Some(Refusal::TooMany { reason: "this callback's host has all the subscriptions it may have", after: FULL_RETRY })
        } else {
            None
        };
        if let Some(refusal) = refusal {
            return Ok(Err(refusal));
        }
        store::accept(&mut write, wanted, self.clock.now()).await.map_err(fault)?;
        // synchronous=FULL: what is answered 202 survives a loss of power.
        write.commit().await.map_err(fault)?;
        Ok(Ok(()))
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
