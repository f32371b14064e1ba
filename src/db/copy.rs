//! What the owner's commands work on in a cluster: a private copy of this node's file, where their transactions run as on one
//! machine, and from which the same statements go to the cluster (`write`). Where the cluster is still empty, the copy is
//! a new database, and goes there whole.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use serde_json::json;
use sqlx::{Connection as _, SqliteConnection};
use tempfile::TempDir;

use super::cluster::wait_for_file;
use super::error::DbError;
use super::migrate::{self, Migrated};
use super::open_file::{OpenFile, pool};
use super::rqlite::{
    Basis, COMMAND_WAIT_MAX, Cluster, ClusterError, RqliteClient, Statement,
};
use super::{BUSY_TIMEOUT, Database, Writer, options};
use crate::clock::Clock;
use crate::config::ClusterAddress;
use crate::random::Random;

/// How long this node's file may take to have what the leader has.
const LEVEL_WAIT_MAX: Duration = Duration::from_secs(30);
/// How long another process may take that is just filling the empty cluster.
const FIRST_LOAD_WAIT_MAX: Duration = Duration::from_secs(120);
/// The table of whoever fills an empty cluster; gone when that is done.
const CLAIM: &str = "first_load";
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// A database to work on, in a folder of its own that is gone with this.
#[derive(Debug)]
pub(super) struct Copy {
    pub(super) database: Database,
    pub(super) migrated: Migrated,
    folder: TempDir,
    /// The way to a cluster that has nothing yet.
    empty: Option<RqliteClient>,
}

impl Copy {
    /// A copy of what the cluster has now, brought up to date there first; or a new database, where the cluster is empty.
    pub(super) async fn of(address: &ClusterAddress) -> Result<Self, DbError> {
        let client = RqliteClient::new(address.nodes.clone()).map_err(DbError::Cluster)?;
        let folder = tempfile::tempdir().map_err(|reason| DbError::Create {
            path: std::env::temp_dir(),
            reason,
        })?;
        let path = folder.path().join("copy.db");
        if claim_if_empty(&client).await? {
            let (database, migrated) = match Database::open(&path).await {
                Ok(made) => made,
                Err(error) => {
                    give_up_claim(&client).await;
                    return Err(error);
                }
            };
            return Ok(Self {
                database,
                migrated,
                folder,
                empty: Some(client),
            });
        }
        let migrated = migrate::run_on_cluster(&client, &address.file).await?;
        let basis = level_with_cluster(&client, &address.file).await?;
        copy_file(&address.file, &path).await?;
        let database = open_copy(&path, &address.file, client, basis).await?;
        Ok(Self {
            database,
            migrated,
            folder,
            empty: None,
        })
    }

    /// Gives an empty cluster what was made for it; what was written on a copy of another one is there already.
    pub(super) async fn keep(self) -> Result<(), DbError> {
        self.database.close().await;
        let Some(client) = self.empty else {
            return Ok(());
        };
        let path = self.folder.path().join("copy.db");
        let bytes = fs::read(&path).map_err(|error| DbError::Other {
            path,
            reason: error.to_string(),
        })?;
        let loaded = client.load(bytes, FIRST_LOAD_WAIT_MAX).await;
        if loaded.is_err() {
            give_up_claim(&client).await;
        }
        loaded.map_err(DbError::Cluster)
    }

    /// Leaves the cluster as it was.
    pub(super) async fn leave(self) {
        self.database.close().await;
        if let Some(client) = &self.empty {
            give_up_claim(client).await;
        }
    }
}

/// Brings the cluster up to date, an empty one included.
pub(super) async fn bring_up_to_date(
    address: &ClusterAddress,
    client: &RqliteClient,
) -> Result<Migrated, DbError> {
    let select = Statement::new(
        "select exists (select 1 from sqlite_schema where name = ?)",
        vec![json!(migrate::TABLE)],
    );
    let rows = client.query(&select, COMMAND_WAIT_MAX).await?;
    if rows.first().and_then(|row| row.first()) == Some(&json!(1)) {
        return migrate::run_on_cluster(client, &address.file).await;
    }
    let copy = Copy::of(address).await?;
    let migrated = copy.migrated.clone();
    copy.keep().await?;
    Ok(migrated)
}

