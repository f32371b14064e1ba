//! The command `reviews sync`: adds, lists, runs, pauses and removes sources that are fetched on a schedule.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, ensure};
use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand};
use indicatif::ProgressBar;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::database::{change, existing_address, read};
use super::import::{Console, NOTHING_CHANGED, exit_of, read_format, summary};
use super::questions;
use super::report::{
    Exit, can_ask, confirm, counted, explain_error, print_note, print_report, print_result,
    progress, style,
};
use crate::clock::Clock;
use crate::config::{DatabaseConfig, SyncConfig};
use crate::imports::{Doubtful, FormatArgument, ImportRequest};
use crate::model::json::without_nulls;
use crate::model::text::nearest;
use crate::random::Random;
use crate::storage::sync::{SyncSource, pause_sync_source, remove_sync_source, sync_sources};
use crate::storage::{Database, Opening, Write};
use crate::sync::{
    Cause, Fetched, RunRequest, Source, SourceOptions, SourceSchedule, SyncError, SyncReport,
    SyncRunner, reads,
};

/// Fetch reviews from other places on a schedule: a platform's API, a scraper, a published sheet, a folder
#[derive(Debug, Args)]
pub struct SyncCommand {
    #[command(subcommand)]
    command: SyncSubcommand,
}

#[derive(Debug, Subcommand)]
enum SyncSubcommand {
    Add(Box<Add>),
    /// List the sources: schedule, last success, last failure with its reason, next run
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    Run(RunSources),
    /// Stop fetching a source; its reviews stay
    Pause {
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Fetch a paused source again
    Resume {
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Remove a source; its reviews stay
    Remove {
        #[arg(value_name = "NAME")]
        name: String,
    },
}

/// Add a source, or change the one of that name: fetch it once, show what it brings, then store and import it
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag by itself")]
struct Add {
    /// Its name: lower-case letters, digits and -
    #[arg(value_name = "NAME", value_parser = parse_name)]
    name: String,
    /// An https:// URL in which ${NAME} is read from the environment at each run, or a file or folder below the one that
    /// --sync-files names
    #[arg(value_name = "URL")]
    address: String,
    /// Interval between two runs, at least 5m [default: 6h]
    #[arg(long, value_name = "SPAN", conflicts_with = "at", value_parser = SourceSchedule::parse_interval)]
    every: Option<SourceSchedule>,
    /// Schedule of five fields (minute, hour, day, month, weekday) in the business's time zone, such as "15 3 * * *"
    #[arg(long, value_name = "CRON", value_parser = SourceSchedule::parse_cron)]
    at: Option<SourceSchedule>,
    /// Header field of each request, such as 'X-API-KEY: ${NAME}'; may be repeated
    #[arg(long = "header", value_name = "NAME: VALUE")]
    headers: Vec<String>,
    /// User and password of each request, such as '${KEY}:${SECRET}'
    #[arg(long, value_name = "USER:PASSWORD")]
    basic: Option<String>,
    /// The source gives only its newest reviews, so fewer than before are no fault
    #[arg(long)]
    partial: bool,
    /// Fetch an http:// URL of another machine
    #[arg(long)]
    allow_http: bool,
    /// Store and import without asking
    #[arg(long)]
    yes: bool,
    /// Take an answer that changes text or stars of more than half of the source's reviews
    #[arg(long)]
    accept_changes: bool,
    #[command(flatten)]
    reading: ReadingOptions,
    #[command(flatten)]
    config: SyncConfig,
}

/// Fetch sources now, also beside a running service
#[derive(Debug, Args)]
struct RunSources {
    /// [default: all that are not paused]
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Show what the run would change
    #[arg(long)]
    dry_run: bool,
    /// Take the run as it is: with other text or stars of more than half of the source's reviews, many rejected rows, or another
    /// kind of file
    #[arg(long)]
    accept_changes: bool,
    /// Import all doubtful rows as new reviews, or take each as the one review that it may be
    #[arg(long, value_enum, requires = "name")]
    doubtful: Option<Doubtful>,
    #[command(flatten)]
    config: SyncConfig,
}

/// The options of `import` that say how to read, as words of a command line.
#[derive(Debug)]
struct ReadingOptions(Vec<String>);

impl ReadingOptions {
    fn arguments() -> Vec<clap::Arg> {
        let import = ImportRequest::augment_args(Command::new("import"));
        let arguments = import.get_arguments();
        let reading = arguments.filter(|argument| {
            let mut long = argument.get_long().into_iter();
            long.any(reads)
        });
        reading.cloned().collect()
    }
}

impl Args for ReadingOptions {
    fn augment_args(command: Command) -> Command {
        command.args(Self::arguments())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ReadingOptions {
    fn from_arg_matches(matches: &ArgMatches) -> clap::error::Result<Self> {
        let mut words = Vec::new();
        for argument in Self::arguments() {
            let (id, long) = (
                argument.get_id().as_str(),
                argument.get_long().unwrap_or_default(),
            );
            if matches.value_source(id) != Some(ValueSource::CommandLine) {
                continue;
            }
            if matches!(argument.get_action(), ArgAction::SetTrue) {
                words.push(format!("--{long}"));
                continue;
            }
            let values = matches.get_raw(id).into_iter().flatten();
            words.extend(values.map(|value| format!("--{long}={}", value.to_string_lossy())));
        }
        Ok(Self(words))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> clap::error::Result<()> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl SyncCommand {
    pub(super) async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        match self.command {
            SyncSubcommand::Add(add) => Box::pin(add.run(config, clock)).await,
            SyncSubcommand::List { json } => list_sources(config, json).await,
            SyncSubcommand::Run(run) => Box::pin(run.run(config, clock)).await,
            SyncSubcommand::Pause { name } => {
                let done = format!("is paused; `reviews sync resume {name}` fetches it again");
                let pause = async |write: &mut Write| pause_sync_source(write, &name, true).await;
                change_source(config, &name, &done, pause).await
            }
            SyncSubcommand::Resume { name } => {
                let resume = async |write: &mut Write| pause_sync_source(write, &name, false).await;
                change_source(config, &name, "is fetched again on its schedule", resume).await
            }
            SyncSubcommand::Remove { name } => remove_source(config, &name).await,
        }
    }
}

impl Add {
    async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        let mut reading = ImportRequest::parse(&self.reading.0)?;
        if let Some(FormatArgument::File(path)) = &reading.format {
            reading.given = Some(read_format(path)?);
        }
        // A format in a file is kept with the source of the reviews, and a later run follows that.
        let is_stored = |word: &String| reading.given.is_none() || !word.starts_with("--format=");
        let row = SyncSource {
            url: stored_address(&self.address, &self.config),
            schedule: self.every.or(self.at).unwrap_or_default().to_string(),
            options: serde_json::to_string(&SourceOptions {
                headers: self
                    .headers
                    .iter()
                    .map(|header| parse_header(header))
                    .collect::<anyhow::Result<_>>()?,
                basic: self.basic,
                partial: self.partial,
                allow_http: self.allow_http,
                import: self.reading.0.into_iter().filter(is_stored).collect(),
            })?,
            name: self.name,
            ..SyncSource::default()
        };
        let source = Source::read(&row)?;
        let opening = Opening::open(&config.address()?).await?;
        let request = RunRequest {
            cause: Cause::Adding,
            accepts_changes: self.accept_changes,
            reading: Some(reading),
            ..RunRequest::default()
        };
        let runner = SyncRunner::new(&opening.database, clock, Random::system(), self.config);
        let added = add_source(&runner, &source, &request, self.yes).await;
        drop(runner);
        let report = opening.finish(added).await?;
        print_report(&format!(
            "{}{}: fetched {}\n",
            format_run(&report, false),
            row.name,
            format_schedule(&row.schedule)
        ));
        Ok(exit_of(&report.import))
    }
}

/// Fetches a new source, shows what it brings, and stores and imports it if the owner agrees.
async fn add_source(
    runner: &SyncRunner,
    source: &Source,
    request: &RunRequest,
    is_agreed: bool,
) -> anyhow::Result<SyncReport> {
    let name = source.name();
    let stored = || format!("nothing was stored: {name}");
    let mut request = request.clone();
    let fetched = runner.fetch(source, &request, &page_bar()).await;
    let fetched = fetched.with_context(stored)?;
    let preview = loop {
        let preview = apply_run(runner, source, &fetched, &request, true).await;
        let error = match preview {
            Ok(preview) => break preview,
            Err(error) => error,
        };
        let Some(SyncError::Open { draft, .. }) = error.downcast_ref() else {
            return Err(error).with_context(stored);
        };
        let draft = questions::complete((**draft).clone(), false).with_context(stored)?;
        let reading = request.reading.get_or_insert_default();
        reading.given = Some(draft.format);
    };
    let preview = format_run(&preview, true);
    if is_agreed {
        print_report(&preview.replace(NOTHING_CHANGED, ""));
    } else {
        print_report(&preview);
        let question = format!(
            "Store {name}, import these, and fetch it {}?",
            format_schedule(&source.row.schedule)
        );
        ensure!(
            can_ask() && confirm(&question)?,
            "nothing was stored; add --yes to store and import {name} without being asked"
        );
    }
    apply_run(runner, source, &fetched, &request, false)
        .await
        .with_context(stored)
}

impl RunSources {
    async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        let address = existing_address(config)?;
        let rows = read(config, sync_sources).await?;
        let is_any = !rows.is_empty();
        let rows = match &self.name {
            Some(name) => vec![find_source(&rows, name)?.clone()],
            None => rows.into_iter().filter(|row| !row.paused).collect(),
        };
        ensure!(
            !rows.is_empty(),
            if is_any {
                "every source is paused; `reviews sync resume NAME` fetches one again, `reviews sync list` lists them"
            } else {
                "no source to fetch; `reviews sync add NAME URL` adds one"
            }
        );
        let opening = Opening::open(&address).await?;
        let is_dry_run = self.dry_run;
        let request = RunRequest {
            cause: Cause::Command,
            accepts_changes: self.accept_changes,
            doubtful: self.doubtful,
            reading: None,
        };
        let runner = SyncRunner::new(&opening.database, clock, Random::system(), self.config);
        let mut exit = Exit::Done;
        for row in &rows {
            let ran = if is_dry_run {
                preview_run(&runner, row, &request).await
            } else {
                run_source(&runner, &row.name, &request).await
            };
            exit = exit.max(print_run(&row.name, ran, is_dry_run));
        }
        drop(runner);
        opening.persist().await?;
        Ok(exit)
    }
}

fn format_run(report: &SyncReport, is_dry_run: bool) -> String {
    let mut text = summary(&report.import, is_dry_run);
    for note in &report.decision.notes {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "note: {note}");
    }
    text
}

async fn run_source(
    runner: &SyncRunner,
    name: &str,
    request: &RunRequest,
) -> anyhow::Result<SyncReport> {
    let (stop, mut console) = (CancellationToken::new(), Console::new(None));
    let bar = page_bar();
    let run = runner.run_locked(name, request, &stop, &bar, &mut console);
    let run = run.await;
    drop(bar);
    console.finish(run.is_ok())?;
    let report = run.map_err(SyncError::with_details)?;
    report.context("it was removed; nothing was imported")
}

/// Prints the report of a run, or on standard error why it failed.
fn print_run(name: &str, ran: anyhow::Result<SyncReport>, is_dry_run: bool) -> Exit {
    match ran {
        Ok(report) => {
            print_report(&format!("{name}:\n{}", format_run(&report, is_dry_run)));
            exit_of(&report.import)
        }
        Err(error) => {
            let reason = explain_error(&error);
            let _ = print_note(&format!("error: {name}: {}", reason.trim_end()));
            Exit::Failed
        }
    }
}

/// Shows the pages of a fetch until it is dropped.
fn page_bar() -> ProgressBar {
    progress("0", 1).with_style(style("{spinner} page {pos}, {msg} rows"))
}

/// Fetches a source, and reports what its run would change.
async fn preview_run(
    runner: &SyncRunner,
    row: &SyncSource,
    request: &RunRequest,
) -> anyhow::Result<SyncReport> {
    let source = Source::read(row)?;
    let fetched = runner.fetch(&source, request, &page_bar()).await?;
    apply_run(runner, &source, &fetched, request, true).await
}

async fn apply_run(
    runner: &SyncRunner,
    source: &Source,
    fetched: &Fetched,
    request: &RunRequest,
    is_dry_run: bool,
) -> anyhow::Result<SyncReport> {
    let mut console = Console::new(None);
    let applying = runner.apply(source, fetched, request, is_dry_run, &mut console);
    let report = Box::pin(applying).await;
    console.finish(report.is_ok())?;
    Ok(report.map_err(SyncError::with_details)?)
}

/// The address as it is stored: a path below the folder of sources without that folder.
fn stored_address(address: &str, config: &SyncConfig) -> String {
    let root = config.sync_files.as_ref();
    let below = root.and_then(|root| Path::new(address).strip_prefix(root).ok());
    match below {
        Some(below) if below.as_os_str().is_empty() => ".".to_owned(),
        Some(below) => below.display().to_string(),
        None => address.to_owned(),
    }
}

fn parse_name(text: &str) -> Result<String, &'static str> {
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if (1..=64).contains(&text.len()) && text.bytes().all(is_name) {
        return Ok(text.to_owned());
    }
    Err("write at most 64 lower-case letters, digits and -")
}

fn parse_header(text: &str) -> anyhow::Result<(String, String)> {
    let (name, value) = text
        .split_once(':')
        .context("a header is written 'Name: value'")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn find_source<'r>(rows: &'r [SyncSource], name: &str) -> anyhow::Result<&'r SyncSource> {
    let found = rows.iter().find(|row| row.name == name);
    found.with_context(
        || match nearest(name, rows.iter().map(|row| row.name.as_str())) {
            Some(near) => format!(
                "no source {name}; the nearest name is {near}; `reviews sync list` lists them"
            ),
            None => format!("no source {name}; `reviews sync add NAME URL` adds one"),
        },
    )
}

