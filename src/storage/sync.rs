//! What runs of the entries of the sync file left, and which reviews they stated.

use std::collections::{BTreeMap, HashSet};

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::SqliteConnection;

use super::text::{NullableText, Text, review_ids, utc_seconds};
use super::write::Write;
use crate::model::ReviewId;

/// What is stored of an entry; a shell may have written anything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyncState {
    pub name: String,
    /// RFC 3339.
    pub next_run_at: Option<String>,
    /// RFC 3339.
    pub waits_until: Option<String>,
    /// RFC 3339.
    pub last_success_at: Option<String>,
    pub last_failure: Option<String>,
    pub entry_digest: Option<String>,
    pub is_held: bool,
    pub source: Option<String>,
    pub last_format: Option<String>,
    pub last_doubtful: i64,
    pub has_further_page: bool,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub reading_digest: Option<String>,
    pub total: Option<i64>,
    pub total_on: Option<String>,
    /// Public reviews that its newest run lacks.
    pub gone: i64,
}

/// All states by the name of the entry.
pub async fn sync_states(
    connection: &mut SqliteConnection,
) -> sqlx::Result<BTreeMap<String, SyncState>> {
    let states = sqlx::query_as!(
        SyncState,
        r#"select name as "name: Text", next_run_at as "next_run_at!: NullableText", waits_until as "waits_until!: NullableText",
             last_success_at as "last_success_at!: NullableText", last_failure as "last_failure!: NullableText",
             entry_digest as "entry_digest!: NullableText", held as "is_held!: bool", source as "source!: NullableText",
             last_format as "last_format!: NullableText", last_doubtful, has_further_page as "has_further_page!: bool",
             etag as "etag!: NullableText", last_modified as "last_modified!: NullableText",
             reading_digest as "reading_digest!: NullableText", total, total_on as "total_on!: NullableText",
             (select count(*) from review_source as s join review as r using (review_id)
              where s.entry = sync_state.name and s.is_gone and r.status = 'published') as "gone!: i64"
           from sync_state order by name"#
    )
    .fetch_all(connection)
    .await?;
    let named = states.into_iter().map(|state| (state.name.clone(), state));
    Ok(named.collect())
}

/// Sets the next run of an entry, and until when its server asked to wait.
pub async fn set_next_run(
    write: &mut Write,
    name: &str,
    at: DateTime<Utc>,
    waits_until: Option<DateTime<Utc>>,
) -> sqlx::Result<()> {
    let (at, waits_until) = (utc_seconds(at), waits_until.map(utc_seconds));
    execute!(
        write,
        "insert into sync_state (name, next_run_at, waits_until) values (?1, ?2, ?3)
         on conflict (name) do update set next_run_at = excluded.next_run_at, waits_until = excluded.waits_until",
        name,
        at,
        waits_until
    )
}

/// Holds the entry of an undone run: its next run would bring back what was removed. The next fetch is unconditional.
pub async fn hold_entry(write: &mut Write, name: &str) -> sqlx::Result<()> {
    execute!(
        write,
        "insert into sync_state (name, held) values (?, 1)
         on conflict (name) do update set held = 1, etag = null, last_modified = null, last_format = null",
        name
    )
}

// What a run records.

/// Records a run that imported its answer; what a run without rows does not know stays.
pub async fn note_sync_success(write: &mut Write, success: &SyncState) -> sqlx::Result<()> {
    execute!(
        write,
        "update sync_state set last_success_at = ?2, last_failure = null, held = 0, entry_digest = ?3, last_doubtful = ?4,
           has_further_page = ?5, source = coalesce(?6, source), last_format = coalesce(?7, last_format), etag = ?8, last_modified = ?9,
           reading_digest = ?10, total = coalesce(?11, total), total_on = coalesce(?12, total_on)
         where name = ?1",
        success.name,
        success.last_success_at,
        success.entry_digest,
        success.last_doubtful,
        success.has_further_page,
        success.source,
        success.last_format,
        success.etag,
        success.last_modified,
        success.reading_digest,
        success.total,
        success.total_on
    )
}

/// Records that a run imported nothing: why it failed, or `None` if the answer is that of the last run.
pub async fn note_sync_end(
    write: &mut Write,
    name: &str,
    now: DateTime<Utc>,
    failure: Option<&str>,
) -> sqlx::Result<()> {
    let at = utc_seconds(now);
    execute!(
        write,
        "update sync_state set last_failure = ?3, last_success_at = iif(?3 is null, ?2, last_success_at) where name = ?1",
        name,
        at,
        failure
    )
}

/// Forgets what sources said to entries that are no longer in the file.
pub async fn forget_other_totals<'n>(
    write: &mut Write,
    names: impl IntoIterator<Item = &'n str>,
) -> sqlx::Result<()> {
    let names: Value = names.into_iter().collect();
    let names = names.to_string();
    execute!(
        write,
        "update sync_state set source = null, total = null, total_on = null
         where source is not null and name not in (select value from json_each(?))",
        names
    )
}

/// Names the entry of a run, which can be undone like any other; one without rows may withhold reviews.
pub async fn note_entry_of_run(
    write: &mut Write,
    run: i64,
    name: &str,
    is_scheduled: bool,
) -> sqlx::Result<()> {
    let files = Value::from([format!("sync {name}")].as_slice()).to_string();
    execute!(
        write,
        "update import_run set sync_entry = ?1, scheduled = ?2, files = ?3, is_kept = 1,
           sources = (select json_group_array(value) from (select value from json_each(sources) union
             select source_name from review_source where entry = ?1))
         where run_id = ?4",
        name,
        is_scheduled,
        files,
        run
    )
}

// The reviews that runs of an entry stated last.

pub async fn reviews_of_entry(
    connection: &mut SqliteConnection,
    name: &str,
) -> sqlx::Result<HashSet<ReviewId>> {
    let ids = sqlx::query_scalar!(
        r#"select review_id as "id: Text" from review_source where entry = ?"#,
        name
    )
    .fetch_all(connection)
    .await?;
    Ok(review_ids(&ids))
}

/// Records that an import states the reviews `ids`: one by hand, or the newest run of `entry`, whose other reviews are gone
/// unless it is `partial`; a doubtful row may be one of `doubted`.
pub async fn note_entry(
    write: &mut Write,
    entry: Option<&str>,
    is_partial: bool,
    ids: impl IntoIterator<Item = &ReviewId>,
    doubted: impl IntoIterator<Item = &ReviewId>,
) -> sqlx::Result<()> {
    let ids: Value = ids.into_iter().map(ReviewId::as_str).collect();
    let doubted: Value = doubted.into_iter().map(ReviewId::as_str).collect();
    let (ids, doubted) = (ids.to_string(), doubted.to_string());
    execute!(
        write,
        "update review_source set entry = ?1, is_gone = 0
         where review_id in (select value from json_each(?2)) and (entry is not ?1 or is_gone)",
        entry,
        ids
    )?;
    execute!(
        write,
        "update review_source set is_gone = not ?3
         where entry = ?1 and is_gone = ?3
           and review_id not in (select value from json_each(?2) union all select value from json_each(?4))",
        entry,
        ids,
        is_partial,
        doubted
    )
}
