//! `reviews seed`: loads a folder of sample data. Here its two halves meet: the business and reviews, which `imports`
//! writes, and the editorial texts, which are `insights`'.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use super::import::{Console, exit_code, summary};
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::db::{Database, DbError};
use crate::imports::seed::{self, Texts};
use crate::imports::{Report, Watch};
use crate::insights::store as insights;
use crate::insights::{Editorial, Question};

/// Load the sample data of a folder; running it again changes nothing
#[derive(Debug, Args)]
pub struct SeedArgs {
    /// A folder with business.json, reviews.jsonl and, if there are editorial texts, insights.json
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl SeedArgs {
    /// Loads the folder. The exit code is 0, or 1 where some rows were rejected.
    ///
    /// # Errors
    /// Where nothing could be loaded; exit code 2.
    pub async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<ExitCode> {
        let mut console = Console::new(None, &[])?;
        let (database, _) = Database::open(&config.path()?).await?;
        let report = load(&database, clock, &self.folder, &mut console).await;
        database.close().await;
        console.finish()?;
        let report = report?;
        io::stdout().write_all(summary(&report, false).as_bytes()).context("cannot print the result")?;
        Ok(exit_code(&report))
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
    let mut write = database.write().await?;
    let report = seed.write(&mut write, watch).await.map_err(fault)?;
    if let Some(texts) = texts
        && insights::editorial(&mut write).await.map_err(fault)? != texts
    {
        insights::replace_editorial(&mut write, &texts).await.map_err(fault)?;
    }
    write.commit().await.map_err(fault)?;
    Ok(report)
}

fn editorial(texts: Texts) -> Editorial {
    let Texts { summary, faq } = texts;
    let question = |entry: seed::Question| {
        let seed::Question { id, question, answer } = entry;
        Question { id, question, answer }
    };
    Editorial { summary, faq: faq.into_iter().map(question).collect() }
}
