//! Background jobs. Each returns whether it did anything; the caller decides when it runs: the service by its clock, a
//! test until no work is left.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::FutureExt as _;
use futures_util::future::{self, BoxFuture};
use indicatif::ProgressBar;
use tokio::sync::{Notify, Semaphore};
use tokio_cron_scheduler::{Job, JobScheduler, JobSchedulerError};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::Clock;
use crate::compute::lock;
use crate::imports::{Rejection, Watch};
use crate::insights::store::{StoredAnalysis, parse, save};
use crate::insights::{Analyzer, Subject};
use crate::metrics;
use crate::model::Day;
use crate::snapshot::{
    AnalysisProgress, CachedBody, Coding, LateAnalyses, PublishError, Publisher, Snapshot, analyze,
};
use crate::storage::reviews::{self, Numbered, published};
use crate::storage::sync::{SyncSource, sync_sources};
use crate::storage::{
    AtPath as _, Changes, Database, DbError, Erased, Postponed, REWRITE_AT_ONCE_MAX,
    instant_or_epoch,
};
use crate::sync::{Cause, RunRequest, SourceSchedule, SyncError, SyncReport, SyncRunner};
use crate::web::context::Ctx;
use crate::websub::store::{self, HubGauges};

// Detects changes of the database and publishes the next snapshot.

/// Interval of checks for changes. A change must be published within a second.
const WATCH_INTERVAL: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub struct PublishChanges {
    pub ctx: Arc<Ctx>,
    /// It has rendered the first snapshot of `ctx`.
    pub publisher: Publisher,
    pub changes: Changes,
    pub retry: Retry,
}

impl PublishChanges {
    /// Runs once and logs changes between success and failure. Returns whether there is a new snapshot, and the delay
    /// until the next run.
    pub async fn watch_once(&mut self) -> (bool, Duration) {
        let published = self.run_once().await;
        match &published {
            Ok(_) => {
                self.ctx.freshness.succeeded();
                if let Some(failures) = self.retry.succeeded() {
                    self.publisher.database.note_lost(false);
                    tracing::info!(failures, "snapshot.published_again: publishing works again");
                }
            }
            Err(error) => {
                metrics::PUBLISH_FAILURES.count(&[]);
                self.ctx.freshness.failed(self.ctx.clock.monotonic());
                if self.retry.failed(error.to_string()) {
                    self.log_failure(error).await;
                }
            }
        }
        (published.unwrap_or(false), self.retry.wait())
    }

