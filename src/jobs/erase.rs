//! Takes away what deleted reviews left in the file, whoever deleted them.

use crate::db::{Database, DbError, Erased};

/// Erases what there is to erase; says whether all of it is gone now. Where the log could not be
/// cut, a later run does it.
///
/// # Errors
/// When the database cannot be written; the next run tries again.
pub async fn run_once(database: &Database) -> Result<bool, DbError> {
    Ok(matches!(
        database.erase_traces().await?,
        Erased::All | Erased::ButNodes
    ))
}
