//! The database: one writer, read-only readers of its file, embedded migrations, and detection of foreign writes. The
//! writer is the file's own connection or, on many nodes, a cluster (`rqlite`).
//!
//! All SQL and all connections are here and in the modules' `store.rs`.

mod backup;
pub mod business;
mod changes;
mod checkpoint;
mod cluster;
mod copy;
mod delivery_lock;
mod derived;
mod erase;
mod error;
mod files;
mod first_load;
mod former;
pub(crate) mod imports;
mod index_readers;
mod lease;
mod migrate;
mod new_file;
mod node_file;
mod open_file;
mod restore;
pub mod reviews;
mod rqlite;
mod schema;
mod text;
mod text_index;
mod verify;
mod write;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use files::{DatabaseFiles, LOG, bytes_beside};
use open_file::OpenFile;
use rqlite::Cluster;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Connection as _};

use crate::clock::Clock;

pub use changes::Changes;
pub use checkpoint::LOG_BYTES_MAX;
pub use cluster::NodeStanding;
pub use delivery_lock::DeliveryLock;
pub use erase::{Erased, Postponed, REWRITE_AT_ONCE_MAX, lacking_room, unerased};
pub use error::DbError;
pub use files::{files, unused_name};
pub use former::FORMER_KEPT_DAYS;
pub use index_readers::{INDEX_READERS_MAX, IndexReader};
pub use migrate::Migrated;
pub use new_file::Opening;
pub use restore::{Alone, Prepared};
pub use rqlite::{ClusterError, NodeStatus};
pub use text::{Text, unpack_value};
pub use verify::{FileVerification, unpublished, verify};
pub use write::{Write, is_overtaken};

/// Maximum time that a statement waits for another process's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Pause in which a long write leaves the lock to other processes: more than twice the longest interval between two
/// attempts of SQLite (100 ms).
const GAP: Duration = Duration::from_millis(250);
/// Maximum number of checks for a free lock before a long write queues like any other write: 5 s in total.
const LOOKS_MAX: u32 = 20;

/// Cloning shares the same connections.
#[derive(Debug, Clone)]
pub struct Database {
    path: PathBuf,
    /// The file and its readers; on a cluster rqlited may replace the file.
    open: Arc<ArcSwap<OpenFile>>,
    writer: Writer,
}

#[derive(Debug, Clone)]
enum Writer {
    File(SqlitePool),
    Cluster(Arc<Cluster>),
}

impl Database {
    /// Opens the file at `path`, creates it (mode 0600) if there is none, and migrates it. Before a migration, a copy
    /// is kept if the database holds data. Another program's file is left unchanged.
    ///
    /// # Errors
    /// [`DbError`]; each kind has its own advice for the user.
    pub async fn open(path: &Path) -> Result<(Self, Migrated), DbError> {
        Self::open_and_migrate(path, true).await
    }

    /// `keeps_former`: whether a copy is kept before a migration.
    async fn open_and_migrate(
        path: &Path,
        keeps_former: bool,
    ) -> Result<(Self, Migrated), DbError> {
        let fault = |error: sqlx::Error| DbError::at(path, error);
        files::create_private(path)?;
        schema::identify(path).await?;
        let options = options(path).journal_mode(SqliteJournalMode::Wal);
        let mut connection = SqliteConnection::connect_with(&options)
            .await
            .map_err(fault)?;
        let migrated = migrate::run(&mut connection, path, keeps_former).await?;
        if text_index::make_sound(&mut connection)
            .await
            .map_err(fault)?
        {
            tracing::warn!(
                "text_index.forged: pages of `review_fts` were malformed in a way that SQLite never writes; the index was \
                 rebuilt from the reviews"
            );
        }
        connection.close().await.map_err(fault)?;
        let open = OpenFile::open(path, None).await?;
        let writer = pool(&open.place)
            .max_connections(1)
            .acquire_timeout(BUSY_TIMEOUT * 2);
        let writer = writer.connect_with(options).await.map_err(fault)?;
        let database = Self {
            path: path.to_owned(),
            open: Arc::new(ArcSwap::from_pointee(open)),
            writer: Writer::File(writer),
        };
        Ok((database, migrated))
    }

