//! The hub's worker: runs due work concurrently, round-robin by host, and records results in batches.
//!
//! Changes, accepted requests and, once a second, the schedule wake it; it then reads what is due, unless it has just done so
//! and something is queued. Exchanges whose result was not recorded before a crash are repeated: they happen at least once.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use super::exchange::{Exchange, VERIFY_TIMEOUT, longest_delivery};
use super::store::{self, Attempt, AttemptOutcome, Due, DueDelivery};
use crate::clock::{Clock, Monotonic};
use crate::config::bounds::{EXCHANGES_MAX, HOST_EXCHANGES_MAX};
use crate::metrics;
use crate::snapshot::{CurrentSnapshot, Snapshot};
use crate::storage::{AtPath as _, Database, DbError, is_overtaken};

/// Results are recorded when there are this many, or after this delay.
const BATCH: usize = 100;
const BATCH_AFTER: Duration = Duration::from_millis(100);
/// The delay before a failed write of the database is repeated.
const RECORD_AGAIN_AFTER: Duration = Duration::from_secs(1);
/// Minimum interval of reads of the database while something is queued; shorter than that of the schedule.
const READ_INTERVAL: Duration = Duration::from_millis(500);
/// Maximum number of results that wait for a locked database; beyond it, sending pauses.
const UNRECORDED_MAX: usize = 10_000;
/// The maximum wait of shutdown for exchanges in flight. A cut exchange is not a failure; it is repeated.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

pub struct Worker {
    database: Database,
    current: Arc<CurrentSnapshot>,
    exchange: Arc<Exchange>,
    wake: Arc<Notify>,
    queues: HostQueues,
    in_flight: JoinSet<Attempt>,
    /// The subscriptions with an exchange that is in flight or unrecorded, each with its queue.
    busy: HashMap<i64, String>,
    unrecorded: Vec<Attempt>,
    /// The arrival of the oldest unrecorded result.
    unrecorded_at: Monotonic,
    next_read_at: Monotonic,
}

impl Worker {
    /// `wake` is notified of changes.
    pub fn new(
        database: Database,
        current: Arc<CurrentSnapshot>,
        exchange: Exchange,
        wake: Arc<Notify>,
    ) -> Self {
        Self {
            database,
            current,
            exchange: Arc::new(exchange),
            wake,
            queues: HostQueues::default(),
            in_flight: JoinSet::new(),
            busy: HashMap::new(),
            unrecorded: Vec::new(),
            unrecorded_at: Monotonic::default(),
            next_read_at: Monotonic::default(),
        }
    }

