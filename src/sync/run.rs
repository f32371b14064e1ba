//! Runs of entries: each is fetched and imported, and what came of it is recorded. A run holds the lock of its entry, but none of
//! the database while it fetches; imports, undo and runs follow one another in their transactions.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::client::{NO_REVIEWS, SyncError};
use super::fetch::{Fetched, Preparation, Run, SyncRunner};
use super::file::Entry;
use crate::imports::{
    Applied, Draft, Format, ImportError, ImportReport, ImportRequest, MergeError, Outcome, Watcher,
    apply, read_files,
};
use crate::metrics;
use crate::model::business::{Business, SET_UP_COMMAND};
use crate::model::hex;
use crate::storage::business::{self, refuse_sample, time_zone};
use crate::storage::formats::{KeptFormats, load_formats};
use crate::storage::sync::{
    SyncState, note_entry_of_run, note_sync_end, note_sync_success, set_next_run, sync_states,
};
use crate::storage::{AtPath as _, DbError, Write, instant_or_epoch, utc_seconds};

const RUN_TIMEOUT: Duration = Duration::from_mins(30);
/// A server that asks for a longer wait is mistaken.
const WAIT_MAX: Duration = Duration::from_hours(24);
/// A stored time that is later than it can be by more than this is of a clock that was ahead, or of another schedule.
const AHEAD_MAX: TimeDelta = TimeDelta::minutes(1);
/// Characters of a reason that are stored.
const REASON_MAX: usize = 500;

/// Answers what is open in a draft, or says why not.
pub type Ask<'a> = &'a mut (dyn FnMut(Draft) -> anyhow::Result<Format> + Send);

/// How a run ended that did not fail.
#[derive(Debug)]
pub enum RunOutcome {
    Imported {
        report: Box<ImportReport>,
        /// Whether the answer names a next page that nothing reads.
        has_further_page: bool,
    },
    /// The answer is that of the last run.
    Unchanged,
    /// Nothing was imported, because the run was stopped or is no longer due.
    Stopped,
}

impl SyncRunner {
    /// Runs an entry, which never runs beside itself. `ask` answers what is open in its format.
    ///
    /// # Errors
    /// [`SyncError::Running`] beside another run of it; others if the run failed.
    pub async fn run_locked(
        &self,
        run: &Run<'_>,
        ask: Option<Ask<'_>>,
        watch: Watcher<'_>,
    ) -> Result<RunOutcome, SyncError> {
        let (database, name) = (&self.database, &run.entry.name);
        let Some(locked) = database.lock_entry(name).await? else {
            return Err(SyncError::Running);
        };
        let ended = async {
            // Read with the lock, because another run may have changed it.
            let (path, mut reader) = (database.path(), database.reader().await?);
            let state = sync_states(&mut reader).await.at(path)?.remove(name);
            let (state, zone) = (state.unwrap_or_default(), time_zone(&mut reader).await);
            let zone = zone.at(path)?.unwrap_or_default();
            drop(reader);
            let now = self.clock.now();
            if run.is_scheduled && !is_due(run.entry, &state, now, zone) {
                return Ok(RunOutcome::Stopped);
            }
            // Stored first: a run that ends the process must not be the first thing after each start.
            let next = run.entry.schedule().next(now, zone);
            if !run.options.dry_run {
                self.store_next_run(name, next).await?;
            }
            let ended = Box::pin(self.fetch_and_import(run, state, zone, ask, watch)).await;
            if !run.options.dry_run {
                self.record(name, next, &ended).await?;
            }
            ended
        };
        let ended = Box::pin(ended).await;
        database.unlock_entry(locked).await?;
        ended
    }

    /// Records how a run ended; an import has recorded itself. `next` is when the next one is due.
    async fn record(
        &self,
        name: &str,
        next: DateTime<Utc>,
        ended: &Result<RunOutcome, SyncError>,
    ) -> Result<(), DbError> {
        let (path, now) = (self.database.path(), self.clock.now());
        let failure = match ended {
            // A stop is no fault of the entry, so the run is made up at the next start.
            Ok(RunOutcome::Stopped) => return self.store_next_run(name, now).await,
            Ok(RunOutcome::Imported { .. }) => {
                metrics::SYNC_RUNS.count(&[name, "success"]);
                return Ok(());
            }
            Ok(RunOutcome::Unchanged) => None,
            Err(error) => {
                let reason = error.to_string().replace(char::is_control, " ");
                Some(reason.chars().take(REASON_MAX).collect::<String>())
            }
        };
        let mut write = self.database.write().await?;
        let noted = note_sync_end(&mut write, name, now, failure.as_deref()).await;
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
        let outcome = if failure.is_some() {
            "failed"
        } else {
            "unchanged"
        };
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
        run: &Run<'_>,
        state: SyncState,
        zone: Tz,
        ask: Option<Ask<'_>>,
        watch: Watcher<'_>,
    ) -> Result<RunOutcome, SyncError> {
        let prepared = self.prepare(run.entry, state, zone).await?;
        let minutes = RUN_TIMEOUT.as_secs() / 60;
        let fetched = tokio::select! {
            fetched = Box::pin(self.fetch(run, &prepared)) => fetched?,
            () = self.clock.sleep(RUN_TIMEOUT) => {
                return Err(SyncError::failed(format!("the pages took longer than {minutes} minutes")));
            }
            () = run.stop.cancelled() => return Ok(RunOutcome::Stopped),
        };
        let Some(fetched) = fetched else {
            return Ok(RunOutcome::Unchanged);
        };
        match self.import(run, &prepared, &fetched, ask, watch).await {
            Err(_) if run.stop.is_cancelled() => Ok(RunOutcome::Stopped),
            imported => imported,
        }
    }

