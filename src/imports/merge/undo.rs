//! Undoes an import: removes the reviews that it added, and gives all others their former values and those of their
//! source, so that importing the files again does the same again. What has changed since is left unchanged, and so is
//! what its source hides.

use chrono::{DateTime, Utc};

use crate::clock::Clock;
use crate::imports::report::{ImportError, Named};
use crate::model::{DUPLICATE, DigestKey, GONE, Review, Status, Unit};
use crate::storage::reviews::{
    self, Former, KnownReviews, Run, RunChange, RunReview, SourceVersion, UNDOABLE_DAYS_MAX,
    UNDOABLE_MAX,
};
use crate::storage::sync::pause_after_undo;
use crate::storage::{AtPath as _, Database, Write};

/// Reviews per batch.
const ROWS: i64 = 250;
/// Runs among which one is searched.
const RUNS_MAX: i64 = 1_000;

/// The outcome of an undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    pub run: Run,
    /// Added reviews that were removed.
    pub removed: u64,
    /// Restored reviews that are deleted again.
    pub deleted: u64,
    /// Changed reviews that have their former values again.
    pub given_back: u64,
    /// Of these, reviews that are published again.
    pub published: u64,
    /// Reviews that are left unchanged, each with the reason.
    pub left: Named,
    /// Reviews that were deleted since.
    pub gone: u64,
    /// Reviews that are withheld as duplicates of removed ones.
    pub duplicates: Named,
}

/// Undoes the import with the given number, or the last one; with `is_dry_run`, only counts.
///
/// # Errors
/// [`ImportError`]; then nothing was changed.
pub async fn undo(
    database: &Database,
    clock: &Clock,
    number: Option<i64>,
    is_dry_run: bool,
) -> Result<Undone, ImportError> {
    let path = database.path();
    let now = clock.now();
    let mut write = database.write_long(clock).await?;
    reviews::forget_runs(&mut write, now).await.at(path)?;
    let runs = reviews::last_runs(write.for_reading(), RUNS_MAX).await;
    let run = choose_run(runs.at(path)?, number).map_err(ImportError::Refused)?;
    let mut undone = Undone {
        run,
        removed: 0,
        deleted: 0,
        given_back: 0,
        published: 0,
        left: Named::default(),
        gone: 0,
        duplicates: Named::default(),
    };
    take_back(&mut write, &mut undone, now).await.at(path)?;
    if let Some(source) = &undone.run.sync_source {
        pause_after_undo(&mut write, source).await.at(path)?;
    }
    if is_dry_run {
        write.rollback().await
    } else {
        write.commit().await
    }
    .at(path)?;
    Ok(undone)
}

/// The run with this number, or the last one, if it can be undone; otherwise the reason.
fn choose_run(runs: Vec<Run>, number: Option<i64>) -> Result<Run, String> {
    // A scheduled fetch is undone only by its number.
    let by_hand = runs.iter().find(|run| !run.is_scheduled);
    let number = number.or(by_hand.map(|last| last.id));
    let number = number.ok_or("no import to undo; `reviews status` lists the imports")?;
    let standing = |run: &&Run| run.id < number && run.undone_at.is_none() && run.is_kept;
    let next = runs.iter().find(standing).map(|run| run.id);
    let run = runs.into_iter().find(|run| run.id == number);
    let run = run.ok_or_else(|| {
        format!("there is no import {number}; `reviews status` lists the imports")
    })?;
    if let Some(at) = &run.undone_at {
        let next = next.map(|next| format!("; `reviews undo {next}` undoes the one before"));
        return Err(format!(
            "import {number} was already undone at {at}{}",
            next.unwrap_or_default()
        ));
    }
    if !run.is_kept {
        return Err(format!(
            "import {number} can no longer be undone: former values are kept for the last {UNDOABLE_MAX} imports of a source, \
             at most {UNDOABLE_DAYS_MAX} days; `reviews restore FILE` restores a backup"
        ));
    }
    Ok(run)
}

