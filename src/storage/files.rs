//! The files of a database: the main file, those beside it, the locks of the process that sends and of entries, former states, and how
//! connections are opened.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError, metadata, remove_file};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use chrono::{DateTime, Utc};
use rustix::fs::OFlags;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _};
use tempfile::{TempDir, TempPath};

use super::error::{BUSY_TIMEOUT, DbError};
use super::steps::{connect, count_steps};
use crate::compute::lock;
use crate::config::open_regular;
use crate::model::hex;
use crate::random;

/// Begin of the names of temporary folders.
const FOLDER: &str = "reviews-unfinished-";
/// The user ID of root.
const ROOT: u32 = 0;
/// Suffixes of the database and of the files that SQLite (<https://www.sqlite.org/tempfiles.html>) and this program put
/// beside it, but for the locks of entries.
const SUFFIXES: [&str; 5] = ["", LOG, LOG_INDEX, JOURNAL, DELIVERY_LOCK];
/// Suffix of the lock file of the sending process.
pub const DELIVERY_LOCK: &str = "-sender";
/// Begin of the suffix of the lock file of an entry of the sync file, which ends with the entry's name.
pub(super) const ENTRY_LOCK: &str = "-sync-";
/// Suffix of the write-ahead log.
pub(super) const LOG: &str = "-wal";
/// Suffix of the log's shared-memory index.
pub(super) const LOG_INDEX: &str = "-shm";
/// Suffix of the rollback journal.
pub(super) const JOURNAL: &str = "-journal";

/// All possible files of a database at `path` but for the locks of entries, the database itself first. If `path` is a symbolic link, also the files
/// beside its target, because SQLite derives their names from the target.
pub fn files(path: &Path) -> Vec<PathBuf> {
    let real = path.canonicalize().ok().filter(|real| real != path);
    let paths = std::iter::once(path).chain(real.as_deref());
    paths
        .flat_map(|path| SUFFIXES.map(|suffix| beside(path, suffix)))
        .collect()
}

pub(super) fn remove_leftover(file: &Path) {
    if let Err(error) = remove_file(file)
        && error.kind() != ErrorKind::NotFound
    {
        tracing::warn!(file = %file.display(), %error, "database.leftover: an unfinished file cannot be removed");
    }
}

/// A folder that only this user may read, and that is removed with its value.
///
/// # Errors
/// When the folder for temporary files cannot be written.
pub fn temporary_folder() -> io::Result<TempDir> {
    let private = Permissions::from_mode(0o700);
    let mut builder = tempfile::Builder::new();
    let folder = builder.prefix(FOLDER).permissions(private).tempdir()?;
    note_unfinished(folder.path());
    Ok(folder)
}

/// `path` with `suffix` appended to the file name.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The path without symbolic links, or `path` itself if there is no file.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The folder of the file at `path`.
pub(super) fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
}

/// 0 if the file does not exist.
pub(super) fn bytes_beside(path: &Path, suffix: &str) -> u64 {
    beside(path, suffix).metadata().map_or(0, |file| file.len())
}

/// Opens a file for writing. A new one, also behind a link to a path without a file, has mode 0600, which SQLite also gives to its
/// log and index; if root creates it, it has the owner of `like`: otherwise the service's
/// user could not use what a command of root has made.
pub(super) fn open_private(path: &Path, like: &Path) -> io::Result<File> {
    let is_new = !path.exists();
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    // A pipe without a reader would be waited for.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = options.custom_flags(flags).open(path)?;
    let (own, theirs) = (file.metadata()?, metadata(like)?);
    if is_new && own.uid() == ROOT && theirs.uid() != ROOT {
        fchown(&file, Some(theirs.uid()), Some(theirs.gid()))?;
    }
    Ok(file)
}

/// A file under a temporary name beside its final one. Dropping this removes it with the files beside it, unless it was renamed.
#[derive(Debug)]
pub(super) struct UnfinishedFile {
    pub(super) path: PathBuf,
    destination: PathBuf,
}

impl UnfinishedFile {
    /// Creates an empty file with mode 0600, which is to have the name `destination`. If root creates it, it has the owner of
    /// `like`.
    pub(super) fn begin(destination: &Path, like: &Path) -> Result<Self, DbError> {
        let path = unused_name(destination);
        open_private(&path, like).map_err(|error| DbError::create(destination, error))?;
        Ok(Self {
            path,
            destination: destination.to_owned(),
        })
    }

