//! The commands `reviews withhold`, `publish`, `reply`, `anonymize` and `delete`: the owner's decisions about one review, which imports
//! keep.

use anyhow::{Context as _, anyhow, ensure};
use chrono_tz::Tz;
use clap::Args;
use sqlx::SqliteConnection;

use super::database::{
    change, existing_address, find_known, find_review, read, resolve_id, unreadable,
};
use super::list::{format_review, indent};
use super::report::Exit;
use super::session::Session;
use crate::config::{DatabaseConfig, read_text_of};
use crate::imports::find_undo_command;
use crate::model::business::TEXT_BYTES_MAX;
use crate::model::text::check_text;
use crate::model::{ANONYMOUS, Day, Method, Reply, Review, Status, Unit, Verification};
use crate::storage::business::time_zone;
use crate::storage::reviews::{self, KnownReview};
use crate::storage::{Database, Erased, REWRITE_AT_ONCE_MAX, Write};

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
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        let reason = check_reason(&self.reason)?;
        let note = self.note.as_deref().map(str::trim);
        let note = note.filter(|note| !note.is_empty());
        let checked = note.map_or(Ok(()), |note| check_text(note, TEXT_BYTES_MAX));
        checked.map_err(|fault| anyhow!("--note {fault}"))?;
        let status = Status::withheld(reason);
        change_review(config, session, &self.id, async |write, review| {
            reviews::note_decided(write, review, &[Unit::Status]).await?;
            let id = review.id.clone();
            if note.is_some() {
                reviews::set_note(write, id.as_str(), note).await?;
            }
            review.status = status.clone();
            Ok(format!(
                "withheld ({reason}); the reason is public, a note is not; imports keep it withheld, `reviews publish {id}` publishes it \
                 again\n"
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
    check_text(reason, REASON_BYTES_MAX).map_err(|fault| anyhow!("--reason {fault}"))?;
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
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        change_review(config, session, &self.id, async |write, review| {
            reviews::note_decided(write, review, &[Unit::Status]).await?;
            let mut vouched = "";
            if review.verification.method.is_none() {
                reviews::note_decided(write, review, &[Unit::Verification]).await?;
                review.verification = Verification {
                    method: Some(Method::Manual),
                    verified_at: Some(session.clock.now()),
                };
                vouched = "; it was not verified, so now you vouch for it (manual)";
            }
            review.status = Status::Published;
            reviews::set_note(write, review.id.as_str(), None).await?;
            let kept = "published; imports keep it published until its source does, too";
            Ok(format!("{kept}{vouched}\n"))
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
    session: &Session,
    name: &str,
    decide: impl AsyncFn(&mut Write, &mut Review) -> anyhow::Result<String>,
) -> anyhow::Result<Exit> {
    change(&existing_address(config)?, session, async |database| {
        let mut write = database.write_as_owner().await?;
        let before = find_review(write.reader(), name).await?;
        let mut review = before.clone();
        let report = decide(&mut write, &mut review).await?;
        if review != before {
            let now = session.clock.now();
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
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        let text = self
            .text
            .map(|text| check_reply(text, session))
            .transpose()?;
        change_review(config, session, &self.id, async |write, review| {
            reviews::note_decided(write, review, &[Unit::Reply]).await?;
            // In full, because it is stored nowhere else.
            let former = review.reply.take().map(|former| indent(&former.text));
            let former = former.map(|it| format!("; the previous one was:\n{it}"));
            let former = former.unwrap_or_else(|| "\n".to_owned());
            let Some(text) = &text else {
                return Ok(format!("has no reply, and imports bring none back{former}"));
            };
            let zone = time_zone(write.reader()).await?.unwrap_or(Tz::UTC);
            review.reply = Some(Reply {
                text: text.clone(),
                date: Day::new(session.clock.now().with_timezone(&zone).date_naive()),
                author: None,
            });
            Ok(format!("replied{former}"))
        })
        .await
    }
}

/// The reply, read from standard input for `-`.
fn check_reply(mut text: String, session: &Session) -> anyhow::Result<String> {
    if text == "-" {
        let read = read_text_of(session.input.take());
        text = read.context("the reply cannot be read from standard input")?;
        text.truncate(text.trim_end_matches(['\r', '\n']).len());
    }
    ensure!(
        !text.trim().is_empty(),
        "the reply is empty; pass --remove to remove a reply"
    );
    check_text(&text, TEXT_BYTES_MAX).map_err(|fault| anyhow!("the reply {fault}"))?;
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
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        change(&existing_address(config)?, session, async |database| {
            let mut write = database.write_as_owner().await?;
            let review = find_review(write.reader(), &self.id).await?;
            let id = review.id.clone();
            reviews::anonymize(&mut write, review, session.clock.now()).await?;
            write.commit().await?;
            let traces = erase_traces(database).await?;
            Ok(format!(
                "{id}: by {ANONYMOUS}, the name is gone, {traces}; imports do not bring it back\ntitle, text and reply stay as they \
                 were written, also where they have the name\n{COPIES}"
            ))
        })
        .await
    }
}

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
    pub(super) async fn run(
        self,
        config: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        let reason = self.reason.as_deref().map(check_reason).transpose()?;
        let mut named = self.id;
        if !self.yes {
            // Before the write transaction, so that other writers do not wait for the answer.
            let find = async |reader: &mut SqliteConnection| {
                let (id, known) = find_known(reader, &named).await?;
                let source = known.as_ref().map_or("", KnownReview::source_name);
                let undo = find_undo_command(reader, &id, source).await?;
                anyhow::Ok((id, known, undo))
            };
            let (id, known, undo) = read(config, find).await?;
            let undo = undo.map_or_else(String::new, |undo| {
                format!("; {undo} takes back the import that brought it, which counts nothing")
            });
            let counted = format!(
                "/transparency counts deleted reviews by source and reason, for ever{undo}"
            );
            ensure!(
                session.can_ask(),
                "nothing was deleted; {counted}; add --yes to delete {id} without being asked"
            );
            let shown = known
                .as_ref()
                .map_or_else(|| unreadable(&id).to_string(), format_review);
            let question =
                format!("{shown}\n{counted}.\nDelete this review and every trace of it?");
            if !session.confirm(&question)? {
                return Ok(session.print_report("nothing was deleted\n"));
            }
            // Another one may have that beginning by now.
            named = id;
        }
        change(&existing_address(config)?, session, async |database| {
            let mut write = database.write_as_owner().await?;
            let id = resolve_id(write.reader(), &named).await?;
            let zone = time_zone(write.reader()).await?.unwrap_or(Tz::UTC);
            let day = Day::new(session.clock.now().with_timezone(&zone).date_naive());
            reviews::delete_by_owner(&mut write, &id, day, reason).await?;
            write.commit().await?;
            let traces = erase_traces(database).await?;
            Ok(format!(
                "{id}: deleted, {traces}; imports do not bring it back unless you pass `--restore`\n/transparency counts it as deleted \
                 ({})\n{COPIES}",
                reason.unwrap_or("not stated")
            ))
        })
        .await
    }
}

/// What an erasure does not reach.
const COPIES: &str = "backups, and a file that `reviews restore` kept, may still contain it; remove those yourself\n";

/// Erases what the database no longer has from its file, and says how far.
///
/// # Errors
/// If that fails after the command has done its work.
pub(super) async fn erase_traces(database: &Database) -> anyhow::Result<&'static str> {
    let erased = database.erase_traces(REWRITE_AT_ONCE_MAX).await.context(
        "it is done, but unused parts of the file still contain the text; `reviews serve` erases that within an hour",
    )?;
    Ok(match erased {
        Erased::Done => "and erased from the file",
        Erased::FromTables => {
            "and erased from the tables; each node's log keeps it until its next snapshot"
        }
        Erased::Later => {
            "but unused parts of the file still contain it: the file is larger than 64 MiB, in use, or on a full disk; \
             `reviews serve` erases that within an hour"
        }
    })
}
