//! Database errors; each message contains advice for the user.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use super::cluster::client::ClusterError;
use crate::http::find_cause;
use crate::model::text::quote_for_shell;

/// Maximum time that a statement waits for another process's lock.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// The same for work that can be done later, or not at all while another process uses the database.
pub(super) const SHORT_BUSY_TIMEOUT: Duration = Duration::from_secs(1);

/// A database that cannot be opened, read or written.
#[derive(Debug, Error)]
pub enum DbError {
    /// There is no file, and this command does not create one.
    #[error("no database at {}; create one with `reviews init --name NAME`", .0.display())]
    Missing(PathBuf),
    #[error("no backup at {}; `reviews backup FILE` writes one", .0.display())]
    NoBackup(PathBuf),

    /// Sample data, with which a firm's own reviews never mix.
    #[error(
        "the database {} holds the sample, which never mixes with your own reviews; nothing was changed; \
         `reviews init --database my.db --name NAME` creates your own, and each command takes --database my.db",
        .0.display()
    )]
    Sample(PathBuf),
    /// Another process uses the database, and this command needs exclusive access.
    #[error("the database {} is in use by another process; stop `reviews serve` and close other programs that have it open, then try again", .0.display())]
    InUse(PathBuf),
    #[error("cannot write {}: {reason}; create its folder, or name another file", path.display())]
    Create {
        path: PathBuf,
        /// The operating system's error.
        reason: io::Error,
    },
    /// A file by which processes exclude each other, which another user made.
    #[error(
        "cannot open {}, by which processes exclude each other: it belongs to the user {owner}; run the command as that user, for example \
         with `sudo -u '#{owner}'`, or stop what uses the database and remove that file",
        path.display()
    )]
    LockOfOther { path: PathBuf, owner: u32 },
    #[error("{} is not a SQLite database; name another file, or move this one away", .0.display())]
    NotADatabase(PathBuf),
    /// Another program's tables are in the file, or those of another build of this one.
    #[error("{} is the database of another program or build, and was not changed; name another file", .0.display())]
    NotOurs(PathBuf),
    #[error(
        "the database {} is damaged ({reason}); restore it from a backup with `reviews restore COPY`, or save what can be read with \
         `reviews export FILE` and import that into a new database; if the export fails, too, `sqlite3 {} .dump | \
         sed 's/^ROLLBACK.*/COMMIT;/' | sqlite3 -cmd '.dbconfig defensive off' new.db` makes a copy that can be exported",
        path.display(),
        quote_for_shell(&path.display().to_string())
    )]
    Damaged {
        path: PathBuf,
        /// SQLite's message.
        reason: String,
    },
    /// A newer release migrated the file, or an older one did and this command only reads.
    #[error(
        "the database {} has migration {found}, and this release has {known}: run `reviews migrate`, or use the newer release",
        path.display()
    )]
    OtherVersion {
        path: PathBuf,
        /// The newest migration in the file; 0 if none.
        found: i64,
        /// The newest migration of this release.
        known: i64,
    },
    /// The path leads to another file than the one that was opened, or to none.
    #[error(
        "the database {} was replaced, renamed or removed while it was in use; everything written is in the former file; put the \
         file to use in its place, then start again",
        .0.display()
    )]
    Replaced(PathBuf),
    /// The file or its folder cannot be read or written.
    #[error("the database {} cannot be opened for writing; give this user read and write permission to the file and its folder", .0.display())]
    ReadOnly(PathBuf),
    /// Another process holds the lock.
    #[error(
        "the database {} is locked by another process for more than {} s; end its transaction and try again",
        .0.display(),
        BUSY_TIMEOUT.as_secs()
    )]
    Locked(PathBuf),
    /// Another process wrote what this command had read before.
    #[error("another process wrote to the database {} at the same time; nothing was changed; run it again", .0.display())]
    Overtaken(PathBuf),
    /// The disk is full.
    #[error("no space is left on the disk of the database {}; nothing was changed; free some and try again", .0.display())]
    Full(PathBuf),

    /// The cluster did not take the write.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// Any other error of SQLite or of the file system.
    #[error("the database {} failed: {reason}", path.display())]
    Other {
        path: PathBuf,
        /// Message of SQLite or of the system.
        reason: String,
    },
}

/// `SQLITE_IOERR_SHMSIZE`: no space for the index of the log.
const IOERR_SHMSIZE: i32 = 4874;

impl DbError {
    /// The file at `path` cannot be created.
    pub(super) fn create(path: &Path, reason: io::Error) -> Self {
        Self::Create {
            path: path.to_owned(),
            reason,
        }
    }

    /// Any other error about the file at `path`.
    #[expect(clippy::needless_pass_by_value, reason = "it is what map_err is given")]
    pub(super) fn other(path: &Path, error: impl ToString) -> Self {
        Self::Other {
            path: path.to_owned(),
            reason: error.to_string(),
        }
    }

    /// Classifies an sqlx error about the file at `path`.
    pub fn at(path: &Path, error: sqlx::Error) -> Self {
        if let sqlx::Error::Configuration(inner) = &error
            && let Some(cluster) = inner.downcast_ref::<ClusterError>()
        {
            return Self::Cluster(cluster.clone());
        }
        let sqlx::Error::Database(inner) = &error else {
            return Self::other(path, error);
        };
        let path = path.to_owned();
        let reason = inner.message().to_owned();
        // SQLite's extended codes carry the primary one in their low byte
        // (https://www.sqlite.org/rescode.html).
        let code = inner.code();
        let code = code.and_then(|code| code.parse::<i32>().ok());
        let code = code.unwrap_or(0);
        match code & 0xff {
            _ if path.is_dir() => Self::NotADatabase(path),
            _ if code == IOERR_SHMSIZE => Self::Full(path),
            5 | 6 => Self::Locked(path),
            8 => Self::ReadOnly(path),
            11 => Self::Damaged { path, reason },
            13 => Self::Full(path),
            14 if path.exists() => Self::ReadOnly(path),

            26 => Self::NotADatabase(path),
            _ => Self::Other { path, reason },
        }
    }
}

/// Whether a write failed because another process wrote first; everything must then be read again.
pub fn is_overtaken(error: &(dyn std::error::Error + 'static)) -> bool {
    find_cause(error) == Some(&ClusterError::Overtaken)
        || matches!(
            find_cause(error),
            Some(DbError::Cluster(ClusterError::Overtaken) | DbError::Overtaken(_))
        )
}

/// Names the file in an error of sqlx.
pub trait AtPath<T> {
    /// # Errors
    /// The error about the file at `path` ([`DbError::at`]).
    fn at(self, path: &Path) -> Result<T, DbError>;
}

impl<T> AtPath<T> for sqlx::Result<T> {
    fn at(self, path: &Path) -> Result<T, DbError> {
        self.map_err(|error| DbError::at(path, error))
    }
}
