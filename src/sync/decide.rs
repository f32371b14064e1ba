//! Decides within the import's transaction whether a run is taken: rejected rows, another kind of file, fewer reviews than
//! before. Records the run there too, so that both are committed or neither is.

use std::io;

use chrono::{DateTime, Utc};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::fetch::Fetched;
use super::source::Source;
use crate::imports::{
    ImportOutcome, MergeError, Rejection, TableColumns, Verdict, Watch, Watcher, find_format,
};
use crate::model::ReviewId;
use crate::storage::sync::{
    SyncSuccess, missing_reviews, note_brought, note_same_answer, note_source_of_run,
    note_sync_success, save_sync_source, sync_sources,
};
use crate::storage::{Database, Write};

/// This many reviews may be missing, or rows be rejected, in any run.
const FEW: u64 = 3;
/// Whole runs in a row that lack a review before it is withheld.
const LACKING_RUNS: i64 = 2;

/// How a run came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Scheduled,
    /// `sync run`; with `--yes` the run is taken as it is.
    ByHand {
        is_accepted: bool,
    },
    /// `sync add`, which stores the source; the owner has seen what it brings.
    Added,
}

/// What the run of a source brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decision {
    /// `success`, or `short`: imported, with fewer reviews than there were.
    pub outcome: &'static str,
    pub count: u64,
    /// Sentences for the owner.
    pub notes: Vec<String>,
}

/// Watches the import of a run.
pub struct Decider<'d> {
    pub database: &'d Database,
    pub source: &'d Source,
    pub fetched: &'d Fetched,
    pub manner: Manner,
    pub now: DateTime<Utc>,
    pub next_run_at: DateTime<Utc>,
    /// Sees the progress of the import and its rejected rows.
    pub watch: Watcher<'d>,
    pub decision: Decision,
}

impl Watch for Decider<'_> {
    fn read(&mut self, rows: u64, all: u64) {
        self.watch.read(rows, all);
    }

    fn table(&mut self, file: &str, columns: &TableColumns) {
        self.watch.table(&self.fetched.clean(file), columns);
    }

    fn rejected(&mut self, rejection: Rejection) -> io::Result<()> {
        let file = self.fetched.clean(&rejection.file);
        self.watch.rejected(Rejection { file, ..rejection })
    }

    fn written(&mut self, done: usize, of: usize) {
        self.watch.written(done, of);
    }

    fn decide<'a>(
        &'a mut self,
        write: &'a mut Write,
        outcome: ImportOutcome<'a>,
    ) -> BoxFuture<'a, Result<Verdict, MergeError>> {
        self.judge(write, outcome).boxed()
    }
}

