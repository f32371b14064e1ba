//! Finds rows without an id that only complete a review that is there: a table that was imported without its column of texts,
//! and comes again with it, has other digests and the same reviews (`docs/IMPORT.md`). Such a row is staged under the id of
//! that review, so that the merge knows nothing of it. Before anything is merged, because whether a review is meant by one
//! row or by two shows only when all are read.

use std::collections::{HashMap, HashSet};

use super::merging::Merging;
use super::spool::{Staged, StagedReview};
use super::store::Staging;
use crate::model::{DigestKey, Review, Statement, Unit};
use crate::storage::reviews;
use crate::storage::reviews::SourceRow;

/// How many reviews with one fingerprint are looked at.
const CANDIDATES_MAX: i64 = 16;

/// Stages rows that complete reviews under the ids of these, and leaves out those of which that cannot be told.
pub(super) async fn find(merging: &mut Merging<'_>, staging: &mut Staging) -> sqlx::Result<()> {
    if !reviews::has_sources(merging.write).await? {
        return Ok(());
    }
    let mut last = String::new();
    loop {
        let ids = staging.made_ids_after(&last).await?;
        let Some(end) = ids.last() else {
            break;
        };
        last.clone_from(end);
        let list: Vec<&str> = ids.iter().map(String::as_str).collect();
        let present = reviews::present(merging.write, &list).await?;
        let mut new: Vec<&str> = list
            .into_iter()
            .filter(|id| !present.contains(*id))
            .collect();
        let deleted = reviews::standing(merging.write, &new).await?.deleted;
        while !new.is_empty() {
            let rows = staging.rows_of(&new).await?;
            new.drain(..rows.len().max(1));
            batch(merging, staging, rows, &deleted).await?;
        }
    }
    let undecided = &mut merging.report.undecided;
    let look = |id, completed| {
        undecided.add(|| format!("{id} may be {completed}, as another row may"));
    };
    staging.leave_out_contested(look).await?;
    last.clear();
    loop {
        let ids = staging.completing_ids_after(&last).await?;
        let Some(end) = ids.last() else {
            break;
        };
        last.clone_from(end);
        // If the owner deletes the review, its row must not bring it back under this id.
        let list: Vec<&str> = ids.iter().map(String::as_str).collect();
        reviews::note_deleted(merging.write, &list).await?;
        merging.write.end_group();
    }
    staging.rename_completing().await
}

async fn batch(
    merging: &mut Merging<'_>,
    staging: &mut Staging,
    rows: Vec<Staged>,
    deleted: &HashSet<String>,
) -> sqlx::Result<()> {
    let rows: Vec<Box<StagedReview>> = rows
        .into_iter()
        .filter_map(|staged| match staged {
            Staged::Review(review) => Some(review),
            Staged::Deleted(_) => None,
        })
        .collect();
    let candidates = candidates(merging, &rows).await?;
    let mut ids: Vec<&str> = candidates.iter().flatten().map(String::as_str).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() {
        return Ok(());
    }
    // What the files give by itself is not completed by another row of them.
    let given = staging.known(&ids).await?;
    ids.retain(|id| !given.contains(*id));
    let standing = reviews::standing(merging.write, &ids).await?;
    let (mut completing, mut undecided) = (Vec::new(), Vec::new());
    for (row, candidates) in rows.iter().zip(&candidates) {
        let id = row.said.review.id.as_str();
        let is_deleted = deleted.contains(id);
        let mut meant = candidates.iter().filter(|candidate| {
            let there = standing.reviews.get(*candidate);
            let source = standing.sources.get(*candidate);
            there.zip(source).is_some_and(|(there, source)| {
                completes(&merging.key, row, is_deleted, there, source)
            })
        });
        match (meant.next(), meant.next()) {
            (None, _) => {}
            (Some(only), None) => completing.push((id.to_owned(), only.clone())),
            (Some(one), Some(other)) => {
                let name = || format!("{id} may be {one} or {other}");
                merging.report.undecided.add(name);
                undecided.push(id);
            }
        }
    }
    staging.leave_out(&undecided).await?;
    staging.complete(&completing).await
}

