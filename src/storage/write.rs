//! A write: a transaction on the file, or on a cluster; callers need not distinguish them.
//!
//! `&mut Write` is an sqlx [`Executor`] like a connection. On a cluster it records each statement with its values, and
//! [`Write::commit`] sends them as one transaction. Statements of the owner's commands
//! also run on a copy of this node's file ([`WorkingCopy`]), so that each sees the effects of those before it.
//! Statements of the service do not: they read this node's file, and [`Write::guard`] checks their assumptions.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream;
use futures_util::stream::{BoxStream, StreamExt, TryStreamExt};
use sqlx::query::Query;
use sqlx::sqlite::{
    SqliteArguments, SqliteConnection, SqlitePool, SqlitePoolOptions, SqliteQueryResult, SqliteRow,
    SqliteStatement, SqliteTypeInfo,
};
use sqlx::{
    AssertSqlSafe, Connection as _, Either, Execute, Executor, SqlStr, Sqlite, Transaction,
};
use tempfile::TempDir;

use super::connection::{copy_file, options};
use super::error::{AtPath as _, DbError};
use super::files::temporary_folder;
use super::rqlite::{Cluster, ClusterError, RqliteClient, SqlStatement, WriteBasis, statement_of};
use super::schema;
use crate::clock::Clock;

/// Runs statements, and records them if they go to a cluster. Rolled back when dropped.
pub struct Write {
    transaction: Transaction<'static, Sqlite>,
    record: Option<Record>,
}

/// The statements for the cluster.
struct Record {
    cluster: Arc<Cluster>,
    /// The copy on which statements also run.
    copy: Option<WorkingCopy>,
    /// One transaction for each group, in order.
    groups: Vec<Vec<SqlStatement>>,
}

impl Write {
    pub(super) const fn to_file(transaction: Transaction<'static, Sqlite>) -> Self {
        Self {
            transaction,
            record: None,
        }
    }

    /// A write to a cluster; `transaction` answers its reads and is read-only. With a copy, `transaction` is one on it, and
    /// the write fails unless the cluster still has the state of the copy.
    pub(super) fn to_cluster(
        transaction: Transaction<'static, Sqlite>,
        cluster: Arc<Cluster>,
        copy: Option<WorkingCopy>,
    ) -> Self {
        Self {
            transaction,
            record: Some(Record {
                cluster,
                copy,
                groups: vec![Vec::new()],
            }),
        }
    }

    /// The connection that answers reads. A statement that changes something is run on the [`Write`] itself: what is run
    /// here is not recorded, and so never reaches a cluster.
    pub fn for_reading(&mut self) -> &mut SqliteConnection {
        &mut self.transaction
    }

    /// Makes the whole write fail as overtaken ([`super::is_overtaken`]), unless the SQL expression `condition` is 1
    /// when the write is applied; the expression sees the effects of the statements before it. `bind` binds its values.
    ///
    /// # Errors
    /// When the condition does not hold, if this is known at once.
    pub async fn guard<'q>(
        &mut self,
        condition: &'static str,
        bind: impl FnOnce(GuardQuery<'q>) -> GuardQuery<'q>,
    ) -> sqlx::Result<()> {
        let sql = format!("insert into guard (holds) select coalesce(({condition}), 0)");
        let guard = bind(sqlx::query(AssertSqlSafe(sql)));
        guard.execute(&mut *self).await?;
        sqlx::query("delete from guard")
            .execute(&mut *self)
            .await
            .map(drop)
    }

    /// Ends a group: on a cluster, large writes are applied in several transactions. On a single file, all groups are
    /// one transaction.
    pub fn end_group(&mut self) {
        if let Some(record) = &mut self.record {
            record.groups.push(Vec::new());
        }
    }

    /// Applies the whole write.
    ///
    /// # Errors
    /// When the database refuses it; nothing is changed then, except by groups that were already applied.
    pub async fn commit(self) -> sqlx::Result<()> {
        let Some(record) = self.record else {
            return self.transaction.commit().await;
        };
        // The connection is returned first: other readers must not wait for the cluster, and the copy is no longer
        // needed.
        self.transaction.rollback().await?;
        let basis = record.copy.as_ref().map(|copy| copy.basis);
        let written = record.cluster.write_groups(basis, record.groups).await;
        if let Some(copy) = record.copy {
            copy.leave().await;
        }
        Ok(written?)
    }

    /// # Errors
    /// When the database fails.
    pub async fn rollback(self) -> sqlx::Result<()> {
        self.transaction.rollback().await
    }

