//! That a deleted review leaves nothing readable behind. Every writer of ours overwrites what it deletes
//! (`secure_delete`), but copies of cells that were made when pages were balanced stay in their unallocated parts, and
//! other programs leave what they delete in free pages: only rewriting the file takes all of it away. The text index is
//! merged first, because its segments hold what they were given until then; FTS5's own `secure-delete` is not used: the
//! `sqlite3` shell 3.40 then cannot read the index.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Connection as _};

use super::error::DbError;
use super::files::bytes_beside;
use super::{Database, DeliveryLock, GAP, Write, options};
use crate::clock::Clock;

/// How long rewriting waits for another process's lock.
const LOCK_WAIT_MAX: Duration = Duration::from_secs(1);
/// How often is looked for a moment at which the log can be cut, [`GAP`] apart: for 3 s.
const LOG_LOOKS_MAX: usize = 12;
/// A file of at most so many bytes is rewritten at once though a service runs: 64 MiB take it a third of a second, for
/// which other writers wait.
pub const REWRITE_AT_ONCE_MAX: u64 = 64 << 20;

/// What became of the traces of deleted reviews.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Erased {
    /// No deleted review waited for its traces to be removed.
    Nothing,
    /// No trace of a deleted review is left in the files.
    All,
    /// The tables have none; a cluster's nodes keep what was written until their next snapshot.
    ButNodes,
    /// The tables and the index have none, unused parts of the file do.
    Later(Postponed),
}

/// Why a file is not rewritten now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Postponed {
    /// It has more bytes than may be rewritten now.
    Large,
    /// Another process reads or writes, and went on for longer than this waits.
    Busy,
    /// The disk has too little room.
    NoRoom {
        /// How many bytes must be free.
        needed: u64,
        /// How many are.
        free: u64,
    },
}

impl fmt::Display for Postponed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        match self {
            Self::Large => write!(
                f,
                "the file is larger than {} MiB, and a service runs",
                mib(REWRITE_AT_ONCE_MAX)
            ),
            Self::Busy => f.write_str("another process reads or writes it"),
            Self::NoRoom { needed, free } => write!(
                f,
                "rewriting it needs {} MiB of free disk space, and {} MiB are free",
                mib(*needed),
                free >> 20
            ),
        }
    }
}

impl Database {
    /// As [`Database::erase_traces`], for a command: where a service runs, a large file is left to it.
    ///
    /// # Errors
    /// As [`Database::erase_traces`].
    pub async fn erase_traces_or_leave_them(&self) -> Result<Erased, DbError> {
        let bytes_max = if DeliveryLock::is_held(self.path()) {
            REWRITE_AT_ONCE_MAX
        } else {
            u64::MAX
        };
        self.erase_traces(bytes_max).await
    }

    /// Takes out of the text index, the file and its log what deleted reviews left there, by rewriting the file, if that has
    /// at most `bytes_max`. What cannot be done now, a later call must do.
    ///
    /// # Errors
    /// [`DbError`] when the file cannot be written.
    pub async fn erase_traces(&self, bytes_max: u64) -> Result<Erased, DbError> {
        self.verify_place()?;
        let fault = |error| DbError::at(self.path(), error);
        let mut reader = self.readers().acquire().await.map_err(fault)?;
        let Unerased { newest, .. } = unerased(&mut reader).await.map_err(fault)?;
        drop(reader);
        let Some(newest) = newest else {
            return Ok(Erased::Nothing);
        };
        if self.is_cluster() {
            // The files and logs are rqlited's to tidy.
            let mut write = self.write().await?;
            merge_text_index(&mut write).await.map_err(fault)?;
            note_erased(&mut write, newest).await.map_err(fault)?;
            write.commit().await.map_err(fault)?;
            return Ok(Erased::ButNodes);
        }
        if self.bytes().0 > bytes_max {
            return Ok(Erased::Later(Postponed::Large));
        }
        // First, because the whole file goes through the log: one that cannot be cut would only grow.
        if !self.cut_log_between_others().await? {
            return Ok(Erased::Later(Postponed::Busy));
        }
        if let Some(lacking) = lacking_room(self.path())? {
            return Ok(Erased::Later(lacking));
        }
        let mut write = self.write().await?;
        merge_text_index(&mut write).await.map_err(fault)?;
        write.commit().await.map_err(fault)?;
        match rewrite(self.path()).await {
            Ok(()) => {}
            Err(DbError::Locked(_)) => return Ok(Erased::Later(Postponed::Busy)),
            Err(error) => return Err(error),
        }
        if !self.cut_log_between_others().await? {
            return Ok(Erased::Later(Postponed::Busy));
        }
        // Last, so that what was cut off before is done again.
        let mut write = self.write().await?;
        note_erased(&mut write, newest).await.map_err(fault)?;
        write.commit().await.map_err(fault)?;
        Ok(Erased::All)
    }

