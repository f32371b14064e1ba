//! A run of an entry, from its lock to what is recorded of it: `prepare` reads what is stored, `fetch` gets the pages, `import` takes them,
//! and `record` stores how it ended. A run holds the lock of its entry, but none of the database while it fetches; imports, undo and runs
//! follow one another in their transactions.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use clap::Args;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::client::{NO_REVIEWS, SourceClient, SyncError};
use super::fetch::{Fetched, Preparation, fetch};
use super::file::SyncEntry;
use crate::clock::Clock;
use crate::config::SyncConfig;
use crate::imports::{
    Applied, Doubtful, Draft, Format, ImportError, ImportReport, ImportRequest, ImportedFiles,
    Outcome, Watcher, apply, begin, read_files, stop,
};
use crate::metrics;
use crate::model::business::{Business, SET_UP_COMMAND};
use crate::model::fold;
use crate::storage::business::{self, refuse_sample, time_zone};
use crate::storage::reviews::load_formats;
use crate::storage::sync::{
    LastImport, SyncState, note_end, note_entry_of_run, note_import, set_next_run, sync_states,
};
use crate::storage::{AtPath as _, Database, DbError, Write, instant_or_epoch, is_overtaken};

const RUN_TIMEOUT: Duration = Duration::from_mins(30);
/// A server that asks for a longer wait is mistaken.
const WAIT_MAX: Duration = Duration::from_hours(24);
/// A stored time that is later than it can be by more than this is of a clock that was ahead, or of another schedule.
const AHEAD_MAX: TimeDelta = TimeDelta::minutes(1);
/// Why the files of an answer cannot be imported.
const NOT_IMPORTED: &str = "status 200: nothing can be imported";
/// Attempts to import an answer; in all but the last, others may write while its rows are compared.
const ATTEMPTS: u8 = 4;
/// Characters of a reason that are stored.
const REASON_MAX: usize = 500;

/// What `sync run` is asked to do.
#[derive(Debug, Clone, Default, Args)]
pub struct RunOptions {
    /// Show what the run would change
    #[arg(long)]
    pub dry_run: bool,
    /// Take the run as it is: with other text or stars of more than half of the source's reviews, without more than half of its
    /// replies, with many rejected rows, or of another kind of file
    #[arg(long)]
    pub accept_changes: bool,
    /// Import all doubtful rows as new reviews, or take each as the one review that it may be
    #[arg(long, value_enum, requires = "name")]
    pub doubtful: Option<Doubtful>,
    /// Withhold reviews that the entry stated and its answer lacks, and publish them again when they return
    #[arg(long, requires = "name")]
    pub withdraw_missing: bool,
}

/// A run of an entry.
pub struct EntryRun<'r> {
    pub entry: &'r SyncEntry,
    /// Of a run by schedule, the defaults.
    pub options: &'r RunOptions,
    pub is_scheduled: bool,
    pub stop: &'r CancellationToken,
    /// Answers what is open in its format.
    pub ask: Option<Ask<'r>>,
    pub watch: Watcher<'r>,
}

/// Answers what is open in a draft, or says why not.
pub type Ask<'a> = &'a mut (dyn FnMut(Draft) -> anyhow::Result<Format> + Send);

/// How a run ended that did not fail.
#[derive(Debug)]
pub enum RunOutcome {
    Imported(Box<ImportReport>),
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

    /// Runs an entry, which never runs beside itself.
    ///
    /// # Errors
    /// [`SyncError::Running`] beside another run of it; others if the run failed.
    pub async fn run_locked(&self, mut run: EntryRun<'_>) -> Result<RunOutcome, SyncError> {
        let locked = self.database.lock_entry(&run.entry.name).await?;
        let locked = locked.ok_or(SyncError::Running)?;
        let ended = Box::pin(self.run_and_record(&mut run)).await;
        self.database.unlock_entry(locked).await;
        ended
    }

