//! Imports as runs: what each did to which review, with the former values, so that it can be undone.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sqlx::SqliteConnection;

use super::rows::Deletion;
use super::source::{Mark, SourceRecord};
use crate::model::{Review, ReviewId, Unit, Units, named};
use crate::storage::columns::{NullableText, Text, utc_seconds};
use crate::storage::write::Write;

/// Number of runs whose counts are kept, besides those that can be undone.
const RUNS_MAX: i64 = 100;
/// Number of runs of a source whose former values are kept; older runs cannot be undone.
pub const UNDOABLE_MAX: i64 = 20;
/// Days for which former values are kept.
pub const UNDOABLE_DAYS_MAX: i64 = 30;

/// An applied import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRun {
    /// From 1. A number is used again only if its run changed nothing.
    pub id: i64,
    /// RFC 3339 UTC.
    pub started_at: String,
    /// File names without folders.
    pub files: Vec<String>,
    pub added: i64,
    pub updated: i64,
    pub unchanged: i64,
    pub withdrawn: i64,
    pub rejected: i64,
    pub doubtful: i64,
    /// Members that its files had and that were passed over.
    pub unread: Vec<String>,
    /// The sources of its reviews.
    pub sources: Vec<String>,
    /// Whether it changed reviews, or what is kept of their sources, and not all of it is taken back.
    pub has_changes: bool,
    /// RFC 3339 UTC; `None` if it was not undone, or only in part.
    pub undone_at: Option<String>,
    /// Whether its former values are still kept.
    pub is_kept: bool,
    /// The entry of the sync file whose fetch it was; `None` for `reviews import`.
    pub sync_entry: Option<String>,
    /// Whether the service fetched it on its schedule.
    pub is_scheduled: bool,
}

impl ImportRun {
    /// Whether it changed something that is not taken back, as far as that is known.
    pub const fn stands(&self) -> bool {
        self.undone_at.is_none() && (self.has_changes || !self.is_kept)
    }
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
    /// Rows that are not imported until the owner decides.
    pub doubtful: i64,
}

named! {
    /// What a run did to a review, by its name in the database.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RunChange {
        /// The review did not exist before.
        Added = "added",
        /// The review was imported although the owner had deleted it.
        Restored = "restored",
        /// The review, or what its source said of it, was another one before.
        Changed = "changed",
        /// The id was marked as deleted, because an export lists it so; or what identifies a deleted review changed.
        Deleted = "deleted",
    }
}

/// What a review was before a run that changed or restored it. Only members that differ are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Former {
    /// Members of the review, by name.
    review: Map<String, Value>,
    /// `None` if no source had given the review.
    pub source: Option<SourceRecord>,
    /// Of a review that was deleted.
    deletion: Option<Deletion>,
    /// Whether the source hides the author's name or the answer since the run; these values are not kept.
    pub hides: bool,
}

impl Former {
    /// `before` is `None` if the review was deleted, by `deletion`; `hidden` are units that the source hides.
    pub fn new(
        before: Option<&Review>,
        after: &Review,
        source: Option<SourceRecord>,
        deletion: Option<Deletion>,
        hidden: &Units,
    ) -> Self {
        let members = [(Unit::Author, "author"), (Unit::Reply, "owner_reply")];
        let is_hidden = |name: &str| {
            members
                .iter()
                .any(|it| it.1 == name && hidden.contains(&it.0))
        };
        let mut review = Map::new();
        if let Some(before) = before
            && let (Value::Object(members), after) = (json!(before), json!(after))
        {
            review = members;
            review.retain(|name, value| after.get(name.as_str()) != Some(value));
        }
        let shown = review.len();
        review.retain(|name, value| value.is_null() || !is_hidden(name));
        Self {
            hides: review.len() < shown,
            review,
            source,
            deletion,
        }
    }

    /// The mark of the review `id`, which was deleted.
    pub fn mark(&self, id: &str) -> Option<Mark> {
        Some(Mark {
            id: id.parse().ok()?,
            deletion: self.deletion.clone()?,
            source: self.source.clone(),
        })
    }

    /// Of a review that stays deleted.
    pub fn of_deleted(source: SourceRecord) -> Self {
        Self {
            review: Map::new(),
            source: Some(source),
            deletion: None,
            hides: false,
        }
    }

