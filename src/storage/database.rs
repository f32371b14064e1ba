//! A database that is open: its writer, the readers of its file, and what other processes did to the file.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arc_swap::ArcSwap;
use futures_util::future::try_join_all;
use sqlx::pool::PoolConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool};
use sqlx::{ConnectOptions as _, Connection as _, Executor as _, Sqlite};

use super::cluster::client::Cluster;
use super::cluster::statements::{WriteOrigin, copy_node_file};
use super::error::{AtPath as _, BUSY_TIMEOUT, DbError, SHORT_BUSY_TIMEOUT};
use super::files::{
    self, FileIdentity, LOG, LockFile, UnfinishedFile, bytes_beside, copy_into, folder_of, options,
    pool, unlogged,
};
use super::schema::{self, Migrated};
use super::steps::connect;
use super::write::Write;
use crate::compute::lock;
use crate::config::DatabaseAddress;

/// Maximum size of the write-ahead log at rest: 16 MiB.
pub const LOG_BYTES_MAX: u64 = 16 << 20;

/// Cloning shares the same connections.
#[derive(Debug, Clone)]
pub struct Database {
    pub(super) path: PathBuf,
    /// The file and its readers; on a cluster rqlited may replace the file.
    pub(super) open: Arc<ArcSwap<OpenFile>>,
    pub(super) writer: Writer,
}

#[derive(Debug, Clone)]
pub(super) enum Writer {
    File(Arc<FileWriter>),
    Cluster(Arc<Cluster>),
}

#[derive(Debug)]
pub(super) struct FileWriter {
    /// The writing connection.
    pub(super) connections: SqlitePool,
    /// The lock that gives this process the right to send.
    pub(super) sender: Mutex<Option<LockFile>>,
    /// The log and its index, which exist while a connection is open.
    sides: Vec<FileIdentity>,
}

