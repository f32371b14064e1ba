//! `reviews withhold`: a review does not appear any more, whatever later imports say.

use anyhow::ensure;
use clap::Args;

use super::decision::Decision;
use super::{Outcome, report_done};
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::model::{ReviewId, Status};

/// Withhold a review: it does not appear, and is counted under its reason
#[derive(Debug, Clone, Args)]
pub struct Withhold {
    /// Its id
    #[arg(value_name = "ID")]
    id: ReviewId,
    /// Why; published as a count beside the other reasons
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

impl Withhold {
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        clock: &Clock,
    ) -> anyhow::Result<Outcome> {
        let reason = self.reason.trim();
        ensure!(
            !reason.is_empty(),
            "--reason is empty; say why the review is withheld"
        );
        let mut decision = Decision::open(config, &self.id).await?;
        let status = Status::Withheld {
            reason: Some(reason.to_owned()),
        };
        if decision.review.status == status {
            decision.leave().await;
            report_done(&format!("{}: was withheld already ({reason})\n", self.id));
            return Ok(Outcome::Done);
        }
        decision.review.status = status;
        decision.save(clock).await?;
        report_done(&format!(
            "{}: withheld ({reason}); imports leave it so, `reviews publish {}` shows it again\n",
            self.id, self.id
        ));
        Ok(Outcome::Done)
    }
}