/// Lets `write_change` change a source, and reports what is `done`.
async fn change_source(
    config: &DatabaseConfig,
    name: &str,
    done: &str,
    write_change: impl AsyncFn(&mut Write) -> sqlx::Result<()>,
) -> anyhow::Result<Exit> {
    change(&existing_address(config)?, async |database| {
        write_source(database, name, &write_change).await?;
        Ok(format!("{name} {done}\n"))
    })
    .await
}

async fn write_source(
    database: &Database,
    name: &str,
    write_change: impl AsyncFn(&mut Write) -> sqlx::Result<()>,
) -> anyhow::Result<()> {
    let mut write = database.write_as_owner().await?;
    find_source(&sync_sources(write.for_reading()).await?, name)?;
    write_change(&mut write).await?;
    Ok(write.commit().await?)
}

/// Removes a source with the file of its lock, which no run may hold then.
async fn remove_source(config: &DatabaseConfig, name: &str) -> anyhow::Result<Exit> {
    change(&existing_address(config)?, async |database| {
        find_source(&sync_sources(&mut *database.reader().await?).await?, name)?;
        let lock = database.lock_source(name).await?;
        let lock = lock.with_context(|| format!("{name}: {}", SyncError::Running))?;
        let remove = async |write: &mut Write| remove_sync_source(write, name).await;
        let removed = write_source(database, name, remove).await;
        database.remove_source_lock(name, lock).await?;
        removed?;
        Ok(format!("{name} is removed; its reviews stay\n"))
    })
    .await
}

