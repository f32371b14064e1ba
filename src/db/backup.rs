//! A copy of the database while others use it: of one state, compact, and whole or not there.

use std::fs;
use std::path::Path;

use sqlx::Connection;
use sqlx::sqlite::SqliteConnection;

use super::error::DbError;
use super::{Database, files, options};

impl Database {
    /// Copies the database into a new file at `to`, which only its owner may read. Writers go on
    /// meanwhile: the copy is of the state at which it began
    /// (<https://www.sqlite.org/lang_vacuum.html#vacuuminto>).
    ///
    /// # Errors
    /// [`DbError`]; then there is no file at `to`.
    pub async fn back_up(&self, to: &Path) -> Result<(), DbError> {
        let fault = |error| DbError::at(to, error);
        let name = to.to_string_lossy().into_owned();
        files::create_private(to)?;
        let copied = async {
            let mut connection = SqliteConnection::connect_with(&options(self.path())).await?;
            sqlx::query("vacuum into ?")
                .bind(name)
                .execute(&mut connection)
                .await?;
            connection.close().await
        };
        let copied = copied.await.map_err(fault);
        if copied.is_err() {
            // What was written of it is no database; the first error is the one to tell.
            let _ = fs::remove_file(to);
        }
        copied
    }
}
