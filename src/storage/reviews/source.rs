//! What each source last said of a review, beside the reviews' rows, and what is kept of deleted ones; the format of each source.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::slice;

use chrono::{DateTime, Utc};
use futures_util::TryStreamExt;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::SqliteConnection;

use super::rows::{Deletion, ReviewState, delete_all, of_ids, upsert};
use crate::model::{ANONYMOUS, Day, Digests, LastStatement, Review, ReviewId, Status, Unit, Units};
use crate::storage::columns::{Text, review_ids, strings};
use crate::storage::erase::note_traces;
use crate::storage::write::Write;

/// What is kept of a review's source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRecord {
    pub id: ReviewId,
    pub source_name: String,
    /// The id at the source, if the review has another one here.
    pub id_at_source: Option<String>,
    /// When it was written, if the source gives an instant.
    pub posted_at: Option<DateTime<Utc>>,
    /// [`LastStatement`] as JSON, which is parsed only for reviews that an import compares; empty if the review is deleted.
    #[serde(rename = "said_json")]
    pub last_statement_json: String,
    pub digests: Digests,
}

impl SourceRecord {
    /// One that says nothing of any unit.
    pub const fn new(id: ReviewId, source_name: String, digests: Digests) -> Self {
        Self {
            id,
            source_name,
            id_at_source: None,
            posted_at: None,
            last_statement_json: String::new(),
            digests,
        }
    }

    /// Of a review that no source gave.
    fn of_owner(review: &Review) -> Self {
        let digests = Digests::new(review, &review.author, None);
        Self::new(review.id.clone(), review.source.name.clone(), digests)
    }

    /// What the source last said.
    pub fn last_statement(&self) -> LastStatement {
        serde_json::from_str(&self.last_statement_json).unwrap_or_default()
    }

    /// Whether it has no unit, because no source gave the review or it is deleted.
    pub fn says_nothing(&self) -> bool {
        matches!(self.last_statement_json.as_str(), "" | "{}")
    }

    pub fn set_last_statement(&mut self, statement: &LastStatement) {
        self.last_statement_json = json!(statement).to_string();
    }
}

/// The mark of a deleted review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    pub id: ReviewId,
    pub deletion: Deletion,
    /// By which rows of its source are found; `None` if no source gave the review.
    pub source: Option<SourceRecord>,
}

/// Reviews that are read at once.
const ROWS: usize = 1_000;

/// What is stored of a review.
#[derive(Debug)]
pub struct KnownReview {
    pub state: ReviewState,
    /// `None` if no source gave it. Of a deleted review, only what identifies it.
    pub source: Option<SourceRecord>,
    /// The owner's note, which is not published.
    pub note: Option<String>,
}

impl KnownReview {
    pub const fn review(&self) -> Option<&Review> {
        match &self.state {
            ReviewState::There(review) => Some(review),
            ReviewState::Unreadable | ReviewState::Deleted(_) => None,
        }
    }

    pub const fn is_deleted(&self) -> bool {
        matches!(self.state, ReviewState::Deleted(_))
    }

    /// The name of its source.
    pub fn source_name(&self) -> &str {
        match (&self.source, &self.state) {
            (Some(source), _) => &source.source_name,
            (None, ReviewState::There(review)) => &review.source.name,
            (None, ReviewState::Deleted(deletion)) => &deletion.source_name,
            (None, ReviewState::Unreadable) => "",
        }
    }

    /// The ID that its source gave it, if it has another one here.
    pub fn id_at_source(&self) -> Option<&str> {
        self.source.as_ref()?.id_at_source.as_deref()
    }

    /// Of what its source last said, and of what stands, if that is another; none of a review that was deleted before a source gave it.
    pub fn digests(&self) -> Vec<Digests> {
        let record = self.source.as_ref();
        let said = record.map(|record| record.digests);
        let standing = self.review().map(|review| {
            let posted_at = record.and_then(|record| record.posted_at);
            Digests::new(review, &review.author, posted_at)
        });
        let standing = standing.filter(|standing| said != Some(*standing));
        let mut digests = Vec::with_capacity(1);
        digests.extend(said.into_iter().chain(standing));
        digests
    }

    /// Whether the owner withheld, deleted or anonymized it.
    pub fn is_hidden_by_owner(&self) -> bool {
        self.review().is_none_or(|review| {
            review.status != Status::Published
                && self.last_statement().is_decided(Unit::Status, review)
                || self.is_anonymized()
        })
    }

