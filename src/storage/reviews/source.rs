//! Each source's last version of a review: digests, instants and locations beside the reviews' rows.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::SqliteConnection;

use super::rows::{ReviewState, of_ids};
use crate::model::{
    Base, DigestKey, Fingerprints, Review, ReviewId, Status, Unit, Units, hex, is_one_name,
};
use crate::random::Random;
use crate::storage::text::{NullableText, Text, instant, strings, utc};
use crate::storage::write::Write;

/// A source's last version of one review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceVersion {
    pub id: ReviewId,
    /// The id at the source, if a review of another source has it.
    pub own_id: Option<String>,
    pub source_name: String,
    /// One of the business's locations, by the source's name for it.
    pub location: Option<String>,
    /// When it was written, if the source gives an instant.
    pub posted_at: Option<DateTime<Utc>>,
    /// When it was answered, if the source gives an instant.
    pub responded_at: Option<DateTime<Utc>>,
    /// Digests of the last version, by field.
    pub base: Base,
    pub fingerprints: Fingerprints,
}

impl SourceVersion {
    /// One that says nothing of any field.
    pub fn new(id: ReviewId, source_name: String, fingerprints: Fingerprints) -> Self {
        Self {
            id,
            own_id: None,
            source_name,
            location: None,
            posted_at: None,
            responded_at: None,
            base: Base::default(),
            fingerprints,
        }
    }
}

/// Reviews that are read at once.
const ROWS: i64 = 1_000;

/// What is stored of a review.
#[derive(Debug)]
pub struct KnownReview {
    pub state: ReviewState,
    /// `None` if no source gave it. Of a deleted review, only what identifies it.
    pub source: Option<SourceVersion>,
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

    /// The units that the owner decided; `key` is that of the database, if it has one. Of a review that no source gave, all.
    pub fn decisions(&self, key: Option<&DigestKey>) -> Units {
        let Some(review) = self.review() else {
            return Units::new();
        };
        if let (Some(source), Some(key)) = (&self.source, key) {
            return source.base.decisions(key, review);
        }
        let units = Unit::ALL.into_iter();
        units.filter(|unit| !unit.is_unset(review)).collect()
    }
}

/// Reviews that are there, and those that the owner deleted.
pub type Known = BTreeMap<ReviewId, KnownReview>;

/// The key of this database's digests; created if there is none.
///
/// # Errors
/// When the database refuses the write, or the operating system gives no randomness.
pub async fn digest_key(write: &mut Write) -> sqlx::Result<DigestKey> {
    if let Some(key) = find_key(write.for_reading()).await? {
        return Ok(key);
    }
    let random = Random::system();
    let mut key = Vec::with_capacity(32);
    for _ in 0..2 {
        key.extend(random.bytes_16().map_err(sqlx::Error::Io)?);
    }
    let text = hex(&key);
    execute!(
        write,
        "insert into source_key (key) values (unhex(?))",
        text
    )?;
    DigestKey::new(&key).map_err(|error| sqlx::Error::Decode(Box::new(error)))
}

/// `None` before the first import.
pub async fn find_key(connection: &mut SqliteConnection) -> sqlx::Result<Option<DigestKey>> {
    let key = sqlx::query_scalar!("select key from source_key")
        .fetch_optional(connection)
        .await?;
    key.map(|key| DigestKey::new(&key).map_err(|error| sqlx::Error::Decode(Box::new(error))))
        .transpose()
}

