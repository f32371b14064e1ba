//! A database shared by many nodes: reads use this node's file, writes use the cluster's HTTP API.

pub mod client;
pub mod derived;
pub mod write;

use std::fmt;
use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arc_swap::ArcSwap;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use sqlx::SqliteConnection;

use super::database::{Database, OpenFile, Writer};
use super::error::{AtPath as _, DbError};
use super::files::{
    DeliveryLock, SOURCE_LOCK, beside, lock_beside, options, real, remove_leftover,
};
use super::schema::{
    self, MARKS, Migrated, TABLE, known_versions, missing, reject_newer, scratch_schema,
};
use super::text::{utc_milliseconds, utc_seconds};
use super::write::{Write, WriteTarget};
use crate::clock::Clock;
use crate::compute::lock;
use crate::config::ClusterAddress;
use crate::model::hex;
use crate::random::Random;
use client::{
    COMMAND_WAIT_MAX, Cluster, ClusterError, Contact, Executed, Lease, NodeStatus, RqliteClient,
    SqlStatement,
};
use write::{RecordedWrite, WorkingCopy, level_with_cluster};

/// The usual time until a write to a cluster is in a node's file.
const FILE_LAG: Duration = Duration::from_millis(120);

/// Time for which markers are kept: much longer than the half minute in which a write may be sent again.
const MARKERS_KEPT: chrono::Duration = chrono::Duration::hours(6);

