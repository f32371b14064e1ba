//! The publications: when a document gets a new version, and their rows. A version that subscribers may have is never
//! reused, and no date goes back, even if rows are deleted or altered.

use chrono::{DateTime, SubsecRound, Utc};
use sqlx::SqliteConnection;

use super::document::Document;
use crate::links::Links;
use crate::storage::{Text, Write, execute, instant_or_epoch, utc_milliseconds};

/// The base URL under which the feeds were first published, if they were. A loopback one, written by hand, and an invalid one count as
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

/// Stores the base URL of a publication, unless it is loopback; also as the first one, unless one is stored. The IDs of feed entries use
/// the first one permanently.
pub async fn record_base(write: &mut Write, links: &Links) -> sqlx::Result<()> {
    if links.is_loopback() {
        return Ok(());
    }
    let first = first_base(write.reader()).await?;
    let first = first.as_ref().unwrap_or(links).to_string();
    let last = links.to_string();
    execute!(
        write,
        "insert into instance (first_base_url, last_base_url) values (?, ?) on conflict (only_row)
         do update set first_base_url = excluded.first_base_url, last_base_url = excluded.last_base_url",
        first,
        last
    )
}

/// The last publication of the document, if there is one. Its version is at least the newest that a subscriber has.
pub async fn find(
    connection: &mut SqliteConnection,
    document: Document,
) -> sqlx::Result<Option<Publication>> {
    let name = document.name();
    let row = sqlx::query!(
        r#"select max(coalesce(p.version, 0),
               coalesce((select max(delivered_version) from subscription where document = ?1), 0)) as "version!: i64",
             coalesce(p.digest, '') as "digest!: Text", coalesce(p.changed_at, '') as "changed_at!: Text",
             p.same_second is 1 as "is_same_second!: bool"
           from (select 1) left join publication as p on p.document = ?1"#,
        name
    )
    .fetch_one(connection)
    .await?;
    let publication = Publication {
        version: row.version,
        digest: row.digest.into(),
        // Dates of HTTP begin in 1970.
        changed_at: instant_or_epoch(row.changed_at.as_ref()).max(DateTime::UNIX_EPOCH),
        is_same_second: row.is_same_second,
        is_confirmed: true,
    };
    Ok(Some(publication).filter(|publication| publication.version > 0))
}

/// The change number from which every row was rendered; 0 if there is none.
pub async fn published_change_no(connection: &mut SqliteConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"select coalesce(min(change_no), 0) as "change_no!: i64" from publication"#
    )
    .fetch_one(connection)
    .await
}

/// Stores a publication, which was rendered from `change_no` while `row` was stored. A null version makes the whole write fail, if a
/// former sender has just raised it.
pub async fn publish(
    write: &mut Write,
    document: Document,
    row: Option<&Publication>,
    publication: &Publication,
    change_no: i64,
) -> sqlx::Result<()> {
    let (name, at) = (document.name(), utc_milliseconds(publication.changed_at));
    let version_before = row.map_or(0, |row| row.version);
    execute!(
        write,
        "insert into publication (document, version, digest, changed_at, same_second, change_no) values (?1, ?2, ?3, ?4, ?5, ?6)
         on conflict (document) do update set version = iif(version > ?7, null, excluded.version), digest = excluded.digest,
           changed_at = excluded.changed_at, same_second = excluded.same_second, change_no = excluded.change_no",
        name,
        publication.version,
        publication.digest,
        at,
        publication.is_same_second,
        change_no,
        version_before
    )
}

// When a document gets a new version: pure policy.

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
    /// Whether the row is for these bytes before clients see them. Otherwise the process that raises versions has not published
    /// them; then the document has no change date and is not sent to subscribers.
    pub is_confirmed: bool,
}

impl Publication {
    /// The publication of a document with this digest by the process that raises versions. `last` is the last publication
    /// of this process, and `row` the stored one. A row older than `last` was deleted, altered or restored from a copy, and is
    /// written again.
    pub fn due(digest: &str, last: Option<&Self>, row: Option<&Self>, now: DateTime<Utc>) -> Self {
        let is_behind = row.is_none_or(|row| row.is_behind(last));
        if let Some(row) = row.filter(|row| row.digest == digest && !is_behind) {
            return row.clone();
        }
        let version = last.iter().chain(&row).map(|one| one.version).max();
        let changed_at = last.iter().chain(&row).map(|one| one.changed_at).max();
        let unchanged = last.filter(|last| last.digest == digest && is_behind);
        if let (Some(last), Some(version), Some(changed_at)) = (unchanged, version, changed_at) {
            return Self {
                version,
                changed_at,
                ..last.clone()
            };
        }
        // In the stored precision, so that it reads back equal. The clock may go back, but published dates may not.
        let now = changed_at
            .map_or(now, |last| last.max(now))
            .trunc_subsecs(3);
        Self {
            version: version.unwrap_or(0) + 1,
            digest: digest.to_owned(),
            changed_at: now,
            is_same_second: changed_at.is_some_and(|last| last.timestamp() == now.timestamp()),
            is_confirmed: true,
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
        let known = last.into_iter().chain(row);
        let changed_at = known.clone().map(|one| one.changed_at).max();
        Self {
            version: known.map(|one| one.version).max().unwrap_or(0),
            digest: digest.to_owned(),
            changed_at: changed_at.unwrap_or_else(|| now.trunc_subsecs(3)),
            is_same_second: false,
            is_confirmed: false,
        }
    }

    /// Whether this row is older than this process's last publication.
    pub fn is_behind(&self, last: Option<&Self>) -> bool {
        last.is_some_and(|last| self.version < last.version || self.changed_at < last.changed_at)
    }
}
