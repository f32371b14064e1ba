//! The commands `reviews import` and `reviews seed`: their arguments, progress and report. The module `imports` does the work.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Args;
use indicatif::ProgressBar;
use serde_json::{Map, Value, json};

use super::database::repeat_if_overtaken;
use super::output::{self, Output};
use super::questions;
use super::report::{Exit, counted, style};
use super::session::{InputStream, OutputStream, Session};
use crate::config::{DatabaseConfig, open_regular, read_text_or_pipe};
use crate::imports::{
    Format, FormatArgument, ImportError, ImportReport, ImportRequest, Named, Outcome, Position,
    PublicPart, Rejection, Watch, import, load_sample, shown_values,
};
use crate::model::text::{escaped, quote_for_shell};
use crate::storage::business::{SampleState, sample_state};
use crate::storage::{Database, Opening};

/// Maximum length of a line in a file of rejected rows: a row of 1 MiB, as JSON within JSON, and a message.
const REJECT_BYTES_MAX: u64 = 8 << 20;

/// Attempts to compare the rows while others may write; then they wait.
const ATTEMPTS_BESIDE_WRITERS: usize = 3;

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
    pub async fn run(mut self, config: &DatabaseConfig, session: &Session) -> anyhow::Result<Exit> {
        self.request.folder = Some(session.environment.resolve(Path::new("")));
        self.request.source = self.request.source.filter(|name| !name.trim().is_empty());
        if let Some(FormatArgument::File(path)) = &self.request.format {
            self.request.owner_format = Some(read_format(path, session)?);
        }
        // Standard input can be read only once.
        if self.reads_input() {
            self.request.holds_lock = true;
            return self.run_once(config, session).await;
        }
        let mut attempts = 0;
        repeat_if_overtaken(async || {
            self.request.holds_lock = attempts >= ATTEMPTS_BESIDE_WRITERS;
            attempts += 1;
            self.run_once(config, session).await
        })
        .await
    }

    /// One attempt. The owner is asked in the first one only.
    async fn run_once(
        &mut self,
        config: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        let address = config.address()?;
        // A dry run writes nothing.
        let rejects = self
            .rejects
            .as_deref()
            .filter(|_| !self.request.dry_run)
            .map(|path| {
                let (database, environment) = (address.file(), &session.environment);
                output::begin("--rejects", path, database, environment, refuse_other_file)
            })
            .transpose()?;
        let mut console = Console::new(session, rejects);
        let opening = Opening::open(&address).await?;
        let report = self.import(&opening.database, session, &mut console).await;
        let is_done = matches!(&report, Ok(Some(_))) && !self.request.dry_run;
        let closed = opening.close(is_done).await;
        let rejected = console.finish(is_done);
        if let Some(report) = report? {
            closed?;
            session.print_report(&summary(&report, self.request.dry_run));
            rejected?;
            return Ok(exit_of(&report));
        }
        Ok(Exit::Done)
    }

    /// Imports the files, after the owner has answered what is open; `None` if only the draft was wanted.
    async fn import(
        &mut self,
        database: &Database,
        session: &Session,
        console: &mut Console,
    ) -> anyhow::Result<Option<ImportReport>> {
        loop {
            match import(database, &session.clock, &self.request, console).await {
                Err(ImportError::Open(draft))
                    if self.request.format == Some(FormatArgument::Draft) =>
                {
                    let command = questions::command(&draft, session);
                    session.print_result(&draft.text(&command))?;
                    return Ok(None);
                }
                Err(ImportError::Open(draft)) => {
                    let draft = questions::complete(*draft, self.reads_input(), session)?;
                    self.request.owner_format = Some(draft.format);
                }
                report => return Ok(Some(report?)),
            }
        }
    }
}