    /// Whether its source hides it: not because it lacks a row, or a row was doubtful.
    pub fn is_withheld_by_source(&self) -> bool {
        let review = self.review();
        let review = review.filter(|review| review.status != Status::Published);
        review.is_some_and(|review| {
            !review.status.is_of_import() && !self.last_statement().is_decided(Unit::Status, review)
        })
    }

    /// Whether a command took its author's name away.
    pub fn is_anonymized(&self) -> bool {
        if let ReviewState::Deleted(deletion) = &self.state {
            return deletion.is_anonymized;
        }
        let review = self.review();
        review.is_some_and(|review| review.author == ANONYMOUS)
            && self.last_statement().decided.contains(&Unit::Author)
    }

    /// Whether the owner replied to it.
    pub fn has_own_reply(&self) -> bool {
        let review = self.review().filter(|review| review.reply.is_some());
        review.is_some_and(|review| self.last_statement().is_decided(Unit::Reply, review))
    }

    /// Whether a row that hides these units hides something that the review shows. A reply given here is none of its source's.
    pub fn shows_any(&self, hidden: &Units) -> bool {
        self.review().is_some_and(|review| {
            hidden.contains(&Unit::Status) && review.status == Status::Published
                || hidden.contains(&Unit::Author) && review.author != ANONYMOUS
                || hidden.contains(&Unit::Reply) && review.reply.is_some() && !self.has_own_reply()
        })
    }

    /// What its source last said; nothing if no source gave it.
    pub fn last_statement(&self) -> LastStatement {
        let source = self.source.as_ref();
        source.map(SourceRecord::last_statement).unwrap_or_default()
    }

    /// The units that the owner decided. Of a review that no source gave, all.
    pub fn decisions(&self) -> Units {
        let review = self.review();
        review.map_or_else(Units::new, |review| self.last_statement().decisions(review))
    }
}

/// Reviews that are there, and those that the owner deleted.
pub type Known = BTreeMap<ReviewId, Box<KnownReview>>;

/// What is stored of the reviews with these ids.
pub async fn load_reviews(connection: &mut SqliteConnection, ids: &[&str]) -> sqlx::Result<Known> {
    let mut sources = sources(connection, ids).await?;
    let there = of_ids(connection, ids).await?;
    let mut known = Known::new();
    for mark in marks(connection, ids).await? {
        let deleted = KnownReview {
            state: ReviewState::Deleted(mark.deletion),
            source: mark.source,
            note: None,
        };
        known.insert(mark.id, Box::new(deleted));
    }
    for (id, state, note) in there {
        let mut review = KnownReview {
            state,
            source: sources.remove(&id),
            note,
        };
        // One text of each ID.
        if let ReviewState::There(review) = &mut review.state {
            review.id = id.clone();
        }
        if let Some(source) = &mut review.source {
            source.id = id.clone();
        }
        known.insert(id, Box::new(review));
    }
    Ok(known)
}

/// What an import may meet.
#[derive(Debug, Default)]
pub struct Scope<'s> {
    /// The sources of its rows.
    pub sources: Vec<&'s str>,
    /// The IDs of rows that name no source, and of reviews that are to count as deleted.
    pub ids: Vec<&'s str>,
    /// [`Digests::content`] of its rows.
    pub contents: Vec<i64>,
}

/// The reviews of the sources of a scope, the reviews of others with one of its IDs or contents, those that no source gave, and all deleted
/// ones.
pub async fn load_known(
    connection: &mut SqliteConnection,
    scope: &Scope<'_>,
) -> sqlx::Result<Known> {
    let sources = Value::from(scope.sources.as_slice()).to_string();
    let ids = Value::from(scope.ids.as_slice()).to_string();
    let contents = Value::from(scope.contents.as_slice()).to_string();
    let found = sqlx::query_scalar!(
        r#"with own (name) as (
             select value from json_each(?1)
             union select source_name from review_source where review_id in (select value from json_each(?2)))
           select review_id as "id!: Text" from review_source where source_name in own
           union select value from json_each(?2)
           union select s.review_id from json_each(?3) as i cross join review_source as s on s.same_content = i.value
           union select review_id from review as r
             where not exists (select 1 from review_source as s where s.review_id = r.review_id)
           union select review_id from deleted_review"#,
        sources,
        ids,
        contents
    );
    let mut ids: Vec<String> = strings(found.fetch_all(&mut *connection).await?);
    let mut known = Known::new();
    // In batches, because all rows at once would need their memory twice.
    while !ids.is_empty() {
        let batch = ids.split_off(ids.len().saturating_sub(ROWS));
        let batch: Vec<&str> = batch.iter().map(String::as_str).collect();
        known.extend(load_reviews(connection, &batch).await?);
    }
    Ok(known)
}

