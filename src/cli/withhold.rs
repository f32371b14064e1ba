//! The commands `reviews withhold` and `reviews publish`: whether a review is shown, regardless of later imports.

use anyhow::ensure;
use clap::Args;

use super::database::{Decided, decide};
use super::report::Exit;
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::model::{Method, Status, Unit, Verification};
use crate::storage::Write;
use crate::storage::reviews::{self, ReviewCopy};

/// A longer reason is published as "too long".
const REASON_BYTES_MAX: usize = 1_000;

const NOTE_BYTES_MAX: usize = 10_000;
/// Maximum number of copies that are named.
const COPIES_MAX: usize = 20;

/// Withhold a review: it is not shown, only counted under its reason
#[derive(Debug, Args)]
pub struct Withhold {
    /// ID of the review, a unique beginning of it, or its permalink
    #[arg(value_name = "ID")]
    id: String,
    /// The reason: public, with the number of reviews withheld for it
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// A note for yourself; never published
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
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
        let note = self
            .note
            .as_deref()
            .map(str::trim)
            .filter(|note| !note.is_empty());
        ensure!(
            note.is_none_or(|note| note.len() <= NOTE_BYTES_MAX),
            "--note may have at most {NOTE_BYTES_MAX} bytes; shorten it"
        );
        let status = Status::withheld(reason);
        decide(config, clock, &self.id, async |write, review| {
            reviews::note_decided(write, review, &[Unit::Status]).await?;
            let id = review.id.clone();
            if note.is_some() {
                reviews::set_note(write, id.as_str(), note).await?;
            }
            let noted = if note.is_some() { "; the note is not public" } else { "" };
            let copies = format_copies(write, id.as_str()).await?;
            if review.status == status {
                return Ok(Decided::Unchanged(format!(
                    "is already withheld ({reason}); imports keep it withheld{noted}\n{copies}"
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
            Ok(Decided::Changed(format!(
                "withheld ({reason}){was}; the reason is public{noted}; imports keep it withheld, `reviews publish {id}` publishes \
                 it again\n{copies}"
            )))
        })
        .await
    }
}

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

/// The copies of a review that are published, a line each: other sources gave the same author, day, stars and text.
pub(super) async fn format_copies(write: &mut Write, id: &str) -> sqlx::Result<String> {
    let copies = reviews::copies_of(write.for_reading(), &[id]).await?;
    let published = copies
        .iter()
        .filter(|copy| copy.status == Status::Published);
    let line = |copy: &ReviewCopy| {
        format!(
            "{} of {} has the same author, day and text, and is published\n",
            copy.id, copy.source_name
        )
    };
    Ok(published.take(COPIES_MAX).map(line).collect())
}
