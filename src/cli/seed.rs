//! The command `reviews seed`: loads a folder of sample data.

use std::path::{Path, PathBuf};

use clap::Args;

use super::database::repeat_if_overtaken;
use super::import::{Console, exit_of, summary};
use super::report::{Exit, print_report};
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::imports::ImportReport;
pub use crate::imports::load_sample as load;
use crate::storage::business::{SampleState, sample_state};
use crate::storage::{Database, Opening};

/// Load the sample data of a folder; running it again changes nothing
#[derive(Debug, Args)]
pub struct SeedCommand {
    /// A folder with business.json, reviews.jsonl and, if there are editorial texts, editorial.json
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl SeedCommand {
    /// Loads the folder; [`Exit::SomeRejected`] if rows were rejected or doubtful.
    ///
    /// # Errors
    /// If nothing could be loaded.
    pub(super) async fn run(&self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        let opening = Opening::open(&config.address()?).await?;
        let loaded = load_and_show(&opening.database, clock, &self.folder).await;
        Ok(exit_of(&opening.finish(loaded).await?))
    }
}

/// Loads the folder, and prints what came of it.
async fn load_and_show(
    database: &Database,
    clock: &Clock,
    folder: &Path,
) -> anyhow::Result<ImportReport> {
    let mut console = Console::new(None);
    let report = load(database, clock, folder, &mut console).await;
    console.finish(report.is_ok())?;
    let report = report?;
    print_report(&summary(&report, false));
    Ok(report)
}

/// Loads the sample data in `folder`, unless there is a business or a review.
///
/// # Errors
/// Those of [`load`], and if the database cannot be read.
pub(super) async fn load_if_empty(
    database: &Database,
    clock: &Clock,
    folder: &Path,
) -> anyhow::Result<()> {
    if sample_state(&mut *database.reader().await?).await? != SampleState::Empty {
        tracing::info!(
            "seed.skipped: the database has reviews or a business, so the sample data was not loaded; `reviews seed DIR` merges it \
             into sample data"
        );
        return Ok(());
    }
    // Another node may do the same; the second one finds the data.
    let load = repeat_if_overtaken(|| load_and_show(database, clock, folder));
    load.await.map(drop)
}