// The sources, for people and as JSON.

async fn list_sources(config: &DatabaseConfig, is_json: bool) -> anyhow::Result<Exit> {
    let rows = read(config, sync_sources).await?;
    if is_json {
        let rows: Value = rows.iter().map(source_json).collect();
        return print_result(&format!("{rows:#}\n"));
    }
    if rows.is_empty() {
        return print_result("No sources; `reviews sync add NAME URL` adds one.\n");
    }
    print_result(&rows.iter().map(source_text).collect::<Vec<_>>().join("\n"))
}

pub(super) fn source_json(row: &SyncSource) -> Value {
    without_nulls(json!({
        "name": row.name, "url": row.url, "schedule": row.schedule, "paused": row.paused, "next_run_at": row.next_run_at,
        "last_success_at": row.last_success_at, "last_failure_at": row.last_failure_at, "last_failure": row.last_failure,
        "last_outcome": row.last_outcome, "reviews": row.last_count, "doubtful": row.last_doubtful, "last_run": row.last_run,
        "options": format_options(row),
    }))
}

/// The options of a source as `sync add` takes them; `None` without any, and if a secret is written in them.
fn format_options(row: &SyncSource) -> Option<String> {
    let words = Source::read(row).ok()?.options.words();
    let words = shlex::try_join(words.iter().map(String::as_str)).ok()?;
    (!words.is_empty()).then_some(words)
}

