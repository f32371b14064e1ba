//! Runs of entries: each is fetched and imported, and what came of it is recorded. A run holds the lock of its entry, but none of
//! the database while it fetches; imports, undo and runs follow one another in their transactions.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use indicatif::ProgressBar;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::decide::{Cause, Preparation, RunDecision, RunRecord, RunRequest};
use super::error::SyncError;
use super::fetch::{Fetch, Fetched};
use super::file::Entry;
use crate::clock::Clock;
use crate::config::SyncConfig;
use crate::imports::{
    Draft, Format, ImportError, ImportReport, ImportRequest, Watcher, apply, read_files,
};
use crate::metrics;
use crate::model::business::{Business, SET_UP_COMMAND};
use crate::model::hex;
use crate::storage::business::{self, refuse_sample, time_zone};
use crate::storage::formats::{KeptFormats, load_formats};
use crate::storage::sync::{
    SyncState, note_sync_failure, note_sync_unchanged, set_next_run, sync_states,
};
use crate::storage::{AtPath as _, Database, DbError, instant_or_epoch};

const RUN_TIMEOUT: Duration = Duration::from_mins(30);
/// A server that asks for a longer wait is mistaken.
const WAIT_MAX: Duration = Duration::from_hours(24);
/// A stored time that is later than it can be by more than this is of a clock that was ahead, or of another schedule.
const AHEAD_MAX: TimeDelta = TimeDelta::minutes(1);
/// Characters of a reason that are stored.
const REASON_MAX: usize = 500;

/// Answers what is open in a draft, or says why not.
pub type Ask<'a> = &'a mut (dyn FnMut(Draft) -> anyhow::Result<Format> + Send);

#[derive(Debug)]
pub struct SyncReport {
    pub import: ImportReport,
    pub decision: RunDecision,
}

/// How a run ended that did not fail.
#[derive(Debug)]
pub enum RunOutcome {
    Imported(Box<SyncReport>),
    /// The answer is that of the last run.
    Unchanged,
    /// Nothing was imported, because the run was stopped or is no longer due.
    Stopped,
}

pub struct SyncRunner {
    pub database: Database,
    pub clock: Clock,
    pub config: SyncConfig,
    /// One place: pages are looked at and imported one after another, so that the memory of one import is enough.
    memory: Semaphore,
}

impl SyncRunner {
    pub fn new(database: &Database, clock: &Clock, config: SyncConfig) -> Self {
        Self {
            database: database.clone(),
            clock: clock.clone(),
            config,
            memory: Semaphore::new(1),
        }
    }

    /// Runs an entry, which never runs beside itself. `ask` answers what is open in its format.
    ///
    /// # Errors
    /// [`SyncError::Running`] beside another run of it; others if the run failed.
    pub async fn run_locked(
        &self,
        entry: &Entry,
        request: &RunRequest,
        stop: &CancellationToken,
        bar: &ProgressBar,
        ask: Option<Ask<'_>>,
        watch: Watcher<'_>,
    ) -> Result<RunOutcome, SyncError> {
        if request.withdraws_missing && entry.is_partial {
            return Err(SyncError::failed(
                "--withdraw-missing: the entry is partial, so what an answer lacks is not gone",
            ));
        }
        let database = &self.database;
        let Some(locked) = database.lock_entry(&entry.name).await? else {
            return Err(SyncError::Running);
        };
        let run = async {
            // Read with the lock, because another run may have changed it.
            let (state, zone) = self.read_state(entry).await?;
            let now = self.clock.now();
            if request.cause == Cause::Schedule && !is_due(entry, &state, now, zone) {
                return Ok(RunOutcome::Stopped);
            }
            // Stored first: a run that ends the process must not be the first thing after each start.
            let next = entry.schedule.next(now, zone);
            if !request.is_dry_run {
                self.store_next_run(&entry.name, next).await?;
            }
            let run = self.fetch_and_import(entry, request, stop, bar, ask, watch);
            let run = Box::pin(run).await;
            if !request.is_dry_run {
                self.record(entry, next, &run).await?;
            }
            run
        };
        let run = Box::pin(run).await;
        database.unlock_entry(locked).await?;
        run
    }

    /// Records how a run ended; an import has recorded itself. `next` is when the next one is due.
    async fn record(
        &self,
        entry: &Entry,
        next: DateTime<Utc>,
        run: &Result<RunOutcome, SyncError>,
    ) -> Result<(), DbError> {
        let (name, path) = (&entry.name, self.database.path());
        match run {
            // A stop is no fault of the entry, so the run is made up at the next start.
            Ok(RunOutcome::Stopped) => self.store_next_run(name, self.clock.now()).await?,
            Ok(RunOutcome::Imported(_)) => metrics::SYNC_RUNS.count(&[name, "success"]),
            Ok(RunOutcome::Unchanged) => {
                let mut write = self.database.write().await?;
                let noted = note_sync_unchanged(&mut write, name, self.clock.now()).await;
                noted.at(path)?;
                write.commit().await.at(path)?;
                metrics::SYNC_RUNS.count(&[name, "unchanged"]);
            }
            Err(error) => {
                let reason = error.to_string().replace(char::is_control, " ");
                let reason: String = reason.chars().take(REASON_MAX).collect();
                let mut write = self.database.write().await?;
                note_sync_failure(&mut write, name, &reason)
                    .await
                    .at(path)?;
                if let SyncError::Busy { wait, .. } = error {
                    let until = self.clock.now() + *wait.min(&WAIT_MAX);
                    let set = set_next_run(&mut write, name, next.max(until), Some(until)).await;
                    set.at(path)?;
                }
                write.commit().await.at(path)?;
                // Counted last, so that the row of a counted failure has its reason.
                metrics::SYNC_RUNS.count(&[name, "failed"]);
            }
        }
        Ok(())
    }

