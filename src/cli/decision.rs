//! What the commands that decide about one review have in common: finding it, writing it, and saying so.

use std::path::Path;

use sqlx::SqliteConnection;

use super::review_argument::row_id;
use crate::clock::Clock;
use crate::config::{DatabaseAddress, DatabaseConfig};
use crate::model::Review;
use crate::storage::reviews;
use crate::storage::{DbError, Opening, Write};

/// A database opened to decide about one review.
pub(super) struct Decision {
    pub(super) opening: Opening,
    pub(super) write: Write,
    pub(super) review: Review,
}

impl Decision {
    /// Opens the database and finds the review.
    ///
    /// # Errors
    /// Where there is no database, or no such review.
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

    /// Writes the review as it is now, and closes the database.
    ///
    /// # Errors
    /// When the database refuses it; nothing was changed then.
    pub(super) async fn save(mut self, clock: &Clock) -> anyhow::Result<()> {
        let now = clock.now();
        let fault = |error| DbError::at(self.opening.database().path(), error);
        // It moves with every change, and never goes back.
        self.review.updated_at = self.review.updated_at.max(Some(now));
        reviews::upsert(&mut self.write, std::slice::from_ref(&self.review), now)
            .await
            .map_err(fault)?;
        self.commit().await
    }

    /// Notes that the owner published the review as it is now, whatever sources say afterwards.
    ///
    /// # Errors
    /// When the database refuses it; nothing was changed then.
    pub(super) async fn note_published(&mut self) -> anyhow::Result<()> {
        reviews::note_published(&mut self.write, &self.review)
            .await
            .map_err(|error| DbError::at(self.opening.database().path(), error))?;
        Ok(())
    }

    /// Closes the database with all that was written.
    ///
    /// # Errors
    /// When the database refuses it; nothing was changed then.
    pub(super) async fn commit(self) -> anyhow::Result<()> {
        let path = self.opening.database().path().to_owned();
        let committed = self.write.commit().await;
        committed.map_err(|error| DbError::at(&path, error))?;
        self.opening.keep().await?;
        Ok(())
    }

    /// Closes the database, nothing written.
    pub(super) async fn leave(self) {
        drop(self.write);
        self.opening.leave().await;
    }
}

/// A database opened to decide about a row, whether or not a review can be made of it.
pub(super) struct NamedRow {
    pub(super) opening: Opening,
    pub(super) write: Write,
    pub(super) id: String,
    /// `None` where no review can be made of the row.
    pub(super) review: Option<Review>,
}

impl NamedRow {
    /// Opens the database and finds the row.
    ///
    /// # Errors
    /// Where there is no database, or no such row.
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
/// Where there is none, or it cannot be read.
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

/// What is said of a row that no review can be made of.
pub(super) fn unreadable(id: &str) -> anyhow::Error {
    anyhow::anyhow!("the review {id} cannot be read; `reviews check` reports what is wrong")
}

/// Opens a database that is there already: a command about what is in it makes none.
///
/// # Errors
/// Where there is none.
pub(super) async fn open(config: &DatabaseConfig) -> anyhow::Result<Opening> {
    let address = config.address()?;
    if let DatabaseAddress::File(path) = &address
        && !path.exists()
    {
        return Err(DbError::Missing(path.clone()).into());
    }
    Ok(Opening::at_once(&address).await?)
}
