//! The command `reviews respond`: the owner's response to a review, which imports keep.

use std::io;

use anyhow::{Context as _, ensure};
use clap::Args;

use super::database::{Decided, decide};
use super::report::Exit;
use super::show::format_paragraphs;
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::files::read_text_of;
use crate::model::{Day, Response, Unit};
use crate::storage;
use crate::storage::reviews;

/// The limit of an import's texts.
const TEXT_MIB_MAX: u64 = 1;

/// Answer a review, or remove the answer
#[derive(Debug, Args)]
pub struct Respond {
    /// ID of the review, a unique beginning of it, or its permalink
    #[arg(value_name = "ID")]
    id: String,
    /// The answer; - reads standard input
    #[arg(
        value_name = "TEXT",
        required_unless_present = "remove",
        conflicts_with = "remove"
    )]
    text: Option<String>,
    /// Remove the answer
    #[arg(long)]
    remove: bool,
}

impl Respond {
    pub(super) async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        let text = self.text.map(check_answer).transpose()?;
        decide(config, clock, &self.id, async |write, review| {
            reviews::note_decided(write, review, &[Unit::Response]).await?;
            let former = review.response.take();
            let Some(text) = &text else {
                return Ok(match former {
                    None => Decided::Unchanged("has no answer\n".to_owned()),
                    Some(former) => Decided::Changed(format!(
                        "answer removed; imports do not bring it back; {}",
                        format_former(&former)
                    )),
                });
            };
            let business = storage::business::find(write.for_reading())
                .await?
                .unwrap_or_default();
            review.response = Some(Response {
                text: text.clone(),
                date: Day::new(clock.now().with_timezone(&business.time_zone).date_naive()),
                author: None,
            });
            Ok(Decided::Changed(former.map_or_else(
                || "answered\n".to_owned(),
                |former| format!("answer replaced; {}", format_former(&former)),
            )))
        })
        .await
    }
}

/// The former response in full, because it is stored nowhere else.
fn format_former(former: &Response) -> String {
    let on = former
        .date
        .map_or_else(String::new, |day| format!(" of {day}"));
    format!(
        "the previous one{on} was:\n{}",
        format_paragraphs(&former.text)
    )
}

/// The response, read from standard input for `-`.
fn check_answer(mut text: String) -> anyhow::Result<String> {
    if text == "-" {
        let read = read_text_of(io::stdin(), TEXT_MIB_MAX);
        text = read.context("the answer cannot be read from standard input")?;
        text.truncate(text.trim_end_matches(['\r', '\n']).len());
    }
    ensure!(
        text.len() as u64 <= TEXT_MIB_MAX << 20,
        "the answer has more than {TEXT_MIB_MAX} MiB; shorten it"
    );
    ensure!(
        !text.trim().is_empty(),
        "the answer is empty; pass --remove to remove an answer"
    );
    ensure!(
        !text.contains('\0'),
        "the answer has a NUL character; remove it"
    );
    Ok(text)
}