    async fn run_and_record(&self, run: &mut EntryRun<'_>) -> Result<RunOutcome, SyncError> {
        let (name, path) = (&run.entry.name, self.database.path());
        // Read with the lock, because another run may have changed it.
        let mut reader = self.database.reader().await?;
        let state = sync_states(&mut reader).await.at(path)?.remove(name);
        let state = state.unwrap_or_default();
        let zone = time_zone(&mut reader).await.at(path)?.unwrap_or_default();
        drop(reader);
        let now = self.clock.now();
        if run.is_scheduled && !is_due(run.entry, &state, now, zone) {
            return Ok(RunOutcome::Stopped);
        }
        let (next, is_recorded) = (run.entry.schedule.next(now, zone), !run.options.dry_run);
        if is_recorded {
            // First: a run that ends the process must not be the first thing after each start.
            self.store_next_run(name, next).await?;
        }
        let ended = Box::pin(self.fetch_and_import(run, state, zone)).await;
        if !is_recorded {
            return ended;
        }
        let recorded = self.record(name, next, &ended).await;
        ended.and_then(|outcome| Ok(recorded.map(|()| outcome)?))
    }

    /// Records how a run ended; an import has recorded itself. `next` is when the next one is due.
    async fn record(
        &self,
        name: &str,
        next: DateTime<Utc>,
        ended: &Result<RunOutcome, SyncError>,
    ) -> Result<(), DbError> {
        let (path, now) = (self.database.path(), self.clock.now());
        let (failure, outcome) = match ended {
            // A stop is no fault of the entry, so the run is made up at the next start.
            Ok(RunOutcome::Stopped) => return self.store_next_run(name, now).await,
            Ok(RunOutcome::Imported(_)) => {
                metrics::SYNC_RUNS.count(&[name, "success"]);
                return Ok(());
            }
            Ok(RunOutcome::Unchanged) => (None, "unchanged"),
            Err(error) => {
                let reason = error.to_string().replace(char::is_control, " ");
                let reason: String = reason.chars().take(REASON_MAX).collect();
                (Some(reason), "failed")
            }
        };
        let mut write = self.database.write().await?;
        let noted = note_end(&mut write, name, now, failure.as_deref()).await;
        noted.at(path)?;
        if let Err(SyncError::Busy {
            wait: Some(wait), ..
        }) = ended
        {
            let until = now + *wait.min(&WAIT_MAX);
            let set = set_next_run(&mut write, name, next.max(until), Some(until)).await;
            set.at(path)?;
        }
        write.commit().await.at(path)?;
        // Counted last, so that the row of a counted failure has its reason.
        metrics::SYNC_RUNS.count(&[name, outcome]);
        Ok(())
    }

    async fn store_next_run(&self, name: &str, at: DateTime<Utc>) -> Result<(), DbError> {
        let path = self.database.path();
        let mut write = self.database.write().await?;
        set_next_run(&mut write, name, at, None).await.at(path)?;
        write.commit().await.at(path)
    }

    async fn fetch_and_import(
        &self,
        run: &mut EntryRun<'_>,
        state: SyncState,
        zone: Tz,
    ) -> Result<RunOutcome, SyncError> {
        let prepared = self.prepare(run, state, zone).await?;
        let client = SourceClient::new(&self.config, &self.clock, run.entry.allows_http)?;
        let pages = fetch(run.entry, &client, &prepared, &self.memory);
        let minutes = RUN_TIMEOUT.as_secs() / 60;
        let fetched = tokio::select! {
            fetched = Box::pin(pages) => fetched?,
            () = self.clock.sleep(RUN_TIMEOUT) => {
                return Err(format!("the pages took longer than {minutes} minutes").into());
            }
            () = run.stop.cancelled() => return Ok(RunOutcome::Stopped),
        };
        let Some(fetched) = fetched else {
            return Ok(RunOutcome::Unchanged);
        };
        match self.import(run, &prepared, &fetched).await {
            Err(_) if run.stop.is_cancelled() => Ok(RunOutcome::Stopped),
            imported => imported,
        }
    }