    /// Runs until `stop`, then waits up to ten seconds for exchanges in flight and records them.
    pub async fn run(&mut self, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            if let Err(error) = self.fill().await {
                tracing::error!(%error, "websub.unreadable: cannot read the due exchanges; trying again");
            }
            let (timer, flush_at) = (Clock::system(), self.unrecorded_at + BATCH_AFTER);
            let is_flush_due = tokio::select! {
                () = stop.cancelled() => break,
                () = self.wake.notified() => { self.read_if_idle(); false }
                Some(done) = self.in_flight.join_next() => { self.finish(done); self.unrecorded.len().is_multiple_of(BATCH) }
                () = timer.sleep_until(flush_at), if !self.unrecorded.is_empty() => true,
            };
            if is_flush_due {
                self.flush().await;
            }
        }
        let finish = async {
            while let Some(done) = self.in_flight.join_next().await {
                self.finish(done);
            }
        };
        if tokio::time::timeout(STOP_TIMEOUT, finish).await.is_err() {
            tracing::warn!(
                cut = self.in_flight.len(),
                "websub.cut: attempts were interrupted by the stop; they are repeated"
            );
            self.in_flight.shutdown().await;
        }
        self.flush().await;
        // On many nodes, this worker runs again when it gets the lease back. What was cut is due then.
        let unrecorded = self.unrecorded.iter();
        let unrecorded: HashSet<i64> = unrecorded
            .map(|attempt| attempt.subscriber.subscription_id)
            .collect();
        self.busy.retain(|id, _| unrecorded.contains(id));
        self.queues = HostQueues::default();
    }

    /// Does all work that is due and returns whether there was any.
    pub async fn run_once(&mut self) -> Result<bool, DbError> {
        let mut did_any = false;
        self.next_read_at = Monotonic::default();
        loop {
            self.fill().await?;
            match self.in_flight.join_next().await {
                Some(done) => {
                    did_any = true;
                    self.finish(done);
                    if self.unrecorded.len() >= BATCH {
                        self.record().await?;
                    }
                }
                None if self.unrecorded.is_empty() => return Ok(did_any),
                None => self.record().await?,
            }
        }
    }

    /// Starts the maximum number of exchanges that the limits allow.
    async fn fill(&mut self) -> Result<(), DbError> {
        if self.next_read_at <= self.exchange.clock.monotonic() && self.has_room() {
            self.read().await?;
        }
        self.start_queues();
        Ok(())
    }

    fn has_room(&self) -> bool {
        self.in_flight.len() < EXCHANGES_MAX && self.unrecorded.len() < UNRECORDED_MAX
    }

    /// Starts queued work within the limits, round-robin by host.
    fn start_queues(&mut self) {
        while self.has_room() {
            let rates = &self.exchange.rates;
            let Some((queue, due)) = self.queues.pop(|queue| !rates.may_send(queue)) else {
                break;
            };
            self.start(queue, due);
        }
    }

    /// Makes the next [`Self::fill`] read due work if nothing is queued.
    fn read_if_idle(&mut self) {
        if self.queues.turns.is_empty() {
            self.next_read_at = Monotonic::default();
        }
    }

    /// Reads due work, except work that is in flight or unrecorded.
    async fn read(&mut self) -> Result<(), DbError> {
        let now = self.exchange.clock.now();
        self.next_read_at = self.exchange.clock.monotonic() + READ_INTERVAL;
        // Until this node's file has the recorded results, it reports the same work as due again.
        if !self.database.has_own_writes().await? {
            return Ok(());
        }
        let path = self.database.path();
        let mut connection = self.database.reader().await?;
        let verifications = store::verifications(&mut connection, now).await.at(path)?;
        let deliveries = store::deliveries(&mut connection, now).await.at(path)?;
        self.queues.clear();
        // A verification may change the secret or end the subscription, so it goes before deliveries.
        let mut verified: HashSet<i64> = self.busy.keys().copied().collect();
        for due in verifications {
            if verified.insert(due.subscriber.subscription_id) {
                self.push(Due::Verify(due));
            }
        }
        let snapshot = self.current.load();
        for due in deliveries {
            if is_ahead(&snapshot, &due) && !verified.contains(&due.subscriber.subscription_id) {
                self.push(Due::Deliver(due));
            }
        }
        Ok(())
    }

    fn push(&mut self, due: Due) {
        let queue = self.exchange.queue_of(due.subscriber()).to_owned();
        self.queues.push(queue, due);
    }

    fn start(&mut self, queue: String, due: Due) {
        let exchange = Arc::clone(&self.exchange);
        let (subscriber, snapshot) = (due.subscriber(), self.current.load());
        let bytes = snapshot.document(subscriber.document).body.content.length();
        let (longest, is_over) = match &due {
            Due::Verify(_) => (VERIFY_TIMEOUT, false),
            // Nothing is delivered after the lease's end, even if that is not recorded yet (WebSub §5.3). The snapshot may be another
            // one than when the work was read.
            Due::Deliver(delivery) => (
                longest_delivery(bytes),
                delivery.lease_ends_at <= exchange.clock.now() || !is_ahead(&snapshot, delivery),
            ),
        };
        // An exchange must end before another process may send. The work is read again; the lease may be prolonged by then.
        let is_late = self.database.lease_left() < longest;
        let id = subscriber.subscription_id;
        if is_over || is_late || self.busy.contains_key(&id) {
            return self.queues.end_exchange(&queue);
        }
        self.busy.insert(id, queue);
        if matches!(due, Due::Deliver(_)) && !exchange.is_exempt(&subscriber.callback) {
            exchange.rates.count_sent(&subscriber.host, bytes);
        }
        let run = async move { exchange.run(&due, &snapshot).await };
        self.in_flight.spawn(run);
    }

    fn finish(&mut self, done: Result<Attempt, JoinError>) {
        // Exchanges catch their panics, and only the stop aborts them.
        let Ok(attempt) = done else { return };
        let subscriber = &attempt.subscriber;
        if let Some(queue) = self.busy.get(&subscriber.subscription_id) {
            self.queues.end_exchange(queue);
        }
        match &attempt.outcome {
            AttemptOutcome::Delivered { .. } => metrics::HUB_DELIVERED.count(&[]),
            AttemptOutcome::Verified { .. } => metrics::HUB_VERIFIED.count(&[]),
            AttemptOutcome::VerifyLater { .. }
            | AttemptOutcome::NotVerified { .. }
            | AttemptOutcome::Retry { .. }
            | AttemptOutcome::Ended { .. } => {
                if !attempt.is_postponed() {
                    metrics::HUB_FAILED.count(&[attempt.kind, attempt.reason]);
                }
            }
        }
        if matches!(attempt.outcome, AttemptOutcome::NotVerified { .. }) {
            // The URL is the subscriber's secret.
            tracing::info!(
                subscription.id = subscriber.subscription_id,
                host = subscriber.host,
                topic = subscriber.document.name(),
                reason = attempt.result(),
                "websub.refused: a callback did not confirm a request"
            );
        }
        if self.unrecorded.is_empty() {
            self.unrecorded_at = Clock::system().monotonic();
        }
        self.unrecorded.push(attempt);
    }

    /// Records results; if the database refuses, they are kept for the next attempt.
    async fn flush(&mut self) {
        if let Err(error) = self.record().await {
            tracing::error!(%error, waiting = self.unrecorded.len(), "websub.unrecorded: results wait in memory; trying again");
            // A full disk fails immediately, so retries need a pause.
            self.unrecorded_at = Clock::system().monotonic() + RECORD_AGAIN_AFTER;
        }
    }

    /// Drops results that are recorded, or that another process repeats, which has taken over sending.
    pub fn forget_results(&mut self) {
        for attempt in self.unrecorded.drain(..) {
            self.busy.remove(&attempt.subscriber.subscription_id);
        }
        // There may be more due work than one read returns.
        self.read_if_idle();
    }

    /// Records all results in one transaction.
    async fn record(&mut self) -> Result<(), DbError> {
        if self.unrecorded.is_empty() {
            return Ok(());
        }
        let path = self.database.path();
        let mut write = self.database.write_as_sender().await?;
        store::record(&mut write, &self.unrecorded, self.exchange.clock.now())
            .await
            .at(path)?;
        if let Err(error) = write.commit().await
            && !is_overtaken(&error)
        {
            return Err(DbError::at(path, error));
        }
        self.forget_results();
        Ok(())
    }
}