impl Decider<'_> {
    async fn judge(
        &mut self,
        write: &mut Write,
        outcome: ImportOutcome<'_>,
    ) -> Result<Verdict, MergeError> {
        let name = self.source.name();
        let is_accepted = self.manner == Manner::ByHand { is_accepted: true };
        if self.manner == Manner::Added {
            save_sync_source(write, &self.source.row).await?;
        }
        if self.manner == Manner::Scheduled {
            self.database.fence(write).await?;
        }
        let mut rows = sync_sources(write.for_reading()).await?.into_iter();
        let row = rows.find(|row| row.is_same(&self.source.row));
        let row = row.ok_or_else(|| {
            MergeError::Refused("the source was changed or removed during the run".to_owned())
        })?;
        let formats = formats_of(&outcome);
        if !is_accepted {
            refuse_rejected(&outcome)?;
            if let (Manner::Scheduled | Manner::ByHand { .. }, Some(format), Some(before)) =
                (self.manner, &formats, &row.whole_format)
                && format != before
            {
                return Err(MergeError::Refused(format!(
                    "the answer is another kind of file ({format}; the last whole run's was {before}); \
                     `reviews sync run {name} --yes` takes it"
                )));
            }
        }
        let is_same = self.fetched.is_same;
        let count = if is_same {
            row.last_whole_count()
        } else {
            outcome.ids.len() as u64
        };
        let is_whole = is_same
            || is_accepted
            || self.manner == Manner::Added
            || self.is_whole(&outcome, row.whole_count, count);
        let ids: Vec<&str> = outcome.ids.iter().map(ReviewId::as_str).collect();
        if is_same {
            note_same_answer(write, name).await?;
        } else {
            note_brought(write, name, &ids, is_whole && !self.source.options.partial).await?;
        }
        let gone = if is_whole {
            self.gone(write, &outcome, count, is_accepted).await?
        } else {
            Vec::new()
        };
        let is_changed = outcome.report.new + outcome.report.updated > 0 || !gone.is_empty();
        let run = outcome.run.filter(|_| is_changed);
        if let Some(run) = run {
            note_source_of_run(write, run, name, self.manner == Manner::Scheduled).await?;
        }
        self.decision.outcome = if is_whole || self.source.options.partial {
            "success"
        } else {
            "short"
        };
        self.decision.count = count;
        let success = SyncSuccess {
            outcome: self.decision.outcome,
            count: i64::try_from(count).unwrap_or(i64::MAX),
            run,
            is_whole,
            format: formats,
            etag: if is_same {
                row.etag
            } else {
                self.fetched.etag.clone()
            },
            last_modified: if is_same {
                row.last_modified
            } else {
                self.fetched.last_modified.clone()
            },
            next_run_at: self.next_run_at,
        };
        note_sync_success(write, name, self.now, &success).await?;
        // A run that changes nothing is none to undo.
        Ok(Verdict {
            gone,
            keeps_run: is_changed,
        })
    }

    /// Whether the run brings nine tenths of what the last whole one had, or all but a few, and what the source says it has.
    fn is_whole(
        &mut self,
        outcome: &ImportOutcome<'_>,
        whole_count: Option<i64>,
        count: u64,
    ) -> bool {
        if self.source.options.partial {
            return true;
        }
        let before = whole_count.unwrap_or(0).unsigned_abs();
        let (name, notes) = (self.source.name(), &mut self.decision.notes);
        if count + FEW < before && count * 10 < before * 9 {
            notes.push(format!(
                "this run is not whole: it brings {count} reviews, and the last whole run brought {before}; nothing is withheld; \
                 `reviews sync run {name} --yes` takes it as it is"
            ));
            return false;
        }
        if let Some(total) = self
            .fetched
            .total
            .filter(|total| count + outcome.report.rejected < *total)
        {
            notes.push(format!(
                "this run is not whole: it brings {count} reviews, and the source says that it has {total}; nothing is withheld"
            ));
            return false;
        }
        true
    }

    /// The reviews to withhold as gone at the source.
    async fn gone(
        &mut self,
        write: &mut Write,
        outcome: &ImportOutcome<'_>,
        brought: u64,
        is_accepted: bool,
    ) -> Result<Vec<ReviewId>, MergeError> {
        let name = self.source.name();
        let is_excerpt = |format| find_format(format).is_some_and(|format| format.excerpts);
        if !self.source.options.withdraw_missing
            || outcome
                .report
                .files
                .iter()
                .any(|file| is_excerpt(file.format))
        {
            return Ok(Vec::new());
        }
        let runs = if is_accepted { 1 } else { LACKING_RUNS };
        let gone = missing_reviews(write.for_reading(), name, runs).await?;
        let unclear = outcome.report.rejected + outcome.report.skipped();
        let count = gone.len() as u64;
        let reason = if count == 0 || is_accepted {
            None
        } else if unclear > 0 {
            Some(format!(
                "{unclear} rows were rejected or skipped, and may be those reviews"
            ))
        } else if count > FEW && count * 10 > brought {
            Some("these are more than a tenth".to_owned())
        } else {
            None
        };
        match reason {
            None => Ok(gone),
            Some(reason) => {
                self.decision.notes.push(format!(
                    "{count} reviews that the source no longer has are not withheld: {reason}; `reviews sync run {name} --yes` \
                     withholds them"
                ));
                Ok(Vec::new())
            }
        }
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

fn refuse_rejected(outcome: &ImportOutcome<'_>) -> Result<(), MergeError> {
    let (rejected, taken) = (outcome.report.rejected, outcome.report.taken);
    if rejected > FEW && rejected * 10 > rejected + taken {
        return Err(MergeError::Refused(format!(
            "{rejected} of {} rows were rejected, more than a tenth; `reviews sync run NAME --dry-run` shows them",
            rejected + taken
        )));
    }
    Ok(())
}
