//! The working copy of an owner's command on a cluster: a transaction runs on a private copy of this node's file, and
//! the same statements go to the cluster (`write`) if it has not changed since.

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{SqlitePool, SqlitePoolOptions};
use sqlx::{Connection as _, Sqlite, SqliteConnection, Transaction};
use tempfile::TempDir;

use super::error::DbError;
use super::node_file::wait_for_file;
use super::options;
use super::rqlite::{ClusterError, RqliteClient, WriteBasis};
use crate::clock::Clock;

/// Maximum time for this node's file to catch up with the leader.
const LEVEL_WAIT_MAX: Duration = Duration::from_secs(30);
const LOOK_INTERVAL: Duration = Duration::from_millis(25);

/// A copy in a temporary folder, removed on drop.
#[derive(Debug)]
pub(super) struct Copy {
    /// State of the database when the copy was made.
    pub(super) basis: WriteBasis,
    pool: SqlitePool,
    _folder: TempDir,
}

impl Copy {
    /// Copies a node's file at one moment, after it has caught up with the leader.
    pub(super) async fn of(client: &RqliteClient, file: &Path) -> Result<Self, DbError> {
        level_with_cluster(client, file).await?;
        let folder = tempfile::tempdir().map_err(|reason| DbError::Create {
            path: std::env::temp_dir(),
            reason,
        })?;
        let path = folder.path().join("copy.db");
        let fault = |error| DbError::at(file, error);
        let reading = options(file).read_only(true);
        let mut connection = SqliteConnection::connect_with(&reading)
            .await
            .map_err(fault)?;
        sqlx::query("vacuum into ?")
            .bind(path.to_string_lossy().into_owned())
            .execute(&mut connection)
            .await
            .map_err(fault)?;
        connection.close().await.map_err(fault)?;
        let fault = |error| DbError::at(&path, error);
        let pool = SqlitePoolOptions::new().max_connections(1);
        let pool = pool.connect_with(options(&path)).await.map_err(fault)?;
        let mut connection = pool.acquire().await.map_err(fault)?;
        let basis = WriteBasis::of_file(&mut connection).await.map_err(fault)?;
        drop(connection);
        Ok(Self {
            basis,
            pool,
            _folder: folder,
        })
    }

    /// Begins a transaction that only a recorder writes to: a statement that bypassed it would never reach the cluster.
    pub(super) async fn begin(&self) -> sqlx::Result<Transaction<'static, Sqlite>> {
        let mut transaction = self.pool.begin_with("begin immediate").await?;
        sqlx::query("pragma query_only = on")
            .execute(&mut *transaction)
            .await?;
        Ok(transaction)
    }

    pub(super) async fn leave(self) {
        self.pool.close().await;
    }
}

/// Waits at most half a minute until this node's file has all of the leader's data.
pub(super) async fn level_with_cluster(client: &RqliteClient, file: &Path) -> Result<(), DbError> {
    let clock = Clock::system();
    let end = clock.monotonic() + LEVEL_WAIT_MAX;
    let wanted = WriteBasis::of_cluster(client)
        .await
        .map_err(DbError::Cluster)?;
    wait_for_file(file, LEVEL_WAIT_MAX).await?;
    loop {
        let fault = |error| DbError::at(file, error);
        let reading = options(file).read_only(true);
        let mut connection = SqliteConnection::connect_with(&reading)
            .await
            .map_err(fault)?;
        let there = WriteBasis::of_file(&mut connection).await.map_err(fault)?;
        connection.close().await.map_err(fault)?;
        if there.has_reached(wanted) {
            return Ok(());
        }
        if clock.monotonic() >= end {
            return Err(DbError::Cluster(ClusterError::Behind {
                seconds: LEVEL_WAIT_MAX.as_secs(),
            }));
        }
        clock.sleep(LOOK_INTERVAL).await;
    }
}
