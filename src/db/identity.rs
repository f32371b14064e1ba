//! Whose database a file is. Asked before anything is written, so that another program's database
//! stays as it is, byte for byte: already `pragma journal_mode` would change it.

use std::path::Path;

use sqlx::Connection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};

use super::error::DbError;
use super::files::{JOURNAL, LOG, beside};
use super::text::Text;
use super::{BUSY_TIMEOUT, migrate, unlogged};

/// The only encoding that our queries pack and unpack.
const ENCODING: &str = "UTF-8";
/// Tables that every database of ours has from its third migration on, and hardly anybody else's.
const MARKS: [&str; 2] = ["lineage", "review_change"];

/// Refuses a file that another program has put tables into, and one whose texts are not UTF-8. One
/// without any table may become ours.
pub(super) async fn verify(path: &Path) -> Result<(), DbError> {
    let fault = |error| DbError::at(path, error);
    if path
        .metadata()
        .is_ok_and(|file| file.is_file() && file.len() == 0)
    {
        return Ok(());
    }
    let mut connection = SqliteConnection::connect_with(&untouching(path))
        .await
        .map_err(fault)?;
    let judged = judge(&mut connection, path).await;
    connection.close().await.map_err(fault)?;
    judged
}

/// A connection that leaves the file, and its folder, as they are.
fn untouching(path: &Path) -> SqliteConnectOptions {
    let options = unlogged().filename(path).busy_timeout(BUSY_TIMEOUT);
    // With neither beside it nobody writes, and all that was committed is in the file. Else even a
    // reader would make a log and its index where the file is meant to have them.
    let (has_log, has_journal) = (beside(path, LOG).exists(), beside(path, JOURNAL).exists());
    // A journal may mean that a writer was cut off; what it did is taken back by whoever reads
    // next, who must write for it.
    options
        .immutable(!has_log && !has_journal)
        .read_only(!has_journal)
}

async fn judge(connection: &mut SqliteConnection, path: &Path) -> Result<(), DbError> {
    let fault = |error| DbError::at(path, error);
    let encoding: String = sqlx::query_scalar("pragma encoding")
        .fetch_one(&mut *connection)
        .await
        .map_err(fault)?;
    if encoding != ENCODING {
        return Err(DbError::Encoding {
            path: path.to_owned(),
            encoding,
        });
    }
    let names = r"select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite\_%' escape '\'";
    let names: Vec<Text> = sqlx::query_scalar(names)
        .fetch_all(&mut *connection)
        .await
        .map_err(fault)?;
    let has = |name: &str| names.iter().any(|one| one.as_ref() == name);
    let is_ours = if has(migrate::TABLE) {
        // A first start may have been cut off before the marks were made; what it applied is known
        // by its checksum.
        MARKS.into_iter().all(has) || migrate::are_ours(connection, path, names.len() == 1).await?
    } else {
        names.is_empty()
    };
    if is_ours {
        Ok(())
    } else {
        Err(DbError::NotOurs(path.to_owned()))
    }
}
