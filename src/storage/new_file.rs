//! A new database that appears only once it has content: a command that fails or writes nothing leaves no file behind.
//! The file is created under a temporary name in the same folder and renamed at the end, so that even a killed process
//! leaves no partial database.

use std::fs::hard_link;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::DbError;
use super::files::{remove_files, unused_name};
use super::first_load::FirstLoad;
use super::rqlite::{COMMAND_WAIT_MAX, RqliteClient};
use super::{Database, Migrated};
use crate::config::{ClusterAddress, DatabaseAddress};

/// A database that a command writes to, created if there is none.
#[derive(Debug)]
pub struct Opening(NewFileKind);

#[derive(Debug)]
enum NewFileKind {
    File {
        database: Database,
        migrated: Migrated,
        /// The final path of a new file.
        place: Option<PathBuf>,
    },
    /// An empty cluster.
    FirstLoad(FirstLoad),
    Cluster {
        database: Database,
        migrated: Migrated,
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
        if let Some(load) = FirstLoad::of(&client).await? {
            return Ok(Self(NewFileKind::FirstLoad(load)));
        }
        let mut migrated = Migrated::default();
        let wait_max = COMMAND_WAIT_MAX;
        let database = Database::join_cluster(address, client, wait_max, &mut migrated).await?;
        Ok(Self(NewFileKind::Cluster { database, migrated }))
    }

    async fn of_file(path: &Path) -> Result<Self, DbError> {
        // A dangling link names the path for the new file; an existing file is opened in place.
        if path.exists() || path.is_symlink() {
            return Self::in_place(path).await;
        }
        let begun = unused_name(path)?;
        match Database::open(&begun).await {
            Ok((database, migrated)) => Ok(Self(NewFileKind::File {
                database,
                migrated,
                place: Some(path.to_owned()),
            })),
            Err(error) => {
                remove_files(&begun);
                if let DbError::Create { path: _, reason } = error {
                    return Err(DbError::Create {
                        path: path.to_owned(),
                        reason,
                    });
                }
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
        let (database, migrated) = Database::open(path).await?;
        Ok(Self(NewFileKind::File {
            database,
            migrated,
            place: None,
        }))
    }

    /// A new database has a temporary name.
    #[must_use]
    pub const fn database(&self) -> &Database {
        match &self.0 {
            NewFileKind::File { database, .. } | NewFileKind::Cluster { database, .. } => database,
            NewFileKind::FirstLoad(load) => &load.database,
        }
    }

    #[must_use]
    pub const fn migrated(&self) -> &Migrated {
        match &self.0 {
            NewFileKind::File { migrated, .. } | NewFileKind::Cluster { migrated, .. } => migrated,
            NewFileKind::FirstLoad(load) => &load.migrated,
        }
    }

    /// Closes the database; a new one gets its final name.
    ///
    /// # Errors
    /// [`DbError::Create`] when that is not possible, or when another process has created a file there in the meantime;
    /// that file is left unchanged. [`DbError::Cluster`] when an empty cluster could not be filled.
    pub async fn keep(self) -> Result<(), DbError> {
        let (database, place) = match self.0 {
            NewFileKind::FirstLoad(load) => return load.keep().await,
            NewFileKind::Cluster { database, .. } => (database, None),
            NewFileKind::File {
                database, place, ..
            } => (database, place),
        };
        database.close().await;
        let Some(place) = place else {
            return Ok(());
        };
        let begun = database.path();
        // Never over a file that is there: that would be somebody's database.
        let named = hard_link(begun, &place).or_else(|error| {
            if error.kind() == ErrorKind::AlreadyExists || place.exists() {
                return Err(error);
            }
            // The file system does not support links.
            std::fs::rename(begun, &place)
        });
        remove_files(begun);
        named.map_err(|reason| DbError::Create {
            path: place,
            reason,
        })
    }

    /// Closes the database; a new one is removed.
    pub async fn leave(self) {
        match self.0 {
            NewFileKind::FirstLoad(load) => load.leave().await,
            NewFileKind::Cluster { database, .. } => database.close().await,
            NewFileKind::File {
                database, place, ..
            } => {
                database.close().await;
                if place.is_some() {
                    remove_files(database.path());
                }
            }
        }
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
