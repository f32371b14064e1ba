//! Decides within the import's transaction whether a run is taken: rejected rows, another kind of file, fewer reviews than
//! before. Records the run there too.

use std::io;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::fetch::Fetched;
use super::source::Source;
use crate::imports::{
    DoubtfulChoice, ImportOutcome, ImportRequest, ImportVerdict, MassChange, MergeError, Rejection,
    Watch, Watcher,
};
use crate::model::{ReviewId, Unit};
use crate::storage::reviews::standing;
use crate::storage::sync::{
    Brought, SyncSource, SyncSuccess, brought_before, missing_reviews, note_brought,
    note_same_answer, note_source_of_run, note_sync_success, save_sync_source, set_next_run,
    sync_sources, withdrawn_since,
};
use crate::storage::{Database, Write};

/// This many reviews may be missing, or rows be rejected, in any run.
const FEW: usize = 3;
/// Whole runs in a row that lack a review before it is withheld.
const LACKING_RUNS: i64 = 2;
/// The time in which at most a tenth of a source's reviews is withheld.
const WITHHOLDING_TIME: TimeDelta = TimeDelta::hours(24);

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
    /// Whether the run is taken as it is (`--yes`).
    pub is_accepted: bool,
    /// Whether it may change text or stars of more than half of the source's reviews (`--accept-changes`).
    pub accepts_changes: bool,
    /// `--doubtful`
    pub doubtful: Vec<DoubtfulChoice>,
    /// How the answer is read when the source is added, with what the owner decides about the format; otherwise as the source says.
    pub reading: Option<ImportRequest>,
}

