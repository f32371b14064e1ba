//! The command `reviews seed`: loads a folder of sample data. It combines the business and reviews, which `imports`
//! writes, with the editorial texts.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use super::import::{Console, outcome};
use super::report::{Faults, summary};
use super::{OVERTAKEN_MAX, Outcome, is_overtaken, report_done};
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::imports::seed;
use crate::imports::{ImportReport, Rejection, Watch};
use crate::storage;
use crate::storage::business::sample;
use crate::storage::{Database, DbError, Opening};

/// Load the sample data of a folder; running it again changes nothing
#[derive(Debug, Clone, Args)]
pub struct Seed {
    /// A folder with business.json, reviews.jsonl and, if there are editorial texts, editorial.json
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Seed {
    /// Loads the folder; [`Outcome::SomeRejected`] if rows were rejected or undecided.
    ///
    /// # Errors
    /// If nothing could be loaded.
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        clock: &Clock,
    ) -> anyhow::Result<Outcome> {
        let mut console = Console::new(None);
        let opening = Opening::of(&config.address()?).await?;
        let report = load(opening.database(), clock, &self.folder, &mut console).await;
        if report.is_ok() {
            opening.keep().await?;
        } else {
            opening.leave().await;
        }
        console.finish()?;
        let report = report?;
        report_done(&summary(&report, false));
        Ok(outcome(&report))
    }
}

/// Loads the sample data in `folder` in one transaction.
///
/// # Errors
/// If the folder is invalid or the database fails; then nothing is changed.
pub async fn load(
    database: &Database,
    clock: &Clock,
    folder: &Path,
    watch: &mut (dyn Watch + Send),
) -> anyhow::Result<ImportReport> {
    let fault = |error| DbError::at(database.path(), error);
    let mut seed = seed::read(folder, clock, watch)?;
    let editorial = seed.editorial.take();
    let mut write = database.write_long(clock).await?;
    match sample::state(&mut write).await.map_err(fault)? {
        sample::SampleState::Empty | sample::SampleState::Alone => {
            sample::note(&mut write, false).await.map_err(fault)?;
        }
        sample::SampleState::Mixed | sample::SampleState::Own => anyhow::bail!(
            "the database {} holds a business's own data, which is not mixed with sample data; nothing was changed; set \
             DATABASE_URL to another file for the sample",
            database.path().display()
        ),
    }
    let report = seed.write(&mut write, watch).await.map_err(fault)?;
    if let Some(editorial) = editorial
        && storage::business::editorial(&mut write)
            .await
            .map_err(fault)?
            != editorial
    {
        storage::business::replace_editorial(&mut write, &editorial)
            .await
            .map_err(fault)?;
    }
    write.commit().await.map_err(fault)?;
    Ok(report)
}

/// Logs rejected rows, because the service's output must not block.
#[derive(Default)]
struct Logged(Faults);

impl Watch for Logged {
    fn read(&mut self, _: u64) {}

    fn rejected(&mut self, rejection: Rejection) -> io::Result<()> {
        if let Some(line) = self.0.shown(&rejection) {
            tracing::warn!("seed.rejected: {line}");
        }
        Ok(())
    }

    fn written(&mut self, _: usize, _: usize) {}
}

/// Loads the sample data in `folder` into an empty database; returns the report, or `None` if there is a business or a
/// review.
///
/// # Errors
/// Those of [`load`].
pub(super) async fn load_if_empty(
    database: &Database,
    clock: &Clock,
    folder: &Path,
) -> anyhow::Result<Option<String>> {
    let fault = |error| DbError::at(database.path(), error);
    let mut connection = database.readers().acquire().await.map_err(fault)?;
    let state = sample::state(&mut connection).await.map_err(fault)?;
    drop(connection);
    match state {
        sample::SampleState::Empty => {}
        sample::SampleState::Alone => {
            tracing::info!(
                "seed.skipped: the database already has sample data; `reviews seed DIR` merges the folder into it"
            );
            return Ok(None);
        }
        sample::SampleState::Mixed | sample::SampleState::Own => {
            tracing::info!(
                "seed.skipped: the database has reviews or a business of your own, so the sample data was not loaded"
            );
            return Ok(None);
        }
    }
    // Another node may do the same; the second one finds the data.
    for _ in 0..OVERTAKEN_MAX {
        let mut logged = Logged::default();
        let loaded = load(database, clock, folder, &mut logged).await;
        for line in logged.0.counted() {
            tracing::warn!("seed.rejected: {line}");
        }
        match loaded {
            Err(error) if is_overtaken(&error) => {}
            loaded => {
                let report = loaded?;
                tracing::info!(
                    new = report.written.new,
                    rejected = report.rejected,
                    "seed.loaded: the database was empty and now has the sample data"
                );
                return Ok(Some(summary(&report, false)));
            }
        }
    }
    Ok(None)
}
