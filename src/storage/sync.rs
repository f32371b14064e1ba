//! The sources that are fetched on a schedule, and what their runs brought.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::SqliteConnection;

use super::text::{NullableText, Text, utc_seconds};
use super::write::Write;
use crate::model::ReviewId;

/// A source as its row says it; a shell may have written anything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyncSource {
    pub name: String,
    /// A URL, or a path below `REVIEWS_SYNC_FILES`.
    pub url: String,
    pub schedule: String,
    /// As JSON.
    pub options: String,
    pub paused: bool,
    /// RFC 3339.
    pub next_run_at: Option<String>,
    /// RFC 3339.
    pub last_success_at: Option<String>,
    /// RFC 3339.
    pub last_failure_at: Option<String>,
    pub last_failure: Option<String>,
    pub last_outcome: Option<String>,
    pub last_count: Option<i64>,
    pub last_doubtful: i64,
    pub last_run: Option<i64>,
    pub last_format: Option<String>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
}

impl SyncSource {
    /// Whether both are the same source, fetched and read in the same way.
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.name, &self.url, &self.schedule, &self.options)
            == (&other.name, &other.url, &other.schedule, &other.options)
    }
}

/// All sources by name.
pub async fn sync_sources(connection: &mut SqliteConnection) -> sqlx::Result<Vec<SyncSource>> {
    sqlx::query_as!(
        SyncSource,
        r#"select name as "name: Text", url as "url: Text", schedule as "schedule: Text", options as "options: Text",
             paused as "paused: bool", next_run_at as "next_run_at!: NullableText",
             last_success_at as "last_success_at!: NullableText", last_failure_at as "last_failure_at!: NullableText",
             last_failure as "last_failure!: NullableText", last_outcome as "last_outcome!: NullableText", last_count, last_doubtful, last_run,
             last_format as "last_format!: NullableText", etag as "etag!: NullableText",
             last_modified as "last_modified!: NullableText"
           from sync_source order by name"#
    )
    .fetch_all(connection)
    .await
}

/// Stores a new source, or the new definition of one, which is no longer paused.
pub async fn save_sync_source(write: &mut Write, source: &SyncSource) -> sqlx::Result<()> {
    execute!(
        write,
        "insert into sync_source (name, url, schedule, options) values (?, ?, ?, ?)
         on conflict (name) do update set url = excluded.url, schedule = excluded.schedule, options = excluded.options, paused = 0,
           etag = null, last_modified = null",
        source.name,
        source.url,
        source.schedule,
        source.options
    )
}

/// Removes a source. Its reviews stay.
pub async fn remove_sync_source(write: &mut Write, name: &str) -> sqlx::Result<()> {
    execute!(write, "delete from sync_review where name = ?", name)?;
    execute!(write, "delete from sync_source where name = ?", name)
}

pub async fn pause_sync_source(write: &mut Write, name: &str, paused: bool) -> sqlx::Result<()> {
    execute!(
        write,
        "update sync_source set paused = ? where name = ?",
        paused,
        name
    )
}

/// Sets the next run of a source.
pub async fn set_next_run(write: &mut Write, name: &str, at: DateTime<Utc>) -> sqlx::Result<()> {
    let at = utc_seconds(at);
    execute!(
        write,
        "update sync_source set next_run_at = ? where name = ?",
        at,
        name
    )
}

/// Pauses the source of an undone run: its next run would bring back what was removed. Takes back what the run recorded
/// about its source: the next fetch is unconditional.
pub async fn pause_after_undo(write: &mut Write, name: &str) -> sqlx::Result<()> {
    execute!(
        write,
        "delete from sync_review where name = ? and review_id not in (select review_id from review)",
        name
    )?;
    execute!(
        write,
        "update sync_source set paused = 1, etag = null, last_modified = null, last_format = null where name = ?",
        name
    )
}

/// Forgets the validators of all answers, so that each is read again: what their columns mean has changed.
pub async fn forget_answers(write: &mut Write) -> sqlx::Result<()> {
    execute!(
        write,
        "update sync_source set etag = null, last_modified = null"
    )
}

// What a run records.

/// A run that imported its answer.
#[derive(Debug, Clone, Default)]
pub struct SyncSuccess {
    pub count: i64,
    pub doubtful: i64,
    /// The number of its import, if it changed something.
    pub run: Option<i64>,
    /// The name of the answer's format, if it has rows.
    pub format: Option<String>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
}

pub async fn note_sync_success(
    write: &mut Write,
    name: &str,
    now: DateTime<Utc>,
    success: &SyncSuccess,
) -> sqlx::Result<()> {
    let at = utc_seconds(now);
    execute!(
        write,
        "update sync_source set last_success_at = ?2, last_outcome = 'success', last_count = ?3, last_run = coalesce(?4, last_run),
           last_doubtful = ?5, last_format = coalesce(?6, last_format), etag = ?7, last_modified = ?8
         where name = ?1",
        name,
        at,
        success.count,
        success.run,
        success.doubtful,
        success.format,
        success.etag,
        success.last_modified
    )
}

pub async fn note_sync_failure(
    write: &mut Write,
    name: &str,
    now: DateTime<Utc>,
    reason: &str,
) -> sqlx::Result<()> {
    let at = utc_seconds(now);
    execute!(
        write,
        "update sync_source set last_failure_at = ?2, last_failure = ?3, last_outcome = 'failure' where name = ?1",
        name,
        at,
        reason
    )
}

/// Names the source of a run, which can be undone like any other; one without rows may withhold reviews.
pub async fn note_source_of_run(
    write: &mut Write,
    run: i64,
    name: &str,
    is_scheduled: bool,
) -> sqlx::Result<()> {
    let files = Value::from([format!("sync {name}")].as_slice()).to_string();
    execute!(
        write,
        "update import_run set sync_source = ?1, scheduled = ?2, files = ?3, is_kept = 1,
           sources = (select json_group_array(value) from (select value from json_each(sources) union
             select source_name from review_source join sync_review using (review_id) where name = ?1))
         where run_id = ?4",
        name,
        is_scheduled,
        files,
        run
    )
}

// The reviews that runs of a source brought.

/// All reviews that runs of a source brought, also as it was defined before.
pub async fn brought_reviews(
    connection: &mut SqliteConnection,
    name: &str,
) -> sqlx::Result<HashSet<ReviewId>> {
    let ids = sqlx::query_scalar!(
        r#"select review_id as "id: Text" from sync_review where name = ?"#,
        name
    )
    .fetch_all(connection)
    .await?;
    Ok(parse_ids(&ids))
}

/// Records that a run brought the reviews `ids`.
pub async fn note_brought(write: &mut Write, name: &str, ids: &[&str]) -> sqlx::Result<()> {
    let ids = Value::from(ids).to_string();
    execute!(
        write,
        "insert into sync_review (name, review_id) select ?1, value from json_each(?2) where true on conflict do nothing",
        name,
        ids
    )
}

/// The valid IDs among `texts`.
fn parse_ids<C: FromIterator<ReviewId>>(texts: &[Text]) -> C {
    let ids = texts.iter().map(|text| text.as_ref().parse());
    ids.filter_map(Result::ok).collect()
}
