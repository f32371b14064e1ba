//! Merges the rows of an import with the stored reviews: loads what the database knows of them, merges in memory, and
//! writes the outcome. The merge itself is a pure function ([`outcome::merge_rows`]); its rules for one review are in
//! `model::merge`.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use chrono::{DateTime, Utc};
use thiserror::Error;

use crate::imports::file_error::ImportError;
use crate::imports::map::SOURCE_DEFAULT;
use crate::imports::merge::collector::{Row, source_name};
use crate::imports::report::Watcher;
use crate::imports::request::ImportRequest;
use crate::model::{DigestKey, Review, ReviewId};
use crate::storage::reviews::{
    self, AlikeReviews, DeletedReview, Former, RunChange, SourceVersion,
};
use crate::storage::{DbError, Write};
use outcome::{Change, Outcome};

pub(crate) mod collector;
mod copies;
mod identity;
pub(crate) mod outcome;
pub(crate) mod time_zone;
pub(crate) mod undo;

/// What the database knows of the reviews that an import may touch.
#[derive(Debug, Default)]
pub struct Known {
    pub reviews: HashMap<ReviewId, KnownReview>,
    /// Ids of reviews that the owner deleted, with what is kept of them.
    pub deleted: HashMap<ReviewId, Option<DeletedReview>>,
    /// The reviews with the fingerprints of the rows, by fingerprint.
    pub alike: HashMap<i64, Vec<AlikeReviews>>,
}

#[derive(Debug)]
pub struct KnownReview {
    /// Of a row that cannot be read: as its source states it now, with the owner's decisions.
    pub review: Review,
    /// `None` if no source gave it.
    pub source: Option<SourceVersion>,
    pub is_readable: bool,
}

/// How rows are merged.
pub struct Rules<'r> {
    pub key: DigestKey,
    pub now: DateTime<Utc>,
    pub request: &'r ImportRequest,
}

/// Errors of a merge; nothing was changed.
#[derive(Debug, Error)]
pub enum MergeError {
    /// The merge would exceed the request, or is ambiguous.
    #[error("{0}")]
    Refused(String),
    /// The database could not be read or written.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl MergeError {
    /// The import's error; `path` is the database.
    pub fn at(self, path: &Path) -> ImportError {
        match self {
            Self::Refused(reason) => ImportError::Refused(format!("{reason}; nothing was changed")),
            Self::Database(error) => DbError::at(path, error).into(),
        }
    }
}

/// Reviews per statement.
const BATCH: usize = 500;
/// Rows per transaction of a cluster.
const GROUP_MAX: usize = 5_000;

/// The sources of the rows.
pub fn source_names(rows: &[Row]) -> Vec<&str> {
    let names = rows
        .iter()
        .map(|row| source_name(&row.incoming).unwrap_or(SOURCE_DEFAULT));
    names.collect::<BTreeSet<&str>>().into_iter().collect()
}

/// Loads all reviews of the rows' sources, and those of other sources that have an id or the content of a row.
///
/// # Errors
/// When the database cannot be read.
pub async fn load(
    write: &mut Write,
    rows: &[Row],
    deleted: &[ReviewId],
    fingerprints: &[i64],
) -> sqlx::Result<Known> {
    let mut known = Known::default();
    let reader = write.for_reading();
    for (review, source) in reviews::of_sources(reader, &source_names(rows)).await? {
        let id = review.id.clone();
        let source = Some(source);
        known.reviews.insert(
            id,
            KnownReview {
                review,
                source,
                is_readable: true,
            },
        );
    }
    for kept in reviews::deleted_reviews(reader).await? {
        known.deleted.insert(kept.id.clone(), Some(kept));
    }
    let unknown = |id: &&ReviewId, known: &Known| !known.reviews.contains_key(*id);
    let ids: BTreeSet<&ReviewId> = rows.iter().map(|row| &row.id).chain(deleted).collect();
    let ids: Vec<&ReviewId> = ids.into_iter().filter(|id| unknown(id, &known)).collect();
    load_ids(write, rows, &ids, &mut known).await?;
    let taken = rows
        .iter()
        .filter(|row| known.reviews.contains_key(&row.id) || known.deleted.contains_key(&row.id));
    let prefixed = taken.flat_map(|row| {
        let source = source_name(&row.incoming).unwrap_or(SOURCE_DEFAULT);
        (1..=3).filter_map(move |number| identity::prefixed(source, number, &row.id))
    });
    let prefixed: BTreeSet<ReviewId> = prefixed.collect();
    let prefixed: Vec<&ReviewId> = prefixed.iter().filter(|id| unknown(id, &known)).collect();
    load_ids(write, rows, &prefixed, &mut known).await?;
    let distinct: BTreeSet<i64> = fingerprints.iter().copied().collect();
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

/// Adds what is known of these ids.
async fn load_ids(
    write: &mut Write,
    rows: &[Row],
    ids: &[&ReviewId],
    known: &mut Known,
) -> sqlx::Result<()> {
    for batch in ids.chunks(BATCH) {
        let list: Vec<&str> = batch.iter().map(|id| id.as_str()).collect();
        let mut found = reviews::standing(write.for_reading(), &list).await?;
        for (id, review) in found.reviews {
            let source = found.sources.remove(&id);
            known.reviews.insert(
                review.id.clone(),
                KnownReview {
                    review,
                    source,
                    is_readable: true,
                },
            );
        }
        for id in found.deleted.iter().filter_map(|id| id.parse().ok()) {
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
            let Some(row) = rows.iter().rev().find(|row| row.id.as_str() == id) else {
                continue;
            };
            let said = row.incoming.clone().statement(row.id.clone()).review;
            let known_review = KnownReview {
                review: Review {
                    response,
                    status,
                    ..said
                },
                source: found.sources.remove(&id),
                is_readable: false,
            };
            known.reviews.insert(row.id.clone(), known_review);
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
            let note =
                |change: &'_ Change| (change.source.id.clone(), change.kind, change.former.clone());
            let notes: Vec<(ReviewId, RunChange, Option<Former>)> =
                batch.iter().map(note).collect();
            let notes: Vec<_> = notes
                .iter()
                .map(|(id, kind, former)| (id.as_str(), *kind, former.as_ref()))
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
