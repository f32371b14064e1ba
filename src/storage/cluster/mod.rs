//! A database shared by many nodes: reads use this node's file, writes use the cluster's HTTP API.

pub mod client;
pub mod statements;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arc_swap::ArcSwap;
use serde_json::json;

use super::database::{Changes, Database, OpenFile, Writer};
use super::error::{AtPath as _, DbError};
use super::files::options;
use super::schema::{
    self, MARKS, Migrated, TABLE, known_versions, missing, reject_newer, scratch_schema,
};
use super::write::{Write, WriteTarget};
use crate::clock::Clock;
use crate::compute::lock;
use crate::config::ClusterAddress;
use crate::model::hex;
use crate::random;
use client::{COMMAND_TIMEOUT, Cluster, ClusterError, RqliteClient, SqlStatement};
use statements::{RecordedStatements, WorkingCopy, WriteOrigin, level_with_cluster};

impl Database {
    /// Joins the cluster at `address`; first creates its schema if it is empty, or migrates it.
    pub(super) async fn join_cluster(
        address: &ClusterAddress,
    ) -> Result<(Self, Migrated), DbError> {
        let client = RqliteClient::new(address.nodes.clone())?;
        let migrated = migrate_cluster(&client, &address.file).await?;
        level_with_cluster(&client, &address.file).await?;
        schema::identify(&address.file).await?;
        let open = OpenFile::open(&address.file, options(&address.file)).await?;
        let cluster = Cluster {
            client,
            holder: random::hex_128(),
            lease: Mutex::default(),
            contact_at: Mutex::new(Clock::system().monotonic()),
        };
        let database = Self {
            path: address.file.clone(),
            open: Arc::new(ArcSwap::from_pointee(open)),
            writer: Writer::Cluster(Arc::new(cluster)),
        };
        database.verify_readable().await?;
        Ok((database, migrated))
    }

    pub(super) fn cluster(&self) -> Option<&Arc<Cluster>> {
        match &self.writer {
            Writer::File(..) => None,
            Writer::Cluster(cluster) => Some(cluster),
        }
    }

    /// Whether many nodes share the database.
    pub fn has_nodes(&self) -> bool {
        self.cluster().is_some()
    }

    /// Begins a write of the process with the right to send. On many nodes it fails as overtaken
    /// ([`super::is_overtaken`]) if another process has the right by then.
    ///
    /// # Errors
    /// As [`Database::write`].
    pub async fn write_as_sender(&self) -> Result<Write, DbError> {
        self.write_as(WriteOrigin::Sender).await
    }

    /// Begins a write of an owner's command, which reads its own writes and may be long; it is counted ([`super::DatabaseState`]). On a cluster the command works
    /// on a copy of this node's file. If another process wrote in the meantime, the write fails as overtaken
    /// ([`super::is_overtaken`]) and changes nothing.
    ///
    /// # Errors
    /// As [`Database::write`].
    pub async fn write_as_owner(&self) -> Result<Write, DbError> {
        match &self.writer {
            Writer::File(..) => {
                let begun = self.write().await?.by_owner().await;
                begun.at(&self.path)
            }
            Writer::Cluster(cluster) => {
                let copy = WorkingCopy::of(&cluster.client, &self.path).await?;
                self.write_as(WriteOrigin::Owner(copy)).await
            }
        }
    }

    pub(in crate::storage) async fn write_as(&self, origin: WriteOrigin) -> Result<Write, DbError> {
        self.verify_place()?;
        Ok(Write(match &self.writer {
            Writer::File(file) => {
                let transaction = file.connections.begin_with("begin immediate").await;
                WriteTarget::File {
                    transaction: transaction.at(&self.path)?,
                    changes_before: None,
                }
            }
            Writer::Cluster(cluster) => {
                let transaction = match &origin {
                    WriteOrigin::Owner(copy) => copy.begin().await,
                    WriteOrigin::Node | WriteOrigin::Sender => self.readers().begin().await,
                };
                let transaction = transaction.at(&self.path)?;
                let cluster = Arc::clone(cluster);
                WriteTarget::Recorded(RecordedStatements::new(transaction, cluster, origin))
            }
        }))
    }

