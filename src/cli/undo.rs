//! The command `reviews undo`: reverts an import.

use std::fmt::Write as _;

use chrono_tz::Tz;
use clap::Args;

use super::database::{change, existing_address};
use super::decisions::erase_traces;
use super::import::summary;
use super::report::Exit;
use super::status::run_line;
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::imports::{Outcome, Undone, composed, undo};
use crate::storage::AtPath as _;
use crate::storage::business::time_zone;

/// Undo the newest import of a source: remove the reviews that it added, and give all others their former values
#[derive(Debug, Args)]
pub struct UndoCommand {
    /// The source whose newest import is undone [default: the one that was last imported by hand]
    #[arg(long, value_name = "NAME", value_parser = composed)]
    source: Option<String>,
    /// Report what would be done, without changing anything
    #[arg(long)]
    dry_run: bool,
}

impl UndoCommand {
    pub(super) async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        change(&existing_address(config)?, async |database| {
            let undone = undo(database, clock, self.source.as_deref(), self.dry_run).await?;
            let mut reader = database.reader().await?;
            let zone = time_zone(&mut reader).await.at(database.path())?;
            let zone = zone.unwrap_or_default();
            drop(reader);
            let count = |outcome| undone.report.count(outcome);
            let is_erased = count(Outcome::Removed) + count(Outcome::DeletedAgain) > 0;
            let mut text = format_undone(&undone, self.dry_run, zone);
            if is_erased && !self.dry_run {
                let traces = erase_traces(database).await?;
                let _ = writeln!(text, "the removed reviews are gone, {traces}");
            }
            Ok(text)
        })
        .await
    }
}

fn format_undone(undone: &Undone, is_dry_run: bool, zone: Tz) -> String {
    let (run, report) = (&undone.run, &undone.report);
    let mut text = format!("{}\n{}", run_line(run, zone), summary(report, is_dry_run));
    if let Some(entry) = &run.sync_entry {
        let is = if is_dry_run { "would be" } else { "is" };
        let _ = writeln!(
            text,
            "the entry {entry} {is} held, so that it does not bring them back; `reviews sync run {entry}` fetches it again"
        );
    }
    if !is_dry_run {
        text.push_str("undone; the same files can be imported again\n");
    }
    text
}
