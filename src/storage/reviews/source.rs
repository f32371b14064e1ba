//! Each source's last version of a review: digests, instants and locations beside the reviews' rows.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::SqliteConnection;

use super::rows::of_ids;
use crate::model::hash::hex;
use crate::model::{
    Base, DUPLICATE, DigestKey, Fingerprints, Response, Review, ReviewId, Status, Unit,
};
use crate::random::Random;
use crate::storage::text::{NullableText, instant, strings, utc};
use crate::storage::{Text, Write};

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

#[derive(Debug, Default)]
pub struct KnownReviews {
    /// Published or withheld.
    pub reviews: HashMap<String, Review>,
    pub sources: HashMap<String, SourceVersion>,
    /// Ids of reviews that the owner deleted.
    pub deleted: HashSet<String>,
}

/// What of an unreadable row still counts: its status, and the owner's answer.
pub type StoredDecisions = (Status, Option<Response>);

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
    sqlx::query!("insert into source_key (key) values (unhex(?))", text)
        .execute(&mut *write)
        .await?;
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

/// The sources' last versions of the rows that the end of the query names; rows with an invalid id are left out.
macro_rules! stored_sources {
    ($connection:ident, $from:literal $(, $argument:ident)*) => {{
        let rows = sqlx::query!(
            r#"select s.review_id as "review_id: Text", source_name as "source_name: Text", location as "location!: NullableText",
             posted_at as "posted_at: Text", responded_at as "responded_at: Text",
             base as "base!: Vec<u8>", fingerprint as "fingerprint!: i64", author_day as "author_day!: i64",
             own_id as "own_id!: NullableText"
           from "# + $from
            $(, $argument)*
        );
        let rows = rows.fetch_all($connection).await?;
        let instant = |at: Option<Text>| instant(at?.as_ref());
        rows.into_iter().filter_map(move |row| {
            Some(SourceVersion {
                id: row.review_id.as_ref().parse().ok()?,
                source_name: row.source_name.into(),
                location: row.location.into(),
                posted_at: instant(row.posted_at),
                responded_at: instant(row.responded_at),
                base: Base::unpack(&row.base),
                fingerprints: Fingerprints {
                    content: row.fingerprint,
                    author_day: row.author_day,
                },
                own_id: row.own_id.into(),
            })
        })
    }};
}

pub async fn standing(
    connection: &mut SqliteConnection,
    ids: &[&str],
) -> sqlx::Result<KnownReviews> {
    let reviews = of_ids(connection, ids).await?;
    let reviews: HashMap<String, Review> = reviews
        .into_iter()
        .map(|row| (row.review.id.to_string(), row.review))
        .collect();
    let sources = sources(connection, ids).await?;
    let list = Value::from(ids).to_string();
    let deleted = sqlx::query_scalar!(
        r#"select c.review_id as "id: Text" from json_each(?) as i cross join review_change as c on c.review_id = i.value
           where not exists (select 1 from review as r where r.review_id = c.review_id)
             and not exists (select 1 from undone_review as u where u.review_id = c.review_id)"#,
        list
    )
    .fetch_all(connection)
    .await?;
    Ok(KnownReviews {
        reviews,
        sources,
        deleted: strings(deleted),
    })
}

/// What is kept of the sources' last versions of all deleted reviews.
pub async fn deleted_reviews(
    connection: &mut SqliteConnection,
) -> sqlx::Result<Vec<SourceVersion>> {
    let rows = stored_sources!(
        connection,
        "(select *, null as posted_at, null as responded_at, x'' as base from deleted_review) as s order by review_id"
    );
    Ok(rows.collect())
}

/// The decisions in the rows of these ids, by id, whether or not the rest of a row can be read.
pub async fn stored_decisions(
    connection: &mut SqliteConnection,
    ids: &[&str],
) -> sqlx::Result<HashMap<String, StoredDecisions>> {
    type Row = (
        Text,
        Text,
        Option<Text>,
        Option<Text>,
        Option<Text>,
        Option<Text>,
    );
    let select = "select review_id, status, substr(withheld_reason, 1, 1000),
           response_text, response_on, substr(response_author, 1, 1000)
         from json_each(?) as i cross join review as r on r.review_id = i.value";
    let rows: Vec<Row> = sqlx::query_as(select)
        .bind(Value::from(ids).to_string())
        .fetch_all(connection)
        .await?;
    let decisions = rows
        .into_iter()
        .map(|(id, status, reason, text, date, author)| {
            let reason = reason.map(String::from);
            // Whatever is not public stays hidden.
            let status = match status.as_ref() {
                "published" => Status::Published,
                _ => Status::Withheld { reason },
            };
            let response = text.map(|text| Response {
                text: text.into(),
                date: date.and_then(|date| date.as_ref().parse().ok()),
                author: author.map(String::from),
            });
            (id.into(), (status, response))
        });
    Ok(decisions.collect())
}