    /// Gives the file its final name, but never that of an existing file, which would be another database.
    pub(super) fn keep(self) -> Result<(), DbError> {
        TempPath::try_from_path(&self.path)
            .and_then(|begun| Ok(begun.persist_noclobber(&self.destination)?))
            .map_err(|reason| DbError::create(&self.destination, reason))
    }
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        files(&self.path)
            .iter()
            .for_each(|file| remove_leftover(file));
    }
}

/// The file at `path`, or its folder if there is none.
pub(super) fn owner_of(path: &Path) -> &Path {
    if path.exists() { path } else { folder_of(path) }
}

// Whether the path of the database still leads to the file that was opened. Connections stay with that file, so what is written
// after it was replaced is lost (<https://www.sqlite.org/howtocorrupt.html> §1.4 and §2.3).

/// A file that was opened.
#[derive(Debug, Clone)]
pub(super) struct FileIdentity {
    path: PathBuf,
    /// Device and inode identify a file for as long as it is open (POSIX, `sys/stat.h`).
    identity: (u64, u64),
}

impl FileIdentity {
    pub(super) fn of(path: &Path) -> Result<Self, DbError> {
        let file = metadata(path).map_err(|_| DbError::Missing(path.to_owned()))?;
        Ok(Self {
            path: path.to_owned(),
            identity: (file.dev(), file.ino()),
        })
    }

    /// Fails if the path leads to another file or to none.
    pub(super) fn verify(&self) -> Result<(), DbError> {
        match Self::of(&self.path) {
            Ok(there) if there.identity == self.identity => Ok(()),
            _ => Err(DbError::Replaced(self.path.clone())),
        }
    }
}

/// The log and its index beside the database at `path`, which is open; SQLite derives their names from the target of a symbolic
/// link.
pub(super) fn sides(path: &Path) -> Vec<FileIdentity> {
    let sides = [LOG, LOG_INDEX].map(|suffix| beside(&real(path), suffix));
    let there = sides.iter().filter_map(|side| FileIdentity::of(side).ok());
    there.collect()
}

/// Removes those files that are still the same.
pub(super) fn remove_same(files: &[FileIdentity]) -> io::Result<()> {
    let mut same = files.iter().filter(|file| file.verify().is_ok());
    same.try_for_each(|file| remove_file(&file.path))
}

// Unfinished files have a temporary name. The end of a process removes its own, also where a signal is the reason.

/// Text in the name of a file that is being written, between the final name and eight hexadecimal digits.
const NEW: &str = ".new-";
/// A command writes a few files at a time.
const NOTED_MAX: usize = 64;

/// The last temporary files and folders of this process.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// An unused name beside `path`.
pub fn unused_name(path: &Path) -> PathBuf {
    let random = random::bytes_16();
    let name = beside(path, &format!("{NEW}{}", hex(&random[..4])));
    note_unfinished(&name);
    name
}

fn note_unfinished(path: &Path) {
    let mut unfinished = lock(&UNFINISHED);
    if unfinished.len() == NOTED_MAX {
        unfinished.remove(0);
    }
    unfinished.push(path.to_owned());
}

/// Removes what this process has not finished; its last step.
pub fn remove_unfinished() {
    let mut unfinished = lock(&UNFINISHED);
    for path in unfinished.drain(..) {
        if path.is_dir() {
            let _ = fs::remove_dir_all(&path);
        } else {
            files(&path).iter().for_each(|file| remove_leftover(file));
        }
    }
}

// Chooses the process that sends deliveries: of all processes on one database, the one that holds an advisory lock on
// a file beside it.

