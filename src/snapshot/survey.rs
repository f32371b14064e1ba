//! What a snapshot would be rendered from now, for whoever only looks.

use std::sync::Arc;

use sqlx::SqliteConnection;

use super::backlog::Backlog;
use super::entry_loader::EntryLoader;
use super::input::SnapshotInput;
use super::staff::Staff;
use crate::business;
use crate::insights::{Analyzer, Engines};
use crate::links::Links;
use crate::reviews::store::withheld;

/// All that a snapshot would be rendered from now, and how many analyses for it are not kept:
/// nothing is written, and nobody is told.
///
/// # Errors
/// When the database cannot be read.
pub async fn survey(
    connection: &mut SqliteConnection,
    engines: &Engines,
    links: &Links,
) -> sqlx::Result<(SnapshotInput, usize)> {
    let business = business::find(&mut *connection).await?.unwrap_or_default();
    let editorial = business::editorial(&mut *connection).await?;
    let withheld = withheld(&mut *connection).await?;
    let analyzer = Arc::new(Analyzer::new(&business, &engines.of(&business)));
    let backlog = Backlog::default();
    let (staff, business) = Staff::load(&mut *connection, business, Vec::new()).await?;
    let staff = Arc::new(staff);
    let mut loader = EntryLoader::new(
        connection,
        Arc::clone(&analyzer),
        Arc::clone(&staff),
        links,
        &backlog,
    );
    let review_index = loader.all().await?;
    let behind = loader.into_loaded().analyzed.len() + review_index.count_unanalyzed();
    Ok((
        SnapshotInput {
            review_index,
            business,
            editorial,
            withheld,
            first_links: None,
            staff,
            next_analyzer: Arc::clone(&analyzer),
            analyzer,
        },
        behind,
    ))
}