pub(super) fn source_text(row: &SyncSource) -> String {
    let mut text = format!("{}: {}\n", row.name, row.url);
    let next = if row.paused {
        format!(
            "paused; `reviews sync resume {}` fetches it again",
            row.name
        )
    } else {
        row.next_run_at.clone().unwrap_or_else(|| "now".to_owned())
    };
    let last = row
        .last_success_at
        .clone()
        .unwrap_or_else(|| "never".to_owned());
    let mut count = row.last_count.map_or_else(String::new, |count| {
        format!(", {}", counted(count.unsigned_abs(), "review", "reviews"))
    });
    if row.last_doubtful > 0 {
        let doubtful = row.last_doubtful.unsigned_abs();
        let _ = write!(
            count,
            ", {}",
            counted(doubtful, "doubtful row", "doubtful rows")
        );
    }
    if let Some(options) = format_options(row) {
        let _ = writeln!(text, "  options       {options}");
    }
    let _ = write!(
        text,
        "  fetched       {}\n  next run      {next}\n  last success  {last}{count}\n",
        format_schedule(&row.schedule)
    );
    if let (Some(at), Some(reason)) = (&row.last_failure_at, &row.last_failure) {
        let _ = writeln!(text, "  last failure  {at}: {reason}");
    }
    text
}

/// A schedule in words.
fn format_schedule(schedule: &str) -> String {
    if schedule.contains(' ') {
        format!("at {schedule}")
    } else {
        format!("every {schedule}")
    }
}
