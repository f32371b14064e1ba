//! The command `reviews import`: its arguments, progress and report. The module `imports` does the work.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Args;
use indicatif::ProgressBar;
use serde_json::{Map, Value, json};

use super::database::repeat_if_overtaken;
use super::output::{self, Output};
use super::questions;
use super::report::{Exit, add_count, counted, print_report, style};
use crate::clock::Clock;
use crate::config::{DatabaseConfig, read_text};
use crate::imports::{
    Format, FormatArgument, ImportError, ImportReport, ImportRequest, Named, NewValue, Position,
    Rejection, Watch, import,
};
use crate::model::text::escaped;
use crate::model::text::quote_for_shell;
use crate::storage::{Database, Opening};

/// Rows between two updates of the progress bar.
const ROWS_PER_LOOK: u64 = 256;
/// Maximum length of a line in a file of rejected rows: a row of 1 MiB, as JSON within JSON, and a message.
const REJECT_BYTES_MAX: u64 = 8 << 20;

/// Import reviews, all FILEs in one transaction: merge them by ID and keep what you decided about a review
#[derive(Debug, Clone, Args)]
pub struct Import {
    #[command(flatten)]
    request: ImportRequest,
    /// Write the rejected rows to FILE as JSON Lines {file, line, error, row}; created with mode 0600; an existing file is
    /// overwritten only if it has this format
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
}

impl Import {
    fn reads_input(&self) -> bool {
        self.request
            .files
            .iter()
            .any(|file| file.as_os_str() == "-")
    }

    /// Runs the import; [`Exit::SomeRejected`] if rows were rejected or doubtful.
    ///
    /// # Errors
    /// If nothing could be imported.
    pub async fn run(mut self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        self.request.source = self.request.source.filter(|name| !name.trim().is_empty());
        if let Some(FormatArgument::File(path)) = &self.request.format {
            self.request.own_format = Some(read_format(path)?);
        }
        // Standard input can be read only once.
        if self.reads_input() {
            return self.run_once(config, clock).await;
        }
        // The owner is asked once, also if another process writes first and the import is repeated.
        let answered = std::cell::RefCell::new(self);
        repeat_if_overtaken(async || {
            let mut import = answered.borrow().clone();
            let done = import.run_once(config, clock).await;
            answered.borrow_mut().request.own_format = import.request.own_format;
            done
        })
        .await
    }

    async fn run_once(&mut self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        let address = config.address()?;
        // A dry run writes nothing.
        let rejects = self.rejects.as_deref().filter(|_| !self.request.dry_run);
        let rejects =
            rejects.map(|path| output::begin("--rejects", path, address.file(), refuse_other_file));
        let mut console = Console::new(rejects.transpose()?);
        let opening = Opening::open(&address).await?;
        let report = self.import(&opening.database, clock, &mut console).await;
        let is_done = matches!(&report, Ok(Some(_))) && !self.request.dry_run;
        if is_done {
            opening.persist().await?;
        } else {
            opening.discard().await;
        }
        console.finish(is_done)?;
        let Some(report) = report? else {
            return Ok(Exit::Done);
        };
        print_report(&summary(&report, self.request.dry_run));
        Ok(exit_of(&report))
    }

    /// Imports the files, after the owner has answered what is open; `None` if only the draft was wanted.
    async fn import(
        &mut self,
        database: &Database,
        clock: &Clock,
        console: &mut Console,
    ) -> anyhow::Result<Option<ImportReport>> {
        loop {
            match import(database, clock, &self.request, console).await {
                Err(ImportError::Open(draft))
                    if self.request.format == Some(FormatArgument::Draft) =>
                {
                    questions::print_draft(&draft)?;
                    return Ok(None);
                }
                Err(ImportError::Open(draft)) => {
                    let draft = questions::complete(*draft, self.reads_input())?;
                    self.request.own_format = Some(draft.format);
                }
                report => return Ok(Some(report?)),
            }
        }
    }
}

/// Reads the owner's format.
///
/// # Errors
/// If it cannot be read, with the line of the fault.
pub(super) fn read_format(path: &Path) -> anyhow::Result<Format> {
    let text = read_text(path);
    let text = text.with_context(|| format!("{} cannot be read as a format", path.display()))?;
    Format::parse(&text).map_err(|fault| anyhow::anyhow!("{}: {fault}", path.display()))
}