/// What is stored of the reviews with these ids.
pub async fn standing(connection: &mut SqliteConnection, ids: &[&str]) -> sqlx::Result<Known> {
    let mut sources = sources(connection, ids).await?;
    let mut notes = notes(connection, ids).await?;
    let there = of_ids(connection, ids).await?;
    let list = Value::from(ids).to_string();
    let deleted = sqlx::query!(
        r#"select c.review_id as "review_id: Text", source_name as "source_name?: Text", location as "location: Text",
             own_id as "own_id: Text", fingerprint as "fingerprint?: i64", author_day as "author_day?: i64"
           from json_each(?) as i cross join review_change as c on c.review_id = i.value
             left join deleted_review as d on d.review_id = c.review_id
           where not exists (select 1 from review as r where r.review_id = c.review_id)
             and not exists (select 1 from undone_review as u where u.review_id = c.review_id)"#,
        list
    )
    .fetch_all(connection)
    .await?;
    let there = there.into_iter().map(|(id, state)| {
        let (source, note) = (sources.remove(&id), notes.remove(&id));
        let known = KnownReview {
            state,
            source,
            note,
        };
        (id, known)
    });
    let deleted = deleted.into_iter().filter_map(|row| {
        let id: ReviewId = row.review_id.as_ref().parse().ok()?;
        let fingerprints = row.fingerprint.zip(row.author_day);
        let source = row
            .source_name
            .zip(fingerprints)
            .map(|(name, (content, author_day))| SourceVersion {
                location: row.location.map(String::from),
                own_id: row.own_id.map(String::from),
                ..SourceVersion::new(
                    id.clone(),
                    name.into(),
                    Fingerprints {
                        content,
                        author_day,
                    },
                )
            });
        let known = KnownReview {
            state: ReviewState::Deleted,
            source,
            note: None,
        };
        Some((id, known))
    });
    Ok(there.chain(deleted).collect())
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

/// The sources' last versions, by review id.
async fn sources(
    connection: &mut SqliteConnection,
    ids: &[&str],
) -> sqlx::Result<HashMap<ReviewId, SourceVersion>> {
    let list = Value::from(ids).to_string();
    let rows = sqlx::query!(
        r#"select s.review_id as "review_id: Text", source_name as "source_name: Text", location as "location: Text",
             posted_at as "posted_at: Text", responded_at as "responded_at: Text",
             base, fingerprint, author_day, own_id as "own_id: Text"
           from json_each(?) as i cross join review_source as s on s.review_id = i.value"#,
        list
    )
    .fetch_all(connection)
    .await?;
    let instant = |at: Option<Text>| instant(at?.as_ref());
    let versions = rows.into_iter().filter_map(|row| {
        let id: ReviewId = row.review_id.as_ref().parse().ok()?;
        let version = SourceVersion {
            id: id.clone(),
            source_name: row.source_name.into(),
            location: row.location.map(String::from),
            posted_at: instant(row.posted_at),
            responded_at: instant(row.responded_at),
            base: Base::unpack(&row.base),
            fingerprints: Fingerprints {
                content: row.fingerprint,
                author_day: row.author_day,
            },
            own_id: row.own_id.map(String::from),
        };
        Some((id, version))
    });
    Ok(versions.collect())
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

/// Stores the sources' last versions; unchanged ones are not written.
pub async fn note_sources(write: &mut Write, rows: &[SourceVersion]) -> sqlx::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let row = |row: &SourceVersion| {
        json!([
            row.id.as_str(),
            row.source_name,
            row.location,
            row.posted_at.map(utc),
            row.responded_at.map(utc),
            hex(&row.base.pack()),
            row.fingerprints.content,
            row.fingerprints.author_day,
            row.own_id
        ])
    };
    let rows = Value::Array(rows.iter().map(row).collect()).to_string();
    execute!(
        write,
        "insert into review_source (review_id, source_name, location, posted_at, responded_at, base, fingerprint, author_day,
           own_id)
         select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, unhex(value ->> 5), value ->> 6, value ->> 7,
           value ->> 8
         from json_each(?) where true
         on conflict (review_id) do update set source_name = excluded.source_name, location = excluded.location,
           posted_at = excluded.posted_at, responded_at = excluded.responded_at, base = excluded.base,
           fingerprint = excluded.fingerprint, author_day = excluded.author_day, own_id = excluded.own_id
         where (source_name, location, posted_at, responded_at, base, fingerprint, author_day, own_id) is not (
           excluded.source_name, excluded.location, excluded.posted_at, excluded.responded_at, excluded.base,
           excluded.fingerprint, excluded.author_day, excluded.own_id)",
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
             cross join review_source as o on o.fingerprint = s.fingerprint cross join review as r on r.review_id = o.review_id
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
/// only one location is meant, its columns and runs. The reviews have the new name already.
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
        "insert into source_column (source_name, header, meaning) select ?2, header, meaning from source_column
         where source_name = ?1 on conflict do nothing",
        source,
        new_name
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
        "delete from source_column where source_name = ?",
        source
    )
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
///
/// # Errors
/// When the database refuses the write, or the operating system gives no randomness.
pub async fn note_decided(write: &mut Write, review: &Review, units: &[Unit]) -> sqlx::Result<()> {
    let known = sources(write.for_reading(), &[review.id.as_str()]).await?;
    let mut row = known.into_values().next().unwrap_or_else(|| {
        let source_name = review.source.name.clone();
        let fingerprints = Fingerprints::new(review, &review.author);
        SourceVersion::new(review.id.clone(), source_name, fingerprints)
    });
    for unit in units {
        row.base.set_decided(*unit);
    }
    note_sources(write, &[row]).await?;
    // The review may be unchanged. No change has the number 0, so an undo still treats the review as changed.
    let id = review.id.as_str();
    execute!(
        write,
        "update import_run_review set change_no = 0 where review_id = ?",
        id
    )
}

/// Keeps what identifies deleted reviews in files of their sources; their ids are marked by [`note_deleted`].
pub async fn keep_deleted(write: &mut Write, reviews: &[&SourceVersion]) -> sqlx::Result<()> {
    let row = |kept: &&SourceVersion| {
        let Fingerprints {
            content,
            author_day,
        } = kept.fingerprints;
        let (id, source, location) = (kept.id.as_str(), &kept.source_name, &kept.location);
        json!([id, source, location, kept.own_id, content, author_day])
    };
    let rows = Value::Array(reviews.iter().map(row).collect()).to_string();
    execute!(
        write,
        "insert into deleted_review (review_id, source_name, location, own_id, fingerprint, author_day)
         select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 from json_each(?) where true
         on conflict (review_id) do update set source_name = excluded.source_name, location = excluded.location,
           own_id = excluded.own_id, fingerprint = excluded.fingerprint, author_day = excluded.author_day",
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
    delete_rows!(write, "undone_review", ids).map(drop)
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
