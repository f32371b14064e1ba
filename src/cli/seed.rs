//! The command `reviews seed`: loads a folder of sample data.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use super::database::repeat_if_overtaken;
use super::import::{Console, Faults, exit_of, summary};
use super::report::{Exit, print_report};
use crate::clock::Clock;
use crate::config::DatabaseConfig;
pub use crate::imports::load_sample as load;
use crate::imports::{Outcome, Rejection, Watch};
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
        let mut console = Console::new(None);
        let opening = Opening::open(&config.address()?).await?;
        let report = load(&opening.database, clock, &self.folder, &mut console).await;
        let report = opening.finish(report).await;
        console.finish(report.is_ok())?;
        let report = report?;
        print_report(&summary(&report, false));
        Ok(exit_of(&report))
    }
}

/// Logs rejected rows, because the service's output must not block.
impl Watch for Faults {
    fn rejected(&mut self, rejection: Rejection) -> io::Result<()> {
        if let Some(line) = self.shown(&rejection) {
            tracing::warn!("seed.rejected: {line}");
        }
        Ok(())
    }
}

/// Loads the sample data in `folder` into an empty database; returns the report, or `None` if there is a business or a
/// review.
///
/// # Errors
/// Those of [`load`], and if the database cannot be read.
pub(super) async fn load_if_empty(
    database: &Database,
    clock: &Clock,
    folder: &Path,
) -> anyhow::Result<Option<String>> {
    let mut connection = database.reader().await?;
    let state = sample_state(&mut connection).await?;
    drop(connection);
    if state != SampleState::Empty {
        tracing::info!(
            "seed.skipped: the database has reviews or a business, so the sample data was not loaded; `reviews seed DIR` merges it \
             into sample data"
        );
        return Ok(None);
    }
    // Another node may do the same; the second one finds the data.
    let report = repeat_if_overtaken(async || {
        let mut faults = Faults::default();
        let loaded = load(database, clock, folder, &mut faults).await;
        for line in faults.counted() {
            tracing::warn!("seed.rejected: {line}");
        }
        Ok(loaded?)
    })
    .await?;
    tracing::info!(
        new = report.count(Outcome::New),
        rejected = report.count(Outcome::Rejected),
        "seed.loaded: the database was empty and now has the sample data"
    );
    Ok(Some(summary(&report, false)))
}