/// For each row the ids of the reviews of its source that have its author, day, rating, and its text or none.
async fn candidates(
    merging: &mut Merging<'_>,
    rows: &[Box<StagedReview>],
) -> sqlx::Result<Vec<Vec<String>>> {
    let mut places: HashMap<(i64, &str), usize> = HashMap::new();
    let mut wanted = Vec::new();
    let mut of_rows = Vec::with_capacity(rows.len());
    for row in rows {
        let review = &row.said.review;
        let textless = Review {
            text: String::new(),
            ..review.clone()
        };
        let fingerprints = [
            merging.key.fingerprint(review),
            merging.key.fingerprint(&textless),
        ];
        of_rows.push(fingerprints.map(|fingerprint| {
            let key = (fingerprint, row.source_name());
            *places.entry(key).or_insert_with(|| {
                wanted.push(key);
                wanted.len() - 1
            })
        }));
    }
    let found = reviews::given_alike(merging.write, &wanted, CANDIDATES_MAX).await?;
    let of_row = |[with_text, without]: [usize; 2]| {
        let mut ids = found.get(with_text).cloned().unwrap_or_default();
        if without != with_text {
            ids.extend(found.get(without).into_iter().flatten().cloned());
        }
        ids
    };
    Ok(of_rows.into_iter().map(of_row).collect())
}

/// Whether the row says of the review that is there what its source said before, or what the review has nothing of. One whose
/// id is that of a deleted review fills no words: they would be the deleted ones.
fn completes(
    key: &DigestKey,
    row: &StagedReview,
    is_deleted: bool,
    there: &Review,
    source: &SourceRow,
) -> bool {
    let Statement { review, unsaid, .. } = &row.said;
    let said = Review {
        id: there.id.clone(),
        ..review.clone()
    };
    let fits = |unit: Unit| {
        let (its, ours, last) = (
            key.digest(unit, &said),
            key.digest(unit, there),
            source.base.get(unit),
        );
        let is_untouched = last.is_none_or(|last| last == ours);
        let may_fill = !is_deleted || !matches!(unit, Unit::Title | Unit::Text);
        unsaid.has(unit)
            || its == ours
            || last == Some(its)
            || (is_untouched && may_fill && adds(unit, there, &said))
    };
    let is_elsewhere = source
        .location
        .as_ref()
        .zip(row.location.as_ref())
        .is_some_and(|(one, other)| one != other);
    !is_elsewhere
        && Unit::ALL
            .into_iter()
            .filter(|unit| !matches!(unit, Unit::Status | Unit::Verification))
            .all(fits)
}

/// Whether the unit of `there` has only parts that `said` has as well.
fn adds(unit: Unit, there: &Review, said: &Review) -> bool {
    fn part<T: PartialEq>(there: Option<&T>, said: Option<&T>) -> bool {
        there.is_none() || there == said
    }
    match (unit, &there.response, &said.response) {
        (Unit::Source, _, _) => {
            there.source.name == said.source.name
                && part(there.source.url.as_ref(), said.source.url.as_ref())
        }
        (Unit::Response, Some(there), Some(said)) => {
            there.text == said.text
                && part(there.date.as_ref(), said.date.as_ref())
                && part(there.author.as_ref(), said.author.as_ref())
        }
        (Unit::Mentions, _, _) => {
            let list = |there: &[String], said: &[String]| there.is_empty() || there == said;
            let (there, said) = (&there.mentions, &said.mentions);
            list(&there.technicians, &said.technicians)
                && list(&there.services, &said.services)
                && list(&there.service_areas, &said.service_areas)
        }
        _ => unit.is_unset(there),
    }
}
