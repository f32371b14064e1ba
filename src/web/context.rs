//! The state that every handler shares: snapshot, links, clock and compute.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::clock::{Clock, Monotonic};
use crate::compute::Compute;
use crate::config::RequestLog;
use crate::links::Links;
use crate::search::TextIndex;
use crate::snapshot::CurrentSnapshot;

/// There is one, shared by all handlers and jobs.
#[derive(Debug)]
pub struct Ctx {
    pub current: Arc<CurrentSnapshot>,
    pub links: Links,
    pub clock: Clock,
    /// Runs CPU-bound work.
    pub compute: Compute,
    /// Finds rare search terms.
    pub text_index: TextIndex,
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
        text_index: TextIndex,
    ) -> Self {
        let (compute, current) = (Compute::default(), Arc::new(current));
        let freshness = SnapshotFreshness::new(clock.monotonic());
        Self {
            current,
            links,
            clock,
            compute,
            text_index,
            freshness,
            contacts: OnceLock::new(),
            request_log: OnceLock::new(),
            draining: CancellationToken::new(),
        }
    }

    pub fn request_log(&self) -> RequestLog {
        self.request_log.get().copied().unwrap_or_default()
    }
}

/// The time of the last publication and of failures, for monitoring.
#[derive(Debug)]
pub struct SnapshotFreshness {
    /// Milliseconds of the monotonic clock.
    published_ms: AtomicU64,
    /// Start of the current series of failures, in the same unit; [`NEVER`] if publishing works.
    failing_since_ms: AtomicU64,
}

const NEVER: u64 = u64::MAX;

impl SnapshotFreshness {
    fn new(published_at: Monotonic) -> Self {
        Self {
            published_ms: AtomicU64::new(published_at.millis()),
            failing_since_ms: AtomicU64::new(NEVER),
        }
    }

    pub fn published(&self, now: Monotonic) {
        self.published_ms.store(now.millis(), Ordering::Relaxed);
    }

    /// Records a failed attempt; consecutive failures keep the time of the first.
    pub fn failed(&self, now: Monotonic) {
        let (was, ordering) = (NEVER, Ordering::Relaxed);
        let _ = self
            .failing_since_ms
            .compare_exchange(was, now.millis(), ordering, ordering);
    }

    /// Records that publishing works, even if there was nothing to publish.
    pub fn succeeded(&self) {
        self.failing_since_ms.store(NEVER, Ordering::Relaxed);
    }

    pub fn age(&self, now: Monotonic) -> Duration {
        let published_ms = self.published_ms.load(Ordering::Relaxed);
        Duration::from_millis(now.millis().saturating_sub(published_ms))
    }

    /// `None` if publishing is not failing.
    pub fn failing_for(&self, now: Monotonic) -> Option<Duration> {
        let since_ms = self.failing_since_ms.load(Ordering::Relaxed);
        (since_ms != NEVER).then(|| Duration::from_millis(now.millis().saturating_sub(since_ms)))
    }
}
