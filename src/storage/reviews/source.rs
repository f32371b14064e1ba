//! What each source last said of a review, beside the reviews' rows, and what is kept of deleted ones.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::SqliteConnection;

use super::rows::{ReviewState, of_ids};
use crate::model::{Digests, LastStatement, Review, ReviewId, Status, Unit, Units, is_one_name};
use crate::storage::text::{NullableText, Text, instant, strings, utc};
use crate::storage::write::Write;

/// What is kept of a review's source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRecord {
    pub id: ReviewId,
    pub source_name: String,
    /// One of the business's locations, by the source's name for it.
    pub location: Option<String>,
    /// The id at the source, if the review has another one here.
    pub id_at_source: Option<String>,
    /// When it was written, if the source gives an instant.
    pub posted_at: Option<DateTime<Utc>>,
    /// When it was answered, if the source gives an instant.
    pub responded_at: Option<DateTime<Utc>>,
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
            location: None,
            id_at_source: None,
            posted_at: None,
            responded_at: None,
            last_statement_json: String::new(),
            digests,
        }
    }

    /// What the source last said.
    pub fn last_statement(&self) -> LastStatement {
        // A table's check allows only JSON.
        let value: Value = serde_json::from_str(&self.last_statement_json).unwrap_or_default();
        LastStatement::from(&value)
    }

    /// Whether it has no unit, because no source gave the review or it is deleted.
    pub fn says_nothing(&self) -> bool {
        matches!(self.last_statement_json.as_str(), "" | "{}")
    }

    pub fn set_last_statement(&mut self, statement: &LastStatement) {
        self.last_statement_json = statement.json().to_string();
    }
}

/// Reviews that are read at once.
const ROWS: i64 = 1_000;

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
            ReviewState::Unreadable(..) | ReviewState::Deleted => None,
        }
    }

    pub const fn is_deleted(&self) -> bool {
        matches!(self.state, ReviewState::Deleted)
    }

    /// What its source last said; nothing if no source gave it.
    pub fn last_statement(&self) -> LastStatement {
        self.source
            .as_ref()
            .map(SourceRecord::last_statement)
            .unwrap_or_default()
    }

    /// The units that the owner decided. Of a review that no source gave, all.
    pub fn decisions(&self) -> Units {
        let review = self.review();
        review.map_or_else(Units::new, |review| self.last_statement().decisions(review))
    }
}

/// Reviews that are there, and those that the owner deleted.
pub type Known = BTreeMap<ReviewId, KnownReview>;

/// What is stored of the reviews with these ids.
pub async fn standing(connection: &mut SqliteConnection, ids: &[&str]) -> sqlx::Result<Known> {
    let mut sources = sources(connection, ids).await?;
    let mut notes = notes(connection, ids).await?;
    let there = of_ids(connection, ids).await?;
    let list = Value::from(ids).to_string();
    let deleted = sqlx::query_scalar!(
        r#"select c.review_id as "id: Text" from json_each(?) as i cross join review_change as c on c.review_id = i.value
           where c.is_undone = 0 and not exists (select 1 from review as r where r.review_id = c.review_id)"#,
        list
    )
    .fetch_all(connection)
    .await?;
    let deleted = deleted.iter().filter_map(|id| id.as_ref().parse().ok());
    let deleted = deleted.map(|id: ReviewId| (id, ReviewState::Deleted));
    let known = there.into_iter().chain(deleted).map(|(id, state)| {
        let (source, note) = (sources.remove(&id), notes.remove(&id));
        let known = KnownReview {
            state,
            source,
            note,
        };
        (id, known)
    });
    Ok(known.collect())
}

/// Everything that is stored of reviews.
pub async fn load_known(connection: &mut SqliteConnection) -> sqlx::Result<Known> {
    let (mut known, mut last) = (Known::new(), String::new());
    loop {
        // In batches, because all rows at once would need their memory twice.
        let ids = ids_after(connection, &last, ROWS).await?;
        let list: Vec<&str> = ids.iter().map(String::as_str).collect();
        known.extend(standing(connection, &list).await?);
        match ids.into_iter().next_back() {
            Some(id) => last = id,
            None => return Ok(known),
        }
    }
}

