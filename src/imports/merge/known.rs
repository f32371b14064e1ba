//! What the database knows of the reviews that the rows of an import may be, loaded before the merge.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};

use crate::imports::map::{SOURCE_DEFAULT, values};
use crate::imports::merge::collector::Row;
use crate::imports::request::ImportRequest;
use crate::model::{DigestKey, Review, ReviewId};
use crate::storage::Write;
use crate::storage::reviews::{self, AlikeReviews, DeletedReview, SourceVersion};

/// Ids per query.
const BATCH: usize = 500;
/// The same of the reviews of a source.
const ROWS: i64 = 500;
/// Maximum number of sources whose names are equal in an id, such as `Angi` and `angi`.
pub const PREFIXES_MAX: u32 = 3;

/// What the database knows of the reviews that an import may touch.
#[derive(Debug, Default)]
pub struct Known {
    pub reviews: HashMap<ReviewId, KnownReview>,
    /// Ids of reviews that the owner deleted, with what is kept of them.
    pub deleted: HashMap<ReviewId, Option<DeletedReview>>,
    /// Of the rows, in their order: digests that copies of a review share.
    pub fingerprints: Vec<i64>,
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

impl Known {
    /// Adds reviews with their sources' versions; returns the versions of reviews that cannot be read.
    fn add(
        &mut self,
        reviews: HashMap<String, Review>,
        mut sources: HashMap<String, SourceVersion>,
    ) -> HashMap<String, SourceVersion> {
        for (id, review) in reviews {
            let known = KnownReview {
                source: sources.remove(&id),
                review,
                is_readable: true,
            };
            self.reviews.insert(known.review.id.clone(), known);
        }
        sources
    }

    /// Whether the row's id is that of a review from another source or location.
    fn is_taken_elsewhere(&self, row: &Row) -> bool {
        let review = self.reviews.get(row.id());
        let deleted = self.deleted.get(row.id());
        review.is_some_and(|review| !is_of_place(row, review))
            || deleted.is_some_and(|review| {
                review
                    .as_ref()
                    .is_none_or(|review| !is_deleted_of_place(row, review))
            })
    }
}

/// Whether the review is of the row's source and location, as far as both are known.
pub fn is_of_place(row: &Row, known: &KnownReview) -> bool {
    let location = row.incoming.location.as_deref();
    match (&known.source, row.incoming.source_name()) {
        (Some(source), Some(name)) => is_place(
            &source.source_name,
            source.location.as_deref(),
            name,
            location,
        ),
        // A review by hand that names no source may be of any.
        (None, Some(name)) => {
            let own = &known.review.source.name;
            own == name || own == SOURCE_DEFAULT
        }
        (_, None) => true,
    }
}

pub fn is_deleted_of_place(row: &Row, deleted: &DeletedReview) -> bool {
    let location = row.incoming.location.as_deref();
    let name = row.incoming.source_name();
    name.is_none_or(|name| {
        is_place(
            &deleted.source_name,
            deleted.location.as_deref(),
            name,
            location,
        )
    })
}

/// A source that gives no location may mean any of its locations.
fn is_place(source: &str, location: Option<&str>, name: &str, of: Option<&str>) -> bool {
    source == name && location.zip(of).is_none_or(|(one, other)| one == other)
}

/// How rows are merged.
pub struct Rules<'r> {
    pub key: DigestKey,
    pub now: DateTime<Utc>,
    pub request: &'r ImportRequest,
}

/// The sources of the rows.
pub fn source_names(rows: &[Row]) -> Vec<&str> {
    let names = rows
        .iter()
        .map(|row| row.incoming.source_name().unwrap_or(SOURCE_DEFAULT));
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
    key: &DigestKey,
) -> sqlx::Result<Known> {
    let fingerprint = |row: &Row| {
        let review = &row.incoming.statement.review;
        key.fingerprint(&review.author, review.date, review.rating, &review.text)
    };
    let mut known = Known {
        fingerprints: rows.iter().map(fingerprint).collect(),
        ..Known::default()
    };
    load_sources(write, &source_names(rows), &mut known).await?;
    for kept in reviews::deleted_reviews(write.for_reading()).await? {
        known.deleted.insert(kept.id.clone(), Some(kept));
    }
    let unknown = |id: &&ReviewId, known: &Known| !known.reviews.contains_key(*id);
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
    let mut sources: HashMap<&ReviewId, Option<&str>> = HashMap::new();
    let mut taken: Vec<&Row> = Vec::new();
    for row in rows {
        let source = row.incoming.source_name();
        let is_other = *sources.entry(row.id()).or_insert(source) != source;
        if is_other || known.is_taken_elsewhere(row) {
            taken.push(row);
        }
    }
    let prefixed = taken.into_iter().flat_map(|row| {
        let source = row.incoming.source_name().unwrap_or(SOURCE_DEFAULT);
        (1..=PREFIXES_MAX).filter_map(move |number| prefixed_id(source, number, row.id()))
    });
    let prefixed: BTreeSet<ReviewId> = prefixed.collect();
    let prefixed: Vec<&ReviewId> = prefixed.iter().filter(|id| unknown(id, &known)).collect();
    load_ids(write, rows, &prefixed, &mut known).await?;
    let distinct: BTreeSet<i64> = known.fingerprints.iter().copied().collect();
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

/// An id that the ids of `source` have in front where a review of another source has the id.
pub fn prefixed_id(source: &str, number: u32, id: &ReviewId) -> Option<ReviewId> {
    let letters = source
        .chars()
        .map(|letter| match letter.to_ascii_lowercase() {
            letter @ ('a'..='z' | '0'..='9') => letter,
            _ => '-',
        });
    let name: String = letters.collect();
    let name = name.trim_matches('-');
    let name = if name.is_empty() { "source" } else { name };
    let number = if number == 1 {
        String::new()
    } else {
        format!("-{number}")
    };
    values::of_platform(&format!("{name}{number}"), id.as_str()).ok()
}
