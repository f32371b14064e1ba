//! Records a run within the transaction of its import, and refuses an answer of another kind.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::fetch::Fetched;
use super::file::Entry;
use crate::imports::{Applied, Doubtful, Guards, ImportRequest, MergeError};
use crate::storage::Write;
use crate::storage::sync::{
    SyncState, SyncSuccess, note_entry_of_run, note_sync_success, sync_states,
};

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

/// What a run knows before it fetches.
pub struct Preparation {
    pub reading: ImportRequest,
    pub entry_digest: String,
    /// Of all that says how the answer is read.
    pub reading_digest: String,
    pub has_encoding: bool,
    /// As it was when the run began.
    pub state: SyncState,
    pub zone: Tz,
}

/// A run whose import is applied.
pub struct RunRecord<'d> {
    pub entry: &'d Entry,
    pub prepared: &'d Preparation,
    pub fetched: &'d Fetched,
    pub request: &'d RunRequest,
    pub now: DateTime<Utc>,
}

impl RunRequest {
    /// What stops the import of a run of this entry.
    pub fn guards(&self, name: &str) -> Guards {
        let option = if self.withdraws_missing {
            " --withdraw-missing"
        } else {
            ""
        };
        let command = format!("reviews sync run {name}{option}");
        Guards {
            accepts_changes: self.accepts_changes,
            limits_rejected: true,
            advice: format!(
                "`{command} --dry-run` shows more; `{command} --accept-changes` takes it"
            ),
        }
    }
}

impl RunRecord<'_> {
    /// Records the run, unless the entry was held meanwhile.
    ///
    /// # Errors
    /// If nothing of the run may be imported.
    pub async fn write(
        &self,
        write: &mut Write,
        applied: &Applied,
    ) -> Result<RunDecision, MergeError> {
        let (entry, prepared) = (self.entry, self.prepared);
        let (fetched, report) = (self.fetched, &applied.report);
        let rows: u64 = report.files.iter().map(|file| file.rows).sum();
        if fetched.needs_rows && rows == 0 {
            return Err(MergeError::Refused(format!(
                "{}: no reviews found",
                fetched.answer
            )));
        }
        if self.request.withdraws_missing && rows == 0 {
            return Err(MergeError::Refused(
                "--withdraw-missing: the answer has no review, and not all of an entry can be gone"
                    .to_owned(),
            ));
        }
        let mut states = sync_states(write.for_reading()).await?;
        let is_held = states.remove(&entry.name).is_some_and(|it| it.is_held);
        // An undo holds it, so that what it took back does not return.
        if is_held && !prepared.state.is_held {
            return Err(MergeError::Refused(
                "the entry was held during the run, because one of its runs was undone".to_owned(),
            ));
        }
        let format = formats_of(applied);
        let mut notes = Vec::from_iter(self.check_format(format.as_deref())?);
        let count = applied.ids.len() as u64 + report.doubtful.count;
        let has_further_page = fetched.has_further_page && !entry.is_partial;
        let more = fetched.total.filter(|total| count < *total);
        if has_further_page {
            notes.push(
                "the answer names a next page, and nothing says how to fetch it; [paging] of a format does, or `partial = true` in \
                 the entry if the newest reviews are enough"
                    .to_owned(),
            );
        } else if let Some(total) = more.filter(|_| !entry.is_partial) {
            notes.push(format!(
                "the answer has {count} reviews, and the source says that it has {total}"
            ));
        }
        // Doubtful and rejected rows are read again until they are settled, so that they are reported; and so is an answer of which a
        // part may not be stored, because it is committed in several groups.
        let is_settled = report.doubtful.count == 0 && report.rejected == 0 && applied.is_one_group;
        let settled = |value: &Option<String>| value.clone().filter(|_| is_settled);
        if let Some(run) = applied.run {
            let is_scheduled = self.request.cause == Cause::Schedule;
            note_entry_of_run(write, run, &entry.name, is_scheduled).await?;
        }
        let today = self.now.with_timezone(&prepared.zone).date_naive();
        let total = fetched.total.filter(|total| *total >= rows);
        let success = SyncSuccess {
            entry_digest: prepared.entry_digest.clone(),
            doubtful: report.doubtful.count,
            has_further_page,
            source: format
                .as_deref()
                .map(|format| entry.source_of(Some(format))),
            format,
            etag: settled(&fetched.etag),
            last_modified: settled(&fetched.last_modified),
            reading_digest: prepared.reading_digest.clone(),
            total: total.map(|total| (total, today)),
        };
        note_sync_success(write, &entry.name, self.now, &success).await?;
        Ok(RunDecision {
            count,
            has_further_page,
            notes,
        })
    }

    /// Refuses an answer of another kind than before, unless the owner takes the run as it is; then says so.
    ///
    /// # Errors
    /// If nothing of the run may be imported.
    fn check_format(&self, format: Option<&str>) -> Result<Option<String>, MergeError> {
        let Preparation {
            state,
            entry_digest,
            ..
        } = self.prepared;
        let is_same_entry = state.entry_digest.as_ref() == Some(entry_digest);
        let before = state.last_format.as_deref().filter(|_| is_same_entry);
        let (Some(format), Some(before)) = (format, before) else {
            return Ok(None);
        };
        if format == before {
            return Ok(None);
        }
        let reason =
            format!("the answer is another kind of file ({format}; the last run's was {before})");
        if self.request.accepts_changes {
            return Ok(Some(format!("accepted by --accept-changes: {reason}")));
        }
        let name = &self.entry.name;
        Err(MergeError::Refused(format!(
            "{reason}; `reviews sync run {name} --accept-changes` takes it"
        )))
    }
}

/// The formats of the files that have rows.
fn formats_of(applied: &Applied) -> Option<String> {
    let files = applied.report.files.iter().filter(|file| file.rows > 0);
    let mut formats: Vec<&str> = files.map(|file| file.format.as_str()).collect();
    formats.sort_unstable();
    formats.dedup();
    (!formats.is_empty()).then(|| formats.join(", "))
}