/// The ids of the reviews that are not among `known`.
pub async fn other_ids(
    connection: &mut SqliteConnection,
    known: &Known,
) -> sqlx::Result<HashSet<ReviewId>> {
    let mut ids =
        sqlx::query_scalar!(r#"select review_id as "id: Text" from review"#).fetch(connection);
    let mut others = HashSet::new();
    while let Some(id) = ids.try_next().await? {
        let id: Option<ReviewId> = id.as_ref().parse().ok();
        others.extend(id.filter(|id| !known.contains_key(id)));
    }
    Ok(others)
}

/// What is kept of the sources of reviews, by review id.
async fn sources(
    connection: &mut SqliteConnection,
    ids: &[&str],
) -> sqlx::Result<HashMap<ReviewId, SourceRecord>> {
    let list = Value::from(ids).to_string();
    let rows = sqlx::query_scalar!(
        r#"select json_object('id', s.review_id, 'source_name', source_name, 'id_at_source', id_at_source, 'posted_at', posted_at,
             'said_json', said, 'digests', json_object('author_and_day', same_author_and_day, 'content', same_content, 'text', same_text))
             as "json!: Text"
           from json_each(?) as i cross join review_source as s on s.review_id = i.value"#,
        list
    )
    .fetch_all(connection)
    .await?;
    let records = parse_all(&rows).map(|record: SourceRecord| (record.id.clone(), record));
    Ok(records.collect())
}

/// The values in JSON; what another program made unreadable is left out.
fn parse_all<T: DeserializeOwned>(rows: &[Text]) -> impl Iterator<Item = T> {
    let parsed = rows.iter().map(|row| serde_json::from_str(row.as_ref()));
    parsed.filter_map(Result::ok)
}

/// The marks of deleted reviews that do not stand again.
pub async fn marks(connection: &mut SqliteConnection, ids: &[&str]) -> sqlx::Result<Vec<Mark>> {
    let list = Value::from(ids).to_string();
    let rows = sqlx::query_scalar!(
        r#"select json_object('id', d.review_id,
             'deletion', json_object('source_name', source_name, 'day', deleted_on, 'reason', reason,
               'is_anonymized', json(iif(is_anonymized, 'true', 'false'))),
             'source', json(iif(same_author_and_day + same_content + same_text is null, null, json_object('id', d.review_id,
               'source_name', coalesce(imported_from, source_name), 'id_at_source', id_at_source, 'said_json', '',
               'digests', json_object('author_and_day', same_author_and_day, 'content', same_content, 'text', same_text)))))
             as "json!: Text"
           from json_each(?) as i cross join deleted_review as d on d.review_id = i.value
           where not exists (select 1 from review as r where r.review_id = d.review_id)"#,
        list
    )
    .fetch_all(connection)
    .await?;
    Ok(parse_all(&rows).collect())
}

/// Stores what is kept of the sources of reviews.
pub async fn note_sources(write: &mut Write, records: &[SourceRecord]) -> sqlx::Result<()> {
    let rows = json!(records).to_string();
    execute!(
        write,
        "insert into review_source (review_id, source_name, id_at_source, same_author_and_day, same_content, same_text,
           posted_at, said)
         select value ->> 'id', value ->> 'source_name', value ->> 'id_at_source', value ->> '$.digests.author_and_day',
           value ->> '$.digests.content', value ->> '$.digests.text', value ->> 'posted_at',
           coalesce(nullif(value ->> 'said_json', ''), '{}')
         from json_each(?) where true
         on conflict (review_id) do update set source_name = excluded.source_name, id_at_source = excluded.id_at_source,
           same_author_and_day = excluded.same_author_and_day, same_content = excluded.same_content, same_text = excluded.same_text,
           posted_at = excluded.posted_at, said = excluded.said",
        rows
    )
}

/// Number of reviews of a source, by status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceCounts {
    /// The source's own name, even if the owner gave its reviews another one.
    pub source_name: String,
    pub published: i64,
    pub withheld: i64,
}

/// The sources of all reviews but those with the IDs `left_out`, and those that only keep a format.
pub async fn counts_by_source(
    connection: &mut SqliteConnection,
    left_out: &[String],
) -> sqlx::Result<Vec<SourceCounts>> {
    let left_out = Value::from(left_out).to_string();
    sqlx::query_as!(
        SourceCounts,
        r#"select source_name as "source_name!: Text",
             sum(status = 'published') as "published!: i64", sum(status = 'withheld') as "withheld!: i64"
           from (select source_name, status from review where review_id not in (select value from json_each(?))
             union all select name, '' from source where format is not null)
           group by 1 order by 1"#,
        left_out
    )
    .fetch_all(connection)
    .await
}

