//! Merges the rows of an import with the stored reviews. `collector` gathers the rows, `identity` finds their reviews, and
//! `outcome` merges, both as pure functions; here the result is written. The rules for one
//! review are in `model::merge`.

pub(crate) mod copies;
pub(crate) mod identity;
pub(crate) mod outcome;
pub(crate) mod rename;
pub(crate) mod time_zone;
pub(crate) mod undo;

use std::path::Path;

use chrono::{DateTime, Utc};

use crate::imports::merge::outcome::{Change, Outcome};
use crate::imports::report::{ImportError, MergeError, Watcher};
use crate::storage::reviews::{self, RunChange};
use crate::storage::{DbError, Write};

/// Reviews per statement.
const BATCH: usize = 500;
/// Rows per transaction, if many nodes share the database.
const GROUP_MAX: usize = 5_000;

impl MergeError {
    /// The import's error; `path` is the database.
    pub fn at(self, path: &Path) -> ImportError {
        match self {
            Self::Refused(reason) => ImportError::Refused(format!("{reason}; nothing was changed")),
            Self::Stopped => ImportError::Stopped,
            Self::Database(error) => DbError::at(path, error).into(),
        }
    }
}

/// Writes the outcome of a merge; `run` is the run, for a later undo, and `None` for a sample.
///
/// # Errors
/// When the database refuses the write, or the import is to stop.
pub async fn apply(
    write: &mut Write,
    outcome: Outcome,
    run: Option<i64>,
    now: DateTime<Utc>,
    watch: Watcher<'_>,
) -> Result<(), MergeError> {
    let of = outcome.changes.len();
    let (mut done, mut in_group) = (0, 0);
    let mut changes = outcome.changes.into_iter();
    loop {
        let batch: Vec<Change> = changes.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        if watch.is_stopped() {
            return Err(MergeError::Stopped);
        }
        done += batch.len();
        in_group += batch.len();
        if in_group > GROUP_MAX {
            write.end_group();
            in_group = batch.len();
        }
        if let Some(run) = run {
            let notes: Vec<_> = batch
                .iter()
                .map(|change| {
                    (
                        change.source.id.as_str(),
                        change.kind,
                        change.former.as_ref(),
                    )
                })
                .collect();
            reviews::note_run_reviews(write, run, &notes).await?;
        }
        let (mut reviews, mut sources, mut deleted) = (Vec::new(), Vec::new(), Vec::new());
        let mut notes = Vec::new();
        for change in batch {
            notes.extend(change.note.map(|note| (change.source.id.clone(), note)));
            reviews.extend(change.review);
            if change.kind == RunChange::Deleted {
                deleted.push(change.source);
            } else if !change.source.says_nothing() {
                sources.push(change.source);
            }
        }
        if !reviews.is_empty() {
            reviews::upsert(write, &reviews, now).await?;
        }
        reviews::note_sources(write, &sources).await?;
        reviews::keep_deleted(write, &deleted).await?;
        for (id, note) in notes {
            reviews::set_note(write, id.as_str(), Some(&note)).await?;
        }
        watch.written(done, of);
    }
    let deleted: Vec<&str> = outcome.deleted.iter().map(|(id, _)| id.as_str()).collect();
    if let Some(run) = run {
        let notes: Vec<_> = deleted
            .iter()
            .map(|id| (*id, RunChange::Deleted, None))
            .collect();
        reviews::note_run_reviews(write, run, &notes).await?;
    }
    if !deleted.is_empty() {
        reviews::note_deleted(write, &deleted).await?;
        let kept = outcome.deleted.iter().filter_map(|(_, kept)| kept.clone());
        reviews::keep_deleted(write, &kept.collect::<Vec<_>>()).await?;
    }
    Ok(())
}
