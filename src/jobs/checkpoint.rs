//! Cuts the database's log when it has grown, whoever grew it.

use crate::storage::{Database, DbError};

/// Cuts the log where it is too long; says whether it did.
///
/// # Errors
/// When the database cannot be written; the next run tries again.
pub async fn run_once(database: &Database) -> Result<bool, DbError> {
    database.checkpoint().await
}