    /// Cuts the log at a moment at which nobody else writes or writes it back, and keeps nobody waiting for that.
    async fn cut_log_between_others(&self) -> Result<bool, DbError> {
        for _ in 0..LOG_LOOKS_MAX {
            if self.cut_log(Duration::ZERO).await? {
                return Ok(true);
            }
            Clock::system().sleep(GAP).await;
        }
        Ok(false)
    }
}

/// Deleted reviews of which the file may still have something.
#[derive(Debug, Clone, Copy)]
pub struct Unerased {
    /// How many those are.
    pub count: i64,
    /// The change number of the one that was deleted last.
    newest: Option<i64>,
}

/// Looks for deleted reviews of which the file may still have something.
///
/// # Errors
/// When the database cannot be read.
pub async fn unerased(connection: &mut SqliteConnection) -> sqlx::Result<Unerased> {
    sqlx::query_as!(
        Unerased,
        r#"select count(*) as "count!: i64", max(change_no) as "newest: i64" from review_change as c
           where c.change_no > coalesce((select change_no from erasure), 0)
             and not exists (select 1 from review as r where r.review_id = c.review_id)"#
    )
    .fetch_one(connection)
    .await
}

/// Says why the file at `path` cannot be rewritten where its disk has too little room: a rewrite first makes a temporary
/// copy, and then writes that to the log.
///
/// # Errors
/// When the system cannot be asked.
pub fn lacking_room(path: &Path) -> Result<Option<Postponed>, DbError> {
    let room = rustix::fs::statvfs(path).map_err(|error| DbError::Other {
        path: path.to_owned(),
        reason: error.to_string(),
    })?;
    let bytes = bytes_beside(path, "");
    let (needed, free) = (2 * bytes + bytes / 16, room.f_bavail * room.f_frsize);
    Ok((free < needed).then_some(Postponed::NoRoom { needed, free }))
}

/// Rewrites the file at `path` in place, in one transaction (<https://www.sqlite.org/lang_vacuum.html>). The temporary copy
/// is beside it, for there was looked for room; SQLite makes it with mode 0600 and without a name.
async fn rewrite(path: &Path) -> Result<(), DbError> {
    let fault = |error| DbError::at(path, error);
    let folder = path.canonicalize().ok();
    let folder = folder.as_deref().and_then(Path::parent);
    let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_owned);
    let folder = folder.to_string_lossy().replace('\'', "''");
    let options = options(path)
        .busy_timeout(LOCK_WAIT_MAX)
        .pragma("temp_store", "file");
    let mut connection = SqliteConnection::connect_with(&options)
        .await
        .map_err(fault)?;
    // Of the whole process, so it is taken back.
    let set = format!("pragma temp_store_directory = '{folder}'");
    sqlx::query(AssertSqlSafe(set))
        .execute(&mut connection)
        .await
        .map_err(fault)?;
    let rewritten = sqlx::query("vacuum").execute(&mut connection).await;
    sqlx::query("pragma temp_store_directory = ''")
        .execute(&mut connection)
        .await
        .map_err(fault)?;
    connection.close().await.map_err(fault)?;
    rewritten.map(drop).map_err(fault)
}

/// Merges the segments of the text index into one, which has nothing of deleted rows
/// (<https://www.sqlite.org/fts5.html#the_optimize_command>).
async fn merge_text_index(write: &mut Write) -> sqlx::Result<()> {
    sqlx::query("insert into review_fts (review_fts) values ('optimize')")
        .execute(&mut **write)
        .await
        .map(drop)
}

/// Notes through which change deleted reviews have been erased.
async fn note_erased(write: &mut Write, newest: i64) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into erasure (change_no) values (?) on conflict (only_row) do update set change_no = excluded.change_no",
        newest
    )
    .execute(&mut **write)
    .await
    .map(drop)
}
