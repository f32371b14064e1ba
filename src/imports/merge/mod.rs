//! Merges the rows of an import with the stored reviews. `collector` gathers the rows, `identity` finds their reviews, and
//! `outcome` merges, both as pure functions; here the result is written. The rules for one
//! review are in `model::merge`.

use std::path::Path;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use crate::imports::merge::outcome::{Change, Outcome};
use crate::imports::report::{ImportError, MergeError, Watcher};
use crate::model::{Day, Review, Unit};
use crate::storage::reviews::{self, ReviewState, RunChange, SourceRecord};
use crate::storage::{self, DbError, Write};

pub(crate) mod identity;
pub(crate) mod outcome;
pub(crate) mod rename;
pub(crate) mod undo;

/// Reviews per statement.
const BATCH: usize = 500;
/// Rows per transaction, if many nodes share the database.
const GROUP_MAX: usize = 5_000;

impl MergeError {
    /// The import's error; `path` is the database.
    pub fn at(self, path: &Path) -> ImportError {
        match self {
            Self::Refused(reason) => ImportError::Refused(format!("{reason}; nothing was changed")),
            Self::Stopped => ImportError::Stopped,
            Self::Database(error) => DbError::at(path, error).into(),
        }
    }
}

/// Writes the outcome of a merge; `run` is the run, for a later undo, and `None` for a sample.
///
/// # Errors
/// When the database refuses the write, or the import is to stop.
pub async fn apply(
    write: &mut Write,
    outcome: Outcome,
    run: Option<i64>,
    now: DateTime<Utc>,
    watch: Watcher<'_>,
) -> Result<(), MergeError> {
    let of = outcome.changes.len();
    let (mut done, mut in_group) = (0, 0);
    let mut changes = outcome.changes.into_iter();
    loop {
        let batch: Vec<Change> = changes.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        if watch.is_stopped() {
            return Err(MergeError::Stopped);
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
        let (mut reviews, mut sources, mut deleted) = (Vec::new(), Vec::new(), Vec::new());
        let mut notes = Vec::new();
        for change in batch {
            notes.extend(change.note.map(|note| (change.source.id.clone(), note)));
            reviews.extend(change.review);
            if change.kind == RunChange::Deleted {
                deleted.push(change.source);
            } else if !change.source.says_nothing() {
                sources.push(change.source);
            }
        }
        if !reviews.is_empty() {
            reviews::upsert(write, &reviews, now).await?;
        }
        reviews::note_sources(write, &sources).await?;
        reviews::keep_deleted(write, &deleted).await?;
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
        let kept = outcome.deleted.iter().filter_map(|(_, kept)| kept.clone());
        reviews::keep_deleted(write, &kept.collect::<Vec<_>>()).await?;
    }
    Ok(())
}

// Instants from sources become days in the business's time zone. If the zone changes, these days move, except those that the owner set.

/// Records that the business is in `zone`; returns the number of reviews whose day changed.
///
/// # Errors
/// When the database refuses the write.
pub async fn follow_zone(write: &mut Write, zone: Tz, now: DateTime<Utc>) -> sqlx::Result<u64> {
    if storage::business::note_time_zone(write, zone)
        .await?
        .is_none()
    {
        return Ok(0);
    }
    let (mut changed, mut sources) = (Vec::new(), Vec::new());
    for known in reviews::load_known(write.for_reading())
        .await?
        .into_values()
    {
        let (ReviewState::There(review), Some(mut source)) = (known.state, known.source) else {
            continue;
        };
        if source.posted_at.or(source.responded_at).is_none() {
            continue;
        }
        let after = moved_to(zone, &mut source, &review);
        if after != review {
            changed.push(Review {
                updated_at: after.updated_at.max(Some(now)),
                ..after
            });
        }
        sources.push(source);
    }
    reviews::update_undecided(write, &changed, &sources, now).await?;
    Ok(changed.len() as u64)
}

/// The review with its days in `zone`; what its source said follows, so that the next import agrees.
fn moved_to(zone: Tz, record: &mut SourceRecord, review: &Review) -> Review {
    let day = |at: DateTime<Utc>| Day::new(at.with_timezone(&zone).date_naive());
    let mut said = record.said();
    let mut after = review.clone();
    if let Some(day) = record.posted_at.and_then(day) {
        let is_owner_s = said.is_decided(Unit::Date, review);
        after.date = day;
        said.set(Unit::Date, &after);
        if is_owner_s {
            after.date = review.date;
        }
    }
    if let Some(day) = record.responded_at.and_then(day)
        && !said.is_decided(Unit::Response, review)
        && let Some(response) = &mut after.response
    {
        response.date = Some(day);
        said.set(Unit::Response, &after);
    }
    record.set_said(&said);
    after
}