/// Load the sample data of a folder; running it again changes nothing
#[derive(Debug, Args)]
pub struct SeedCommand {
    /// A folder with business.json, reviews.jsonl and, if there are editorial texts, editorial.json
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl SeedCommand {
    /// Loads the folder; [`Exit::SomeRejected`] if rows were rejected or doubtful.
    ///
    /// # Errors
    /// If nothing could be loaded.
    pub(super) async fn run(
        &self,
        config: &DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        let opening = Opening::open(&config.address()?).await?;
        let loaded = load_and_show(&opening.database, session, &self.folder).await;
        Ok(exit_of(&opening.finish(loaded).await?))
    }
}

/// Loads the folder, and prints what came of it.
async fn load_and_show(
    database: &Database,
    session: &Session,
    folder: &Path,
) -> anyhow::Result<ImportReport> {
    let folder = session.environment.resolve(folder);
    let mut console = Console::new(session, None);
    let report = load_sample(database, &session.clock, &folder, &mut console).await;
    console.finish(report.is_ok())?;
    let report = report?;
    session.print_report(&summary(&report, false));
    Ok(report)
}

/// Loads the sample data in `folder`, unless there is a business or a review.
///
/// # Errors
/// Those of [`load_sample`], and if the database cannot be read.
pub(super) async fn load_if_empty(
    database: &Database,
    session: &Session,
    folder: &Path,
) -> anyhow::Result<()> {
    if sample_state(&mut *database.reader().await?).await? != SampleState::Empty {
        tracing::info!(
            "seed.skipped: the database has reviews or a business, so the sample data was not loaded"
        );
        return Ok(());
    }
    // Another node may do the same; the second one finds the data.
    let load = repeat_if_overtaken(|| load_and_show(database, session, folder));
    load.await.map(drop)
}

/// Reads the owner's format.
///
/// # Errors
/// If it cannot be read, with the line of the fault.
pub(super) fn read_format(path: &Path, session: &Session) -> anyhow::Result<Format> {
    let text = read_text_or_pipe(&session.environment.resolve(path));
    let text = text.with_context(|| format!("{} cannot be read as a format", path.display()))?;
    Format::parse(&text).map_err(|fault| anyhow::anyhow!("{}: {fault}", path.display()))
}

/// Whether the import would need `--accept-changes`, or rows were rejected or doubtful, or are left on a page that nothing reads.
pub(super) fn exit_of(report: &ImportReport) -> Exit {
    let left = report.count(Outcome::Rejected) + report.count(Outcome::Doubtful);
    if !report.refusals.is_empty() {
        Exit::Failed
    } else if left > 0 || report.has_further_page {
        Exit::SomeRejected
    } else {
        Exit::Done
    }
}

/// Reports progress: rejected rows on standard error and in the requested file, and a bar on a terminal.
pub(super) struct Console {
    input: InputStream,
    errors: OutputStream,
    bar: ProgressBar,
    faults: Faults,
    rejects: Option<Output>,
}

/// Refuses a file that [`Console::rejected`] did not write.
fn refuse_other_file(path: &Path) -> anyhow::Result<()> {
    let name = format!("--rejects {}", path.display());
    let file = open_regular(path).with_context(|| format!("{name} cannot be read"))?;
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
    pub(super) fn new(session: &Session, rejects: Option<Output>) -> Self {
        let bar = if session.errors.is_terminal {
            ProgressBar::no_length()
        } else {
            ProgressBar::hidden()
        };
        bar.set_style(style("importing {wide_bar} {percent} %, {human_pos} rows"));
        Self {
            input: session.input.clone(),
            errors: session.errors.clone(),
            bar,
            faults: Faults::default(),
            rejects,
        }
    }

    /// Removes the bar, and prints the counts of faults that were not all shown. The file of rejected rows is kept if it
    /// has rows, and after an import that `is_done`, whose rows replace those of the one before.
    pub(super) fn finish(mut self, is_done: bool) -> anyhow::Result<()> {
        self.bar.finish_and_clear();
        for (first, count) in self.faults.like.values() {
            if *count > LIKE_SHOWN_MAX {
                let _ = writeln!(self.errors, "{count} rows like {first}");
            }
        }
        match self.rejects {
            Some(rejects) if is_done || !self.faults.like.is_empty() => rejects.keep(),
            _ => Ok(()),
        }
    }
}

impl Watch for Console {
    fn input(&mut self) -> Box<dyn Read + Send> {
        Box::new(self.input.take())
    }

