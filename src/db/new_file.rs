//! A database that is there only once something has been written into it: a command that fails, or that was asked only to
//! look, leaves no new file behind (CONTRACT §1). It is made under another name beside the place that it shall have, and
//! gets its name when all is written, so that not even a process that is killed leaves half a database there.

use std::fs::{hard_link, remove_file};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::DbError;
use super::{Database, files};
use crate::hash::hex;
use crate::random::Random;

/// A database that a command writes into, and that is made by it where there is none.
#[derive(Debug)]
pub struct Opening {
    database: Database,
    /// Where it shall be, if it is new.
    place: Option<PathBuf>,
}

impl Opening {
    /// Opens the database at `path`, or begins a new one.
    ///
    /// # Errors
    /// As [`Database::open`].
    pub async fn of(path: &Path) -> Result<Self, DbError> {
        // A link that leads nowhere yet says where the file is wished; what is there already is opened as it is.
        if path.exists() || path.is_symlink() {
            let (database, _) = Database::open(path).await?;
            return Ok(Self {
                database,
                place: None,
            });
        }
        let begun = beside(path)?;
        match Database::open(&begun).await {
            Ok((database, _)) => Ok(Self {
                database,
                place: Some(path.to_owned()),
            }),
            Err(error) => {
                remove(&begun);
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

    /// The open database; while it is new, under a temporary name.
    #[must_use]
    pub const fn database(&self) -> &Database {
        &self.database
    }

    /// Closes it; a new one gets its name.
    ///
    /// # Errors
    /// [`DbError::Create`] where that is not possible, among others because another process has made one there meanwhile;
    /// that is left as it is then, and nothing else is left.
    pub async fn keep(self) -> Result<(), DbError> {
        self.database.close().await;
        let Some(place) = self.place else {
            return Ok(());
        };
        let begun = self.database.path();
        // Never over a file that is there: that would be somebody's database.
        let named = hard_link(begun, &place).or_else(|error| {
            if error.kind() == ErrorKind::AlreadyExists || place.exists() {
                return Err(error);
            }
            // A file system without links.
            std::fs::rename(begun, &place)
        });
        remove(begun);
        named.map_err(|reason| DbError::Create {
            path: place,
            reason,
        })
    }

    /// Closes it; of a new one nothing is left.
    pub async fn leave(self) {
        self.database.close().await;
        if self.place.is_some() {
            remove(self.database.path());
        }
    }
}

/// A name beside `path` that nothing has.
fn beside(path: &Path) -> Result<PathBuf, DbError> {
    let random = Random::system()
        .bytes_16()
        .map_err(|reason| DbError::Create {
            path: path.to_owned(),
            reason,
        })?;
    let suffix = hex(&random[..4]);
    Ok(files::beside(path, &format!(".new-{suffix}")))
}

/// Takes away what a database at `path` left; what is not there needs not be.
fn remove(path: &Path) {
    for file in files(path) {
        if let Err(error) = remove_file(&file)
            && error.kind() != ErrorKind::NotFound
        {
            tracing::warn!(file = %file.display(), %error, "database.leftover: a file that was begun cannot be taken away");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Opening;
    use crate::db::DbError;

    #[tokio::test]
    async fn a_database_that_another_process_made_meanwhile_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reviews.db");
        let opening = Opening::of(&path).await.unwrap();
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
