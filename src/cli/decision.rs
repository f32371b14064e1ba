//! Common parts of the commands that decide about one review: finding, writing and reporting it.

use std::path::Path;

use sqlx::SqliteConnection;

use super::review_argument::row_id;
use crate::clock::Clock;
use crate::config::{DatabaseAddress, DatabaseConfig};
use crate::model::Review;
use crate::storage::reviews;
use crate::storage::{DbError, Opening, Write};

/// An open database and the review to decide about.
pub(super) struct Decision {
    pub(super) opening: Opening,
    pub(super) write: Write,
    pub(super) review: Review,
}

impl Decision {
    /// Opens the database and finds the review.
    ///
    /// # Errors
    /// If there is no database or no such review.
    pub(super) async fn open(config: &DatabaseConfig, given: &str) -> anyhow::Result<Self> {
        let NamedRow {
            opening,
            write,
            id,
            review,
        } = NamedRow::open(config, given).await?;
        if let Some(review) = review {
            return Ok(Self {
                opening,
                write,
                review,
            });
        }
        drop(write);
        opening.leave().await;
        Err(unreadable(&id))
    }

    /// Writes the review and closes the database.
    ///
    /// # Errors
    /// If the database cannot be written; then nothing is changed.
    pub(super) async fn save(mut self, clock: &Clock) -> anyhow::Result<()> {
        let now = clock.now();
        let fault = |error| DbError::at(self.opening.database().path(), error);
        // It increases with every change.
        self.review.updated_at = self.review.updated_at.max(Some(now));
        reviews::upsert(&mut self.write, std::slice::from_ref(&self.review), now)
            .await
            .map_err(fault)?;
        self.commit().await
    }

    /// Records that the owner published this version of the review, so that imports keep it.
    ///
    /// # Errors
    /// If the database cannot be written; then nothing is changed.
    pub(super) async fn note_published(&mut self) -> anyhow::Result<()> {
        reviews::note_published(&mut self.write, &self.review)
            .await
            .map_err(|error| DbError::at(self.opening.database().path(), error))?;
        Ok(())
    }

    /// Commits and closes the database.
    ///
    /// # Errors
    /// If the database cannot be written; then nothing is changed.
    pub(super) async fn commit(self) -> anyhow::Result<()> {
        let path = self.opening.database().path().to_owned();
        let committed = self.write.commit().await;
        committed.map_err(|error| DbError::at(&path, error))?;
        self.opening.keep().await?;
        Ok(())
    }

    /// Closes the database without a change.
    pub(super) async fn leave(self) {
        drop(self.write);
        self.opening.leave().await;
    }
}

/// An open database and a row that may be an invalid review.
pub(super) struct NamedRow {
    pub(super) opening: Opening,
    pub(super) write: Write,
    pub(super) id: String,
    /// `None` if the row is not a valid review.
    pub(super) review: Option<Review>,
}

impl NamedRow {
    /// Opens the database and finds the row.
    ///
    /// # Errors
    /// If there is no database or no such row.
    pub(super) async fn open(config: &DatabaseConfig, given: &str) -> anyhow::Result<Self> {
        let opening = open(config).await?;
        let database = opening.database();
        let mut write = database.write_as_owner().await?;
        let path = database.path().to_owned();
        match find_row(&mut write, &path, given).await {
            Ok((id, review)) => Ok(Self {
                opening,
                write,
                id,
                review,
            }),
            Err(error) => {
                drop(write);
                opening.leave().await;
                Err(error)
            }
        }
    }
}

/// The review that `given` names.
///
/// # Errors
/// If there is none, or it is invalid.
pub(super) async fn find(
    connection: &mut SqliteConnection,
    path: &Path,
    given: &str,
) -> anyhow::Result<Review> {
    let (id, review) = find_row(connection, path, given).await?;
    review.ok_or_else(|| unreadable(&id))
}

async fn find_row(
    connection: &mut SqliteConnection,
    path: &Path,
    given: &str,
) -> anyhow::Result<(String, Option<Review>)> {
    let id = row_id(connection, path, given).await?;
    let found = reviews::find(connection, &id).await;
    let review = found.map_err(|error| DbError::at(path, error))?;
    Ok((id, review))
}

/// The error for a row that is not a valid review.
pub(super) fn unreadable(id: &str) -> anyhow::Error {
    anyhow::anyhow!("the review {id} cannot be read; `reviews check` reports what is wrong")
}

/// Opens an existing database.
///
/// # Errors
/// If there is none.
pub(super) async fn open(config: &DatabaseConfig) -> anyhow::Result<Opening> {
    let address = config.address()?;
    if let DatabaseAddress::File(path) = &address
        && !path.exists()
    {
        return Err(DbError::Missing(path.clone()).into());
    }
    Ok(Opening::at_once(&address).await?)
}