/// Whether rows were rejected or doubtful.
pub(super) fn exit_of(report: &ImportReport) -> Exit {
    if report.rejected > 0 || report.doubtful.count > 0 {
        Exit::SomeRejected
    } else {
        Exit::Done
    }
}

/// Reports progress: rejected rows on standard error and in the requested file, and a bar on a terminal.
pub(super) struct Console {
    bar: ProgressBar,
    faults: Faults,
    rejects: Option<Output>,
}

/// Refuses a file that [`Console::rejected`] did not write.
fn refuse_other_file(path: &Path) -> anyhow::Result<()> {
    let name = format!("--rejects {}", path.display());
    let file = File::open(path).with_context(|| format!("{name} cannot be read"))?;
    let mut line = Vec::new();
    BufReader::new(file)
        .take(REJECT_BYTES_MAX)
        .read_until(b'\n', &mut line)?;
    let row: Map<String, Value> = serde_json::from_slice(&line).unwrap_or_default();
    ensure!(
        line.is_empty() || ["error", "row"].iter().all(|name| row.contains_key(*name)),
        "{name} exists and is not a file of rejected rows; name another file, or move this one away"
    );
    Ok(())
}

impl Console {
    /// `rejects` is the file for rejected rows.
    pub(super) fn new(rejects: Option<Output>) -> Self {
        // Hidden unless standard error is a terminal.
        let bar = ProgressBar::no_length();
        bar.set_style(style("reading {wide_bar} {percent} %, {human_pos} rows"));
        Self {
            bar,
            faults: Faults::default(),
            rejects,
        }
    }

    /// Removes the bar, and prints the counts of faults that were not all shown. The file of rejected rows is kept if it
    /// has rows, and after an import that `is_done`, whose rows replace those of the one before.
    pub(super) fn finish(self, is_done: bool) -> anyhow::Result<()> {
        self.bar.finish_and_clear();
        for line in self.faults.counted() {
            let _ = writeln!(io::stderr(), "{line}");
        }
        match self.rejects {
            Some(rejects) if is_done || !self.faults.like.is_empty() => rejects.keep(),
            _ => Ok(()),
        }
    }
}

impl Watch for Console {
    fn read(&mut self, rows: u64, all: u64) {
        if rows.is_multiple_of(ROWS_PER_LOOK) {
            self.bar.set_length(all);
            self.bar.set_position(rows);
        }
    }

    fn rejected(&mut self, rejection: Rejection) -> io::Result<()> {
        // A closed output does not stop the import; only writing the requested file may fail.
        if let Some(line) = self.faults.shown(&rejection) {
            let _ = self.bar.suspend(|| writeln!(io::stderr(), "{line}"));
        }
        let Some(file) = &mut self.rejects else {
            return Ok(());
        };
        let (place, number) = match rejection.at {
            Position::Line(line) => ("line", line),
            Position::Element { array: _, index } => ("element", index),
        };
        let row = json!({
            "file": rejection.file, place: number, "format": rejection.format, "error": rejection.error,
            "row": rejection.row,
        });
        serde_json::to_writer(&mut *file, &row)?;
        file.write_all(b"\n")
    }

    fn written(&mut self, done: usize, of: usize) {
        self.bar.set_style(style(
            "writing {wide_bar} {percent} %, {human_pos} of {human_len} reviews",
        ));
        self.bar.set_length(of as u64);
        self.bar.set_position(done as u64);
    }
}

// The report of an import for `import`, `seed` and the first start with sample data.

/// Maximum number of rows with the same fault that are shown individually.
const LIKE_SHOWN_MAX: u64 = 20;
/// Maximum number of different faults that are distinguished; further rows are only counted.
const FAULTS_MAX: usize = 50;
/// Maximum number of characters of a line about a row, which may have any number of faults.
const LINE_CHARACTERS_MAX: usize = 2_000;

/// The faults of rejected rows. A large file may have hundreds of millions, so equal ones are shown [`LIKE_SHOWN_MAX`]
/// times and then counted.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// By kind: the first line, and the count.
    like: BTreeMap<String, (String, u64)>,
    others: u64,
}