    async fn prepare(
        &self,
        run: &mut EntryRun<'_>,
        mut state: SyncState,
        zone: Tz,
    ) -> Result<Preparation, SyncError> {
        run.entry.check_files(&self.config.environment)?;
        if let Some(reason) = run.entry.find_former_source(&state) {
            return Err(reason.into());
        }
        let (path, mut reader) = (self.database.path(), self.database.reader().await?);
        let sample = refuse_sample(&mut reader, path).await;
        sample.map_err(|error| error.to_string())?;
        let business = business::find(&mut reader).await.at(path)?;
        if !business.as_ref().is_some_and(Business::is_set_up) {
            return Err(format!("the business is not set up; run `{SET_UP_COMMAND}` first").into());
        }
        let kept = load_formats(&mut reader).await.at(path)?;
        let (mut reading, entry_digest) = run.entry.reading()?;
        // A run by hand sends no validators.
        (state.last_import.request_digest).take_if(|_| !run.is_scheduled);
        let last_digest = state.last_import.entry_digest.as_deref();
        let is_known = last_digest == Some(&entry_digest);
        let [last_file, file] = [last_digest, Some(&*entry_digest)]
            .map(|digest| digest?.rsplit_once('.').map(|(_, file)| file));
        let source = state.source.as_ref().filter(|source| {
            let stated = run.entry.source.as_ref();
            stated.is_none_or(|it| fold(it) == fold(source))
        });
        // Another address does not make what its format's file says of a missing column new.
        let format = reading.owner_format.as_mut();
        if let Some(format) = format.filter(|_| last_file == file)
            && let Some(text) = source.and_then(|it| kept.get(it))
        {
            let kept = Format::parse(text).unwrap_or_default();
            if is_known && format.ignores_all() {
                // `*` in its file means the columns that were left at its first run.
                format.ignored.clone_from(&kept.ignored);
            }
            format.forget_missing(&kept);
        }
        Ok(Preparation {
            reading,
            entry_digest,
            kept,
            is_known,
            state,
            zone,
        })
    }

    /// Imports what was fetched and records the run, in one transaction.
    ///
    /// # Errors
    /// As those of [`apply`]; the failure is not recorded.
    async fn import(
        &self,
        run: &mut EntryRun<'_>,
        prepared: &Preparation,
        fetched: &Fetched,
    ) -> Result<RunOutcome, SyncError> {
        let database = &self.database;
        let mut request = ImportRequest {
            files: fetched.files.clone(),
            // What stands on a page that is not read is not gone.
            partial: run.entry.is_partial || fetched.pager.has_further_page,
            doubtful: run.options.doubtful,
            accept_changes: run.options.accept_changes,
            dry_run: run.options.dry_run,
            withdraw_missing: run.options.withdraw_missing,
            mask: fetched.mask.clone(),
            folder: Some(fetched.folder.path().to_owned()),
            ..prepared.reading.clone()
        };
        let _place = self.memory.acquire().await;
        let mut attempt = 1;
        let (mut write, merged) = loop {
            let files = self
                .read_answered(run, prepared, fetched, &mut request)
                .await?;
            match begin(database, files, run.watch).await {
                Err(ImportError::Database(error)) if is_overtaken(&error) && attempt < ATTEMPTS => {
                    attempt += 1;
                    request.holds_lock = attempt == ATTEMPTS;
                }
                begun => break begun.map_err(|error| describe(error, fetched))?,
            }
        };
        let path = database.path();
        let imported = async {
            let mut applied = apply(&mut write, path, merged, run.watch).await?;
            check_answer(&request, prepared, fetched, &mut applied.report)?;
            let recorded = self.record_import(run, prepared, fetched, &mut write, &mut applied);
            recorded.await?;
            Ok(applied.report)
        };
        let mut report = imported.await.map_err(|error| describe(error, fetched))?;
        // Values are the server's words.
        for ((part, header, _), count) in std::mem::take(&mut report.new_values) {
            let values = report.new_values.entry((part, header, "…".to_owned()));
            *values.or_default() += count;
        }
        if run.options.dry_run {
            write.rollback().await
        } else {
            write.commit().await
        }
        .at(path)?;
        Ok(RunOutcome::Imported(Box::new(report)))
    }