impl Database {
    /// Opens the file at `path`, creates it (mode 0600) if there is none, and migrates it. Another program's file is left
    /// unchanged.
    ///
    /// # Errors
    /// [`DbError`]; each kind has its own advice for the user.
    pub async fn open(path: &Path) -> Result<(Self, Migrated), DbError> {
        if !path.exists() {
            let created = files::open_private(path, folder_of(path));
            created.map_err(|reason| DbError::create(path, reason))?;
        }
        schema::identify(path).await?;
        let writing = options(path)
            .journal_mode(SqliteJournalMode::Wal)
            // SQLite writes the log back as it grows, and cuts a longer one afterwards.
            .pragma("journal_size_limit", LOG_BYTES_MAX.to_string());
        let mut connection = connect(&writing).await.at(path)?;
        let migrated = schema::migrate(&mut connection, path).await?;
        connection.close().await.at(path)?;
        let open = OpenFile::open(path, options(path)).await?;
        let writer = pool(&open.place).max_connections(1);
        let writer = writer.acquire_timeout(BUSY_TIMEOUT * 2);
        let writer = writer.connect_with(writing).await.at(path)?;
        let database = Self {
            path: path.to_owned(),
            open: Arc::new(ArcSwap::from_pointee(open)),
            writer: Writer::File(Arc::new(FileWriter {
                connections: writer,
                sender: Mutex::default(),
                sides: files::sides(path),
            })),
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
        let is_at_rest = schema::is_at_rest(path);
        let opened = Self::open_verified(path, options(path)).await;
        match opened {
            // Even a reader makes an index of the log beside the file, which cannot be where nothing may be written.
            Err(_) if is_at_rest => {
                let at_rest = options(path).immutable(true);
                let opened_at_rest = Self::open_verified(path, at_rest).await;
                opened_at_rest.or(opened)
            }
            opened => opened,
        }
    }

    async fn open_verified(
        path: &Path,
        options: SqliteConnectOptions,
    ) -> Result<SqlitePool, DbError> {
        let open = OpenFile::open(path, options).await?;
        let mut connection = open.readers.acquire().await.at(path)?;
        schema::verify_version(&mut connection, path).await?;
        drop(connection);
        Ok(open.readers)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Read-only connections.
    pub fn readers(&self) -> SqlitePool {
        self.open.load().readers.clone()
    }

    /// A read-only connection.
    ///
    /// # Errors
    /// [`DbError`] when none can be opened.
    pub async fn reader(&self) -> Result<PoolConnection<Sqlite>, DbError> {
        self.readers().acquire().await.at(&self.path)
    }

    /// Read-only connections for searches, of which each is opened when it is first needed.
    ///
    /// # Errors
    /// As [`Database::verify_place`]: none may be opened once the file was replaced.
    pub(super) fn searchers(&self) -> Result<SqlitePool, DbError> {
        let open = self.open.load();
        open.place.verify()?;
        Ok(open.searchers.clone())
    }

    /// Whether the path still leads to the file that was opened.
    ///
    /// # Errors
    /// [`DbError::Replaced`].
    pub fn verify_place(&self) -> Result<(), DbError> {
        self.open.load().place.verify()
    }

    /// Begins a write. There is only one writer, so this waits for its turn, and up to [`BUSY_TIMEOUT`] for other processes. On a
    /// cluster only the commit waits.
    ///
    /// # Errors
    /// [`DbError::Locked`] when another process holds the lock for longer, [`DbError::ReadOnly`] when the file cannot
    /// be written, and as [`Database::verify_place`].
    pub async fn write(&self) -> Result<Write, DbError> {
        self.write_as(WriteOrigin::Node).await
    }

    /// All changes: the first call of [`Changes::any`] returns true.
    ///
    /// # Errors
    /// [`DbError`] when the file cannot be opened.
    pub async fn changes(&self) -> Result<Changes, DbError> {
        let reading = options(&self.path).read_only(true);
        Ok(Changes {
            path: self.path.clone(),
            connection: Some(connect(&reading).await.at(&self.path)?),
            seen: None,
        })
    }

    /// Closes every connection, so that the last one checkpoints the log into the file. If the file was replaced, its log is
    /// written back to it and removed: SQLite would apply it to the new file. rqlited maintains a node's file itself.
    pub async fn close(&self) {
        let mut sides = Vec::new();
        if let Writer::File(file) = &self.writer
            && !file.connections.is_closed()
            && self.verify_place().is_err()
        {
            match write_back(&file.connections).await.at(self.path()) {
                Ok(true) => sides.clone_from(&file.sides),
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(%error, "database.log_left: the log of the previous database could not be written back to it; before \
                        the next start, move the files with -wal and -shm beside that database");
                }
            }
        }
        self.open.load_full().close().await;
        if let Writer::File(file) = &self.writer {
            file.connections.close().await;
            *lock(&file.sender) = None;
        }
        if let Err(error) = files::remove_same(&sides) {
            tracing::warn!(%error, "database.log_left: the log of the previous database could not be removed; remove the files \
                with -wal and -shm before the next start");
        }
    }
}

// Read-only queries for monitoring: whether the database can be read, its size, and the SQLite version.

impl Database {
    /// Whether the file exists, can be read, and has this release's version.
    ///
    /// # Errors
    /// As [`Database::verify_place`]; [`DbError::OtherVersion`] when another release migrated it; others when it cannot be read.
    pub async fn verify_readable(&self) -> Result<(), DbError> {
        self.verify_place()?;
        let mut reader = self.reader().await?;
        schema::verify_version(&mut reader, &self.path).await
    }

