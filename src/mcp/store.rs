//! The table with the signing key of MCP sessions.

use sqlx::SqliteConnection;

use crate::model::hash::hex;
use crate::storage::Write;

/// Stores `candidate` as the key if the database has none.
///
/// # Errors
/// If the database cannot be written.
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

/// The stored key, if there is one.
///
/// # Errors
/// If the database cannot be read.
pub async fn find_key(connection: &mut SqliteConnection) -> sqlx::Result<Option<Vec<u8>>> {
    sqlx::query_scalar!("select key from mcp_key")
        .fetch_optional(connection)
        .await
}
