//! Sees that somebody wrote, and puts the next snapshot out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::compute::Panicked;
use crate::metrics;
use crate::snapshot::{PublishError, Publisher};
use crate::storage::{Changes, DbError};
use crate::web::context::Ctx;

/// How often is looked whether anybody wrote. A change must be out within a second.
const WATCH_INTERVAL: Duration = Duration::from_millis(200);

/// Watches one database for one context.
#[derive(Debug)]
pub struct PublishChanges {
    ctx: Arc<Ctx>,
    publisher: Publisher,
    changes: Changes,
    retry: Retry,
}

/// Why the next snapshot is not out; the one before stays, and the next run tries again.
#[derive(Debug, thiserror::Error)]
pub enum PublishChangesError {
    /// Nobody can tell whether there is anything new.
    #[error("cannot check for changes: {0}")]
    Watch(#[from] DbError),
    /// There is, but it could not be rendered.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// It cannot be computed.
    #[error(transparent)]
    Panicked(#[from] Panicked),
}

impl PublishChanges {
    /// The job for `ctx`, whose first snapshot `publisher` has rendered.
    #[must_use]
    pub fn new(ctx: Arc<Ctx>, publisher: Publisher, changes: Changes) -> Self {
        Self {
            ctx,
            publisher,
            changes,
            retry: Retry::default(),
        }
    }

    /// Ends the job: its connection must be gone before the last writer's, which then tidies the
    /// log away.
    ///
    /// # Errors
    /// [`PublishChangesError::Watch`]; it has ended all the same.
    pub async fn close(&mut self) -> Result<(), PublishChangesError> {
        Ok(self.changes.close().await?)
    }

    /// Runs once and tells of it where it fares otherwise than before. Whether there is a new
    /// snapshot, and how long to wait before the next run.
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

    /// Renders and swaps if anybody wrote; says whether there is a new snapshot.
    ///
    /// # Errors
    /// [`PublishChangesError`]; the change is not forgotten.
    #[expect(
        clippy::disallowed_methods,
        reason = "measures how long printing took; nothing is decided by it"
    )]
    pub async fn run_once(&mut self) -> Result<bool, PublishChangesError> {
        // Connections that are open go on with the file that is gone, and would never see a change
        // again.
        let database = self.publisher.database();
        if database.follow_file().await? {
            let mut former = std::mem::replace(&mut self.changes, database.changes().await?);
            former.close().await?;
        }
        // Until this node's file has what this process wrote, it says less than is out.
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

    /// Puts the next snapshot out, if there is one; says how many reviews it has, and its change
    /// number. The one before is swapped and freed where it was rendered: with many reviews both
    /// take time.
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

// A run that fails is made again with growing waits, and told of when its state changes: it fails, it
// fails for another reason, it succeeds again.

/// The longest wait. Nothing is lost meanwhile, and what was mended must show soon.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// 200 ms doubled so many times is above [`WAIT_MAX`].
const DOUBLINGS_MAX: u32 = 6;

/// How some work has fared lately.
#[derive(Debug, Default)]
struct Retry {
    failures: u32,
    reason: Option<String>,
}

impl Retry {
    /// Notes a failure for `reason`. Whether that is news: the work succeeded before, or failed for
    /// another reason.
    fn failed(&mut self, reason: String) -> bool {
        self.failures = self.failures.saturating_add(1);
        let is_news = self.reason.as_ref() != Some(&reason);
        self.reason = Some(reason);
        is_news
    }

    /// Notes a success; how many failures came before it, if that is news.
    fn succeeded(&mut self) -> Option<u32> {
        let failures = std::mem::take(&mut self.failures);
        self.reason.take().map(|_| failures)
    }

    /// How long to wait before the next try: `first` after a success or one failure, twice as long
    /// after each further one.
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
