//! `--withdraw-missing`: withholds reviews that their source no longer lists; the merge publishes them again when they
//! come back. A large share must be confirmed, because a truncated file would otherwise hide most of a business's
//! reviews.

use std::collections::HashSet;

use thiserror::Error;

use crate::imports::merge::Merging;
use crate::model::{GONE, Review, Status, Unit};
use crate::storage::imports::{SourceLocation, Staging};
use crate::storage::reviews::{self, RunChange, SourceVersion};

/// Percentage of a source's reviews above which `--yes` is required.
const SHARE_PERCENT_MAX: u64 = 10;
/// Reviews per batch.
const ROWS: i64 = 500;

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

/// Withholds reviews that the sources and locations of this import no longer list; `is_confirmed` allows a large share.
pub async fn missing(
    merging: &mut Merging<'_>,
    staging: &mut Staging,
    is_confirmed: bool,
) -> Result<(), MergeError> {
    let refused = |reason| Err(MergeError::Refused(format!("--withdraw-missing: {reason}")));
    let rejected = merging.report.rejected;
    if rejected > 0 {
        return refused(format!(
            "{rejected} rows were rejected, and their reviews would count as missing; correct them first"
        ));
    }
    let undecided = merging.report.undecided.count;
    if undecided > 0 {
        return refused(format!(
            "{undecided} rows may each be one of several reviews, which would count as missing; import without this option first"
        ));
    }
    for place in staging.places().await? {
        let (present, missing) = count(merging, staging, &place).await?;
        if missing * 100 > (present + missing) * SHARE_PERCENT_MAX && !is_confirmed {
            let (source, location) = &place;
            let location = location.as_ref().map(|name| format!(" of {name}"));
            return refused(format!(
                "{missing} of {} reviews that {source}{} gave are missing, more than {SHARE_PERCENT_MAX} %; check that the file \
                 is complete, and add --yes to withhold them",
                present + missing,
                location.unwrap_or_default()
            ));
        }
        let mut last = String::new();
        while let Some(page) = page(merging, &place, &mut last).await? {
            merging.write.end_group();
            let gone = absent(staging, page).await?;
            withdraw(merging, gone).await?;
        }
    }
    Ok(())
}

async fn page(
    merging: &mut Merging<'_>,
    (source, location): &SourceLocation,
    last: &mut String,
) -> sqlx::Result<Option<Vec<SourceVersion>>> {
    let rows = reviews::sources_at(merging.write, source, location.as_deref(), last, ROWS).await?;
    let Some(end) = rows.last() else {
        return Ok(None);
    };
    *last = end.id.to_string();
    Ok(Some(rows))
}

/// The rows whose reviews are missing from this import.
async fn absent(
    staging: &mut Staging,
    mut rows: Vec<SourceVersion>,
) -> sqlx::Result<Vec<SourceVersion>> {
    let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    let known: HashSet<String> = staging.known(&ids).await?;
    rows.retain(|row| !known.contains(row.id.as_str()));
    Ok(rows)
}

/// The numbers of published reviews of the source that are in this import and that are missing from it.
async fn count(
    merging: &mut Merging<'_>,
    staging: &mut Staging,
    place: &SourceLocation,
) -> sqlx::Result<(u64, u64)> {
    let (mut all, mut missing, mut last) = (0, 0, String::new());
    while let Some(rows) = page(merging, place, &mut last).await? {
        all += published(merging, &rows).await?.len() as u64;
        let gone = absent(staging, rows).await?;
        missing += published(merging, &gone).await?.len() as u64;
    }
    Ok((all - missing, missing))
}

async fn published(merging: &mut Merging<'_>, rows: &[SourceVersion]) -> sqlx::Result<Vec<Review>> {
    let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    let published = reviews::published(merging.write, &ids).await?.into_iter();
    Ok(published.map(|numbered| numbered.review).collect())
}

/// Withholds these reviews, except those that the owner published although the source hides them.
async fn withdraw(merging: &mut Merging<'_>, mut rows: Vec<SourceVersion>) -> sqlx::Result<()> {
    let mut reviews = published(merging, &rows).await?;
    for review in &mut reviews {
        let Some(row) = rows.iter_mut().find(|row| row.id == review.id) else {
            continue;
        };
        let gone = Review {
            status: Status::withheld(GONE),
            ..review.clone()
        };
        let before = merging.key.digest(Unit::Status, review);
        let after = merging.key.digest(Unit::Status, &gone);
        let base = row.base.get(Unit::Status);
        let is_own = base.is_some_and(|base| base != before);
        row.base.set(Unit::Status, after);
        if is_own {
            let kept = &mut merging.report.kept_edited;
            kept.add(|| format!("{} status", review.id));
        } else {
            *review = Review {
                updated_at: review.updated_at.max(Some(merging.now)),
                ..gone
            };
            merging.report.withdrawn.add(|| review.id.to_string());
        }
    }
    reviews.retain(|review| review.status != Status::Published);
    rows.retain(|row| reviews.iter().any(|review| review.id == row.id));
    if reviews.is_empty() {
        return Ok(());
    }
    reviews::upsert(merging.write, &reviews, merging.now).await?;
    if let Some(run) = merging.run {
        let ids: Vec<&str> = reviews.iter().map(|review| review.id.as_str()).collect();
        reviews::note_run_reviews(merging.write, run, RunChange::Withdrawn, &ids).await?;
    }
    reviews::note_sources(merging.write, &rows).await
}
