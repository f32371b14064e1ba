//! A database shared by many nodes: reads use this node's file, writes use the cluster's HTTP API.

pub mod client;
pub mod lease;
pub mod write;

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arc_swap::ArcSwap;
use serde_json::{Value, json};

use super::database::{Database, OpenFile, Writer};
use super::error::{AtPath as _, DbError};
use super::files::{copy_file, options};
use super::schema::{
    self, MARKS, Migrated, TABLE, known_versions, missing, reject_newer, scratch_schema,
};
use crate::clock::{Clock, Monotonic};
use crate::compute::lock;
use crate::config::ClusterAddress;
use crate::model::hex;
use crate::random::Random;
use client::{COMMAND_WAIT_MAX, ClusterError, RqliteClient, SqlStatement};
use lease::Lease;
use write::level_with_cluster;

/// This process's writer for a cluster.
#[derive(Debug)]
pub struct Cluster {
    client: RqliteClient,
    /// Maximum time for one write.
    wait_max: Duration,
    /// Random id of this process, as a holder of leases.
    holder: String,
    lease: Mutex<Lease>,
    contact: Mutex<Option<Contact>>,
}

impl Database {
    /// Joins the cluster at `address`; first creates its schema if it is empty, or migrates it.
    pub(super) async fn join_cluster(
        address: &ClusterAddress,
        wait_max: Duration,
    ) -> Result<(Self, Migrated), DbError> {
        let client = RqliteClient::new(address.nodes.clone())?;
        let migrated = migrate_cluster(&client, &address.file).await?;
        level_with_cluster(&client, &address.file).await?;
        schema::identify(&address.file).await?;
        let open = OpenFile::open(&address.file, options(&address.file)).await?;
        let holder = Random::system()
            .hex_128()
            .map_err(|error| ClusterError::Client(error.to_string()))?;
        let cluster = Cluster {
            client,
            wait_max,
            holder,
            lease: Mutex::default(),
            contact: Mutex::default(),
        };
        let database = Self {
            path: address.file.clone(),
            open: Arc::new(ArcSwap::from_pointee(open)),
            writer: Writer::Cluster(Arc::new(cluster)),
        };
        database.verify_readable().await?;
        Ok((database, migrated))
    }

    fn cluster(&self) -> Option<&Arc<Cluster>> {
        match &self.writer {
            Writer::File(..) => None,
            Writer::Cluster(cluster) => Some(cluster),
        }
    }

    /// Whether many nodes share the database.
    pub fn has_nodes(&self) -> bool {
        self.cluster().is_some()
    }

    /// Reopens the file if rqlited has replaced it; returns whether it was replaced.
    ///
    /// # Errors
    /// As [`Database::verify_place`], for a file that rqlited does not own.
    pub async fn follow_file(&self) -> Result<bool, DbError> {
        match self.verify_place() {
            Err(DbError::Replaced(_)) if self.has_nodes() => {}
            verified => return verified.map(|()| false),
        }
        let open = OpenFile::open(&self.path, options(&self.path)).await?;
        self.open.swap(Arc::new(open)).close().await;
        tracing::info!(
            file = %self.path.display(),
            "node.file_replaced: rqlited replaced its file; reading the new one"
        );
        Ok(true)
    }
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

// The state of a node within its cluster: the `/status` of its rqlited, and the age of that answer.

const STATUS_TIMEOUT: Duration = Duration::from_millis(700);
/// A node without contact to its leader for this long counts as cut off.
const CUT_OFF_AFTER: Duration = Duration::from_secs(3);

/// A node's status within its cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeStatus {
    /// Address; empty if there is no leader.
    pub leader: String,
    pub is_leader: bool,
    /// Entries of the cluster's log that are committed, as far as this node knows, but not applied to its file.
    pub entries_behind: u64,
}

/// The last answer of this node's rqlited.
#[derive(Debug, Clone, Default)]
pub struct Contact {
    status: NodeStatus,
    /// When it last heard from the leader.
    heard_at: Option<Monotonic>,
}

/// A node's last known status and its age.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeStanding {
    pub status: NodeStatus,
    /// Time since this node's rqlited last heard from the leader; if never, since this process started.
    pub contact_age: Duration,
    /// Whether this process raises versions and sends deliveries.
    pub holds_lease: bool,
}

