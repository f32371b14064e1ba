//! The hub's worker: does what is due, hosts in turn, many at a time, and writes down what came of
//! it in batches.
//!
//! It sleeps until the next instant at which something is due, or until it is woken. Whatever it
//! had not written down when it was killed is done again: at least once, never lost.

mod due;
mod results;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use metrics::Gauge;
use tokio::sync::{Notify, Semaphore};
use tokio::task::{Id, JoinSet};
use tokio_util::sync::CancellationToken;

use super::budget::Budget;
use super::exchange::Exchange;
use super::host_queues::HostQueues;
use super::slots::Came;
use super::store::{AttemptRecord, Due, Outcome};
use super::turns::Waiting;
use crate::clock::{Clock, Monotonic};
use crate::db::{Database, DbError};
use crate::snapshot::CurrentSnapshot;
use crate::telemetry::{catalog, figure};

/// Exchanges at a time that have not been slow yet.
const SLOTS_MAX: usize = 256;
/// Exchanges at a time altogether: those that hang wait here, and hold up nobody.
const IN_FLIGHT_MAX: usize = 2_048;
/// Exchanges at a time with one host.
const HOST_IN_FLIGHT_MAX: usize = 4;
/// Results are written down when there are so many, or after so long.
const BATCH: usize = 100;
const BATCH_AFTER: Duration = Duration::from_millis(100);
/// How long after a refusal the database is asked again to give what is due, or to take results.
const RECORD_AGAIN_AFTER: Duration = Duration::from_secs(1);
/// While hosts hang or rest, what came of others is reason to read again only so often.
const READ_AGAIN_AFTER: Duration = Duration::from_secs(1);
/// Results that may wait for a locked database; then sending pauses.
const UNRECORDED_MAX: usize = 10_000;
/// How long a stop waits for what is in flight. What is cut is no failure: it is done again.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);
/// Look again at least so often.
const SLEEP_MAX: Duration = Duration::from_mins(1);

/// What may have become due since it was last read, the more pressing the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum WakeReason {
    None,
    Some,
    /// Somebody called: a request has come, or a snapshot.
    Call,
}

/// See the head of this file.
pub struct Worker {
    database: Database,
    current: Arc<CurrentSnapshot>,
    exchange: Exchange,
    wake: Arc<Notify>,
    queues: HostQueues<Due>,
    budget: Budget,
    slots: Arc<Semaphore>,
    in_flight: JoinSet<Came>,
    /// Shows how many those are.
    in_flight_gauge: Gauge,
    /// Of what is in flight: at which host, and for which subscription.
    places: HashMap<Id, (String, i64)>,
    busy: HashSet<i64>,
    /// Subscriptions whose verification a limit put off.
    waiting: Waiting,
    /// Subscriptions whose exchange ended without a result.
    resting: Waiting,
    unrecorded: Vec<(Outcome, AttemptRecord)>,
    /// When the oldest result that is not written down came.
    unrecorded_at: Monotonic,
    /// Subscriptions that were verified anew since `queues` was read: what stands there of them is
    /// out of date.
    revised: HashSet<i64>,
    /// Whether there may be more to read than is in `queues`.
    is_stale: bool,
    /// What may have become due since `queues` was read.
    wake_reason: WakeReason,
    /// Tells that a slow exchange has given its place among the prompt ones back.
    room: Arc<Notify>,
    /// When `queues` was read.
    read_at: Option<Monotonic>,
    /// When something gets due that was not when `queues` was read.
    next_at: Monotonic,
    has_timer: bool,
}

impl Worker {
    /// A worker with nothing in flight. `wake` tells it that something changed;
    /// `host_bytes_per_hour` bounds what one host is sent.
    #[must_use]
    pub fn new(
        database: Database,
        current: Arc<CurrentSnapshot>,
        exchange: Exchange,
        wake: Arc<Notify>,
        host_bytes_per_hour: u64,
    ) -> Self {
        Self {
            budget: Budget::new(host_bytes_per_hour),
            database,
            current,
            exchange,
            wake,
            queues: HostQueues::new(HOST_IN_FLIGHT_MAX),
            slots: Arc::new(Semaphore::new(SLOTS_MAX)),
            in_flight: JoinSet::new(),
            in_flight_gauge: catalog::HUB_IN_FLIGHT.gauge(&[]),
            places: HashMap::new(),
            busy: HashSet::new(),
            waiting: Waiting::default(),
            resting: Waiting::default(),
            unrecorded: Vec::new(),
            unrecorded_at: Monotonic::default(),
            revised: HashSet::new(),
            is_stale: true,
            wake_reason: WakeReason::Some,
            read_at: None,
            next_at: Monotonic::default(),
            room: Arc::new(Notify::new()),
            has_timer: true,
        }
    }

