//! The command `reviews publish`: publishes a withheld review, regardless of later imports.

use clap::Args;

use super::decision::Decision;
use super::report::{Exit, report_done};
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::model::{Method, Status, Verification};
use crate::storage::reviews;

/// Publish a withheld review again
#[derive(Debug, Clone, Args)]
pub struct Publish {
    /// ID of the review, a unique beginning of it, or its permalink
    #[arg(value_name = "ID")]
    id: String,
}

impl Publish {
    pub(super) async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        let mut decision = Decision::open(config, &self.id).await?;
        let id = decision.review.id.clone();
        let reason = match &decision.review.status {
            Status::Published => {
                reviews::note_published(&mut decision.write, &decision.review).await?;
                decision.commit().await?;
                return Ok(report_done(&format!(
                    "{id}: is already published; imports keep it published\n"
                )));
            }
            Status::Withheld { reason } => {
                reason.clone().unwrap_or_else(|| "not stated".to_owned())
            }
        };
        let mut vouched = "";
        if !decision.review.verification.verified {
            // Only verified reviews are published; publishing one by hand verifies it.
            decision.review.verification = Verification {
                verified: true,
                method: Method::Manual,
                verified_at: Some(clock.now()),
            };
            vouched = "; it was not verified, so it is now marked as verified by you (manual)";
        }
        decision.review.status = Status::Published;
        reviews::note_published(&mut decision.write, &decision.review).await?;
        decision.save(clock).await?;
        Ok(report_done(&format!(
            "{id}: published; was withheld ({reason}){vouched}\n"
        )))
    }
}
