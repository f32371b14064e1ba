//! Opens a database at an address, and creates new ones. A new file appears only once it has content: a command that
//! fails or writes nothing leaves no file behind. It is created under a temporary name in the same folder and renamed at
//! the end, so that even a killed process leaves no partial database.

use std::fs;
use std::fs::hard_link;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use super::error::DbError;
use super::files::{begin, remove_files, temporary_folder};
use super::rqlite::{COMMAND_WAIT_MAX, ClusterError, RqliteClient, WRITE_WAIT_MAX};
use super::schema::Migrated;
use super::{Database, schema};
use crate::clock::Clock;
use crate::config::{ClusterAddress, DatabaseAddress};
use crate::random::Random;

impl Database {
    /// # Errors
    /// [`DbError`].
    pub async fn open_at(address: &DatabaseAddress) -> Result<(Self, Migrated), DbError> {
        match address {
            DatabaseAddress::File(path) => Self::open(path).await,
            DatabaseAddress::Cluster(cluster) => {
                let client = RqliteClient::new(cluster.nodes.clone())?;
                let mut migrated = Migrated::default();
                if let Some(opening) = Opening::of_empty_cluster(&client).await? {
                    migrated = opening.migrated.clone();
                    opening.keep().await?;
                }
                Self::join_cluster(cluster, client, WRITE_WAIT_MAX, migrated).await
            }
        }
    }
}

/// A database that a command writes to, created if there is none.
#[derive(Debug)]
pub struct Opening {
    /// A new one has a temporary name.
    pub database: Database,
    pub migrated: Migrated,
    /// What a new one becomes.
    destination: Option<Destination>,
}

#[derive(Debug)]
enum Destination {
    /// A file at this path.
    File(PathBuf),
    /// The content of an empty cluster: the first command creates a new database locally and loads it into the cluster as
    /// a whole (`/db/load`). If several processes start at once, one of them does this and the others wait.
    Cluster {
        client: RqliteClient,
        /// The temporary folder of the new database, removed on drop.
        folder: TempDir,
    },
}

impl Opening {
    /// Opens the database at `address`, or begins a new one.
    ///
    /// # Errors
    /// As [`Database::open`].
    pub async fn of(address: &DatabaseAddress) -> Result<Self, DbError> {
        match address {
            DatabaseAddress::File(path) => Self::of_file(path).await,
            DatabaseAddress::Cluster(cluster) => Self::of_cluster(cluster).await,
        }
    }

    async fn of_cluster(address: &ClusterAddress) -> Result<Self, DbError> {
        let client = RqliteClient::new(address.nodes.clone())?;
        if let Some(opening) = Self::of_empty_cluster(&client).await? {
            return Ok(opening);
        }
        let migrated = Migrated::default();
        let joined = Database::join_cluster(address, client, COMMAND_WAIT_MAX, migrated).await?;
        Ok(Self::existing(joined))
    }

    fn existing((database, migrated): (Database, Migrated)) -> Self {
        Self {
            database,
            migrated,
            destination: None,
        }
    }

    /// `None` if the cluster is not empty.
    async fn of_empty_cluster(client: &RqliteClient) -> Result<Option<Self>, DbError> {
        if !claim_if_empty(client).await? {
            return Ok(None);
        }
        let made = async {
            let folder = temporary_folder()?;
            let (database, migrated) = Database::open(&folder.path().join("new.db")).await?;
            Ok(Some(Self {
                database,
                migrated,
                destination: Some(Destination::Cluster {
                    client: client.clone(),
                    folder,
                }),
            }))
        };
        let made = made.await;
        if made.is_err() {
            give_up_claim(client).await;
        }
        made
    }

    async fn of_file(path: &Path) -> Result<Self, DbError> {
        // A dangling link names the path for the new file; an existing file is opened in place.
        if path.exists() || path.is_symlink() {
            return Self::in_place(path).await;
        }
        let begun = begin(path)?;
        match Database::open(&begun).await {
            Ok((database, migrated)) => Ok(Self {
                database,
                migrated,
                destination: Some(Destination::File(path.to_owned())),
            }),
            Err(error) => {
                remove_files(&begun);
                Err(error)
            }
        }
    }

    /// As [`Opening::of`], but a new file has its final name at once.
    ///
    /// # Errors
    /// As [`Database::open`].
    pub async fn at_once(address: &DatabaseAddress) -> Result<Self, DbError> {
        match address {
            DatabaseAddress::File(path) => Self::in_place(path).await,
            DatabaseAddress::Cluster(_) => Self::of(address).await,
        }
    }