    /// The same worker, but it wakes only when it is woken.
    #[must_use]
    pub fn without_timer(self) -> Self {
        Self {
            has_timer: false,
            ..self
        }
    }

    /// Works until `stop`, then gives what is in flight ten seconds, and writes it down.
    pub async fn run(&mut self, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            if let Err(error) = self.fill().await {
                tracing::error!(%error, "websub.unreadable: cannot see what is due; trying again");
            }
            let (timer, flush_at) = (Clock::system(), self.unrecorded_at + BATCH_AFTER);
            let is_flush_due = tokio::select! {
                () = stop.cancelled() => break,
                () = self.wake.notified() => { self.note(WakeReason::Call); false }
                () = self.room.notified() => false,
                Some(done) = self.in_flight.join_next_with_id() => { self.finish(done); self.unrecorded.len().is_multiple_of(BATCH) }
                () = timer.sleep_until(flush_at), if !self.unrecorded.is_empty() => true,
                () = self.exchange.clock.sleep_until(self.next_at), if self.has_timer && self.wake_reason == WakeReason::None => { self.note(WakeReason::Some); false }
            };
            if is_flush_due {
                self.flush().await;
            }
        }
        let finish = async {
            while let Some(done) = self.in_flight.join_next_with_id().await {
                self.finish(done);
            }
        };
        if tokio::time::timeout(STOP_TIMEOUT, finish).await.is_err() {
            tracing::warn!(
                cut = self.in_flight.len(),
                "websub.cut: attempts were cut by the stop; they are made again"
            );
            self.in_flight.shutdown().await;
        }
        self.flush().await;
    }

    /// Does all that is due now, and returns when nothing is; says whether there was anything.
    ///
    /// # Errors
    /// When the database cannot be read or written.
    pub async fn run_once(&mut self) -> Result<bool, DbError> {
        let mut did_any = false;
        self.note(WakeReason::Some);
        loop {
            self.fill().await?;
            match self.in_flight.join_next_with_id().await {
                Some(done) => {
                    did_any = true;
                    self.finish(done);
                    if self.unrecorded.len() >= BATCH {
                        self.record().await?;
                    }
                }
                None if self.unrecorded.is_empty() => return Ok(did_any),
                None => {
                    self.record().await?;
                    self.is_stale = true;
                }
            }
        }
    }

    /// Starts as much as there is room for.
    async fn fill(&mut self) -> Result<(), DbError> {
        // A request that came meanwhile is verified before what is left of a long fan-out.
        let is_called = self.wake_reason == WakeReason::Call && self.may_read_again();
        if (is_called || self.is_stale && self.queues.is_empty()) && self.has_room() {
            self.read().await?;
        }
        self.start_queues();
        // What is left now is for hosts that hang or rest; it must not hide what is due elsewhere.
        if self.wake_reason != WakeReason::None && self.has_room() {
            self.read().await?;
            self.start_queues();
        }
        self.in_flight_gauge
            .set(figure(self.in_flight.len() as u64));
        Ok(())
    }

    fn may_read_again(&self) -> bool {
        self.read_at
            .is_none_or(|at| Clock::system().monotonic() >= at + READ_AGAIN_AFTER)
    }

    fn has_room(&self) -> bool {
        self.in_flight.len() < IN_FLIGHT_MAX
            && self.unrecorded.len() < UNRECORDED_MAX
            && self.slots.available_permits() > 0
    }

    fn note(&mut self, wake_reason: WakeReason) {
        self.is_stale = true;
        self.wake_reason = self.wake_reason.max(wake_reason);
    }
}
