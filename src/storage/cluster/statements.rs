//! The statements of a write to a cluster, recorded with their values and sent as one transaction at the end. Statements
//! of the owner's commands also run on a copy of this node's file ([`WorkingCopy`]), so that each sees the effects of those
//! before it. Other statements do not: they read this node's file, and have the same effect when they are sent again.

use std::env::temp_dir;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures_util::StreamExt as _;
use serde_json::json;
use sqlx::sqlite::{SqliteConnection, SqlitePool, SqlitePoolOptions, SqliteQueryResult, SqliteRow};
use sqlx::{Connection as _, Either, Execute, Executor as _, Sqlite, Transaction};
use tempfile::TempDir;

use super::client::{
    COMMAND_TIMEOUT, Cluster, ClusterError, RqliteClient, SqlStatement, WRITE_TIMEOUT, statement_of,
};
use crate::clock::Clock;
use crate::compute::lock;
use crate::config::ClusterAddress;
use crate::random;
use crate::storage::error::{AtPath as _, DbError};
use crate::storage::files::{copy_file, options, temporary_folder};
use crate::storage::schema;
use crate::storage::state::DatabaseState;
use crate::storage::steps::{connect, count_steps};

/// A row or a result of a statement.
pub type StatementStep = Either<SqliteQueryResult, SqliteRow>;

/// Name of the lease of the process with the right to send.
pub const SENDER: &str = "sender";

/// Who sends a write.
pub enum WriteOrigin {
    /// Any node; each statement has the same effect a second time.
    Node,
    /// The process with the right to send.
    Sender,
    /// A command, which works on a copy.
    Owner(WorkingCopy),
}

/// The statements of a write, recorded for the cluster.
pub struct RecordedStatements {
    /// Answers reads: of this node's file, or of the copy.
    transaction: Transaction<'static, Sqlite>,
    cluster: Arc<Cluster>,
    origin: WriteOrigin,
    statements: Vec<SqlStatement>,
}

impl RecordedStatements {
    pub fn new(
        transaction: Transaction<'static, Sqlite>,
        cluster: Arc<Cluster>,
        origin: WriteOrigin,
    ) -> Self {
        Self {
            transaction,
            cluster,
            origin,
            statements: Vec::new(),
        }
    }

    pub fn reader(&mut self) -> &mut SqliteConnection {
        &mut self.transaction
    }

    /// Sends the statements as one transaction.
    ///
    /// # Errors
    /// When the cluster refuses them; nothing is changed then.
    pub async fn commit(self) -> sqlx::Result<()> {
        // The connection is returned first: other readers must not wait for the cluster, and the copy is no longer
        // needed.
        self.transaction.rollback().await?;
        let (cluster, statements) = (self.cluster, self.statements);
        if let WriteOrigin::Owner(copy) = &self.origin {
            copy.pool.close().await;
        }
        // rqlite refuses a transaction without a statement.
        if statements.is_empty() {
            return Ok(());
        }
        match self.origin {
            WriteOrigin::Owner(copy) => cluster.apply_as_owner(copy.state, statements).await?,
            WriteOrigin::Sender => cluster.apply_as_sender(statements).await?,
            WriteOrigin::Node => {
                cluster.client.execute(statements, WRITE_TIMEOUT).await?;
            }
        }
        Ok(())
    }

    pub async fn rollback(self) -> sqlx::Result<()> {
        self.transaction.rollback().await
    }

    /// Records a statement, and runs it on an owner's copy; for other origins, it returns no row and the count 0, whatever it changes.
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
        self.statements.push(statement);
        if !matches!(self.origin, WriteOrigin::Owner(_)) {
            return Ok(vec![Ok(Either::Left(SqliteQueryResult::default()))]);
        }
        // A statement that bypasses the record would never reach the cluster, so it is refused.
        connection.execute("pragma query_only = off").await?;
        let steps = connection.fetch_many((sql, arguments)).collect().await;
        connection.execute("pragma query_only = on").await?;
        Ok(steps)
    }
}

impl Cluster {
    /// A number above those of all earlier writes of senders, whose clocks nearly agree.
    pub fn next_write_no(&self, now: DateTime<Utc>) -> i64 {
        i64::max(now.timestamp_millis(), lock(&self.lease).last_write_no + 1)
    }

    /// Applies statements as one transaction, unless another process has the right to send when they are applied.
    async fn apply_as_sender(&self, statements: Vec<SqlStatement>) -> Result<(), ClusterError> {
        let write_no = self.next_write_no(Clock::system().now());
        let fence =
            "update lease set writes = iif(holder = ?2, max(writes, ?3), null) where name = ?1";
        let mut all = vec![json!([fence, SENDER, self.holder, write_no])];
        all.extend(statements);
        self.client.execute(all, WRITE_TIMEOUT).await?;
        let mut lease = lock(&self.lease);
        lease.last_write_no = lease.last_write_no.max(write_no);
        Ok(())
    }

