//! Undoes an import: removes the reviews that it added, and gives all others their former values and those of their
//! source, so that importing the files again does the same again. What has changed since is left unchanged, and so is
//! what its source hides.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use crate::clock::Clock;
use crate::imports::report::{ImportError, Named};
use crate::model::{DUPLICATE, GONE, Review, Status, Unit};
use crate::storage::formats::take_back_formats;
use crate::storage::reviews::{
    self, KnownReview, Run, RunChange, RunReview, SourceRecord, UNDOABLE_DAYS_MAX, UNDOABLE_MAX,
};
use crate::storage::sync::pause_after_undo;
use crate::storage::{AtPath as _, Database, Write};

/// Reviews per batch.
const ROWS: usize = 500;

/// The outcome of an undo of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    pub run: Run,
    /// Added reviews that were removed.
    pub removed: u64,
    /// Restored reviews that are deleted again.
    pub deleted: u64,
    /// Changed reviews that have their former values again.
    pub reverted: u64,
    /// Of these, reviews that are published again.
    pub published: u64,
    /// Reviews that are left unchanged, each with the reason.
    pub left: Named,
    /// Reviews that were deleted since.
    pub gone: u64,
    /// Reviews that are withheld as duplicates of removed ones.
    pub duplicates: Named,
}

/// Undoes the import with the given number, or the last one that was run by hand: of each source only the newest, unless `later`
/// ones are undone, too, newest first. With `is_dry_run`, only counts.
///
/// # Errors
/// [`ImportError`]; then nothing was changed.
pub async fn undo(
    database: &Database,
    clock: &Clock,
    number: Option<i64>,
    later: bool,
    is_dry_run: bool,
) -> Result<Vec<Undone>, ImportError> {
    let path = database.path();
    let now = clock.now();
    let mut write = database.write_as_owner().await?;
    reviews::forget_runs(&mut write, now).await.at(path)?;
    let runs = reviews::last_runs(write.for_reading(), reviews::RUNS_MAX).await;
    let chosen = choose_runs(&runs.at(path)?, number, later).map_err(ImportError::Refused)?;
    let mut all = Vec::new();
    for run in chosen {
        let mut undone = Undone {
            run,
            removed: 0,
            deleted: 0,
            reverted: 0,
            published: 0,
            left: Named::default(),
            gone: 0,
            duplicates: Named::default(),
        };
        take_back(&mut write, &mut undone, now).await.at(path)?;
        if let Some(source) = &undone.run.sync_source {
            pause_after_undo(&mut write, source).await.at(path)?;
        }
        all.push(undone);
    }
    if is_dry_run {
        write.rollback().await
    } else {
        write.commit().await
    }
    .at(path)?;
    Ok(all)
}

/// The run with this number, or the last one by hand, and the later runs of its sources, newest first. `runs` are all, newest
/// first.
///
/// # Errors
/// Why nothing can be undone: there is no such run, its former values are not kept any more, or a later one comes first.
fn choose_runs(runs: &[Run], number: Option<i64>, later: bool) -> Result<Vec<Run>, String> {
    // An import that changed nothing does not count.
    let counts = |run: &&Run| run.has_changes || run.undone_at.is_some() || !run.is_kept;
    let by_hand = runs.iter().filter(counts).find(|run| !run.is_scheduled);
    let number = number
        .or(by_hand.map(|last| last.id))
        .ok_or("no import to undo; `reviews status` lists the imports")?;
    let run = runs.iter().find(|run| run.id == number).ok_or_else(|| {
        format!("there is no import {number}; `reviews status` lists the imports")
    })?;
    if let Some(at) = &run.undone_at {
        let standing = |run: &&Run| run.id < number && run.undone_at.is_none() && run.is_kept;
        let next = runs.iter().find(standing).map(|run| run.id);
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
    // A later run of one of its sources may have others, too, whose own later runs come first then.
    let mut sources: BTreeSet<&String> = run.sources.iter().collect();
    let mut chosen = vec![run.id];
    while let Some(next) = runs.iter().find(|run| {
        let is_later = run.id > number && run.undone_at.is_none() && run.has_changes;
        is_later
            && !chosen.contains(&run.id)
            && run.sources.iter().any(|name| sources.contains(name))
    }) {
        if !later {
            return Err(format!(
                "import {} is a later one of {}, and of each source the newest is undone first; `reviews undo {}` undoes that one, \
                 `reviews undo {number} --later` all of them",
                next.id,
                next.sources.join(", "),
                next.id
            ));
        }
        chosen.push(next.id);
        sources.extend(&next.sources);
    }
    let chosen = runs.iter().filter(|run| chosen.contains(&run.id));
    Ok(chosen.cloned().collect())
}

async fn take_back(write: &mut Write, undone: &mut Undone, now: DateTime<Utc>) -> sqlx::Result<()> {
    let run = undone.run.id;
    take_back_formats(write, run).await?;
    let rows = reviews::run_reviews(write.for_reading(), run).await?;
    for rows in rows.chunks(ROWS) {
        let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        let standing = reviews::standing(write.for_reading(), &ids).await?;
        let mut batch = Batch::default();
        for row in rows {
            batch.add(row, standing.get(row.id.as_str()), undone)?;
        }
        batch.write(write, undone, now).await?;
    }
    if undone.left.count == 0 {
        reviews::note_undone(write, run, now).await?;
    }
    Ok(())
}

/// What an undo does with reviews of a run.
#[derive(Default)]
struct Batch<'r> {
    /// Reviews that are not left.
    done: Vec<&'r str>,
    removed: Vec<&'r str>,
    /// IDs that no longer count as deleted.
    unmarked: Vec<&'r str>,
    /// Restored reviews, which are deleted again.
    deleted: Vec<&'r str>,
    /// What identified deleted reviews before.
    kept: Vec<SourceRecord>,
    reverted: Vec<Review>,
    sources: Vec<SourceRecord>,
    /// Reviews that no source had given.
    sourceless: Vec<&'r str>,
}

