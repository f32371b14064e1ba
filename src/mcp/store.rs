//! The signing key of MCP sessions: its table, and the sessions of a database.

use sqlx::SqliteConnection;

use super::session::{KEY_BYTES, Sessions};
use crate::clock::Clock;
use crate::model::hash::hex;
use crate::random::Random;
use crate::storage::{AtPath as _, Database, DbError, Write};

/// The sessions of this database; creates its key if it has none.
///
/// # Errors
/// If the database cannot be written, or the operating system's generator fails.
pub async fn sessions(
    database: &Database,
    clock: Clock,
    random: Random,
) -> Result<Sessions, DbError> {
    let fault = |reason: String| DbError::Other {
        path: database.path().to_owned(),
        reason,
    };
    let half = || random.bytes_16().map_err(|error| fault(error.to_string()));
    let mut candidate = [0; KEY_BYTES];
    candidate[..16].copy_from_slice(&half()?);
    candidate[16..].copy_from_slice(&half()?);
    let path = database.path();
    let mut reader = database.reader().await?;
    let known = find_key(&mut reader).await.at(path)?;
    drop(reader);
    let key = if let Some(key) = known {
        key
    } else {
        let mut write = database.write().await?;
        keep_key(&mut write, candidate).await.at(path)?;
        write.commit().await.at(path)?;
        database.see_own_writes().await?;
        let mut reader = database.reader().await?;
        let key = find_key(&mut reader).await.at(path)?;
        key.ok_or_else(|| fault("mcp_key has no row".to_owned()))?
    };
    let key = key
        .try_into()
        .map_err(|_| fault("mcp_key.key is not of 32 bytes; delete the row".to_owned()))?;
    Ok(Sessions::new(key, clock, random))
}

/// Stores `candidate` as the key if the database has none.
///
/// # Errors
/// If the database cannot be written.
async fn keep_key(write: &mut Write, candidate: [u8; 32]) -> sqlx::Result<()> {
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
async fn find_key(connection: &mut SqliteConnection) -> sqlx::Result<Option<Vec<u8>>> {
    sqlx::query_scalar!("select key from mcp_key")
        .fetch_optional(connection)
        .await
}
