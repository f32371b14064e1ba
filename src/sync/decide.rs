//! Records a run within the transaction of its import, and refuses an answer of another kind.

use chrono::{DateTime, Utc};

use super::fetch::Fetched;
use super::source::Source;
use crate::imports::{Applied, Doubtful, Guards, ImportRequest, MergeError};
use crate::model::ReviewId;
use crate::storage::sync::{
    SyncSource, SyncSuccess, brought_reviews, note_brought, note_source_of_run, note_sync_success,
    save_sync_source, set_next_run, sync_sources,
};
use crate::storage::{Database, Write};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Cause {
    #[default]
    Schedule,
    /// `sync run`.
    Command,
    /// `sync add`, which stores the source; the owner has seen what it brings.
    Adding,
}

/// What a run is asked to do.
#[derive(Debug, Clone, Default)]
pub struct RunRequest {
    pub cause: Cause,
    /// Whether the run is taken as it is (`--accept-changes`).
    pub accepts_changes: bool,
    /// `--doubtful`
    pub doubtful: Option<Doubtful>,
    /// How the answer is read when the source is added, with what the owner decides about the format; otherwise as the source says.
    pub reading: Option<ImportRequest>,
}

/// What the run of a source brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunDecision {
    pub count: u64,
    /// Sentences for the owner.
    pub notes: Vec<String>,
}

/// A run whose import is applied.
pub struct RunRecord<'d> {
    pub source: &'d Source,
    pub fetched: &'d Fetched,
    pub request: &'d RunRequest,
    pub now: DateTime<Utc>,
    /// The first run of a source that is added.
    pub next_run_at: DateTime<Utc>,
}

impl RunRequest {
    /// What stops the import of a run.
    pub fn guards(&self, name: &str) -> Guards {
        let advice = match self.cause {
            Cause::Adding => "look at the source; --accept-changes takes it".to_owned(),
            Cause::Schedule | Cause::Command => format!(
                "`reviews sync run {name} --dry-run` shows more; `reviews sync run {name} --accept-changes` takes it"
            ),
        };
        Guards {
            accepts_changes: self.accepts_changes,
            limits_rejected: true,
            advice,
        }
    }
}

impl RunRecord<'_> {
    /// Records the run, unless it was changed or paused meanwhile.
    ///
    /// # Errors
    /// If nothing of the run may be imported.
    pub async fn write(
        &self,
        write: &mut Write,
        database: &Database,
        applied: &Applied,
    ) -> Result<RunDecision, MergeError> {
        let rows: u64 = applied.report.files.iter().map(|file| file.rows).sum();
        if self.fetched.needs_rows && rows == 0 {
            return Err(MergeError::Refused(format!(
                "{}: no reviews found",
                self.fetched.answer
            )));
        }
        let (source, fetched) = (self.source, self.fetched);
        let (name, is_adding) = (source.name(), self.request.cause == Cause::Adding);
        match self.request.cause {
            Cause::Adding => save_sync_source(write, &source.row).await?,
            Cause::Schedule => database.fence(write).await?,
            Cause::Command => {}
        }
        if is_adding {
            set_next_run(write, name, self.next_run_at).await?;
        }
        let mut sources = sync_sources(write.for_reading()).await?.into_iter();
        let row = sources
            .find(|row| row.is_same(&source.row))
            .ok_or_else(|| {
                MergeError::Refused("the source was changed or removed during the run".to_owned())
            })?;
        // An undo pauses it, so that what it took back does not return.
        if row.paused && !source.row.paused {
            return Err(MergeError::Refused(
                "the source was paused during the run".to_owned(),
            ));
        }
        let count = if fetched.is_same {
            brought_reviews(write.for_reading(), name).await?.len() as u64
        } else {
            applied.ids.len() as u64 + applied.report.doubtful.count
        };
        let format = formats_of(applied);
        self.check_answer(&row, format.as_deref())?;
        let waiting = (fetched.waiting > 0).then(|| {
            format!(
                "files that changed within 10 s wait for the next run: {}",
                fetched.waiting
            )
        });
        let decision = RunDecision {
            count,
            notes: self
                .further_pages(count)
                .into_iter()
                .chain(waiting)
                .collect(),
        };
        let doubtful = applied.report.doubtful.count;
        let (etag, last_modified) = if fetched.is_same {
            (row.etag, row.last_modified)
        } else {
            let ids: Vec<&str> = applied.ids.iter().map(ReviewId::as_str).collect();
            note_brought(write, name, &ids).await?;
            // Doubtful rows are read again until they are settled, so that they are reported and counted; and so is an answer of which
            // a part may not be stored, because it is committed in several groups.
            let is_settled = doubtful == 0 && applied.is_one_group;
            let settled = |value: &Option<String>| value.clone().filter(|_| is_settled);
            (settled(&fetched.etag), settled(&fetched.last_modified))
        };
        if let Some(run) = applied.run {
            let is_scheduled = self.request.cause == Cause::Schedule;
            note_source_of_run(write, run, name, is_scheduled).await?;
        }
        let success = SyncSuccess {
            count: i64::try_from(count).unwrap_or(i64::MAX),
            doubtful: i64::try_from(doubtful).unwrap_or(i64::MAX),
            run: applied.run,
            format,
            etag,
            last_modified,
        };
        note_sync_success(write, name, self.now, &success).await?;
        Ok(decision)
    }

    /// Refuses an answer of another kind than before. The owner has seen what a source brings that is added, and may take any run.
    ///
    /// # Errors
    /// If nothing of the run may be imported.
    fn check_answer(&self, row: &SyncSource, format: Option<&str>) -> Result<(), MergeError> {
        let is_taken = self.request.accepts_changes || self.request.cause == Cause::Adding;
        if let (Some(format), Some(before)) = (format, row.last_format.as_deref())
            && format != before
            && !is_taken
        {
            let name = self.source.name();
            return Err(MergeError::Refused(format!(
                "the answer is another kind of file ({format}; the last run's was {before}); `reviews sync run {name} \
                 --accept-changes` takes it"
            )));
        }
        Ok(())
    }

    /// That the answer says of more than `count` reviews.
    fn further_pages(&self, count: u64) -> Option<String> {
        let fetched = self.fetched;
        if fetched.is_same || self.source.options.partial {
            return None;
        }
        if let Some(total) = fetched.total.filter(|total| count < *total) {
            return Some(format!(
                "the answer has {count} reviews, and the source says that it has {total}"
            ));
        }
        let member = fetched.announced.more_than(count)?;
        let member = fetched.mask.apply(member);
        Some(format!(
            "the answer says that there is more ({member}), and how to fetch it is not known"
        ))
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
