//! The database's files: what stands beside the first one, and how that is made.

use std::fs::{OpenOptions, metadata, remove_file};
use std::io;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::error::DbError;
use crate::model::hash::hex;
use crate::random::Random;

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

/// Removes the files of a database at `path`; those that are not there are passed over.
pub(super) fn remove_files(path: &Path) {
    for file in files(path) {
        if let Err(error) = remove_file(&file)
            && error.kind() != ErrorKind::NotFound
        {
            tracing::warn!(file = %file.display(), %error, "database.leftover: an unfinished file cannot be removed");
        }
    }
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

// Whether the names of the database and of its log still lead to the files that were opened. Connections stay with those
// files whatever becomes of the names, so what is written after one was removed or replaced is lost
// (<https://www.sqlite.org/howtocorrupt.html> §1.4 and §2.3). Knows names and files, and no SQL.

/// A file by its device and its inode: together they are one file for as long as it is open (POSIX, `sys/stat.h`).
type DeviceAndInode = (u64, u64);

/// The file that was opened, and those that SQLite keeps beside it for as long as a connection is open.
#[derive(Debug)]
pub(super) struct DatabaseFiles {
    path: PathBuf,
    file: DeviceAndInode,
    /// The log and its index. They are made by the first connection, if the file has a log.
    sides: [(PathBuf, OnceLock<DeviceAndInode>); 2],
}

impl DatabaseFiles {
    /// The file that `path` leads to now.
    pub(super) fn of(path: &Path) -> Result<Self, DbError> {
        let missing = |_| DbError::Missing(path.to_owned());
        // SQLite names them by where a symbolic link leads to.
        let real = path.canonicalize().map_err(missing)?;
        Ok(Self {
            path: path.to_owned(),
            file: device_and_inode(path).map_err(missing)?,
            sides: [LOG, LOG_INDEX].map(|suffix| (beside(&real, suffix), OnceLock::new())),
        })
    }

    /// Fails where a path leads to another file, or to none.
    pub(super) fn verify(&self) -> Result<(), DbError> {
        match device_and_inode(&self.path) {
            Ok(file) if file == self.file => {}
            Ok(_) => return Err(DbError::Replaced(self.path.clone())),
            Err(reason) => {
                return Err(DbError::Removed {
                    path: self.path.clone(),
                    reason,
                });
            }
        }
        for (path, opened) in &self.sides {
            let is_same = match device_and_inode(path) {
                Ok(there) => *opened.get_or_init(|| there) == there,
                Err(_) => opened.get().is_none(),
            };
            if !is_same {
                return Err(DbError::LogGone(path.clone()));
            }
        }
        Ok(())
    }
}

fn device_and_inode(path: &Path) -> io::Result<DeviceAndInode> {
    metadata(path).map(|file| (file.dev(), file.ino()))
}

/// A name beside `path` that nothing has.
///
/// # Errors
/// When the operating system gives no randomness.
pub fn unused_name(path: &Path) -> Result<PathBuf, DbError> {
    let random = Random::system()
        .bytes_16()
        .map_err(|reason| DbError::Create {
            path: path.to_owned(),
            reason,
        })?;
    let suffix = hex(&random[..4]);
    Ok(beside(path, &format!(".new-{suffix}")))
}
