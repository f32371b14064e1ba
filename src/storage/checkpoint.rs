//! Keeps the write-ahead log small. SQLite writes it back as it grows, but does not shrink the file while a connection
//! is open (<https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files>); frames of a writer that rolled
//! back or was killed stay until the next commit.

use std::time::Duration;

use sqlx::Connection;
use sqlx::sqlite::SqliteConnection;

use super::error::DbError;
use super::files::{LOG, bytes_beside};
use super::{Database, Writer, options};

/// 16 MiB.
pub const LOG_BYTES_MAX: u64 = 16 << 20;

impl Database {
    /// Writes the log back into the database and truncates it if it is larger than [`LOG_BYTES_MAX`]; returns whether
    /// it did. It does nothing while other connections read or write, but a later call may succeed.
    ///
    /// # Errors
    /// [`DbError`] when the file cannot be written, usually because the disk is full.
    pub async fn checkpoint(&self) -> Result<bool, DbError> {
        // Otherwise the log could belong to another database.
        self.verify_place()?;
        if let Writer::Cluster(_) = self.writer {
            return Ok(false);
        }
        if bytes_beside(self.path(), LOG) <= LOG_BYTES_MAX {
            return Ok(false);
        }
        self.cut_log(Duration::ZERO).await
    }

    /// Writes back a log whose file was removed: open connections still have it, so accepted writes survive this
    /// process. Does nothing if another file has taken the name, because other processes may have written since.
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

    /// Writes the log back into the database and truncates it; returns whether it could. Waits up to `wait_max` for
    /// other readers and writers.
    ///
    /// # Errors
    /// [`DbError`] when the file cannot be written.
    pub(super) async fn cut_log(&self, wait_max: Duration) -> Result<bool, DbError> {
        let fault = |error| DbError::at(self.path(), error);
        let options = options(self.path()).busy_timeout(wait_max);
        let mut connection = SqliteConnection::connect_with(&options)
            .await
            .map_err(fault)?;
        // A passive checkpoint runs first, beside other readers and writers, which keeps the blocking part short.
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
