//! Sees that somebody wrote, and puts the next edition out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::retry::Retry;
use crate::compute::Panicked;
use crate::ctx::Ctx;
use crate::db::{Changes, DbError};
use crate::edition::{Press, PressError};

/// How often is looked whether anybody wrote. A change must be out within a second.
const WATCH_INTERVAL: Duration = Duration::from_millis(200);

/// Watches one database for one context.
#[derive(Debug)]
pub struct Print {
    ctx: Arc<Ctx>,
    press: Press,
    changes: Changes,
    retry: Retry,
}

/// Why the next edition is not out; the one before stays, and the next run tries again.
#[derive(Debug, thiserror::Error)]
pub enum PrintError {
    /// Nobody can tell whether there is anything new.
    #[error("cannot look for changes: {0}")]
    Watch(#[from] DbError),
    /// There is, but it could not be printed.
    #[error(transparent)]
    Press(#[from] PressError),
    /// It cannot be computed.
    #[error(transparent)]
    Panicked(#[from] Panicked),
}

impl Print {
    /// The job for `ctx`, whose first edition `press` has printed.
    #[must_use]
    pub fn new(ctx: Arc<Ctx>, press: Press, changes: Changes) -> Self {
        Self { ctx, press, changes, retry: Retry::default() }
    }

    /// Ends the job: its connection must be gone before the last writer's, which then tidies the log away.
    ///
    /// # Errors
    /// [`PrintError::Watch`]; it has ended all the same.
    pub async fn close(&mut self) -> Result<(), PrintError> {
        Ok(self.changes.close().await?)
    }

    /// Runs once and tells of it where it fares otherwise than before. Whether there is a new edition, and how long to wait
    /// before the next run.
    pub async fn watch_once(&mut self) -> (bool, Duration) {
        let printed = self.run_once().await;
        match &printed {
            Ok(_) => {
                if let Some(failures) = self.retry.succeeded() {
                    tracing::info!(failures, "edition.printed_again: what could not be read or written can be again");
                }
            }
            Err(error) => {
                metrics::counter!("reviews_print_failures_total").increment(1);
                if self.retry.failed(error.to_string()) {
                    if let PrintError::Watch(error @ (DbError::Replaced(_) | DbError::Removed { .. })) = error {
                        tracing::error!(%error, "database.gone: the file that was opened is not where it was");
                    } else {
                        tracing::error!(
                            %error,
                            "edition.not_printed: the edition before stays out; tried again with growing waits, up to 10 s"
                        );
                    }
                }
            }
        }
        (printed.unwrap_or(false), self.retry.wait(WATCH_INTERVAL))
    }

    /// Prints and swaps if anybody wrote; says whether there is a new edition.
    ///
    /// # Errors
    /// [`PrintError`]; the change is not forgotten.
    #[expect(clippy::disallowed_methods, reason = "measures how long printing took; nothing is decided by it")]
    pub async fn run_once(&mut self) -> Result<bool, PrintError> {
        // Connections that are open go on with the file that is gone, and would never see a change again.
        self.press.database().verify_place()?;
        if !self.changes.any().await? && !self.press.backlog().is_read() {
            return Ok(false);
        }
        let started = Instant::now();
        let next = self.next().await.inspect_err(|_| self.changes.forget())?;
        let Some((reviews, change_no)) = next else { return Ok(false) };
        let duration = started.elapsed();
        metrics::counter!("reviews_editions_total").increment(1);
        metrics::histogram!("reviews_print_seconds").record(duration);
        #[expect(clippy::cast_precision_loss, reason = "a gauge is a float")]
        metrics::gauge!("reviews_published").set(reviews as f64);
        tracing::info!(reviews, change_no, duration_ms = duration.as_secs_f64() * 1e3, "edition.out: a new edition is out");
        Ok(true)
    }

    /// Puts the next edition out, if there is one; says how many reviews it has, and its change number. The one before is
    /// swapped and freed where it was printed: with many reviews both take time.
    async fn next(&self) -> Result<Option<(usize, i64)>, PrintError> {
        let (press, current) = (self.press.clone(), Arc::clone(&self.ctx.current));
        let printing = async move {
            let next = press.next(&current.load()).await?;
            Ok(next.map(|next| {
                let figures = (next.copy.shelf.len(), next.reading.change_no);
                current.swap(next);
                figures
            }))
        };
        self.ctx.compute.drive(printing).await?
    }
}
