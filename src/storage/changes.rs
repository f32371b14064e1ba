//! Sees that somebody wrote to the file: our own writer, another process, or a `sqlite3` shell.
//!
//! `PRAGMA data_version` compares only with an earlier reading on the same connection, and does not
//! move for that connection's own commits. Hence a connection of its own, which never writes. It
//! says *that* something changed; what did stands in `review_change`.

use std::path::{Path, PathBuf};

use sqlx::Connection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};

use super::error::DbError;

/// The eye on the file.
#[derive(Debug)]
pub struct Changes {
    path: PathBuf,
    /// Held open while anybody watches: `data_version` is per connection. `None` once closed.
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

    /// Whether anybody has committed since this last said yes. The first answer is yes; once
    /// closed, it is no.
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

    /// Closes the connection.
    ///
    /// # Errors
    /// [`DbError`]; the connection is gone all the same.
    pub async fn close(&mut self) -> Result<(), DbError> {
        let Some(connection) = self.connection.take() else {
            return Ok(());
        };
        connection
            .close()
            .await
            .map_err(|error| DbError::at(&self.path, error))
    }

    /// Makes the next [`Changes::any`] say yes: what it announced could not be dealt with.
    pub const fn forget(&mut self) {
        self.seen = None;
    }
}
