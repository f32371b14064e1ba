//! `reviews import`: what it takes, what it prints. What it does is `imports`' business.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use clap::builder::PossibleValuesParser;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use super::{Outcome, say};
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::db::Database;
use crate::imports::{Format, Order, Position, Rejection, Rename, Report, Watch, import};

/// Rows between two looks at the terminal.
const ROWS_PER_LOOK: u64 = 256;

/// Add or update reviews by id, all FILEs in one transaction
#[derive(Debug, Args)]
pub struct Import {
    /// JSON Lines, a /reviews.json, Google reviews.json, a Takeout zip or folder; - reads standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The format of every FILE [default: found by content]
    #[arg(long, value_name = "F", value_parser = PossibleValuesParser::new(Format::names()))]
    format: Option<String>,
    /// Fill our field K from the field V of JSON Lines, for example text=Review; may be repeated
    #[arg(long = "map", value_name = "K=V")]
    renames: Vec<Rename>,
    /// Do everything, report it, and leave the database as it was
    #[arg(long)]
    dry_run: bool,
    /// Write the rejected rows to FILE, as JSON Lines {file, line, error, row}
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
}

impl Import {
    /// Imports. Says whether some rows were rejected.
    ///
    /// # Errors
    /// Where nothing could be imported.
    pub async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Outcome> {
        let mut rejects = Console::new(self.rejects.as_deref(), &self.files)?;
        let format = self.format.as_deref().and_then(Format::find);
        let order = Order { files: self.files, format, renames: self.renames, dry_run: self.dry_run };
        let (database, _) = Database::open(&config.path()?).await?;
        let report = import(&database, clock, &order, &mut rejects).await;
        database.close().await;
        rejects.finish()?;
        let report = report?;
        say(&summary(&report, order.dry_run))?;
        Ok(outcome(&report))
    }
}

/// Whether some rows were rejected.
pub(super) fn outcome(report: &Report) -> Outcome {
    if report.rejected > 0 { Outcome::SomeRejected } else { Outcome::Done }
}

/// The report as people read it.
#[must_use]
pub fn summary(report: &Report, dry_run: bool) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = summarise(&mut text, report, dry_run);
    text
}

fn summarise(text: &mut String, report: &Report, dry_run: bool) -> std::fmt::Result {
    for file in &report.files {
        let label = Format::find(file.format).map_or(file.format, |format| format.label);
        write!(text, "{}: {label}, {}", file.name, rows(file.rows))?;
        if file.rejected > 0 {
            write!(text, ", {} rejected", file.rejected)?;
        }
        writeln!(text)?;
    }
    if let Some(name) = &report.business {
        writeln!(text, "business: {name}, which the database did not have yet")?;
    }
    let written = report.written;
    let (new, updated, unchanged) = (written.new, written.updated, written.unchanged);
    writeln!(text, "{new} new, {updated} updated, {unchanged} unchanged, {} rejected", report.rejected)?;
    if report.repeated > 0 {
        writeln!(text, "{} repeated: of rows with one id, the newest counted", report.repeated)?;
    }
    let withheld: u64 = report.withheld.values().sum();
    if withheld > 0 {
        let reasons: Vec<String> = report.withheld.iter().map(|(reason, count)| format!("{reason}: {count}")).collect();
        writeln!(text, "{withheld} withheld, which are not published ({})", reasons.join(", "))?;
    }
    if dry_run {
        writeln!(text, "dry run: nothing was changed")?;
    }
    Ok(())
}

fn rows(count: u64) -> String {
    if count == 1 { "1 row".to_owned() } else { format!("{count} rows") }
}

/// Tells people what is going on: rejected rows on standard error and in the file that they asked for, and a bar if
/// somebody is there to see it.
pub(super) struct Console {
    bar: ProgressBar,
    writing: bool,
    rejects: Option<(PathBuf, BufWriter<File>)>,
}

impl Console {
    /// Opens the file for the rejected rows, which must be none of the `inputs`.
    pub(super) fn new(rejects: Option<&Path>, inputs: &[PathBuf]) -> anyhow::Result<Self> {
        let open = |path: &Path| {
            // Emptying a file that is about to be read would lose it.
            let real = fs::canonicalize(path).ok();
            let input = real.is_some() && inputs.iter().any(|input| fs::canonicalize(input).ok() == real);
            anyhow::ensure!(!input, "--rejects {} is one of the files to import; name another one", path.display());
            let file = File::create(path).with_context(|| format!("--rejects {} cannot be written", path.display()))?;
            Ok((path.to_owned(), BufWriter::new(file)))
        };
        let rejects = rejects.map(open).transpose()?;
        let target = if io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(style("{spinner} {human_pos} rows read"));
        Ok(Self { bar, writing: false, rejects })
    }

    /// Takes the bar away and puts the last rejected rows to disk.
    pub(super) fn finish(mut self) -> anyhow::Result<()> {
        self.bar.finish_and_clear();
        if let Some((path, file)) = &mut self.rejects {
            file.flush().with_context(|| format!("--rejects {} cannot be written", path.display()))?;
        }
        Ok(())
    }

    fn note(&mut self, rejection: Rejection) -> io::Result<()> {
        let Some((_, file)) = &mut self.rejects else { return Ok(()) };
        let Rejection { file: name, at, error, row } = rejection;
        let (place, number) = match at {
            Position::Line { line, column: _ } => ("line", line),
            Position::Element(index) => ("element", index),
        };
        serde_json::to_writer(&mut *file, &json!({ "file": name, place: number, "error": error, "row": row }))?;
        file.write_all(b"\n")
    }
}

impl Watch for Console {
    fn read(&mut self, rows: u64) {
        if rows.is_multiple_of(ROWS_PER_LOOK) {
            self.bar.set_position(rows);
        }
    }

    fn rejected(&mut self, rejection: Rejection) -> io::Result<()> {
        self.bar.suspend(|| writeln!(io::stderr(), "{rejection}"))?;
        self.note(rejection)
    }

    fn written(&mut self, done: usize, of: usize) {
        if !self.writing {
            self.writing = true;
            self.bar.set_length(of as u64);
            self.bar.set_style(style("{wide_bar} {human_pos} of {human_len} reviews written"));
        }
        self.bar.set_position(done as u64);
    }
}

fn style(template: &str) -> ProgressStyle {
    // The templates are ours; one that were wrong would only look plainer.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}
