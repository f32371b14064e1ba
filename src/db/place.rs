//! Whether the names of the database and of its log still lead to the files that were opened. Connections stay with those
//! files whatever becomes of the names, so what is written after one was removed or replaced is lost
//! (<https://www.sqlite.org/howtocorrupt.html> §1.4 and §2.3). Knows names and files, and no SQL.

use std::fs::metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::error::DbError;
use super::files::{LOG, LOG_INDEX, beside};

/// A file by its device and its inode: together they are one file for as long as it is open (POSIX, `sys/stat.h`).
type DeviceAndInode = (u64, u64);

/// The file that was opened, and those that SQLite keeps beside it for as long as a connection is open.
#[derive(Debug)]
pub(super) struct Place {
    path: PathBuf,
    file: DeviceAndInode,
    /// The log and its index. They are made by the first connection, if the file has a log.
    sides: [(PathBuf, OnceLock<DeviceAndInode>); 2],
}

impl Place {
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
