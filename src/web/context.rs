//! What the surfaces are handed: the snapshot that is out, the links and the clock.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::clock::{Clock, Monotonic};
use crate::compute::Compute;
use crate::config::RequestLog;
use crate::links::Links;
use crate::search::TextIndex;
use crate::snapshot::CurrentSnapshot;

/// One for the whole service, shared by everything that answers.
#[derive(Debug)]
pub struct Ctx {
    /// The snapshot that is out.
    pub current: Arc<CurrentSnapshot>,
    /// Builds every absolute URL from the base URL.
    pub links: Links,
    /// The clock that handlers and jobs share.
    pub clock: Clock,
    /// Where work is done that takes CPU.
    pub compute: Compute,
    /// Where searches find what is rare.
    pub text_index: TextIndex,
    /// How current the snapshot is.
    pub freshness: SnapshotFreshness,
    contacts: OnceLock<Vec<String>>,
    request_log: OnceLock<RequestLog>,
    is_draining: AtomicBool,
}

impl Ctx {
    /// The context of a service whose first snapshot is out.
    #[must_use]
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
            is_draining: AtomicBool::new(false),
        }
    }

    /// URIs of those to whom security faults are reported; none where nobody said.
    #[must_use]
    pub fn contacts(&self) -> &[String] {
        self.contacts.get().map_or(&[], Vec::as_slice)
    }

    /// Tells, once, who they are.
    pub fn set_contacts(&self, contacts: Vec<String>) {
        let _ = self.contacts.set(contacts);
    }

    /// Which requests are logged; none until that is set.
    #[must_use]
    pub fn request_log(&self) -> RequestLog {
        self.request_log.get().copied().unwrap_or_default()
    }

    /// Sets, once, which requests are logged.
    pub fn set_request_log(&self, request_log: RequestLog) {
        let _ = self.request_log.set(request_log);
    }

    /// Whether the service is about to stop, so that no new work should be sent here.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }

    /// From now on it is.
    pub fn drain(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }
}

/// How current the snapshot that is out is, for whoever watches over the service.
#[derive(Debug)]
pub struct SnapshotFreshness {
    /// When it was published, in milliseconds of the monotonic clock.
    published_ms: AtomicU64,
    /// Since when publishing has been failing, likewise; [`NEVER`] where it does not.
    failing_since_ms: AtomicU64,
}

/// The value of an instant that has not come yet.
const NEVER: u64 = u64::MAX;

impl SnapshotFreshness {
    fn new(published_at: Monotonic) -> Self {
        Self {
            published_ms: AtomicU64::new(published_at.millis()),
            failing_since_ms: AtomicU64::new(NEVER),
        }
    }

    /// A snapshot was published at `now`.
    pub fn published(&self, now: Monotonic) {
        self.published_ms.store(now.millis(), Ordering::Relaxed);
    }

    /// Publishing failed at `now`: that is when it began, if the attempt before did not fail.
    pub fn failed(&self, now: Monotonic) {
        let (was, ordering) = (NEVER, Ordering::Relaxed);
        // Where it fails already, the first time stays.
        let _ = self
            .failing_since_ms
            .compare_exchange(was, now.millis(), ordering, ordering);
    }

    /// Publishing works, whether or not there was anything to publish.
    pub fn succeeded(&self) {
        self.failing_since_ms.store(NEVER, Ordering::Relaxed);
    }

    /// The time since the snapshot that is out was published.
    #[must_use]
    pub fn age(&self, now: Monotonic) -> Duration {
        let published_ms = self.published_ms.load(Ordering::Relaxed);
        Duration::from_millis(now.millis().saturating_sub(published_ms))
    }

    /// For how long publishing has been failing; `None` where it does not.
    #[must_use]
    pub fn failing_for(&self, now: Monotonic) -> Option<Duration> {
        let since_ms = self.failing_since_ms.load(Ordering::Relaxed);
        (since_ms != NEVER).then(|| Duration::from_millis(now.millis().saturating_sub(since_ms)))
    }
}