/// Gives a source another name; returns whether the name was free. Whatever has the former name follows by a trigger.
pub async fn rename_source(write: &mut Write, name: &str, new_name: &str) -> sqlx::Result<bool> {
    // Of a source whose reviews are gone only the name is left.
    execute!(
        write,
        "delete from source where name = ?1 and format is null
           and not exists (select 1 from review where source_name = ?1)
           and not exists (select 1 from review_source where source_name = ?1)
           and not exists (select 1 from deleted_review where source_name = ?1)",
        new_name
    )?;
    let is_taken = sqlx::query_scalar!(
        r#"select exists (select 1 from source where name = ?) as "is_taken!: bool""#,
        new_name
    );
    if is_taken.fetch_one(write.reader()).await? {
        return Ok(false);
    }
    execute!(
        write,
        "update source set name = ?2 where name = ?1",
        name,
        new_name
    )?;
    Ok(true)
}

// The reviews that runs of an entry stated last.

pub async fn ids_of_entry(
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

/// Records that an import states the reviews `ids`: one by hand, or the newest run of `entry`, which says whether the other ones are
/// gone; a doubtful row may be one of `doubted`.
pub async fn note_entry(
    write: &mut Write,
    entry: Option<&str>,
    are_others_gone: bool,
    ids: impl IntoIterator<Item = &ReviewId>,
    doubted: impl IntoIterator<Item = &ReviewId>,
) -> sqlx::Result<()> {
    let ids: Value = ids.into_iter().map(ReviewId::as_str).collect();
    let doubted: Value = doubted.into_iter().map(ReviewId::as_str).collect();
    let (ids, doubted) = (ids.to_string(), doubted.to_string());
    // An entry of which another import stated a review is not answered that nothing changed.
    execute!(
        write,
        "update sync_state set last_import = json_remove(last_import, '$.request_digest')
         where name in (select entry from review_source where review_id in (select value from json_each(?2)) and entry is not ?1)",
        entry,
        ids
    )?;
    execute!(
        write,
        "update review_source set entry = ?1, is_gone = 0
         where review_id in (select value from json_each(?2)) and (entry is not ?1 or is_gone)",
        entry,
        ids
    )?;
    execute!(
        write,
        "update review_source set is_gone = ?3
         where entry = ?1 and is_gone <> ?3
           and review_id not in (select value from json_each(?2) union all select value from json_each(?4))",
        entry,
        ids,
        are_others_gone,
        doubted
    )
}

// The format that each source keeps, as its text.

/// The texts of formats, by source.
pub type KeptFormats = BTreeMap<String, String>;

/// The format of a source before and after an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormatChange {
    pub source: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

pub async fn load_formats(connection: &mut SqliteConnection) -> sqlx::Result<KeptFormats> {
    let formats = sqlx::query_scalar!(
        r#"select json_group_object(name, format) as "formats!: Text" from source where format is not null"#
    );
    let formats = formats.fetch_one(connection).await?;
    serde_json::from_str(formats.as_ref()).map_err(|error| sqlx::Error::Decode(error.into()))
}

/// Keeps the changed formats; the run, if it is an import's, keeps both, so that its undo gives the former ones back.
pub async fn store_formats(
    write: &mut Write,
    changes: &[FormatChange],
    run: Option<i64>,
) -> sqlx::Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let changes = json!(changes).to_string();
    execute!(
        write,
        "insert into source (name, format) select value ->> 'source', value ->> 'after' from json_each(?) where true
         on conflict (name) do update set format = excluded.format",
        changes
    )?;
    execute!(
        write,
        "update import_run set formats = ?1 where run_id = ?2",
        changes,
        run
    )
}

/// Gives sources the formats back that they had before a run, unless these were replaced since.
pub async fn take_back_formats(write: &mut Write, run: i64) -> sqlx::Result<()> {
    execute!(
        write,
        "update source set format = change.value ->> 'before'
         from import_run as r, json_each(r.formats) as change
         where r.run_id = ?1 and source.name = change.value ->> 'source' and source.format is change.value ->> 'after'",
        run
    )
}

// What the owner decides, and what is kept of deleted reviews.

/// Keeps the note, or removes the present one.
pub async fn set_note(write: &mut Write, id: &str, note: Option<&str>) -> sqlx::Result<()> {
    execute!(
        write,
        "update review set note = ? where review_id = ?",
        note,
        id
    )
}

