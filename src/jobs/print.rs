//! Sees that somebody wrote, and puts the next edition out.

use std::sync::Arc;
use std::time::Instant;

use crate::ctx::Ctx;
use crate::db::{Changes, DbError};
use crate::edition::{Press, PressError};

/// Watches one database for one context.
#[derive(Debug)]
pub struct Print {
    ctx: Arc<Ctx>,
    press: Press,
    changes: Changes,
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
}

impl Print {
    /// The job for `ctx`, whose first edition `press` has printed.
    #[must_use]
    pub const fn new(ctx: Arc<Ctx>, press: Press, changes: Changes) -> Self {
        Self { ctx, press, changes }
    }

    /// Ends the job: its connection must be gone before the last writer's, which then tidies the log away.
    ///
    /// # Errors
    /// [`PrintError::Watch`]; it has ended all the same.
    pub async fn close(&mut self) -> Result<(), PrintError> {
        Ok(self.changes.close().await?)
    }

    /// Prints and swaps if anybody wrote; says whether there is a new edition.
    ///
    /// # Errors
    /// [`PrintError`]; the change is not forgotten.
    #[expect(clippy::disallowed_methods, reason = "measures how long printing took; nothing is decided by it")]
    pub async fn run_once(&mut self) -> Result<bool, PrintError> {
        if !self.changes.any().await? && !self.press.backlog().is_read() {
            return Ok(false);
        }
        let started = Instant::now();
        let previous = self.ctx.current.load();
        let next = self.press.next(&previous).await.inspect_err(|_| self.changes.forget())?;
        drop(previous);
        let Some(next) = next else { return Ok(false) };
        let (reviews, change_no) = (next.copy.shelf.len(), next.reading.change_no);
        self.ctx.current.swap(next);
        let duration = started.elapsed();
        metrics::counter!("reviews_editions_total").increment(1);
        metrics::histogram!("reviews_print_seconds").record(duration);
        #[expect(clippy::cast_precision_loss, reason = "a gauge is a float")]
        metrics::gauge!("reviews_published").set(reviews as f64);
        tracing::info!(reviews, change_no, duration_ms = duration.as_secs_f64() * 1e3, "edition.out: a new edition is out");
        Ok(true)
    }
}
