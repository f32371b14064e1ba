//! The database's files: what stands beside the first one, and how that is made.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::error::DbError;

/// What SQLite (<https://www.sqlite.org/tempfiles.html>) and we put beside the database, by what is
/// added to its name.
const SIDES: [&str; 4] = [LOG, LOG_INDEX, JOURNAL, DELIVERY_LOCK];
/// What the file of the lock of the one process that sends adds to the name of the database.
pub(super) const DELIVERY_LOCK: &str = "-sender";
/// The suffix of the write-ahead log's file.
pub(super) const LOG: &str = "-wal";
/// The suffix of the file in which its processes share an index of that log.
pub(super) const LOG_INDEX: &str = "-shm";
/// The suffix of the rollback journal's file.
pub(super) const JOURNAL: &str = "-journal";

/// Every file that a database at `path` has or may come to have, the database itself first. Where
/// `path` is a symbolic link, those of the place that it leads to, too: SQLite names its files by
/// that.
#[must_use]
pub fn files(path: &Path) -> Vec<PathBuf> {
    let real = path.canonicalize().ok().filter(|real| real != path);
    let all = |path: &Path| {
        std::iter::once(path.to_owned())
            .chain(SIDES.map(|suffix| beside(path, suffix)))
            .collect::<Vec<_>>()
    };
    [path.to_owned()]
        .iter()
        .chain(&real)
        .flat_map(|path| all(path))
        .collect()
}

/// The file beside the database at `path` whose name has `suffix` added.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// How many bytes that file has; none where it is not there.
pub(super) fn bytes_beside(path: &Path, suffix: &str) -> u64 {
    beside(path, suffix).metadata().map_or(0, |file| file.len())
}

/// Makes an empty file that only its owner may read; SQLite gives its log and index files the same
/// mode.
pub(super) fn create_private(path: &Path) -> Result<(), DbError> {
    if path.exists() {
        return Ok(());
    }
    match OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
    {
        Ok(_) => Ok(()),
        // Another process was quicker: it is theirs now, and as good.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(DbError::Create {
            path: path.to_owned(),
            reason: error,
        }),
    }
}
