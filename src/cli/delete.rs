//! `reviews delete`: a review is gone, with everything that was kept of it, and later imports leave it so.

use clap::Args;

use super::decision::Decision;
use super::{Outcome, report_done};
use crate::config::DatabaseConfig;
use crate::db::{DbError, Erased};
use crate::reviews::{ReviewId, store};

/// Delete a review and every trace of it; imports do not bring it back
#[derive(Debug, Clone, Args)]
pub struct Delete {
    /// Its id
    #[arg(value_name = "ID")]
    id: ReviewId,
}

impl Delete {
    pub(super) async fn run(self, config: &DatabaseConfig) -> anyhow::Result<Outcome> {
        let Decision {
            opening,
            mut write,
            review,
        } = Decision::open(config, &self.id).await?;
        let database = opening.database();
        let fault = |error| DbError::at(database.path(), error);
        store::delete(&mut write, &review.id).await.map_err(fault)?;
        write.commit().await.map_err(fault)?;
        let erased = database.erase_traces().await?;
        opening.keep().await?;
        let traces = match erased {
            Erased::Nothing | Erased::All => "nothing of it is left in the file",
            Erased::ButNodes => {
                "nothing of it is left in the tables; each node's rqlited forgets it with its next snapshot"
            }
            Erased::ButLog => {
                "somebody uses the database, and its log still has it: `reviews serve` erases it within a minute"
            }
        };
        report_done(&format!(
            "{}: deleted, {traces}; imports leave it so, but for `--restore`\n",
            self.id
        ));
        Ok(Outcome::Done)
    }
}