    /// Opens the file at `path` read-only: creates, migrates and writes nothing.
    ///
    /// # Errors
    /// [`DbError`], also when the file does not exist or has another version.
    pub async fn open_read_only(path: &Path) -> Result<SqlitePool, DbError> {
        if !path.exists() {
            return Err(DbError::Missing(path.to_owned()));
        }
        schema::identify(path).await?;
        let derived = derived::beside(path);
        let open = OpenFile::open(path, derived.exists().then_some(&derived)).await?;
        let mut connection = open
            .readers
            .acquire()
            .await
            .map_err(|error| DbError::at(path, error))?;
        migrate::verify(&mut connection, path).await?;
        drop(connection);
        Ok(open.readers)
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Read-only connections.
    #[must_use]
    pub fn readers(&self) -> SqlitePool {
        self.open.load().readers.clone()
    }

    /// Whether the names of the database and of its log still lead to the files that were opened.
    ///
    /// # Errors
    /// [`DbError::Replaced`], [`DbError::Removed`] or [`DbError::LogGone`], until the file is put back.
    pub fn verify_place(&self) -> Result<(), DbError> {
        self.open.load().place.verify()
    }

    /// `None` if all index readers are busy.
    ///
    /// # Errors
    /// [`DbError`] when the file cannot be opened.
    pub async fn index_reader(&self) -> Result<Option<IndexReader>, DbError> {
        let index_readers = self.open.load().index_readers.clone();
        index_readers.lend(&self.path).await
    }

    /// Adds the rows that the text index lacks and returns their number; rebuilds the index if it is missing.
    ///
    /// # Errors
    /// [`DbError`]; the index may then lack rows.
    pub async fn repair_text_index(&self) -> Result<u64, DbError> {
        let fault = |error| DbError::at(&self.path, error);
        let mut reader = self.readers().acquire().await.map_err(fault)?;
        if text_index::is_whole(&mut reader).await.map_err(fault)? {
            return Ok(0);
        }
        drop(reader);
        let mut write = self.write().await?;
        let repaired = text_index::repair(&mut write).await.map_err(fault)?;
        write.commit().await.map_err(fault)?;
        Ok(repaired)
    }

    /// Begins a write. There is only one writer, so this waits for its turn, and up to 5 s for other processes. On a
    /// cluster only the commit waits.
    ///
    /// # Errors
    /// [`DbError::Locked`] when another process holds the lock for longer, [`DbError::ReadOnly`] when the file cannot
    /// be written, and as [`Database::verify_place`].
    pub async fn write(&self) -> Result<Write, DbError> {
        self.verify_place()?;
        let fault = |error| DbError::at(&self.path, error);
        match &self.writer {
            Writer::File(pool) => Ok(Write::to_file(
                pool.begin_with("begin immediate").await.map_err(fault)?,
            )),
            Writer::Cluster(cluster) => {
                let transaction = self.readers().begin().await.map_err(fault)?;
                Ok(Write::to_cluster(transaction, Arc::clone(cluster)))
            }
        }
    }

    /// # Errors
    /// [`DbError`] when the file cannot be opened.
    pub async fn changes(&self) -> Result<Changes, DbError> {
        Changes::open(&options(&self.path).read_only(true), &self.path).await
    }

    /// Begins a long write. If another process has the lock, this waits up to 5 s for the lock and then lets other
    /// waiting processes go first. SQLite gives the lock to the next process that requests it, so a process could
    /// otherwise wait for two long writes in a row.
    ///
    /// # Errors
    /// As [`Database::write`].
    pub async fn write_long(&self, clock: &Clock) -> Result<Write, DbError> {
        if self.is_cluster() {
            return self.write_as_owner().await;
        }
        for look in 0..LOOKS_MAX {
            if !self.is_locked().await? {
                if look > 0 {
                    clock.sleep(GAP).await;
                }
                break;
            }
            clock.sleep(GAP).await;
        }
        let mut write = self.write().await?;
        // Most written pages are not read again, so they belong in the log; an import stays below 64 MiB.
        sqlx::query("pragma cache_size = -4096")
            .execute(&mut *write)
            .await
            .map_err(|error| DbError::at(&self.path, error))?;
        Ok(write)
    }

    /// Whether a process has the write lock at this moment.
    async fn is_locked(&self) -> Result<bool, DbError> {
        let fault = |error| DbError::at(&self.path, error);
        self.verify_place()?;
        let options = options(&self.path).busy_timeout(Duration::ZERO);
        let mut asking = SqliteConnection::connect_with(&options)
            .await
            .map_err(fault)?;
        let answer = asking
            .begin_with("begin immediate")
            .await
            .map(drop)
            .map_err(fault);
        asking.close().await.map_err(fault)?;
        match answer {
            Ok(()) => Ok(false),
            Err(DbError::Locked(_)) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Closes every connection, so that the last one checkpoints the log into the file. If other processes keep
    /// connections open, an enlarged log is truncated. rqlited maintains a node's file itself.
    pub async fn close(&self) {
        if let Writer::File(_) = self.writer
            && let Err(error) = self.checkpoint().await
        {
            tracing::warn!(%error, "database.log_not_cut: the write-ahead log could not be truncated; trying again within a \
                minute");
        }
        let open = self.open.load_full();
        open.close().await;
        if let Writer::File(pool) = &self.writer {
            pool.close().await;
        }
    }
}

/// A temporary database on disk, without a name, removed with its connection.
///
/// # Errors
/// When no temporary file can be made.
async fn scratch() -> sqlx::Result<SqliteConnection> {
    // An empty name means a temporary on-disk database (<https://www.sqlite.org/inmemorydb.html#temp_db>).
    let options = unlogged()
        .filename("")
        .create_if_missing(true)
        .pragma("cache_size", "-1024");
    SqliteConnection::connect_with(&options).await
}

/// Options without statement logging: sqlx would log each statement that takes more than a second in full.
fn unlogged() -> SqliteConnectOptions {
    SqliteConnectOptions::new().disable_statement_logging()
}

/// Options for all connections. Only writers set the journal mode: a copy may have another mode and is read in that
/// mode.
fn options(path: &Path) -> SqliteConnectOptions {
    unlogged()
        .filename(path)
        // Commits survive a power failure, because writes are rare and subscriptions must not be lost.
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
        // The system caches the file too; a cache here is memory that each connection holds at rest.
        .pragma("cache_size", "-2048")
        .pragma("temp_store", "memory")
        // Deleted content is overwritten with zeros (<https://www.sqlite.org/pragma.html#pragma_secure_delete>).
        .pragma("secure_delete", "on")
}

// Connection pools for one file.

/// A pool that returns a connection only if it is in no transaction, and otherwise opens another. When the disk is full
/// or fails, SQLite may roll back by itself
/// (<https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction>); sqlx's own rollback then
/// fails, and that connection could never begin a transaction again. Connections opened later must also be to the file
/// that was opened.
fn pool(place: &Arc<DatabaseFiles>) -> SqlitePoolOptions {
    let place = Arc::clone(place);
    let options = SqlitePoolOptions::new()
        .test_before_acquire(false)
        // Closing the last connection removes the log, and the next connection would create another log.
        .idle_timeout(None)
        .max_lifetime(None)
        .after_connect(move |_, _| {
            let verified = place
                .verify()
                .map_err(|error| sqlx::Error::Configuration(error.into()));
            Box::pin(std::future::ready(verified))
        });
    options.before_acquire(|connection, _| {
        Box::pin(std::future::ready(Ok(!connection.is_in_transaction())))
    })
}

// Read-only queries for monitoring: whether the database can be read, its size, and the SQLite version.

impl Database {
    /// Whether the file exists, can be read, and has this release's version.
    ///
    /// # Errors
    /// As [`Database::verify_place`]; [`DbError::Newer`] or [`DbError::Older`] when another release migrated it; others
    /// when it cannot be read.
    pub async fn verify_readable(&self) -> Result<(), DbError> {
        self.verify_place()?;
        let reader = self.readers().acquire().await;
        let mut reader = reader.map_err(|error| DbError::at(&self.path, error))?;
        migrate::verify(&mut reader, &self.path).await
    }

    /// Bytes of the file and of its write-ahead log; 0 for a missing file.
    #[must_use]
    pub fn bytes(&self) -> (u64, u64) {
        (bytes_beside(&self.path, ""), bytes_beside(&self.path, LOG))
    }
}

/// Version of the built-in SQLite.
///
/// # Errors
/// When SQLite cannot be queried.
pub async fn sqlite_version() -> sqlx::Result<String> {
    let mut connection = scratch().await?;
    sqlx::query_scalar("select sqlite_version()")
        .fetch_one(&mut connection)
        .await
}