/// What the run of a source brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunDecision {
    /// `success`, or `short`: imported, with fewer reviews than there were.
    pub outcome: &'static str,
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
                "{reason}; `reviews sync run {name} --accept-changes` takes it, `reviews source format` adds a value that publishes"
            )));
        }
        if let Some(member) = fetched.announced.more_than(rows)
            && is_adding
            && !source.options.partial
        {
            let member = fetched.mask.apply(member);
            return Err(MergeError::Refused(format!(
                "the answer says that there is more ({member}), and how to fetch it is not known; ask for more reviews per page, or \
                 add --partial: then a review that is missing is no fault"
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
        let before = brought_before(write.for_reading(), name).await?;
        let count = if fetched.is_same {
            before.whole.len() as u64
        } else {
            outcome.ids.len() as u64 + outcome.report.doubtful.count
        };
        let format = formats_of(&outcome);
        let shortfall = self.shortfall(&outcome, &row, &before, count, format.as_deref())?;
        let is_whole = shortfall.is_none();
        let waiting = (fetched.waiting > 0).then(|| {
            format!(
                "files that changed within 10 s wait for the next run: {}",
                fetched.waiting
            )
        });
        self.decision = RunDecision {
            outcome: if is_whole { "success" } else { "short" },
            count,
            notes: shortfall.into_iter().chain(waiting).collect(),
        };
        let doubtful = outcome.report.doubtful.count;
        let (etag, last_modified) = if fetched.is_same {
            note_same_answer(write, name).await?;
            (row.etag, row.last_modified)
        } else {
            let ids: Vec<&str> = outcome.ids.iter().map(ReviewId::as_str).collect();
            let doubted: Vec<&str> = outcome.doubted.iter().map(ReviewId::as_str).collect();
            let is_whole = is_whole && !source.options.partial;
            note_brought(write, name, &ids, &doubted, is_whole).await?;
            // Doubtful rows are read again until they are settled, so that they are reported and counted; and so is an answer of which
            // a part may not be stored, because it is committed in several groups.
            let is_settled = doubtful == 0 && outcome.is_one_group;
            let settled = |value: &Option<String>| value.clone().filter(|_| is_settled);
            (settled(&fetched.etag), settled(&fetched.last_modified))
        };
        let gone = if is_whole && source.options.withdraw_missing {
            self.gone(write, &outcome, &before).await?
        } else {
            Vec::new()
        };
        // A run that changes nothing is none to undo.
        let keeps_run = outcome.has_changes || withholds_any(write, &gone).await?;
        let run = outcome.run.filter(|_| keeps_run);
        if let Some(run) = run {
            let is_scheduled = self.request.cause == Cause::Schedule;
            note_source_of_run(write, run, name, is_scheduled, self.request.is_accepted).await?;
        }
        let success = SyncSuccess {
            outcome: self.decision.outcome,
            count: i64::try_from(count).unwrap_or(i64::MAX),
            doubtful: i64::try_from(doubtful).unwrap_or(i64::MAX),
            run,
            is_whole,
            format,
            etag,
            last_modified,
        };
        note_sync_success(write, name, self.now, &success).await?;
        Ok(ImportVerdict {
            gone,
            keeps_run,
            // What was decided when the source was added belongs to the source.
            undoes_formats: !is_adding,
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

    /// Why the run is imported but not whole; `None` if it is whole. The owner may take any run as it is.
    ///
    /// # Errors
    /// If nothing of the run may be imported.
    fn shortfall(
        &self,
        outcome: &ImportOutcome<'_>,
        row: &SyncSource,
        before: &Brought,
        count: u64,
        format: Option<&str>,
    ) -> Result<Option<String>, MergeError> {
        let (name, fetched) = (self.source.name(), self.fetched);
        let (rejected, taken) = (outcome.report.rejected, outcome.report.taken);
        let all = rejected + taken;
        if self.request.is_accepted {
            return Ok(None);
        }
        if rejected > FEW as u64 && rejected * 10 > all {
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
        if let (Some(format), Some(before)) = (format, row.whole_format.as_deref())
            && format != before
            && !is_added
        {
            return Err(MergeError::Refused(format!(
                "the answer is another kind of file ({format}; the last whole run's was {before}); `reviews sync run {name} --yes` \
                 takes it"
            )));
        }
        if fetched.is_same || self.source.options.partial {
            return Ok(None);
        }
        let ids = outcome.ids.union(outcome.doubted);
        let have = ids.filter(|id| before.whole.contains(*id)).count();
        let whole = before.whole.len();
        let total = fetched.total.filter(|total| count + rejected < *total);
        let reason = if !is_added && !is_whole(have, whole) {
            format!("it has {have} of the {whole} reviews of the last whole run")
        } else if let Some(total) = total {
            format!("it brings {count} reviews, and the source says that it has {total}")
        } else if let Some(member) = fetched.announced.more_than(count + rejected) {
            format!(
                "the answer says that there is more ({})",
                fetched.mask.apply(member)
            )
        } else {
            return Ok(None);
        };
        Ok(Some(format!(
            "this run is not whole: {reason}; nothing is withheld; `reviews sync run {name} --yes` takes it as it is"
        )))
    }

    /// The reviews to withhold as gone at the source.
    async fn gone(
        &mut self,
        write: &mut Write,
        outcome: &ImportOutcome<'_>,
        before: &Brought,
    ) -> Result<Vec<ReviewId>, MergeError> {
        let (report, is_accepted) = (outcome.report, self.request.is_accepted);
        if report.files.iter().any(|file| file.excerpts) {
            return Ok(Vec::new());
        }
        let name = self.source.name();
        let runs = if is_accepted { 1 } else { LACKING_RUNS };
        let mut gone = missing_reviews(write.for_reading(), name, runs).await?;
        if gone.is_empty() || is_accepted {
            return Ok(gone);
        }
        let (rejected, all) = (report.rejected, gone.len());
        let reason = if rejected > 0 {
            gone.clear();
            format!("{rejected} rows were rejected, and may be those reviews")
        } else {
            let since = self.now - WITHHOLDING_TIME;
            let withdrawn = withdrawn_since(write.for_reading(), name, since).await?;
            let tenth = (before.published + withdrawn) / 10;
            gone.truncate(tenth.max(FEW).saturating_sub(withdrawn));
            "at most a tenth of a source's reviews is withheld within 24 hours".to_owned()
        };
        if gone.len() < all {
            self.decision.notes.push(format!(
                "reviews that the source no longer has, and that are not withheld: {}, because {reason}; `reviews sync run {name} --yes` \
                 withholds them",
                all - gone.len()
            ));
        }
        Ok(gone)
    }
}

/// Whether a run has enough of the reviews of the last whole one: nine tenths, or all but three and at least one.
const fn is_whole(have: usize, whole: usize) -> bool {
    have * 10 >= whole * 9 || (have + FEW >= whole && have > 0)
}

/// Whether one of the reviews that are gone at the source will be withheld: the owner may have published it again.
async fn withholds_any(write: &mut Write, gone: &[ReviewId]) -> sqlx::Result<bool> {
    let ids: Vec<&str> = gone.iter().map(ReviewId::as_str).collect();
    let known = standing(write.for_reading(), &ids).await?;
    let mut sourced = known.values().filter(|known| known.source.is_some());
    Ok(sourced.any(|known| {
        let last = known.last_statement();
        known
            .review()
            .is_some_and(|review| !last.is_decided(Unit::Status, review))
    }))
}

/// The formats of the files that have rows.
fn formats_of(outcome: &ImportOutcome<'_>) -> Option<String> {
    let files = outcome.report.files.iter().filter(|file| file.rows > 0);
    let mut formats: Vec<&str> = files.map(|file| file.format.as_str()).collect();
    formats.sort_unstable();
    formats.dedup();
    (!formats.is_empty()).then(|| formats.join(", "))
}

#[cfg(test)]
mod tests {
    use super::is_whole;

    #[test]
    fn run_of_nine_tenths_or_all_but_three_is_whole() {
        for (have, of, is) in [
            (36, 40, true),
            (35, 40, false),
            (1, 4, true),
            (0, 3, false),
            (0, 0, true),
        ] {
            assert_eq!(is_whole(have, of), is, "{have} of {of}");
        }
    }
}