    fn read(&mut self, rows: u64, all: u64) {
        self.bar.set_length(all);
        self.bar.set_position(rows);
    }

    fn rejected(&mut self, rejection: Rejection) -> io::Result<()> {
        // A closed output does not stop the import; only writing the requested file may fail.
        if let Some(line) = self.faults.shown(&rejection) {
            let errors = &mut self.errors;
            let _ = self.bar.suspend(|| writeln!(errors, "{line}"));
        }
        let Some(file) = &mut self.rejects else {
            return Ok(());
        };
        let (place, number) = match rejection.at {
            Position::Line(line) => ("line", line),
            Position::Element { array: _, index } => ("element", index),
        };
        let row = json!({
            "file": rejection.file, place: number, "error": rejection.error, "row": rejection.row,
        });
        serde_json::to_writer(&mut *file, &row)?;
        file.write_all(b"\n")
    }
}

// The report of an import, of sample data, and of their undoing.

/// Maximum number of rows with the same fault that are shown individually.
const LIKE_SHOWN_MAX: u64 = 20;
/// Maximum number of different faults that are distinguished.
const FAULTS_MAX: usize = 50;
/// Maximum number of characters of a line about a row, which may have any number of faults.
const LINE_CHARACTERS_MAX: usize = 2_000;

/// The faults of rejected rows. A large file may have hundreds of thousands, so equal ones are shown [`LIKE_SHOWN_MAX`] times and
/// then counted.
#[derive(Debug, Default)]
struct Faults {
    /// By kind: the first line, and the count.
    like: BTreeMap<String, (String, u64)>,
}

impl Faults {
    /// The line about a rejected row; `None` if enough of its kind were shown.
    fn shown(&mut self, rejection: &Rejection) -> Option<String> {
        let mut kind = fault_kind(&rejection.error);
        if self.like.len() == FAULTS_MAX && !self.like.contains_key(&kind) {
            kind.clear();
        }
        let line = rejection.to_string();
        let line: String = line.chars().take(LINE_CHARACTERS_MAX).collect();
        let line = escaped(line);
        let (_, count) = self.like.entry(kind).or_insert_with(|| (line.clone(), 0));
        *count += 1;
        (*count <= LIKE_SHOWN_MAX).then_some(line)
    }
}

/// The kind of a fault: its message without numbers and quoted values. A shortened value ends with an ellipsis instead of its quote.
fn fault_kind(error: &str) -> String {
    let unquoted = error.split(['"', '`', '…']).step_by(2);
    let characters = unquoted.flat_map(str::chars).take(LINE_CHARACTERS_MAX);
    characters.filter(|c| !c.is_ascii_digit()).collect()
}

/// The end of the report of a dry run.
pub(super) const NOTHING_CHANGED: &str = "dry run: nothing was changed\n";

/// What a dry run shows besides.
const PREVIEWS: [Outcome; 4] = [
    Outcome::Removed,
    Outcome::Updated,
    Outcome::NewlyWithheld,
    Outcome::New,
];
/// What is not named by its IDs, but in lines.
const IN_LINES: [Outcome; 5] = [
    Outcome::KeptAnonymous,
    Outcome::PublishedAgain,
    Outcome::Doubtful,
    Outcome::Duplicate,
    Outcome::DeletedAgain,
];

pub fn summary(report: &ImportReport, dry_run: bool) -> String {
    let mut text = files_and_notes(report);
    let counted_first: &[Outcome] = if report.is_undo {
        &[Outcome::Removed, Outcome::Updated]
    } else {
        &[
            Outcome::New,
            Outcome::Updated,
            Outcome::Unchanged,
            Outcome::Rejected,
        ]
    };
    let counts = counted_first.iter();
    let counts: Vec<String> = counts
        .map(|it| format!("{} {it}", report.count(*it)))
        .collect();
    // Writing into a String cannot fail, here and below.
    let _ = writeln!(text, "{}", counts.join(", "));
    for (outcome, reviews) in &report.outcomes {
        if !counted_first.contains(outcome) && *outcome != Outcome::NewlyWithheld {
            let are_lines = IN_LINES.contains(outcome);
            add_outcome(&mut text, outcome.name(), reviews, are_lines);
        }
    }
    // A rejected row may be of any.
    let row = match report.count(Outcome::Rejected) {
        0 => "row",
        _ => "readable row",
    };
    for (source, count) in &report.without_row {
        let reviews = counted(*count, "public review", "public reviews");
        let _ = writeln!(text, "{reviews} of {source} without a {row} in these files");
    }
    if !report.withheld.is_empty() {
        let reasons = report.withheld.iter();
        let reasons: Vec<String> = reasons
            .map(|(why, count)| format!("{why}: {count}"))
            .collect();
        let count: u64 = report.withheld.values().sum();
        let reasons = reasons.join(", ");
        let _ = writeln!(text, "{count} withheld and not published ({reasons})");
    }
    if dry_run {
        for outcome in PREVIEWS {
            let words = format!("would be {outcome}");
            add_outcome(&mut text, &words, report.named(outcome), true);
        }
        let refusals = report.refusals.iter();
        text.extend(refusals.map(|it| format!("warning: {it}; only --accept-changes takes it\n")));
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

/// The number of reviews with an outcome, and the first of them; nothing if there are none.
fn add_outcome(text: &mut String, words: &str, reviews: &Named, are_lines: bool) {
    let Named { count, names } = reviews;
    if *count == 0 {
        return;
    }
    let _ = write!(text, "{count} {words}");
    if !names.is_empty() {
        let more = count.saturating_sub(names.len() as u64);
        let more = (more > 0).then(|| format!("and {more} more"));
        let names = names.iter().chain(&more).map(String::as_str);
        let names: Vec<&str> = names.collect();
        let _ = if are_lines {
            write!(text, ":\n  {}", names.join("\n  "))
        } else {
            write!(text, ": {}", names.join(", "))
        };
    }
    text.push('\n');
}

/// What was read, and how.
fn files_and_notes(report: &ImportReport) -> String {
    let mut text = String::new();
    for file in &report.files {
        let (name, label) = (&file.name, &file.label);
        let rows = counted(file.rows, "row", "rows");
        let _ = write!(text, "{name}: {label}, {rows}");
        if file.rejected > 0 {
            let _ = write!(text, ", {} rejected", file.rejected);
        }
        text.push('\n');
        if !file.fields.is_empty() {
            let _ = writeln!(text, "  {}", file.fields.join("; "));
        }
        if let Some(note) = &file.note {
            let _ = writeln!(text, "note: {note}");
        }
    }
    for note in &report.notes {
        let _ = writeln!(text, "note: {note}");
    }
    if !report.unread.is_empty() {
        let names = report.unread.join(", ");
        let _ = writeln!(text, "note: members that are not read: {names}");
    }
    if let Some(name) = &report.business {
        let _ = writeln!(text, "business: {name}, taken from the file");
    }
    let values = shown_values(report.new_values.keys().map(|(.., value)| &**value));
    for (((part, header, _), count), value) in report.new_values.iter().zip(values) {
        let hidden = match part {
            PublicPart::Review => counted(*count, "review", "reviews"),
            PublicPart::Reply => counted(*count, "reply", "replies"),
            PublicPart::Name => counted(*count, "name", "names"),
        };
        let _ = writeln!(text, "{header}: {hidden} not shown for {value}");
    }
    text
}
