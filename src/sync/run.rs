//! A run of a source: it is fetched and imported, and what came of it is recorded. Fetching holds no lock; imports, undo
//! and runs follow one another in the transactions of the import.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use indicatif::ProgressBar;
use tokio_util::sync::CancellationToken;

use super::client::cut;
use super::decide::{Cause, Decider, Decision, RunRequest};
use super::fetch::{Fetched, fetch_pages, find_files};
use super::secret::SyncError;
use super::source::{Source, SourceSchedule};
use crate::clock::Clock;
use crate::config::SyncConfig;
use crate::imports::{ImportError, ImportReport, ImportRequest, VALUE, Watcher, import};
use crate::metrics;
use crate::random::Random;
use crate::storage::business::time_zone;
use crate::storage::sync::{SyncSource, note_sync_failure, set_next_run, sync_sources};
use crate::storage::{AtPath as _, Database, DbError, Write};

const RUN_TIMEOUT: Duration = Duration::from_mins(30);
/// A server that asks for a longer wait is mistaken.
const WAIT_MAX: TimeDelta = TimeDelta::days(366);

#[derive(Debug)]
pub struct SyncReport {
    pub import: ImportReport,
    pub decision: Decision,
}

pub struct SyncRunner {
    pub database: Database,
    pub clock: Clock,
    pub random: Random,
    pub config: SyncConfig,
}

impl SyncRunner {
    /// Fetches the pages of a source, or finds its files. A scheduled run gets nothing if the answer is that of the last
    /// whole run.
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
        if source.is_path() {
            return find_files(&self.config, source, self.clock.now(), is_conditional);
        }
        let fetch = fetch_pages(&self.config, &self.clock, source, is_conditional, bar);
        let minutes = RUN_TIMEOUT.as_secs() / 60;
        tokio::select! {
            fetched = Box::pin(fetch) => fetched,
            () = self.clock.sleep(RUN_TIMEOUT) => Err(SyncError::failed(format!("the pages took longer than {minutes} minutes"))),
        }
    }

    /// Imports what was fetched and records the run, in one transaction.
    ///
    /// # Errors
    /// If the import is refused; nothing was changed, and the failure is not recorded.
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
            doubtful: request.doubtful.clone(),
            partial: source.options.partial,
            ..request
                .reading
                .clone()
                .map_or_else(|| source.import_request(), Ok)?
        };
        let mut decider = Decider {
            database: &self.database,
            source,
            fetched,
            request,
            now: self.clock.now(),
            next_run_at: self.next_run_at(source, None).await?,
            watch,
            is_decided: false,
            mass_change: None,
            decision: Decision::default(),
        };
        let imported = import(&self.database, &self.clock, &import_request, &mut decider).await;
        let (decision, is_decided) = (decider.decision, decider.is_decided);
        let mass_change = decider.mass_change;
        match imported {
            Ok(mut import) => {
                for file in &mut import.files {
                    file.name = fetched.clean(&file.name);
                }
                let doubtful = import.doubtful.names.iter_mut();
                for text in doubtful.chain(&mut import.notes) {
                    *text = fetched.clean(text);
                }
                // Values are the server's words.
                for new in &mut import.new_values {
                    VALUE.clone_into(&mut new.value);
                }
                Ok(SyncReport { import, decision })
            }
            Err(ImportError::Undecided(mut undecided)) => {
                undecided.clean(|text| fetched.clean(text));
                let answer = Some(&fetched.answer).filter(|answer| !answer.is_empty());
                let answer = answer.map_or_else(String::new, |answer| format!("{answer}: "));
                Err(SyncError::Undecided { answer, undecided })
            }
            Err(ImportError::Refused(message)) => {
                if let Some(examples) = mass_change {
                    return Err(SyncError::MassChange {
                        reason: fetched.clean(&message),
                        examples: fetched.clean(&examples),
                    });
                }
                if is_dry_run || is_decided {
                    return Err(SyncError::Failed(fetched.clean(&message)));
                }
                let answer = Some(&fetched.answer).filter(|answer| !answer.is_empty());
                Err(SyncError::Unreadable {
                    name: source.name().to_owned(),
                    answer: answer.map_or_else(String::new, |answer| format!("{answer}: ")),
                    reason: fetched.clean(&message),
                })
            }
            Err(error @ ImportError::Stopped) => Err(SyncError::failed(error.to_string())),
            Err(ImportError::Database(error)) => Err(error.into()),
        }
    }

    /// Runs a source, and records its failure. `None` if `stop` ended the run; then nothing was imported.
    ///
    /// # Errors
    /// If the run failed.
    pub async fn run(
        &self,
        row: &SyncSource,
        request: &RunRequest,
        stop: &CancellationToken,
        bar: &ProgressBar,
        watch: Watcher<'_>,
    ) -> Result<Option<SyncReport>, SyncError> {
        let run = async {
            let source = Source::read(row)?;
            // Only while it fetches: an import is a transaction, and ends soon.
            let fetch = self.fetch(&source, request, bar);
            let Some(fetched) = stop.run_until_cancelled(fetch).await.transpose()? else {
                return Ok(None);
            };
            let applied = self.apply(&source, &fetched, request, false, watch);
            applied.await.map(Some)
        };
        let run = Box::pin(run).await;
        match &run {
            Ok(None) => {}
            Ok(Some(report)) => {
                metrics::SYNC_RUNS.count(&[&row.name, report.decision.outcome]);
            }
            Err(error) => {
                self.record_failure(row, error).await?;
                // Counted last, so that the row of a counted failure has its reason.
                metrics::SYNC_RUNS.count(&[&row.name, "failure"]);
            }
        }
        run
    }

    async fn record_failure(&self, row: &SyncSource, error: &SyncError) -> Result<(), DbError> {
        let (path, now) = (self.database.path(), self.clock.now());
        let wait = match error {
            SyncError::Busy { wait, .. } => Some(*wait),
            SyncError::Failed(_)
            | SyncError::TimedOut
            | SyncError::MassChange { .. }
            | SyncError::Unreadable { .. }
            | SyncError::Undecided { .. }
            | SyncError::Database(_) => None,
        };
        let next = match Source::read(row) {
            Ok(source) => self.next_run_at(&source, wait).await?,
            Err(_) => now + TimeDelta::hours(6),
        };
        // Messages of an import may be long.
        let reason = cut(&error.to_string());
        let mut write = self.database.write().await?;
        let noted = note_sync_failure(&mut write, &row.name, now, &reason, next);
        noted.await.at(path)?;
        write.commit().await.at(path)
    }

    /// The next time on the schedule, not before the wait that a server asked for.
    async fn next_run_at(
        &self,
        source: &Source,
        wait: Option<Duration>,
    ) -> Result<DateTime<Utc>, DbError> {
        let mut reader = self.database.reader().await?;
        let zone = time_zone(&mut reader).await.at(self.database.path())?;
        let (now, zone) = (self.clock.now(), zone.unwrap_or(Tz::UTC));
        let next = source.schedule.next(now, zone, &self.random);
        let wait = wait.map(|wait| TimeDelta::from_std(wait).unwrap_or(WAIT_MAX));
        Ok(wait.map_or(next, |wait| next.max(now + wait.min(WAIT_MAX))))
    }
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

impl SyncReport {
    pub const fn has_rejected(&self) -> bool {
        self.import.rejected > 0 || self.import.doubtful.count > 0
    }
}
