//! How commands use the database: read in one transaction, and run again if another writer of a cluster was quicker.

use std::path::Path;

use sqlx::SqliteConnection;

use crate::storage::{ClusterError, Database, DbError};

/// Reads from the database at `path` in one transaction; creates, migrates and writes nothing.
///
/// # Errors
/// Those of `work`, and if the database cannot be read.
pub async fn read<T, E: Into<anyhow::Error>>(
    path: &Path,
    work: impl AsyncFnOnce(&mut SqliteConnection) -> Result<T, E>,
) -> anyhow::Result<T> {
    let readers = Database::open_read_only(path).await?;
    let mut transaction = readers.begin().await?;
    let worked = work(&mut transaction).await;
    drop(transaction);
    readers.close().await;
    worked.map_err(Into::into)
}

/// Names the database in an error of sqlx, and tells what to do.
pub fn at_database(error: anyhow::Error, path: &Path) -> anyhow::Error {
    error
        .downcast()
        .map_or_else(|error| error, |error| DbError::at(path, error).into())
}

/// Maximum number of attempts of a command that other writers of a cluster overtake.
pub const OVERTAKEN_MAX: usize = 8;

/// Runs a command, and runs it again if another process wrote to the cluster in the meantime. The earlier attempt then
/// changed nothing, and the next one sees the other process's changes.
pub async fn repeated<T>(mut run: impl AsyncFnMut() -> anyhow::Result<T>) -> anyhow::Result<T> {
    for _ in 1..OVERTAKEN_MAX {
        match run().await {
            Err(error) if is_overtaken(&error) => {}
            done => return done,
        }
    }
    run().await
}

/// Whether another process wrote to the cluster while a command worked on its copy.
pub fn is_overtaken(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let by_cluster = match cause.downcast_ref() {
            Some(DbError::Cluster(error)) => Some(error),
            _ => cause.downcast_ref(),
        };
        by_cluster == Some(&ClusterError::Overtaken)
    })
}
