//! What exchanges came to: taken in one by one, and written down in batches.

use std::time::Duration;

use tokio::task::{Id, JoinError};

use super::{RECORD_AGAIN_AFTER, SLEEP_MAX, WakeReason, Worker};
use crate::clock::Clock;
use crate::db::{DbError, is_overtaken};
use crate::telemetry::catalog;
use crate::websub::slots::{Came, count};
use crate::websub::store::{self, AttemptRecord, Outcome};
use crate::websub::turns::Turn;

/// How long a subscription rests whose exchange ended without a result.
const PANIC_WAIT: Duration = Duration::from_mins(1);

impl Worker {
    /// Takes in what an exchange came to.
    pub(super) fn finish(&mut self, done: Result<(Id, Came), JoinError>) {
        let task = done.as_ref().map_or_else(JoinError::id, |(task, _)| *task);
        let Some((host, subscription_id)) = self.places.remove(&task) else {
            return;
        };
        self.queues.done(&host);
        match done {
            Ok((_, Came::To(outcome, record))) => {
                count(&outcome, &record);
                if matches!(outcome, Outcome::Verified { .. }) {
                    self.revised.insert(subscription_id);
                }
                self.keep(outcome, record);
            }
            Ok((_, Came::Waits(turn, outcome, record))) => {
                catalog::HUB_WAITS.count(&[]);
                self.next_at = self.next_at.min(turn.at);
                self.waiting.insert(subscription_id, turn);
                self.keep(outcome, record);
            }
            Err(error) => {
                tracing::error!(%error, host, "websub.panicked: an exchange ended without a result; it is made again in a minute");
                let at = self.exchange.clock.monotonic() + PANIC_WAIT;
                self.busy.remove(&subscription_id);
                self.next_at = self.next_at.min(at);
                self.resting.insert(
                    subscription_id,
                    Turn {
                        at,
                        networks: Vec::new(),
                    },
                );
            }
        }
    }

    /// Keeps a result until it is written down.
    fn keep(&mut self, outcome: Outcome, record: AttemptRecord) {
        if self.unrecorded.is_empty() {
            self.unrecorded_at = Clock::system().monotonic();
        }
        self.unrecorded.push((outcome, record));
    }

    /// Writes down what came; where the database refuses it, it stays for the next time.
    pub(super) async fn flush(&mut self) {
        if let Err(error) = self.record().await {
            tracing::error!(%error, waiting = self.unrecorded.len(), "websub.unrecorded: results wait in memory; trying again");
            // A full disk says no at once: not to be asked without a pause.
            self.unrecorded_at = Clock::system().monotonic() + RECORD_AGAIN_AFTER;
        }
    }

    /// Forgets what is not written down: another process sends by now.
    pub fn forget_results(&mut self) {
        for (outcome, _) in self.unrecorded.drain(..) {
            self.busy.remove(&outcome.subscription_id());
        }
        self.is_stale = true;
    }

    /// Writes down what came, in one transaction.
    pub(super) async fn record(&mut self) -> Result<(), DbError> {
        if self.unrecorded.is_empty() {
            return Ok(());
        }
        let fault = |error| DbError::at(self.database.path(), error);
        let mut write = self.database.write().await?;
        self.database.fence(&mut write).await.map_err(fault)?;
        store::record(&mut write, &self.unrecorded, self.exchange.clock.now())
            .await
            .map_err(fault)?;
        if let Err(error) = write.commit().await {
            if is_overtaken(&error) {
                // Another process sends by now, and does again what it does not know of.
                self.forget_results();
                return Ok(());
            }
            return Err(fault(error));
        }
        for (outcome, _) in self.unrecorded.drain(..) {
            self.busy.remove(&outcome.subscription_id());
            let clock = &self.exchange.clock;
            self.next_at = outcome.again_at().map_or(self.next_at, |at| {
                clock.monotonic_at(at, SLEEP_MAX).min(self.next_at)
            });
        }
        self.is_stale = true;
        if self.may_read_again() {
            self.wake_reason = self.wake_reason.max(WakeReason::Some);
        }
        Ok(())
    }
}
