//! Runs of sources: each is fetched and imported, and what came of it is recorded. A run holds the lock of
//! its source, but none of the database while it fetches; imports, undo and runs follow one another in their transactions. The service runs the sources that are due.

use std::collections::HashMap;
use std::io;
use std::sync::Mutex;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use futures_util::future;
use indicatif::ProgressBar;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::decide::{Cause, RunDecision, RunRecord, RunRequest};
use super::fetch::{Fetched, fetch_pages, find_files};
use super::source::{Source, SourceSchedule, SyncError};
use crate::clock::Clock;
use crate::compute::lock;
use crate::config::SyncConfig;
use crate::imports::{
    ImportError, ImportReport, ImportRequest, Rejection, Watch, Watcher, apply, read_files,
};
use crate::metrics::{self, figure};
use crate::random::Random;
use crate::storage::business::{refuse_sample, time_zone};
use crate::storage::sync::{SyncSource, note_sync_failure, set_next_run, sync_sources};
use crate::storage::{AtPath as _, Database, DbError, Write, instant_or_epoch};

const RUN_TIMEOUT: Duration = Duration::from_mins(30);
/// A server that asks for a longer wait is mistaken.
const WAIT_MAX: Duration = Duration::from_hours(24);
/// A finished run later than this is of a clock that was ahead.
const AHEAD_MAX: TimeDelta = TimeDelta::minutes(1);
/// Characters of a reason that are stored.
const REASON_MAX: usize = 500;

#[derive(Debug)]
pub struct SyncReport {
    pub import: ImportReport,
    pub decision: RunDecision,
}

pub struct SyncRunner {
    pub database: Database,
    pub clock: Clock,
    pub random: Random,
    pub config: SyncConfig,
    /// One place: pages are looked at and imported one after another, so that the memory of one import is enough.
    memory: Semaphore,
}

impl SyncRunner {
    pub fn new(database: &Database, clock: &Clock, random: Random, config: SyncConfig) -> Self {
        Self {
            database: database.clone(),
            clock: clock.clone(),
            random,
            config,
            memory: Semaphore::new(1),
        }
    }

    /// Fetches the pages of a source, or finds its files. A scheduled run gets nothing if the answer is that of the last
    /// one.
    ///
    /// # Errors
    /// If one page fails, all do.
    pub async fn fetch(
        &self,
        source: &Source,
        request: &RunRequest,
        bar: &ProgressBar,
    ) -> Result<Fetched, SyncError> {
        let is_conditional = request.cause == Cause::Schedule;
        let mut reader = self.database.reader().await?;
        let sample = refuse_sample(&mut reader, self.database.path()).await;
        drop(reader);
        if let Err(error @ DbError::Sample(_)) = sample {
            return Err(SyncError::failed(error.to_string()));
        }
        sample?;
        if source.is_path() {
            return find_files(&self.config, source, self.clock.now(), is_conditional);
        }
        let (config, clock) = (&self.config, &self.clock);
        let fetch = fetch_pages(config, clock, &self.memory, source, is_conditional, bar);
        let minutes = RUN_TIMEOUT.as_secs() / 60;
        tokio::select! {
            fetched = Box::pin(fetch) => fetched,
            () = self.clock.sleep(RUN_TIMEOUT) => Err(SyncError::failed(format!("the pages took longer than {minutes} minutes"))),
        }
    }

