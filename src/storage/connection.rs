//! How connections to the file are opened, and what they may take.

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};

/// Maximum time that a statement waits for another process's lock.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// A temporary database on disk, without a name, removed with its connection.
pub async fn scratch() -> sqlx::Result<SqliteConnection> {
    // An empty name means a temporary on-disk database (<https://www.sqlite.org/inmemorydb.html#temp_db>).
    let options = unlogged().filename("").create_if_missing(true);
    options.pragma("cache_size", "-1024").connect().await
}

/// Copies the database behind `connection` into a new file (<https://www.sqlite.org/lang_vacuum.html#vacuuminto>).
pub async fn copy_into(connection: &mut SqliteConnection, to: &Path) -> sqlx::Result<()> {
    let copy = sqlx::query("vacuum into ?").bind(to.to_string_lossy().into_owned());
    copy.execute(connection).await.map(drop)
}

/// Copies the database at `path`, to which this only reads, into a new file.
pub async fn copy_file(path: &Path, to: &Path) -> sqlx::Result<()> {
    let mut connection = options(path).read_only(true).connect().await?;
    copy_into(&mut connection, to).await?;
    connection.close().await
}

/// Options without statement logging: sqlx would log each statement that takes more than a second in full.
pub fn unlogged() -> SqliteConnectOptions {
    SqliteConnectOptions::new().disable_statement_logging()
}

/// The page cache of a connection in KiB: the system caches the file too, and this is memory that each connection holds
/// at rest.
pub const CACHE_KIB: u32 = 2_048;

/// Limits the page cache of `connection` and frees what it holds
/// (<https://www.sqlite.org/pragma.html#pragma_cache_size>).
pub async fn limit_cache(connection: &mut SqliteConnection, kib: u32) -> sqlx::Result<()> {
    let limit = format!("pragma cache_size = -{kib}; pragma shrink_memory");
    let limit = sqlx::raw_sql(AssertSqlSafe(limit));
    limit.execute(connection).await.map(drop)
}

/// Options for all connections. Only writers set the journal mode: a copy may have another mode and is read in that
/// mode.
pub fn options(path: &Path) -> SqliteConnectOptions {
    unlogged()
        .filename(path)
        // Commits survive a power failure, because writes are rare and subscriptions must not be lost.
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
        .pragma("cache_size", format!("-{CACHE_KIB}"))
        .pragma("temp_store", "memory")
        // Deleted content is overwritten with zeros (<https://www.sqlite.org/pragma.html#pragma_secure_delete>).
        .pragma("secure_delete", "on")
}
