//! The publications: when a document gets a new version, and their rows. A version that subscribers may have is never
//! reused, and no date goes back, even if rows are deleted or altered.

use chrono::{DateTime, SubsecRound, Utc};
use sqlx::SqliteConnection;

use super::document::Document;
use crate::links::Links;
use crate::storage::{Text, Write, instant_or_epoch, utc_milliseconds};

/// The base URL under which the feeds were first published, if they were. A loopback URL and an invalid one count as
/// absent.
pub async fn first_base(connection: &mut SqliteConnection) -> sqlx::Result<Option<Links>> {
    let stored = sqlx::query_scalar!("select first_base_url from instance")
        .fetch_optional(connection)
        .await?;
    let base = stored.flatten().and_then(|base| base.parse().ok());
    Ok(base.filter(|base: &Links| !base.is_loopback()))
}

/// The base URL of the last publication, if there was one.
pub async fn served_base(connection: &mut SqliteConnection) -> sqlx::Result<Option<Links>> {
    let stored = sqlx::query_scalar!("select last_base_url from instance")
        .fetch_optional(connection)
        .await?;
    Ok(stored.flatten().and_then(|base| base.parse().ok()))
}

/// Stores the base URL of a publication; also as the first one, unless one is stored or this one is loopback. The IDs of
/// feed entries use the first one permanently.
pub async fn record_base(write: &mut Write, links: &Links) -> sqlx::Result<()> {
    let first = first_base(write.for_reading()).await?;
    let first = first.or_else(|| Some(links.clone()).filter(|links| !links.is_loopback()));
    let (first, last) = (first.map(|links| links.to_string()), links.to_string());
    sqlx::query!(
        "insert into instance (first_base_url, last_base_url) values (?, ?) on conflict (only_row)
         do update set first_base_url = excluded.first_base_url, last_base_url = excluded.last_base_url",
        first,
        last
    )
    .execute(write)
    .await?;
    Ok(())
}

/// The last publication of the document, if there is one.
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
        // Dates of HTTP begin in 1970.
        changed_at: instant_or_epoch(&String::from(row.changed_at)).max(DateTime::UNIX_EPOCH),
        is_same_second: row.same_second == 1,
        row: RowState::Stored,
    }))
}

/// Whether every row was rendered from `change_no`.
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
pub async fn publish(
    write: &mut Write,
    document: Document,
    digest: &str,
    last: Option<&Publication>,
    now: DateTime<Utc>,
) -> sqlx::Result<Publication> {
    let name = document.name();
    let row = find(write.for_reading(), document).await?;
    let delivered = sqlx::query_scalar!(
        r#"select coalesce(max(delivered_version), 0) as "version!: i64" from subscription where document = ?"#,
        name
    )
    .fetch_one(&mut *write)
    .await?;
    let publication = Publication::due(digest, last, row.as_ref(), delivered, now);
    if publication.row != RowState::Due {
        return Ok(publication);
    }
    // On many nodes: no other version may have been published in between.
    let before = row.map_or(0, |row| row.version);
    write
        .guard(
            "coalesce((select version from publication where document = ?1), 0) = ?2",
            |guard| guard.bind(name).bind(before),
        )
        .await?;
    let at = utc_milliseconds(publication.changed_at);
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
    .execute(&mut *write)
    .await?;
    Ok(Publication {
        row: RowState::Stored,
        ..publication
    })
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
        .execute(&mut *write)
        .await?;
    }
    sqlx::query!("update publication set digest = '', same_second = 0")
        .execute(&mut *write)
        .await
        .map(drop)
}

/// Records in every row that the published documents were rendered from `change_no`, even if their bytes did not
/// change.
pub async fn record_rendered_from(write: &mut Write, change_no: i64) -> sqlx::Result<()> {
    sqlx::query!(
        "update publication set change_no = ?1 where change_no <> ?1",
        change_no
    )
    .execute(&mut *write)
    .await?;
    Ok(())
}

// When a document gets a new version: pure policy.

/// How a publication relates to its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowState {
    /// The row is for these bytes.
    Stored,
    /// The row is to be written before clients see these bytes.
    Due,
    /// The process that raises versions has not published these bytes, or has rendered another state. Then the document
    /// has no change date and is not sent to subscribers.
    Ahead,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publication {
    /// Incremented with every change of the bytes.
    pub version: i64,
    /// The digest of the document's content.
    pub digest: String,
    /// The last change of the bytes; never goes back.
    pub changed_at: DateTime<Utc>,
    /// Whether the previous change was within the same second.
    pub is_same_second: bool,
    pub row: RowState,
}

impl Publication {
    /// Whether its row is for these bytes.
    pub fn is_confirmed(&self) -> bool {
        self.row != RowState::Ahead
    }

    /// The publication of a document with this digest by a process that raises versions. `last` is the last publication
    /// of this process, `row` the stored one, and `delivered` the newest version that a subscriber has.
    ///
    /// A row older than `last` was deleted, altered or restored from a copy, and is written again. A row with other
    /// bytes although ours have not changed belongs to a process that serves the same file under another base URL: two
    /// writers would never settle, so the row stays and its version applies.
    pub fn due(
        digest: &str,
        last: Option<&Self>,
        row: Option<&Self>,
        delivered: i64,
        now: DateTime<Utc>,
    ) -> Self {
        let unchanged = last.filter(|last| last.digest == digest);
        if let Some(row) = row.filter(|row| !row.is_behind(last)) {
            if row.digest == digest {
                return row.clone();
            }
            if let Some(last) = unchanged {
                return Self {
                    version: row.version,
                    ..last.clone()
                };
            }
        }
        let version = last.iter().chain(&row).map(|one| one.version).max();
        let changed_at = last.iter().chain(&row).map(|one| one.changed_at).max();
        if let (Some(last), Some(version), Some(changed_at)) = (unchanged, version, changed_at) {
            return Self {
                version,
                changed_at,
                row: RowState::Due,
                ..last.clone()
            };
        }
        // In the stored precision, so that it reads back equal. The clock may go back, but published dates may not.
        let now = changed_at
            .map_or(now, |last| last.max(now))
            .trunc_subsecs(3);
        Self {
            version: version.unwrap_or(0).max(delivered) + 1,
            digest: digest.to_owned(),
            changed_at: now,
            is_same_second: changed_at.is_some_and(|last| last.timestamp() == now.timestamp()),
            row: RowState::Due,
        }
    }

    /// The publication of a document with this digest by a process that raises no versions. If `row` is not for these
    /// bytes, the date is not later than the published one, so that no date goes back when the row arrives.
    pub fn shown(
        digest: &str,
        last: Option<&Self>,
        row: Option<&Self>,
        now: DateTime<Utc>,
    ) -> Self {
        if let Some(row) = row.filter(|row| row.digest == digest) {
            return row.clone();
        }
        let known = || last.into_iter().chain(row);
        let changed_at = known().map(|one| one.changed_at).max();
        Self {
            version: known().map(|one| one.version).max().unwrap_or(0),
            digest: digest.to_owned(),
            changed_at: changed_at.unwrap_or_else(|| now.trunc_subsecs(3)),
            is_same_second: false,
            row: RowState::Ahead,
        }
    }

    /// Whether this row is older than this process's last publication.
    pub fn is_behind(&self, last: Option<&Self>) -> bool {
        last.is_some_and(|last| self.version < last.version || self.changed_at < last.changed_at)
    }
}