    /// Imports what was fetched and records the run, in one transaction.
    ///
    /// # Errors
    /// As those of [`import`]; the failure is not recorded.
    pub async fn apply(
        &self,
        source: &Source,
        fetched: &Fetched,
        request: &RunRequest,
        is_dry_run: bool,
        watch: Watcher<'_>,
    ) -> Result<SyncReport, SyncError> {
        let import_request = ImportRequest {
            files: fetched.files.clone(),
            dry_run: is_dry_run,
            accept_changes: request.accepts_changes,
            doubtful: request.doubtful,
            partial: source.options.partial,
            mask: fetched.mask.clone(),
            below: fetched.below.clone(),
            run_of: Some(source.name().to_owned()),
            ..request
                .reading
                .clone()
                .map_or_else(|| source.import_request(), Ok)?
        };
        let database = &self.database;
        let name = source.name();
        let answer = Some(&fetched.answer).filter(|answer| !answer.is_empty());
        let answer = answer.map_or_else(String::new, |answer| format!("{answer}: "));
        let _place = self.memory.acquire().await;
        let read = read_files(database, &self.clock, &import_request, watch).await;
        let files = match read {
            Ok(files) => files,
            // When a source is added, the owner may know which columns they are.
            Err(ImportError::Open(draft))
                if request.cause == Cause::Adding || !draft.finds_no_review() =>
            {
                return Err(SyncError::Open { answer, draft });
            }
            Err(error @ (ImportError::Open(_) | ImportError::Refused(_))) => {
                let reason = fetched.mask.apply(&error.to_string());
                let found = format!("{answer}no reviews found");
                return Err(SyncError::Refused {
                    message: format!("{found}; `reviews sync run {name} --dry-run` shows why"),
                    details: Some(format!(
                        "{found}: {reason}; `reviews sync add {name} URL …` stores options for reading"
                    )),
                });
            }
            Err(error) => return Err(error.into()),
        };
        let record = RunRecord {
            source,
            fetched,
            request,
            now: self.clock.now(),
            next_run_at: self.next_run_at(&source.row).await?,
        };
        let mut write = database.write_as_owner().await?;
        let guards = request.guards(name);
        let recorded = async {
            let applied = apply(&mut write, database, files, &guards, watch).await?;
            let decision = record.write(&mut write, database, &applied).await;
            let decision = decision.map_err(|error| error.at(database.path()))?;
            Ok((applied.report, decision))
        };
        let (mut import, decision) = recorded.await.map_err(|error| refuse(error, fetched))?;
        if is_dry_run {
            write.rollback().await
        } else {
            write.commit().await
        }
        .at(database.path())?;
        // Values are the server's words.
        for new in &mut import.new_values {
            "…".clone_into(&mut new.value);
        }
        Ok(SyncReport { import, decision })
    }

    /// Runs the source `name`, which never runs beside itself. `None` if nothing was imported, because `stop` ended the run or the
    /// source is gone or, on the schedule, no longer due.
    ///
    /// # Errors
    /// [`SyncError::Running`] beside another run of it; others if the run failed.
    pub async fn run_locked(
        &self,
        name: &str,
        request: &RunRequest,
        stop: &CancellationToken,
        bar: &ProgressBar,
        watch: Watcher<'_>,
    ) -> Result<Option<SyncReport>, SyncError> {
        let database = &self.database;
        let Some(locked) = database.lock_source(name).await? else {
            return Err(SyncError::Running);
        };
        let run = async {
            // Read with the lock, because another run may have changed it.
            let sources = sync_sources(&mut *database.reader().await?).await;
            let mut sources = sources.at(database.path())?.into_iter();
            let row = sources.find(|row| row.name == name);
            let is_scheduled = request.cause == Cause::Schedule;
            match row.filter(|row| !is_scheduled || is_due(row, self.clock.now())) {
                Some(row) => self.run(&row, request, stop, bar, watch).await,
                None => Ok(None),
            }
        };
        let run = Box::pin(run).await;
        database.unlock_source(locked).await?;
        run
    }

    /// Runs a source, and records its failure. When the next run is due is stored first: a run that ends the process must not be
    /// the first thing after each start.
    async fn run(
        &self,
        row: &SyncSource,
        request: &RunRequest,
        stop: &CancellationToken,
        bar: &ProgressBar,
        watch: Watcher<'_>,
    ) -> Result<Option<SyncReport>, SyncError> {
        let next = self.next_run_at(row).await?;
        self.store_next_run(&row.name, next).await?;
        let run = async {
            let source = Source::read(row)?;
            let fetch = self.fetch(&source, request, bar);
            let Some(fetched) = stop.run_until_cancelled(fetch).await.transpose()? else {
                return Ok(None);
            };
            match Box::pin(self.apply(&source, &fetched, request, false, watch)).await {
                Err(_) if stop.is_cancelled() => Ok(None),
                applied => applied.map(Some),
            }
        };
        let run = Box::pin(run).await;
        match &run {
            // A stop is no fault of the source, so the run is made up at the next start.
            Ok(None) => self.store_next_run(&row.name, self.clock.now()).await?,
            Ok(Some(_)) => {
                metrics::SYNC_RUNS.count(&[&row.name, "success"]);
            }
            Err(error) => {
                let (path, now) = (self.database.path(), self.clock.now());
                let reason = error.to_string().replace(char::is_control, " ");
                let reason: String = reason.chars().take(REASON_MAX).collect();
                let mut write = self.database.write().await?;
                let noted = note_sync_failure(&mut write, &row.name, now, &reason).await;
                noted.at(path)?;
                if let SyncError::Busy { wait, .. } = error {
                    let next = next.max(now + *wait.min(&WAIT_MAX));
                    let set = set_next_run(&mut write, &row.name, next).await;
                    set.at(path)?;
                }
                write.commit().await.at(path)?;
                // Counted last, so that the row of a counted failure has its reason.
                metrics::SYNC_RUNS.count(&[&row.name, "failure"]);
            }
        }
        run
    }

