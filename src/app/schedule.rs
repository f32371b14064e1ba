//! Cron jobs. Runs of a job may overlap: a source that takes long to fetch must not delay others, and never runs beside
//! itself. Shutdown waits for running ones.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::{self, BoxFuture};
use tokio::sync::Notify;
use tokio_cron_scheduler::{Job, JobScheduler, JobSchedulerError};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::Clock;
use crate::metrics;
use crate::storage::{AtPath as _, Database, DbError, Erased, reviews};
use crate::sync::EntryScheduler;
use crate::websub::store::{self, HubGauges};

/// The running cron jobs; dropping it does not stop them, [`CronSchedule::stop`] does.
pub struct CronSchedule {
    scheduler: JobScheduler,
    stop: CancellationToken,
    runs: TaskTracker,
}

#[derive(Clone)]
pub struct JobContext {
    pub database: Database,
    pub clock: Clock,
    pub wake: Arc<Notify>,
    pub sync: Arc<EntryScheduler>,
    pub stop: CancellationToken,
}

type CronJob = fn(JobContext) -> BoxFuture<'static, Result<(), DbError>>;

/// When each job runs (seconds, minutes, hours, day, month, weekday), its name, and what it does.
const CRON_JOBS: [(&str, &str, CronJob); 6] = [
    ("*/2 * * * * *", "sync", |of| {
        async move { of.sync.run_once(&of.stop).await.map(drop) }.boxed()
    }),
    // The hub's worker then reads what is due, which is cheap while nothing is.
    ("* * * * * *", "wake", |of| {
        of.wake.notify_one();
        future::ok(()).boxed()
    }),
    ("*/15 * * * * *", "measure", |of| {
        async move { measure(&of.database, &of.clock).await }.boxed()
    }),
    ("5 * * * * *", "expire", |of| {
        async move { expire(&of.database, &of.clock).await.map(drop) }.boxed()
    }),
    ("10 23 * * * *", "prune", |of| {
        async move { prune(&of.database, &of.clock).await }.boxed()
    }),
    // Once an hour, because other writers wait while a file is rewritten.
    ("20 37 * * * *", "erase", |of| {
        async move { erase(&of.database).await }.boxed()
    }),
];

impl CronSchedule {
    /// Starts the jobs: fetch sources, wake the worker, measure, expire leases, prune, erase deleted reviews.
    ///
    /// # Errors
    /// If the scheduler does not start.
    pub async fn start(of: JobContext) -> Result<Self, JobSchedulerError> {
        let schedule = Self {
            scheduler: JobScheduler::new().await?,
            stop: of.stop.clone(),
            runs: TaskTracker::new(),
        };
        for (cron, name, run) in CRON_JOBS {
            schedule.add(cron, name, run, &of).await?;
        }
        schedule.scheduler.start().await?;
        Ok(schedule)
    }

    async fn add(
        &self,
        cron: &str,
        name: &'static str,
        run: CronJob,
        of: &JobContext,
    ) -> Result<(), JobSchedulerError> {
        let (runs, of) = (self.runs.clone(), of.clone());
        let job = Job::new_async(cron, move |_, _| {
            let of = of.clone();
            Box::pin(runs.track_future(async move {
                // The scheduler starts a job once more after its shutdown.
                if of.stop.is_cancelled() {
                    return;
                }
                if let Err(error) = run(of).await {
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

/// A run of each job, in any order and at any time, with its name. For tests.
pub fn runs(
    of: JobContext,
) -> impl Iterator<Item = (&'static str, BoxFuture<'static, Result<(), DbError>>)> {
    let jobs = CRON_JOBS.iter();
    jobs.map(move |(_, name, run)| (*name, run(of.clone())))
}

// The jobs. A job that fails is tried again by its next run.

/// Updates the hub's gauges: subscriptions, due deliveries and their age.
///
/// # Errors
/// If the database cannot be read; the gauges stay unchanged.
pub async fn measure(database: &Database, clock: &Clock) -> Result<(), DbError> {
    let mut connection = database.reader().await?;
    let figures = store::gauges(&mut connection, clock.now()).await;
    set_gauges(figures.at(database.path())?);
    Ok(())
}

/// Sets the hub's gauges; a process that does not send reports none.
pub fn set_gauges(figures: HubGauges) {
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
}

/// Records expired leases; returns whether there were any. Deliveries stop at a lease's end even without this.
pub async fn expire(database: &Database, clock: &Clock) -> Result<bool, DbError> {
    let (path, mut write) = (database.path(), database.write().await?);
    let ended = store::expire(&mut write, clock.now()).await.at(path)?;
    write.commit().await.at(path)?;
    if ended > 0 {
        tracing::info!(ended, "websub.lapsed: leases ended and were not renewed");
    }
    Ok(ended > 0)
}

/// Deletes former values of imports whose retention has ended.
async fn prune(database: &Database, clock: &Clock) -> Result<(), DbError> {
    let (path, mut write) = (database.path(), database.write().await?);
    reviews::forget_runs(&mut write, clock.now())
        .await
        .at(path)?;
    write.commit().await.at(path)
}

/// Erases traces of deleted reviews from the text index and the file, whatever program deleted them.
async fn erase(database: &Database) -> Result<(), DbError> {
    if database.erase_traces(u64::MAX).await? == Erased::Later {
        tracing::warn!(
            "erasure.postponed: unused parts of the file still contain text of deleted reviews, because it is in use or its disk is \
             full; trying again in an hour"
        );
    }
    Ok(())
}