/// Whether a process sends for the database at `path`.
pub fn has_sender(path: &Path) -> bool {
    let file = open_regular(&beside(&real(path), DELIVERY_LOCK));
    file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// The lock of a file, until it is dropped or the process ends.
#[derive(Debug)]
pub struct LockFile {
    file: File,
    path: PathBuf,
}

impl LockFile {
    /// Whether the path still leads to this file.
    pub fn is_there(&self) -> io::Result<bool> {
        let own = self.file.metadata()?;
        let there = FileIdentity::of(&self.path);
        Ok(there.is_ok_and(|there| there.identity == (own.dev(), own.ino())))
    }
}

impl Drop for LockFile {
    /// Removes the file before its lock ends, so that nobody else has it.
    fn drop(&mut self) {
        if self.is_there().is_ok_and(|is_there| is_there) {
            let _ = remove_file(&self.path);
        }
    }
}

/// Locks a file beside the database at `path`; `None` if another process holds the lock.
///
/// It is a separate file because closing the database's file would release SQLite's own locks on it (POSIX).
///
/// # Errors
/// [`DbError::Create`] when that file cannot be created or locked, [`DbError::LockOfOther`] when another user made it.
pub fn lock_beside(path: &Path, suffix: &str) -> Result<Option<LockFile>, DbError> {
    // A symbolic link leads to the same lock.
    let real = real(path);
    let name = beside(&real, suffix);
    let fault = |reason: io::Error| match metadata(&name) {
        Ok(file) if reason.kind() == ErrorKind::PermissionDenied => DbError::LockOfOther {
            path: name.clone(),
            owner: file.uid(),
        },
        Ok(_) | Err(_) => DbError::create(&name, reason),
    };
    loop {
        let file = open_private(&name, owner_of(&real)).map_err(fault)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(reason)) => return Err(fault(reason)),
        }
        let path = name.clone();
        let locked = LockFile { file, path };
        // The process that had the lock may have removed the file since it was opened here, and another process may have locked a new one.
        if locked.is_there().map_err(fault)? {
            return Ok(Some(locked));
        }
    }
}

/// The name of the file that a restore replaces, which is kept beside the database:
/// `reviews.db.before-restore-20261122T021500123Z`.
pub(super) fn former_name(database: &Path, now: DateTime<Utc>) -> PathBuf {
    let at = now.format("%Y%m%dT%H%M%S%3fZ");
    beside(database, &format!(".before-restore-{at}"))
}

// Connections to the files that were opened, and to no others.

/// A pool that returns a connection only if it is in no transaction, and otherwise opens another. When the disk is full
/// or fails, SQLite may roll back by itself
/// (<https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction>); sqlx's own rollback then
/// fails, and that connection could never begin a transaction again. Connections opened later must also be to the file
/// that was opened.
pub fn pool(place: &Arc<FileIdentity>) -> SqlitePoolOptions {
    let place = Arc::clone(place);
    let options = SqlitePoolOptions::new()
        .test_before_acquire(false)
        // Closing the last connection removes the log, and the next connection would create another log.
        .idle_timeout(None)
        .max_lifetime(None)
        .after_connect(move |connection, _| {
            let verified = place
                .verify()
                .map_err(|error| sqlx::Error::Configuration(error.into()));
            Box::pin(async {
                verified?;
                count_steps(connection).await
            })
        });
    options.before_acquire(|connection, _| {
        Box::pin(std::future::ready(Ok(!connection.is_in_transaction())))
    })
}

/// Copies the database behind `connection` into a new file (<https://www.sqlite.org/lang_vacuum.html#vacuuminto>).
pub async fn copy_into(connection: &mut SqliteConnection, to: &Path) -> sqlx::Result<()> {
    let copy = sqlx::query("vacuum into ?").bind(to.to_string_lossy().into_owned());
    copy.execute(connection).await.map(drop)
}

/// Copies the database at `path`, to which this only reads, into a new file.
pub async fn copy_file(path: &Path, to: &Path) -> sqlx::Result<()> {
    let mut connection = connect(&options(path).read_only(true)).await?;
    copy_into(&mut connection, to).await?;
    connection.close().await
}

/// Options without statement logging: sqlx would log each statement that takes more than a second in full.
pub fn unlogged() -> SqliteConnectOptions {
    SqliteConnectOptions::new().disable_statement_logging()
}

/// The page cache of a connection: the system caches the file too, and this is memory that each connection holds at rest.
const CACHE: &str = "-2048";

/// Options for all connections. Only writers set the journal mode: a copy may have another mode and is read in that
/// mode.
pub fn options(path: &Path) -> SqliteConnectOptions {
    unlogged()
        .filename(path)
        // Commits survive a power failure, because writes are rare and subscriptions must not be lost.
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
        .pragma("cache_size", CACHE)
        .pragma("temp_store", "memory")
        // Deleted content is overwritten with zeros (<https://www.sqlite.org/pragma.html#pragma_secure_delete>).
        .pragma("secure_delete", "on")
}