    async fn fetch_and_import(
        &self,
        entry: &Entry,
        request: &RunRequest,
        stop: &CancellationToken,
        bar: &ProgressBar,
        ask: Option<Ask<'_>>,
        watch: Watcher<'_>,
    ) -> Result<RunOutcome, SyncError> {
        let prepared = self.prepare(entry).await?;
        let fetch = self.fetch(entry, &prepared, request, bar);
        let Some(fetched) = stop.run_until_cancelled(fetch).await.transpose()? else {
            return Ok(RunOutcome::Stopped);
        };
        if fetched.is_same {
            return Ok(RunOutcome::Unchanged);
        }
        if request.withdraws_missing && fetched.has_further_page {
            return Err(SyncError::failed(
                "--withdraw-missing: the answer names a next page that nothing reads, so what it lacks is not gone",
            ));
        }
        let imported = self.import(entry, &prepared, &fetched, request, ask, watch);
        match imported.await {
            Err(_) if stop.is_cancelled() => Ok(RunOutcome::Stopped),
            imported => imported.map(|report| RunOutcome::Imported(Box::new(report))),
        }
    }

    async fn read_state(&self, entry: &Entry) -> Result<(SyncState, Tz), DbError> {
        let (path, mut reader) = (self.database.path(), self.database.reader().await?);
        let state = sync_states(&mut reader).await.at(path)?.remove(&entry.name);
        let zone = time_zone(&mut reader).await.at(path)?;
        Ok((state.unwrap_or_default(), zone.unwrap_or(Tz::UTC)))
    }

    async fn prepare(&self, entry: &Entry) -> Result<Preparation, SyncError> {
        entry.check_files()?;
        let (path, mut reader) = (self.database.path(), self.database.reader().await?);
        let sample = refuse_sample(&mut reader, path).await;
        if let Err(error @ DbError::Sample(_)) = sample {
            return Err(SyncError::failed(error.to_string()));
        }
        sample?;
        let business = business::find(&mut reader).await.at(path)?;
        if !business.as_ref().is_some_and(Business::is_set_up) {
            return Err(SyncError::failed(format!(
                "the business is not set up; run `{SET_UP_COMMAND}` first"
            )));
        }
        let kept = load_formats(&mut reader).await.at(path)?;
        drop(reader);
        let (mut reading, entry_digest) = entry.reading()?;
        reading.business = business;
        let (state, zone) = self.read_state(entry).await?;
        let version = env!("CARGO_PKG_VERSION");
        let reading_digest = json!([entry_digest, version, kept]).to_string();
        Ok(Preparation {
            has_encoding: has_encoding(&reading, &kept),
            reading,
            reading_digest: hex(&Sha256::digest(reading_digest)),
            entry_digest,
            state,
            zone,
        })
    }

    /// Fetches the pages of an entry. A scheduled run gets nothing if the answer is that of the last one.
    ///
    /// # Errors
    /// If one page fails, all do.
    async fn fetch(
        &self,
        entry: &Entry,
        prepared: &Preparation,
        request: &RunRequest,
        bar: &ProgressBar,
    ) -> Result<Fetched, SyncError> {
        let state = &prepared.state;
        let is_read_alike = state.reading_digest.as_ref() == Some(&prepared.reading_digest);
        let is_conditional = request.cause == Cause::Schedule && is_read_alike;
        let fetch = Fetch {
            config: &self.config,
            clock: &self.clock,
            memory: &self.memory,
            entry,
            reading: &prepared.reading,
            has_encoding: prepared.has_encoding,
            conditions: is_conditional.then_some(state),
            bar,
        };
        let minutes = RUN_TIMEOUT.as_secs() / 60;
        tokio::select! {
            fetched = Box::pin(fetch.run()) => fetched,
            () = self.clock.sleep(RUN_TIMEOUT) => Err(SyncError::failed(format!("the pages took longer than {minutes} minutes"))),
        }
    }

