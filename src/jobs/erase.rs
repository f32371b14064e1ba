//! Takes away what deleted reviews left in the file, whoever deleted them.

use crate::storage::{Database, DbError, Erased, Postponed};

/// Erases what deleted reviews left, where the file has at most `bytes_max`; says whether all of it is gone now. What
/// cannot be done now, a later run does.
///
/// # Errors
/// When the database cannot be written; the next run tries again.
pub async fn run_once(database: &Database, bytes_max: u64) -> Result<bool, DbError> {
    match database.erase_traces(bytes_max).await? {
        Erased::All | Erased::ButNodes => Ok(true),
        Erased::Later(why @ Postponed::NoRoom { .. }) if bytes_max == u64::MAX => {
            tracing::warn!(
                "erasure.no_room: unused parts of the file still have what deleted reviews said: {why}; free some, and it is erased within an hour"
            );
            Ok(false)
        }
        Erased::Nothing | Erased::Later(_) => Ok(false),
    }
}
