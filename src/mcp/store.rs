//! The row of agents' sessions: the key that they are signed with.

use sqlx::SqliteConnection;

use crate::model::hash::hex;
use crate::storage::Write;

/// Makes `candidate` the key of this database, where it has none yet.
///
/// # Errors
/// When the database cannot be written.
pub async fn keep_key(write: &mut Write, candidate: [u8; 32]) -> sqlx::Result<()> {
    let candidate = hex(&candidate);
    sqlx::query!(
        "insert into mcp_key (key) values (unhex(?)) on conflict do nothing",
        candidate
    )
    .execute(&mut **write)
    .await
    .map(drop)
}

/// The key of this database; `None` where it has none yet.
///
/// # Errors
/// When the database cannot be read.
pub async fn find_key(connection: &mut SqliteConnection) -> sqlx::Result<Option<Vec<u8>>> {
    sqlx::query_scalar!("select key from mcp_key")
        .fetch_optional(connection)
        .await
}
