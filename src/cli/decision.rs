//! What the commands that decide about one review have in common: finding it, writing it, and saying so.

use anyhow::bail;

use crate::clock::Clock;
use crate::config::{DatabaseAddress, DatabaseConfig};
use crate::model::{Review, ReviewId};
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
    pub(super) async fn open(config: &DatabaseConfig, id: &ReviewId) -> anyhow::Result<Self> {
        let opening = open(config).await?;
        let database = opening.database();
        let mut write = database.write_as_owner().await?;
        let found = reviews::find(&mut write, id)
            .await
            .map_err(|error| DbError::at(database.path(), error))?;
        let Some(review) = found else {
            let known = reviews::standing(&mut write, &[id.as_str()])
                .await
                .map_err(|error| DbError::at(database.path(), error))?;
            drop(write);
            opening.leave().await;
            if known.deleted.contains(id.as_str()) {
                bail!(
                    "the review {id} was deleted; `reviews import FILE --restore` brings it back from a file that has it"
                );
            }
            bail!(
                "there is no review {id}; `sqlite3 FILE \"select review_id from review\"` lists them"
            );
        };
        Ok(Self {
            opening,
            write,
            review,
        })
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
