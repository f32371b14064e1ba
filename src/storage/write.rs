//! A write: a transaction on the file. Where another program owns the file, its statements are recorded and sent at the commit instead
//! ([`RecordedStatements`]); then only those of an owner's command return rows and counts before. `&mut Write` is an sqlx [`Executor`]
//! like a connection.

use std::fmt;

use futures_util::future::BoxFuture;
use futures_util::stream;
use futures_util::stream::{BoxStream, StreamExt as _, TryStreamExt as _};
use sqlx::sqlite::{SqliteConnection, SqliteRow, SqliteStatement, SqliteTypeInfo};
use sqlx::{Either, Execute, Executor, SqlStr, Sqlite, Transaction};

use super::cluster::statements::{RecordedStatements, StatementStep};

/// Rolled back when dropped.
pub struct Write(pub(super) WriteTarget);

pub(super) enum WriteTarget {
    File {
        transaction: Transaction<'static, Sqlite>,
        /// Of an owner's command: the number of rows that its connection had changed before.
        changes_before: Option<i64>,
    },
    Recorded(RecordedStatements),
}

impl Write {
    /// The same write of an owner's command on a file: its commit is counted if it changes anything.
    pub(super) async fn by_owner(mut self) -> sqlx::Result<Self> {
        if let WriteTarget::File {
            transaction,
            changes_before,
        } = &mut self.0
        {
            *changes_before = Some(total_changes(transaction).await?);
        }
        Ok(self)
    }

    /// The connection that answers reads. A statement that changes something is run on the [`Write`] itself: one that is run
    /// here is not recorded.
    pub fn reader(&mut self) -> &mut SqliteConnection {
        match &mut self.0 {
            WriteTarget::File { transaction, .. } => transaction,
            WriteTarget::Recorded(recorded) => recorded.reader(),
        }
    }

    /// Applies the whole write.
    ///
    /// # Errors
    /// When the database refuses it; nothing is changed then.
    pub async fn commit(self) -> sqlx::Result<()> {
        match self.0 {
            WriteTarget::File {
                mut transaction,
                changes_before,
            } => {
                if let Some(before) = changes_before
                    && total_changes(&mut transaction).await? != before
                {
                    let count = "update instance set owner_writes = owner_writes + 1";
                    transaction.execute(count).await?;
                }
                transaction.commit().await
            }
            WriteTarget::Recorded(recorded) => recorded.commit().await,
        }
    }

    pub async fn rollback(self) -> sqlx::Result<()> {
        match self.0 {
            WriteTarget::File { transaction, .. } => transaction.rollback().await,
            WriteTarget::Recorded(recorded) => recorded.rollback().await,
        }
    }
}

/// The number of rows that a connection has inserted, changed and deleted.
async fn total_changes(connection: &mut SqliteConnection) -> sqlx::Result<i64> {
    let count = sqlx::query_scalar("select total_changes()");
    count.fetch_one(connection).await
}

impl fmt::Debug for Write {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Write").finish_non_exhaustive()
    }
}

impl<'c> Executor<'c> for &'c mut Write {
    type Database = Sqlite;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, sqlx::Result<StatementStep>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Sqlite>,
    {
        match &mut self.0 {
            WriteTarget::File { transaction, .. } => transaction.fetch_many(query),
            WriteTarget::Recorded(recorded) => {
                stream::once(async move { recorded.run(query).await.map(stream::iter) })
                    .try_flatten()
                    .boxed()
            }
        }
    }

    fn fetch_optional<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxFuture<'e, sqlx::Result<Option<SqliteRow>>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Sqlite>,
    {
        match &mut self.0 {
            WriteTarget::File { transaction, .. } => transaction.fetch_optional(query),
            WriteTarget::Recorded(recorded) => Box::pin(async move {
                for step in recorded.run(query).await? {
                    if let Either::Right(row) = step? {
                        return Ok(Some(row));
                    }
                }
                Ok(None)
            }),
        }
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [SqliteTypeInfo],
    ) -> BoxFuture<'e, sqlx::Result<SqliteStatement>>
    where
        'c: 'e,
    {
        self.reader().prepare_with(sql, parameters)
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, sqlx::Result<sqlx::Describe<Sqlite>>>
    where
        'c: 'e,
    {
        self.reader().describe(sql)
    }
}
