//! What is due: read from the database, and started, hosts in turn, as far as there is room.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;

use super::{RECORD_AGAIN_AFTER, SLEEP_MAX, WakeReason, Worker};
use crate::clock::{Clock, Monotonic};
use crate::db::DbError;
use crate::websub::exchange::{VERIFY_TIMEOUT, delivery_timeout};
use crate::websub::slots::in_slot;
use crate::websub::store::{self, Due};

/// How many subscriptions are read at once: of one host, and in all.
const HOST_READ_MAX: usize = 256;
const READ_MAX: usize = 8_192;

impl Worker {
    /// Starts what was read, hosts in turn, as far as there is room.
    pub(super) fn start_queues(&mut self) {
        let now = self.exchange.clock.monotonic();
        while self.has_room() {
            let Ok(permit) = Arc::clone(&self.slots).try_acquire_owned() else {
                break;
            };
            let Some((host, due)) = self.queues.pop(|host| self.budget.is_spent(host, now)) else {
                break;
            };
            self.start(host, due, permit);
        }
    }

    /// Reads what is due, but for what is in flight or not written down.
    pub(super) async fn read(&mut self) -> Result<(), DbError> {
        let now = self.exchange.clock.now();
        (self.wake_reason, self.next_at) = (
            WakeReason::None,
            self.exchange.clock.monotonic() + RECORD_AGAIN_AFTER,
        );
        // Until this node's file has what was written down, it says that the same is due once more.
        if !self.database.has_seen_own_writes().await? {
            return Ok(());
        }
        let fault = |error| DbError::at(self.database.path(), error);
        let mut connection = self.database.readers().acquire().await.map_err(fault)?;
        let verifications =
            store::verifications(&mut connection, now, READ_MAX + self.waiting.len())
                .await
                .map_err(fault)?;
        let deliveries = store::deliveries(&mut connection, now, HOST_READ_MAX, READ_MAX)
            .await
            .map_err(fault)?;
        let next_at = store::next_due_at(&mut connection, now)
            .await
            .map_err(fault)?;
        let clock = &self.exchange.clock;
        let monotonic = clock.monotonic();
        let next_at = next_at.map_or(monotonic + SLEEP_MAX, |at| {
            clock.monotonic_at(at, SLEEP_MAX)
        });
        let turns = [
            self.waiting.next_at(monotonic),
            self.resting.next_at(monotonic),
        ];
        self.next_at = turns.into_iter().flatten().fold(next_at, Monotonic::min);
        (self.is_stale, self.read_at) = (false, Some(Clock::system().monotonic()));
        self.queues.clear();
        self.revised.clear();
        let is_idle = |id: i64| !self.busy.contains(&id) && !self.resting.contains(id, monotonic);
        let may_ask = |id: i64| is_idle(id) && !self.waiting.contains(id, monotonic);
        for due in verifications
            .into_iter()
            .filter(|due| may_ask(due.subscription_id))
        {
            self.queues.push(&due.host.clone(), Due::Verify(due));
        }
        let snapshot = self.current.load();
        for due in deliveries {
            // What is being verified may change its secret or end: first things first. And what
            // this process has not rendered yet cannot be sent.
            let confirmed = snapshot.document(due.document).confirmed();
            let is_ahead = confirmed.is_some_and(|out| out.version > due.delivered_version);
            if is_ahead && is_idle(due.subscription_id) {
                self.queues.push(&due.host.clone(), Due::Deliver(due));
                // There may be more than one page of them.
                self.is_stale = true;
            }
        }
        Ok(())
    }

    /// How long an exchange may take at most.
    fn longest(&self, due: &Due) -> Duration {
        match due {
            Due::Verify(_) => VERIFY_TIMEOUT,
            Due::Deliver(due) => {
                let snapshot = self.current.load();
                delivery_timeout(snapshot.document(due.document).body.content.len())
            }
        }
    }

    fn start(&mut self, host: String, due: Due, permit: OwnedSemaphorePermit) {
        let (exchange, room) = (self.exchange.clone(), Arc::clone(&self.room));
        let now = exchange.clock.now();
        let subscription_id = due.subscription_id();
        // Nothing is delivered past the lease's end, whether or not it has been recorded (WebSub
        // §5.3).
        let is_over = matches!(&due, Due::Deliver(due) if due.lease_ends_at <= now || self.revised.contains(&subscription_id));
        // What is begun must end while no other process may send.
        let is_late = self.database.lease_left() < self.longest(&due);
        if is_over || is_late || !self.busy.insert(subscription_id) {
            return self.queues.done(&host);
        }
        let task = match due {
            Due::Verify(due) => {
                let turn = self.waiting.take(subscription_id);
                let work = async move { exchange.verify(&due, turn.as_ref()).await };
                self.in_flight.spawn(in_slot(work, permit, room))
            }
            Due::Deliver(due) => {
                let snapshot = self.current.load();
                if !self.exchange.is_free(&due.callback) {
                    self.budget.spend(
                        &host,
                        snapshot.document(due.document).body.content.len(),
                        exchange.clock.monotonic(),
                    );
                }
                let work = async move { exchange.deliver(&due, &snapshot).await };
                self.in_flight.spawn(in_slot(work, permit, room))
            }
        };
        self.places.insert(task.id(), (host, subscription_id));
    }
}
