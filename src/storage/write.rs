//! A write: a transaction on the file, or one that a cluster applies. Whoever builds its statements does not know which.
//!
//! Statements run through [`Recorder`], which is an [`Executor`] of sqlx like a connection. On a cluster it keeps each
//! statement with its values, and [`Write::commit`] sends them, to be applied as one transaction. Those of the owner's
//! commands run here too, on a copy of this node's file (`copy`), so that each sees what those before it did. Those of the
//! service do not: what they read is what this node's file says, and what they take for granted is guarded
//! ([`Write::guard`]).

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};
use serde_json::Value;
use sqlx::sqlite::{
    SqliteConnection, SqliteQueryResult, SqliteRow, SqliteStatement, SqliteTypeInfo,
};
use sqlx::{Either, Execute, Executor, SqlStr, Sqlite, Transaction};

use super::copy::Copy;
use super::rqlite::{Cluster, ClusterError, SqlStatement};

/// See the head of this file. Dropped, it is rolled back.
#[derive(Debug)]
pub struct Write(Recorder);

/// Runs statements, and keeps them where they are to be sent to a cluster. Derefs to the connection, for what only reads.
pub struct Recorder {
    transaction: Transaction<'static, Sqlite>,
    record: Option<Record>,
}

/// What is to be sent.
struct Record {
    cluster: Arc<Cluster>,
    /// The copy that statements run on as well.
    copy: Option<Copy>,
    /// Transactions to be, in their order.
    groups: Vec<Vec<SqlStatement>>,
}

impl Write {
    /// A write to the file.
    pub(super) const fn to_file(transaction: Transaction<'static, Sqlite>) -> Self {
        Self(Recorder {
            transaction,
            record: None,
        })
    }

    /// A write to a cluster, whose reads `transaction` answers, which only reads.
    pub(super) fn to_cluster(
        transaction: Transaction<'static, Sqlite>,
        cluster: Arc<Cluster>,
    ) -> Self {
        Self::recording(transaction, cluster, None)
    }

    /// A write to `copy`, and to the cluster where that is still as it was copied.
    pub(super) fn to_copy(
        transaction: Transaction<'static, Sqlite>,
        cluster: Arc<Cluster>,
        copy: Copy,
    ) -> Self {
        Self::recording(transaction, cluster, Some(copy))
    }

    fn recording(
        transaction: Transaction<'static, Sqlite>,
        cluster: Arc<Cluster>,
        copy: Option<Copy>,
    ) -> Self {
        Self(Recorder {
            transaction,
            record: Some(Record {
                cluster,
                copy,
                groups: vec![Vec::new()],
            }),
        })
    }

    /// Makes the write fail whole, as overtaken ([`super::is_overtaken`]), unless `condition`, an expression of SQL, is 1
    /// when it is applied; it sees what the statements before it did.
    ///
    /// # Errors
    /// That it does not hold, where that is known at once.
    pub async fn guard(&mut self, condition: &'static str, values: &[Value]) -> sqlx::Result<()> {
        let sql = format!("insert into guard (holds) select coalesce(({condition}), 0)");
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
        for value in values {
            query = match value {
                Value::Number(number) => query.bind(number.as_i64()),
                Value::String(text) => query.bind(text.clone()),
                Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                    query.bind(None::<i64>)
                }
            };
        }
        query.execute(&mut **self).await?;
        sqlx::query("delete from guard")
            .execute(&mut **self)
            .await
            .map(drop)
    }

    /// What was written so far may be applied by itself: many rows go over in several transactions. One file takes all of
    /// them in one.
    pub fn end_group(&mut self) {
        if let Some(record) = &mut self.0.record {
            record.groups.push(Vec::new());
        }
    }

    /// Applies it, whole.
    ///
    /// # Errors
    /// When the database refuses it; nothing was changed then, but for groups that were ended and applied before.
    pub async fn commit(self) -> sqlx::Result<()> {
        let Recorder {
            transaction,
            record,
        } = self.0;
        let Some(record) = record else {
            return transaction.commit().await;
        };
        // Gives the connection back first: a reader is not to be waited for meanwhile, and a copy has done its work.
        transaction.rollback().await?;
        if let Some(copy) = record.copy {
            let written = record
                .cluster
                .write_groups(copy.basis, &record.groups)
                .await;
            copy.leave().await;
            return Ok(written?);
        }
        for group in record.groups.iter().filter(|group| !group.is_empty()) {
            record.cluster.write(group).await?;
        }
        Ok(())
    }

    /// Leaves everything as it was.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn rollback(self) -> sqlx::Result<()> {
        self.0.transaction.rollback().await
    }
}

