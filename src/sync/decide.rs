//! Decides within the import's transaction whether a run is taken: rejected rows, another kind of file. Records the run there
//! too.

use std::io;

use chrono::{DateTime, Utc};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::fetch::Fetched;
use super::source::Source;
use crate::imports::{
    Doubtful, ImportOutcome, ImportRequest, ImportVerdict, MassChange, MergeError, Rejection,
    ShownTables, Watch, Watcher,
};
use crate::model::ReviewId;
use crate::storage::sync::{
    SyncSource, SyncSuccess, brought_reviews, note_brought, note_source_of_run, note_sync_success,
    save_sync_source, set_next_run, sync_sources,
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
    /// How the answer is read when the source is added, with what the owner decides about columns; otherwise as the source says.
    pub reading: Option<ImportRequest>,
}

/// What the run of a source brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunDecision {
    pub count: u64,
    /// Sentences for the owner.
    pub notes: Vec<String>,
}

pub struct Decider<'d> {
    pub database: &'d Database,
    pub source: &'d Source,
    pub fetched: &'d Fetched,
    pub request: &'d RunRequest,
    pub now: DateTime<Utc>,
    /// The first run of a source that is added.
    pub next_run_at: DateTime<Utc>,
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

    fn table(&mut self, table: &ShownTables) {
        let mut table = table.clone();
        // They are the server's words.
        for column in &mut table.columns {
            column.values.clear();
        }
        self.watch.table(&table);
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
        let rows: u64 = outcome.report.files.iter().map(|file| file.rows).sum();
        if self.fetched.needs_rows && rows == 0 {
            return Err(MergeError::Refused(format!(
                "{}: no reviews found",
                self.fetched.answer
            )));
        }
        let (source, fetched) = (self.source, self.fetched);
        let (name, is_adding) = (source.name(), self.request.cause == Cause::Adding);
        if let Some(change) = outcome.mass_change {
            return Err(self.refuse_mass_change(change));
        }
        if let Some(reason) = outcome.mass_withholding {
            return Err(MergeError::Refused(format!(
                "{reason}; `reviews sync run {name} --accept-changes` takes it, `reviews source columns` adds a value that publishes"
            )));
        }
        match self.request.cause {
            Cause::Adding => save_sync_source(write, &source.row).await?,
            Cause::Schedule => self.database.fence(write).await?,
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
            outcome.ids.len() as u64 + outcome.report.doubtful.count
        };
        let format = formats_of(&outcome);
        self.check_answer(&outcome, &row, format.as_deref())?;
        let waiting = (fetched.waiting > 0).then(|| {
            format!(
                "files that changed within 10 s wait for the next run: {}",
                fetched.waiting
            )
        });
        self.decision = RunDecision {
            count,
            notes: self
                .further_pages(count)
                .into_iter()
                .chain(waiting)
                .collect(),
        };
        let doubtful = outcome.report.doubtful.count;
        let (etag, last_modified) = if fetched.is_same {
            (row.etag, row.last_modified)
        } else {
            let ids: Vec<&str> = outcome.ids.iter().map(ReviewId::as_str).collect();
            note_brought(write, name, &ids).await?;
            // Doubtful rows are read again until they are settled, so that they are reported and counted; and so is an answer of which
            // a part may not be stored, because it is committed in several groups.
            let is_settled = doubtful == 0 && outcome.is_one_group;
            let settled = |value: &Option<String>| value.clone().filter(|_| is_settled);
            (settled(&fetched.etag), settled(&fetched.last_modified))
        };
        // A run that changes nothing is none to undo.
        let keeps_run = outcome.has_changes;
        let run = outcome.run.filter(|_| keeps_run);
        if let Some(run) = run {
            let is_scheduled = self.request.cause == Cause::Schedule;
            note_source_of_run(write, run, name, is_scheduled).await?;
        }
        let success = SyncSuccess {
            count: i64::try_from(count).unwrap_or(i64::MAX),
            doubtful: i64::try_from(doubtful).unwrap_or(i64::MAX),
            run,
            format,
            etag,
            last_modified,
        };
        note_sync_success(write, name, self.now, &success).await?;
        Ok(ImportVerdict {
            keeps_run,
            // What was decided when the source was added belongs to the source.
            undoes_columns: !is_adding,
        })
    }

    fn refuse_mass_change(&mut self, change: &MassChange) -> MergeError {
        self.mass_change = Some(change.examples.clone());
        let name = self.source.name();
        let command = match self.request.cause {
            Cause::Adding => "look at the source; --accept-changes".to_owned(),
            Cause::Schedule | Cause::Command => format!(
                "`reviews sync run {name} --dry-run` shows some; `reviews sync run {name} --accept-changes`"
            ),
        };
        MergeError::Refused(format!("{}; {command} takes it", change.reason))
    }

    /// Refuses an answer with too many rejected rows, or of another kind than before. The owner may take any run as it is.
    ///
    /// # Errors
    /// If nothing of the run may be imported.
    fn check_answer(
        &self,
        outcome: &ImportOutcome<'_>,
        row: &SyncSource,
        format: Option<&str>,
    ) -> Result<(), MergeError> {
        let name = self.source.name();
        let (rejected, taken) = (outcome.report.rejected, outcome.report.taken);
        let all = rejected + taken;
        if self.request.accepts_changes {
            return Ok(());
        }
        if rejected > FEW && rejected * 10 > all {
            let advice = match self.request.cause {
                Cause::Adding => "they are shown above".to_owned(),
                Cause::Schedule | Cause::Command => {
                    format!("`reviews sync run {name} --dry-run` shows them")
                }
            };
            return Err(MergeError::Refused(format!(
                "{rejected} of {all} rows were rejected, more than a tenth; {advice}"
            )));
        }
        // The owner has seen what a source brings that is added.
        let is_added = self.request.cause == Cause::Adding;
        if let (Some(format), Some(before)) = (format, row.last_format.as_deref())
            && format != before
            && !is_added
        {
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
fn formats_of(outcome: &ImportOutcome<'_>) -> Option<String> {
    let files = outcome.report.files.iter().filter(|file| file.rows > 0);
    let mut formats: Vec<&str> = files.map(|file| file.format).collect();
    formats.sort_unstable();
    formats.dedup();
    (!formats.is_empty()).then(|| formats.join(", "))
}
