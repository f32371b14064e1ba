//! The command `reviews undo`: reverts an import.

use std::fmt::Write as _;

use anyhow::Context as _;
use clap::Args;

use super::database::{change, existing_address};
use super::decisions::format_erased;
use super::import::NOTHING_CHANGED;
use super::report::{Exit, add_count};
use super::status::run_line;
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::imports::{Undone, composed, undo};

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
            let is_erased = undone.removed + undone.deleted > 0;
            let mut text = format_undone(&undone, self.dry_run);
            if self.dry_run {
                text.push_str(NOTHING_CHANGED);
            } else if is_erased {
                let erased = database.try_to_erase_traces().await.context(
                    "the import is taken back, but unused parts of the file still contain removed texts; `reviews serve` erases them \
                     within an hour",
                )?;
                let _ = writeln!(
                    text,
                    "the removed reviews are gone, {}",
                    format_erased(erased, database)
                );
            }
            Ok(text)
        })
        .await
    }
}

fn format_undone(undone: &Undone, is_dry_run: bool) -> String {
    let (run, removed, left) = (&undone.run, undone.removed, &undone.left);
    let mut text = format!("{}\n{removed} removed\n", run_line(run));
    add_count(
        &mut text,
        undone.deleted,
        "restored by the import, now deleted again",
    );
    add_count(
        &mut text,
        undone.reverted,
        "changed back to the former values",
    );
    add_count(&mut text, undone.published, "of these published again");
    add_count(&mut text, undone.gone, "deleted since");
    if left.count > 0 {
        let _ = writeln!(
            text,
            "{} left unchanged: {left}; `reviews delete ID` deletes one",
            left.count
        );
    }
    if let Some(source) = &run.sync_source {
        let is = if is_dry_run { "would be" } else { "is" };
        let _ = writeln!(
            text,
            "the source {source} {is} paused, so that it does not bring them back; `reviews sync resume {source}` fetches it again"
        );
    }
    if !is_dry_run && left.count == 0 {
        text.push_str("undone; the same files can be imported again\n");
    }
    text
}