async fn take_back(write: &mut Write, undone: &mut Undone, now: DateTime<Utc>) -> sqlx::Result<()> {
    let key = reviews::digest_key(write).await?;
    let run = undone.run.id;
    let mut last = String::new();
    loop {
        let rows = reviews::run_reviews(write.for_reading(), run, &last, ROWS).await?;
        let Some(end) = rows.last() else {
            break;
        };
        last.clone_from(&end.id);
        let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        let standing = reviews::standing(write.for_reading(), &ids).await?;
        let mut batch = Batch::default();
        for row in &rows {
            batch.add(row, &standing, &key, now, undone)?;
        }
        for id in reviews::duplicates_of(write.for_reading(), &batch.removed).await? {
            undone.duplicates.add(|| id);
        }
        reviews::remove_added(write, &batch.removed).await?;
        reviews::delete_all(write, &batch.deleted).await?;
        reviews::forget_deleted(write, &batch.unmarked).await?;
        reviews::upsert(write, &batch.reviews, now).await?;
        reviews::note_sources(write, &batch.sources).await?;
        reviews::forget_sources(write, &batch.sourceless).await?;
        reviews::forget_run_reviews(write, run, &batch.done).await?;
        write.end_group();
    }
    if undone.left.count == 0 {
        reviews::note_undone(write, run, now).await?;
    }
    Ok(())
}

/// What is done with some reviews.
#[derive(Default)]
struct Batch<'r> {
    removed: Vec<&'r str>,
    deleted: Vec<&'r str>,
    /// Ids that no longer count as deleted.
    unmarked: Vec<&'r str>,
    reviews: Vec<Review>,
    sources: Vec<SourceVersion>,
    /// Reviews that no source had given.
    sourceless: Vec<&'r str>,
    /// All that is undone, or gone.
    done: Vec<&'r str>,
}

impl<'r> Batch<'r> {
    fn add(
        &mut self,
        row: &'r RunReview,
        standing: &KnownReviews,
        key: &DigestKey,
        now: DateTime<Utc>,
        undone: &mut Undone,
    ) -> sqlx::Result<()> {
        let id = row.id.as_str();
        let review = standing.reviews.get(id);
        if !row.is_there {
            self.done.push(id);
            if row.change == RunChange::Deleted {
                self.unmarked.push(id);
            } else {
                undone.gone += 1;
            }
            return Ok(());
        }
        let is_changed = !row.is_untouched || row.later_run.is_some();
        if is_changed || row.change == RunChange::Deleted {
            undone
                .left
                .add(|| format!("{id} ({})", reason(row, standing, key)));
            return Ok(());
        }
        match (row.change, review, &row.former) {
            (RunChange::Added | RunChange::Deleted, _, _) => {
                self.removed.push(id);
                undone.removed += 1;
            }
            (RunChange::Restored, _, _) => {
                self.deleted.push(id);
                undone.deleted += 1;
            }
            (RunChange::Changed, Some(review), Some(former)) => {
                let before = former.review(review)?;
                if is_hidden_since(&before, review) {
                    undone.left.add(|| format!("{id} (its source hides it)"));
                    return Ok(());
                }
                self.give_back(id, before, review, former, now, undone);
            }
            (RunChange::Changed, _, _) => {
                undone
                    .left
                    .add(|| format!("{id} (its former values cannot be read)"));
                return Ok(());
            }
        }
        self.done.push(id);
        Ok(())
    }

    fn give_back(
        &mut self,
        id: &'r str,
        before: Review,
        review: &Review,
        former: &Former,
        now: DateTime<Utc>,
        undone: &mut Undone,
    ) {
        match &former.source {
            Some(source) => self.sources.push(source.clone()),
            None => self.sourceless.push(id),
        }
        let is_same = Review {
            updated_at: review.updated_at,
            ..before.clone()
        } == *review;
        if is_same {
            return;
        }
        undone.given_back += 1;
        let is_published = before.status == Status::Published && review.status != Status::Published;
        undone.published += u64::from(is_published);
        self.reviews.push(Review {
            updated_at: review.updated_at.max(Some(now)),
            ..before
        });
    }
}

/// Whether the source has hidden the review by the import, so that it must not be published again.
fn is_hidden_since(before: &Review, after: &Review) -> bool {
    let is_ours = [GONE, DUPLICATE]
        .iter()
        .any(|reason| after.status == Status::withheld(reason));
    before.status == Status::Published && after.status != Status::Published && !is_ours
}

/// Why a review is left.
fn reason(row: &RunReview, standing: &KnownReviews, key: &DigestKey) -> String {
    if let Some(later) = row.later_run {
        return format!("import {later} changed it since");
    }
    let id = row.id.as_str();
    let known = standing.reviews.get(id).zip(standing.sources.get(id));
    let decided: Vec<&str> = known.map_or_else(Vec::new, |(review, source)| {
        source
            .base
            .decisions(key, review)
            .iter()
            .map(Unit::name)
            .collect()
    });
    if decided.is_empty() {
        "changed since".to_owned()
    } else {
        format!("you changed {}", decided.join(", "))
    }
}
