//! What the database says of the reviews besides the published ones, for [`super::read_transparency`].

use futures_util::TryStreamExt as _;
use sqlx::SqliteConnection;

use super::entries::Entries;
use crate::imports::Format;
use crate::model::{RatingCounts, ReviewId, Unit};
use crate::storage::reviews::{Reasons, load_formats};
use crate::storage::transparency::{
    StoredSource, deleted, source_values_of_published, stored_sources, withheld_by_owner,
};

#[derive(Debug)]
pub struct StoredFigures {
    pub sources: Vec<StoredSource>,
    pub deleted: Reasons,
    /// The stars of the reviews that the owner withheld.
    pub withheld: RatingCounts,
    pub changed_by_business: u64,
}

impl StoredFigures {
    /// Reads them from the state of the database that has these entries.
    pub async fn read(connection: &mut SqliteConnection, entries: &Entries) -> sqlx::Result<Self> {
        let formats = load_formats(connection).await?;
        let formats = formats.values().filter_map(|it| Format::parse(it).ok());
        let blocks = formats.flat_map(|format| format.public);
        let reasons = blocks.filter_map(|block| block.reason).collect();
        Ok(Self {
            sources: stored_sources(connection).await?,
            deleted: deleted(connection).await?,
            withheld: withheld_by_owner(connection, reasons).await?,
            changed_by_business: count_changed(entries, connection).await?,
        })
    }
}

/// The number of published reviews with other stars, another day, author, title or text than their source last reported.
async fn count_changed(entries: &Entries, connection: &mut SqliteConnection) -> sqlx::Result<u64> {
    let mut changed = 0;
    let mut statements = source_values_of_published(connection);
    while let Some((id, last_statement)) = statements.try_next().await? {
        let id = id.parse::<ReviewId>().ok();
        let is_changed = id.and_then(|id| entries.find(&id)).is_some_and(|at| {
            let review = &entries[at].review;
            [
                Unit::Rating,
                Unit::Date,
                Unit::Author,
                Unit::Title,
                Unit::Text,
            ]
            .into_iter()
            .any(|unit| last_statement.compare(unit, review) == Some(false))
        });
        changed += u64::from(is_changed);
    }
    Ok(changed)
}
