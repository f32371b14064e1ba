//! The publications' rows: which version of each document is out.

use chrono::{DateTime, SecondsFormat, SubsecRound, Utc};
use sqlx::{Sqlite, SqliteConnection, Transaction};

use super::document::Document;

/// What is known about a document that is out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publication {
    /// Raised by one with every change of the bytes.
    pub version: i64,
    /// The content's digest.
    pub digest: String,
    /// When the bytes last changed; never goes back.
    pub changed_at: DateTime<Utc>,
    /// Whether the change before fell into the same second.
    pub is_same_second: bool,
}

/// The document as it was last published, or `None` where it never was.
///
/// # Errors
/// When the database cannot be read.
pub async fn find(connection: &mut SqliteConnection, document: Document) -> sqlx::Result<Option<Publication>> {
    let name = document.name();
    let row = sqlx::query!("select version, digest, changed_at, same_second from publication where document = ?", name)
        .fetch_optional(connection)
        .await?;
    Ok(row.map(|row| Publication {
        version: row.version,
        digest: row.digest,
        changed_at: instant(&row.changed_at),
        is_same_second: row.same_second == 1,
    }))
}

/// Publishes `digest`, printed from `change_no`: a new version where it differs from what is out.
///
/// # Errors
/// When the database cannot be written.
pub async fn publish(
    write: &mut Transaction<'static, Sqlite>,
    document: Document,
    digest: &str,
    change_no: i64,
    now: DateTime<Utc>,
) -> sqlx::Result<Publication> {
    let name = document.name();
    // As it is stored, so that whoever reads it back has the same instant.
    let now = now.trunc_subsecs(3);
    let old = find(&mut *write, document).await?;
    if let Some(old) = &old
        && old.digest == digest
    {
        return Ok(old.clone());
    }
    // The clock may go back; what we have said about the past may not.
    let changed_at = old.as_ref().map_or(now, |old| now.max(old.changed_at));
    let is_same_second = old.as_ref().is_some_and(|old| old.changed_at.timestamp() == changed_at.timestamp());
    let version = old.as_ref().map_or(1, |old| old.version + 1);
    let (at, same_second) = (changed_at.to_rfc3339_opts(SecondsFormat::Millis, true), i64::from(is_same_second));
    sqlx::query!(
        "insert into publication (document, version, digest, changed_at, same_second, change_no) values (?, ?, ?, ?, ?, ?)
         on conflict (document) do update set version = excluded.version, digest = excluded.digest,
           changed_at = excluded.changed_at, same_second = excluded.same_second, change_no = excluded.change_no",
        name,
        version,
        digest,
        at,
        same_second,
        change_no,
    )
    .execute(&mut **write)
    .await?;
    Ok(Publication { version, digest: digest.to_owned(), changed_at, is_same_second })
}

/// The instant of a stored text; whoever wrote nonsense there by hand gets the epoch, and a new one with the next change.
fn instant(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).map_or(DateTime::UNIX_EPOCH, |instant| instant.to_utc())
}
