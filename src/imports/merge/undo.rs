//! Undoes an import: removes the reviews that it added, and publishes those that it withheld as gone at the source.
//! Reviews that have changed since are left unchanged.

use chrono::{DateTime, Utc};

use crate::clock::Clock;
use crate::imports::file_error::ImportError;
use crate::imports::report::Named;
use crate::model::{DigestKey, GONE, Review, Status, Unit};
use crate::storage::reviews::{self, Run, RunChange, RunReview, SourceVersion, UNDOABLE_MAX};
use crate::storage::{AtPath as _, Database, Write};

/// Reviews per batch.
const ROWS: i64 = 250;

/// The outcome of an undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    pub run: Run,
    /// Added reviews that were removed.
    pub removed: u64,
    /// Restored reviews that are deleted again.
    pub deleted: u64,
    /// Withheld reviews that are published again.
    pub published: u64,
    /// Reviews that have changed since and are left unchanged, each with the units that the owner changed.
    pub left: Named,
    /// Added reviews that were deleted since.
    pub gone: u64,
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
    let runs = reviews::last_runs(write.for_reading()).await;
    let run = chosen(runs.at(path)?, number).map_err(ImportError::Refused)?;
    let mut undone = Undone {
        run,
        removed: 0,
        deleted: 0,
        published: 0,
        left: Named::default(),
        gone: 0,
    };
    let taken_back = take_back(&mut write, &mut undone, now).await;
    taken_back.at(path)?;
    if is_dry_run {
        write.rollback().await
    } else {
        write.commit().await
    }
    .at(path)?;
    Ok(undone)
}

/// The run with this number, or the last one, if it can be undone; otherwise the reason.
fn chosen(runs: Vec<Run>, number: Option<i64>) -> Result<Run, String> {
    let number = number.or(runs.first().map(|last| last.id));
    let number = number.ok_or("no import to undo; `reviews status` lists the imports")?;
    let standing = |run: &&Run| run.id < number && run.undone_at.is_none();
    let next = runs.iter().find(standing).map(|run| run.id);
    let run = runs.into_iter().find(|run| run.id == number);
    let run = run.ok_or_else(|| {
        format!(
            "import {number} cannot be undone, only one of the last {UNDOABLE_MAX}; `reviews status` lists the imports"
        )
    })?;
    let Some(at) = &run.undone_at else {
        return Ok(run);
    };
    let next = next.map(|next| format!("; `reviews undo {next}` undoes the one before"));
    Err(format!(
        "import {number} was already undone at {at}{}",
        next.unwrap_or_default()
    ))
}

async fn take_back(write: &mut Write, undone: &mut Undone, now: DateTime<Utc>) -> sqlx::Result<()> {
    let key = reviews::digest_key(write).await?;
    let mut last = String::new();
    loop {
        let rows = reviews::run_reviews(write.for_reading(), undone.run.id, &last, ROWS).await?;
        let Some(end) = rows.last() else {
            break;
        };
        last.clone_from(&end.id);
        let ids_of = |change| -> Vec<&str> {
            let its = |row: &&RunReview| row.change == change && row.is_there && row.is_untouched;
            rows.iter().filter(its).map(|row| row.id.as_str()).collect()
        };
        let (added, restored) = (ids_of(RunChange::Added), ids_of(RunChange::Restored));
        reviews::remove_added(write, &added).await?;
        reviews::delete_all(write, &restored).await?;
        undone.removed += added.len() as u64;
        undone.deleted += restored.len() as u64;
        undone.published += publish(write, &key, &ids_of(RunChange::Withdrawn), now).await?;
        undone.gone += rows.iter().filter(|row| !row.is_there).count() as u64;
        leave(write, &key, &rows, &mut undone.left).await?;
        write.end_group();
    }
    reviews::note_undone(write, undone.run.id, now).await
}

/// Publishes reviews that were withheld as gone at their source; returns their number.
async fn publish(
    write: &mut Write,
    key: &DigestKey,
    ids: &[&str],
    now: DateTime<Utc>,
) -> sqlx::Result<u64> {
    if ids.is_empty() {
        return Ok(0);
    }
    let standing = reviews::standing(write.for_reading(), ids).await?;
    let mut sources = standing.sources;
    let (mut reviews, mut rows): (Vec<Review>, Vec<SourceVersion>) = (Vec::new(), Vec::new());
    for review in standing.reviews.into_values() {
        if review.status != Status::withheld(GONE) {
            continue;
        }
        let review = Review {
            status: Status::Published,
            updated_at: review.updated_at.max(Some(now)),
            ..review
        };
        if let Some(mut row) = sources.remove(review.id.as_str()) {
            let published = key.digest(Unit::Status, &review);
            row.base.set(Unit::Status, published);
            rows.push(row);
        }
        reviews.push(review);
    }
    reviews::upsert(write, &reviews, now).await?;
    reviews::note_sources(write, &rows).await?;
    Ok(reviews.len() as u64)
}

/// Lists the reviews that have changed since, each with the units that the owner changed.
async fn leave(
    write: &mut Write,
    key: &DigestKey,
    rows: &[RunReview],
    left: &mut Named,
) -> sqlx::Result<()> {
    let touched = rows.iter().filter(|row| row.is_there && !row.is_untouched);
    let ids: Vec<&str> = touched.map(|row| row.id.as_str()).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let standing = reviews::standing(write.for_reading(), &ids).await?;
    for id in ids {
        let its = standing.reviews.get(id).zip(standing.sources.get(id));
        let decided: Vec<&str> = its.map_or_else(Vec::new, |(review, source)| {
            let decided = source.base.decisions(key, review);
            decided.iter().map(Unit::name).collect()
        });
        left.add(|| match decided.as_slice() {
            [] => format!("{id} (changed since)"),
            units => format!("{id} (you changed {})", units.join(", ")),
        });
    }
    Ok(())
}