    /// Records a statement, and runs it if statements run here.
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
        let statement = statement_of(connection, sql.as_str(), arguments.clone()).await?;
        if let Some(group) = record.groups.last_mut() {
            group.push(statement);
        }
        if record.copy.is_none() {
            return Ok(vec![Ok(Either::Left(SqliteQueryResult::default()))]);
        }
        // A statement that bypasses the record would never reach the cluster, so it is refused.
        connection.execute("pragma query_only = off").await?;
        let steps = connection.fetch_many((sql, arguments)).collect().await;
        connection.execute("pragma query_only = on").await?;
        Ok(steps)
    }
}

impl fmt::Debug for Write {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Write")
            .field("is_recorded", &self.record.is_some())
            .finish_non_exhaustive()
    }
}

type GuardQuery<'q> = Query<'q, Sqlite, SqliteArguments>;

/// A row or a result of a statement.
type StatementStep = Either<SqliteQueryResult, SqliteRow>;

/// Whether a statement only reads, by its first word.
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

impl<'c> Executor<'c> for &'c mut Write {
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

/// Whether a write failed because the data it relied on have changed; everything must then be read again.
pub fn is_overtaken(error: &sqlx::Error) -> bool {
    if let sqlx::Error::Configuration(inner) = error {
        let cluster = inner.downcast_ref::<ClusterError>();
        return cluster.is_some_and(|error| *error == ClusterError::Overtaken);
    }
    let refused = error.as_database_error();
    refused.is_some_and(|refused| refused.message().contains("guard_holds"))
}

// The working copy of an owner's command on a cluster: a transaction runs on a private copy of this node's file, and
// the same statements go to the cluster (`write`) if it has not changed since.

/// Maximum time for this node's file to catch up with the leader.
const LEVEL_WAIT_MAX: Duration = Duration::from_secs(30);
const LOOK_INTERVAL: Duration = Duration::from_millis(25);

/// A copy in a temporary folder, removed on drop.
#[derive(Debug)]
pub(super) struct WorkingCopy {
    /// State of the database when the copy was made.
    pub(super) basis: WriteBasis,
    pool: SqlitePool,
    _folder: TempDir,
}

impl WorkingCopy {
    /// Copies a node's file at one moment, after it has caught up with the leader.
    pub(super) async fn of(client: &RqliteClient, file: &Path) -> Result<Self, DbError> {
        level_with_cluster(client, file).await?;
        let folder = temporary_folder()?;
        let path = folder.path().join("copy.db");
        copy_file(file, &path).await.at(file)?;
        let pool = SqlitePoolOptions::new().max_connections(1);
        let pool = pool.connect_with(options(&path)).await.at(&path)?;
        let mut connection = pool.acquire().await.at(&path)?;
        schema::verify_version(&mut connection, file).await?;
        let basis = WriteBasis::of_file(&mut connection).await.at(&path)?;
        drop(connection);
        Ok(Self {
            basis,
            pool,
            _folder: folder,
        })
    }

    /// Begins a transaction that only [`Write`] writes to: a statement that bypassed it would never reach the cluster.
    pub(super) async fn begin(&self) -> sqlx::Result<Transaction<'static, Sqlite>> {
        let mut transaction = self.pool.begin_with("begin immediate").await?;
        sqlx::query("pragma query_only = on")
            .execute(&mut *transaction)
            .await?;
        Ok(transaction)
    }

    pub(super) async fn leave(self) {
        self.pool.close().await;
    }
}

/// Waits at most half a minute until this node's file has all of the leader's data.
pub(super) async fn level_with_cluster(client: &RqliteClient, file: &Path) -> Result<(), DbError> {
    let wanted = match WriteBasis::of_cluster(client).await {
        // It has no tables, or not ours.
        Err(ClusterError::Refused(_)) => return Err(DbError::Missing(file.to_owned())),
        wanted => wanted?,
    };
    let clock = Clock::system();
    let end = clock.monotonic() + LEVEL_WAIT_MAX;
    loop {
        let there = basis_of(file).await;
        if there.as_ref().is_ok_and(|there| there.has_reached(wanted)) {
            return Ok(());
        }
        if clock.monotonic() >= end {
            there?;
            return Err(ClusterError::Behind(LEVEL_WAIT_MAX).into());
        }
        clock.sleep(LOOK_INTERVAL).await;
    }
}

/// The state of the file at `path`. rqlited creates the file once it has joined the cluster, so it may be missing or
/// incomplete before.
async fn basis_of(path: &Path) -> Result<WriteBasis, DbError> {
    if !path.exists() {
        return Err(DbError::Missing(path.to_owned()));
    }
    let reading = options(path).read_only(true);
    let mut connection = SqliteConnection::connect_with(&reading).await.at(path)?;
    let basis = WriteBasis::of_file(&mut connection).await.at(path)?;
    connection.close().await.at(path)?;
    Ok(basis)
}
