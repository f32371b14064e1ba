//! Backups: a consistent, compact copy of the database while others use it; a failed copy leaves no file.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use sqlx::Connection;
use sqlx::sqlite::SqliteConnection;

use super::error::DbError;
use super::rqlite::RqliteClient;
use super::{Database, files, options};
use crate::config::DatabaseAddress;

impl Database {
    /// Copies the database at `address` into a new file at `to`; on a cluster, one node sends the whole copy.
    ///
    /// # Errors
    /// As [`Database::back_up`], and when there is no database.
    pub async fn back_up_from(address: &DatabaseAddress, to: &Path) -> Result<(), DbError> {
        let cluster = match address {
            DatabaseAddress::File(path) if !path.exists() => {
                return Err(DbError::Missing(path.clone()));
            }
            DatabaseAddress::File(path) => {
                let (database, _) = Self::open(path).await?;
                let copied = database.back_up(to).await;
                database.close().await;
                return copied;
            }
            DatabaseAddress::Cluster(cluster) => cluster,
        };
        let client = RqliteClient::new(cluster.nodes.clone()).map_err(DbError::Cluster)?;
        files::create_private(to)?;
        let fault = |reason| DbError::Create {
            path: to.to_owned(),
            reason,
        };
        let mut file = File::options().write(true).open(to).map_err(fault)?;
        let copied = client.backup(|piece| file.write_all(piece)).await;
        let copied = copied
            .map_err(DbError::Cluster)
            .and_then(|()| file.sync_all().map_err(fault));
        if copied.is_err() {
            // A partial copy is useless; the first error is the one to report.
            let _ = fs::remove_file(to);
        }
        copied
    }

    /// Copies the database into a new file at `to` (mode 0600). Writers are not blocked: the copy has the state from
    /// the start of the copying (<https://www.sqlite.org/lang_vacuum.html#vacuuminto>).
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
            // A partial copy is useless; the first error is the one to report.
            let _ = fs::remove_file(to);
        }
        copied
    }
}
