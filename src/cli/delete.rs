//! The command `reviews delete`: erases a review with everything stored about it; imports do not bring it back.

use std::path::PathBuf;

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use clap::Args;
use sqlx::SqliteConnection;

use super::database::{change, existing_address, find_known, read, resolve_id};
use super::report::{Exit, can_ask, confirm, print_report};
use super::show::{draw_stars, format_paragraphs, shorten};
use super::withhold::format_copies;
use crate::config::DatabaseConfig;
use crate::model::Review;
use crate::storage::reviews::{self, KnownReview};
use crate::storage::{Database, Erased, Postponed};

/// Maximum number of characters of the text in the confirmation question.
const WORDS_MAX: usize = 300;

/// Delete a review and every trace of it; imports do not bring it back
#[derive(Debug, Args)]
pub struct Delete {
    /// ID of the review, a unique beginning of it, or its permalink
    #[arg(value_name = "ID")]
    id: String,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

impl Delete {
    pub(super) async fn run(self, config: &DatabaseConfig) -> anyhow::Result<Exit> {
        if !self.yes && can_ask() {
            // Before the write transaction, so that other writers do not wait for the answer.
            let find = async |reader: &mut SqliteConnection| find_known(reader, &self.id).await;
            let (id, known) = read(config, find).await?;
            let review = known.as_ref().and_then(KnownReview::review);
            if !confirm(&format_question(&id, review))? {
                return Ok(print_report("nothing was deleted\n"));
            }
        }
        change(&existing_address(config)?, async |database| {
            let mut write = database.write_as_owner().await?;
            let id = resolve_id(write.for_reading(), &self.id).await?;
            let same = format_copies(&mut write, &id).await?;
            reviews::delete_all(&mut write, &[&id]).await?;
            write.commit().await?;
            let erased = database.try_to_erase_traces().await.with_context(|| {
                format!(
                    "{id} is deleted, but unused parts of the file still contain its text; `reviews serve` erases that within an hour"
                )
            })?;
            let traces = format_erased(erased, database);
            let copies = format_copies_beside(&database.copies()?);
            Ok(format!(
                "{id}: deleted, {traces}; imports do not bring it back unless you pass `--restore`\n{same}{copies}"
            ))
        })
        .await
    }
}

fn format_question(id: &str, review: Option<&Review>) -> String {
    let question = match review {
        Some(review) => format!(
            "{}  {}  {}\n{}",
            draw_stars(review.rating.stars()),
            review.date,
            review.author,
            format_paragraphs(&shorten(&review.text, WORDS_MAX))
        ),
        None => "It cannot be read; `reviews check` reports why.\n".to_owned(),
    };
    format!("{id}\n{question}Delete this review and every trace of it?")
}

/// A note on each copy of the database, which still contains the review.
fn format_copies_beside(copies: &[(PathBuf, DateTime<Utc>)]) -> String {
    copies.iter().fold(String::new(), |text, (path, until)| {
        text + &format!(
            "{} may still contain it; a running `reviews serve` removes that copy after {}, or remove it now yourself\n",
            path.display(),
            until.format("%Y-%m-%d %H:%M UTC")
        )
    })
}

/// The result of erasing traces of `database`.
pub(super) fn format_erased(erased: Erased, database: &Database) -> String {
    match erased {
        Erased::Done if database.has_nodes() => {
            "and erased from the tables; each node's log keeps it until its next snapshot"
                .to_owned()
        }
        Erased::Done => "and erased from the file".to_owned(),
        Erased::Later(why) => {
            let free = if let Postponed::NoRoom { .. } = why {
                "free some, and "
            } else {
                ""
            };
            format!(
                "but unused parts of the file still contain its text: {why}; {free}`reviews serve` erases that within an hour"
            )
        }
    }
}
