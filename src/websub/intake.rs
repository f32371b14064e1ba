//! The hub's intake: commits valid requests within the limits, then answers 202, before anything is sent. The result
//! of the verification is never part of the response (WebSub §5.1.2).
//!
//! Limits apply to new subscriptions. Requests that renew or end an active subscription, or replace their own request,
//! have a reserved share of the limits.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::Notify;

use super::limits::{NETWORK_PREFIX, Rate, RateExceeded, RateLimits};
use super::request::{RequestError, parse};
use super::store::{self, Counts, SubscriptionRequest, SubscriptionState};
use crate::clock::Clock;
use crate::compute::network;
use crate::config::LeaseBounds;
use crate::links::Links;
use crate::storage::{AtPath as _, Database, DbError};
use crate::websub::http_client::Policy;
use crate::wire::HubMode;

/// After this time without a commit the request is refused.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(5);
/// The `Retry-After` of a hub that is full or cannot write.
pub const FULL_RETRY: Duration = Duration::from_mins(1);

/// One network may have 1/`SHARE` of `pending_max` waiting requests, but at least `SHARE_MIN`. This applies to the
/// client's network and to the callback's.
const SHARE: i64 = 10;
const SHARE_MIN: i64 = 10;
/// Limit of all waiting requests, as a multiple of `pending_max`. Requests for a network beyond its share count only
/// towards this limit.
const WAITING_FACTOR: i64 = 10;

pub struct SubscriptionIntake {
    pub database: Database,
    pub links: Links,
    pub clock: Clock,
    pub policy: Arc<Policy>,
    pub leases: LeaseBounds,
    pub rates: Arc<RateLimits>,
    /// Notifies the worker of a new request.
    pub wake: Arc<Notify>,
}

/// One line that explains what to change.
#[derive(Debug, Error)]
pub enum IntakeError {
    #[error(transparent)]
    Request(#[from] RequestError),
    /// 429.
    #[error(transparent)]
    TooMany(#[from] RateExceeded),
    /// 503, with its reason.
    #[error("{}; try again in {} s.", .0, FULL_RETRY.as_secs())]
    Unavailable(&'static str),
}

impl SubscriptionIntake {
    /// Accepts a request from `source`.
    ///
    /// # Errors
    /// If it is refused; then nothing is stored.
    pub async fn take(
        &self,
        source: Option<IpAddr>,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Result<(), IntakeError> {
        let is_trusted = source.is_some_and(|source| self.policy.is_allowed_besides(source));
        let exceeded = source.filter(|_| !is_trusted).and_then(|source| {
            let network = network(source, NETWORK_PREFIX).to_string();
            self.rates.take(Rate::Source, &network).err()
        });
        let form = match parse(content_type, body, &self.links, &self.policy, &self.leases) {
            Ok(form) => form,
            Err(fault) => return Err(exceeded.map_or_else(|| fault.into(), Into::into)),
        };
        let callback = &form.callback;
        let is_free = is_trusted || callback.is_allowed_besides(&self.policy);
        let exceeded = match exceeded {
            None if !is_free => self.rates.take(Rate::Host, &callback.host).err(),
            exceeded => exceeded,
        };
        let limited =
            |address: IpAddr| (!is_free).then(|| network(address, NETWORK_PREFIX).to_string());
        let request = SubscriptionRequest {
            callback_key: callback.key(),
            client_network: source.and_then(limited),
            callback_network: callback.host.parse().ok().and_then(limited),
            form,
        };
        let commit = self.commit(&request, is_free, exceeded);
        let error = match tokio::time::timeout(COMMIT_TIMEOUT, commit).await {
            Ok(Ok(taken)) => {
                taken?;
                self.wake.notify_one();
                return Ok(());
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the database was not available within 5 s".to_owned(),
        };
        tracing::error!(
            %error,
            "websub.not_taken: a request could not be committed and was answered 503"
        );
        Err(IntakeError::Unavailable("the hub cannot write now"))
    }

    /// Commits a request that is within the limits, or that is for a known subscription whose reserved share is not
    /// used up.
    async fn commit(
        &self,
        request: &SubscriptionRequest,
        is_free: bool,
        exceeded: Option<RateExceeded>,
    ) -> Result<Result<(), IntakeError>, DbError> {
        let path = self.database.path();
        if let Some(exceeded) = exceeded
            && !self.has_own_share(request).await?
        {
            return Ok(Err(exceeded.into()));
        }
        let mut write = self.database.write().await?;
        let connection = write.reader();
        let state = store::subscription_state(connection, request)
            .await
            .at(path)?;
        let counts = store::counts(connection, request, state.is_active, self.share())
            .await
            .at(path)?;
        if let Some(error) = self.limit_error(request, state, counts, is_free) {
            return Ok(Err(error));
        }
        store::accept(&mut write, request, self.clock.now())
            .await
            .at(path)?;
        // `synchronous=FULL`: a request that is answered 202 survives a power failure.
        write.commit().await.at(path)?;
        Ok(Ok(()))
    }

    /// Whether a request is for a known subscription, and the reserved share of that
    /// subscription is not used up. Unknown ones are not counted: a flood of them would use up the keys of the limit.
    async fn has_own_share(&self, request: &SubscriptionRequest) -> Result<bool, DbError> {
        let mut connection = self.database.reader().await?;
        let state = store::subscription_state(&mut connection, request).await;
        let state = state.at(self.database.path())?;
        let key = format!("{} {}", request.form.document, request.callback_key);
        Ok((state.is_open || state.has_request) && self.rates.take(Rate::Known, &key).is_ok())
    }

    /// Maximum number of waiting requests of one network.
    fn share(&self) -> i64 {
        (limit(self.rates.limits.pending_max) / SHARE).max(SHARE_MIN)
    }

    /// The error for a request that exceeds a limit.
    fn limit_error(
        &self,
        request: &SubscriptionRequest,
        state: SubscriptionState,
        counts: Counts,
        is_free: bool,
    ) -> Option<IntakeError> {
        let is_new = request.form.mode == HubMode::Subscribe && !state.is_open;
        let is_added = !state.has_request && (is_new || state.is_open);
        let pending_max = limit(self.rates.limits.pending_max);
        let is_full = counts.places >= pending_max
            || counts.waiting >= pending_max.saturating_mul(WAITING_FACTOR);
        let full = |reason| Some(IntakeError::Unavailable(reason));
        if is_added && is_full {
            full("too many requests are waiting for verification")
        } else if is_added && counts.of_client >= self.share() {
            full("too many requests from this network are waiting for verification")
        } else if is_added && !is_free && counts.of_callback >= self.share() {
            full("too many requests for this callback's address are waiting for verification")
        } else if is_new && counts.in_all >= limit(self.rates.limits.subscriptions_max) {
            full("the hub has reached its limit of subscriptions")
        } else if is_new
            && !is_free
            && counts.of_host >= limit(self.rates.limits.subscriptions_per_host_max)
        {
            let reason = "this callback's host has reached its limit of subscriptions; end one of them first";
            let after = FULL_RETRY;
            Some(RateExceeded { reason, after }.into())
        } else {
            None
        }
    }
}

/// A limit, for comparison with the database's counts.
fn limit(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