    /// Logs a failure. Of a database that is gone, it first tries to keep what its removed log contains.
    async fn log_failure(&self, error: &anyhow::Error) {
        if let Some(DbError::Replaced(_) | DbError::LogGone(_)) = error.downcast_ref() {
            tracing::error!(%error, "database.gone: the database file was removed or replaced");
            self.publisher.database.note_lost(true);
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
        if !self.changes.any().await? && self.publisher.progress.late() == LateAnalyses::Missing {
            return Ok(false);
        }
        let started = self.ctx.clock.monotonic();
        let next = self.next().await.inspect_err(|_| self.changes.forget())?;
        self.ctx.transparency.forget();
        let Some((reviews, change_no)) = next else {
            return Ok(false);
        };
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

// Analyzes reviews that a snapshot could not wait for. Each run is bounded, so that shutdown is quick and other writers
// get their turn.

/// Reviews that one run analyzes and stores in one transaction.
const REVIEWS_PER_RUN: usize = 512;

/// Its day and ID.
pub type LastReview = (Day, String);

#[derive(Debug)]
pub struct AnalyzePostponed {
    pub ctx: Arc<Ctx>,
    pub database: Database,
    /// That of the publisher of the snapshots of `ctx`.
    pub progress: Arc<AnalysisProgress>,
    /// Progress through all reviews to analyze: the method, and the last review.
    pub pass: Mutex<Option<(String, LastReview)>>,
}

impl AnalyzePostponed {
    /// Analyzes some reviews without analysis and stores the results; returns whether there was work. When all are done,
    /// the next snapshot can use them.
    ///
    /// # Errors
    /// If the database fails or an analysis panics; the next run tries again.
    pub async fn run_once(&self) -> anyhow::Result<bool> {
        let snapshot = self.ctx.current.load();
        // The next snapshot uses the finished analyses; until then there is no more work.
        if self.progress.late() == LateAnalyses::Stored || snapshot.input.behind() == 0 {
            return Ok(false);
        }
        let analyzer = Arc::clone(&snapshot.input.next_analyzer);
        let Some((ids, last)) = self.next(&snapshot) else {
            *lock(&self.pass) = None;
            self.progress.set_late(LateAnalyses::Stored);
            return Ok(true);
        };
        drop(snapshot);
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let analyses = self.analyze(&analyzer, &ids).await?;
        save(&self.database, &analyses).await?;
        *lock(&self.pass) = Some((analyzer.method().to_owned(), last));
        Ok(true)
    }

    /// The next IDs of this pass, newest first, and the key of the last one; `None` at the end.
    fn next(&self, snapshot: &Snapshot) -> Option<(Vec<String>, LastReview)> {
        let input = &snapshot.input;
        let pass = lock(&self.pass);
        let last = pass
            .as_ref()
            .filter(|(method, _)| method == input.next_analyzer.method());
        let start = last.map_or(0, |(_, (day, id))| input.entries.count_through(*day, id));
        let is_all = input.analyzer.method() != input.next_analyzer.method();
        let entries = input.entries[start..].iter();
        let missing: Vec<_> = entries
            .filter(|entry| is_all || entry.analysis.is_none())
            .take(REVIEWS_PER_RUN)
            .collect();
        let last = &missing.last()?.review;
        let ids = missing.iter().map(|entry| entry.id().to_string());
        Some((ids.collect(), (last.date, last.id.to_string())))
    }

    /// Analyzes the reviews of `ids` that have no stored analysis of this method.
    async fn analyze(
        &self,
        analyzer: &Arc<Analyzer>,
        ids: &[&str],
    ) -> anyhow::Result<Vec<StoredAnalysis>> {
        let path = self.database.path();
        let mut transaction = self.database.readers().begin().await.at(path)?;
        let reviews = published(&mut transaction, ids).await.at(path)?;
        transaction.commit().await.at(path)?;
        let analyzer = Arc::clone(analyzer);
        let missing = move |Numbered {
                                review, analysis, ..
                            }: Numbered| {
            let hash = Subject::of(&review).hash();
            let is_stored = analysis.is_some_and(|row| {
                (row.text_hash == hash && row.method_hash == analyzer.method())
                    && parse(&row).is_some()
            });
            (!is_stored).then(|| analyze(&analyzer, &review, hash))
        };
        let analyze_missing =
            move || -> Vec<StoredAnalysis> { reviews.into_iter().filter_map(missing).collect() };
        let analyses = self.ctx.compute.run(analyze_missing).await?;
        metrics::TEXTS_ANALYZED
            .counter(&[])
            .inc_by(analyses.len() as u64);
        Ok(analyses)
    }
}

// Compresses published bodies before they are requested. Work for a document that has changed since is dropped; work
// for an unchanged one continues.

/// Renders the pages of a snapshot before they are requested.
pub type MakeAhead = Arc<dyn Fn(&Arc<Snapshot>) -> Vec<Arc<CachedBody>> + Send + Sync>;

#[derive(Clone)]
pub struct Precompress {
    ctx: Arc<Ctx>,
    fixed: Arc<[Arc<CachedBody>]>,
    make_ahead: MakeAhead,
}

impl Precompress {
    /// `fixed` are bodies that do not change while the service runs; `make_ahead` renders pages of each snapshot.
    pub fn new(ctx: Arc<Ctx>, fixed: Vec<Arc<CachedBody>>, make_ahead: MakeAhead) -> Self {
        Self {
            ctx,
            fixed: fixed.into(),
            make_ahead,
        }
    }

    /// Makes every missing body in these codings, those of the first coding first, until the snapshot is replaced; returns
    /// whether any was missing.
    pub async fn run_once(&self, codings: &[Coding]) -> bool {
        let snapshot = self.ctx.current.load();
        // A weak reference, so that a superseded snapshot is freed.
        let of = Arc::downgrade(&snapshot);
        let bodies = self.bodies(snapshot).await;
        let mut did_any = false;
        // A failed coding is not retried before the next snapshot.
        for &coding in codings {
            for body in &bodies {
                let is_offered = Coding::for_length(body.content.length()).contains(&coding);
                if !is_offered || body.coded(coding).is_some() {
                    continue;
                }
                did_any |= self.code(body, coding, &of).await;
                if self.ctx.draining.is_cancelled() || !self.is_current(&of) {
                    return did_any;
                }
            }
        }
        did_any
    }

    /// The documents and pages of `snapshot` and the fixed bodies, small ones first.
    async fn bodies(&self, snapshot: Arc<Snapshot>) -> Vec<Arc<CachedBody>> {
        let documents = snapshot.documents().map(|published| &published.body);
        let mut bodies: Vec<_> = documents.chain(&*self.fixed).cloned().collect();
        let make_ahead = Arc::clone(&self.make_ahead);
        match self.ctx.compute.run(move || make_ahead(&snapshot)).await {
            Ok(pages) => bodies.extend(pages),
            // A panic recurs for the request that renders the page, and is reported there.
            Err(error) => tracing::error!(
                %error,
                "pages.not_made_ahead: pages could not be rendered in advance; they are rendered on request"
            ),
        }
        bodies.sort_by_key(|body| body.content.length());
        bodies
    }

    /// Compresses a body of the snapshot `of`, unless it is replaced meanwhile; returns whether it is done.
    async fn code(&self, body: &Arc<CachedBody>, coding: Coding, of: &Weak<Snapshot>) -> bool {
        let (job, body, of) = (self.clone(), Arc::clone(body), Weak::clone(of));
        let coded = self.ctx.compute.run(move || {
            let is_cancelled = || job.ctx.draining.is_cancelled() || !job.is_published(&body, &of);
            let coded = coding.compress(&body.content.pieces, &is_cancelled)?;
            body.set_coded(coding, coded);
            Some(())
        });
        // After a panic in an encoder the coding is not offered; identity always is.
        coded
            .await
            .inspect_err(|error| tracing::error!(%error, coding = coding.name(), "coding.failed: a content coding failed and is \
                not offered"))
            .is_ok_and(|done| done.is_some())
    }

    fn is_current(&self, snapshot: &Weak<Snapshot>) -> bool {
        std::ptr::eq(snapshot.as_ptr(), Arc::as_ptr(&self.ctx.current.load()))
    }

    /// Whether this body of the snapshot `of` is published: a newer snapshot may share its documents, but no pages.
    fn is_published(&self, body: &Arc<CachedBody>, of: &Weak<Snapshot>) -> bool {
        let current = self.ctx.current.load();
        let documents = current.documents().map(|published| &published.body);
        let mut kept = documents.chain(&*self.fixed);
        self.is_current(of) || kept.any(|other| Arc::ptr_eq(other, body))
    }
}

// Fetches sources that are due.

/// Sources that are fetched at the same time.
const RUNS_MAX: usize = 4;
/// The wait after a failure that could not be recorded, so that a source is not fetched without a pause.
const UNRECORDED_WAIT: Duration = Duration::from_mins(1);
/// The longest wait that a server may ask for.
const RETRY_AFTER_MAX: TimeDelta = TimeDelta::hours(25);
/// A finished run later than this is of a clock that was ahead.
const AHEAD_MAX: TimeDelta = TimeDelta::minutes(1);

pub struct FetchSources {
    pub runner: SyncRunner,
    /// The names of the sources that run or wait for a place.
    running: Mutex<HashSet<String>>,
    places: Semaphore,
    /// The sources with gauges, and their schedules.
    measured: Mutex<HashMap<String, String>>,
}

/// Watches a run only for the stop.
struct Unwatched<'s>(&'s CancellationToken);

impl Watch for Unwatched<'_> {
    fn is_stopped(&self) -> bool {
        self.0.is_cancelled()
    }

    fn rejected(&mut self, _: Rejection) -> io::Result<()> {
        Ok(())
    }
}

impl FetchSources {
    pub fn new(runner: SyncRunner) -> Self {
        Self {
            runner,
            running: Mutex::default(),
            places: Semaphore::new(RUNS_MAX),
            measured: Mutex::default(),
        }
    }

