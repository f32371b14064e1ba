//! Decides within the import's transaction whether a run is taken: rejected rows, another kind of file. Records the run there
//! too.

use std::io;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::fetch::Fetched;
use super::file::Entry;
use crate::imports::{
    Doubtful, ImportOutcome, ImportVerdict, MassChange, MergeError, Rejection, SOURCE_DEFAULT,
    Watch, Watcher, find_format,
};
use crate::storage::sync::{
    SyncState, SyncSuccess, note_entry_of_run, note_sync_success, sync_states,
};
use crate::storage::{Database, Write};

/// This many rows may be rejected in any run.
const FEW: u64 = 3;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Cause {
    #[default]
    Schedule,
    /// `sync run`.
    Command,
}

/// What a run is asked to do.
#[derive(Debug, Clone, Default)]
pub struct RunRequest {
    pub cause: Cause,
    /// Whether nothing is written.
    pub is_dry_run: bool,
    /// Whether the run is taken as it is (`--accept-changes`).
    pub accepts_changes: bool,
    /// `--doubtful`
    pub doubtful: Option<Doubtful>,
    /// `--withdraw-missing`
    pub withdraws_missing: bool,
}

/// What the run of an entry brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunDecision {
    pub count: u64,
    /// Whether the answer names a next page that nothing reads.
    pub has_further_page: bool,
    /// Sentences for the owner.
    pub notes: Vec<String>,
}

pub struct Decider<'d> {
    pub database: &'d Database,
    pub entry: &'d Entry,
    pub entry_digest: &'d str,
    pub reading_digest: &'d str,
    /// As it was when the run began.
    pub state: &'d SyncState,
    pub fetched: &'d Fetched,
    pub request: &'d RunRequest,
    pub now: DateTime<Utc>,
    pub zone: Tz,
    /// Sees the progress of the import and its rejected rows.
    pub watch: Watcher<'d>,
    /// Whether the answer could be read, and a refusal would be that of this type.
    pub is_decided: bool,
    /// Reviews that a mass change would change, one in each line.
    pub mass_change: Option<String>,
    pub decision: RunDecision,
}

impl Watch for Decider<'_> {
    fn is_stopped(&self) -> bool {
        self.watch.is_stopped()
    }

    fn read(&mut self, rows: u64, all: u64) {
        self.watch.read(rows, all);
    }

    fn rejected(&mut self, rejection: Rejection) -> io::Result<()> {
        self.watch.rejected(rejection)
    }

    fn written(&mut self, done: usize, of: usize) {
        self.watch.written(done, of);
    }

    fn decide<'a>(
        &'a mut self,
        write: &'a mut Write,
        outcome: ImportOutcome<'a>,
    ) -> BoxFuture<'a, Result<ImportVerdict, MergeError>> {
        self.record(write, outcome).boxed()
    }
}

