//! Detects changes of the database and publishes the next snapshot.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::compute::Panicked;
use crate::metrics;
use crate::snapshot::{PublishError, Publisher};
use crate::storage::{Changes, DbError};
use crate::web::context::Ctx;

/// Interval of checks for changes. A change must be published within a second.
const WATCH_INTERVAL: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub struct PublishChanges {
    ctx: Arc<Ctx>,
    publisher: Publisher,
    changes: Changes,
    retry: Retry,
}

/// The previous snapshot stays, and the next run tries again.
#[derive(Debug, thiserror::Error)]
pub enum PublishChangesError {
    /// It is unknown whether there are changes.
    #[error("cannot check for changes: {0}")]
    Watch(#[from] DbError),
    /// There are changes, but they could not be rendered.
    #[error(transparent)]
    Publish(#[from] PublishError),
    #[error(transparent)]
    Panicked(#[from] Panicked),
}

impl PublishChanges {
    /// `publisher` has rendered the first snapshot of `ctx`.
    #[must_use]
    pub fn new(ctx: Arc<Ctx>, publisher: Publisher, changes: Changes) -> Self {
        Self {
            ctx,
            publisher,
            changes,
            retry: Retry::default(),
        }
    }

    /// Closes the job's connection. This must happen before the last writer closes, which then cleans up the
    /// write-ahead log.
    ///
    /// # Errors
    /// If closing fails; the job has ended in any case.
    pub async fn close(&mut self) -> Result<(), PublishChangesError> {
        Ok(self.changes.close().await?)
    }

    /// Runs once and logs changes between success and failure. Returns whether there is a new snapshot, and the delay
    /// until the next run.
    pub async fn watch_once(&mut self) -> (bool, Duration) {
        let published = self.run_once().await;
        match &published {
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
                    if let PublishChangesError::Watch(
                        error @ (DbError::Replaced(_)
                        | DbError::Removed { .. }
                        | DbError::LogGone(_)),
                    ) = error
                    {
                        tracing::error!(%error, "database.gone: the database file was removed or replaced");
                        if let Err(error) = self.publisher.database().write_back_log().await {
                            tracing::error!(%error, "database.log_lost: the contents of the removed log cannot be written to the \
                                database");
                        }
                    } else if matches!(error, PublishChangesError::Publish(PublishError::Overtaken))
                    {
                        tracing::info!(
                            "snapshot.overtaken: another process dates the same changes; trying again in a moment"
                        );
                    } else {
                        tracing::error!(
                            %error,
                            "snapshot.not_published: the previous snapshot is still served; trying again with growing waits, up \
                             to 10 s"
                        );
                    }
                }
            }
        }
        (published.unwrap_or(false), self.retry.wait(WATCH_INTERVAL))
    }

    /// Publishes a snapshot if the database changed; returns whether there is a new one.
    ///
    /// # Errors
    /// See [`PublishChangesError`]; the change is tried again.
    #[expect(
        clippy::disallowed_methods,
        reason = "measures how long printing took; nothing is decided by it"
    )]
    pub async fn run_once(&mut self) -> Result<bool, PublishChangesError> {
        // Open connections keep using a file that was replaced, and would not see further changes.
        let database = self.publisher.database();
        if database.follow_file().await? {
            let mut former = std::mem::replace(&mut self.changes, database.changes().await?);
            former.close().await?;
        }
        // Until this node's replica contains this process's own writes, it is older than the published state.
        if !database.has_seen_own_writes().await? {
            self.changes.forget();
            return Ok(false);
        }
        if !self.changes.any().await? && !self.publisher.backlog().is_analyzed() {
            return Ok(false);
        }
        let started = Instant::now();
        let next = self.next().await.inspect_err(|_| self.changes.forget())?;
        let Some((reviews, change_no)) = next else {
            return Ok(false);
        };
        let duration = started.elapsed();
        metrics::SNAPSHOTS.count(&[]);
        metrics::PUBLISH_SECONDS_TAKEN
            .histogram(&[])
            .record(duration);
        self.ctx.freshness.published(self.ctx.clock.monotonic());
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
    async fn next(&self) -> Result<Option<(usize, i64)>, PublishChangesError> {
        let (publisher, current) = (self.publisher.clone(), Arc::clone(&self.ctx.current));
        let printing = async move {
            let next = publisher.next(&current.load()).await?;
            Ok(next.map(|next| {
                let figures = (next.input.review_index.len(), next.position.change_no);
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
/// 200 ms doubled this many times exceeds [`WAIT_MAX`].
const DOUBLINGS_MAX: u32 = 6;

/// Recent failures.
#[derive(Debug, Default)]
struct Retry {
    failures: u32,
    reason: Option<String>,
}

impl Retry {
    /// Records a failure and returns whether to log it: after a success or for another reason.
    fn failed(&mut self, reason: String) -> bool {
        self.failures = self.failures.saturating_add(1);
        let is_news = self.reason.as_ref() != Some(&reason);
        self.reason = Some(reason);
        is_news
    }

    /// Records a success and returns the number of previous failures, if it is to be logged.
    fn succeeded(&mut self) -> Option<u32> {
        let failures = std::mem::take(&mut self.failures);
        self.reason.take().map(|_| failures)
    }

    /// The delay before the next attempt: `first` after a success or one failure, doubled with each further failure.
    fn wait(&self, first: Duration) -> Duration {
        let doublings = self.failures.saturating_sub(1).min(DOUBLINGS_MAX);
        if doublings == 0 {
            first
        } else {
            (first * 2_u32.pow(doublings)).min(WAIT_MAX.max(first))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Retry, WAIT_MAX};

    #[test]
    fn waits_grow_with_each_failure_up_to_a_bound_and_end_with_a_success() {
        let (mut retry, first) = (Retry::default(), Duration::from_millis(200));
        let mut waits = vec![retry.wait(first).as_millis()];
        for _ in 0..8 {
            let _ = retry.failed("locked".to_owned());
            waits.push(retry.wait(first).as_millis());
        }
        assert_eq!(
            waits,
            [200, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]
        );
        assert_eq!(retry.succeeded(), Some(8));
        assert_eq!(retry.wait(first), first);
        assert_eq!(retry.wait(Duration::from_mins(1)), Duration::from_mins(1));
        assert!(WAIT_MAX >= first);
    }

    #[test]
    fn only_a_change_of_state_is_news() {
        let mut retry = Retry::default();
        let said = ["locked", "locked", "full", "full", "locked"]
            .map(|reason| retry.failed(reason.to_owned()));
        assert_eq!(said, [true, false, true, false, true]);
        assert_eq!((retry.succeeded(), retry.succeeded()), (Some(5), None));
        assert!(retry.failed("locked".to_owned()));
    }
}
