//! What the commands that decide about one review have in common: finding it, writing it, and saying so.

use std::path::Path;

use anyhow::Context as _;
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
        let opening = open(config).await?;
        let database = opening.database();
        let mut write = database.write_as_owner().await?;
        let path = database.path().to_owned();
        let found = find(&mut write, &path, given).await;
        match found {
            Ok(review) => Ok(Self {
                opening,
                write,
                review,
            }),
            Err(error) => {
                drop(write);
                opening.leave().await;
                Err(error)
            }
        }
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

/// The review that `given` names.
pub(super) async fn find(
    connection: &mut SqliteConnection,
    path: &Path,
    given: &str,
) -> anyhow::Result<Review> {
    let id = row_id(connection, path, given).await?;
    let found = reviews::find(connection, &id).await;
    found
        .map_err(|error| DbError::at(path, error))?
        .with_context(|| {
            format!("the review {id} cannot be read; `reviews check` says what is wrong")
        })
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
