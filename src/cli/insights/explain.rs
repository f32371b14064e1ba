//! Explains how a review was analyzed.

use clap::Args;

use crate::cli::decision::find;
use crate::cli::{Outcome, say};
use crate::config::DatabaseConfig;
use crate::insights::evaluate::explain;
use crate::insights::{Analyzer, Engines, Subject};
use crate::model::Status;
use crate::storage;
use crate::storage::{Database, DbError};

/// Show the findings of a review: each finding with the sum of its points, each name with its rule
#[derive(Debug, Args)]
pub struct Explain {
    /// ID of the review, a unique beginning of it, or its permalink
    #[arg(value_name = "REVIEW_ID")]
    id: String,
}

impl Explain {
    pub(super) async fn run(
        self,
        database: &DatabaseConfig,
        engines: Engines,
    ) -> anyhow::Result<Outcome> {
        let path = database.path()?;
        let fault = |error| DbError::at(&path, error);
        let readers = Database::open_read_only(&path).await?;
        let mut connection = readers.acquire().await.map_err(fault)?;
        let review = find(&mut connection, &path, &self.id).await?;
        let business = storage::business::find(&mut connection)
            .await
            .map_err(fault)?
            .unwrap_or_default();
        drop(connection);
        readers.close().await;
        let analysis =
            Analyzer::new(&business, &engines.of(&business)).analyze(&Subject::of(&review));
        let note = match review.status {
            Status::Published => "",
            Status::Withheld { .. } => "It is withheld and does not count.\n",
        };
        say(&format!(
            "{}, {}, {} of 5\n{note}\n{}",
            review.id,
            review.date,
            review.rating.stars(),
            explain(&review.text, &analysis)
        ))?;
        Ok(Outcome::Done)
    }
}