    async fn in_place(path: &Path) -> Result<Self, DbError> {
        Ok(Self::existing(Database::open(path).await?))
    }

    /// Closes the database; a new one gets its final name.
    ///
    /// # Errors
    /// [`DbError::Create`] when that is not possible, or when another process has created a file there in the meantime;
    /// that file is left unchanged. [`DbError::Cluster`] when an empty cluster could not be filled.
    pub async fn keep(self) -> Result<(), DbError> {
        self.database.close().await;
        let begun = self.database.path();
        match self.destination {
            None => Ok(()),
            Some(Destination::File(place)) => {
                // Never over a file that is there: that would be somebody's database.
                let named = hard_link(begun, &place).or_else(|error| {
                    if error.kind() == ErrorKind::AlreadyExists || place.exists() {
                        return Err(error);
                    }
                    // The file system does not support links.
                    fs::rename(begun, &place)
                });
                remove_files(begun);
                named.map_err(|reason| DbError::create(&place, reason))
            }
            Some(Destination::Cluster {
                client,
                folder: _folder,
            }) => {
                let bytes = fs::read(begun).map_err(|error| DbError::other(begun, error))?;
                let loaded = client.load(bytes, FIRST_LOAD_WAIT_MAX).await;
                if loaded.is_err() {
                    give_up_claim(&client).await;
                }
                Ok(loaded?)
            }
        }
    }

    /// [`Opening::keep`] if the work with the database succeeded, otherwise [`Opening::leave`].
    ///
    /// # Errors
    /// Those of the work, and of [`Opening::keep`].
    pub async fn end<T, E: From<DbError>>(self, worked: Result<T, E>) -> Result<T, E> {
        if worked.is_ok() {
            self.keep().await?;
        } else {
            self.leave().await;
        }
        worked
    }

    /// Closes the database; a new one is removed, and an empty cluster stays empty.
    pub async fn leave(self) {
        self.database.close().await;
        match &self.destination {
            None => {}
            Some(Destination::File(_)) => remove_files(self.database.path()),
            Some(Destination::Cluster { client, .. }) => give_up_claim(client).await,
        }
    }
}

/// Maximum wait for another process that fills the empty cluster.
const FIRST_LOAD_WAIT_MAX: Duration = Duration::from_mins(2);
/// Table that marks the process that fills the cluster; dropped afterwards.
const CLAIM: &str = "first_load";
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// Whether the cluster is empty and this process now holds the claim. Waits while another process fills it.
async fn claim_if_empty(client: &RqliteClient) -> Result<bool, DbError> {
    let clock = Clock::system();
    let end = clock.monotonic() + FIRST_LOAD_WAIT_MAX;
    let holder = Random::system()
        .hex_128()
        .map_err(|error| ClusterError::Client(error.to_string()))?;
    loop {
        let select = "select exists (select 1 from sqlite_schema where name = ?1), exists (select 1 from sqlite_schema where name = ?2)";
        let select = json!([select, schema::TABLE, CLAIM]);
        let rows = client.query(&select, COMMAND_WAIT_MAX).await?;
        let has = |column: usize| rows.first().and_then(|row| row.get(column)) == Some(&json!(1));
        if has(0) {
            return Ok(false);
        }
        if !has(1) {
            let claim = [
                json!([format!("create table {CLAIM} (holder text not null)")]),
                json!([format!("insert into {CLAIM} values (?)"), holder]),
            ];
            // Another process may have been first. If the answer was lost, the table shows which process it was.
            let _ = client.execute_unmarked(&claim, COMMAND_WAIT_MAX).await;
            let held = json!([format!("select holder from {CLAIM}")]);
            let held = client.query(&held, COMMAND_WAIT_MAX).await?;
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
    let give_up = [json!([format!("drop table if exists {CLAIM}")])];
    if let Err(error) = client.execute_unmarked(&give_up, COMMAND_WAIT_MAX).await {
        tracing::warn!(%error, "cluster.claim_left: the table {CLAIM} of the empty cluster could not be dropped; drop it before the next try");
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Opening;
    use crate::config::DatabaseAddress;
    use crate::storage::DbError;

    #[tokio::test]
    async fn a_database_that_another_process_made_meanwhile_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reviews.db");
        let opening = Opening::of(&DatabaseAddress::File(path.clone()))
            .await
            .unwrap();
        assert!(!path.exists(), "it has its name at the end");
        fs::write(&path, "theirs").unwrap();
        let error = opening.keep().await.unwrap_err();
        assert!(matches!(error, DbError::Create { .. }), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            1,
            "nothing else"
        );
    }
}