    /// Reads what was fetched, again after an answer to what is open.
    async fn read_answered(
        &self,
        run: &mut EntryRun<'_>,
        prepared: &Preparation,
        fetched: &Fetched,
        request: &mut ImportRequest,
    ) -> Result<ImportedFiles, SyncError> {
        let name = &run.entry.name;
        loop {
            let read = read_files(&self.database, &self.clock, request, run.watch).await;
            let draft = match read {
                Ok(files) => return Ok(files),
                // Of an entry that succeeded, an answer without reviews is a failure, not a table to be drafted; and so is a text without
                // rows, such as a sentence of the server.
                Err(ImportError::Open(draft))
                    if draft.finds_no_review() && (prepared.is_known || !draft.has_row) =>
                {
                    let open: Vec<&str> = draft.format.open.iter().map(String::as_str).collect();
                    let reason = format!(
                        "correct the address, or write the names of its columns into the format (`reviews source format`, or a file); open: {}",
                        open.join(", ")
                    );
                    return Err(describe_answer(name, NO_REVIEWS, &reason, fetched));
                }
                Err(ImportError::Open(draft)) => draft,
                Err(ImportError::Refused(reason)) => {
                    return Err(describe_answer(name, NOT_IMPORTED, &reason, fetched));
                }
                Err(error) => return Err(describe(error, fetched)),
            };
            let message = format!(
                "something must be decided about its format first; `reviews sync run {name}` shows what"
            );
            let Some(ask) = &mut run.ask else {
                return Err(message.into());
            };
            let answered = ask(*draft).map_err(|reason| SyncError::Failed {
                message,
                details: Some(format!("{reason:#}")),
            })?;
            request.owner_format = Some(answered);
        }
    }

    /// Records a run within the transaction of its import, unless the entry was held meanwhile, or the answer is of another kind.
    ///
    /// # Errors
    /// If nothing of the run may be imported.
    async fn record_import(
        &self,
        run: &mut EntryRun<'_>,
        prepared: &Preparation,
        fetched: &Fetched,
        write: &mut Write,
        applied: &mut Applied,
    ) -> Result<(), ImportError> {
        let (entry, report) = (run.entry, &mut applied.report);
        let path = self.database.path();
        let mut states = sync_states(write.reader()).await.at(path)?;
        let state = states.remove(&entry.name).unwrap_or_default();
        // An undo holds it, so that what it took back does not return.
        if state.is_held && (!prepared.state.is_held || state.source != prepared.state.source) {
            let reason = "the entry was held during the run, because one of its runs was undone or its source renamed; nothing was changed";
            return Err(ImportError::Refused(reason.to_owned()));
        }
        let format = formats_of(report);
        let rows = report.rows();
        // Doubtful and rejected rows are read again until they are settled, so that they are reported.
        let is_settled = report.count(Outcome::Doubtful) + report.count(Outcome::Rejected) == 0;
        if let Some(number) = applied.run {
            let noted = note_entry_of_run(write, number, &entry.name, run.is_scheduled).await;
            noted.at(path)?;
        }
        let now = self.clock.now();
        let total = fetched.pager.total.filter(|total| *total >= rows);
        let total = total.and_then(|total| i64::try_from(total).ok());
        let source = format.as_deref().map(|name| entry.source_of(Some(name)));
        let import = LastImport {
            entry_digest: Some(prepared.entry_digest.clone()),
            format: format.or_else(|| prepared.state.last_import.format.clone()),
            former_source: None,
            doubtful: report.count(Outcome::Doubtful),
            rejected: report.count(Outcome::Rejected),
            has_further_page: report.has_further_page,
            validators: fetched.validators.clone(),
            request_digest: is_settled.then(|| fetched.request_digest.clone()),
        };
        let day = now.with_timezone(&prepared.zone).date_naive().to_string();
        let (name, source) = (&entry.name, source.as_deref());
        let noted = note_import(write, name, &import, source, total, &day).await;
        noted.at(path)?;
        Ok(note_end(write, name, now, None).await.at(path)?)
    }
}

