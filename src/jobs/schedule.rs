//! Cron jobs, which also wake the worker in case its own timer fails. Runs of the same job do not overlap, and
//! shutdown waits for running ones.

use std::sync::Arc;

use tokio::sync::{Mutex, Notify};
use tokio_cron_scheduler::{Job, JobScheduler, JobSchedulerError};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::Clock;
use crate::metrics;
use crate::storage::{Database, DbError, Erased, Postponed, REWRITE_AT_ONCE_MAX};
use crate::websub::store;

/// Seconds, minutes, hours, day, month, weekday.
const WAKE: &str = "*/15 * * * * *";
const MEASURE: &str = "*/15 * * * * *";
const EXPIRE: &str = "5 * * * * *";
const PRUNE: &str = "10 23 * * * *";
const CHECKPOINT: &str = "35 * * * * *";
const ERASE: &str = "20 * * * * *";
/// A large file is rewritten at most once an hour.
const ERASE_LARGE: &str = "50 37 * * * *";

/// The running cron jobs; dropping it does not stop them, [`Schedule::stop`] does.
pub struct Schedule {
    scheduler: JobScheduler,
    stop: CancellationToken,
    runs: TaskTracker,
}

#[derive(Clone)]
struct JobContext {
    database: Database,
    clock: Clock,
    wake: Arc<Notify>,
}

impl Schedule {
    /// Starts the jobs: wake the worker, measure, expire leases, prune, checkpoint the write-ahead log, erase deleted
    /// reviews.
    ///
    /// # Errors
    /// If the scheduler does not start.
    pub async fn start(
        database: &Database,
        clock: &Clock,
        wake: &Arc<Notify>,
    ) -> Result<Self, JobSchedulerError> {
        let schedule = Self {
            scheduler: JobScheduler::new().await?,
            stop: CancellationToken::new(),
            runs: TaskTracker::new(),
        };
        let of = JobContext {
            database: database.clone(),
            clock: clock.clone(),
            wake: Arc::clone(wake),
        };
        let wake = |of: JobContext| async move {
            of.wake.notify_one();
            Ok(())
        };
        schedule.add(WAKE, "wake", &of, wake).await?;
        let measuring = |of: JobContext| async move { measure(&of.database, &of.clock).await };
        schedule.add(MEASURE, "measure", &of, measuring).await?;
        let expiring =
            |of: JobContext| async move { expire(&of.database, &of.clock).await.map(drop) };
        schedule.add(EXPIRE, "expire", &of, expiring).await?;
        let pruning =
            |of: JobContext| async move { prune(&of.database, &of.clock).await.map(drop) };
        schedule.add(PRUNE, "prune", &of, pruning).await?;
        let cutting = |of: JobContext| async move { of.database.checkpoint().await.map(drop) };
        schedule.add(CHECKPOINT, "checkpoint", &of, cutting).await?;
        for (cron, bytes_max) in [(ERASE, REWRITE_AT_ONCE_MAX), (ERASE_LARGE, u64::MAX)] {
            let erasing =
                move |of: JobContext| async move { erase(&of.database, bytes_max).await.map(drop) };
            schedule.add(cron, "erase", &of, erasing).await?;
        }
        schedule.scheduler.start().await?;
        Ok(schedule)
    }

    async fn add<W, F>(
        &self,
        cron: &str,
        name: &'static str,
        of: &JobContext,
        work: W,
    ) -> Result<(), JobSchedulerError>
    where
        W: Fn(JobContext) -> F + Send + Sync + Copy + 'static,
        F: Future<Output = Result<(), DbError>> + Send + 'static,
    {
        let (stop, runs, of) = (self.stop.clone(), self.runs.clone(), of.clone());
        let turn = Arc::new(Mutex::new(()));
        let job = Job::new_async(cron, move |_, _| {
            let (stop, of, turn) = (stop.clone(), of.clone(), Arc::clone(&turn));
            Box::pin(runs.track_future(async move {
                // The scheduler starts a job while it still runs, and once more after its shutdown.
                let Ok(_turn) = turn.try_lock() else { return };
                if stop.is_cancelled() {
                    return;
                }
                if let Err(error) = work(of).await {
                    tracing::error!(%error, job = name, "schedule.failed: a job failed; it runs again as scheduled");
                }
            }))
        })?;
        self.scheduler.add(job).await.map(|_| ())
    }

