//! Fetches sources that are due.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Mutex;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future;
use indicatif::ProgressBar;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::decide::{Cause, RunRequest};
use super::error::SyncError;
use super::run::{SyncReport, SyncRunner};
use super::source::SourceSchedule;
use crate::compute::lock;
use crate::imports::{Rejection, Watch};
use crate::metrics;
use crate::storage::sync::{SyncSource, sync_sources};
use crate::storage::{AtPath as _, DbError, instant_or_epoch};

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