    /// Bytes of the file and of its write-ahead log; 0 for a missing file.
    pub fn bytes(&self) -> (u64, u64) {
        (bytes_beside(&self.path, ""), bytes_beside(&self.path, LOG))
    }
}

/// Version of the built-in SQLite.
///
/// # Errors
/// When SQLite cannot be queried.
pub async fn sqlite_version() -> sqlx::Result<String> {
    let mut connection = unlogged().in_memory(true).connect().await?;
    sqlx::query_scalar("select sqlite_version()")
        .fetch_one(&mut connection)
        .await
}

// A file open for reading, with its readers. It is separate from `Database` because rqlited may replace the file
// (after a restart or when it rejoins), and all of this is then reopened.

/// Maximum number of readers, which serve rendering and checks.
const READERS: u32 = 2;
/// Maximum number of connections for searches; requests that compute are as many as processors.
const SEARCHERS: u32 = 4;
/// Time that a search waits for a connection.
const SEARCHER_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct OpenFile {
    place: Arc<FileIdentity>,
    readers: SqlitePool,
    /// Opened when they are first used. They do not wait for a lock: a search without the text index reads the texts.
    searchers: SqlitePool,
}

impl OpenFile {
    /// Opens the file at `path` for reading.
    pub(super) async fn open(path: &Path, options: SqliteConnectOptions) -> Result<Self, DbError> {
        let place = Arc::new(FileIdentity::of(path)?);
        let reading = options.read_only(true);
        let searchers = pool(&place)
            .max_connections(SEARCHERS)
            .acquire_timeout(SEARCHER_TIMEOUT)
            .connect_lazy_with(reading.clone().busy_timeout(Duration::ZERO));
        // All at once: a connection that is opened after the file was replaced would truncate the index of the log, which the others
        // have in memory, and end the process (SIGBUS).
        let readers = pool(&place).min_connections(READERS);
        let readers = readers.max_connections(READERS);
        let reading = reading.pragma("query_only", "on");
        let readers = readers.connect_with(reading).await.at(path)?;
        // sqlx opens them in two tasks, of which it awaits one.
        let all = (0..READERS).map(|_| readers.acquire());
        drop(try_join_all(all).await.at(path)?);
        Ok(Self {
            place,
            readers,
            searchers,
        })
    }

    pub(super) async fn close(&self) {
        self.searchers.close().await;
        self.readers.close().await;
    }
}

// Detects commits to the file by this writer, another process, or a `sqlite3` shell.
//
// `PRAGMA data_version` compares only with an earlier reading on the same connection and ignores that connection's own
// commits, so this uses a connection that never writes. What changed is in `review_change`.

#[derive(Debug)]
pub struct Changes {
    path: PathBuf,
    /// Kept open because `data_version` is per connection; `None` once closed.
    connection: Option<SqliteConnection>,
    seen: Option<i64>,
}

impl Changes {
    /// Whether there was a commit since the last call that returned true. The first call returns true; after
    /// [`Changes::close`], the result is false.
    pub async fn any(&mut self) -> Result<bool, DbError> {
        let Some(connection) = &mut self.connection else {
            return Ok(false);
        };
        let version = sqlx::query_scalar("pragma data_version");
        let version: i64 = version.fetch_one(connection).await.at(&self.path)?;
        let moved = self.seen != Some(version);
        self.seen = Some(version);
        Ok(moved)
    }

    /// # Errors
    /// [`DbError`]; the connection is closed anyway.
    pub async fn close(&mut self) -> Result<(), DbError> {
        let Some(connection) = self.connection.take() else {
            return Ok(());
        };
        connection.close().await.at(&self.path)
    }

    /// Makes the next [`Changes::any`] return true, because its last change could not be processed.
    pub const fn forget(&mut self) {
        self.seen = None;
    }
}

/// Writes the log back into the opened file, whatever its name now leads to; returns whether all of it is written. Waits for
/// other readers and writers.
async fn write_back(writer: &SqlitePool) -> sqlx::Result<bool> {
    let (is_busy, logged, written): (bool, i64, i64) =
        sqlx::query_as("pragma wal_checkpoint(full)")
            .fetch_one(writer)
            .await?;
    Ok(!is_busy && written == logged)
}

impl Database {
    /// Writes the log back into the database and truncates it; returns whether it could, waiting a second for other readers and
    /// writers.
    pub(super) async fn cut_log(&self) -> Result<bool, DbError> {
        // Otherwise the log could belong to another database.
        self.verify_place()?;
        let options = options(self.path()).busy_timeout(SHORT_BUSY_TIMEOUT);
        let cut = async {
            let mut connection = connect(&options).await?;
            // A passive checkpoint runs first, beside other readers and writers, which keeps the blocking part short.
            connection.execute("pragma wal_checkpoint(passive)").await?;
            let (is_busy, _, _): (bool, i64, i64) =
                sqlx::query_as("pragma wal_checkpoint(truncate)")
                    .fetch_one(&mut connection)
                    .await?;
            connection.close().await?;
            Ok(!is_busy)
        };
        cut.await.at(self.path())
    }