impl Faults {
    /// The line about a rejected row; `None` if enough of its kind were shown.
    pub(super) fn shown(&mut self, rejection: &Rejection) -> Option<String> {
        let kind = fault_kind(&rejection.error);
        if !self.like.contains_key(&kind) && self.like.len() == FAULTS_MAX {
            self.others += 1;
            return None;
        }
        let line = || {
            let line = rejection.to_string();
            escaped(line.chars().take(LINE_CHARACTERS_MAX).collect())
        };
        let (_, count) = self.like.entry(kind).or_insert_with(|| (line(), 0));
        *count += 1;
        (*count <= LIKE_SHOWN_MAX).then(line)
    }

    /// Every kind of fault with its count, most frequent first; empty if all rows were shown.
    pub(super) fn counted(&self) -> Vec<String> {
        let mut like: Vec<_> = self.like.values().collect();
        if self.others == 0 && like.iter().all(|(_, count)| *count <= LIKE_SHOWN_MAX) {
            return Vec::new();
        }
        like.sort_by_key(|(_, count)| Reverse(*count));
        let like = like.into_iter();
        let like =
            like.map(|(first, count)| format!("{} like {first}", counted(*count, "row", "rows")));
        let mut lines: Vec<String> = like.collect();
        if self.others > 0 {
            lines.push(format!(
                "{} with other faults",
                counted(self.others, "row", "rows")
            ));
        }
        lines
    }
}

/// The kind of a fault: its message without numbers and quoted values.
fn fault_kind(error: &str) -> String {
    let mut kind = String::new();
    let mut quote = None;
    for c in error.chars().take(LINE_CHARACTERS_MAX) {
        match (quote, c) {
            // A shortened value ends with an ellipsis instead of its quote.
            (Some(end), _) if c == end || c == '…' => quote = None,
            (Some(_), _) => {}
            (None, '"' | '`') => quote = Some(c),
            (None, _) if c.is_ascii_digit() => {
                if !kind.ends_with('0') {
                    kind.push('0');
                }
            }
            (None, _) => kind.push(c),
        }
    }
    kind
}

/// The end of the report of a dry run.
pub(super) const NOTHING_CHANGED: &str = "dry run: nothing was changed\n";

pub fn summary(report: &ImportReport, dry_run: bool) -> String {
    let mut text = String::new();
    add_files(&mut text, report);
    for note in &report.notes {
        let _ = writeln!(text, "note: {note}");
    }
    add_business(&mut text, report);
    for NewValue {
        header,
        key,
        value,
        count,
        ..
    } in &report.new_values
    {
        let effect = match *key {
            "public_reply" => counted(*count, "reply", "replies"),
            "public_name" => counted(*count, "name", "names"),
            _ => counted(*count, "review", "reviews"),
        };
        let _ = writeln!(text, "{header}: {effect} not shown for {value}");
    }
    let (new, updated, unchanged) = (report.new, report.updated, report.unchanged);
    let rejected = report.rejected;
    // Writing into a String cannot fail, here and below.
    let _ = match &report.undone {
        Some(undone) => writeln!(text, "{} removed, {updated} updated", undone.removed.count),
        None => writeln!(
            text,
            "{new} new, {updated} updated, {unchanged} unchanged, {rejected} rejected"
        ),
    };
    add_undone(&mut text, report);
    add_kept(&mut text, report);
    add_lines(&mut text, &report.doubtful, "doubtful and not imported");
    if report.doubtful.count > 0 {
        text.push_str(
            "pass --doubtful new if such rows are new reviews, --doubtful same if each is the one review named; neither brings back a deleted one without --restore\n",
        );
    }
    for (source, count) in &report.without_row {
        let reviews = counted(*count, "public review", "public reviews");
        let _ = writeln!(text, "{reviews} of {source} without a row in these files");
    }
    add_count(
        &mut text,
        report.repeated,
        "repeated: of equal rows, or rows with the same ID, the newest was used, or the last one",
    );
    add_count(
        &mut text,
        report.left_out,
        "left out: comments on reviews; give your replies with `reviews reply`",
    );
    add_named(
        &mut text,
        &report.of_others,
        "left out, of reviews that other sources brought",
    );
    add_count(&mut text, report.elsewhere, "of another business left out");
    add_withheld(&mut text, report);
    add_named(
        &mut text,
        &report.withdrawn,
        "withdrawn, no longer listed by the source",
    );
    add_lines(
        &mut text,
        &report.duplicates,
        "equal to a review of another source (--skip-duplicates leaves new ones out)",
    );
    if dry_run {
        add_preview(&mut text, report);
        text.push_str(NOTHING_CHANGED);
    } else {
        for source in &report.kept_formats {
            let name = quote_for_shell(source);
            let _ = writeln!(
                text,
                "The format is kept for {source}. `reviews source format {name}` shows and changes it."
            );
        }
    }
    escaped(text)
}