    /// Stops the jobs and waits for running ones.
    pub async fn stop(mut self) {
        self.stop.cancel();
        if let Err(error) = self.scheduler.shutdown().await {
            tracing::warn!(%error, "schedule.not_stopped: the scheduler did not stop by itself");
        }
        self.runs.close();
        self.runs.wait().await;
    }
}

// The jobs. A job that fails is tried again by its next run.

/// Updates the hub's gauges: subscriptions, due deliveries and their age.
///
/// # Errors
/// If the database cannot be read; the gauges stay unchanged.
pub async fn measure(database: &Database, clock: &Clock) -> Result<(), DbError> {
    let fault = |error| DbError::at(database.path(), error);
    let mut connection = database.readers().acquire().await.map_err(fault)?;
    let figures = store::gauges(&mut connection, clock.now()).await;
    let figures = figures.map_err(fault)?;
    for (metric, count) in [
        (metrics::HUB_ACTIVE, figures.active),
        (metrics::HUB_PENDING, figures.pending),
        (metrics::HUB_DUE, figures.due),
        (
            metrics::HUB_OLDEST_DUE_SECONDS,
            figures.oldest_due_seconds.max(0),
        ),
    ] {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        metric.gauge(&[]).set(f64::from(count));
    }
    Ok(())
}

/// Records expired leases; returns whether there were any. Deliveries stop at a lease's end even without this.
///
/// # Errors
/// If the database cannot be written.
pub async fn expire(database: &Database, clock: &Clock) -> Result<bool, DbError> {
    let fault = |error| DbError::at(database.path(), error);
    let mut write = database.write().await?;
    let ended = store::expire(&mut write, clock.now())
        .await
        .map_err(fault)?;
    write.commit().await.map_err(fault)?;
    if ended > 0 {
        tracing::info!(ended, "websub.lapsed: leases ended and were not renewed");
    }
    Ok(ended > 0)
}

/// Deletes rows and files whose retention has ended: the hub's attempts, sums, ended subscriptions and unverified
/// requests, and files that a restore or an upgrade kept.
///
/// # Errors
/// If the database cannot be written.
pub async fn prune(database: &Database, clock: &Clock) -> Result<bool, DbError> {
    let fault = |error| DbError::at(database.path(), error);
    let mut write = database.write().await?;
    let gone = store::prune(&mut write, clock.now()).await.map_err(fault)?;
    write.commit().await.map_err(fault)?;
    database.prune_markers().await?;
    if gone > 0 {
        tracing::info!(
            gone,
            "websub.pruned: records older than 30 days were deleted"
        );
    }
    let former = database.remove_former(clock.now())?;
    if former > 0 {
        tracing::info!(
            files = former,
            "restore.former_removed: database files that a restore or an upgrade kept aside were removed after 30 days"
        );
    }
    Ok(gone > 0 || former > 0)
}

/// Erases traces of deleted reviews from the file, regardless of the program that deleted them, if the file has at most
/// `bytes_max`; returns whether none are left.
///
/// # Errors
/// If the database cannot be written.
pub async fn erase(database: &Database, bytes_max: u64) -> Result<bool, DbError> {
    match database.erase_traces(bytes_max).await? {
        Erased::All | Erased::ButNodes => Ok(true),
        Erased::Later(why @ Postponed::NoRoom { .. }) if bytes_max == u64::MAX => {
            tracing::warn!(
                "erasure.no_room: unused parts of the file still contain text of deleted reviews: {why}; free some, and it is \
                 erased within an hour"
            );
            Ok(false)
        }
        Erased::Nothing | Erased::Later(_) => Ok(false),
    }
}