    /// Applies the statements of a command as one transaction, if the cluster still has the state of the command's copy.
    async fn apply_as_owner(
        &self,
        state: DatabaseState,
        statements: Vec<SqlStatement>,
    ) -> Result<(), ClusterError> {
        let next = next_owner_number(state.owner_writes);
        let fence = "update instance set owner_writes = iif(owner_writes = ?1 \
             and ?3 = (select coalesce(max(change_no), 0) from review_change), ?2, null)";
        let mut all = vec![json!([fence, state.owner_writes, next, state.change_no])];
        all.extend(statements);
        match self.client.execute(all, COMMAND_TIMEOUT).await {
            // Only the answer was lost if the write was applied.
            Err(ClusterError::Unknown(reason)) => {
                match DatabaseState::of_cluster(&self.client).await {
                    Ok(there) if there.owner_writes == next => Ok(()),
                    _ => Err(ClusterError::Unknown(reason)),
                }
            }
            written => written.map(drop),
        }
    }
}

/// A number above `number`, which no other command has.
fn next_owner_number(number: i64) -> i64 {
    let [a, b, c, d, ..] = random::bytes_16();
    number + 1 + i64::from(u32::from_be_bytes([a, b, c, d]))
}

/// Whether a statement only reads, by its first word.
fn only_reads(sql: &str) -> bool {
    let begin: String = sql.trim_start().chars().take(6).collect();
    let begin = begin.to_ascii_lowercase();
    begin.starts_with("with") || begin == "select" || begin == "pragma"
}

// The working copy of an owner's command on a cluster: a transaction runs on a private copy of this node's file, and
// the same statements go to the cluster (`write`) if it has not changed since.

/// Maximum time for this node's file to catch up with the leader.
const LEVEL_TIMEOUT: Duration = Duration::from_secs(30);
const LOOK_INTERVAL: Duration = Duration::from_millis(25);

/// A copy in a temporary folder, removed on drop.
#[derive(Debug)]
pub struct WorkingCopy {
    /// State of the database when the copy was made.
    state: DatabaseState,
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
        let pool = SqlitePoolOptions::new().max_connections(1);
        let pool = pool.after_connect(|connection, _| Box::pin(count_steps(connection)));
        let pool = pool.connect_with(options(&path)).await.at(&path)?;
        let mut connection = pool.acquire().await.at(&path)?;
        schema::verify_version(&mut connection, file).await?;
        let state = DatabaseState::of(&mut connection).await.at(&path)?;
        drop(connection);
        Ok(Self {
            state,
            pool,
            _folder: folder,
        })
    }

    /// Begins a transaction that only [`RecordedStatements`] writes to: a statement that bypassed it would never reach the cluster.
    pub async fn begin(&self) -> sqlx::Result<Transaction<'static, Sqlite>> {
        let mut transaction = self.pool.begin_with("begin immediate").await?;
        sqlx::query("pragma query_only = on")
            .execute(&mut *transaction)
            .await?;
        Ok(transaction)
    }
}

impl DatabaseState {
    /// The leader's state.
    async fn of_cluster(client: &RqliteClient) -> Result<Self, ClusterError> {
        let rows = client
            .query(&json!([Self::SELECT]), COMMAND_TIMEOUT)
            .await?;
        let state = rows.first().and_then(|row| row.first()?.as_str());
        serde_json::from_str(state.unwrap_or_default())
            .map_err(|error| ClusterError::Refused(error.to_string()))
    }
}

/// Waits at most half a minute until this node's file has all of the leader's data.
pub async fn level_with_cluster(client: &RqliteClient, file: &Path) -> Result<(), DbError> {
    let expected = match DatabaseState::of_cluster(client).await {
        Err(ClusterError::Refused(reason)) if reason.contains("no such table") => {
            return Err(DbError::Missing(file.to_owned()));
        }
        expected => expected?,
    };
    let clock = Clock::system();
    let end = clock.monotonic() + LEVEL_TIMEOUT;
    loop {
        let there = state_of(file).await;
        if there
            .as_ref()
            .is_ok_and(|there| there.has_reached(expected))
        {
            return Ok(());
        }
        if clock.monotonic() >= end {
            there?;
            return Err(ClusterError::Behind.into());
        }
        clock.sleep(LOOK_INTERVAL).await;
    }
}

/// The state of the file at `path`. rqlited creates the file once it has joined the cluster, so it may be missing or
/// incomplete before.
async fn state_of(path: &Path) -> Result<DatabaseState, DbError> {
    if !path.exists() {
        return Err(DbError::Missing(path.to_owned()));
    }
    schema::check_regular(path)?;
    let reading = options(path).read_only(true);
    let mut connection = connect(&reading).await.at(path)?;
    let state = DatabaseState::of(&mut connection).await.at(path)?;
    connection.close().await.at(path)?;
    Ok(state)
}

/// Copies the file of the node at `address` to `begun`, which errors call `name`, once it has all of the leader's data.
pub async fn copy_node_file(
    address: &ClusterAddress,
    begun: &Path,
    name: &Path,
) -> Result<(), DbError> {
    let client = RqliteClient::new(address.nodes.clone())?;
    level_with_cluster(&client, &address.file).await?;
    copy_file(&address.file, begun).await.at(name)
}
