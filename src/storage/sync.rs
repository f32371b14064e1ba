//! The sources that are fetched on a schedule, what their runs brought, and requests for a run.

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
    pub whole_count: Option<i64>,
    pub whole_format: Option<String>,
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
             whole_count, whole_format as "whole_format!: NullableText", etag as "etag!: NullableText",
             last_modified as "last_modified!: NullableText"
           from sync_source order by name"#
    )
    .fetch_all(connection)
    .await
}

/// Stores a new source, or the new definition of one, which is no longer paused. What runs by another definition brought is
/// forgotten, because it may be of another place; what happens to missing reviews says nothing about the place.
pub async fn save_sync_source(write: &mut Write, source: &SyncSource) -> sqlx::Result<()> {
    execute!(
        write,
        "delete from sync_review where name = ?1
           and exists (select 1 from sync_source as s where s.name = ?1
             and (s.url <> ?2 or json_remove(s.options, '$.withdraw_missing') <> json_remove(?3, '$.withdraw_missing')))",
        source.name,
        source.url,
        source.options
    )?;
    execute!(
        write,
        "insert into sync_source (name, url, schedule, options) values (?, ?, ?, ?)
         on conflict (name) do update set url = excluded.url, schedule = excluded.schedule, options = excluded.options, paused = 0,
           etag = null, last_modified = null,
           whole_count = iif(exists (select 1 from sync_review as r where r.name = excluded.name), whole_count, null),
           whole_format = iif(exists (select 1 from sync_review as r where r.name = excluded.name), whole_format, null)",
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
/// about its source: the next one is compared with the reviews that the source had before, and its fetch is unconditional.
pub async fn pause_after_undo(write: &mut Write, name: &str) -> sqlx::Result<()> {
    execute!(
        write,
        "delete from sync_review where name = ? and review_id not in (select review_id from review)",
        name
    )?;
    execute!(
        write,
        "update sync_review set missing = missing - 1 where name = ? and missing > 0",
        name
    )?;
    execute!(
        write,
        "update sync_source set paused = 1, etag = null, last_modified = null, whole_format = null,
           whole_count = (select count(*) from sync_review as r where r.name = ?1 and r.missing = 0)
         where name = ?1",
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
    pub outcome: &'static str,
    pub count: i64,
    pub doubtful: i64,
    /// The number of its import, if it changed something.
    pub run: Option<i64>,
    pub is_whole: bool,
    /// The name of the answer's format, if it has rows.
    pub format: Option<String>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub next_run_at: DateTime<Utc>,
}

pub async fn note_sync_success(
    write: &mut Write,
    name: &str,
    now: DateTime<Utc>,
    success: &SyncSuccess,
) -> sqlx::Result<()> {
    let (at, next) = (utc_seconds(now), utc_seconds(success.next_run_at));
    execute!(
        write,
        "update sync_source set last_success_at = ?2, last_outcome = ?3, last_count = ?4, last_run = coalesce(?5, last_run),
           last_doubtful = ?11, next_run_at = ?6, whole_count = iif(?7, ?4, whole_count), whole_format = iif(?7, coalesce(?8, whole_format), whole_format),
           etag = iif(?7, ?9, etag), last_modified = iif(?7, ?10, last_modified)
         where name = ?1",
        name,
        at,
        success.outcome,
        success.count,
        success.run,
        next,
        success.is_whole,
        success.format,
        success.etag,
        success.last_modified,
        success.doubtful
    )
}

pub async fn note_sync_failure(
    write: &mut Write,
    name: &str,
    now: DateTime<Utc>,
    reason: &str,
    next_run_at: DateTime<Utc>,
) -> sqlx::Result<()> {
    let (at, next) = (utc_seconds(now), utc_seconds(next_run_at));
    execute!(
        write,
        "update sync_source set last_failure_at = ?2, last_failure = ?3, last_outcome = 'failure', next_run_at = ?4 where name = ?1",
        name,
        at,
        reason,
        next
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

/// Records that a run brought the reviews `ids`; if it was whole, counts it for those of the source that it lacks. One that a
/// doubtful row may be, of `doubted`, is neither brought nor lacking.
pub async fn note_brought(
    write: &mut Write,
    name: &str,
    ids: &[&str],
    doubted: &[&str],
    is_whole: bool,
) -> sqlx::Result<()> {
    let ids = Value::from(ids).to_string();
    let doubted = Value::from(doubted).to_string();
    execute!(
        write,
        "insert into sync_review (name, review_id) select ?1, value from json_each(?2) where true
         on conflict (name, review_id) do update set missing = 0 where missing > 0",
        name,
        ids
    )?;
    execute!(
        write,
        "update sync_review set missing = iif(review_id in (select value from json_each(?3)), 0, missing + ?4)
         where name = ?1 and review_id not in (select value from json_each(?2))",
        name,
        ids,
        doubted,
        is_whole
    )
}

/// Counts another whole run, with the same answer as the last one, for the reviews that it lacks.
pub async fn note_same_answer(write: &mut Write, name: &str) -> sqlx::Result<()> {
    execute!(
        write,
        "update sync_review set missing = missing + 1 where name = ? and missing > 0",
        name
    )
}

/// The published reviews that at least `runs` whole runs in a row lacked, and that no other source has.
pub async fn missing_reviews(
    connection: &mut SqliteConnection,
    name: &str,
    runs: i64,
) -> sqlx::Result<Vec<ReviewId>> {
    let ids = sqlx::query_scalar!(
        r#"select review_id as "id: Text" from sync_review as s join review using (review_id)
           where name = ? and missing >= ? and status = 'published'
             and not exists (select 1 from sync_review as o where o.review_id = s.review_id and o.name <> s.name and o.missing = 0)
           order by review_id"#,
        name,
        runs
    )
    .fetch_all(connection)
    .await?;
    Ok(ids
        .iter()
        .filter_map(|id| id.as_ref().parse().ok())
        .collect())
}

// Requests for a run.

/// A request that waits for its run; a new one has no id yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncRequest {
    pub id: i64,
    pub name: String,
    /// Whether the run is taken as it is.
    pub accepted: bool,
    pub accepts_changes: bool,
    /// Values of `--doubtful`.
    pub doubtful: Vec<String>,
}

pub async fn add_sync_request(
    write: &mut Write,
    request: &SyncRequest,
    now: DateTime<Utc>,
) -> sqlx::Result<i64> {
    let at = utc_seconds(now);
    let doubtful = Value::from(request.doubtful.as_slice()).to_string();
    sqlx::query_scalar!(
        r#"insert into sync_request (name, requested_at, accepted, accepts_changes, doubtful) values (?, ?, ?, ?, ?)
           returning request_id as "id!: i64""#,
        request.name,
        at,
        request.accepted,
        request.accepts_changes,
        doubtful
    )
    .fetch_one(write)
    .await
}

/// The requests since `since` whose run has not ended, in their order.
pub async fn sync_requests(
    connection: &mut SqliteConnection,
    since: DateTime<Utc>,
) -> sqlx::Result<Vec<SyncRequest>> {
    let since = utc_seconds(since);
    sqlx::query_as!(
        SyncRequest,
        r#"select request_id as "id!: i64", name as "name: Text", accepted as "accepted: bool",
             accepts_changes as "accepts_changes: bool", doubtful as "doubtful: Text" from sync_request
           where exit_code is null and requested_at >= ? order by request_id"#,
        since
    )
    .fetch_all(connection)
    .await
}

pub async fn answer_sync_request(
    write: &mut Write,
    id: i64,
    exit_code: u8,
    report: &str,
) -> sqlx::Result<()> {
    execute!(
        write,
        "update sync_request set exit_code = ?, report = ? where request_id = ?",
        exit_code,
        report,
        id
    )
}

/// The exit code and the report of a request whose run has ended.
pub async fn sync_answer(
    connection: &mut SqliteConnection,
    id: i64,
) -> sqlx::Result<Option<(i64, String)>> {
    let row = sqlx::query!(
        r#"select exit_code as "code!: i64", coalesce(report, '') as "report!: Text" from sync_request
           where request_id = ? and exit_code is not null"#,
        id
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| (row.code, row.report.into())))
}

/// Removes a request, and those from before `before`, whose commands are gone.
pub async fn remove_sync_request(
    write: &mut Write,
    id: i64,
    before: DateTime<Utc>,
) -> sqlx::Result<()> {
    let before = utc_seconds(before);
    execute!(
        write,
        "delete from sync_request where request_id = ? or requested_at < ?",
        id,
        before
    )
}
