//! `reviews seed`: loads a folder of sample data. Here its two halves meet: the business and reviews, which `imports`
//! writes, and the editorial texts, which are `insights`'.

use std::path::{Path, PathBuf};

use clap::Args;

use super::import::{Console, outcome};
use super::report::summary;
use super::{Outcome, report_done};
use crate::business;
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::db::{Database, DbError};
use crate::imports::seed::{self, Texts};
use crate::imports::{Report, Watch};
use crate::insights::store as insights;
use crate::insights::{Editorial, Question};
use crate::reviews::store as reviews;

/// Load the sample data of a folder; running it again changes nothing
#[derive(Debug, Args)]
pub struct Seed {
    /// A folder with business.json, reviews.jsonl and, if there are editorial texts, insights.json
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Seed {
    /// Loads the folder. Says whether some rows were rejected.
    ///
    /// # Errors
    /// Where nothing could be loaded.
    pub(super) async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Outcome> {
        let mut console = Console::new(None);
        let (database, _) = Database::open(&config.path()?).await?;
        let report = load(&database, clock, &self.folder, &mut console).await;
        database.close().await;
        console.finish()?;
        let report = report?;
        report_done(&summary(&report, false));
        Ok(outcome(&report))
    }
}

/// Loads the sample data in `folder`, all of it in one transaction.
///
/// # Errors
/// Where the folder is not as it should be, or the database fails; nothing was changed then.
pub async fn load(database: &Database, clock: &Clock, folder: &Path, watch: &mut (dyn Watch + Send)) -> anyhow::Result<Report> {
    let fault = |error| DbError::at(database.path(), error);
    let mut seed = seed::read(folder, clock, watch)?;
    let texts = seed.texts.take().map(editorial);
    let mut write = database.write_long(clock).await?;
    let report = seed.write(&mut write, watch).await.map_err(fault)?;
    if let Some(texts) = texts
        && insights::editorial(&mut write).await.map_err(fault)? != texts
    {
        insights::replace_editorial(&mut write, &texts).await.map_err(fault)?;
    }
    write.commit().await.map_err(fault)?;
    Ok(report)
}

/// Loads the sample data in `folder`, unless there is a business or a review already.
///
/// # Errors
/// As [`load`].
pub(super) async fn load_if_empty(database: &Database, clock: &Clock, folder: &Path) -> anyhow::Result<()> {
    let fault = |error| DbError::at(database.path(), error);
    let mut connection = database.readers().acquire().await.map_err(fault)?;
    let has_business = business::find(&mut connection).await.map_err(fault)?.is_some();
    let has_reviews = reviews::newest_change(&mut connection).await.map_err(fault)? > 0;
    drop(connection);
    if has_business || has_reviews {
        tracing::info!("seed.skipped: the database has data already; `reviews seed DIR` loads it all the same");
        return Ok(());
    }
    let mut console = Console::new(None);
    let report = load(database, clock, folder, &mut console).await;
    console.finish()?;
    report_done(&summary(&report?, false));
    Ok(())
}

fn editorial(texts: Texts) -> Editorial {
    let Texts { summary, faq } = texts;
    let question = |entry: seed::Question| {
        let seed::Question { id, question, answer } = entry;
        Question { id, question, answer }
    };
    Editorial { summary, faq: faq.into_iter().map(question).collect() }
}
