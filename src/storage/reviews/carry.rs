//! Repeats deletions and withholdings that are newer than a backup in the restored database.

use chrono::{DateTime, Utc};
use sqlx::SqliteConnection;

use super::read::newest_change;
use super::runs::delete_all;
use super::source::{SourceRow, ids_present, note_deleted, note_sources, standing};
use super::write::upsert;
use crate::model::Unit;
use crate::model::{Review, Status};
use crate::storage::{Text, Write};

/// Reviews per batch.
const ROWS: i64 = 250;

/// Counts of the changes that were repeated in a restored backup.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Carried {
    /// Reviews in the backup that were deleted since.
    pub deleted: u64,
    /// Reviews that were withheld since, and withheld reviews that the backup lacks.
    pub withheld: u64,
}

/// Repeats the deletions and withholdings of `former` in the restored database, and continues change numbers above
/// those of both. The sources' digests are copied if both use the same key (`has_same_key`).
///
/// # Errors
/// When one cannot be read, or the other refuses a write.
pub async fn carry_over(
    former: &mut SqliteConnection,
    write: &mut Write,
    has_same_key: bool,
    now: DateTime<Utc>,
) -> sqlx::Result<Carried> {
    let highest = newest_change(former).await?;
    let carried = Carried {
        deleted: deletions(former, write).await?,
        withheld: withholdings(former, write, has_same_key, now).await?,
    };
    // A row without a review, like the one that remains of a sample.
    sqlx::query!(
        "insert into review_change (review_id, change_no)
         select '', 1 + max(?, (select coalesce(max(change_no), 0) from review_change)) where true
         on conflict (review_id) do update set change_no = excluded.change_no",
        highest
    )
    .execute(&mut **write)
    .await?;
    Ok(carried)
}

async fn deletions(former: &mut SqliteConnection, write: &mut Write) -> sqlx::Result<u64> {
    let (mut last, mut count) = (String::new(), 0);
    loop {
        let ids = sqlx::query_scalar!(
            r#"select c.review_id as "id: Text" from review_change as c where c.review_id > ?
                 and not exists (select 1 from review as r where r.review_id = c.review_id)
                 and not exists (select 1 from undone_review as u where u.review_id = c.review_id)
               order by c.review_id limit ?"#,
            last,
            ROWS
        )
        .fetch_all(&mut *former)
        .await?;
        let ids: Vec<&str> = ids.iter().map(AsRef::as_ref).collect();
        let Some(end) = ids.last() else {
            return Ok(count);
        };
        last = (*end).to_owned();
        count += ids_present(write, &ids).await?.len() as u64;
        delete_all(write, &ids).await?;
        note_deleted(write, &ids).await?;
    }
}

async fn withholdings(
    former: &mut SqliteConnection,
    write: &mut Write,
    has_same_key: bool,
    now: DateTime<Utc>,
) -> sqlx::Result<u64> {
    let (mut last, mut count) = (String::new(), 0);
    loop {
        let ids = sqlx::query_scalar!(
            r#"select review_id as "id: Text" from review where status = 'withheld' and review_id > ? order by review_id limit ?"#,
            last,
            ROWS
        )
        .fetch_all(&mut *former)
        .await?;
        let ids: Vec<&str> = ids.iter().map(AsRef::as_ref).collect();
        let Some(end) = ids.last() else {
            return Ok(count);
        };
        last = (*end).to_owned();
        let (theirs, mut ours) = (standing(former, &ids).await?, standing(write, &ids).await?);
        let (mut reviews, mut sources): (Vec<Review>, Vec<SourceRow>) = (Vec::new(), Vec::new());
        for (id, its) in theirs.reviews {
            let source = theirs.sources.get(&id).filter(|_| has_same_key);
            let Some(review) = ours.reviews.remove(&id) else {
                sources.extend(source.cloned());
                reviews.push(its);
                count += 1;
                continue;
            };
            if review.status == its.status {
                continue;
            }
            count += u64::from(review.status == Status::Published);
            if let (Some(source), Some(mut row)) = (source, ours.sources.remove(&id))
                && let Some(said) = source.base.get(Unit::Status)
            {
                // The digest shows later whether the owner or the source withheld the review.
                row.base.set(Unit::Status, said);
                sources.push(row);
            }
            reviews.push(Review {
                status: its.status,
                updated_at: review.updated_at.max(Some(now)),
                ..review
            });
        }
        upsert(write, &reviews, now).await?;
        note_sources(write, &sources).await?;
    }
}