/// What an undo does besides giving back former values.
fn add_undone(text: &mut String, report: &ImportReport) {
    let Some(undone) = &report.undone else {
        return;
    };
    let deleted = undone.deleted.count;
    add_count(text, deleted, "restored by the import, now deleted again");
    let published = report.newly_published.count;
    add_count(text, published, "of these published again");
    add_count(text, undone.gone, "deleted since");
    let left = "left unchanged, `reviews delete ID` deletes one";
    add_named(text, &undone.left, left);
}

/// What a dry run would change: the first reviews of each kind, then their number.
fn add_preview(text: &mut String, report: &ImportReport) {
    let mut published = "would be new";
    if let Some(undone) = &report.undone {
        add_lines(text, &undone.removed, "would be removed");
        published = "would be published again";
    }
    for (reviews, title) in [
        (&report.changed, "would be updated"),
        (&report.newly_withheld, "would be withheld"),
        (&report.newly_published, published),
    ] {
        add_lines(text, reviews, title);
    }
}

/// A title with a count, the first reviews on lines of their own, and the number of the others; nothing if there are none.
fn add_lines(text: &mut String, reviews: &Named, title: &str) {
    if reviews.count == 0 {
        return;
    }
    let _ = writeln!(text, "{} {title}:", reviews.count);
    for line in &reviews.names {
        let _ = writeln!(text, "  {line}");
    }
    let more = reviews.count.saturating_sub(reviews.names.len() as u64);
    if more > 0 {
        let _ = writeln!(text, "  and {more} more");
    }
}

/// Each file with its rows and notes on its format.
fn add_files(text: &mut String, report: &ImportReport) {
    for file in &report.files {
        let rejected = match file.rejected {
            0 => String::new(),
            count => format!(", {count} rejected"),
        };
        let _ = writeln!(
            text,
            "{}: {}, {}{rejected}",
            file.name,
            file.label,
            counted(file.rows, "row", "rows")
        );
        if !file.fields.is_empty() {
            let _ = writeln!(text, "  {}", file.fields.join("; "));
        }
        if let Some(note) = &file.note {
            let _ = writeln!(text, "note: {note}");
        }
    }
}

fn add_business(text: &mut String, report: &ImportReport) {
    if let Some(name) = &report.business {
        let _ = writeln!(text, "business: {name}, taken from the file");
    }
}

fn add_withheld(text: &mut String, report: &ImportReport) {
    let reasons: Vec<String> = report
        .withheld
        .iter()
        .map(|(why, count)| format!("{why}: {count}"))
        .collect();
    add_count(
        text,
        report.withheld.values().sum(),
        &format!("withheld and not published ({})", reasons.join(", ")),
    );
}

/// The reviews with a common outcome: their number and IDs; nothing if there are none.
fn add_named(text: &mut String, reviews: &Named, became: &str) {
    add_count(text, reviews.count, &format!("{became}: {reviews}"));
}

/// The owner's decisions that the import kept although the file differs.
fn add_kept(text: &mut String, report: &ImportReport) {
    add_count(text, report.kept_withheld.count, "kept withheld");
    add_named(text, &report.kept_edited, "kept edited");
    add_named(text, &report.kept_deleted, "kept deleted");
    let kept_deleted = report.kept_deleted.count;
    if kept_deleted > 0 && kept_deleted == report.taken.saturating_sub(report.repeated) {
        text.push_str(
            "every review of this import was deleted before; --restore brings them back\n",
        );
    }
    add_count(
        text,
        report.noted_deleted,
        "recorded as deleted that the database did not have",
    );
    add_named(
        text,
        &report.still_there,
        "still there, although listed as deleted in the file (`reviews delete ID` deletes one)",
    );
}