    async fn sources(&self) -> Result<Vec<SyncSource>, DbError> {
        let database = &self.runner.database;
        let sources = sync_sources(&mut *database.reader().await?).await;
        sources.at(database.path())
    }

    /// Runs what is due, until `stop`; returns whether there was any.
    pub async fn run_once(&self, stop: &CancellationToken) -> Result<bool, DbError> {
        let (sources, now) = (self.sources().await?, self.runner.clock.now());
        self.measure(&sources);
        let due = sources.into_iter().filter(|source| is_due(source, now));
        let due: Vec<String> = due
            .map(|source| source.name)
            .filter(|name| lock(&self.running).insert(name.clone()))
            .collect();
        let has_work = !due.is_empty();
        let runs = due.into_iter().map(async |name| {
            let _place = self.places.acquire().await;
            if let Err(error) = self.run_source(&name, stop).await {
                tracing::error!(source = name, %error, "sync.not_recorded: the outcome of a run could not be stored");
                let wait = self.runner.clock.sleep(UNRECORDED_WAIT);
                stop.run_until_cancelled(wait).await;
            }
            lock(&self.running).remove(&name);
        });
        Box::pin(future::join_all(runs)).await;
        Ok(has_work)
    }

    /// Runs a source, unless a command runs it now.
    async fn run_source(&self, name: &str, stop: &CancellationToken) -> Result<(), DbError> {
        let runner = &self.runner;
        let Some(locked) = runner.database.lock_source(name).await? else {
            return Ok(());
        };
        // Read again, because a run may have ended since.
        let mut sources = self.sources().await?.into_iter();
        let source = sources
            .find(|source| source.name == name)
            .filter(|source| is_due(source, runner.clock.now()));
        let (request, bar) = (RunRequest::new(Cause::Schedule), ProgressBar::hidden());
        let run = match source {
            Some(source) => {
                let mut watch = Unwatched(stop);
                runner.run(&source, &request, stop, &bar, &mut watch).await
            }
            None => Ok(None),
        };
        runner.database.unlock_source(locked).await?;
        log_run(name, &run);
        match run {
            Err(SyncError::Database(error)) => Err(error),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Sets the gauges of the sources that are fetched, and removes those of others: a paused source is no fault.
    pub fn measure(&self, sources: &[SyncSource]) {
        let active: Vec<&SyncSource> = sources.iter().filter(|source| !source.paused).collect();
        let schedules: HashMap<String, String> = (active.iter())
            .map(|source| (source.name.clone(), source.schedule.clone()))
            .collect();
        let mut measured = lock(&self.measured);
        for gone in measured
            .keys()
            .filter(|name| !schedules.contains_key(*name))
        {
            metrics::SYNC_LAST_SUCCESS.remove_gauge(&[gone]);
            metrics::SYNC_INTERVAL.remove_gauge(&[gone]);
            metrics::SYNC_DOUBTFUL.remove_gauge(&[gone]);
        }
        for source in active {
            for outcome in metrics::SYNC_OUTCOMES {
                metrics::SYNC_RUNS.counter(&[&source.name, outcome]);
            }
            let success = source.last_success_at.as_deref().map(instant_or_epoch);
            // A success in the future says nothing of when the source was fetched.
            let success = success.filter(|at| *at <= self.runner.clock.now() + AHEAD_MAX);
            let seconds = success.map_or(0, |at| at.min(self.runner.clock.now()).timestamp());
            let seconds = u32::try_from(seconds).unwrap_or_default();
            metrics::SYNC_LAST_SUCCESS
                .gauge(&[&source.name])
                .set(f64::from(seconds));
            let doubtful = u32::try_from(source.last_doubtful).unwrap_or(u32::MAX);
            metrics::SYNC_DOUBTFUL
                .gauge(&[&source.name])
                .set(f64::from(doubtful));
            if measured.get(&source.name) != Some(&source.schedule) {
                // Runs with an invalid schedule fail; by the default one the alert still fires.
                let schedule: SourceSchedule = source.schedule.parse().unwrap_or_default();
                let interval = schedule.interval_seconds(self.runner.clock.now());
                metrics::SYNC_INTERVAL.gauge(&[&source.name]).set(interval);
            }
        }
        *measured = schedules;
    }
}

fn log_run(source: &str, run: &Result<Option<SyncReport>, SyncError>) {
    match run {
        Ok(None) => {}
        Ok(Some(SyncReport { import, decision })) => tracing::info!(
            source,
            outcome = decision.outcome,
            reviews = decision.count,
            new = import.new,
            updated = import.updated,
            withdrawn = import.withdrawn.count,
            rejected = import.rejected,
            doubtful = import.doubtful.count,
            "sync.run: a source was fetched"
        ),
        Err(error) => tracing::warn!(
            source,
            %error,
            "sync.failed: a source could not be fetched; it is tried again on its schedule"
        ),
    }
}

/// The latest time that its schedule can give.
fn latest(source: &SyncSource, now: DateTime<Utc>) -> DateTime<Utc> {
    let schedule: SourceSchedule = source.schedule.parse().unwrap_or_default();
    let seconds = schedule.interval_seconds(now) * 1.1;
    now + TimeDelta::from_std(Duration::from_secs_f64(seconds)).unwrap_or(TimeDelta::MAX)
        + AHEAD_MAX
}

/// Whether the source's time has come; an invalid one counts as past. If its last run finished in the future, the clock was ahead, and
/// the time of the next is as wrong.
fn is_due(source: &SyncSource, now: DateTime<Utc>) -> bool {
    let next = source.next_run_at.as_deref().map(instant_or_epoch);
    let finished = match source.last_outcome.as_deref() {
        Some("failure") => &source.last_failure_at,
        _ => &source.last_success_at,
    };
    let finished = finished.as_deref().map(instant_or_epoch);
    let was_ahead = finished.is_some_and(|at| at > now + AHEAD_MAX)
        || next.is_some_and(|next| next > now + RETRY_AFTER_MAX && next > latest(source, now));
    !source.paused && (was_ahead || next.is_none_or(|next| next <= now))
}

// Cron jobs, which also wake the worker in case its own timer fails. Runs of the same job do not overlap, and
// shutdown waits for running ones.

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
    sync: Arc<FetchSources>,
    stop: CancellationToken,
}

type CronJob = fn(JobContext) -> BoxFuture<'static, Result<(), DbError>>;

/// The job that fetches sources. Its runs overlap: a source that takes long must not delay others, and never runs beside
/// itself.
const SYNC: &str = "sync";

/// When each job runs (seconds, minutes, hours, day, month, weekday), its name, and what it does. A large file is
/// rewritten at most once an hour.
const CRON_JOBS: [(&str, &str, CronJob); 8] = [
    ("*/2 * * * * *", SYNC, |of| {
        async move { of.sync.run_once(&of.stop).await.map(drop) }.boxed()
    }),
    ("*/15 * * * * *", "wake", |of| {
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
        async move { prune(&of.database, &of.clock).await.map(drop) }.boxed()
    }),
    ("35 * * * * *", "checkpoint", |of| {
        async move { of.database.checkpoint().await.map(drop) }.boxed()
    }),
    ("20 * * * * *", "erase", |of| {
        async move { erase(&of.database, REWRITE_AT_ONCE_MAX).await.map(drop) }.boxed()
    }),
    ("50 37 * * * *", "erase", |of| {
        async move { erase(&of.database, u64::MAX).await.map(drop) }.boxed()
    }),
];

impl Schedule {
    /// Starts the jobs: fetch sources, wake the worker, measure, expire leases, prune, checkpoint the write-ahead log, erase deleted
    /// reviews.
    ///
    /// # Errors
    /// If the scheduler does not start.
    pub async fn start(
        database: &Database,
        clock: &Clock,
        wake: &Arc<Notify>,
        sync: &Arc<FetchSources>,
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
            sync: Arc::clone(sync),
            stop: schedule.stop.clone(),
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
        let turn = Arc::new(tokio::sync::Mutex::new(()));
        let job = Job::new_async(cron, move |_, _| {
            let (of, turn) = (of.clone(), Arc::clone(&turn));
            Box::pin(runs.track_future(async move {
                // The scheduler starts a job while it still runs, and once more after its shutdown.
                let turn = turn.try_lock();
                if (turn.is_err() && name != SYNC) || of.stop.is_cancelled() {
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

/// Deletes rows and files whose retention has ended: the hub's attempts, sums, ended subscriptions and unverified
/// requests, former values of imports, and files that a restore kept.
pub async fn prune(database: &Database, clock: &Clock) -> Result<bool, DbError> {
    let (path, mut write) = (database.path(), database.write().await?);
    let gone = store::prune(&mut write, clock.now()).await.at(path)?;
    reviews::forget_runs(&mut write, clock.now())
        .await
        .at(path)?;
    write.commit().await.at(path)?;
    database.prune_markers().await?;
    if gone > 0 {
        tracing::info!(
            gone,
            "websub.pruned: records older than 30 days were deleted"
        );
    }
    let copies = database.remove_copies(clock.now())?;
    if copies > 0 {
        tracing::info!(
            files = copies,
            "restore.former_removed: database files that a restore kept aside were removed after 30 days, or those of a killed \
             command after an hour"
        );
    }
    Ok(gone > 0 || copies > 0)
}

/// Erases traces of deleted reviews from the file, regardless of the program that deleted them, if the file has at most
/// `bytes_max`; returns whether none are left.
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