/// Records that the owner decided these units of a review by a command, even if they stay as they are. Imports then keep a
/// withheld review withheld, and any other value until its source has the same.
pub async fn note_decided(write: &mut Write, review: &Review, units: &[Unit]) -> sqlx::Result<()> {
    let known = sources(write.reader(), &[review.id.as_str()]).await?;
    let known = known.into_values().next();
    let mut record = known.unwrap_or_else(|| SourceRecord::of_owner(review));
    let mut statement = record.last_statement();
    statement.decided.extend(units);
    record.set_last_statement(&statement);
    note_sources(write, &[record]).await?;
    // The review may be unchanged, and an undo is to treat it as changed.
    let id = review.id.as_str();
    execute!(
        write,
        "update import_run_review set change_no = null where review_id = ?",
        id
    )
}

/// Takes the author's name from a review, and from the former values that runs keep of it; imports do not bring it back.
pub async fn anonymize(
    write: &mut Write,
    mut review: Review,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    note_decided(write, &review, &[Unit::Author]).await?;
    if review.author != ANONYMOUS {
        ANONYMOUS.clone_into(&mut review.author);
        review.updated_at = review.updated_at.max(Some(now));
        upsert(write, slice::from_ref(&review), now).await?;
    }
    let id = review.id.as_str();
    execute!(
        write,
        "update import_run_review set former = json_remove(former, '$.review.author') where review_id = ? and former is not null",
        id
    )?;
    note_traces(write).await
}

/// Updates by which rows of their sources deleted reviews are found.
pub async fn update_marks(write: &mut Write, records: &[SourceRecord]) -> sqlx::Result<()> {
    let rows = json!(records).to_string();
    execute!(
        write,
        "update deleted_review set id_at_source = value ->> 'id_at_source', same_author_and_day = value ->> '$.digests.author_and_day',
           same_content = value ->> '$.digests.content', same_text = value ->> '$.digests.text'
         from json_each(?) where review_id = value ->> 'id'",
        rows
    )
}

/// Stores marks; the reviews may never have been here, and are then not imported.
pub async fn put_marks(write: &mut Write, marks: &[Mark]) -> sqlx::Result<()> {
    let rows = json!(marks).to_string();
    execute!(
        write,
        "insert into review_change (review_id, change_no)
         select value ->> 'id', 1 + (select coalesce(max(change_no), 0) from review_change) from json_each(?) as i
         where not exists (select 1 from review_change as c where c.review_id = i.value ->> 'id')",
        rows
    )?;
    execute!(
        write,
        "insert or replace into deleted_review (review_id, source_name, imported_from, id_at_source, deleted_on, reason,
           same_author_and_day, same_content, same_text, is_anonymized)
         select value ->> 'id', value ->> '$.deletion.source_name',
           nullif(value ->> '$.source.source_name', value ->> '$.deletion.source_name'), value ->> '$.source.id_at_source',
           value ->> '$.deletion.day', value ->> '$.deletion.reason', value ->> '$.source.digests.author_and_day',
           value ->> '$.source.digests.content', value ->> '$.source.digests.text', value ->> '$.deletion.is_anonymized'
         from json_each(?)",
        rows
    )
}

/// Deletes a review by the owner's decision: its mark has the day and the reason.
pub async fn delete_by_owner(
    write: &mut Write,
    id: &str,
    day: Option<Day>,
    reason: Option<&str>,
) -> sqlx::Result<()> {
    let known = load_reviews(write.reader(), &[id]).await?;
    for known in known.values().filter(|known| known.source.is_none()) {
        // So that the mark of one that no source gave has digests, too.
        if let Some(review) = known.review() {
            note_sources(write, &[SourceRecord::of_owner(review)]).await?;
        }
    }
    delete_all(write, &[id]).await?;
    let day = day.map(|day| day.to_string());
    execute!(
        write,
        "update deleted_review set deleted_on = ?, reason = ? where review_id = ?",
        day,
        reason,
        id
    )
}

/// Up to `limit` ids, after `after`, that a review has or had.
pub async fn ids_after(
    connection: &mut SqliteConnection,
    after: &str,
    limit: i64,
) -> sqlx::Result<Vec<String>> {
    let ids = sqlx::query_scalar!(
        r#"select review_id as "id: Text" from review_change where review_id > ? order by review_id limit ?"#,
        after,
        limit
    );
    Ok(strings(ids.fetch_all(connection).await?))
}
