//! Chooses the process that sends deliveries: of all processes on one database, the one that holds an advisory lock on
//! a file beside it.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::error::DbError;
use super::files::{DELIVERY_LOCK, beside};

/// Held until it is dropped or the process ends.
#[derive(Debug)]
pub struct DeliveryLock {
    _locked: File,
}

impl DeliveryLock {
    /// Whether another process holds the lock for the database at `path`.
    #[must_use]
    pub fn is_held(path: &Path) -> bool {
        let file = File::open(beside(path, DELIVERY_LOCK));
        file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    }

    /// Takes the lock for the database at `path`; `None` if another process holds it.
    ///
    /// The lock is on a separate file because closing the database's file would release SQLite's own locks on it
    /// (POSIX).
    ///
    /// # Errors
    /// [`DbError::Create`] when that file cannot be created or locked.
    pub fn take(path: &Path) -> Result<Option<Self>, DbError> {
        let name = beside(path, DELIVERY_LOCK);
        let fault = |reason| DbError::Create {
            path: name.clone(),
            reason,
        };
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&name)
            .map_err(fault)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _locked: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(reason)) => Err(fault(reason)),
        }
    }
}
