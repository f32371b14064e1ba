//! The command `reviews undo`: reverts an import.

use std::fmt::Write as _;

use clap::Args;

use super::database::{change, existing};
use super::delete::traces;
use super::report::{Exit, add_count};
use super::status::run_line;
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::imports::undo::{Undone, undo};
use crate::storage::Erased;

/// Undo an import: remove the reviews that it added and that have not been changed since
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
        change(&existing(config)?, async |database| {
            let undone = undo(database, clock, self.run, self.dry_run).await?;
            let erased = if self.dry_run || undone.removed + undone.deleted == 0 {
                None
            } else {
                Some(database.erase_traces_or_leave_them().await?)
            };
            Ok(told(&undone, erased, self.dry_run))
        })
        .await
    }
}

fn told(undone: &Undone, erased: Option<Erased>, is_dry_run: bool) -> String {
    let (run, removed, left) = (&undone.run, undone.removed, &undone.left);
    let mut text = format!("{}\n{removed} removed", run_line(run));
    if let Some(erased) = erased {
        let _ = write!(text, "; {}", traces(erased));
    }
    text.push('\n');
    add_count(
        &mut text,
        undone.deleted,
        "restored by the import are deleted again",
    );
    add_count(
        &mut text,
        undone.published,
        "published again that the import had withheld as gone at the source",
    );
    if left.count > 0 {
        let _ = writeln!(
            text,
            "{} kept, because they were changed since: {left}; `reviews delete ID` deletes one",
            left.count
        );
    }
    add_count(&mut text, undone.gone, "were deleted since");
    if run.counts.updated > 0 {
        let _ = writeln!(
            text,
            "{} updated by the import keep its values; `reviews restore FILE` restores a backup from before the import",
            run.counts.updated
        );
    }
    if is_dry_run {
        text.push_str("dry run: nothing was changed\n");
    } else if removed > 0 {
        text.push_str("the same files can be imported again\n");
    }
    text
}
