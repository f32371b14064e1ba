//! Whether the database's name still leads to the file that was opened. Connections stay with that
//! file whatever becomes of its name, so what is written to it after it was removed or replaced is
//! lost (<https://www.sqlite.org/howtocorrupt.html> §1.4 and §2.3). Knows names and files, and no
//! SQL.

use std::fs::{Metadata, metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::error::DbError;

/// The file that was opened, by its device and its inode: together they are one file for as long as
/// it is open (POSIX, `sys/stat.h`).
#[derive(Debug)]
pub(super) struct Place {
    path: PathBuf,
    device_and_inode: (u64, u64),
}

impl Place {
    /// The file that `path` leads to now.
    pub(super) fn of(path: &Path) -> Result<Self, DbError> {
        let file = metadata(path).map_err(|_| DbError::Missing(path.to_owned()))?;
        Ok(Self {
            path: path.to_owned(),
            device_and_inode: device_and_inode(&file),
        })
    }

    /// Fails where the path leads to another file, or to none.
    pub(super) fn verify(&self) -> Result<(), DbError> {
        match metadata(&self.path) {
            Ok(file) if device_and_inode(&file) == self.device_and_inode => Ok(()),
            Ok(_) => Err(DbError::Replaced(self.path.clone())),
            Err(reason) => Err(DbError::Removed {
                path: self.path.clone(),
                reason,
            }),
        }
    }
}

fn device_and_inode(file: &Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}
