//! The write-ahead log, kept small. SQLite writes it back by itself as it grows, but leaves the
//! file as long as it ever was while anybody has the database open
//! (<https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files>); what a writer leaves
//! who was rolled back or killed is not even written over before the next commit.

use std::time::Duration;

use sqlx::Connection;
use sqlx::sqlite::SqliteConnection;

use super::error::DbError;
use super::files::{LOG, bytes_beside};
use super::{Database, Writer, options};

/// Above so many bytes the log is written back and cut to nothing: 16 MiB.
pub const LOG_BYTES_MAX: u64 = 16 << 20;

impl Database {
    /// Writes the log back into the database and cuts it to nothing, where it has grown beyond
    /// [`LOG_BYTES_MAX`]. Says whether it did; where somebody reads or writes at this moment it
    /// does not, and a later call may.
    ///
    /// # Errors
    /// [`DbError`] when the file cannot be written, for want of room above all.
    pub async fn checkpoint(&self) -> Result<bool, DbError> {
        // Else it would be the log of another database.
        self.verify_place()?;
        if let Writer::Cluster(_) = self.writer {
            return Ok(false);
        }
        if bytes_beside(self.path(), LOG) <= LOG_BYTES_MAX {
            return Ok(false);
        }
        self.cut_log(Duration::ZERO).await
    }

    /// Writes back a log whose file was removed: connections that are open still have it, and what was accepted outlives this
    /// process. Not where another file has its name: then other processes may have written since.
    ///
    /// # Errors
    /// [`DbError`] when the file cannot be written.
    pub async fn write_back_log(&self) -> Result<(), DbError> {
        let Writer::File(writer) = &self.writer else {
            return Ok(());
        };
        match self.verify_place() {
            Err(DbError::LogGone(log)) if !log.exists() => {}
            Ok(()) | Err(_) => return Ok(()),
        }
        sqlx::query("pragma wal_checkpoint(passive)")
            .execute(writer)
            .await
            .map(drop)
            .map_err(|error| DbError::at(self.path(), error))
    }

    /// Writes the log back into the database and cuts it to nothing; says whether it could, after
    /// waiting for whoever reads or writes for as long as `wait_max`.
    ///
    /// # Errors
    /// [`DbError`] when the file cannot be written.
    pub(super) async fn cut_log(&self, wait_max: Duration) -> Result<bool, DbError> {
        let fault = |error| DbError::at(self.path(), error);
        let options = options(self.path()).busy_timeout(wait_max);
        let mut connection = SqliteConnection::connect_with(&options)
            .await
            .map_err(fault)?;
        // First beside whoever reads and writes; so the part that keeps others waiting has next to
        // nothing left to do.
        sqlx::query("pragma wal_checkpoint(passive)")
            .execute(&mut connection)
            .await
            .map_err(fault)?;
        let truncate = sqlx::query_as("pragma wal_checkpoint(truncate)")
            .fetch_one(&mut connection)
            .await;
        let (is_busy, _, _): (bool, i64, i64) = truncate.map_err(fault)?;
        connection.close().await.map_err(fault)?;
        Ok(!is_busy)
    }
}
