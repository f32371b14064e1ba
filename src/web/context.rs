//! The state that every handler shares: snapshot, links, clock and compute.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use poem::http::StatusCode;
use tokio_util::sync::CancellationToken;

use super::client::ClientAddress;
use super::problem::HttpProblem;
use crate::clock::{Clock, Monotonic};
use crate::compute::{Compute, Crowded, Slot, lock};
use crate::config::{Nets, RequestLog};
use crate::links::Links;
use crate::metrics;
use crate::snapshot::CurrentSnapshot;

/// The `Retry-After` when too many requests wait.
const CROWDED_PAUSE: Duration = Duration::from_secs(1);

/// There is one, shared by all handlers and jobs.
#[derive(Debug)]
pub struct Ctx {
    pub current: Arc<CurrentSnapshot>,
    pub links: Links,
    pub clock: Clock,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Nets,
    pub compute: Compute,
    pub freshness: SnapshotFreshness,
    /// URIs for reporting security issues (RFC 9116).
    pub contacts: OnceLock<Vec<String>>,
    /// Which requests are logged; none until it is set.
    pub request_log: OnceLock<RequestLog>,
    /// Cancelled when the service is shutting down and should receive no new requests.
    pub draining: CancellationToken,
}

impl Ctx {
    pub fn new(
        current: CurrentSnapshot,
        links: Links,
        clock: Clock,
        trusted_proxies: Nets,
    ) -> Self {
        let (compute, current) = (Compute::default(), Arc::new(current));
        let freshness = SnapshotFreshness {
            published_at: Mutex::new(clock.monotonic()),
            failing_since: Mutex::default(),
        };
        Self {
            current,
            links,
            clock,
            trusted_proxies,
            compute,
            freshness,
            contacts: OnceLock::new(),
            request_log: OnceLock::new(),
            draining: CancellationToken::new(),
        }
    }

    /// Waits for the client's turn to compute (IPv6: its /64), which lasts until the slot is dropped.
    ///
    /// # Errors
    /// 503 if too many requests wait.
    pub async fn turn(&self, client: ClientAddress) -> Result<Slot, HttpProblem> {
        let slot = self.compute.turns.slot(client.network(64)).await;
        slot.map_err(|Crowded| {
            metrics::COMPUTE_REFUSED.count(&[]);
            HttpProblem::retry_later(
                StatusCode::SERVICE_UNAVAILABLE,
                "Too many requests are waiting; try again later.",
                CROWDED_PAUSE,
            )
        })
    }

    pub fn request_log(&self) -> RequestLog {
        self.request_log.get().copied().unwrap_or_default()
    }
}

/// The time of the last publication and of failures, for monitoring.
#[derive(Debug)]
pub struct SnapshotFreshness {
    published_at: Mutex<Monotonic>,
    /// Start of the current series of failures; `None` if publishing works.
    failing_since: Mutex<Option<Monotonic>>,
}

impl SnapshotFreshness {
    pub fn published(&self, now: Monotonic) {
        *lock(&self.published_at) = now;
    }

    /// Records a failed attempt; consecutive failures keep the time of the first.
    pub fn failed(&self, now: Monotonic) {
        lock(&self.failing_since).get_or_insert(now);
    }

    /// Records that publishing works, even if there was nothing to publish.
    pub fn succeeded(&self) {
        *lock(&self.failing_since) = None;
    }

    pub fn age(&self, now: Monotonic) -> Duration {
        now - *lock(&self.published_at)
    }

    /// `None` if publishing is not failing.
    pub fn failing_for(&self, now: Monotonic) -> Option<Duration> {
        lock(&self.failing_since).map(|since| now - since)
    }
}