    async fn store_next_run(&self, name: &str, at: DateTime<Utc>) -> Result<(), DbError> {
        let path = self.database.path();
        let mut write = self.database.write().await?;
        set_next_run(&mut write, name, at).await.at(path)?;
        write.commit().await.at(path)
    }

    /// The next time on the schedule, or on the usual one if it cannot be read.
    async fn next_run_at(&self, row: &SyncSource) -> Result<DateTime<Utc>, DbError> {
        let mut reader = self.database.reader().await?;
        let zone = time_zone(&mut reader).await.at(self.database.path())?;
        let schedule: SourceSchedule = row.schedule.parse().unwrap_or_default();
        Ok(schedule.next(self.clock.now(), zone.unwrap_or(Tz::UTC), &self.random))
    }
}

/// Why the import of an answer is not taken; the reviews that it would change are shown only where the run was asked for.
fn refuse(error: ImportError, fetched: &Fetched) -> SyncError {
    match error {
        ImportError::Guarded(refusal) => {
            let (reason, advice) = (&refusal.reason, &refusal.advice);
            let [message, details] = [format!("{reason}; {advice}"), refusal.to_string()]
                .map(|text| fetched.mask.apply(&text));
            SyncError::Refused {
                message,
                details: Some(details),
            }
        }
        ImportError::Refused(reason) => SyncError::failed(fetched.mask.apply(&reason)),
        ImportError::Database(error) => error.into(),
        ImportError::Stopped | ImportError::Open(_) => SyncError::failed(error.to_string()),
    }
}

/// Whether the source's time has come; an invalid one counts as past. If its last run finished in the future, the clock was ahead,
/// and the time of the next is as wrong.
fn is_due(source: &SyncSource, now: DateTime<Utc>) -> bool {
    let next = source.next_run_at.as_deref().map(instant_or_epoch);
    let finished = match source.last_outcome.as_deref() {
        Some("failure") => &source.last_failure_at,
        _ => &source.last_success_at,
    };
    let finished = finished.as_deref().map(instant_or_epoch);
    let was_ahead = finished.is_some_and(|at| at > now + AHEAD_MAX);
    !source.paused && (was_ahead || next.is_none_or(|next| next <= now))
}

/// Moves the next runs at times of day to these times in `zone`.
pub async fn follow_time_zone(write: &mut Write, zone: Tz, clock: &Clock) -> sqlx::Result<()> {
    for row in sync_sources(write.for_reading()).await? {
        if let Ok(schedule @ SourceSchedule::At(..)) = row.schedule.parse() {
            let next = schedule.next(clock.now(), zone, &Random::system());
            set_next_run(write, &row.name, next).await?;
        }
    }
    Ok(())
}

// The sources that are due.

/// Sources that are fetched at the same time.
const RUNS_MAX: usize = 4;
/// The wait after a failure that could not be recorded, so that a source is not fetched without a pause.
const UNRECORDED_WAIT: Duration = Duration::from_mins(1);

pub struct SourceScheduler {
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

impl SourceScheduler {
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
        let (request, bar) = (RunRequest::default(), ProgressBar::hidden());
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
            for (metric, number) in [
                (metrics::SYNC_LAST_SUCCESS, seconds),
                (metrics::SYNC_DOUBTFUL, source.last_doubtful),
            ] {
                let number = u64::try_from(number).unwrap_or(0);
                metric.gauge(&[&source.name]).set(figure(number));
            }
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
