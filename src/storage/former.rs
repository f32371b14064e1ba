//! Former states of the database, kept beside it for 30 days: the file that a restore replaced, and a copy from before
//! an upgrade. Their names contain the reason and the time: `reviews.db.before-upgrade-1.0.0-20261122T021500Z`.

use std::fs::{self, File, hard_link, remove_file, rename};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use sqlx::sqlite::SqliteConnection;

use super::Database;
use super::error::DbError;
use super::files::{JOURNAL, LOG, beside, create_private, unused_name};
use crate::clock::Clock;

pub const FORMER_KEPT_DAYS: i64 = 30;
/// Reason: a restore replaced it.
pub(super) const RESTORE: &str = "restore";
/// Reason: this release migrated the database.
const UPGRADE: &str = concat!("upgrade-", env!("CARGO_PKG_VERSION"));
/// Text in the file name between the database's name and the reason.
const MARK: &str = ".before-";
const INSTANT: &str = "%Y%m%dT%H%M%SZ";

pub(super) fn name(database: &Path, reason: &str, now: DateTime<Utc>) -> PathBuf {
    beside(database, &format!("{MARK}{reason}-{}", now.format(INSTANT)))
}

/// A name that no former state has yet: of this second or, if it is taken, of the next free one.
pub(super) fn unused(database: &Path, reason: &str, now: DateTime<Utc>) -> PathBuf {
    let mut at = now;
    loop {
        let name = name(database, reason, at);
        if !name.exists()
            && ![LOG, JOURNAL]
                .iter()
                .any(|side| beside(&name, side).exists())
        {
            return name;
        }
        at += TimeDelta::seconds(1);
    }
}

/// Copies the database behind `connection` before this release migrates it.
///
/// # Errors
/// [`DbError`] when it cannot be written; no partial copy is left.
pub(super) async fn keep_before_upgrade(
    connection: &mut SqliteConnection,
    path: &Path,
) -> Result<PathBuf, DbError> {
    let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let kept = name(&place, UPGRADE, Clock::system().now());
    // The copy gets a temporary name first, so that the final name always belongs to a complete copy.
    let begun = unused_name(&place)?;
    create_private(&begun)?;
    let copied = copy(connection, &begun, &kept).await;
    let removed = remove_file(&begun);
    copied?;
    if let Err(error) = removed
        && error.kind() != ErrorKind::NotFound
    {
        tracing::warn!(file = %begun.display(), %error, "database.leftover: an unfinished file cannot be removed");
    }
    Ok(kept)
}

async fn copy(connection: &mut SqliteConnection, begun: &Path, kept: &Path) -> Result<(), DbError> {
    sqlx::query("vacuum into ?")
        .bind(begun.to_string_lossy().into_owned())
        .execute(&mut *connection)
        .await
        .map_err(|error| DbError::at(kept, error))?;
    let named = File::open(begun)
        .and_then(|file| file.sync_all())
        .and_then(|()| match hard_link(begun, kept) {
            // Another process has already kept the same state.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            // The file system does not support links.
            Err(_) => rename(begun, kept),
            Ok(()) => Ok(()),
        });
    named.map_err(|reason| DbError::Create {
        path: kept.to_owned(),
        reason,
    })
}

impl Database {
    /// # Errors
    /// When the folder cannot be read.
    pub fn former(&self) -> Result<Vec<PathBuf>, DbError> {
        let all = all(self.path()).map_err(|reason| DbError::Other {
            path: self.path().to_owned(),
            reason: reason.to_string(),
        })?;
        Ok(all.into_iter().map(|(path, _)| path).collect())
    }

    /// Removes former states older than 30 days; returns their number.
    ///
    /// # Errors
    /// When the folder cannot be read, or a file cannot be removed.
    pub fn remove_former(&self, now: DateTime<Utc>) -> Result<usize, DbError> {
        let remove = || -> io::Result<usize> {
            let old = all(self.path())?
                .into_iter()
                .filter(|(_, at)| now - *at > TimeDelta::days(FORMER_KEPT_DAYS));
            let mut removed = 0;
            for (path, _) in old {
                remove_file(path)?;
                removed += 1;
            }
            Ok(removed)
        };
        remove().map_err(|reason| DbError::Other {
            path: self.path().to_owned(),
            reason: reason.to_string(),
        })
    }
}

/// Every former state of the database at `path`, oldest first.
fn all(path: &Path) -> io::Result<Vec<(PathBuf, DateTime<Utc>)>> {
    let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (Some(folder), Some(database)) = (place.parent(), place.file_name()) else {
        return Ok(Vec::new());
    };
    let prefix = format!("{}{MARK}", database.to_string_lossy());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let parts = name
            .to_str()
            .map(|name| {
                let side = [LOG, JOURNAL]
                    .iter()
                    .find_map(|side| name.strip_suffix(side));
                side.unwrap_or(name)
            })
            .and_then(|name| name.strip_prefix(&prefix)?.rsplit_once('-'));
        let Some((reason, instant)) = parts else {
            continue;
        };
        let is_ours = reason == RESTORE || reason.starts_with("upgrade-");
        if let Ok(at) = NaiveDateTime::parse_from_str(instant, INSTANT)
            && is_ours
        {
            found.push((entry.path(), at.and_utc()));
        }
    }
    found.sort_by_key(|(_, at)| *at);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use chrono::{TimeZone as _, Utc};

    use crate::storage::Database;

    #[tokio::test]
    async fn a_former_file_is_removed_after_30_days_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reviews.db");
        let (database, _) = Database::open(&path).await.unwrap();
        for name in [
            "reviews.db.before-restore-20261001T120000Z",
            "reviews.db.before-restore-20261001T120000Z-wal",
            "reviews.db.before-restore-20261021T120000Z",
            "reviews.db.before-restore-mine",
            "reviews.db.before-upgrade-1.0.0-20261001T120000Z",
            "reviews.db.before-upgrade-1.0.0-20261021T120000Z",
            "reviews.db.before-inventory-20251001T120000Z",
            "other.db.before-restore-20251001T120000Z",
            "reviews.db.2025",
        ] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let now = Utc.with_ymd_and_hms(2026, 11, 1, 0, 0, 0).unwrap();
        assert_eq!(database.remove_former(now).unwrap(), 3);
        let is_there = |name: &str| folder.path().join(name).exists();
        assert!(!is_there("reviews.db.before-restore-20261001T120000Z"));
        assert!(is_there("reviews.db.before-restore-20261021T120000Z"));
        assert!(!is_there(
            "reviews.db.before-upgrade-1.0.0-20261001T120000Z"
        ));
        assert!(is_there("reviews.db.before-upgrade-1.0.0-20261021T120000Z"));
        assert!(is_there("reviews.db.before-inventory-20251001T120000Z"));
        assert!(is_there("reviews.db.before-restore-mine"));
        assert!(is_there("other.db.before-restore-20251001T120000Z"));
        database.close().await;
    }
}
