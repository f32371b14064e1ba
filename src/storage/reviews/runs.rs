//! Imports as runs: what each added, brought back or withheld, so that it can be taken back.

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::Value;
use sqlx::SqliteConnection;

use crate::storage::{Text, Write};

/// Of how many runs what they came to is kept.
const RUNS_MAX: i64 = 100;
/// Of how many runs it is kept which reviews they changed; older ones cannot be taken back.
pub const UNDOABLE_MAX: i64 = 20;

/// An import that was applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Its number, from 1, never used again.
    pub id: i64,
    /// When it began, RFC 3339 UTC.
    pub started_at: String,
    /// The names of its files, without their folders.
    pub files: Vec<String>,
    /// What it came to.
    pub counts: RunCounts,
    /// When it was taken back, RFC 3339 UTC.
    pub undone_at: Option<String>,
}

/// How many reviews a run changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// That were not there before.
    pub added: i64,
    /// That were there and differed.
    pub updated: i64,
    /// That were there just so.
    pub unchanged: i64,
    /// That were withheld as gone at their source.
    pub withdrawn: i64,
    /// Rows that were rejected.
    pub rejected: i64,
}

/// What a run did to a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunChange {
    /// It was not there before.
    Added,
    /// The owner had deleted it.
    Restored,
    /// It was withheld as gone at its source.
    Withdrawn,
}

impl RunChange {
    /// Its name in the database.
    const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Restored => "restored",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// A review that a run changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunReview {
    /// Its id.
    pub id: String,
    /// What the run did.
    pub change: RunChange,
    /// Whether the review is there now.
    pub is_there: bool,
    /// Whether nobody has changed it since.
    pub is_untouched: bool,
}

/// Begins a run; its number.
///
/// # Errors
/// When the database refuses it.
pub async fn begin_run(
    write: &mut Write,
    now: DateTime<Utc>,
    files: &[String],
) -> sqlx::Result<i64> {
    let (at, files) = (utc(now), Value::from(files).to_string());
    let id = sqlx::query_scalar!(
        r#"insert into import_run (run_id, started_at, files) select 1 + coalesce(max(run_id), 0), ?, ? from import_run
           returning run_id as "id!: i64""#,
        at,
        files
    )
    .fetch_one(&mut **write)
    .await?;
    let (oldest, oldest_undoable) = (id - RUNS_MAX, id - UNDOABLE_MAX);
    sqlx::query!("delete from import_run where run_id <= ?", oldest)
        .execute(&mut **write)
        .await?;
    sqlx::query!(
        "delete from import_run_review where run_id <= ?",
        oldest_undoable
    )
    .execute(&mut **write)
    .await?;
    Ok(id)
}

/// Notes what a run did to these reviews, as they are now.
///
/// # Errors
/// When the database refuses it.
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
    .execute(&mut **write)
    .await
    .map(drop)
}

/// Notes what a run came to.
///
/// # Errors
/// When the database refuses it.
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
    .execute(&mut **write)
    .await
    .map(drop)
}

/// The last runs, the newest first, at most `limit` of them.
///
/// # Errors
/// When the database cannot be read.
pub async fn last_runs(connection: &mut SqliteConnection, limit: i64) -> sqlx::Result<Vec<Run>> {
    let rows = sqlx::query!(
        r#"select run_id as "id!: i64", started_at as "started_at: Text", files as "files: Text", added, updated, unchanged,
             withdrawn, rejected, undone_at as "undone_at: Text"
           from import_run order by run_id desc limit ?"#,
        limit
    )
    .fetch_all(connection)
    .await?;
    let run = rows.into_iter().map(|row| Run {
        id: row.id,
        started_at: row.started_at.into(),
        // The table's check says that it is an array.
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

/// The reviews that a run changed, by id, up to `limit` of them after `after`.
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
        change: match row.kind.as_ref() {
            "withdrawn" => RunChange::Withdrawn,
            "restored" => RunChange::Restored,
            _ => RunChange::Added,
        },
        is_there: row.is_there,
        is_untouched: row.is_untouched,
    });
    Ok(row.collect())
}

/// Removes reviews that a run added: they count as deleted by nobody, so an import may bring them again.
///
/// # Errors
/// When the database refuses it.
pub async fn remove_added(write: &mut Write, ids: &[&str]) -> sqlx::Result<()> {
    delete_all(write, ids).await?;
    let ids = Value::from(ids).to_string();
    sqlx::query!(
        "insert into undone_review (review_id) select value from json_each(?) where true on conflict do nothing",
        ids
    )
    .execute(&mut **write)
    .await
    .map(drop)
}

/// Deletes reviews; triggers take with them what hangs on them.
///
/// # Errors
/// When the database refuses it.
pub async fn delete_all(write: &mut Write, ids: &[&str]) -> sqlx::Result<()> {
    let ids = Value::from(ids).to_string();
    sqlx::query!(
        "delete from review where review_id in (select value from json_each(?))",
        ids
    )
    .execute(&mut **write)
    .await
    .map(drop)
}

/// Notes that a run was taken back.
///
/// # Errors
/// When the database refuses it.
pub async fn note_undone(write: &mut Write, run: i64, now: DateTime<Utc>) -> sqlx::Result<()> {
    let at = utc(now);
    sqlx::query!(
        "update import_run set undone_at = ? where run_id = ?",
        at,
        run
    )
    .execute(&mut **write)
    .await?;
    sqlx::query!("delete from import_run_review where run_id = ?", run)
        .execute(&mut **write)
        .await
        .map(drop)
}

fn utc(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}
