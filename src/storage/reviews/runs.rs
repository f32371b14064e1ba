//! Imports as runs: what each added, restored or withheld, so that it can be undone.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::SqliteConnection;

use crate::model::named;
use crate::storage::text::utc_seconds;
use crate::storage::{Text, Write};

/// Number of runs whose counts are kept.
const RUNS_MAX: i64 = 100;
/// Number of runs whose changed reviews are kept; older runs cannot be undone.
pub const UNDOABLE_MAX: i64 = 20;

/// An applied import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// From 1, never reused.
    pub id: i64,
    /// RFC 3339 UTC.
    pub started_at: String,
    /// File names without folders.
    pub files: Vec<String>,
    pub counts: RunCounts,
    /// RFC 3339 UTC; `None` if it was not undone.
    pub undone_at: Option<String>,
}

/// Number of reviews by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// Reviews that did not exist before.
    pub added: i64,
    /// Existing reviews that differed.
    pub updated: i64,
    /// Existing reviews without a difference.
    pub unchanged: i64,
    /// Reviews withheld because their source no longer lists them.
    pub withdrawn: i64,
    pub rejected: i64,
}

named! {
    /// What a run did to a review, by its name in the database.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RunChange {
        /// The review did not exist before.
        Added = "added",
        /// The review was imported although the owner had deleted it.
        Restored = "restored",
        /// The review was withheld because its source no longer lists it.
        Withdrawn = "withdrawn",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunReview {
    pub id: String,
    pub change: RunChange,
    /// Whether the review exists now.
    pub is_there: bool,
    /// Whether it has not changed since.
    pub is_untouched: bool,
}

/// Begins a run; returns its number.
///
/// # Errors
/// When the database refuses the write.
pub async fn begin_run(
    write: &mut Write,
    now: DateTime<Utc>,
    files: &[String],
) -> sqlx::Result<i64> {
    let (at, files) = (utc_seconds(now), Value::from(files).to_string());
    let id = sqlx::query_scalar!(
        r#"insert into import_run (run_id, started_at, files) select 1 + coalesce(max(run_id), 0), ?, ? from import_run
           returning run_id as "id!: i64""#,
        at,
        files
    )
    .fetch_one(&mut *write)
    .await?;
    let (oldest, oldest_undoable) = (id - RUNS_MAX, id - UNDOABLE_MAX);
    sqlx::query!("delete from import_run where run_id <= ?", oldest)
        .execute(&mut *write)
        .await?;
    sqlx::query!(
        "delete from import_run_review where run_id <= ?",
        oldest_undoable
    )
    .execute(&mut *write)
    .await?;
    Ok(id)
}

/// Records the action of a run on these reviews, with their present change numbers.
///
/// # Errors
/// When the database refuses the write.
pub async fn note_run_reviews(
    write: &mut Write,
    run: i64,
    change: RunChange,
    ids: &[&str],
) -> sqlx::Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let (ids, kind) = (Value::from(ids).to_string(), change.name());
    sqlx::query!(
        "insert into import_run_review (run_id, review_id, kind, change_no)
         select ?1, c.review_id, ?2, c.change_no from json_each(?3) as i cross join review_change as c on c.review_id = i.value
         where true
         on conflict (run_id, review_id) do update set change_no = excluded.change_no",
        run,
        kind,
        ids
    )
    .execute(&mut *write)
    .await
    .map(drop)
}

/// # Errors
/// When the database refuses the write.
pub async fn end_run(write: &mut Write, run: i64, counts: RunCounts) -> sqlx::Result<()> {
    sqlx::query!(
        "update import_run set added = ?, updated = ?, unchanged = ?, withdrawn = ?, rejected = ? where run_id = ?",
        counts.added,
        counts.updated,
        counts.unchanged,
        counts.withdrawn,
        counts.rejected,
        run
    )
    .execute(&mut *write)
    .await
    .map(drop)
}

/// The last runs, newest first: as many as can be undone.
///
/// # Errors
/// When the database cannot be read.
pub async fn last_runs(connection: &mut SqliteConnection) -> sqlx::Result<Vec<Run>> {
    let rows = sqlx::query!(
        r#"select run_id as "id!: i64", started_at as "started_at: Text", files as "files: Text", added, updated, unchanged,
             withdrawn, rejected, undone_at as "undone_at: Text"
           from import_run order by run_id desc limit ?"#,
        UNDOABLE_MAX
    )
    .fetch_all(connection)
    .await?;
    let run = rows.into_iter().map(|row| Run {
        id: row.id,
        started_at: row.started_at.into(),
        // The table's check ensures an array.
        files: serde_json::from_str(row.files.as_ref()).unwrap_or_default(),
        counts: RunCounts {
            added: row.added,
            updated: row.updated,
            unchanged: row.unchanged,
            withdrawn: row.withdrawn,
            rejected: row.rejected,
        },
        undone_at: row.undone_at.map(String::from),
    });
    Ok(run.collect())
}

/// Up to `limit` reviews that a run changed, by id, after `after`.
///
/// # Errors
/// When the database cannot be read.
pub async fn run_reviews(
    connection: &mut SqliteConnection,
    run: i64,
    after: &str,
    limit: i64,
) -> sqlx::Result<Vec<RunReview>> {
    let rows = sqlx::query!(
        r#"select i.review_id as "id!: Text", i.kind as "kind!: Text", c.change_no is i.change_no as "is_untouched!: bool",
             exists (select 1 from review as r where r.review_id = i.review_id) as "is_there!: bool"
           from import_run_review as i left join review_change as c using (review_id)
           where i.run_id = ? and i.review_id > ? order by i.review_id limit ?"#,
        run,
        after,
        limit
    )
    .fetch_all(connection)
    .await?;
    let row = rows.into_iter().map(|row| RunReview {
        id: row.id.into(),
        // Another name can come only from a shell that switched the checks off.
        change: RunChange::find(row.kind.as_ref()).unwrap_or(RunChange::Added),
        is_there: row.is_there,
        is_untouched: row.is_untouched,
    });
    Ok(row.collect())
}

/// Removes reviews that a run added. They do not count as deleted, so an import may add them again.
///
/// # Errors
/// When the database refuses the write.
pub async fn remove_added(write: &mut Write, ids: &[&str]) -> sqlx::Result<()> {
    delete_all(write, ids).await?;
    let ids = Value::from(ids).to_string();
    sqlx::query!(
        "insert into undone_review (review_id) select value from json_each(?) where true on conflict do nothing",
        ids
    )
    .execute(&mut *write)
    .await
    .map(drop)
}

/// Deletes reviews; triggers delete dependent rows.
///
/// # Errors
/// When the database refuses the write.
pub async fn delete_all(write: &mut Write, ids: &[&str]) -> sqlx::Result<()> {
    let ids = Value::from(ids).to_string();
    sqlx::query!(
        "delete from review where review_id in (select value from json_each(?))",
        ids
    )
    .execute(&mut *write)
    .await
    .map(drop)
}

/// # Errors
/// When the database refuses the write.
pub async fn note_undone(write: &mut Write, run: i64, now: DateTime<Utc>) -> sqlx::Result<()> {
    let at = utc_seconds(now);
    sqlx::query!(
        "update import_run set undone_at = ? where run_id = ?",
        at,
        run
    )
    .execute(&mut *write)
    .await?;
    sqlx::query!("delete from import_run_review where run_id = ?", run)
        .execute(&mut *write)
        .await
        .map(drop)
}