/// Refuses an answer that lacks reviews, or is another kind of file than the last one; notes in the report what it says that it lacks.
fn check_answer(
    request: &ImportRequest,
    prepared: &Preparation,
    fetched: &Fetched,
    report: &mut ImportReport,
) -> Result<(), ImportError> {
    let (pager, rows) = (&fetched.pager, report.rows());
    if fetched.needs_rows && rows == 0 {
        let reason = format!("{NO_REVIEWS}; nothing was changed");
        return Err(ImportError::Refused(reason));
    }
    let state = &prepared.state;
    // What was undone says nothing of the next answer.
    if let (Some(format), Some(before)) = (formats_of(report), &state.last_import.format)
        && prepared.is_known
        && !state.is_held
        && format != *before
    {
        let reason =
            format!("the answer is another kind of file ({format}; the last run's was {before})");
        stop(request, reason, None, Vec::new(), report)?;
    }
    let count = rows - report.count(Outcome::Repeated);
    let is_partial = prepared.reading.partial;
    report.has_further_page = pager.has_further_page && !is_partial;
    if report.has_further_page {
        report.note(
            "the answer names a next page that is not fetched, because it is of another path than the entry's address, repeats a page, or \
             nothing says how; give another address or [paging] of a format, or write `partial = true` in the entry if the newest reviews \
             are enough"
                .to_owned(),
        );
    } else if let Some(total) = pager.total.filter(|it| count < *it && !is_partial) {
        report.note(format!(
            "the answer has {count} reviews, and the source says that it has {total}"
        ));
    }
    Ok(())
}

/// Why an answer is not read; the `reason`, which may repeat it, is shown only where the run was asked for.
fn describe_answer(name: &str, message: &str, reason: &str, fetched: &Fetched) -> SyncError {
    SyncError::Failed {
        message: format!("{message}; `reviews sync run {name} --dry-run` shows why"),
        details: Some(fetched.mask.apply(&format!("{message}: {reason}"))),
    }
}

/// Why the import of an answer is not taken; the reviews that it would change, and its sources, are shown only where the run was asked for.
fn describe(error: ImportError, fetched: &Fetched) -> SyncError {
    let (message, details) = match error {
        ImportError::Database(error) => return error.into(),
        ImportError::Guarded(refusal) => (
            format!("{}; {}", refusal.reason, refusal.advice),
            Some(refusal.to_string()),
        ),
        ImportError::Refused(reason) => (reason, None),
        ImportError::Stopped | ImportError::Open(_) => (error.to_string(), None),
    };
    SyncError::Failed {
        message: fetched.mask.apply(&message),
        details: details.map(|details| fetched.mask.apply(&details)),
    }
}

/// The formats of the files that have rows.
fn formats_of(report: &ImportReport) -> Option<String> {
    let files = report.files.iter().filter(|file| file.rows > 0);
    let mut formats: Vec<&str> = files.map(|file| file.format.as_str()).collect();
    formats.sort_unstable();
    formats.dedup();
    (!formats.is_empty()).then(|| formats.join(", "))
}

/// Whether the time of the entry has come; an invalid one counts as past. One that is later than the schedule allows was stored by
/// a clock that was ahead, or before the schedule changed.
pub fn is_due(entry: &SyncEntry, state: &SyncState, now: DateTime<Utc>, zone: Tz) -> bool {
    let Some(next) = state.next_run_at.as_deref().map(instant_or_epoch) else {
        return true;
    };
    let waits_until = state.waits_until.as_deref().map(instant_or_epoch);
    let waits_until = waits_until.filter(|until| *until <= now + WAIT_MAX);
    let latest = entry.schedule.next(now, zone);
    next <= now || next > waits_until.map_or(latest, |until| until.max(latest)) + AHEAD_MAX
}