impl Decider<'_> {
    async fn record(
        &mut self,
        write: &mut Write,
        outcome: ImportOutcome<'_>,
    ) -> Result<ImportVerdict, MergeError> {
        self.is_decided = true;
        let (entry, fetched) = (self.entry, self.fetched);
        let report = outcome.report;
        let rows: u64 = report.files.iter().map(|file| file.rows).sum();
        if fetched.needs_rows && rows == 0 {
            return Err(MergeError::Refused(format!(
                "{}: no reviews found",
                fetched.answer
            )));
        }
        if let Some(change) = outcome.mass_change {
            return Err(self.refuse_mass_change(change));
        }
        if let Some(reason) = outcome.mass_withholding {
            return Err(MergeError::Refused(format!(
                "{reason}; `reviews sync run {} --accept-changes` takes it, `reviews source format` adds a value that publishes",
                entry.name
            )));
        }
        if self.request.cause == Cause::Schedule {
            self.database.fence(write).await?;
        }
        let mut states = sync_states(write.for_reading()).await?;
        let is_held = states.remove(&entry.name).is_some_and(|it| it.is_held);
        // An undo holds it, so that what it took back does not return.
        if is_held && !self.state.is_held {
            return Err(MergeError::Refused(
                "the entry was held during the run, because one of its runs was undone".to_owned(),
            ));
        }
        let format = formats_of(&outcome);
        self.check_answer(&outcome, format.as_deref())?;
        let count = outcome.ids.len() as u64 + report.doubtful.count;
        self.decision.count = count;
        if !entry.is_partial {
            self.note_further_pages(count);
        }
        // Doubtful and rejected rows are read again until they are settled, so that they are reported; and so is an answer of which a
        // part may not be stored, because it is committed in several groups.
        let is_settled = report.doubtful.count == 0 && report.rejected == 0 && outcome.is_one_group;
        let settled = |value: &Option<String>| value.clone().filter(|_| is_settled);
        // A run that changes nothing is none to undo.
        let keeps_run = outcome.has_changes;
        if let Some(run) = outcome.run.filter(|_| keeps_run) {
            let is_scheduled = self.request.cause == Cause::Schedule;
            note_entry_of_run(write, run, &entry.name, is_scheduled).await?;
        }
        let today = self.now.with_timezone(&self.zone).date_naive();
        let total = fetched.total.filter(|total| *total >= rows);
        let success = SyncSuccess {
            entry_digest: self.entry_digest.to_owned(),
            doubtful: report.doubtful.count,
            has_further_page: self.decision.has_further_page,
            source: format.as_deref().map(|format| self.source_of(format)),
            format,
            etag: settled(&fetched.etag),
            last_modified: settled(&fetched.last_modified),
            reading_digest: self.reading_digest.to_owned(),
            total: total.map(|total| (total, today)),
        };
        note_sync_success(write, &entry.name, self.now, &success).await?;
        Ok(ImportVerdict {
            keeps_run,
            ..ImportVerdict::default()
        })
    }

    /// The source of the rows of this format.
    fn source_of(&self, format: &str) -> String {
        let source = self.entry.source.clone();
        let source = source.or_else(|| find_format(format)?.source.clone());
        source.unwrap_or_else(|| SOURCE_DEFAULT.to_owned())
    }

    fn refuse_mass_change(&mut self, change: &MassChange) -> MergeError {
        self.mass_change = Some(change.examples.clone());
        let name = &self.entry.name;
        MergeError::Refused(format!(
            "{}; `reviews sync run {name} --dry-run` shows some; `reviews sync run {name} --accept-changes` takes it",
            change.reason
        ))
    }

    /// Refuses an answer with too many rejected rows, or of another kind than before, unless the owner takes the run as it is; then
    /// notes what was taken.
    ///
    /// # Errors
    /// If nothing of the run may be imported.
    fn check_answer(
        &mut self,
        outcome: &ImportOutcome<'_>,
        format: Option<&str>,
    ) -> Result<(), MergeError> {
        let name = &self.entry.name;
        let rejected = outcome.report.rejected;
        let all = rejected + outcome.report.taken;
        let mut reasons = Vec::new();
        if rejected > FEW && rejected * 10 > all {
            reasons.push((
                format!("{rejected} of {all} rows were rejected, more than a tenth"),
                format!("`reviews sync run {name} --dry-run` shows them"),
            ));
        }
        let is_same_entry = self.state.entry_digest.as_deref() == Some(self.entry_digest);
        let before = self.state.last_format.as_deref();
        if let (Some(format), Some(before)) = (format, before.filter(|_| is_same_entry))
            && format != before
        {
            reasons.push((
                format!(
                    "the answer is another kind of file ({format}; the last run's was {before})"
                ),
                format!("`reviews sync run {name} --accept-changes` takes it"),
            ));
        }
        for (reason, advice) in reasons {
            if !self.request.accepts_changes {
                return Err(MergeError::Refused(format!("{reason}; {advice}")));
            }
            self.decision
                .notes
                .push(format!("taken by --accept-changes: {reason}"));
        }
        Ok(())
    }

    /// Notes that the answer has only some of the reviews.
    fn note_further_pages(&mut self, count: u64) {
        let fetched = self.fetched;
        if fetched.has_further_page {
            self.decision.has_further_page = true;
            self.decision.notes.push(
                "the answer names a next page, and nothing says how to fetch it; [paging] of a format does, or `partial = true` in \
                 the entry if the newest reviews are enough"
                    .to_owned(),
            );
        } else if let Some(total) = fetched.total.filter(|total| count < *total) {
            self.decision.notes.push(format!(
                "the answer has {count} reviews, and the source says that it has {total}"
            ));
        }
    }
}

/// The formats of the files that have rows.
fn formats_of(outcome: &ImportOutcome<'_>) -> Option<String> {
    let files = outcome.report.files.iter().filter(|file| file.rows > 0);
    let mut formats: Vec<&str> = files.map(|file| file.format.as_str()).collect();
    formats.sort_unstable();
    formats.dedup();
    (!formats.is_empty()).then(|| formats.join(", "))
}