    async fn prepare(
        &self,
        entry: &Entry,
        state: SyncState,
        zone: Tz,
    ) -> Result<Preparation, SyncError> {
        entry.check_files()?;
        let (path, mut reader) = (self.database.path(), self.database.reader().await?);
        let sample = refuse_sample(&mut reader, path).await;
        sample.map_err(|error| SyncError::failed(error.to_string()))?;
        let business = business::find(&mut reader).await.at(path)?;
        if !business.as_ref().is_some_and(Business::is_set_up) {
            return Err(SyncError::failed(format!(
                "the business is not set up; run `{SET_UP_COMMAND}` first"
            )));
        }
        let kept = load_formats(&mut reader).await.at(path)?;
        let (mut reading, entry_digest) = entry.reading()?;
        reading.business = business;
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

    /// Imports what was fetched and records the run, in one transaction; again after an answer to what is open.
    ///
    /// # Errors
    /// As those of [`apply`]; the failure is not recorded.
    async fn import(
        &self,
        run: &Run<'_>,
        prepared: &Preparation,
        fetched: &Fetched,
        mut ask: Option<Ask<'_>>,
        watch: Watcher<'_>,
    ) -> Result<RunOutcome, SyncError> {
        let (entry, database) = (run.entry, &self.database);
        let mut request = ImportRequest {
            files: fetched.files.clone(),
            // What stands on a page that is not read is not gone.
            partial: entry.is_partial || fetched.has_further_page,
            doubtful: run.options.doubtful,
            accept_changes: run.options.accept_changes,
            withdraw_missing: run.options.withdraw_missing,
            mask: fetched.mask.clone(),
            folder: Some(fetched.folder.path().to_owned()),
            ..prepared.reading.clone()
        };
        // Of an entry that succeeded, an answer without reviews is a failure, not a table to be drafted.
        let _place = self.memory.acquire().await;
        let files = loop {
            match read_files(database, &self.clock, &request, &mut *watch).await {
                Ok(files) => break files,
                Err(ImportError::Open(draft))
                    if !prepared.is_known() || !draft.finds_no_review() =>
                {
                    let message = format!(
                        "something must be decided about its format first; `reviews sync run {}` asks",
                        entry.name
                    );
                    let Some(ask) = &mut ask else {
                        return Err(SyncError::failed(message));
                    };
                    let answered = ask(*draft).map_err(|reason| SyncError::Failed {
                        message,
                        details: Some(format!("{reason:#}")),
                    })?;
                    request.own_format = Some(answered);
                }
                Err(error @ (ImportError::Refused(_) | ImportError::Open(_))) => {
                    let (name, reason) = (&entry.name, error.to_string());
                    return Err(SyncError::Failed {
                        message: format!(
                            "{NO_REVIEWS}; `reviews sync run {name} --dry-run` shows why"
                        ),
                        details: Some(fetched.mask.apply(&format!("{NO_REVIEWS}: {reason}"))),
                    });
                }
                Err(error) => return Err(describe(error, fetched)),
            }
        };
        let mut write = database.write_as_owner().await?;
        let imported = async {
            let mut applied = apply(&mut write, database, files, watch).await?;
            let recorded = self.record_import(run, prepared, fetched, &mut write, &mut applied);
            let has_further_page = recorded.await.map_err(|error| error.at(database.path()))?;
            // Values are the server's words.
            for new in &mut applied.report.new_values {
                "…".clone_into(&mut new.value);
            }
            Ok(RunOutcome::Imported {
                report: Box::new(applied.report),
                has_further_page,
            })
        };
        let imported = imported.await.map_err(|error| describe(error, fetched))?;
        if run.options.dry_run {
            write.rollback().await
        } else {
            write.commit().await
        }
        .at(database.path())?;
        Ok(imported)
    }

    /// Records a run within the transaction of its import, unless the entry was held meanwhile, or the answer is of another kind; returns
    /// whether a next page is left.
    ///
    /// # Errors
    /// If nothing of the run may be imported.
    async fn record_import(
        &self,
        run: &Run<'_>,
        prepared: &Preparation,
        fetched: &Fetched,
        write: &mut Write,
        applied: &mut Applied,
    ) -> Result<bool, MergeError> {
        let (entry, report) = (run.entry, &mut applied.report);
        let rows: u64 = report.files.iter().map(|file| file.rows).sum();
        let refuse = |reason: String| Err(ImportError::Refused(reason).into());
        if fetched.needs_rows && rows == 0 {
            return refuse(NO_REVIEWS.to_owned());
        }
        let is_partial = entry.is_partial || fetched.has_further_page;
        if run.options.withdraw_missing && (is_partial || rows == 0) {
            let reason = "--withdraw-missing: the answer has only some of the reviews, or none, so what it lacks is not gone";
            return refuse(reason.to_owned());
        }
        let mut states = sync_states(write.for_reading()).await?;
        let is_held = states.remove(&entry.name).is_some_and(|it| it.is_held);
        // An undo holds it, so that what it took back does not return.
        if is_held && !prepared.state.is_held {
            return refuse(
                "the entry was held during the run, because one of its runs was undone".to_owned(),
            );
        }
        let format = formats_of(report);
        let before = prepared.state.last_format.as_ref();
        let before = before.filter(|_| prepared.is_known());
        if let (Some(format), Some(before)) = (&format, before)
            && format != before
        {
            let reason = format!(
                "the answer is another kind of file ({format}; the last run's was {before})"
            );
            if !run.options.accept_changes {
                return refuse(format!(
                    "{reason}; `reviews sync run {} --accept-changes` takes it",
                    entry.name
                ));
            }
            report.note(format!("accepted by --accept-changes: {reason}"));
        }
        let count = report.taken - report.count(Outcome::Repeated);
        let has_further_page = fetched.has_further_page && !entry.is_partial;
        if has_further_page {
            report.note(
                "the answer names a next page, and nothing says how to fetch it; [paging] of a format does, or `partial = true` in \
                 the entry if the newest reviews are enough"
                    .to_owned(),
            );
        } else if let Some(total) = fetched.total.filter(|it| count < *it && !entry.is_partial) {
            report.note(format!(
                "the answer has {count} reviews, and the source says that it has {total}"
            ));
        }
        // Doubtful and rejected rows are read again until they are settled, so that they are reported.
        let is_settled = report.count(Outcome::Doubtful) + report.count(Outcome::Rejected) == 0;
        let settled = |value: &Option<String>| value.clone().filter(|_| is_settled);
        if let Some(number) = applied.run {
            note_entry_of_run(write, number, &entry.name, run.is_scheduled).await?;
        }
        let now = self.clock.now();
        let total = fetched.total.filter(|total| *total >= rows);
        let success = SyncState {
            name: entry.name.clone(),
            last_success_at: Some(utc_seconds(now)),
            entry_digest: Some(prepared.entry_digest.clone()),
            last_doubtful: report.count(Outcome::Doubtful).cast_signed(),
            has_further_page,
            source: format.as_deref().map(|name| entry.source_of(Some(name))),
            last_format: format,
            etag: settled(&fetched.etag),
            last_modified: settled(&fetched.last_modified),
            reading_digest: Some(prepared.reading_digest.clone()),
            total: total.and_then(|total| i64::try_from(total).ok()),
            total_on: total.map(|_| now.with_timezone(&prepared.zone).date_naive().to_string()),
            ..SyncState::default()
        };
        note_sync_success(write, &success).await?;
        Ok(has_further_page)
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

/// Whether a format says in which encoding the answer is.
fn has_encoding(reading: &ImportRequest, kept: &KeptFormats) -> bool {
    let kept = reading.source.as_ref().and_then(|source| kept.get(source));
    let kept = kept.and_then(|text| Format::parse(text).ok());
    let mut formats = reading.own_format.iter().chain(&kept);
    formats.any(|format| format.encoding.is_some())
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
pub fn is_due(entry: &Entry, state: &SyncState, now: DateTime<Utc>, zone: Tz) -> bool {
    let Some(next) = state.next_run_at.as_deref().map(instant_or_epoch) else {
        return true;
    };
    let waits_until = state.waits_until.as_deref().map(instant_or_epoch);
    let waits_until = waits_until.filter(|until| *until <= now + WAIT_MAX);
    let latest = entry.schedule().next(now, zone);
    next <= now || next > waits_until.map_or(latest, |until| until.max(latest)) + AHEAD_MAX
}
