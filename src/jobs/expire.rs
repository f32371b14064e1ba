//! Ends the leases that are over. Deliveries stop at a lease's end by themselves; this writes it
//! down.

use crate::clock::Clock;
use crate::storage::{Database, DbError};
use crate::websub::store;

/// Ends the leases that are over; says whether there were any.
///
/// # Errors
/// When the database cannot be written; the next run tries again.
pub async fn run_once(database: &Database, clock: &Clock) -> Result<bool, DbError> {
    let fault = |error| DbError::at(database.path(), error);
    let mut write = database.write().await?;
    let ended = store::expire(&mut write, clock.now())
        .await
        .map_err(fault)?;
    write.commit().await.map_err(fault)?;
    if ended > 0 {
        tracing::info!(ended, "websub.lapsed: leases ended and were not renewed");
    }
    Ok(ended > 0)
}
