//! The commands `reviews withhold`, `publish`, `reply`, `anonymize` and `delete`: the owner's decisions about one review, which imports
//! keep.

use std::io;

use anyhow::{Context as _, ensure};
use chrono_tz::Tz;
use clap::Args;
use sqlx::SqliteConnection;

use super::database::{change, existing_address, find_known, find_review, read, resolve_id};
use super::list::{draw_stars, format_paragraphs, shorten};
use super::report::{Exit, can_ask, confirm, print_report};
use crate::clock::Clock;
use crate::config::{DatabaseConfig, read_text_of};
use crate::model::business::TEXT_BYTES_MAX;
use crate::model::{ANONYMOUS, Day, Method, Reply, Review, Status, Unit, Verification};
use crate::storage::business::time_zone;
use crate::storage::reviews::{self, KnownReview};
use crate::storage::{Erased, REWRITE_AT_ONCE_MAX, Write};

/// A longer reason is published as "too long".
const REASON_BYTES_MAX: usize = 1_000;

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
        let reason = check_reason(&self.reason)?;
        let note = self
            .note
            .as_deref()
            .map(str::trim)
            .filter(|note| !note.is_empty());
        let status = Status::withheld(reason);
        change_review(config, clock, &self.id, async |write, review| {
            reviews::note_decided(write, review, &[Unit::Status]).await?;
            let id = review.id.clone();
            if note.is_some() {
                reviews::set_note(write, id.as_str(), note).await?;
            }
            let noted = if note.is_some() { "; the note is not public" } else { "" };
            if review.status == status {
                return Ok(format!(
                    "is already withheld ({reason}); imports keep it withheld{noted}\n"
                ));
            }
            let was = match &review.status {
                Status::Published => String::new(),
                Status::Withheld { reason } => format!(
                    ", was withheld before ({})",
                    reason.as_deref().unwrap_or("no reason stated")
                ),
            };
            review.status = status.clone();
            Ok(format!(
                "withheld ({reason}){was}; the reason is public{noted}; imports keep it withheld, `reviews publish {id}` publishes \
                 it again\n"
            ))
        })
        .await
    }
}

/// A reason that is published, without blanks around it.
fn check_reason(reason: &str) -> anyhow::Result<&str> {
    let reason = reason.trim();
    ensure!(
        !reason.is_empty(),
        "--reason is empty; give the reason for withholding or deleting the review"
    );
    ensure!(
        reason.len() <= REASON_BYTES_MAX,
        "--reason has {} bytes and may have at most {REASON_BYTES_MAX}; shorten it",
        reason.len()
    );
    Ok(reason)
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
        change_review(config, clock, &self.id, async |write, review| {
            let decided: &[Unit] = match review.verification.method {
                Some(_) => &[Unit::Status],
                None => &[Unit::Status, Unit::Verification],
            };
            reviews::note_decided(write, review, decided).await?;
            let reason = match &review.status {
                Status::Published => {
                    let report = "is already published; the next import keeps it published\n";
                    return Ok(report.to_owned());
                }
                Status::Withheld { reason } => {
                    reason.clone().unwrap_or_else(|| "not stated".to_owned())
                }
            };
            let mut vouched = "";
            if review.verification.method.is_none() {
                review.verification = Verification {
                    method: Some(Method::Manual),
                    verified_at: Some(clock.now()),
                };
                vouched = "; it was not verified, so now you vouch for it (manual)";
            }
            review.status = Status::Published;
            reviews::set_note(write, review.id.as_str(), None).await?;
            Ok(format!("published; was withheld ({reason}){vouched}\n"))
        })
        .await
    }
}

