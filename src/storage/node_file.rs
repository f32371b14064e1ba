//! The file of this node's rqlited, opened for reading, with the side file of derived data.

use std::path::Path;
use std::time::Duration;

use sqlx::{Connection as _, SqliteConnection};

use super::error::DbError;
use super::open_file::OpenFile;
use super::{derived, migrate, options};
use crate::clock::Clock;

pub(super) async fn open_node_file(path: &Path) -> Result<OpenFile, DbError> {
    let side = derived::beside(path);
    let writer = derived::open(&side, path).await?;
    let mut open = OpenFile::open(path, Some(&side)).await?;
    open.derived = Some(writer);
    Ok(open)
}

/// Waits until the file at `path` can be read by this release; rqlited creates it once it has joined the cluster.
pub(super) async fn wait_for_file(path: &Path, wait_max: Duration) -> Result<(), DbError> {
    let clock = Clock::system();
    let end = clock.monotonic() + wait_max;
    loop {
        let verified = async {
            if !path.exists() {
                return Err(DbError::Missing(path.to_owned()));
            }
            let fault = |error| DbError::at(path, error);
            let reading = options(path).read_only(true);
            let mut connection = SqliteConnection::connect_with(&reading)
                .await
                .map_err(fault)?;
            let verified = migrate::verify(&mut connection, path).await;
            connection.close().await.map_err(fault)?;
            verified
        };
        match verified.await {
            Ok(()) => return Ok(()),
            Err(error) if clock.monotonic() >= end => return Err(error),
            Err(_) => clock.sleep(Duration::from_millis(25)).await,
        }
    }
}