impl Deref for Write {
    type Target = Recorder;

    fn deref(&self) -> &Recorder {
        &self.0
    }
}

impl DerefMut for Write {
    fn deref_mut(&mut self) -> &mut Recorder {
        &mut self.0
    }
}

impl Deref for Recorder {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.transaction
    }
}

impl DerefMut for Recorder {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.transaction
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("is_recorded", &self.record.is_some())
            .finish_non_exhaustive()
    }
}

/// What a statement comes to, row by row.
type StatementStep = Either<SqliteQueryResult, SqliteRow>;

impl Recorder {
    /// Keeps a statement, and runs it where statements run here.
    async fn run<'q>(
        &mut self,
        mut query: impl Execute<'q, Sqlite>,
    ) -> sqlx::Result<Vec<sqlx::Result<StatementStep>>> {
        let arguments = query.take_arguments().map_err(sqlx::Error::Encode)?;
        let sql = query.sql();
        let connection = &mut *self.transaction;
        let Some(record) = self.record.as_mut().filter(|_| !only_reads(sql.as_str())) else {
            return Ok(connection.fetch_many((sql, arguments)).collect().await);
        };
        let statement = SqlStatement::of(connection, sql.as_str(), arguments.clone()).await?;
        if let Some(group) = record.groups.last_mut() {
            group.push(statement);
        }
        if record.copy.is_none() {
            return Ok(vec![Ok(Either::Left(SqliteQueryResult::default()))]);
        }
        // What reaches the connection another way would never reach the cluster: it is refused.
        connection.execute("pragma query_only = off").await?;
        let steps = connection.fetch_many((sql, arguments)).collect().await;
        connection.execute("pragma query_only = on").await?;
        Ok(steps)
    }
}

/// Whether a statement changes nothing, by its first word.
fn only_reads(sql: &str) -> bool {
    let first = sql
        .trim_start()
        .split(|c: char| !c.is_ascii_alphabetic())
        .next();
    first.is_some_and(|word| {
        ["select", "with", "pragma"]
            .iter()
            .any(|read| word.eq_ignore_ascii_case(read))
    })
}

impl<'c> Executor<'c> for &'c mut Recorder {
    type Database = Sqlite;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, sqlx::Result<StatementStep>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Sqlite>,
    {
        if self.record.is_none() {
            return self.transaction.fetch_many(query);
        }
        stream::once(async move { self.run(query).await.map(stream::iter) })
            .try_flatten()
            .boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxFuture<'e, sqlx::Result<Option<SqliteRow>>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Sqlite>,
    {
        if self.record.is_none() {
            return self.transaction.fetch_optional(query);
        }
        Box::pin(async move {
            for step in self.run(query).await? {
                if let Either::Right(row) = step? {
                    return Ok(Some(row));
                }
            }
            Ok(None)
        })
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [SqliteTypeInfo],
    ) -> BoxFuture<'e, sqlx::Result<SqliteStatement>>
    where
        'c: 'e,
    {
        self.transaction.prepare_with(sql, parameters)
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, sqlx::Result<sqlx::Describe<Sqlite>>>
    where
        'c: 'e,
    {
        self.transaction.describe(sql)
    }
}

/// Whether a write failed because what it took for granted was not so any more: then everything is read again.
#[must_use]
pub fn is_overtaken(error: &sqlx::Error) -> bool {
    if let sqlx::Error::Configuration(inner) = error {
        let cluster = inner.downcast_ref::<ClusterError>();
        return cluster.is_some_and(|error| *error == ClusterError::Overtaken);
    }
    let refused = error.as_database_error();
    refused.is_some_and(|refused| refused.message().contains("guard_holds"))
}