    /// The former review; `review` is the present one.
    ///
    /// # Errors
    /// When a shell changed the kept values to some that no review has.
    pub fn review(&self, review: &Review) -> sqlx::Result<Review> {
        let mut value = json!(review);
        if let Value::Object(members) = &mut value {
            members.extend(self.review.clone());
        }
        serde_json::from_value(value).map_err(|error| sqlx::Error::Decode(error.into()))
    }
}

/// What a run did to one review.
#[derive(Debug)]
pub struct RunReview {
    pub id: String,
    pub change: RunChange,
    /// `None` for new reviews and deletions of unknown ones, and if the values are no longer kept.
    pub former: Option<Former>,
    /// Whether it has not changed since.
    pub is_untouched: bool,
}

/// Begins a run; returns its number.
pub async fn begin_run(
    write: &mut Write,
    now: DateTime<Utc>,
    files: &[String],
    sources: &[&str],
) -> sqlx::Result<i64> {
    let (at, files) = (utc_seconds(now), Value::from(files).to_string());
    let sources = Value::from(sources).to_string();
    let id = sqlx::query_scalar!(
        r#"insert into import_run (run_id, started_at, files, sources) select 1 + coalesce(max(run_id), 0), ?, ?, ? from import_run
           returning run_id as "id!: i64""#,
        at,
        files,
        sources
    )
    .fetch_one(&mut *write)
    .await?;
    forget_runs(write, now).await?;
    let oldest = id - RUNS_MAX;
    execute!(
        write,
        "delete from import_run where run_id <= ? and not is_kept",
        oldest
    )?;
    Ok(id)
}

/// Removes the former values of runs that are too old to be undone.
pub async fn forget_runs(write: &mut Write, now: DateTime<Utc>) -> sqlx::Result<()> {
    let oldest = utc_seconds(now - Duration::days(UNDOABLE_DAYS_MAX));
    execute!(
        write,
        "update import_run set is_kept = 0 where is_kept and (started_at < ?1 or sources <> '[]' and run_id not in
           (select run_id from (select run_id, row_number() over (partition by value order by run_id desc) as place
             from import_run as r, json_each(r.sources)) where place <= ?2))",
        oldest,
        UNDOABLE_MAX
    )?;
    execute!(
        write,
        "delete from import_run_review where run_id in (select run_id from import_run where not is_kept)"
    )
}

/// Records what a run is about to do to reviews; [`end_run`] adds their change numbers.
pub async fn note_run_reviews<'c>(
    write: &mut Write,
    run: i64,
    changes: impl Iterator<Item = (&'c ReviewId, RunChange, Option<&'c Former>)>,
) -> sqlx::Result<()> {
    let mut rows = Vec::new();
    for (id, change, former) in changes {
        let former = former.map(|former| json!(former).to_string());
        rows.push(json!([id, change.name(), former]));
    }
    if rows.is_empty() {
        return Ok(());
    }
    let rows = Value::Array(rows).to_string();
    execute!(
        write,
        "insert into import_run_review (run_id, review_id, kind, change_no, former_change_no, former)
         select ?1, i.value ->> 0, i.value ->> 1, null,
           (select c.change_no from review_change as c where c.review_id = i.value ->> 0), i.value ->> 2
         from json_each(?2) as i where true
         on conflict (run_id, review_id) do nothing",
        run,
        rows
    )
}

pub async fn end_run(
    write: &mut Write,
    run: i64,
    counts: RunCounts,
    unread: &[String],
) -> sqlx::Result<()> {
    let unread = Value::from(unread).to_string();
    execute!(
        write,
        "update import_run set added = ?, updated = ?, unchanged = ?, withdrawn = ?, rejected = ?, doubtful = ?, unread = ?
         where run_id = ?",
        counts.added,
        counts.updated,
        counts.unchanged,
        counts.withdrawn,
        counts.rejected,
        counts.doubtful,
        unread,
        run
    )?;
    execute!(
        write,
        "update import_run_review set change_no = (select c.change_no from review_change as c
           where c.review_id = import_run_review.review_id) where run_id = ?",
        run
    )
}