/// Lets `decide` change the review that `name` names, stores it if it changed, and prints the report of `decide` after its ID.
/// Other statements of `decide` are committed in any case.
///
/// # Errors
/// If there is no database or no such review, or the database cannot be written; then nothing is changed.
async fn change_review(
    config: &DatabaseConfig,
    clock: &Clock,
    name: &str,
    decide: impl AsyncFn(&mut Write, &mut Review) -> anyhow::Result<String>,
) -> anyhow::Result<Exit> {
    change(&existing_address(config)?, async |database| {
        let mut write = database.write_as_owner().await?;
        let before = find_review(write.for_reading(), name).await?;
        let mut review = before.clone();
        let report = decide(&mut write, &mut review).await?;
        if review != before {
            let now = clock.now();
            // It increases with every change.
            review.updated_at = review.updated_at.max(Some(now));
            reviews::upsert(&mut write, std::slice::from_ref(&review), now).await?;
        }
        write.commit().await?;
        Ok(format!("{}: {report}", review.id))
    })
    .await
}

/// Reply to a review, or remove the reply
#[derive(Debug, Args)]
pub struct ReplyCommand {
    /// ID of the review, a unique beginning of it, or its permalink
    #[arg(value_name = "ID")]
    id: String,
    /// The reply; - reads standard input
    #[arg(
        value_name = "TEXT",
        required_unless_present = "remove",
        conflicts_with = "remove"
    )]
    text: Option<String>,
    /// Remove the reply
    #[arg(long)]
    remove: bool,
}

impl ReplyCommand {
    pub(super) async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        let text = self.text.map(check_reply).transpose()?;
        change_review(config, clock, &self.id, async |write, review| {
            reviews::note_decided(write, review, &[Unit::Reply]).await?;
            let former = review.reply.take();
            let Some(text) = &text else {
                return Ok(match former {
                    None => "has no reply\n".to_owned(),
                    Some(former) => format!(
                        "reply removed; imports do not bring it back; {}",
                        format_former(&former)
                    ),
                });
            };
            let zone = time_zone(write.for_reading()).await?.unwrap_or(Tz::UTC);
            review.reply = Some(Reply {
                text: text.clone(),
                date: Day::new(clock.now().with_timezone(&zone).date_naive()),
                author: None,
            });
            Ok(former.map_or_else(
                || "replied\n".to_owned(),
                |former| format!("reply replaced; {}", format_former(&former)),
            ))
        })
        .await
    }
}

/// The former reply in full, because it is stored nowhere else.
fn format_former(former: &Reply) -> String {
    let on = former
        .date
        .map_or_else(String::new, |day| format!(" of {day}"));
    format!(
        "the previous one{on} was:\n{}",
        format_paragraphs(&former.text)
    )
}

/// The reply, read from standard input for `-`.
fn check_reply(mut text: String) -> anyhow::Result<String> {
    if text == "-" {
        let read = read_text_of(io::stdin());
        text = read.context("the reply cannot be read from standard input")?;
        text.truncate(text.trim_end_matches(['\r', '\n']).len());
    }
    ensure!(
        text.len() <= TEXT_BYTES_MAX,
        "the reply has more than {TEXT_BYTES_MAX} bytes; shorten it"
    );
    ensure!(
        !text.trim().is_empty(),
        "the reply is empty; pass --remove to remove a reply"
    );
    ensure!(
        !text.contains('\0'),
        "the reply has a NUL character; remove it"
    );
    Ok(text)
}

/// Take the author's name from a review and every trace of it: the review stays, and imports do not bring the name back
#[derive(Debug, Args)]
pub struct Anonymize {
    /// ID of the review, a unique beginning of it, or its permalink
    #[arg(value_name = "ID")]
    id: String,
}

impl Anonymize {
    pub(super) async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        change(&existing_address(config)?, async |database| {
            let mut write = database.write_as_owner().await?;
            let review = find_review(write.for_reading(), &self.id).await?;
            let id = review.id.clone();
            reviews::anonymize(&mut write, review, clock.now()).await?;
            write.commit().await?;
            let erased = database.erase_traces(REWRITE_AT_ONCE_MAX).await.with_context(|| {
                format!(
                    "{id} is anonymized, but unused parts of the file still contain the name; `reviews serve` erases that within an hour"
                )
            })?;
            let traces = format_erased(erased);
            Ok(format!(
                "{id}: by {ANONYMOUS}, the name is gone, {traces}; imports do not bring it back\ntitle, text and reply stay as they \
                 were written, also where they have the name\n{COPIES}"
            ))
        })
        .await
    }
}

