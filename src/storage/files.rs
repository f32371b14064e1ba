//! The database's files: the main file, the files beside it, and how they are created.

use std::fs::{OpenOptions, metadata, remove_file};
use std::io;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::error::DbError;
use crate::model::hash::hex;
use crate::random::Random;

/// Suffixes of the files that SQLite (<https://www.sqlite.org/tempfiles.html>) and this program put beside the
/// database.
const SIDES: [&str; 4] = [LOG, LOG_INDEX, JOURNAL, DELIVERY_LOCK];
/// Suffix of the lock file of the sending process.
pub(super) const DELIVERY_LOCK: &str = "-sender";
/// Suffix of the write-ahead log.
pub(super) const LOG: &str = "-wal";
/// Suffix of the log's shared-memory index.
pub(super) const LOG_INDEX: &str = "-shm";
/// Suffix of the rollback journal.
pub(super) const JOURNAL: &str = "-journal";

/// All possible files of a database at `path`, the database itself first. If `path` is a symbolic link, also the files
/// beside its target, because SQLite derives their names from the target.
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

/// Removes the files of the database at `path`; missing ones are ignored.
pub(super) fn remove_files(path: &Path) {
    for file in files(path) {
        if let Err(error) = remove_file(&file)
            && error.kind() != ErrorKind::NotFound
        {
            tracing::warn!(file = %file.display(), %error, "database.leftover: an unfinished file cannot be removed");
        }
    }
}

/// `path` with `suffix` appended to the file name.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// 0 if the file does not exist.
pub(super) fn bytes_beside(path: &Path, suffix: &str) -> u64 {
    beside(path, suffix).metadata().map_or(0, |file| file.len())
}

/// Creates an empty file with mode 0600 unless it exists; SQLite gives its log and index files the same mode.
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
        // Another process created it first, with the same mode.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(DbError::Create {
            path: path.to_owned(),
            reason: error,
        }),
    }
}

// Whether the names of the database and of its log still lead to the files that were opened. Connections stay with
// those files, so writes after one was removed or replaced are lost (<https://www.sqlite.org/howtocorrupt.html> §1.4
// and §2.3).

/// Device and inode identify a file for as long as it is open (POSIX, `sys/stat.h`).
type DeviceAndInode = (u64, u64);

/// The file that was opened, and those that SQLite keeps beside it while a connection is open.
#[derive(Debug)]
pub(super) struct DatabaseFiles {
    path: PathBuf,
    file: DeviceAndInode,
    /// The log and its index. The first connection creates them, if the journal mode is WAL.
    sides: [(PathBuf, OnceLock<DeviceAndInode>); 2],
}

impl DatabaseFiles {
    pub(super) fn of(path: &Path) -> Result<Self, DbError> {
        let missing = |_| DbError::Missing(path.to_owned());
        // SQLite derives their names from the target of a symbolic link.
        let real = path.canonicalize().map_err(missing)?;
        Ok(Self {
            path: path.to_owned(),
            file: device_and_inode(path).map_err(missing)?,
            sides: [LOG, LOG_INDEX].map(|suffix| (beside(&real, suffix), OnceLock::new())),
        })
    }

    /// Fails if one of the paths leads to another file or to none.
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

/// An unused name beside `path`.
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
