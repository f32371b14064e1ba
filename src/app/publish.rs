//! Detects changes of the database and publishes the next snapshot.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::Notify;

use crate::metrics;
use crate::snapshot::{PublishError, Publisher};
use crate::storage::{Changes, DbError};
use crate::web::context::Ctx;

/// Interval of checks for changes. A change must be published within a second.
const WATCH_INTERVAL: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub struct PublishChanges {
    pub ctx: Arc<Ctx>,
    /// It has rendered the first snapshot of `ctx`.
    pub publisher: Publisher,
    pub changes: Changes,
    /// Notifies the hub's worker of every change, also of requests that another process accepted.
    pub wake: Arc<Notify>,
    pub retry: Retry,
}

impl PublishChanges {
    /// Runs once and logs changes between success and failure. Returns the delay until the next run.
    pub async fn watch_once(&mut self) -> Duration {
        match self.run_once().await {
            Ok(_) => {
                self.ctx.freshness.succeeded();
                if let Some(failures) = self.retry.succeeded() {
                    tracing::info!(failures, "snapshot.published_again: publishing works again");
                }
            }
            Err(error) => {
                metrics::PUBLISH_FAILURES.count(&[]);
                self.ctx.freshness.failed(self.ctx.clock.monotonic());
                if self.retry.failed(error.to_string()) {
                    self.log_failure(&error).await;
                }
            }
        }
        self.retry.wait()
    }

    /// Logs a failure. Of a database that is gone, it first tries to keep what its removed log contains.
    async fn log_failure(&self, error: &anyhow::Error) {
        if let Some(DbError::Replaced(_) | DbError::LogGone(_)) = error.downcast_ref() {
            tracing::error!(%error, "database.gone: the database file was removed or replaced");
            match self.publisher.database.write_back_log().await {
                Ok(false) => {}
                Ok(true) => tracing::info!(
                    "database.log_kept: the contents of the removed log were written to the database"
                ),
                Err(error) => tracing::error!(
                    %error,
                    "database.log_lost: the contents of the removed log cannot be written to the database"
                ),
            }
        } else if let Some(PublishError::Overtaken) = error.downcast_ref() {
            tracing::info!(
                "snapshot.overtaken: another process dates the same changes; trying again in a moment"
            );
        } else {
            tracing::error!(
                %error,
                "snapshot.not_published: the previous snapshot is still served; trying again with growing waits, up to 10 s"
            );
        }
    }

    /// Publishes a snapshot if the database changed; returns whether there is a new one.
    ///
    /// # Errors
    /// If it is unknown whether there are changes, or they cannot be rendered. The previous snapshot stays, and the next run tries
    /// again.
    pub async fn run_once(&mut self) -> anyhow::Result<bool> {
        // Open connections keep using a file that was replaced, and would not see further changes.
        let database = &self.publisher.database;
        if database.follow_file().await? {
            let mut former = std::mem::replace(&mut self.changes, database.changes().await?);
            former.close().await?;
        }
        // Until this node's replica contains this process's own writes, it is older than the published state.
        if !database.has_seen_own_writes().await? {
            self.changes.forget();
            return Ok(false);
        }
        if self.changes.any().await? {
            self.wake.notify_one();
        } else if !(self.publisher.progress.late_are_stored).load(Ordering::Relaxed) {
            return Ok(false);
        }
        let started = self.ctx.clock.monotonic();
        let next = self.next().await.inspect_err(|_| self.changes.forget())?;
        self.ctx.transparency.forget();
        let Some((reviews, change_no)) = next else {
            return Ok(false);
        };
        self.wake.notify_one();
        let now = self.ctx.clock.monotonic();
        let duration = now - started;
        metrics::SNAPSHOTS.count(&[]);
        metrics::PUBLISH_SECONDS_TAKEN
            .histogram(&[])
            .observe(duration.as_secs_f64());
        self.ctx.freshness.published(now);
        tracing::info!(
            reviews,
            change_no,
            duration_ms = duration.as_secs_f64() * 1e3,
            "snapshot.published: a new snapshot is served"
        );
        Ok(true)
    }

    /// Publishes the next snapshot if there is one; returns the number of its reviews and its change number. The
    /// previous one is swapped and freed on the compute thread, because both take time with many reviews.
    async fn next(&self) -> anyhow::Result<Option<(usize, i64)>> {
        let (publisher, current) = (self.publisher.clone(), Arc::clone(&self.ctx.current));
        let printing = async move {
            let next = publisher.next(&current.load()).await?;
            anyhow::Ok(next.map(|next| {
                let figures = (next.input.entries.len(), next.position.change_no);
                current.swap(next);
                figures
            }))
        };
        self.ctx.compute.drive(printing).await?
    }
}

// Retries with increasing delays. Only changes are logged: the first failure, a failure for another reason, and
// success.

/// Short enough that a repaired fault is soon noticed.
const WAIT_MAX: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub struct Retry {
    failures: u32,
    reason: Option<String>,
}

impl Retry {
    /// Records a failure and returns whether to log it: after a success or for another reason.
    pub fn failed(&mut self, reason: String) -> bool {
        self.failures = self.failures.saturating_add(1);
        let is_news = self.reason.as_ref() != Some(&reason);
        self.reason = Some(reason);
        is_news
    }

    /// Records a success and returns the number of previous failures, if it is to be logged.
    pub fn succeeded(&mut self) -> Option<u32> {
        let failures = std::mem::take(&mut self.failures);
        self.reason.take().map(|_| failures)
    }

    /// The delay before the next attempt: [`WATCH_INTERVAL`], doubled with each failure after the first.
    fn wait(&self) -> Duration {
        let doublings = self.failures.saturating_sub(1);
        let wait = WATCH_INTERVAL.saturating_mul(2_u32.saturating_pow(doublings));
        wait.min(WAIT_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::Retry;

    #[test]
    fn retry_waits_grow_up_to_a_limit_until_a_success() {
        let mut retry = Retry::default();
        let mut waits = vec![retry.wait().as_millis()];
        for _ in 0..8 {
            let _ = retry.failed("locked".to_owned());
            waits.push(retry.wait().as_millis());
        }
        assert_eq!(
            waits,
            [200, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]
        );
        assert_eq!(retry.succeeded(), Some(8));
        assert_eq!(retry.wait().as_millis(), 200);
    }

    #[test]
    fn only_a_changed_failure_or_a_recovery_is_reported() {
        let mut retry = Retry::default();
        let logged = ["locked", "locked", "full", "full", "locked"]
            .map(|reason| retry.failed(reason.to_owned()));
        assert_eq!(logged, [true, false, true, false, true]);
        assert_eq!((retry.succeeded(), retry.succeeded()), (Some(5), None));
        assert!(retry.failed("locked".to_owned()));
    }
}
