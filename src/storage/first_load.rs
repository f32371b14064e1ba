//! Fills an empty cluster: the first command creates a new database locally and loads it into the cluster as a whole
//! (`/db/load`). If several processes start at once, one of them does this and the others wait.

use std::fs;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use super::Database;
use super::error::DbError;
use super::migrate::{self, Migrated};
use super::rqlite::{COMMAND_WAIT_MAX, ClusterError, RqliteClient, SqlStatement};
use crate::clock::Clock;
use crate::random::Random;

/// Maximum wait for another process that fills the empty cluster.
const FIRST_LOAD_WAIT_MAX: Duration = Duration::from_mins(2);
/// Table that marks the process that fills the cluster; dropped afterwards.
const CLAIM: &str = "first_load";
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// A new database for an empty cluster, in a temporary folder removed on drop.
#[derive(Debug)]
pub(super) struct FirstLoad {
    pub(super) database: Database,
    pub(super) migrated: Migrated,
    folder: TempDir,
    client: RqliteClient,
}

impl FirstLoad {
    /// `None` if the cluster is not empty.
    pub(super) async fn of(client: &RqliteClient) -> Result<Option<Self>, DbError> {
        if !claim_if_empty(client).await? {
            return Ok(None);
        }
        let made = Self::make(client).await;
        if made.is_err() {
            give_up_claim(client).await;
        }
        made.map(Some)
    }

    async fn make(client: &RqliteClient) -> Result<Self, DbError> {
        let folder = tempfile::tempdir().map_err(|reason| DbError::Create {
            path: std::env::temp_dir(),
            reason,
        })?;
        let (database, migrated) = Database::open(&folder.path().join("new.db")).await?;
        Ok(Self {
            database,
            migrated,
            folder,
            client: client.clone(),
        })
    }

    /// Loads the new database into the cluster.
    pub(super) async fn keep(self) -> Result<(), DbError> {
        self.database.close().await;
        let path = self.folder.path().join("new.db");
        let bytes = fs::read(&path).map_err(|error| DbError::Other {
            path,
            reason: error.to_string(),
        })?;
        let loaded = self.client.load(bytes, FIRST_LOAD_WAIT_MAX).await;
        if loaded.is_err() {
            give_up_claim(&self.client).await;
        }
        Ok(loaded?)
    }

    /// Discards the new database; the cluster stays empty.
    pub(super) async fn leave(self) {
        self.database.close().await;
        give_up_claim(&self.client).await;
    }
}

/// Whether the cluster is empty and this process now holds the claim. Waits while another process fills it.
async fn claim_if_empty(client: &RqliteClient) -> Result<bool, DbError> {
    let clock = Clock::system();
    let end = clock.monotonic() + FIRST_LOAD_WAIT_MAX;
    let holder = Random::system()
        .hex_128()
        .map_err(|error| DbError::Cluster(ClusterError::Client(error.to_string())))?;
    loop {
        let select = "select exists (select 1 from sqlite_schema where name = ?1), exists (select 1 from sqlite_schema where name = ?2)";
        let select = SqlStatement::new(select, vec![json!(migrate::TABLE), json!(CLAIM)]);
        let rows = client
            .query(&select, COMMAND_WAIT_MAX)
            .await
            .map_err(DbError::Cluster)?;
        let has = |column: usize| {
            rows.first()
                .and_then(|row| row.get(column))
                .and_then(serde_json::Value::as_i64)
                == Some(1)
        };
        if has(0) {
            return Ok(false);
        }
        if !has(1) {
            let claim = [
                SqlStatement::new(
                    format!("create table {CLAIM} (holder text not null)"),
                    Vec::new(),
                ),
                SqlStatement::new(
                    format!("insert into {CLAIM} values (?)"),
                    vec![json!(holder)],
                ),
            ];
            // Another process may have been first. If the answer was lost, the table shows which process it was.
            let _ = client.execute_unmarked(&claim, COMMAND_WAIT_MAX).await;
            let held = SqlStatement::new(format!("select holder from {CLAIM}"), Vec::new());
            let held = client
                .query(&held, COMMAND_WAIT_MAX)
                .await
                .map_err(DbError::Cluster)?;
            if held.first().and_then(|row| row.first()) == Some(&json!(holder)) {
                return Ok(true);
            }
        }
        if clock.monotonic() >= end {
            return Err(DbError::Cluster(ClusterError::Refused(format!(
                "another process began to fill the empty cluster and did not finish within {} s; if none is running, `drop table \
                 {CLAIM}` there and try again",
                FIRST_LOAD_WAIT_MAX.as_secs()
            ))));
        }
        clock.sleep(LOOK_INTERVAL).await;
    }
}

async fn give_up_claim(client: &RqliteClient) {
    let give_up = [SqlStatement::new(
        format!("drop table if exists {CLAIM}"),
        Vec::new(),
    )];
    if let Err(error) = client.execute_unmarked(&give_up, COMMAND_WAIT_MAX).await {
        tracing::warn!(%error, "cluster.claim_left: the table {CLAIM} of the empty cluster could not be dropped; drop it before the next try");
    }
}