/// Whether this process has rendered a version, with a row for its bytes, that the subscriber does not have.
fn is_ahead(snapshot: &Snapshot, due: &DueDelivery) -> bool {
    let publication = &snapshot.document(due.subscriber.document).publication;
    publication.is_confirmed && publication.version > due.delivered_version
}

// Fair queues: hosts take turns, and each has a limit on attempts in flight, so a host that hangs delays only itself.

#[derive(Default)]
struct HostQueues {
    hosts: HashMap<String, HostQueue>,
    /// The hosts with queued work, in the order in which they are served.
    turns: VecDeque<String>,
}

#[derive(Default)]
struct HostQueue {
    waiting: VecDeque<Due>,
    in_flight: usize,
}

impl HostQueues {
    fn push(&mut self, host: String, due: Due) {
        let queue = self.hosts.entry(host.clone()).or_default();
        if queue.waiting.is_empty() {
            self.turns.push_back(host);
        }
        queue.waiting.push_back(due);
    }

    /// Removes queued work; the counts of work in flight stay.
    fn clear(&mut self) {
        self.turns.clear();
        self.hosts.retain(|_, queue| {
            queue.waiting.clear();
            queue.in_flight > 0
        });
    }

    /// The next work item whose host is below its limit and not resting; it counts as in flight.
    fn pop(&mut self, is_resting: impl Fn(&str) -> bool) -> Option<(String, Due)> {
        for _ in 0..self.turns.len() {
            let host = self.turns.pop_front()?;
            let queue = self.hosts.get_mut(&host)?;
            if queue.in_flight >= HOST_EXCHANGES_MAX || is_resting(&host) {
                self.turns.push_back(host);
                continue;
            }
            let due = queue.waiting.pop_front()?;
            queue.in_flight += 1;
            if !queue.waiting.is_empty() {
                self.turns.push_back(host.clone());
            }
            return Some((host, due));
        }
        None
    }

    /// Ends one attempt at `host`.
    fn end_exchange(&mut self, host: &str) {
        if let Some(queue) = self.hosts.get_mut(host) {
            queue.in_flight -= 1;
            if queue.in_flight == 0 && queue.waiting.is_empty() {
                self.hosts.remove(host);
            }
        }
    }
}