/// By review id.
pub async fn sources(
    connection: &mut SqliteConnection,
    ids: &[&str],
) -> sqlx::Result<HashMap<String, SourceVersion>> {
    let list = Value::from(ids).to_string();
    let rows = stored_sources!(
        connection,
        "json_each(?) as i cross join review_source as s on s.review_id = i.value",
        list
    );
    Ok(rows.map(|row| (row.id.to_string(), row)).collect())
}

/// Up to `limit` reviews whose source gave instants, by id, after `after`.
pub async fn sources_with_instants(
    connection: &mut SqliteConnection,
    after: &str,
    limit: i64,
) -> sqlx::Result<Vec<SourceVersion>> {
    let rows = stored_sources!(
        connection,
        "review_source as s where (posted_at is not null or responded_at is not null) and review_id > ?
           order by review_id limit ?",
        after, limit
    );
    Ok(rows.collect())
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
    sqlx::query!(
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
    .execute(&mut *write)
    .await?;
    Ok(())
}

/// A review with the author, day, stars and text of another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewCopy {
    pub id: String,
    pub source_name: String,
    pub is_published: bool,
}

/// The first `limit` copies of the review `id`, published ones first.
pub async fn copies_of(
    connection: &mut SqliteConnection,
    id: &str,
    limit: i64,
) -> sqlx::Result<Vec<ReviewCopy>> {
    sqlx::query_as!(
        ReviewCopy,
        r#"select o.review_id as "id: Text", o.source_name as "source_name: Text", r.status = 'published' as "is_published!: bool"
           from review_source as s cross join review_source as o on o.fingerprint = s.fingerprint and o.review_id <> s.review_id
             cross join review as r on r.review_id = o.review_id
           where s.review_id = ? order by 3 desc, 1 limit ?"#,
        id,
        limit
    )
    .fetch_all(connection)
    .await
}

/// The reviews outside of `ids` that are withheld as duplicates and are copies of some of these.
pub async fn duplicates_of(
    connection: &mut SqliteConnection,
    ids: &[&str],
) -> sqlx::Result<Vec<String>> {
    let ids = json!(ids).to_string();
    let found = sqlx::query_scalar!(
        r#"select distinct o.review_id as "id: Text"
           from json_each(?1) as j cross join review_source as s on s.review_id = j.value
             cross join review_source as o on o.fingerprint = s.fingerprint
             cross join review as r on r.review_id = o.review_id
           where r.withheld_reason = ?2 and o.review_id not in (select value from json_each(?1)) order by 1"#,
        ids,
        DUPLICATE
    )
    .fetch_all(connection)
    .await?;
    Ok(found.into_iter().map(String::from).collect())
}

/// Number of reviews of a source at a location, by status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceCount {
    /// The source's own name, even if the owner gave its reviews another one.
    pub source_name: String,
    pub location: Option<String>,
    pub published: u64,
    pub withheld: u64,
}

pub async fn counts_by_place(connection: &mut SqliteConnection) -> sqlx::Result<Vec<PlaceCount>> {
    let rows = sqlx::query!(
        r#"select coalesce(s.source_name, r.source_name) as "source_name!: Text", s.location as "location: Text",
             sum(r.status = 'published') as "published!: i64", sum(r.status <> 'published') as "withheld!: i64"
           from review as r left join review_source as s using (review_id) group by 1, 2 order by 1, 2"#
    )
    .fetch_all(connection)
    .await?;
    let rows = rows.into_iter().map(|row| PlaceCount {
        source_name: row.source_name.into(),
        location: row.location.map(String::from),
        published: row.published.unsigned_abs(),
        withheld: row.withheld.unsigned_abs(),
    });
    Ok(rows.collect())
}

/// Up to `limit` ids, after `after`, of reviews of a source, at a location if one is given.
pub async fn ids_of_source(
    connection: &mut SqliteConnection,
    source: &str,
    location: Option<&str>,
    after: &str,
    limit: i64,
) -> sqlx::Result<Vec<String>> {
    let ids = sqlx::query_scalar!(
        r#"select r.review_id as "id: Text" from review as r left join review_source as s using (review_id)
           where coalesce(s.source_name, r.source_name) = ?1 and (?2 is null or s.location = ?2) and r.review_id > ?3
           order by r.review_id limit ?4"#,
        source,
        location,
        after,
        limit
    );
    Ok(ids
        .fetch_all(connection)
        .await?
        .into_iter()
        .map(String::from)
        .collect())
}

