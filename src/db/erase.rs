//! That a deleted review leaves nothing readable behind: not in the text index, whose segments hold
//! what they were given until they are merged, not in free pages, not in the log. FTS5's own
//! `secure-delete` is not used: the `sqlite3` shell 3.40 then cannot read the index.

use std::time::Duration;

use super::error::DbError;
use super::write::Write;
use super::{Database, Writer};

/// How long cutting the log waits for whoever reads or writes.
const LOG_WAIT_MAX: Duration = Duration::from_secs(1);

/// What became of traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Erased {
    /// No erased review waited for its traces to be removed.
    Nothing,
    /// No trace of an erased review is left in the files.
    All,
    /// The log still has some, for somebody reads or writes.
    ButLog,
    /// The tables have none; a cluster's nodes keep what was written until their next snapshot.
    ButNodes,
}

impl Database {
    /// Begins a write that overwrites with zeros what it deletes
    /// (<https://www.sqlite.org/pragma.html#pragma_secure_delete>).
    ///
    /// # Errors
    /// As [`Database::write`].
    pub async fn write_erasing(&self) -> Result<Write, DbError> {
        let fault = |error| DbError::at(self.path(), error);
        let Writer::File(pool) = &self.writer else {
            return self.write_as_owner().await;
        };
        // The pool has one connection that writes, and keeps it.
        let mut connection = pool.acquire().await.map_err(fault)?;
        sqlx::query("pragma secure_delete = on")
            .execute(&mut *connection)
            .await
            .map_err(fault)?;
        drop(connection);
        self.write().await
    }

    /// Takes out of the text index, of free pages and of the log what deleted reviews left there.
    /// Where somebody reads or writes at this moment, the log keeps it, and a later call must do
    /// it.
    ///
    /// # Errors
    /// [`DbError`] when the file cannot be written.
    pub async fn erase_traces(&self) -> Result<Erased, DbError> {
        let fault = |error| DbError::at(self.path(), error);
        let newest = sqlx::query_scalar!(
            r#"select max(change_no) as "change_no: i64" from review_change as c
               where c.change_no > coalesce((select change_no from erasure), 0)
                 and not exists (select 1 from review as r where r.review_id = c.review_id)"#
        )
        .fetch_one(&self.readers())
        .await
        .map_err(fault)?;
        let Some(newest) = newest else {
            return Ok(Erased::Nothing);
        };
        let mut write = if self.is_cluster() {
            self.write().await?
        } else {
            self.write_erasing().await?
        };
        sqlx::query("insert into review_fts (review_fts) values ('optimize')")
            .execute(&mut *write)
            .await
            .map_err(fault)?;
        if let Some(cluster_erased) = self.note_erased_in_cluster(&mut write, newest).await? {
            write.commit().await.map_err(fault)?;
            return Ok(cluster_erased);
        }
        write.commit().await.map_err(fault)?;
        if !self.cut_log(LOG_WAIT_MAX).await? {
            return Ok(Erased::ButLog);
        }
        // Last, so that what was cut off before is done again.
        let mut write = self.write().await?;
        note_erased(&mut write, newest).await.map_err(fault)?;
        write.commit().await.map_err(fault)?;
        Ok(Erased::All)
    }

    /// On a cluster, the files and logs are rqlited's to tidy: nothing more can be done.
    async fn note_erased_in_cluster(
        &self,
        write: &mut Write,
        newest: i64,
    ) -> Result<Option<Erased>, DbError> {
        if !self.is_cluster() {
            return Ok(None);
        }
        let fault = |error| DbError::at(self.path(), error);
        note_erased(write, newest).await.map_err(fault)?;
        Ok(Some(Erased::ButNodes))
    }
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
