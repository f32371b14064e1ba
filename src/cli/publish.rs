//! The command `reviews publish`: publishes a withheld review, regardless of later imports.

use clap::Args;

use super::database::{Decided, decide};
use super::report::Exit;
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::model::{Method, Status, Unit, Verification};
use crate::storage::reviews;

/// Publish a withheld review again
#[derive(Debug, Args)]
pub struct Publish {
    /// ID of the review, a unique beginning of it, or its permalink
    #[arg(value_name = "ID")]
    id: String,
}

impl Publish {
    pub(super) async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        decide(config, clock, &self.id, async |write, review| {
            // Only verified reviews are published, so the verification is decided, too.
            let decided = [Unit::Status, Unit::Verification];
            reviews::note_decided(write, review, &decided).await?;
            let reason = match &review.status {
                Status::Published => {
                    let report = "is already published; the next import keeps it published\n";
                    return Ok(Decided::Unchanged(report.to_owned()));
                }
                Status::Withheld { reason } => {
                    reason.clone().unwrap_or_else(|| "not stated".to_owned())
                }
            };
            let mut vouched = "";
            if !review.verification.verified {
                // Only verified reviews are published; publishing one by hand verifies it.
                review.verification = Verification {
                    verified: true,
                    method: Method::Manual,
                    verified_at: Some(clock.now()),
                };
                vouched = "; it was not verified, so it is now marked as verified by you (manual)";
            }
            review.status = Status::Published;
            reviews::set_note(write, review.id.as_str(), None).await?;
            Ok(Decided::Changed(format!(
                "published; was withheld ({reason}){vouched}\n"
            )))
        })
        .await
    }
}
