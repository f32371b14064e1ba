//! Fetches sources that are due.

use std::collections::HashMap;
use std::io;
use std::sync::Mutex;
use std::time::Duration;

use futures_util::future;
use indicatif::ProgressBar;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::decide::{Cause, RunRequest};
use super::error::SyncError;
use super::run::{AHEAD_MAX, SyncReport, SyncRunner, is_due};
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

pub struct FetchSources {
    pub runner: SyncRunner,
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
            places: Semaphore::new(RUNS_MAX),
            measured: Mutex::default(),
        }
    }

    /// Runs what is due, until `stop`; returns whether there was any. What finds no place is due at the next call, too.
    pub async fn run_once(&self, stop: &CancellationToken) -> Result<bool, DbError> {
        let (database, now) = (&self.runner.database, self.runner.clock.now());
        let sources = sync_sources(&mut *database.reader().await?).await;
        let sources = sources.at(database.path())?;
        self.measure(&sources);
        let due: Vec<_> = sources
            .iter()
            .filter(|source| is_due(source, now))
            .collect();
        let runs = due.iter().map(async |source| {
            let Ok(_place) = self.places.try_acquire() else {
                return;
            };
            if let Err(error) = self.run_source(&source.name, stop).await {
                tracing::error!(source = source.name, %error, "sync.not_recorded: the outcome of a run could not be stored");
                let wait = self.runner.clock.sleep(UNRECORDED_WAIT);
                stop.run_until_cancelled(wait).await;
            }
        });
        Box::pin(future::join_all(runs)).await;
        Ok(!due.is_empty())
    }

    async fn run_source(&self, name: &str, stop: &CancellationToken) -> Result<(), DbError> {
        let (request, bar) = (RunRequest::new(Cause::Schedule), ProgressBar::hidden());
        let mut watch = Unwatched(stop);
        let run = self
            .runner
            .run_locked(name, &request, stop, &bar, &mut watch);
        let run = run.await;
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
        // A command may run it now.
        Ok(None) | Err(SyncError::Running) => {}
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
