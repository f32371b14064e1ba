//! The command `reviews undo`: reverts an import.

use std::fmt::Write as _;

use clap::Args;

use super::database::{change, existing_address};
use super::delete::format_erased;
use super::report::{Exit, add_count};
use super::status::run_line;
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::imports::{Undone, undo};
use crate::storage::Erased;

/// Undo an import: remove the reviews that it added, and give all others their former values
#[derive(Debug, Args)]
pub struct UndoCommand {
    /// The number of the import, as `reviews status` shows it [default: the last one]
    #[arg(value_name = "RUN")]
    run: Option<i64>,
    /// Report what would be done, without changing anything
    #[arg(long)]
    dry_run: bool,
}

impl UndoCommand {
    pub(super) async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        change(&existing_address(config)?, async |database| {
            let undone = undo(database, clock, self.run, self.dry_run).await?;
            let erased = if self.dry_run || undone.removed + undone.deleted == 0 {
                None
            } else {
                Some(database.try_to_erase_traces().await?)
            };
            Ok(format_undone(&undone, erased, self.dry_run))
        })
        .await
    }
}

fn format_undone(undone: &Undone, erased: Option<Erased>, is_dry_run: bool) -> String {
    let (run, removed, left) = (&undone.run, undone.removed, &undone.left);
    let mut text = format!("{}\n{removed} removed", run_line(run));
    if let Some(erased) = erased {
        let _ = write!(text, "; {}", format_erased(erased));
    }
    text.push('\n');
    add_count(
        &mut text,
        undone.deleted,
        "restored by the import, now deleted again",
    );
    add_count(
        &mut text,
        undone.given_back,
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
    if undone.duplicates.count > 0 {
        let _ = writeln!(
            text,
            "withheld as duplicates of removed reviews: {}; import the files of their source again, or run `reviews publish ID`",
            undone.duplicates
        );
    }
    if let Some(source) = &run.sync_source {
        let is = if is_dry_run { "would be" } else { "is" };
        let _ = writeln!(
            text,
            "the source {source} {is} paused, so that it does not bring them back; `reviews sync resume {source}` fetches it again"
        );
    }
    if is_dry_run {
        text.push_str("dry run: nothing was changed\n");
    } else if left.count == 0 {
        text.push_str("undone; the same files can be imported again\n");
    }
    text
}