/// Gives all that is kept of a source beside its reviews another source's name: its deleted reviews and, unless only one
/// location is meant, its columns and runs.
pub async fn rename_source_records(
    write: &mut Write,
    source: &str,
    new_name: &str,
    location: Option<&str>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update deleted_review set source_name = ?2 where source_name = ?1 and (?3 is null or location = ?3)",
        source,
        new_name,
        location
    )
    .execute(&mut *write)
    .await?;
    sqlx::query!(
        "insert into source_column (source_name, header, meaning) select ?2, header, meaning from source_column
         where source_name = ?1 on conflict do nothing",
        source,
        new_name
    )
    .execute(&mut *write)
    .await?;
    sqlx::query!(
        "insert into import_run_source (run_id, source_name) select run_id, ?2 from import_run_source
         where source_name = ?1 on conflict do nothing",
        source,
        new_name
    )
    .execute(&mut *write)
    .await?;
    if location.is_some() {
        return Ok(());
    }
    sqlx::query!("delete from source_column where source_name = ?", source)
        .execute(&mut *write)
        .await?;
    sqlx::query!(
        "delete from import_run_source where source_name = ?",
        source
    )
    .execute(&mut *write)
    .await
    .map(drop)
}

// The owner's notes, which are not published.

pub async fn find_note(
    connection: &mut SqliteConnection,
    id: &str,
) -> sqlx::Result<Option<String>> {
    let note = sqlx::query_scalar!(
        r#"select note as "note: Text" from review_note where review_id = ?"#,
        id
    );
    Ok(note.fetch_optional(connection).await?.map(String::from))
}

/// The notes on these reviews, by id.
pub async fn notes(
    connection: &mut SqliteConnection,
    ids: &[&str],
) -> sqlx::Result<HashMap<String, String>> {
    let list = Value::from(ids).to_string();
    let notes = sqlx::query!(
        r#"select review_id as "id: Text", note as "note: Text" from review_note where review_id in (select value from json_each(?))"#,
        list
    )
    .fetch_all(connection)
    .await?;
    let notes = notes.into_iter();
    Ok(notes.map(|row| (row.id.into(), row.note.into())).collect())
}

/// Keeps the note, or removes the present one.
pub async fn set_note(write: &mut Write, id: &str, note: Option<&str>) -> sqlx::Result<()> {
    match note {
        Some(note) => {
            sqlx::query!(
                "insert into review_note (review_id, note) values (?, ?)
                 on conflict (review_id) do update set note = excluded.note",
                id,
                note
            )
            .execute(&mut *write)
            .await?
        }
        None => {
            sqlx::query!("delete from review_note where review_id = ?", id)
                .execute(&mut *write)
                .await?
        }
    };
    Ok(())
}

/// The ids among these that a review has.
pub async fn ids_present(
    connection: &mut SqliteConnection,
    ids: &[&str],
) -> sqlx::Result<HashSet<String>> {
    let list = Value::from(ids).to_string();
    let ids = sqlx::query_scalar!(
        r#"select review_id as "id: Text" from review where review_id in (select value from json_each(?))"#,
        list
    );
    Ok(strings(ids.fetch_all(connection).await?))
}

/// Records that the owner published or withheld a review by a command. Imports then keep it withheld, or published until
/// its source publishes it, too.
///
/// # Errors
/// When the database refuses the write, or the operating system gives no randomness.
pub async fn note_status_decided(write: &mut Write, review: &Review) -> sqlx::Result<()> {
    let known = sources(write.for_reading(), &[review.id.as_str()]).await?;
    let mut row = known.into_values().next().unwrap_or_else(|| SourceVersion {
        id: review.id.clone(),
        source_name: review.source.name.clone(),
        location: None,
        posted_at: None,
        responded_at: None,
        base: Base::default(),
        fingerprints: Fingerprints::new(review),
        own_id: None,
    });
    row.base.set_decided(Unit::Status);
    note_sources(write, &[row]).await?;
    // The review may be unchanged. No change has the number 0, so an undo still treats the review as changed.
    let id = review.id.as_str();
    sqlx::query!(
        "update import_run_review set change_no = 0 where review_id = ?",
        id
    )
    .execute(&mut *write)
    .await?;
    Ok(())
}

/// Keeps what an export has of deleted reviews; their ids are marked by [`note_deleted`].
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
    sqlx::query!(
        "insert into deleted_review (review_id, source_name, location, own_id, fingerprint, author_day)
         select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 from json_each(?) where true
         on conflict do nothing",
        rows
    )
    .execute(&mut *write)
    .await
    .map(drop)
}

/// Marks ids as deleted by the owner although they never existed here, so that they are not imported.
pub async fn note_deleted(write: &mut Write, ids: &[&str]) -> sqlx::Result<()> {
    let ids = Value::from(ids).to_string();
    sqlx::query!(
        "insert into review_change (review_id, change_no)
         select value, 1 + (select coalesce(max(change_no), 0) from review_change) from json_each(?) as i
         where not exists (select 1 from review_change as c where c.review_id = i.value)",
        ids
    )
    .execute(&mut *write)
    .await?;
    sqlx::query!(
        "delete from undone_review where review_id in (select value from json_each(?))",
        ids
    )
    .execute(&mut *write)
    .await?;
    Ok(())
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
