//! A write to a cluster. Its statements are recorded with their values, and sent as one transaction at the end. Statements
//! of the owner's commands also run on a copy of this node's file ([`WorkingCopy`]), so that each sees the effects of those
//! before it. Statements of the service do not: they read this node's file, and guards check their assumptions.

use std::env::temp_dir;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use sqlx::sqlite::{SqliteConnection, SqlitePool, SqlitePoolOptions, SqliteQueryResult, SqliteRow};
use sqlx::{Connection as _, Either, Execute, Executor as _, Sqlite, Transaction};
use tempfile::TempDir;

use super::client::{Cluster, ClusterError, RqliteClient, SqlStatement, WriteBasis, statement_of};
use crate::clock::Clock;
use crate::storage::error::{AtPath as _, DbError};
use crate::storage::files::{copy_file, options, temporary_folder};
use crate::storage::schema;

/// A row or a result of a statement.
pub type StatementStep = Either<SqliteQueryResult, SqliteRow>;

/// The statements of a write, recorded for the cluster.
pub struct RecordedWrite {
    /// Answers reads.
    transaction: Transaction<'static, Sqlite>,
    cluster: Arc<Cluster>,
    /// The copy on which statements also run.
    copy: Option<WorkingCopy>,
    /// One transaction for each group, in order.
    groups: Vec<Vec<SqlStatement>>,
}

impl RecordedWrite {
    /// `transaction` answers reads and is read-only. With a copy, it is one on the copy, and the write fails unless the cluster
    /// still has the state of the copy.
    pub fn new(
        transaction: Transaction<'static, Sqlite>,
        cluster: Arc<Cluster>,
        copy: Option<WorkingCopy>,
    ) -> Self {
        Self {
            transaction,
            cluster,
            copy,
            groups: vec![Vec::new()],
        }
    }

    pub fn for_reading(&mut self) -> &mut SqliteConnection {
        &mut self.transaction
    }

    /// Statements after this are applied in another transaction.
    pub fn end_group(&mut self) {
        self.groups.push(Vec::new());
    }

    /// Sends the statements.
    ///
    /// # Errors
    /// When the cluster refuses them; nothing is changed then, except by groups that were already applied.
    pub async fn commit(self) -> sqlx::Result<()> {
        // The connection is returned first: other readers must not wait for the cluster, and the copy is no longer
        // needed.
        self.transaction.rollback().await?;
        let basis = self.copy.as_ref().map(|copy| copy.basis);
        let written = self.cluster.write_groups(basis, self.groups).await;
        if let Some(copy) = self.copy {
            copy.leave().await;
        }
        Ok(written?)
    }

    pub async fn rollback(self) -> sqlx::Result<()> {
        self.transaction.rollback().await
    }

    /// Records a statement, and runs it if statements run here.
    pub async fn run<'q>(
        &mut self,
        mut query: impl Execute<'q, Sqlite>,
    ) -> sqlx::Result<Vec<sqlx::Result<StatementStep>>> {
        let arguments = query.take_arguments().map_err(sqlx::Error::Encode)?;
        let sql = query.sql();
        let connection = &mut *self.transaction;
        if only_reads(sql.as_str()) {
            return Ok(connection.fetch_many((sql, arguments)).collect().await);
        }
        let statement = statement_of(connection, sql.as_str(), arguments.clone()).await?;
        if let Some(group) = self.groups.last_mut() {
            group.push(statement);
        }
        if self.copy.is_none() {
            return Ok(vec![Ok(Either::Left(SqliteQueryResult::default()))]);
        }
        // A statement that bypasses the record would never reach the cluster, so it is refused.
        connection.execute("pragma query_only = off").await?;
        let steps = connection.fetch_many((sql, arguments)).collect().await;
        connection.execute("pragma query_only = on").await?;
        Ok(steps)
    }
}

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

// The working copy of an owner's command on a cluster: a transaction runs on a private copy of this node's file, and
// the same statements go to the cluster (`write`) if it has not changed since.

/// Maximum time for this node's file to catch up with the leader.
const LEVEL_WAIT_MAX: Duration = Duration::from_secs(30);
const LOOK_INTERVAL: Duration = Duration::from_millis(25);

/// A copy in a temporary folder, removed on drop.
#[derive(Debug)]
pub struct WorkingCopy {
    /// State of the database when the copy was made.
    basis: WriteBasis,
    pool: SqlitePool,
    _folder: TempDir,
}

impl WorkingCopy {
    /// Copies a node's file at one moment, after it has caught up with the leader.
    pub async fn of(client: &RqliteClient, file: &Path) -> Result<Self, DbError> {
        level_with_cluster(client, file).await?;
        let folder = temporary_folder().map_err(|reason| DbError::create(&temp_dir(), reason))?;
        let path = folder.path().join("copy.db");
        copy_file(file, &path).await.at(file)?;
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .connect_with(options(&path))
            .await
            .at(&path)?;
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

    /// Begins a transaction that only [`Write`](crate::storage::Write) writes to: a statement that bypassed it would never reach the cluster.
    pub async fn begin(&self) -> sqlx::Result<Transaction<'static, Sqlite>> {
        let mut transaction = self.pool.begin_with("begin immediate").await?;
        sqlx::query("pragma query_only = on")
            .execute(&mut *transaction)
            .await?;
        Ok(transaction)
    }

    pub async fn leave(self) {
        self.pool.close().await;
    }
}

/// Waits at most half a minute until this node's file has all of the leader's data.
pub async fn level_with_cluster(client: &RqliteClient, file: &Path) -> Result<(), DbError> {
    let expected = match WriteBasis::of_cluster(client).await {
        // It has no tables, or not ours.
        Err(ClusterError::Refused(_)) => return Err(DbError::Missing(file.to_owned())),
        expected => expected?,
    };
    let clock = Clock::system();
    let end = clock.monotonic() + LEVEL_WAIT_MAX;
    loop {
        let there = basis_of(file).await;
        if there
            .as_ref()
            .is_ok_and(|there| there.has_reached(expected))
        {
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
