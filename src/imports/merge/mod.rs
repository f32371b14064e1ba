//! Merges the rows of an import with the stored reviews. `collector` gathers the rows, `identity` finds their reviews, and
//! `outcome` merges as a pure function; here the stored reviews are loaded, and the result is written. The rules for one
//! review are in `model::merge`.

pub(crate) mod collector;
pub(crate) mod identity;
pub(crate) mod outcome;
pub(crate) mod rename;
pub(crate) mod time_zone;
pub(crate) mod undo;

use std::path::Path;

use chrono::{DateTime, Utc};

use crate::imports::merge::collector::Row;
use crate::imports::merge::identity::{Known, KnownReview};
use crate::imports::merge::outcome::{Change, Outcome};
use crate::imports::report::{ImportError, MergeError, Watcher};
use crate::model::{Review, ReviewId};
use crate::storage::reviews::{self, RunChange};
use crate::storage::{DbError, Write};

/// Reviews per statement.
const BATCH: usize = 500;
/// Reviews that are read at once.
const ROWS: i64 = 500;
/// Rows per transaction, if many nodes share the database.
const GROUP_MAX: usize = 5_000;

impl MergeError {
    /// The import's error; `path` is the database.
    pub fn at(self, path: &Path) -> ImportError {
        match self {
            Self::Refused(reason) => ImportError::Refused(format!("{reason}; nothing was changed")),
            Self::Database(error) => DbError::at(path, error).into(),
        }
    }
}

/// Loads all reviews, in batches, because all at once would need their memory twice.
///
/// # Errors
/// When the database cannot be read.
pub async fn load(write: &mut Write, rows: &[Row]) -> sqlx::Result<Known> {
    let mut known = Known::new();
    let mut last = String::new();
    loop {
        let ids = reviews::ids_after(write.for_reading(), &last, ROWS).await?;
        let Some(end) = ids.last() else {
            break;
        };
        last.clone_from(end);
        let list: Vec<&str> = ids.iter().map(String::as_str).collect();
        let mut found = reviews::standing(write.for_reading(), &list).await?;
        let is_known = |id: &str| found.reviews.contains_key(id) || found.deleted.contains(id);
        let broken: Vec<&str> = list.iter().copied().filter(|id| !is_known(id)).collect();
        for (id, (status, response)) in
            reviews::stored_decisions(write.for_reading(), &broken).await?
        {
            if let Some(row) = rows.iter().rev().find(|row| row.id().as_str() == id) {
                let review = Review {
                    response,
                    status,
                    ..row.review().clone()
                };
                let known_review = KnownReview {
                    review: Some(review),
                    source: found.sources.remove(&id),
                    is_readable: false,
                };
                known.insert(row.id().clone(), known_review);
            }
        }
        let deleted = found.deleted.iter().filter_map(|id| id.parse().ok());
        let deleted = deleted.map(|id| (id, None));
        let there = found.reviews.into_values();
        let there = there.map(|review| (review.id.clone(), Some(review)));
        known.extend(there.chain(deleted).map(|(id, review): (ReviewId, _)| {
            let source = found.sources.remove(id.as_str());
            let known = KnownReview {
                review,
                source,
                is_readable: true,
            };
            (id, known)
        }));
    }
    for source in reviews::deleted_reviews(write.for_reading()).await? {
        let kept = known.entry(source.id.clone()).or_insert(KnownReview {
            review: None,
            source: None,
            is_readable: true,
        });
        kept.source.get_or_insert(source);
    }
    Ok(known)
}

/// Writes the outcome of a merge; `run` is the run, for a later undo, and `None` for a sample.
///
/// # Errors
/// When the database refuses the write.
pub async fn apply(
    write: &mut Write,
    outcome: Outcome,
    run: Option<i64>,
    now: DateTime<Utc>,
    watch: Watcher<'_>,
) -> sqlx::Result<()> {
    let of = outcome.changes.len();
    let (mut done, mut in_group) = (0, 0);
    let mut changes = outcome.changes.into_iter();
    loop {
        let batch: Vec<Change> = changes.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
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
        let (mut reviews, mut sources, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for change in batch {
            notes.extend(change.note.map(|note| (change.source.id.clone(), note)));
            reviews.extend(change.review);
            sources.push(change.source);
        }
        if !reviews.is_empty() {
            reviews::upsert(write, &reviews, now).await?;
        }
        reviews::note_sources(write, &sources).await?;
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
        let kept = outcome.deleted.iter().filter_map(|(_, kept)| kept.as_ref());
        reviews::keep_deleted(write, &kept.collect::<Vec<_>>()).await?;
    }
    Ok(())
}
