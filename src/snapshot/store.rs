//! The publications' rows: the published version of each document.

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::Value;
use sqlx::SqliteConnection;

use super::document::Document;
use super::publication::Publication;
use crate::links::Links;
use crate::storage::{Text, Write};

/// The base URL under which the feeds were first published, if they were. A loopback URL and an invalid one count as
/// absent.
///
/// # Errors
/// If the database cannot be read.
pub async fn first_base(connection: &mut SqliteConnection) -> sqlx::Result<Option<Links>> {
    let stored = sqlx::query_scalar!("select base_url from published_base")
        .fetch_optional(connection)
        .await?;
    let base = stored.and_then(|base| base.parse().ok());
    Ok(base.filter(|base: &Links| !base.is_loopback()))
}

/// Stores the base URL unless one is stored or this one is loopback. The IDs of feed entries use it permanently.
///
/// # Errors
/// If the database cannot be written.
pub async fn keep_first_base(write: &mut Write, links: &Links) -> sqlx::Result<()> {
    if links.is_loopback() || first_base(&mut *write).await?.is_some() {
        return Ok(());
    }
    let base = links.to_string();
    sqlx::query!(
        "insert into published_base (only, base_url) values (1, ?) on conflict (only) do update set base_url = excluded.base_url",
        base
    )
    .execute(&mut **write)
    .await?;
    Ok(())
}

/// The last publication of the document, if there is one.
///
/// # Errors
/// If the database cannot be read.
pub async fn find(
    connection: &mut SqliteConnection,
    document: Document,
) -> sqlx::Result<Option<Publication>> {
    let name = document.name();
    let row = sqlx::query!(
        r#"select version, digest as "digest: Text", changed_at as "changed_at: Text", same_second
           from publication where document = ?"#,
        name
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| Publication {
        version: row.version,
        digest: row.digest.into(),
        changed_at: instant(&String::from(row.changed_at)),
        is_same_second: row.same_second == 1,
    }))
}

/// Whether every row was rendered from `change_no`.
///
/// # Errors
/// If the database cannot be read.
pub async fn is_rendered_from(
    connection: &mut SqliteConnection,
    change_no: i64,
) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"select not exists (select 1 from publication where change_no <> ?) as "is: bool""#,
        change_no
    )
    .fetch_one(connection)
    .await
}

/// Publishes a document if it is still due within this write transaction; see [`Publication::due`].
///
/// # Errors
/// If the database cannot be written.
pub async fn publish(
    write: &mut Write,
    document: Document,
    digest: &str,
    said: Option<&Publication>,
    now: DateTime<Utc>,
) -> sqlx::Result<Publication> {
    let name = document.name();
    let row = find(&mut *write, document).await?;
    let delivered = sqlx::query_scalar!(
        r#"select coalesce(max(delivered_version), 0) as "version!: i64" from subscription where document = ?"#,
        name
    )
    .fetch_one(&mut **write)
    .await?;
    let (publication, is_due) = Publication::due(digest, said, row.as_ref(), delivered, now);
    if !is_due {
        return Ok(publication);
    }
    // In a cluster: no other version may have been published in between.
    let before = row.map_or(0, |row| row.version);
    write
        .guard(
            "coalesce((select version from publication where document = ?1), 0) = ?2",
            &[Value::from(name), Value::from(before)],
        )
        .await?;
    let at = publication
        .changed_at
        .to_rfc3339_opts(SecondsFormat::Millis, true);
    let same_second = i64::from(publication.is_same_second);
    sqlx::query!(
        "insert into publication (document, version, digest, changed_at, same_second, change_no) values (?, ?, ?, ?, ?, 0)
         on conflict (document) do update set version = excluded.version, digest = excluded.digest,
           changed_at = excluded.changed_at, same_second = excluded.same_second",
        name,
        publication.version,
        publication.digest,
        at,
        same_second,
    )
    .execute(&mut **write)
    .await?;
    Ok(publication)
}

/// Makes versions and dates continue above those that the `former` database published, and makes every document due.
///
/// # Errors
/// If `former` cannot be read or the other database cannot be written.
pub async fn carry_publications(
    former: &mut SqliteConnection,
    write: &mut Write,
) -> sqlx::Result<()> {
    let rows = sqlx::query!(
        r#"select document as "document: Text", version, changed_at as "changed_at: Text" from publication"#
    )
    .fetch_all(former)
    .await?;
    for row in rows {
        let (document, changed_at) = (row.document.as_ref(), row.changed_at.as_ref());
        sqlx::query!(
            "insert into publication (document, version, digest, changed_at, change_no) values (?, ?, '', ?, 0)
             on conflict (document) do update set version = max(version, excluded.version),
               changed_at = max(changed_at, excluded.changed_at)",
            document,
            row.version,
            changed_at
        )
        .execute(&mut **write)
        .await?;
    }
    sqlx::query!("update publication set digest = '', same_second = 0")
        .execute(&mut **write)
        .await
        .map(drop)
}

/// Records in every row that the published documents were rendered from `change_no`, even if their bytes did not
/// change.
///
/// # Errors
/// If the database cannot be written.
pub async fn record_rendered_from(write: &mut Write, change_no: i64) -> sqlx::Result<()> {
    sqlx::query!(
        "update publication set change_no = ?1 where change_no <> ?1",
        change_no
    )
    .execute(&mut **write)
    .await?;
    Ok(())
}

/// An invalid stored instant becomes the epoch, and is replaced with the next change.
fn instant(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).map_or(DateTime::UNIX_EPOCH, |instant| instant.to_utc())
}
