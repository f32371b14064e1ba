//! Repairs the text index, merges its segments, and lends its readers. Triggers keep it in step, but a shell can delete from
//! it or drop it.

use std::path::Path;
use std::sync::{Arc, Mutex};

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::{AtPath as _, DbError};
use super::files::DatabaseFiles;
use super::text::Text;
use super::write::Write;
use crate::compute::lock;

/// As in `migrations/0003_change.sql`; `check` compares the two.
const CREATE: &str =
    "create virtual table review_fts using fts5 (text, review_id unindexed, tokenize = 'trigram')";
/// Every query looks into each segment. More than this many are merged; an import of 10,000 reviews leaves 11.
const SEGMENTS_MAX: i64 = 4;
/// Maximum number of steps of a merge, which write 16 GB.
pub const MERGE_STEPS_MAX: usize = 4_096;
/// One step of a merge of all segments, which writes about 1,024 pages
/// (<https://www.sqlite.org/fts5.html#the_merge_command>). Other writers wait for it, some 50 ms.
const MERGE: &str = "insert into review_fts (review_fts, rank) values ('merge', -1024)";

/// Does one step of a merge if the index has many segments; returns whether it did.
pub async fn merge_step(write: &mut Write) -> sqlx::Result<bool> {
    let segments = sqlx::query_scalar!("select count(distinct segid) from review_fts_idx")
        .fetch_one(&mut *write)
        .await?;
    let is_worth_it = segments > SEGMENTS_MAX;
    if is_worth_it {
        sqlx::query(MERGE).execute(&mut *write).await?;
    }
    Ok(is_worth_it)
}

/// Whether every review has a row in the index. Compares only row ids (FTS5 keeps one in `review_fts_docsize` for each,
/// <https://www.sqlite.org/fts5.html#the_docsize_table>): a tenth of a microsecond for each review.
pub(super) async fn is_whole(connection: &mut SqliteConnection) -> sqlx::Result<bool> {
    if !is_there(connection).await? {
        return Ok(false);
    }
    sqlx::query_scalar!(
        r#"select not exists (
             select 1 from review_change as c left join review_fts_docsize as d on d.id = c.review_no
             cross join review as r on r.review_id = c.review_id where d.id is null) as "is: bool""#
    )
    .fetch_one(connection)
    .await
}

/// Adds an index row for each review without one; returns the number of added rows.
pub(super) async fn repair(write: &mut Write) -> sqlx::Result<u64> {
    if !is_there(write.for_reading()).await? {
        sqlx::query(CREATE).execute(&mut *write).await?;
    }
    let added = sqlx::query!(
        "insert into review_fts (rowid, text, review_id)
         select c.review_no, r.text, r.review_id
         from review_change as c left join review_fts_docsize as d on d.id = c.review_no
         cross join review as r on r.review_id = c.review_id where d.id is null"
    )
    .execute(write)
    .await?;
    Ok(added.rows_affected())
}

async fn is_there(connection: &mut SqliteConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"select exists (select 1 from sqlite_schema where name = 'review_fts') as "is: bool""#
    )
    .fetch_one(connection)
    .await
}

// Read-only connections for queries of the text index. They are not in sqlx's pools because a request must never wait
// for one, and a pool takes a connection back only in a separate task, after one more statement.

/// Maximum number of text index readers for requests; if all are busy, a request is answered without the index.
pub const INDEX_READERS_MAX: usize = 4;

/// The readers of one open file.
#[derive(Debug)]
pub struct IndexReaders {
    options: SqliteConnectOptions,
    place: Arc<DatabaseFiles>,
    /// One permit for each reader; closed with the file.
    permits: Arc<Semaphore>,
    idle: IdleReaders,
}

type IdleReaders = Arc<Mutex<Vec<SqliteConnection>>>;

