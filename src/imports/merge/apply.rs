//! Writes the outcome of a merge.

use std::path::Path;

use chrono::{DateTime, Utc};

use crate::imports::file_error::ImportError;
use crate::imports::merge::known::{KnownReview, Rules};
use crate::imports::merge::outcome::{Change, Outcome, withdrawal};
use crate::imports::report::{MergeError, Watcher};
use crate::model::{Review, ReviewId};
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
            Self::Database(error) => DbError::at(path, error).into(),
        }
    }
}

/// Withholds published reviews that their source no longer has, whatever the rows are.
///
/// # Errors
/// When the database cannot be read.
pub async fn withhold_gone(
    write: &mut Write,
    outcome: &mut Outcome,
    ids: &[ReviewId],
    rules: &Rules<'_>,
) -> sqlx::Result<()> {
    for batch in ids.chunks(BATCH) {
        let batch: Vec<&str> = batch.iter().map(ReviewId::as_str).collect();
        let mut found = reviews::standing(write.for_reading(), &batch).await?;
        for (id, review) in found.reviews {
            let known = KnownReview {
                source: found.sources.remove(&id),
                review,
                is_readable: true,
            };
            let withdrawn = withdrawal(&known, rules, &mut outcome.report);
            outcome.changes.extend(withdrawn);
        }
    }
    Ok(())
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
        let (reviews, sources): (Vec<_>, Vec<_>) = batch
            .into_iter()
            .map(|change| (change.review, change.source))
            .unzip();
        let reviews: Vec<Review> = reviews.into_iter().flatten().collect();
        if !reviews.is_empty() {
            reviews::upsert(write, &reviews, now).await?;
        }
        reviews::note_sources(write, &sources).await?;
        watch.written(done, of);
    }
    let deleted: Vec<&str> = outcome.deleted.iter().map(ReviewId::as_str).collect();
    if let Some(run) = run {
        let notes: Vec<_> = deleted
            .iter()
            .map(|id| (*id, RunChange::Deleted, None))
            .collect();
        reviews::note_run_reviews(write, run, &notes).await?;
    }
    if !deleted.is_empty() {
        reviews::note_deleted(write, &deleted).await?;
    }
    Ok(())
}