/// Characters of the text in the confirmation question.
const SHOWN_CHARACTERS: usize = 300;

/// Delete a review and every trace of it; imports do not bring it back. /transparency counts deleted reviews by source and reason
#[derive(Debug, Args)]
pub struct Delete {
    /// ID of the review, a unique beginning of it, or its permalink
    #[arg(value_name = "ID")]
    id: String,
    /// The reason: public for ever, with the number of reviews deleted for it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

impl Delete {
    pub(super) async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        let reason = self.reason.as_deref().map(check_reason).transpose()?;
        if !self.yes {
            // Before the write transaction, so that other writers do not wait for the answer.
            let find = async |reader: &mut SqliteConnection| {
                let (id, known) = find_known(reader, &self.id).await?;
                let can_undo = reviews::can_undo(reader, &id).await?;
                anyhow::Ok((id, known, can_undo))
            };
            let (id, known, can_undo) = read(config, find).await?;
            let counted = format_counted(can_undo);
            ensure!(
                can_ask(),
                "nothing was deleted; {counted}; add --yes to delete {id} without being asked"
            );
            let review = known.as_ref().and_then(KnownReview::review);
            if !confirm(&format_question(&id, review, &counted))? {
                return Ok(print_report("nothing was deleted\n"));
            }
        }
        change(&existing_address(config)?, async |database| {
            let mut write = database.write_as_owner().await?;
            let id = resolve_id(write.for_reading(), &self.id).await?;
            let zone = time_zone(write.for_reading()).await?.unwrap_or(Tz::UTC);
            let day = Day::new(clock.now().with_timezone(&zone).date_naive());
            reviews::delete_by_owner(&mut write, &id, day, reason).await?;
            write.commit().await?;
            let erased = database.erase_traces(REWRITE_AT_ONCE_MAX).await.with_context(|| {
                format!(
                    "{id} is deleted, but unused parts of the file still contain its text; `reviews serve` erases that within an hour"
                )
            })?;
            let traces = format_erased(erased);
            Ok(format!(
                "{id}: deleted, {traces}; imports do not bring it back unless you pass `--restore`\n/transparency counts it as deleted \
                 ({})\n{COPIES}",
                reason.unwrap_or("not stated")
            ))
        })
        .await
    }
}

/// That deletions are counted, and what takes an import back without.
fn format_counted(can_undo: bool) -> String {
    let undo = if can_undo {
        "; `reviews undo` takes back the import that brought it, which counts nothing"
    } else {
        ""
    };
    format!("/transparency counts deleted reviews by source and reason, for ever{undo}")
}

fn format_question(id: &str, review: Option<&Review>, counted: &str) -> String {
    let question = match review {
        Some(review) => format!(
            "{}  {}  {}\n{}",
            draw_stars(review.rating.stars()),
            review.date,
            review.author,
            format_paragraphs(&shorten(&review.text, SHOWN_CHARACTERS))
        ),
        None => "It cannot be read; `reviews check` reports why.\n".to_owned(),
    };
    format!("{id}\n{question}{counted}.\nDelete this review and every trace of it?")
}

/// What an erasure does not reach.
const COPIES: &str = "backups, and a file that `reviews restore` kept, may still contain it; remove those yourself\n";

/// The result of erasing traces.
pub(super) const fn format_erased(erased: Erased) -> &'static str {
    match erased {
        Erased::Done => "and erased from the file",
        Erased::FromTables => {
            "and erased from the tables; each node's log keeps it until its next snapshot"
        }
        Erased::Later => {
            "but unused parts of the file still contain it: the file is larger than 64 MiB, in use, or on a full disk; \
             `reviews serve` erases that within an hour"
        }
    }
}
