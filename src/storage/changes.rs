//! Detects commits to the file by this writer, another process, or a `sqlite3` shell.
//!
//! `PRAGMA data_version` compares only with an earlier reading on the same connection and ignores that connection's own
//! commits, so this uses a connection that never writes. What changed is in `review_change`.

use std::path::{Path, PathBuf};

use sqlx::Connection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};

use super::error::DbError;

#[derive(Debug)]
pub struct Changes {
    path: PathBuf,
    /// Kept open because `data_version` is per connection; `None` once closed.
    connection: Option<SqliteConnection>,
    seen: Option<i64>,
}

impl Changes {
    pub(super) async fn open(options: &SqliteConnectOptions, path: &Path) -> Result<Self, DbError> {
        let connection = SqliteConnection::connect_with(options)
            .await
            .map_err(|error| DbError::at(path, error))?;
        Ok(Self {
            path: path.to_owned(),
            connection: Some(connection),
            seen: None,
        })
    }

    /// Whether there was a commit since the last call that returned true. The first call returns true; after
    /// [`Changes::close`], the result is false.
    ///
    /// # Errors
    /// [`DbError`] when the file cannot be read.
    pub async fn any(&mut self) -> Result<bool, DbError> {
        let Some(connection) = &mut self.connection else {
            return Ok(false);
        };
        let version = sqlx::query_scalar("pragma data_version")
            .fetch_one(connection)
            .await;
        let version: i64 = version.map_err(|error| DbError::at(&self.path, error))?;
        let moved = self.seen != Some(version);
        self.seen = Some(version);
        Ok(moved)
    }

    /// # Errors
    /// [`DbError`]; the connection is closed anyway.
    pub async fn close(&mut self) -> Result<(), DbError> {
        let Some(connection) = self.connection.take() else {
            return Ok(());
        };
        connection
            .close()
            .await
            .map_err(|error| DbError::at(&self.path, error))
    }

    /// Makes the next [`Changes::any`] return true, because its last change could not be processed.
    pub const fn forget(&mut self) {
        self.seen = None;
    }
}