/// What is kept of the sources of reviews, deleted ones too, by review id.
async fn sources(
    connection: &mut SqliteConnection,
    ids: &[&str],
) -> sqlx::Result<HashMap<ReviewId, SourceRecord>> {
    let list = Value::from(ids).to_string();
    let rows = sqlx::query!(
        r#"select d.review_id as "review_id!: Text", source_name as "source_name!: Text", location as "location!: NullableText",
             id_at_source as "id_at_source!: NullableText", null as "posted_at!: NullableText",
             null as "responded_at!: NullableText", '' as "said!: Text", same_author_and_day as "author_and_day!: i64",
             same_content as "content!: i64", same_text as "text!: i64"
           from json_each(?1) as i cross join deleted_review as d on d.review_id = i.value
           union all
           select s.review_id, source_name, location, id_at_source, posted_at, responded_at, said, same_author_and_day, same_content,
             same_text
           from json_each(?1) as i cross join review_source as s on s.review_id = i.value"#,
        list
    )
    .fetch_all(connection)
    .await?;
    let instant = |at: NullableText| instant(&Option::<String>::from(at)?);
    let records = rows.into_iter().filter_map(|row| {
        let id: ReviewId = row.review_id.as_ref().parse().ok()?;
        let record = SourceRecord {
            id: id.clone(),
            source_name: row.source_name.into(),
            location: row.location.into(),
            id_at_source: row.id_at_source.into(),
            posted_at: instant(row.posted_at),
            responded_at: instant(row.responded_at),
            last_statement_json: row.said.into(),
            digests: Digests {
                author_and_day: row.author_and_day,
                content: row.content,
                text: row.text,
            },
        };
        Some((id, record))
    });
    Ok(records.collect())
}

/// The owner's notes, by review id.
async fn notes(
    connection: &mut SqliteConnection,
    ids: &[&str],
) -> sqlx::Result<HashMap<ReviewId, String>> {
    let list = Value::from(ids).to_string();
    let notes = sqlx::query!(
        r#"select review_id as "id: Text", note as "note: Text" from review_note where review_id in (select value from json_each(?))"#,
        list
    )
    .fetch_all(connection)
    .await?;
    let notes = notes
        .into_iter()
        .filter_map(|row| Some((row.id.as_ref().parse().ok()?, row.note.into())));
    Ok(notes.collect())
}

/// The columns that are kept of a review that is there, and of a deleted one, as a JSON array.
fn values(record: &SourceRecord) -> Value {
    let statement = if record.last_statement_json.is_empty() {
        "{}"
    } else {
        &record.last_statement_json
    };
    json!([
        record.id,
        record.source_name,
        record.location,
        record.id_at_source,
        record.digests.author_and_day,
        record.digests.content,
        record.digests.text,
        record.posted_at.map(utc),
        record.responded_at.map(utc),
        statement
    ])
}

/// Stores what is kept of the sources of reviews.
pub async fn note_sources(write: &mut Write, records: &[SourceRecord]) -> sqlx::Result<()> {
    let rows = Value::Array(records.iter().map(values).collect()).to_string();
    execute!(
        write,
        "insert or replace into review_source (review_id, source_name, location, id_at_source, same_author_and_day, same_content,
           same_text, posted_at, responded_at, said)
         select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
           value ->> 8, value ->> 9 from json_each(?)",
        rows
    )
}

/// A review with the author, day, stars and text of another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewCopy {
    pub id: String,
    pub source_name: String,
    pub status: Status,
}

/// The copies of the reviews `ids` among the others, by id.
pub async fn copies_of(
    connection: &mut SqliteConnection,
    ids: &[&str],
) -> sqlx::Result<Vec<ReviewCopy>> {
    let ids = Value::from(ids).to_string();
    let rows = sqlx::query!(
        r#"select o.review_id as "id: Text", o.source_name as "source_name: Text", r.author as "author: Text",
             r.status = 'published' as "is_published!: bool", r.withheld_reason as "reason: Text", own.author as "own_author: Text"
           from json_each(?1) as i cross join review_source as s on s.review_id = i.value
             cross join review as own on own.review_id = s.review_id
             cross join review_source as o on o.same_content = s.same_content cross join review as r on r.review_id = o.review_id
           where o.review_id not in (select value from json_each(?1)) order by 1"#,
        ids
    )
    .fetch_all(connection)
    .await?;
    let mut copies: Vec<ReviewCopy> = rows
        .into_iter()
        .filter(|row| is_one_name(row.author.as_ref(), row.own_author.as_ref()))
        .map(|row| ReviewCopy {
            id: row.id.into(),
            source_name: row.source_name.into(),
            status: if row.is_published {
                Status::Published
            } else {
                Status::Withheld {
                    reason: row.reason.map(String::from),
                }
            },
        })
        .collect();
    copies.dedup();
    Ok(copies)
}

/// Number of reviews of a source at a location, by status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceCount {
    /// The source's own name, even if the owner gave its reviews another one.
    pub source_name: String,
    pub location: Option<String>,
    pub published: i64,
    pub withheld: i64,
}

