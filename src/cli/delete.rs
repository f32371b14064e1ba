//! `reviews delete`: a review is gone, with everything that was kept of it, and later imports leave it so.

use anyhow::Context as _;
use clap::Args;

use super::decision::Decision;
use super::{Outcome, report_done};
use crate::config::DatabaseConfig;
use crate::model::ReviewId;
use crate::storage::reviews;
use crate::storage::{DbError, Erased, Postponed};

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
        reviews::delete(&mut write, &review.id)
            .await
            .map_err(fault)?;
        write.commit().await.map_err(fault)?;
        let erased = database.erase_traces_or_leave_them().await.with_context(|| {
            format!(
                "{} is deleted, but unused parts of the file still have what it said; `reviews serve` erases that within an hour",
                self.id
            )
        })?;
        opening.keep().await?;
        let traces = match erased {
            Erased::Nothing | Erased::All => "nothing of it is left in the file".to_owned(),
            Erased::ButNodes => {
                "nothing of it is left in the tables; each node's log keeps it until rqlited takes its next snapshot".to_owned()
            }
            Erased::Later(why) => {
                let free = if let Postponed::NoRoom { .. } = why {
                    "free some, and "
                } else {
                    ""
                };
                format!(
                    "but unused parts of the file still have what it said: {why}; {free}`reviews serve` erases that within an hour"
                )
            }
        };
        report_done(&format!(
            "{}: deleted, {traces}; imports leave it so, but for `--restore`\n",
            self.id
        ));
        Ok(Outcome::Done)
    }
}