    /// Imports what was fetched and records the run, in one transaction; again after an answer to what is open.
    ///
    /// # Errors
    /// As those of [`import`]; the failure is not recorded.
    async fn import(
        &self,
        entry: &Entry,
        prepared: &Preparation,
        fetched: &Fetched,
        request: &RunRequest,
        mut ask: Option<Ask<'_>>,
        watch: Watcher<'_>,
    ) -> Result<SyncReport, SyncError> {
        let mut import_request = ImportRequest {
            files: fetched.files.clone(),
            // What stands on a page that is not read is not gone.
            partial: entry.is_partial || fetched.has_further_page,
            dry_run: request.is_dry_run,
            accept_changes: request.accepts_changes,
            doubtful: request.doubtful,
            withdraw_missing: request.withdraws_missing,
            mask: fetched.mask.clone(),
            folder: fetched.folder.as_ref().map(|it| it.path().to_owned()),
            ..prepared.reading.clone()
        };
        // Of an entry that succeeded, an answer without reviews is a failure, and no table that nobody knows yet.
        let is_known = prepared.state.entry_digest.as_ref() == Some(&prepared.entry_digest);
        let database = &self.database;
        let _place = self.memory.acquire().await;
        let files = loop {
            match read_files(database, &self.clock, &import_request, &mut *watch).await {
                Ok(files) => break files,
                Err(ImportError::Open(draft)) if !is_known || !draft.finds_no_review() => {
                    let open = SyncError::Open(entry.name.clone());
                    let Some(ask) = &mut ask else {
                        return Err(open);
                    };
                    let answered = ask(*draft).map_err(|reason| SyncError::Refused {
                        message: open.to_string(),
                        details: Some(format!("{reason:#}")),
                    })?;
                    import_request.own_format = Some(answered);
                }
                Err(error) => return Err(describe_unread(error, entry, fetched)),
            }
        };
        let record = RunRecord {
            entry,
            prepared,
            fetched,
            request,
            now: self.clock.now(),
        };
        let guards = request.guards(&entry.name);
        let mut write = database.write_as_owner().await?;
        let recorded = async {
            let applied = apply(&mut write, database, files, &guards, watch).await?;
            let decision = record.write(&mut write, &applied).await;
            let decision = decision.map_err(|error| error.at(database.path()))?;
            Ok((applied.report, decision))
        };
        let (mut import, decision) = recorded
            .await
            .map_err(|error| refuse(error, entry, fetched))?;
        if request.is_dry_run {
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

    async fn store_next_run(&self, name: &str, at: DateTime<Utc>) -> Result<(), DbError> {
        let path = self.database.path();
        let mut write = self.database.write().await?;
        set_next_run(&mut write, name, at, None).await.at(path)?;
        write.commit().await.at(path)
    }
}

/// Why an answer could not be read, without its words.
fn describe_unread(error: ImportError, entry: &Entry, fetched: &Fetched) -> SyncError {
    match error {
        ImportError::Database(error) => error.into(),
        ImportError::Stopped => SyncError::failed(error.to_string()),
        // A refused option says its name.
        ImportError::Refused(reason) if reason.starts_with("--") => {
            SyncError::failed(fetched.mask.apply(&reason))
        }
        ImportError::Open(_) | ImportError::Refused(_) | ImportError::Guarded(_) => {
            let reason = fetched.mask.apply(&error.to_string());
            let found = format!("{}: no reviews found", fetched.answer);
            SyncError::Refused {
                message: format!(
                    "{found}; `reviews sync run {} --dry-run` shows why",
                    entry.name
                ),
                details: Some(format!("{found}: {reason}")),
            }
        }
    }
}

/// Why the import of an answer is not taken; the reviews that it would change are shown only where the run was asked for.
fn refuse(error: ImportError, entry: &Entry, fetched: &Fetched) -> SyncError {
    match error {
        ImportError::Guarded(refusal) => {
            let (mut reason, advice) = (refusal.reason.clone(), &refusal.advice);
            // A name that only the answer has is the server's word.
            if let Some(source) = refusal
                .source
                .as_deref()
                .filter(|name| !entry.knows_source(name))
            {
                reason = reason.replace(source, "another source");
            }
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

/// Whether a format says in which encoding the answer is.
fn has_encoding(reading: &ImportRequest, kept: &KeptFormats) -> bool {
    let kept = reading.source.as_ref().and_then(|source| kept.get(source));
    let kept = kept.and_then(|text| Format::parse(text).ok());
    let mut formats = reading.own_format.iter().chain(&kept);
    formats.any(|format| format.encoding.is_some())
}

/// Whether the time of the entry has come; an invalid one counts as past. One that is later than the schedule allows was stored by
/// a clock that was ahead, or before the schedule changed.
pub fn is_due(entry: &Entry, state: &SyncState, now: DateTime<Utc>, zone: Tz) -> bool {
    let Some(next) = state.next_run_at.as_deref().map(instant_or_epoch) else {
        return true;
    };
    let waits_until = state.waits_until.as_deref().map(instant_or_epoch);
    let waits_until = waits_until.filter(|until| *until <= now + WAIT_MAX);
    let latest = entry.schedule.next(now, zone);
    next <= now || next > waits_until.map_or(latest, |until| until.max(latest)) + AHEAD_MAX
}
