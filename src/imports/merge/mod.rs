//! Merges the rows of an import with the stored reviews. `collector` gathers the rows, `identity` finds their reviews, and
//! `outcome` merges as a pure function; here the stored reviews are loaded, and the result is written. The rules for one
//! review are in `model::merge`.

pub(crate) mod collector;
pub(crate) mod identity;
pub(crate) mod outcome;
pub(crate) mod rename;
pub(crate) mod time_zone;
pub(crate) mod undo;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use chrono::{DateTime, Utc};

use crate::imports::merge::collector::{DeletedRow, Row};
use crate::imports::merge::identity::{
    Known, KnownReview, PREFIXES_MAX, Rules, prefixed_id, source_names,
};
use crate::imports::merge::outcome::{Change, Outcome, withdrawal};
use crate::imports::report::{ImportError, MergeError, Watcher};
use crate::model::{Fingerprints, Review, ReviewId};
use crate::storage::reviews::{self, RunChange};
use crate::storage::{DbError, Write};

/// Reviews per statement.
const BATCH: usize = 500;
/// The same of the reviews of a source.
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

/// Loads all reviews of the rows' sources, and those of other sources that have an id or the content of a row.
///
/// # Errors
/// When the database cannot be read.
pub async fn load(write: &mut Write, rows: &[Row], deleted: &[DeletedRow]) -> sqlx::Result<Known> {
    let fingerprints = rows.iter().map(|row| Fingerprints::new(row.review()));
    let mut known = Known {
        fingerprints: fingerprints.collect(),
        ..Known::default()
    };
    load_sources(write, &source_names(rows), &mut known).await?;
    for kept in reviews::deleted_reviews(write.for_reading()).await? {
        known.deleted.insert(kept.id.clone(), Some(kept));
    }
    let unknown = |id: &&ReviewId, known: &Known| !known.reviews.contains_key(*id);
    let deleted = deleted.iter().map(|row| &row.id);
    let ids: BTreeSet<&ReviewId> = rows.iter().map(Row::id).chain(deleted).collect();
    let ids: Vec<&ReviewId> = ids.into_iter().filter(|id| unknown(id, &known)).collect();
    load_ids(write, rows, &ids, &mut known).await?;
    // A row that states no source may be of the source of a stored review.
    let unstated = rows
        .iter()
        .filter(|row| row.incoming.source_name().is_none());
    let stored = unstated.filter_map(|row| known.reviews.get(row.id())?.source.as_ref());
    let stored: BTreeSet<String> = stored.map(|source| source.source_name.clone()).collect();
    let stored: Vec<&str> = stored.iter().map(String::as_str).collect();
    load_sources(write, &stored, &mut known).await?;
    // An id that another source has, in the database or in these files, gets the source in front.
    let mut sources: HashMap<&ReviewId, Option<&str>> = HashMap::new();
    let mut prefixed: BTreeSet<ReviewId> = BTreeSet::new();
    for row in rows {
        let source = row.incoming.source_name();
        let is_other = *sources.entry(row.id()).or_insert(source) != source;
        if is_other || known.is_taken_elsewhere(row) {
            let ids = (1..=PREFIXES_MAX).filter_map(|n| prefixed_id(row.source(), n, row.id()));
            prefixed.extend(ids);
        }
    }
    let prefixed: Vec<&ReviewId> = prefixed.iter().filter(|id| unknown(id, &known)).collect();
    load_ids(write, rows, &prefixed, &mut known).await?;
    let distinct: BTreeSet<i64> = known.fingerprints.iter().map(|one| one.content).collect();
    let distinct: Vec<i64> = distinct.into_iter().collect();
    for batch in distinct.chunks(BATCH) {
        for alike in reviews::alike(write.for_reading(), batch).await? {
            known
                .alike
                .entry(alike.fingerprint)
                .or_default()
                .push(alike);
        }
    }
    Ok(known)
}

/// Adds all reviews of these sources, in batches, because all at once would need their memory twice.
async fn load_sources(write: &mut Write, names: &[&str], known: &mut Known) -> sqlx::Result<()> {
    for name in names {
        let mut last = String::new();
        loop {
            let reader = write.for_reading();
            let ids = reviews::ids_of_source(reader, name, None, &last, ROWS).await?;
            let Some(end) = ids.last() else {
                break;
            };
            last.clone_from(end);
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            let found = reviews::standing(write.for_reading(), &ids).await?;
            known.add(found.reviews, found.sources);
        }
    }
    Ok(())
}

/// Adds what is known of these ids.
async fn load_ids(
    write: &mut Write,
    rows: &[Row],
    ids: &[&ReviewId],
    known: &mut Known,
) -> sqlx::Result<()> {
    for batch in ids.chunks(BATCH) {
        let list: Vec<&str> = batch.iter().map(|id| id.as_str()).collect();
        let found = reviews::standing(write.for_reading(), &list).await?;
        let deleted = found.deleted;
        let mut sources = known.add(found.reviews, found.sources);
        for id in deleted.iter().filter_map(|id| id.parse().ok()) {
            known.deleted.entry(id).or_default();
        }
        let is_missing = |id: &&&ReviewId| {
            !known.reviews.contains_key(**id) && !known.deleted.contains_key(**id)
        };
        let missing: Vec<&str> = batch
            .iter()
            .filter(is_missing)
            .map(|id| id.as_str())
            .collect();
        let broken = reviews::stored_decisions(write.for_reading(), &missing).await?;
        for (id, (status, response)) in broken {
            let Some(row) = rows.iter().rev().find(|row| row.id().as_str() == id) else {
                continue;
            };
            let known_review = KnownReview {
                review: Review {
                    response,
                    status,
                    ..row.incoming.statement.review.clone()
                },
                source: sources.remove(&id),
                is_readable: false,
            };
            known.reviews.insert(row.id().clone(), known_review);
        }
    }
    Ok(())
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
    let deleted: Vec<&str> = outcome.deleted.iter().map(|row| row.id.as_str()).collect();
    if let Some(run) = run {
        let notes: Vec<_> = deleted
            .iter()
            .map(|id| (*id, RunChange::Deleted, None))
            .collect();
        reviews::note_run_reviews(write, run, &notes).await?;
    }
    if !deleted.is_empty() {
        reviews::note_deleted(write, &deleted).await?;
        let kept: Vec<_> = outcome
            .deleted
            .iter()
            .filter_map(|row| row.kept.clone())
            .collect();
        reviews::keep_deleted(write, &kept).await?;
    }
    Ok(())
}