    /// Reopens the file if rqlited has replaced it, and returns its changes.
    ///
    /// # Errors
    /// As [`Database::verify_place`], for a file that rqlited does not own.
    pub async fn follow_file(&self) -> Result<Option<Changes>, DbError> {
        match self.verify_place() {
            Err(DbError::Replaced(_)) if self.has_nodes() => {}
            verified => return verified.map(|()| None),
        }
        // Before the former file is left, so that the next run tries again where it cannot be read.
        let changes = self.changes().await?;
        let open = OpenFile::open(&self.path, options(&self.path)).await?;
        self.open.swap(Arc::new(open)).close().await;
        tracing::info!(
            file = %self.path.display(),
            "node.file_replaced: rqlited replaced its file; reading the new one"
        );
        Ok(Some(changes))
    }
}

// The state of a node within its cluster, by the `/status` of its rqlited.

const STATUS_TIMEOUT: Duration = Duration::from_millis(700);
/// A node without contact to its leader for this long counts as cut off.
const CUT_OFF_AFTER: Duration = Duration::from_secs(3);

impl Database {
    /// Queries this node's rqlited for its leader; returns whether there is an rqlited.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn ask_node(&self) -> Result<bool, DbError> {
        let Some(cluster) = self.cluster() else {
            return Ok(false);
        };
        let sent_at = Clock::system().monotonic();
        let answer = cluster.client.status(STATUS_TIMEOUT).await?;
        // A node that has not heard from its leader for a second or so has none (Raft's heartbeat timeout).
        let leader = answer["store"]["leader"]["addr"].as_str();
        if leader.is_some_and(|leader| !leader.is_empty()) {
            *lock(&cluster.contact_at) = sent_at;
        }
        Ok(true)
    }

    /// Time since this node's rqlited last had contact to the leader: so old the data may be that this process serves. `None`
    /// without a cluster.
    pub fn contact_age(&self) -> Option<Duration> {
        let contact_at = *lock(&self.cluster()?.contact_at);
        Some(Clock::system().monotonic() - contact_at)
    }

    /// Whether that is too long ago.
    pub fn is_cut_off(&self) -> bool {
        self.contact_age().is_some_and(|age| age > CUT_OFF_AFTER)
    }
}

