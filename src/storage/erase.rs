//! Ensures that deleted reviews leave nothing readable behind. Our writers overwrite what they delete
//! (`secure_delete`), but page balancing leaves copies of cells in unallocated parts of pages, so the file is rewritten. The text index is merged first because its segments keep deleted
//! rows; FTS5's own `secure-delete` is not used because the `sqlite3` shell 3.40 then cannot read the index.

use std::path::Path;

use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};

use super::database::Database;
use super::error::{AtPath as _, DbError, SHORT_BUSY_TIMEOUT};
use super::files::{folder_of, options, real};
use super::steps::connect;
use super::write::Write;

/// Maximum size for an immediate rewrite by a command; larger files are left to a running service. Rewriting 64 MiB takes a
/// third of a second, during which other writers wait.
pub const REWRITE_AT_ONCE_MAX: u64 = 64 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Erased {
    /// The file has no trace of a deleted review.
    Done,
    /// No node's tables have one; their logs keep it until their next snapshot.
    FromTables,
    /// Unused parts of the file still have some: it is too large for now, locked, or its disk is full.
    Later,
}

impl Database {
    /// Removes the traces of deleted reviews from the text index, the file and its log by rewriting the file, if it has
    /// at most `bytes_max` bytes. Postponed work must be done by a later call.
    pub async fn erase_traces(&self, bytes_max: u64) -> Result<Erased, DbError> {
        match self.erase_now(bytes_max).await {
            // What was deleted stays so.
            Err(DbError::Locked(_) | DbError::Full(_)) => Ok(Erased::Later),
            erased => erased,
        }
    }

    async fn erase_now(&self, bytes_max: u64) -> Result<Erased, DbError> {
        let mut reader = self.reader().await?;
        let Unerased { newest, .. } = unerased(&mut reader).await.at(self.path())?;
        drop(reader);
        if self.has_nodes() {
            // Another program maintains the files and logs. If this node's file lacks the deletion yet, a later call has it.
            if let Some(newest) = newest {
                let mut write = self.write().await?;
                merge_text_index(&mut write).await.at(self.path())?;
                note_erased(write, newest).await.at(self.path())?;
            }
            return Ok(Erased::FromTables);
        }
        let Some(newest) = newest else {
            return Ok(Erased::Done);
        };
        if self.bytes().0 > bytes_max {
            return Ok(Erased::Later);
        }
        // The log is truncated first, because the rewrite goes through it: a log that cannot be truncated would only
        // grow.
        if !self.cut_log().await? {
            return Ok(Erased::Later);
        }
        let mut write = self.write().await?;
        merge_text_index(&mut write).await.at(self.path())?;
        write.commit().await.at(self.path())?;
        rewrite(self.path()).await.at(self.path())?;
        if !self.cut_log().await? {
            return Ok(Erased::Later);
        }
        // This is recorded last, so that an interrupted run is repeated.
        let write = self.write().await?;
        note_erased(write, newest).await.at(self.path())?;
        Ok(Erased::Done)
    }
}

/// Deleted reviews that may have left traces in the file.
#[derive(Debug, Clone, Copy)]
pub struct Unerased {
    pub count: i64,
    /// Change number of the last deletion.
    newest: Option<i64>,
}

pub async fn unerased(connection: &mut SqliteConnection) -> sqlx::Result<Unerased> {
    sqlx::query_as!(
        Unerased,
        r#"select count(*) as "count!: i64", max(change_no) as "newest: i64" from review_change as c
           where c.change_no > coalesce((select erased_change_no from instance
                where erased_change_no <= (select max(change_no) from review_change)), 0)
             and not exists (select 1 from review as r where r.review_id = c.review_id)"#
    )
    .fetch_one(connection)
    .await
}

/// Rewrites the file at `path` in one transaction (<https://www.sqlite.org/lang_vacuum.html>). The temporary copy is
/// created in the same folder, where there is room for the database; SQLite makes it with mode 0600 and without a name.
async fn rewrite(path: &Path) -> sqlx::Result<()> {
    let folder = folder_of(&real(path)).to_string_lossy().replace('\'', "''");
    let options = options(path)
        .busy_timeout(SHORT_BUSY_TIMEOUT)
        .pragma("temp_store", "file");
    let mut connection = connect(&options).await?;
    // The setting is process-wide, so it is reset.
    let set = format!("pragma temp_store_directory = '{folder}'");
    connection.execute(AssertSqlSafe(set)).await?;
    let rewritten = connection.execute("vacuum").await;
    connection
        .execute("pragma temp_store_directory = ''")
        .await?;
    connection.close().await?;
    rewritten.map(drop)
}

/// Merges the segments of the text index into one without deleted rows
/// (<https://www.sqlite.org/fts5.html#the_optimize_command>).
async fn merge_text_index(write: &mut Write) -> sqlx::Result<()> {
    let merge = "insert into review_fts (review_fts) values ('optimize')";
    write.execute(merge).await.map(drop)
}

/// Numbers a change above all others, through which traces are to be erased: that of a row without a review.
pub async fn note_traces(write: &mut Write) -> sqlx::Result<()> {
    execute!(
        write,
        "insert into review_change (review_id, change_no)
         select '', 1 + (select coalesce(max(change_no), 0) from review_change) where true
         on conflict (review_id) do update set change_no = excluded.change_no"
    )
}

/// Records the change up to which deleted reviews are erased, and commits.
async fn note_erased(mut write: Write, newest: i64) -> sqlx::Result<()> {
    execute!(
        &mut write,
        "insert into instance (erased_change_no) values (?) on conflict (only_row)
         do update set erased_change_no = excluded.erased_change_no",
        newest
    )?;
    write.commit().await
}