impl Database {
    /// Queries this node's rqlited for its status; returns whether there is one.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn ask_node(&self) -> Result<bool, DbError> {
        let Some(cluster) = self.cluster() else {
            return Ok(false);
        };
        let sent_at = Clock::system().monotonic();
        let status = cluster.client.status(STATUS_TIMEOUT).await?;
        let status = node_status(&status["store"]);
        // A node that has not heard from its leader for a second or so has none (Raft's heartbeat timeout).
        let heard_at = (!status.leader.is_empty()).then_some(sent_at);
        let mut last = lock(&cluster.contact);
        let before = last.as_ref().and_then(|last| last.heard_at);
        *last = Some(Contact {
            heard_at: heard_at.or(before),
            status,
        });
        Ok(true)
    }

    /// The last known status of the node; `None` without a cluster or before the first answer.
    pub fn node_standing(&self) -> Option<NodeStanding> {
        let contact = lock(&self.cluster()?.contact).clone()?;
        let now = Clock::system().monotonic();
        Some(NodeStanding {
            contact_age: now - contact.heard_at.unwrap_or_default(),
            status: contact.status,
            holds_lease: self.may_send(),
        })
    }
}

impl NodeStanding {
    pub(super) fn is_cut_off(&self) -> bool {
        self.contact_age > CUT_OFF_AFTER
    }
}

impl fmt::Display for NodeStanding {
    /// The line of `/readyz`. A node that is cut off keeps serving, and reports how old its data may be.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.contact_age.as_secs();
        let NodeStatus {
            leader,
            is_leader,
            entries_behind,
        } = &self.status;
        if self.is_cut_off() || leader.is_empty() {
            return writeln!(
                f,
                "cluster: cut off; last contact with its leader was {seconds} s ago, and the served data may be that old"
            );
        }
        let leader = if *is_leader { "this node" } else { leader };
        let lease = if self.holds_lease {
            "here"
        } else {
            "elsewhere"
        };
        writeln!(
            f,
            "cluster: leader {leader}; {entries_behind} entries behind; last contact with the leader {seconds} s ago; lease \
             held {lease}"
        )
    }
}

fn node_status(store: &Value) -> NodeStatus {
    let number = |value: &Value| match value.as_str() {
        Some(text) => text.parse().ok(),
        None => value.as_u64(),
    };
    let raft = &store["raft"];
    let committed = number(&raft["commit_index"]).unwrap_or(0);
    let leader_committed = number(&raft["transport"]["leader_commit_index"]).unwrap_or(0);
    let applied = number(&raft["applied_index"]).unwrap_or(0);
    NodeStatus {
        leader: store["leader"]["addr"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        is_leader: raft["state"] == "Leader",
        entries_behind: committed.max(leader_committed).saturating_sub(applied),
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
    match client.execute(missing, COMMAND_WAIT_MAX).await {
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
        let table: String = sqlx::query_scalar("select sql from sqlite_schema where name = ?")
            .bind(TABLE)
            .fetch_one(&mut scratch)
            .await
            .at(file)?;
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
    all.push(json!([schema::BIND_INSTANCE, schema::lineage_id(file)?]));
    Ok(all)
}

/// The versions of the migrations that a cluster has; none if it is empty.
async fn applied_to_cluster(client: &RqliteClient, file: &Path) -> Result<Vec<i64>, DbError> {
    let count = "select count(*) filter (where name in (?, ?, ?)), count(*) from sqlite_schema";
    let count = json!([count, TABLE, MARKS[0], MARKS[1]]);
    let counts = client.query(&count, COMMAND_WAIT_MAX).await?;
    match counts.first().map(Vec::as_slice) {
        Some([_, all]) if *all == 0 => return Ok(Vec::new()),
        Some([ours, _]) if *ours == 3 => {}
        _ => return Err(DbError::NotOurs(file.to_owned())),
    }
    let select = format!("select version, lower(hex(checksum)) from {TABLE} order by version");
    let rows = client.query(&json!([select]), COMMAND_WAIT_MAX).await?;
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
        let ends_in_comment = |text: &&mut String| {
            text.lines()
                .last()
                .is_some_and(|line| line.starts_with("--"))
        };
        let is_within = part.starts_with(' ') || part.starts_with("end;") || part.trim().is_empty();
        match statements
            .last_mut()
            .filter(|text| is_within || ends_in_comment(text))
        {
            Some(text) => text.push_str(part),
            None => statements.push(part.to_owned()),
        }
    }
    statements
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
    use sqlx::{AssertSqlSafe, Connection as _};

    use super::{node_status, statements};
    use crate::storage::schema::{MIGRATIONS, scratch_schema};

    #[test]
    fn a_status_has_the_leader_and_the_entries_behind() {
        let follower = json!({
            "leader": {"addr": "10.0.0.1:4002", "node_id": "1"},
            "raft": {"state": "Follower", "applied_index": 90, "commit_index": 95, "transport": {"leader_commit_index": "100"}},
        });
        let status = node_status(&follower);
        assert_eq!(status.leader, "10.0.0.1:4002");
        assert!(!status.is_leader);
        assert_eq!(status.entries_behind, 10);
    }

    #[test]
    fn node_status_has_no_leader_during_an_election() {
        let candidate = json!({"leader": {"addr": ""}, "raft": {"state": "Candidate"}});
        assert_eq!(node_status(&candidate).leader, "");
    }

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