/// Creates the schema of an empty cluster, or applies the missing migrations: in one transaction, through the leader.
/// `file` is the path shown in errors.
pub async fn migrate_cluster(client: &RqliteClient, file: &Path) -> Result<Migrated, DbError> {
    let there = applied_to_cluster(client, file).await?;
    reject_newer(&there, file)?;
    let migrated = Migrated::since(&there);
    if migrated.applied.is_empty() {
        return Ok(migrated);
    }
    let missing = missing_statements(&there, file).await?;
    match client.execute(missing, COMMAND_TIMEOUT).await {
        Ok(_) => Ok(migrated),
        Err(error @ ClusterError::Refused(_)) => {
            // Another process, or an earlier attempt of this one, may have migrated it since.
            let there = Migrated::since(&applied_to_cluster(client, file).await?);
            if there.applied.is_empty() {
                Ok(there)
            } else {
                Err(error.into())
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// The statements that apply the migrations which a database with the versions `there` lacks, and give it its own
/// values.
async fn missing_statements(there: &[i64], file: &Path) -> Result<Vec<SqlStatement>, DbError> {
    let mut all = Vec::new();
    if there.is_empty() {
        let mut scratch = scratch_schema().await.at(file)?;
        let table = sqlx::query_scalar("select sql from sqlite_schema where name = ?");
        let table = table.bind(TABLE).fetch_one(&mut scratch);
        let table: String = table.await.at(file)?;
        all.push(json!([table]));
    }
    let note = format!(
        "insert into {TABLE} (version, description, installed_on, success, checksum, execution_time) \
         values (?, ?, ?, 1, unhex(?), 0)"
    );
    // The column's default would be the time at which each node applies the statement.
    let installed_on = Clock::system().now().format("%F %T").to_string();
    for migration in missing(there) {
        let statements = statements(migration.sql.as_str()).into_iter();
        all.extend(statements.map(|sql| json!([sql])));
        let (version, description) = (migration.version, &migration.description);
        let checksum = hex(&migration.checksum);
        all.push(json!([note, version, description, installed_on, checksum]));
    }
    all.push(json!([schema::BIND_INSTANCE, random::hex_128()]));
    Ok(all)
}

/// The versions of the migrations that a cluster has; none if it is empty.
async fn applied_to_cluster(client: &RqliteClient, file: &Path) -> Result<Vec<i64>, DbError> {
    let count = "select count(*) filter (where name in (?, ?, ?)), count(*) from sqlite_schema";
    let count = json!([count, TABLE, MARKS[0], MARKS[1]]);
    let counts = client.query(&count, COMMAND_TIMEOUT).await?;
    match counts.first().map(Vec::as_slice) {
        Some([_, all]) if *all == 0 => return Ok(Vec::new()),
        Some([ours, _]) if *ours == 3 => {}
        _ => return Err(DbError::NotOurs(file.to_owned())),
    }
    let select = format!("select version, lower(hex(checksum)) from {TABLE} order by version");
    let rows = client.query(&json!([select]), COMMAND_TIMEOUT).await?;
    let applied = rows.iter().filter_map(|row| match row.as_slice() {
        [version, checksum] => Some((version.as_i64()?, checksum.as_str()?.to_owned())),
        _ => None,
    });
    known_versions(applied.collect(), file)
}

/// Splits a migration into statements, because rqlite takes one at a time. Within a trigger, lines after the first begin
/// with a blank, but for the last.
fn statements(sql: &str) -> Vec<String> {
    let mut statements: Vec<String> = Vec::new();
    for part in sql.split_inclusive(";\n") {
        let is_within = part.starts_with(' ') || part.starts_with("end;") || part.trim().is_empty();
        let last_line = statements.last().and_then(|text| text.lines().last());
        let is_in_comment = last_line.is_some_and(|line| line.starts_with("--"));
        match statements.last_mut() {
            Some(text) if is_within || is_in_comment => text.push_str(part),
            Some(_) | None => statements.push(part.to_owned()),
        }
    }
    statements
}

#[cfg(test)]
mod tests {
    use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
    use sqlx::{AssertSqlSafe, Connection as _};

    use super::statements;
    use crate::storage::schema::{MIGRATIONS, scratch_schema};

    async fn objects(connection: &mut SqliteConnection) -> Vec<(String, String)> {
        let select = "select name, coalesce(sql, '') from sqlite_schema where name not like '\\_sqlx%' escape '\\' \
                      and name not like 'sqlite\\_%' escape '\\' order by name";
        sqlx::query_as(select).fetch_all(connection).await.unwrap()
    }

    #[tokio::test]
    async fn migrations_one_statement_at_a_time_make_the_same_schema() {
        let mut whole = scratch_schema().await.unwrap();
        let options = SqliteConnectOptions::new().in_memory(true);
        let mut by_one = SqliteConnection::connect_with(&options).await.unwrap();
        for migration in MIGRATIONS.iter() {
            for statement in statements(migration.sql.as_str()) {
                let ran = sqlx::query(AssertSqlSafe(statement.clone())).execute(&mut by_one);
                ran.await
                    .unwrap_or_else(|error| panic!("{statement}: {error}"));
            }
        }
        assert_eq!(objects(&mut by_one).await, objects(&mut whole).await);
    }
}
