//! The row of agents' sessions: the key that they are signed with.

use sqlx::SqliteConnection;

/// The key of this database: `candidate`, where it had none yet.
///
/// # Errors
/// When the database cannot be written or read.
pub async fn key(connection: &mut SqliteConnection, candidate: [u8; 32]) -> sqlx::Result<Vec<u8>> {
    let candidate = candidate.as_slice();
    sqlx::query!(
        "insert into mcp_key (key) values (?) on conflict do nothing",
        candidate
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query_scalar!("select key from mcp_key")
        .fetch_one(&mut *connection)
        .await
}
