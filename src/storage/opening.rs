//! Opens a database at an address, and creates new ones. A new file appears only once it has content: a command that
//! fails or writes nothing leaves no file behind. It is created under a temporary name in the same folder and renamed at
//! the end, so that even a killed process leaves no partial database.

use std::fs;
use std::fs::hard_link;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;

use super::error::DbError;
use super::files::{begin, remove_files};
use super::schema::Migrated;
use super::{COMMAND_WAIT_MAX, Database};
use crate::config::DatabaseAddress;

impl Database {
    /// Opens the database at `address`, creates it if there is none, and migrates it. On a cluster a write is retried for
    /// `wait_max`.
    pub async fn open_at(
        address: &DatabaseAddress,
        wait_max: Duration,
    ) -> Result<(Self, Migrated), DbError> {
        match address {
            DatabaseAddress::File(path) => Self::open(path).await,
            DatabaseAddress::Cluster(cluster) => Self::join_cluster(cluster, wait_max).await,
        }
    }
}

/// A database that a command writes to, created if there is none.
#[derive(Debug)]
pub struct Opening {
    /// A new file has a temporary name.
    pub database: Database,
    /// The final path of a new file.
    destination: Option<PathBuf>,
}

impl Opening {
    /// Opens the database at `address`, or begins a new file.
    ///
    /// # Errors
    /// As [`Database::open`].
    pub async fn of(address: &DatabaseAddress) -> Result<Self, DbError> {
        let path = match address {
            // A dangling link names the path for the new file; an existing file is opened in place.
            DatabaseAddress::File(path) if !path.exists() && !path.is_symlink() => path,
            DatabaseAddress::File(_) | DatabaseAddress::Cluster(_) => {
                let (database, _) = Database::open_at(address, COMMAND_WAIT_MAX).await?;
                return Ok(Self {
                    database,
                    destination: None,
                });
            }
        };
        let begun = begin(path)?;
        match Database::open(&begun).await {
            Ok((database, _)) => Ok(Self {
                database,
                destination: Some(path.clone()),
            }),
            Err(error) => {
                remove_files(&begun);
                Err(error)
            }
        }
    }

    /// Closes the database; a new file gets its final name.
    ///
    /// # Errors
    /// [`DbError::Create`] when that is not possible, or when another process has created a file there in the meantime;
    /// that file is left unchanged.
    pub async fn keep(self) -> Result<(), DbError> {
        self.database.close().await;
        let Some(place) = self.destination else {
            return Ok(());
        };
        let begun = self.database.path();
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

    /// Closes the database; a new file is removed.
    pub async fn leave(self) {
        self.database.close().await;
        if self.destination.is_some() {
            remove_files(self.database.path());
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
    async fn a_database_created_by_another_process_is_not_changed() {
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