/// A reader on loan. [`IndexReader::done`] returns it; if it is dropped instead, it is closed, because a statement may
/// still run on it.
#[derive(Debug)]
pub struct IndexReader {
    /// In no transaction.
    connection: SqliteConnection,
    idle: IdleReaders,
    /// After the connection, so that another reader may be opened only once that is closed.
    permit: OwnedSemaphorePermit,
}

impl IndexReaders {
    /// Opens no connection yet.
    pub(super) fn new(options: SqliteConnectOptions, place: &Arc<DatabaseFiles>) -> Self {
        Self {
            options,
            place: Arc::clone(place),
            permits: Arc::new(Semaphore::new(INDEX_READERS_MAX)),
            idle: Arc::default(),
        }
    }

    /// `None` if all are lent, or after [`IndexReaders::close`].
    ///
    /// # Errors
    /// [`DbError`] when the file cannot be opened, or another file has replaced it.
    pub(super) async fn lend(&self, path: &Path) -> Result<Option<IndexReader>, DbError> {
        let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() else {
            return Ok(None);
        };
        let idle = lock(&self.idle).pop();
        let connection = if let Some(connection) = idle {
            connection
        } else {
            self.place.verify()?;
            self.options.connect().await.at(path)?
        };
        Ok(Some(IndexReader {
            connection,
            idle: Arc::clone(&self.idle),
            permit,
        }))
    }

    /// Closes idle readers; no reader can be lent afterwards.
    pub(super) async fn close(&self) {
        // Closed first: a reader that is returned later is not kept.
        self.permits.close();
        let idle = std::mem::take(&mut *lock(&self.idle));
        for connection in idle {
            if let Err(error) = connection.close().await {
                tracing::debug!(%error, "database.reader_not_closed: a reader of the text index is given up");
            }
        }
    }
}

/// What the index answered; all of it is from the same moment.
#[derive(Debug)]
pub struct Indexed {
    /// The ID of the database.
    pub lineage: String,
    /// The number of the newest change in the index.
    pub change_no: i64,
    /// Numbers of the reviews that match or have changed since, in no particular order.
    pub review_nos: Vec<u32>,
    /// Whether these are all of them.
    pub is_complete: bool,
}

impl IndexReader {
    /// The reviews that `expression` matches and those that changed after `change_no`, of each at most one more than `most`. They
    /// arrive as one row because each row costs microseconds in SQLite. The limits have a plus sign because
    /// SQLite compiles a statement again whenever a bare parameter of a limit is bound.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn find(
        &mut self,
        expression: &str,
        change_no: i64,
        most: usize,
    ) -> sqlx::Result<Indexed> {
        let bound = i64::try_from(most + 1).unwrap_or(i64::MAX);
        let row = sqlx::query!(
            r#"select coalesce((select lineage_id from lineage), '') as "lineage!: Text",
             (select coalesce(max(change_no), 0) from review_change) as "change_no!: i64",
             (select group_concat(rowid) from (select rowid from review_fts where review_fts match ?1 limit +?3))
               as "taken: String",
             (select group_concat(review_no) from (select review_no from review_change where change_no > ?2 limit +?3))
               as "changed: String""#,
            expression,
            change_no,
            bound
        )
        .fetch_one(&mut self.connection)
        .await?;
        let lists = [row.taken.as_deref(), row.changed.as_deref()];
        let (mut review_nos, mut is_complete) = (Vec::new(), true);
        for list in lists.into_iter().flatten() {
            let before = review_nos.len();
            // Numbers beyond `u32` belong to reviews that the snapshot lists as unindexed.
            review_nos.extend(
                list.split(',')
                    .filter_map(|number| number.parse::<u32>().ok()),
            );
            is_complete &= review_nos.len() - before <= most;
        }
        Ok(Indexed {
            lineage: row.lineage.into(),
            change_no: row.change_no,
            review_nos,
            is_complete,
        })
    }

    /// Returns the reader; no statement may run on it any more.
    pub fn done(self) {
        let mut idle = lock(&self.idle);
        if !self.permit.semaphore().is_closed() {
            idle.push(self.connection);
        }
    }
}