/// The file of this node's rqlited, opened for reading, with the side file of derived data.
async fn open_node_file(path: &Path) -> Result<OpenFile, DbError> {
    let side = derived::beside(path);
    let writer = derived::open(&side, path).await?;
    let mut open = OpenFile::open(path, options(path), Some(&side)).await?;
    open.derived = Some(writer);
    Ok(open)
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
        let open = open_node_file(&address.file).await?;
        let holder = Random::system()
            .hex_128()
            .map_err(|error| ClusterError::Client(error.to_string()))?;
        let cluster = Cluster {
            client,
            wait_max,
            unseen: Mutex::default(),
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

    /// Begins a write of an owner's command, which reads its own writes and may be long. On a cluster the command works
    /// on a copy of this node's file. If another process wrote in the meantime, the write fails as overtaken
    /// ([`super::is_overtaken`]) and changes nothing.
    pub async fn write_as_owner(&self) -> Result<Write, DbError> {
        match &self.writer {
            Writer::File(_) => self.write().await,
            Writer::Cluster(cluster) => {
                let copy = WorkingCopy::of(&cluster.client, &self.path).await?;
                let transaction = copy.begin().await.at(&self.path)?;
                let recorded = RecordedWrite::new(transaction, Arc::clone(cluster), Some(copy));
                Ok(Write(WriteTarget::Recorded(recorded)))
            }
        }
    }

    pub(super) fn cluster(&self) -> Option<&Arc<Cluster>> {
        match &self.writer {
            Writer::File(_) => None,
            Writer::Cluster(cluster) => Some(cluster),
        }
    }

    /// Whether many nodes share the database.
    pub fn has_nodes(&self) -> bool {
        self.cluster().is_some()
    }

    /// Whether this node's file has every write of this process; always true without a cluster.
    pub async fn has_seen_own_writes(&self) -> Result<bool, DbError> {
        let Some(cluster) = self.cluster() else {
            return Ok(true);
        };
        let Some(marker) = lock(&cluster.unseen).clone() else {
            return Ok(true);
        };
        let is_there = self.has_marker(&marker).await?;
        if is_there {
            lock(&cluster.unseen).take_if(|unseen| *unseen == marker);
        }
        Ok(is_there)
    }

    /// Whether this node's file has the write with this marker.
    async fn has_marker(&self, marker: &str) -> Result<bool, DbError> {
        sqlx::query_scalar!(
            r#"select exists (select 1 from write_marker where marker = ?) as "is: bool""#,
            marker
        )
        .fetch_one(&self.readers())
        .await
        .at(&self.path)
    }

    /// Waits until this node's file probably has a write that another node sent first; does nothing without a cluster.
    pub async fn await_other_writes(&self) {
        if self.has_nodes() {
            Clock::system().sleep(FILE_LAG).await;
        }
    }

    /// Reopens the file if rqlited has replaced it; returns whether it was replaced.
    ///
    /// # Errors
    /// As [`Database::verify_place`], for a file that rqlited does not own.
    pub async fn follow_file(&self) -> Result<bool, DbError> {
        match (self.verify_place(), &self.writer) {
            (Err(DbError::Replaced(_)), Writer::Cluster(_)) => {}
            (verified, _) => return verified.map(|()| false),
        }
        let former = self.open.swap(Arc::new(open_node_file(&self.path).await?));
        former.close().await;
        tracing::info!(
            file = %self.path.display(),
            "node.file_replaced: rqlited replaced its file; reading the new one"
        );
        Ok(true)
    }

    /// Begins a write of data derived from these reviews: into the database, or on a cluster into this node's side
    /// file.
    pub async fn write_derived(&self, ids: &[&str]) -> Result<Write, DbError> {
        let open = self.open.load_full();
        let Some(derived) = &open.derived else {
            return self.write().await;
        };
        let side = derived::beside(&self.path);
        let mut transaction = derived.begin_with("begin immediate").await.at(&side)?;
        let ids = Value::from(ids).to_string();
        derived::copy_reviews(&mut transaction, &ids)
            .await
            .at(&side)?;
        Ok(Write(WriteTarget::File(transaction)))
    }

    /// Deletes derived data from this node's side file: that of reviews that changed after `change_no` and are no
    /// longer published. Without a cluster, triggers do this.
    pub async fn sweep_derived(&self, change_no: i64) -> Result<u64, DbError> {
        let open = self.open.load_full();
        let Some(derived) = &open.derived else {
            return Ok(0);
        };
        let side = derived::beside(&self.path);
        let mut connection = derived.acquire().await.at(&side)?;
        derived::sweep(&mut connection, change_no).await.at(&side)
    }

    /// Deletes markers of writes that are too old to be sent again.
    ///
    /// # Errors
    /// When the cluster does not accept the write.
    pub async fn prune_markers(&self) -> Result<(), DbError> {
        if !self.has_nodes() {
            return Ok(());
        }
        let before = utc_seconds(Clock::system().now() - MARKERS_KEPT);
        let mut write = self.write().await?;
        sqlx::query!("delete from write_marker where written_at < ?", before)
            .execute(&mut write)
            .await
            .at(&self.path)?;
        write.commit().await.at(&self.path)
    }
}

// The state of a node within its cluster: the `/status` of its rqlited, and the age of that answer.

const STATUS_TIMEOUT: Duration = Duration::from_millis(700);

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
            holds_lease: self.may_publish(),
        })
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
        if self.contact_age > CUT_OFF_AFTER || leader.is_empty() {
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

// The lease of the one process in a cluster that raises versions and sends deliveries. On one machine every process
// may raise versions, and a lock file chooses the sender ([`DeliveryLock`]).
//
// The lease is a row with an end time by its holder's wall clock; another process takes it over after that time plus a
// margin for clock differences. The holder uses its monotonic clock, from the moment at which it sent the request.

/// Minimum length of a lease: the delay until another process can take over if the holder dies.
const LEASE_MIN: Duration = Duration::from_secs(20);
/// Maximum difference between the clocks of two machines.
const CLOCKS_DIFFER_MAX: Duration = Duration::from_secs(1);
const NAME: &str = "sender";
/// Longer than a run may take; a run that ends gives its lease back.
const SOURCE_LEASE: Duration = Duration::from_mins(40);
/// A node without contact to its leader for this long counts as cut off.
const CUT_OFF_AFTER: Duration = Duration::from_secs(3);

/// The right to send, held until it is dropped or, in a cluster, until the lease ends.
#[must_use]
#[derive(Debug)]
pub enum SenderLock {
    File(DeliveryLock),
    Lease,
}

/// The right to fetch a source, held until it is given back, the process ends or, in a cluster, the lease ends.
#[must_use]
pub enum SourceLock {
    File(File),
    Lease(String),
}

impl Database {
    /// Whether this process may raise versions of documents.
    pub fn may_publish(&self) -> bool {
        self.lease_left() > Duration::ZERO
    }

    /// Time for which this process may still send; [`Duration::MAX`] if no lease is needed.
    pub fn lease_left(&self) -> Duration {
        let Some(cluster) = self.cluster() else {
            return Duration::MAX;
        };
        let ends_at = lock(&cluster.lease).ends_at;
        ends_at.map_or(Duration::ZERO, |ends_at| {
            ends_at - Clock::system().monotonic()
        })
    }

    /// Takes the right to send, if no other process has it: the lock beside the file or, in a cluster, the lease. A node
    /// that is cut off could neither raise versions nor see due work, so it takes none. `exchange` is the longest time of a
    /// delivery.
    ///
    /// # Errors
    /// When the lock's file cannot be created, or the cluster does not accept the write.
    pub async fn take_sender_lock(
        &self,
        exchange: Duration,
    ) -> Result<Option<SenderLock>, DbError> {
        if !self.has_nodes() {
            let lock = DeliveryLock::take(self.path())?;
            return Ok(lock.map(SenderLock::File));
        }
        let standing = self.node_standing();
        let is_cut_off = standing.is_some_and(|node| node.contact_age > CUT_OFF_AFTER);
        let is_taken = !is_cut_off && self.renew_lease(exchange).await?;
        Ok(is_taken.then_some(SenderLock::Lease))
    }

    /// Takes the lease if it is free, or prolongs it, so that deliveries that take at most `exchange` can still begin
    /// for some time; returns whether this process holds the lease now.
    ///
    /// # Errors
    /// When the cluster does not accept the write; a lease already held stays valid until its end.
    pub async fn renew_lease(&self, exchange: Duration) -> Result<bool, DbError> {
        let Some(cluster) = self.cluster() else {
            return Ok(true);
        };
        let clock = Clock::system();
        let length = LEASE_MIN.max(exchange * 2);
        let (sent_at, now) = (clock.monotonic(), clock.now());
        // This node's file knows of another holder; the cluster need not be asked.
        if !self.may_publish()
            && is_leased(&mut *self.reader().await?, now)
                .await
                .at(self.path())?
        {
            return Ok(false);
        }
        let (is_held, marker) = take_lease(cluster, NAME, now, length).await?;
        *lock(&cluster.lease) = Lease {
            ends_at: is_held.then(|| sent_at + length),
            marker: Some(marker),
        };
        Ok(is_held)
    }

    /// Whether this node's file has the write that last prolonged the lease. Checked before the lease is prolonged
    /// again: a node that does not follow the cluster can neither raise versions nor see due deliveries, so another
    /// process should take over.
    pub async fn has_seen_lease(&self) -> Result<bool, DbError> {
        let Some(cluster) = self.cluster() else {
            return Ok(true);
        };
        let marker = lock(&cluster.lease).marker.clone();
        match marker {
            Some(marker) => self.has_marker(&marker).await,
            None => Ok(true),
        }
    }

    /// Gives the lease up, so that another process can take it over at once.
    ///
    /// # Errors
    /// When the cluster does not accept the write; then the lease ends by itself.
    pub async fn give_up_lease(&self) -> Result<(), DbError> {
        let Some(cluster) = self.cluster() else {
            return Ok(());
        };
        if !self.may_publish() {
            return Ok(());
        }
        lock(&cluster.lease).ends_at = None;
        Ok(end_lease(cluster, NAME).await?)
    }

    /// Takes the right to fetch the source `name`, so that it never runs beside itself: the lock of a file beside the database or, in a
    /// cluster, a lease. `None` if another run has it.
    ///
    /// # Errors
    /// When the lock's file cannot be created, or the cluster does not accept the write.
    pub async fn lock_source(&self, name: &str) -> Result<Option<SourceLock>, DbError> {
        let Some(cluster) = self.cluster() else {
            let locked = lock_beside(self.path(), &format!("{SOURCE_LOCK}{name}"))?;
            return Ok(locked.map(SourceLock::File));
        };
        let (name, now) = (format!("sync {name}"), Clock::system().now());
        let (is_held, _) = take_lease(cluster, &name, now, SOURCE_LEASE).await?;
        Ok(is_held.then_some(SourceLock::Lease(name)))
    }

    /// Gives the right to fetch a source back.
    ///
    /// # Errors
    /// When the cluster does not accept the write; then the lease ends by itself.
    pub async fn unlock_source(&self, lock: SourceLock) -> Result<(), DbError> {
        if let (SourceLock::Lease(name), Some(cluster)) = (&lock, self.cluster()) {
            end_lease(cluster, name).await?;
        }
        Ok(())
    }

    /// Gives the right to fetch the source `name`, which is no longer there, back with the file of its lock.
    ///
    /// # Errors
    /// As [`Database::unlock_source`].
    pub async fn remove_source_lock(&self, name: &str, lock: SourceLock) -> Result<(), DbError> {
        if matches!(lock, SourceLock::File(_)) {
            let file = beside(&real(self.path()), &format!("{SOURCE_LOCK}{name}"));
            remove_leftover(&file);
        }
        self.unlock_source(lock).await
    }

    /// Makes `write` fail as overtaken if another process holds the lease when it is applied.
    pub async fn fence(&self, write: &mut Write) -> sqlx::Result<()> {
        let Some(cluster) = self.cluster() else {
            return Ok(());
        };
        let holder = cluster.holder.clone();
        write
            .guard("(select holder from lease where name = ?1) = ?2", |guard| {
                guard.bind(NAME).bind(holder)
            })
            .await
    }
}

/// Whether a service sends for the database at `path`, of which `connection` reads.
pub async fn is_served(
    connection: &mut SqliteConnection,
    path: &Path,
    now: DateTime<Utc>,
) -> sqlx::Result<bool> {
    Ok(DeliveryLock::is_held(path) || is_leased(connection, now).await?)
}

/// Whether a process of the cluster holds the lease, according to this node's file.
async fn is_leased(connection: &mut SqliteConnection, now: DateTime<Utc>) -> sqlx::Result<bool> {
    let held_after = utc_milliseconds(now - CLOCKS_DIFFER_MAX);
    sqlx::query_scalar!(
        r#"select exists (select 1 from lease where name = ?1 and ends_at > ?2) as "is: bool""#,
        NAME,
        held_after
    )
    .fetch_one(connection)
    .await
}

/// Takes the lease `name` if it is free, or prolongs it; returns whether this process holds it now, and the marker of the write.
async fn take_lease(
    cluster: &Cluster,
    name: &str,
    now: DateTime<Utc>,
    length: Duration,
) -> Result<(bool, String), ClusterError> {
    let take = json!([
        "insert into lease (name, holder, ends_at) values (?1, ?2, ?3) on conflict (name) do update \
         set holder = excluded.holder, ends_at = excluded.ends_at \
         where lease.holder = excluded.holder or lease.ends_at <= ?4",
        name,
        cluster.holder,
        utc_milliseconds(now + length),
        utc_milliseconds(now - CLOCKS_DIFFER_MAX)
    ]);
    let Executed { marker, rows } = cluster.write(&[take]).await?;
    let is_held = match rows {
        Some(rows) => rows.first() == Some(&1),
        None => holder(cluster, name).await?.as_ref() == Some(&cluster.holder),
    };
    Ok((is_held, marker))
}

async fn end_lease(cluster: &Cluster, name: &str) -> Result<(), ClusterError> {
    let end = "delete from lease where name = ?1 and holder = ?2";
    let end = json!([end, name, cluster.holder]);
    cluster.write(&[end]).await.map(|_| ())
}

/// The holder of a lease according to the leader.
async fn holder(cluster: &Cluster, name: &str) -> Result<Option<String>, ClusterError> {
    let select = json!(["select holder from lease where name = ?", name]);
    let rows = cluster.client.query(&select, LEASE_MIN / 4).await?;
    let holder = rows.first().and_then(|row| row.first());
    Ok(holder.and_then(Value::as_str).map(str::to_owned))
}

/// Creates the schema of an empty cluster, or applies the missing migrations: in one transaction, through the leader.
/// `file` is the path shown in errors.
pub async fn migrate_cluster(client: &RqliteClient, file: &Path) -> Result<Migrated, DbError> {
    let mut refused = None;
    loop {
        let there = applied_to_cluster(client, file).await?;
        reject_newer(&there, file)?;
        let migrated = Migrated::since(&there);
        if migrated.applied.is_empty() {
            return Ok(migrated);
        }
        // A refusal is a fault unless another process, or an earlier attempt of this one, has migrated the cluster since.
        if let Some((before, error)) = refused
            && before == there
        {
            return Err(DbError::Cluster(error));
        }
        let missing = missing_statements(&there, file).await?;
        match client.execute_unmarked(&missing, COMMAND_WAIT_MAX).await {
            Ok(_) => return Ok(migrated),
            Err(error @ ClusterError::Refused(_)) => refused = Some((there, error)),
            Err(error) => return Err(error.into()),
        }
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
