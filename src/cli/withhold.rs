//! The command `reviews withhold`: withholds a review, regardless of later imports.

use anyhow::ensure;
use clap::Args;

use super::decision::Decision;
use super::report::{Exit, report_done};
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::model::Status;

/// Withhold a review: it is not shown, only counted under its reason
#[derive(Debug, Clone, Args)]
pub struct Withhold {
    /// ID of the review, a unique beginning of it, or its permalink
    #[arg(value_name = "ID")]
    id: String,
    /// The reason; published with the number of reviews withheld for it
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

impl Withhold {
    pub(super) async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        let reason = self.reason.trim();
        ensure!(
            !reason.is_empty(),
            "--reason is empty; give the reason for withholding the review"
        );
        let mut decision = Decision::open(config, &self.id).await?;
        let id = decision.review.id.clone();
        let status = Status::withheld(reason);
        if decision.review.status == status {
            decision.leave().await;
            return Ok(report_done(&format!(
                "{id}: is already withheld ({reason})\n"
            )));
        }
        let was = match &decision.review.status {
            Status::Published => String::new(),
            Status::Withheld { reason } => format!(
                ", was withheld before ({})",
                reason.as_deref().unwrap_or("no reason stated")
            ),
        };
        decision.review.status = status;
        decision.save(clock).await?;
        Ok(report_done(&format!(
            "{id}: withheld ({reason}){was}; imports keep it withheld, `reviews publish {id}` publishes it again\n"
        )))
    }
}
