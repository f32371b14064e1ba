//! What an operator wants to know of the database while it is in use: whether it can be read, how large it is, and which
//! SQLite reads it. Nothing here writes.

use super::error::DbError;
use super::files::{LOG, bytes_beside};
use super::{Database, migrate};

impl Database {
    /// Whether the file is there, can be read, and is of the version of this release.
    ///
    /// # Errors
    /// As [`Database::verify_place`]; [`DbError::Newer`] or [`DbError::Older`] where another release migrated it; others
    /// where it cannot be read.
    pub async fn verify_readable(&self) -> Result<(), DbError> {
        self.verify_place()?;
        let reader = self.readers().acquire().await;
        let mut reader = reader.map_err(|error| DbError::at(&self.path, error))?;
        migrate::verify(&mut reader, &self.path).await
    }

    /// The bytes of the file, and of its write-ahead log; 0 for one that is not there.
    #[must_use]
    pub fn bytes(&self) -> (u64, u64) {
        (bytes_beside(&self.path, ""), bytes_beside(&self.path, LOG))
    }
}

/// The version of the SQLite that is built in.
///
/// # Errors
/// When SQLite cannot be asked.
pub async fn sqlite_version() -> sqlx::Result<String> {
    let mut connection = super::scratch().await?;
    sqlx::query_scalar("select sqlite_version()")
        .fetch_one(&mut connection)
        .await
}
