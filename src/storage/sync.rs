//! What runs of the entries of the sync file left.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::SqliteConnection;

use super::columns::{NullableText, Text, utc_seconds};
use super::write::Write;

/// What is stored of an entry; a shell may have written anything.
#[derive(Debug, Clone, Default)]
pub struct SyncState {
    pub name: String,
    /// When the next run is due, in RFC 3339: set before each run.
    pub next_run_at: Option<String>,
    /// Until when the server of the last run asked to wait, in RFC 3339.
    pub waits_until: Option<String>,
    /// The end of the last run without a fault, in RFC 3339.
    pub last_success_at: Option<String>,
    /// Why the last run failed, if it did.
    pub last_failure: Option<String>,
    /// Whether the next run is by hand: since an undo of a run or a new name of the source, and until a run imports its answer.
    pub is_held: bool,
    /// The source of the reviews. This and the total are those of the last import that has any.
    pub source: Option<String>,
    /// The number of reviews that the source says it has.
    pub total: Option<i64>,
    /// `YYYY-MM-DD`
    pub total_on: Option<String>,
    /// Whether the file lacked the entry when the service last looked.
    pub is_removed: bool,
    pub last_import: LastImport,
    /// Public reviews that its newest run lacks; counted when it is read.
    pub gone: i64,
}

/// What the last run that imported its answer leaves for the next one.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LastImport {
    /// Of the entry and its format's file; the schedule fetches only the same entry.
    pub entry_digest: Option<String>,
    /// The formats of its files; those of an earlier import if it had no rows.
    pub format: Option<String>,
    /// The source's name when the entry was imported, if it was renamed since; set by a trigger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub former_source: Option<String>,
    /// Rows that wait for the owner's decision.
    pub doubtful: u64,
    pub rejected: u64,
    /// Whether the answer names a page that nothing reads.
    pub has_further_page: bool,
    /// The fields that make the next request conditional.
    pub validators: HashMap<String, String>,
    /// Of all that says what was asked, and how the answer was read, of which no row is left to read again; the validators are sent only for the
    /// same.
    pub request_digest: Option<String>,
}

impl From<Text> for LastImport {
    fn from(json: Text) -> Self {
        serde_json::from_str(json.as_ref()).unwrap_or_default()
    }
}

/// All states by the name of the entry.
pub async fn sync_states(
    connection: &mut SqliteConnection,
) -> sqlx::Result<BTreeMap<String, SyncState>> {
    let states = sqlx::query_as!(
        SyncState,
        r#"select name as "name: Text", next_run_at as "next_run_at!: NullableText", waits_until as "waits_until!: NullableText",
             last_success_at as "last_success_at!: NullableText", last_failure as "last_failure!: NullableText", held as "is_held!: bool",
             source as "source!: NullableText", total, total_on as "total_on!: NullableText", removed as "is_removed!: bool", last_import as "last_import: Text",
             (select count(*) from review_source as s indexed by review_source_gone join review as r using (review_id)
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

/// Holds the entry of an undone run: its next run would bring back what was removed.
pub async fn hold_entry(write: &mut Write, name: &str) -> sqlx::Result<()> {
    execute!(
        write,
        "insert into sync_state (name, held) values (?, 1) on conflict (name) do update set held = 1",
        name
    )
}

/// An entry whose rows, and not its file, say which reviews are of a source: its newest run had some, and others besides.
pub async fn find_entry_by_rows(
    connection: &mut SqliteConnection,
    source: &str,
) -> sqlx::Result<Option<Text>> {
    sqlx::query_scalar!(
        r#"select name as "name!: Text" from sync_state as y join review_source as s on s.entry = y.name
           where not (removed or is_gone) group by name
           having max(source_name = ?1) and (max(source_name <> ?1) or max(source is not ?1 collate nocase))"#,
        source
    )
    .fetch_optional(connection)
    .await
}

/// Notes the source that an entry of the file states, so that it follows a new name, whatever its last run brought.
pub async fn note_source(write: &mut Write, name: &str, source: &str) -> sqlx::Result<()> {
    execute!(
        write,
        "insert into sync_state (name, source) values (?1, ?2) on conflict (name) do update
         set source = ?2, total = iif(source = ?2, total, null), last_import = json_remove(last_import, '$.former_source')",
        name,
        source
    )
}

// What a run notes.

/// Notes what a run imported, which ends a hold; without a source or a total, the former one stays.
pub async fn note_import(
    write: &mut Write,
    name: &str,
    import: &LastImport,
    source: Option<&str>,
    total: Option<i64>,
    day: &str,
) -> sqlx::Result<()> {
    let import = json!(import).to_string();
    execute!(
        write,
        "update sync_state set held = 0, last_import = ?2, source = coalesce(?3, source), total = coalesce(?4, total),
           total_on = iif(?4 is null, total_on, ?5) where name = ?1",
        name,
        import,
        source,
        total,
        day
    )
}

/// Notes how a run ended: why it failed, or `None` if it did not.
pub async fn note_end(
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

/// Notes which entries the file lacks, of which it has those with these `names`.
pub async fn note_removed<'n>(
    write: &mut Write,
    names: impl IntoIterator<Item = &'n str>,
) -> sqlx::Result<()> {
    let names: Value = names.into_iter().collect();
    let names = names.to_string();
    execute!(
        write,
        "update sync_state set removed = name not in (select value from json_each(?))",
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