/// The copy at `path` of the node's file at `file`, open for transactions that go to the cluster.
async fn open_copy(
    path: &Path,
    file: &Path,
    client: RqliteClient,
    basis: Basis,
) -> Result<Database, DbError> {
    let fault = |error| DbError::at(path, error);
    let open = OpenFile::open(path, None).await?;
    let writing = pool(&open.place)
        .max_connections(1)
        .acquire_timeout(BUSY_TIMEOUT);
    let writing = writing.connect_with(options(path)).await.map_err(fault)?;
    let mut connection = writing.acquire().await.map_err(fault)?;
    // Between what was compared and what was copied, more may have come.
    let copied = Basis::of_file(&mut connection).await.map_err(fault)?;
    drop(connection);
    let basis = if copied.has_reached(basis) { copied } else { basis };
    tracing::debug!(file = %file.display(), "cluster.copied: the command works on a copy of this node's file");
    Ok(Database {
        path: path.to_owned(),
        open: Arc::new(ArcSwap::from_pointee(open)),
        writer: Writer::Copy {
            pool: writing,
            cluster: Arc::new(Cluster::of_command(client, basis)),
        },
    })
}

/// Copies the file as it is at one moment.
async fn copy_file(from: &Path, to: &Path) -> Result<(), DbError> {
    let fault = |error| DbError::at(from, error);
    let reading = options(from).read_only(true);
    let mut connection = SqliteConnection::connect_with(&reading).await.map_err(fault)?;
    sqlx::query("vacuum into ?")
        .bind(to.to_string_lossy().into_owned())
        .execute(&mut connection)
        .await
        .map_err(fault)?;
    connection.close().await.map_err(fault)
}

/// Waits until this node's file has what the leader has; says what that is.
pub(super) async fn level_with_cluster(
    client: &RqliteClient,
    file: &Path,
) -> Result<Basis, DbError> {
    let clock = Clock::system();
    let end = clock.monotonic() + LEVEL_WAIT_MAX;
    let wanted = Basis::of_cluster(client).await.map_err(DbError::Cluster)?;
    wait_for_file(file, LEVEL_WAIT_MAX).await?;
    loop {
        let fault = |error| DbError::at(file, error);
        let reading = options(file).read_only(true);
        let mut connection = SqliteConnection::connect_with(&reading).await.map_err(fault)?;
        let there = Basis::of_file(&mut connection).await.map_err(fault)?;
        connection.close().await.map_err(fault)?;
        if there.has_reached(wanted) {
            return Ok(there);
        }
        if clock.monotonic() >= end {
            return Err(DbError::Cluster(ClusterError::Behind {
                seconds: LEVEL_WAIT_MAX.as_secs(),
            }));
        }
        clock.sleep(LOOK_INTERVAL).await;
    }
}

/// Whether the cluster is empty and now ours to fill. Where another process is filling it, waits for that.
async fn claim_if_empty(client: &RqliteClient) -> Result<bool, DbError> {
    let clock = Clock::system();
    let end = clock.monotonic() + FIRST_LOAD_WAIT_MAX;
    let holder = Random::system().hex_128().map_err(|error| {
        DbError::Cluster(ClusterError::Client(error.to_string()))
    })?;
    loop {
        let select = "select exists (select 1 from sqlite_schema where name = ?1), exists (select 1 from sqlite_schema where name = ?2)";
        let select = Statement::new(select, vec![json!(migrate::TABLE), json!(CLAIM)]);
        let rows = client.query(&select, COMMAND_WAIT_MAX).await.map_err(DbError::Cluster)?;
        let has = |column: usize| {
            rows.first().and_then(|row| row.get(column)).and_then(serde_json::Value::as_i64) == Some(1)
        };
        if has(0) {
            return Ok(false);
        }
        if !has(1) {
            let claim = [
                Statement::new(format!("create table {CLAIM} (holder text not null)"), Vec::new()),
                Statement::new(format!("insert into {CLAIM} values (?)"), vec![json!(holder)]),
            ];
            // Whoever was quicker has it; and where the answer was lost, the table says who has.
            let _ = client.execute_unmarked(&claim, COMMAND_WAIT_MAX).await;
            let held = Statement::new(format!("select holder from {CLAIM}"), Vec::new());
            let held = client.query(&held, COMMAND_WAIT_MAX).await.map_err(DbError::Cluster)?;
            if held.first().and_then(|row| row.first()) == Some(&json!(holder)) {
                return Ok(true);
            }
        }
        if clock.monotonic() >= end {
            return Err(DbError::Cluster(ClusterError::Refused(format!(
                "another process began to fill the empty cluster and did not end within {} s; where none is running, `drop table \
                 {CLAIM}` there and try again",
                FIRST_LOAD_WAIT_MAX.as_secs()
            ))));
        }
        clock.sleep(LOOK_INTERVAL).await;
    }
}

/// Leaves the empty cluster to others.
async fn give_up_claim(client: &RqliteClient) {
    let give_up = [Statement::new(format!("drop table if exists {CLAIM}"), Vec::new())];
    if let Err(error) = client.execute_unmarked(&give_up, COMMAND_WAIT_MAX).await {
        tracing::warn!(%error, "cluster.claim_left: the table {CLAIM} of the empty cluster could not be dropped; drop it before the next try");
    }
}
