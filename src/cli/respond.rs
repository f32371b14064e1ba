//! The command `reviews respond`: the owner's response to a review, which imports keep.

use std::io::Read;

use anyhow::{Context, ensure};
use clap::Args;

use super::decision::Decision;
use super::report::{Exit, report_done};
use super::show::paragraphs;
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::model::{Day, Response};
use crate::storage;

/// The limit of an import's texts.
const TEXT_BYTES_MAX: u64 = 1 << 20;

/// Answer a review, or remove the answer
#[derive(Debug, Clone, Args)]
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
    pub(super) fn reads_input(&self) -> bool {
        self.text.as_deref() == Some("-")
    }

    pub(super) async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        let text = self.text.map(given).transpose()?;
        let mut decision = Decision::open(config, &self.id).await?;
        let id = decision.review.id.clone();
        let former = decision.review.response.take();
        let Some(text) = text else {
            let Some(former) = former else {
                decision.leave().await;
                return Ok(report_done(&format!("{id}: has no answer\n")));
            };
            decision.save(clock).await?;
            return Ok(report_done(&format!(
                "{id}: answer removed; imports do not bring it back; {}",
                told(&former)
            )));
        };
        let business = storage::business::find(&mut decision.write).await?;
        let business = business.unwrap_or_default();
        let date = Day::new(clock.now().with_timezone(&business.time_zone).date_naive());
        decision.review.response = Some(Response {
            text,
            date,
            author: None,
        });
        decision.save(clock).await?;
        Ok(report_done(&former.map_or_else(
            || format!("{id}: answered\n"),
            |former| format!("{id}: answer replaced; {}", told(&former)),
        )))
    }
}

/// The former response in full, because it is stored nowhere else.
fn told(former: &Response) -> String {
    let on = former
        .date
        .map_or_else(String::new, |day| format!(" of {day}"));
    format!("the previous one{on} was:\n{}", paragraphs(&former.text))
}

/// The response, read from standard input for `-`.
fn given(text: String) -> anyhow::Result<String> {
    let text = if text == "-" {
        let mut read = String::new();
        std::io::stdin()
            .take(TEXT_BYTES_MAX + 1)
            .read_to_string(&mut read)
            .context("the answer cannot be read from standard input")?;
        read.trim_end_matches(['\n', '\r']).to_owned()
    } else {
        text
    };
    ensure!(
        text.len() as u64 <= TEXT_BYTES_MAX,
        "the answer has more than {TEXT_BYTES_MAX} bytes; shorten it"
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