    /// Opens the database at `address`, creates it if there is none, and migrates it.
    pub async fn open_at(address: &DatabaseAddress) -> Result<(Self, Migrated), DbError> {
        match address {
            DatabaseAddress::File(path) => Self::open(path).await,
            DatabaseAddress::Cluster(cluster) => Self::join_cluster(cluster).await,
        }
    }

    /// Copies the database at `address` into the file at `begun`, which errors call `name`. If many nodes share it, that is this
    /// node's file, once it has all of the leader's data.
    pub(super) async fn copy_as(
        address: &DatabaseAddress,
        begun: &Path,
        name: &Path,
    ) -> Result<(), DbError> {
        let path = match address {
            DatabaseAddress::File(path) => path,
            DatabaseAddress::Cluster(nodes) => return copy_node_file(nodes, begun, name).await,
        };
        schema::identify(path).await?;
        // Not read-only, because a connection that only reads would leave a log behind.
        let mut connection = match connect_and_read(options(path)).await.at(path) {
            // Nothing may be written there.
            Err(DbError::ReadOnly(_)) => {
                connect_and_read(schema::untouching(path)).await.at(path)?
            }
            connected => connected?,
        };
        copy_into(&mut connection, begun).await.at(name)?;
        connection.close().await.at(path)
    }
}

/// A connection that has read, which SQLite does not do while it connects.
async fn connect_and_read(options: SqliteConnectOptions) -> sqlx::Result<SqliteConnection> {
    let mut connection = connect(&options).await?;
    connection
        .execute("select count(*) from sqlite_schema")
        .await?;
    Ok(connection)
}

/// A database that a command writes to, created if there is none. A new file appears only once it has content: a command that
/// fails or writes nothing leaves no file behind. It is created under a temporary name in the same folder and renamed at
/// the end, so that even a killed process leaves no partial database.
#[derive(Debug)]
pub struct Opening {
    /// A new file has a temporary name.
    pub database: Database,
    pub(super) new: Option<UnfinishedFile>,
}

impl Opening {
    /// Opens the database at `address`, or begins a new file.
    ///
    /// # Errors
    /// As [`Database::open`].
    pub async fn open(address: &DatabaseAddress) -> Result<Self, DbError> {
        // A dangling link names the path for the new file; an existing file is opened in place.
        let new = address
            .own_file()
            .filter(|path| !path.exists() && !path.is_symlink())
            .map(|path| UnfinishedFile::begin(path, folder_of(path)))
            .transpose()?;
        let (database, _) = match &new {
            Some(file) => Database::open(&file.path).await?,
            None => Database::open_at(address).await?,
        };
        Ok(Self { database, new })
    }

    /// Closes the database. A new file gets its final name if it `is_done`; otherwise it is removed.
    ///
    /// # Errors
    /// [`DbError::Create`] when that is not possible, or when another process has created a file there in the meantime;
    /// that file is left unchanged.
    pub async fn close(self, is_done: bool) -> Result<(), DbError> {
        self.database.close().await;
        match self.new {
            Some(new) if is_done => new.keep(),
            Some(_) | None => Ok(()),
        }
    }

    /// Closes the database; a new file gets its final name if the work succeeded.
    ///
    /// # Errors
    /// Those of the work, and of [`Opening::close`].
    pub async fn finish<T, E: From<DbError>>(self, worked: Result<T, E>) -> Result<T, E> {
        let closed = self.close(worked.is_ok()).await;
        worked.and_then(|worked| Ok(closed.map(|()| worked)?))
    }
}
