//! The scheduler: cron calls the jobs' `run_once`, as a net below the worker's own timer. No run
//! overlaps another of the same job, and a stop waits for what runs.

use std::sync::Arc;

use tokio::sync::{Mutex, Notify};
use tokio_cron_scheduler::{Job, JobScheduler, JobSchedulerError};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{checkpoint, erase, expire, measure, prune};
use crate::clock::Clock;
use crate::storage::{Database, DbError, REWRITE_AT_ONCE_MAX};

/// Seconds, minutes, hours, day, month, weekday.
const WAKE: &str = "*/15 * * * * *";
const MEASURE: &str = "*/15 * * * * *";
const EXPIRE: &str = "5 * * * * *";
const PRUNE: &str = "10 23 * * * *";
const CHECKPOINT: &str = "35 * * * * *";
const ERASE: &str = "20 * * * * *";
/// A large file is rewritten at most once an hour.
const ERASE_LARGE: &str = "50 37 * * * *";

/// The cron jobs that run; dropping it stops none, [`Schedule::stop`] does.
pub struct Schedule {
    scheduler: JobScheduler,
    stop: CancellationToken,
    runs: TaskTracker,
}

impl Schedule {
    /// Starts the jobs: wake the worker, measure, end leases, prune, cut the log, erase what was
    /// deleted.
    ///
    /// # Errors
    /// When the scheduler will not start.
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
        let wake = Arc::clone(wake);
        let waking = move || {
            let wake = Arc::clone(&wake);
            async move {
                wake.notify_one();
                Ok(())
            }
        };
        schedule.add(WAKE, "wake", waking).await?;
        let (its, time) = (database.clone(), clock.clone());
        let measuring = move || {
            let (database, clock) = (its.clone(), time.clone());
            async move { measure::run_once(&database, &clock).await }
        };
        schedule.add(MEASURE, "measure", measuring).await?;
        let (its, time) = (database.clone(), clock.clone());
        let expiring = move || {
            let (database, clock) = (its.clone(), time.clone());
            async move { expire::run_once(&database, &clock).await.map(|_| ()) }
        };
        schedule.add(EXPIRE, "expire", expiring).await?;
        let (its, time) = (database.clone(), clock.clone());
        let pruning = move || {
            let (database, clock) = (its.clone(), time.clone());
            async move { prune::run_once(&database, &clock).await.map(|_| ()) }
        };
        schedule.add(PRUNE, "prune", pruning).await?;
        let its = database.clone();
        let cutting = move || {
            let database = its.clone();
            async move { checkpoint::run_once(&database).await.map(|_| ()) }
        };
        schedule.add(CHECKPOINT, "checkpoint", cutting).await?;
        for (cron, bytes_max) in [(ERASE, REWRITE_AT_ONCE_MAX), (ERASE_LARGE, u64::MAX)] {
            let its = database.clone();
            let erasing = move || {
                let database = its.clone();
                async move { erase::run_once(&database, bytes_max).await.map(|_| ()) }
            };
            schedule.add(cron, "erase", erasing).await?;
        }
        schedule.scheduler.start().await?;
        Ok(schedule)
    }

    async fn add<W, F>(
        &self,
        cron: &str,
        name: &'static str,
        work: W,
    ) -> Result<(), JobSchedulerError>
    where
        W: Fn() -> F + Send + Sync + Clone + 'static,
        F: Future<Output = Result<(), DbError>> + Send + 'static,
    {
        let (stop, runs, turn) = (
            self.stop.clone(),
            self.runs.clone(),
            Arc::new(Mutex::new(())),
        );
        let job = Job::new_async(cron, move |_, _| {
            let (stop, work, turn) = (stop.clone(), work.clone(), Arc::clone(&turn));
            Box::pin(runs.track_future(async move {
                // The scheduler starts a job though it still runs, and once more after its
                // shutdown.
                let Ok(_turn) = turn.try_lock() else { return };
                if stop.is_cancelled() {
                    return;
                }
                if let Err(error) = work().await {
                    tracing::error!(%error, job = name, "schedule.failed: a job failed; it is run again at its next time");
                }
            }))
        })?;
        self.scheduler.add(job).await.map(|_| ())
    }

    /// Stops the jobs, and waits for those that run.
    pub async fn stop(mut self) {
        self.stop.cancel();
        if let Err(error) = self.scheduler.shutdown().await {
            tracing::warn!(%error, "schedule.not_stopped: the scheduler did not stop by itself");
        }
        self.runs.close();
        self.runs.wait().await;
    }
}
