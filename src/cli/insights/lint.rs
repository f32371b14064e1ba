//! Checks a trade package for errors and gaps.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;

use crate::cli::report::{Exit, say};
use crate::insights::Trade;
use crate::insights::evaluate::lint::{LintReport, lint};
use crate::insights::trades::{FolderError, read_folder};

/// Check a trade package for errors and missing parts
#[derive(Debug, Args)]
pub struct Lint {
    /// The package's folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Lint {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let folder = self.folder.display();
        let (text, outcome) = match read_folder(&self.folder) {
            Ok(trade) => told(&format!("{folder}"), &trade, &lint(&trade)),
            Err(FolderError::Faults(faults)) => {
                let lines = faults.0.iter().map(|fault| format!("wrong   {fault}\n"));
                let text = format!("{folder} cannot be read\n{}", lines.collect::<String>());
                (text, Exit::Failed)
            }
            Err(error) => return Err(error.into()),
        };
        say(&text)?;
        Ok(outcome)
    }
}

fn told(folder: &str, trade: &Trade, report: &LintReport) -> (String, Exit) {
    let own = trade.rules.iter().filter(|rule| !rule.place.is_shared);
    let own = own.count();
    let mut text = format!(
        "{folder}: {} ({}), {} aspects, {own} phrases of its own, {} shared\n",
        trade.label,
        trade.id,
        trade.aspects.len(),
        trade.rules.len() - own
    );
    for wrong in &report.wrong {
        let _ = writeln!(text, "wrong   {wrong}");
    }
    for remark in &report.remarks {
        let _ = writeln!(text, "remark  {remark}");
    }
    if report.wrong.is_empty() {
        let _ = writeln!(
            text,
            "ok      serve with it: reviews serve --trade {folder}"
        );
        (text, Exit::Done)
    } else {
        (text, Exit::Failed)
    }
}
