//! The command `reviews withhold`: withholds a review, regardless of later imports.

use anyhow::ensure;
use clap::Args;

use super::database::{Decided, decide};
use super::report::Exit;
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::model::Status;
use crate::storage::reviews;

/// A longer reason is published as "too long".
const REASON_BYTES_MAX: usize = 1_000;

/// Withhold a review: it is not shown, only counted under its reason
#[derive(Debug, Args)]
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
        ensure!(
            reason.len() <= REASON_BYTES_MAX,
            "--reason has {} bytes and may have at most {REASON_BYTES_MAX}; shorten it",
            reason.len()
        );
        let status = Status::withheld(reason);
        decide(config, clock, &self.id, async |write, review| {
            reviews::note_status_decided(write, review).await?;
            if review.status == status {
                return Ok(Decided::Unchanged(format!(
                    "is already withheld ({reason}); imports keep it withheld\n"
                )));
            }
            let was = match &review.status {
                Status::Published => String::new(),
                Status::Withheld { reason } => format!(
                    ", was withheld before ({})",
                    reason.as_deref().unwrap_or("no reason stated")
                ),
            };
            review.status = status.clone();
            let id = &review.id;
            Ok(Decided::Changed(format!(
                "withheld ({reason}){was}; imports keep it withheld, `reviews publish {id}` publishes it again\n"
            )))
        })
        .await
    }
}
