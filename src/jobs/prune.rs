//! Deletes what the hub has kept long enough: attempts, fan-outs, subscriptions that are over,
//! requests nobody verified.

use crate::clock::Clock;
use crate::storage::{Database, DbError};
use crate::websub::store;

/// Deletes what is old; says whether there was anything.
///
/// # Errors
/// When the database cannot be written; the next run tries again.
pub async fn run_once(database: &Database, clock: &Clock) -> Result<bool, DbError> {
    let fault = |error| DbError::at(database.path(), error);
    let mut write = database.write().await?;
    let gone = store::prune(&mut write, clock.now()).await.map_err(fault)?;
    write.commit().await.map_err(fault)?;
    database.prune_markers().await?;
    if gone > 0 {
        tracing::info!(
            gone,
            "websub.pruned: what was older than 30 days was deleted"
        );
    }
    Ok(gone > 0)
}