pub async fn counts_by_place(connection: &mut SqliteConnection) -> sqlx::Result<Vec<PlaceCount>> {
    sqlx::query_as!(
        PlaceCount,
        r#"select coalesce(s.source_name, r.source_name) as "source_name!: Text", s.location as "location!: NullableText",
             sum(r.status = 'published') as "published!: i64", sum(r.status <> 'published') as "withheld!: i64"
           from review as r left join review_source as s using (review_id) group by 1, 2 order by 1, 2"#
    )
    .fetch_all(connection)
    .await
}

/// Gives all that is kept of a source beside its reviews another source's name: its deleted reviews, its schedule and, unless
/// only one location is meant, its format and runs. The reviews have the new name already.
pub async fn rename_source_records(
    write: &mut Write,
    source: &str,
    new_name: &str,
    location: Option<&str>,
) -> sqlx::Result<()> {
    execute!(
        write,
        "update deleted_review set source_name = ?2 where source_name = ?1 and (?3 is null or location = ?3)",
        source,
        new_name,
        location
    )?;
    execute!(
        write,
        "update import_run set sources = (select json_group_array(value) from
           (select iif(value = ?1 and ?3 is null, ?2, value) as value from json_each(sources) union select ?2))
         where exists (select 1 from json_each(sources) where value = ?1)",
        source,
        new_name,
        location
    )?;
    if location.is_some() {
        return Ok(());
    }
    // A scheduled fetch without the option would bring all reviews again, under the former name.
    execute!(
        write,
        "update sync_source set options = json_set(options, '$.import', (select json_group_array(value) from (
           select value from json_each(options, '$.import') where lower(value) <> lower('--source=' || ?1)
           union all select '--source=' || ?2)))
         where exists (select 1 from json_each(options, '$.import') where lower(value) = lower('--source=' || ?1))
           or not exists (select 1 from json_each(options, '$.import') where value glob '--source=*')
             and exists (select 1 from sync_review as r join review_source as s using (review_id)
               where r.name = sync_source.name and s.source_name = ?2)",
        source,
        new_name
    )?;
    execute!(
        write,
        "update source set format = coalesce(format, (select o.format from source as o where o.name = ?1)) where name = ?2",
        source,
        new_name
    )?;
    execute!(write, "delete from source where name = ?", source)
}

/// Keeps the note, or removes the present one.
pub async fn set_note(write: &mut Write, id: &str, note: Option<&str>) -> sqlx::Result<()> {
    execute!(write, "delete from review_note where review_id = ?", id)?;
    execute!(
        write,
        "insert into review_note (review_id, note) select ?1, ?2 where ?2 is not null",
        id,
        note
    )
}

/// Records that the owner decided these units of a review by a command, even if they stay as they are. Imports then keep a
/// withheld review withheld, and any other value until its source has the same.
pub async fn note_decided(write: &mut Write, review: &Review, units: &[Unit]) -> sqlx::Result<()> {
    let known = sources(write.for_reading(), &[review.id.as_str()]).await?;
    let mut record = known.into_values().next().unwrap_or_else(|| {
        let digests = Digests::new(review, &review.author, None);
        SourceRecord::new(review.id.clone(), review.source.name.clone(), digests)
    });
    let mut statement = record.last_statement();
    statement.decided.extend(units);
    record.set_last_statement(&statement);
    note_sources(write, &[record]).await?;
    // The review may be unchanged. No change has the number 0, so an undo still treats the review as changed.
    let id = review.id.as_str();
    execute!(
        write,
        "update import_run_review set change_no = 0 where review_id = ?",
        id
    )
}

/// Keeps what identifies deleted reviews in files of their sources; their ids are marked by [`note_deleted`].
pub async fn keep_deleted(write: &mut Write, records: &[SourceRecord]) -> sqlx::Result<()> {
    let rows = Value::Array(records.iter().map(values).collect()).to_string();
    execute!(
        write,
        "insert or replace into deleted_review (review_id, source_name, location, id_at_source, same_author_and_day, same_content,
           same_text)
         select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6 from json_each(?)",
        rows
    )
}

/// Marks ids as deleted by the owner although they never existed here, so that they are not imported.
pub async fn note_deleted(write: &mut Write, ids: &[&str]) -> sqlx::Result<()> {
    let ids = Value::from(ids).to_string();
    execute!(
        write,
        "insert into review_change (review_id, change_no)
         select value, 1 + (select coalesce(max(change_no), 0) from review_change) from json_each(?) as i
         where not exists (select 1 from review_change as c where c.review_id = i.value)",
        ids
    )?;
    execute!(
        write,
        "update review_change set is_undone = 0 where review_id in (select value from json_each(?))",
        ids
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