impl<'r> Batch<'r> {
    /// `known` is what is stored of the review now.
    fn add(
        &mut self,
        row: &'r RunReview,
        known: Option<&KnownReview>,
        undone: &mut Undone,
    ) -> sqlx::Result<()> {
        let id = row.id.as_str();
        let former = row.former.as_ref();
        let mut source = former.and_then(|former| former.source.clone());
        if let Some(source) = &mut source
            && let Some(now) = known.filter(|known| known.is_deleted())
            && let Some(now) = &now.source
        {
            // Since then its source may have another name.
            source.source_name.clone_from(&now.source_name);
            source.location.clone_from(&now.location);
        }
        let known = known.filter(|known| !known.is_deleted());
        let is_left = |reason: String| format!("{id} ({reason})");
        match (row.change, known, former) {
            (RunChange::Deleted, None, _) => match source {
                Some(source) => self.kept.push(source),
                None => self.unmarked.push(id),
            },
            (_, None, _) => undone.gone += 1,
            (change, Some(known), _) if !row.is_untouched || change == RunChange::Deleted => {
                undone.left.add(|| is_left(reason(known)));
                return Ok(());
            }
            (RunChange::Added | RunChange::Deleted, ..) => self.removed.push(id),
            (RunChange::Restored, ..) => {
                self.deleted.push(id);
                self.kept.extend(source);
            }
            (RunChange::Changed, Some(known), former) => {
                let Some((review, former)) = known.review().zip(former) else {
                    undone
                        .left
                        .add(|| is_left("its former values cannot be read".to_owned()));
                    return Ok(());
                };
                let before = Review {
                    updated_at: review.updated_at,
                    ..former.review(review)?
                };
                if former.hides || is_hidden_since(&before, review) {
                    let hidden = if former.hides {
                        "its author's name or its answer"
                    } else {
                        "it"
                    };
                    undone
                        .left
                        .add(|| is_left(format!("its source hides {hidden}")));
                    return Ok(());
                }
                undone.published += u64::from(
                    before.status == Status::Published && review.status != Status::Published,
                );
                if before != *review {
                    self.reverted.push(before);
                }
                match source {
                    Some(source) => self.sources.push(source),
                    None => self.sourceless.push(id),
                }
            }
        }
        self.done.push(id);
        Ok(())
    }

    async fn write(
        mut self,
        write: &mut Write,
        undone: &mut Undone,
        now: DateTime<Utc>,
    ) -> sqlx::Result<()> {
        undone.removed += self.removed.len() as u64;
        undone.deleted += self.deleted.len() as u64;
        undone.reverted += self.reverted.len() as u64;
        let copies = reviews::copies_of(write.for_reading(), &self.removed).await?;
        let duplicate = Status::withheld(DUPLICATE);
        for copy in copies.into_iter().filter(|copy| copy.status == duplicate) {
            undone.duplicates.add(|| copy.id);
        }
        for review in &mut self.reverted {
            review.updated_at = review.updated_at.max(Some(now));
        }
        reviews::delete_all(write, &self.removed).await?;
        self.unmarked.extend(self.removed);
        reviews::forget_deleted(write, &self.unmarked).await?;
        reviews::delete_all(write, &self.deleted).await?;
        reviews::keep_deleted(write, &self.kept).await?;
        reviews::upsert(write, &self.reverted, now).await?;
        reviews::note_sources(write, &self.sources).await?;
        reviews::forget_sources(write, &self.sourceless).await?;
        reviews::forget_run_reviews(write, undone.run.id, &self.done).await?;
        write.end_group();
        Ok(())
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
fn reason(known: &KnownReview) -> String {
    let decided: Vec<&str> = known
        .decisions()
        .into_iter()
        .map(Unit::name)
        .filter(|_| known.source.is_some())
        .collect();
    if decided.is_empty() {
        "changed since".to_owned()
    } else {
        format!("you changed {}", decided.join(", "))
    }
}