/// The last `limit` runs, newest first.
pub async fn last_runs(
    connection: &mut SqliteConnection,
    limit: i64,
) -> sqlx::Result<Vec<ImportRun>> {
    sqlx::query_as!(
        ImportRun,
        r#"select run_id as "id!: i64", started_at as "started_at: Text", files as "files: Text", added, updated, unchanged,
             withdrawn, rejected, doubtful, unread as "unread: Text", sources as "sources: Text",
             r.formats <> '[]' or exists (select 1 from import_run_review as i where i.run_id = r.run_id) as "has_changes!: bool", undone_at as "undone_at!: NullableText", is_kept as "is_kept!: bool",
             sync_entry as "sync_entry!: NullableText", scheduled as "is_scheduled!: bool"
           from import_run as r order by run_id desc limit ?"#,
        limit
    )
    .fetch_all(connection)
    .await
}

/// The reviews that a run changed.
pub async fn run_reviews(
    connection: &mut SqliteConnection,
    run: i64,
) -> sqlx::Result<Vec<RunReview>> {
    let rows = sqlx::query!(
        r#"select i.review_id as "id!: Text", i.kind as "kind!: Text", i.former as "former: Text",
             coalesce(c.change_no = i.change_no, 0) as "is_untouched!: bool"
           from import_run_review as i left join review_change as c using (review_id)
           where i.run_id = ? order by i.review_id"#,
        run
    )
    .fetch_all(connection)
    .await?;
    let row = rows.into_iter().map(|row| RunReview {
        id: row.id.into(),
        // Another name can come only from a shell that switched the checks off; without former values, the review stays.
        change: RunChange::find(row.kind.as_ref()).unwrap_or(RunChange::Changed),
        former: row
            .former
            .filter(|_| RunChange::find(row.kind.as_ref()).is_some())
            .and_then(|former| serde_json::from_str(former.as_ref()).ok()),
        is_untouched: row.is_untouched,
    });
    Ok(row.collect())
}

/// Removes the marks of reviews that no longer count as deleted, so that an import may add them.
pub async fn remove_marks(write: &mut Write, ids: &[&str]) -> sqlx::Result<()> {
    let ids = Value::from(ids).to_string();
    execute!(
        write,
        "delete from deleted_review where review_id in (select value from json_each(?))",
        ids
    )
}

/// Removes what sources said of these reviews.
pub async fn forget_sources(write: &mut Write, ids: &[&str]) -> sqlx::Result<()> {
    let ids = Value::from(ids).to_string();
    execute!(
        write,
        "delete from review_source where review_id in (select value from json_each(?))",
        ids
    )
}

/// Removes what a run recorded of reviews, because it is undone or the reviews are gone. The reviews are as before the
/// run, so an earlier run that made them so can be undone, too.
pub async fn forget_run_reviews(write: &mut Write, run: i64, ids: &[&str]) -> sqlx::Result<()> {
    let ids = Value::from(ids).to_string();
    execute!(
        write,
        "update import_run_review as i set change_no = c.change_no
         from import_run_review as u join review_change as c on c.review_id = u.review_id
         where u.run_id = ?1 and u.review_id in (select value from json_each(?2))
           and i.review_id = u.review_id and i.run_id < ?1 and i.change_no = u.former_change_no",
        run,
        ids
    )?;
    execute!(
        write,
        "delete from import_run_review where run_id = ? and review_id in (select value from json_each(?))",
        run,
        ids
    )
}

/// Records that a run which is undone leaves reviews as they are because it hid them, so that the run which restored them can be undone
/// nevertheless, if only runs changed them since.
pub async fn pass_over_run_reviews(write: &mut Write, run: i64, ids: &[&str]) -> sqlx::Result<()> {
    let ids = Value::from(ids).to_string();
    execute!(
        write,
        "update import_run_review as i set change_no = c.change_no from review_change as c
         where c.review_id = i.review_id and i.run_id < ?1 and i.kind = 'restored' and (i.review_id, i.change_no) in (
           with recursive former (review_id, change_no) as (
             select review_id, former_change_no from import_run_review
               where run_id = ?1 and review_id in (select value from json_each(?2))
             union
             select n.review_id, n.former_change_no from former as f join import_run_review as n
               on n.review_id = f.review_id and n.change_no = f.change_no and n.run_id < ?1)
           select review_id, change_no from former)",
        run,
        ids
    )
}

/// Records that nothing of a run is left, and no format to give back.
pub async fn note_undone(write: &mut Write, run: i64, now: DateTime<Utc>) -> sqlx::Result<()> {
    let at = utc_seconds(now);
    execute!(
        write,
        "update import_run set undone_at = ?, formats = '[]' where run_id = ?",
        at,
        run
    )
}
