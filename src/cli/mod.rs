//! The command line: one file per command. Results go to standard output, logs to standard error.

mod backup;
mod business;
mod check;
mod decision;
mod delete;
mod editorial;
mod export;
pub mod guide;
mod healthcheck;
pub mod import;
mod init;
mod insights;
mod list;
pub(crate) mod logging;
mod mcp;
mod migrate;
mod output;
mod publish;
mod respond;
mod restore;
pub mod seed;
mod serve;
mod settings_file;
mod show;
mod status;
mod subscriptions;
mod terminal;
mod undo;
mod withhold;

use std::fmt::Write as _;
use std::io;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::error::ErrorKind;
use clap::{Args, FromArgMatches as _, Parser, Subcommand};
use futures_util::future::LocalBoxFuture;
use logging::{Log, LogFormat};
use rustix::process::{Resource, Signal, getrlimit};
use sqlx::SqliteConnection;
use tokio::signal::unix::{SignalKind, signal};

use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::imports::ImportError;
use crate::imports::undo::UndoError;
use crate::mcp::escaped;
use crate::storage::{AtPath as _, ClusterError, Database, DbError};

/// Publishes the verified reviews of one business, read-only
#[derive(Debug, Parser)]
#[command(name = "reviews", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten)]
    database: DatabaseConfig,
    #[command(flatten)]
    log: LogConfig,
    #[command(subcommand)]
    command: CliCommand,
}

/// What is logged, and how.
#[derive(Debug, Clone, Args)]
struct LogConfig {
    /// Log filter, for example `info` or `warn,reviews_service=debug` [default: info]
    #[arg(
        id = "log_filter",
        long = "log",
        value_name = "FILTER",
        env = "RUST_LOG",
        default_value = "",
        hide_default_value = true,
        help_heading = "Global options",
        global = true,
        value_parser = logging::checked
    )]
    filter: String,
    /// Log format: text for people, or one JSON object per line
    #[arg(
        id = "log_format",
        long = "log-format",
        value_name = "FORMAT",
        env = "REVIEWS_LOG_FORMAT",
        default_value = "text",
        help_heading = "Global options",
        global = true
    )]
    format: LogFormat,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    Serve(Box<serve::Serve>),
    Migrate(migrate::Migrate),
    Init(init::Init),
    Business(business::BusinessCommand),
    Editorial(editorial::EditorialCommand),
    Seed(seed::SeedCommand),
    Import(Box<import::Import>),
    Status(status::StatusCommand),
    Undo(undo::UndoCommand),
    List(list::ListCommand),
    Show(show::Show),
    Withhold(withhold::Withhold),
    Publish(publish::Publish),
    Respond(respond::Respond),
    Delete(delete::Delete),
    Export(export::ExportCommand),
    Backup(backup::Backup),
    Restore(restore::RestoreCommand),
    Insights(insights::InsightsCommand),
    Subscriptions(subscriptions::Subscriptions),
    Mcp(Box<mcp::McpCommand>),
    Check(check::Check),
    Healthcheck(healthcheck::Healthcheck),
    Completions(guide::Completions),
    Man(guide::Man),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Exit code 0.
    Done,
    /// Some rows were rejected: exit code 1.
    SomeRejected,
    /// The command failed and reported why: exit code 2.
    Failed,
}

impl From<Exit> for ExitCode {
    fn from(outcome: Exit) -> Self {
        match outcome {
            Exit::Done => Self::SUCCESS,
            Exit::SomeRejected => Self::from(1),
            Exit::Failed => Self::from(2),
        }
    }
}

impl Cli {
    /// Parses the command line and the environment.
    ///
    /// # Errors
    /// The exit code, after printing an error, the help or the version.
    pub fn read() -> Result<Self, ExitCode> {
        let settings = settings_file::read().map_err(|error| {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(2)
        })?;
        let command = settings_file::apply(guide::command(), &settings);
        let matches = command.try_get_matches();
        let read = matches.and_then(|matches| Self::from_arg_matches(&matches));
        read.map_err(|error| {
            let printed = if error.kind() == ErrorKind::DisplayVersion {
                guide::print_version()
            } else {
                error.print().map_err(anyhow::Error::from)
            };
            if let Some(note) = settings_file::note(&error, &settings) {
                let _ = writeln!(io::stderr(), "{note}");
            }
            match printed {
                Ok(()) => u8::try_from(error.exit_code()).unwrap_or(2).into(),
                Err(_) => ExitCode::from(2),
            }
        })
    }

    pub fn start_log(&self) -> Log {
        logging::start(&self.log.filter, self.log.format)
    }

    /// Runs the command. The future is boxed so that it is compiled into the library: a plain `async fn` would be compiled,
    /// with all that it awaits, into the binary, and what both use would be compiled twice.
    ///
    /// # Errors
    /// The failure and its remedy.
    pub fn run(self) -> LocalBoxFuture<'static, anyhow::Result<Exit>> {
        Box::pin(async move {
            catch_signal()?;
            self.run_command().await.map_err(name)
        })
    }

    async fn run_command(self) -> anyhow::Result<Exit> {
        let Self {
            database,
            log,
            command,
        } = self;
        let clock = Clock::system();
        match command {
            CliCommand::Serve(serve) => serve.run(database, &log, clock).await,
            CliCommand::Migrate(migrate) => migrate.run(&database).await,
            CliCommand::Init(init) => repeated(|| init.clone().run(&database, &clock)).await,
            CliCommand::Business(it) => repeated(|| it.clone().run(&database, &clock)).await,
            CliCommand::Editorial(it) => repeated(|| it.clone().run(&database)).await,
            CliCommand::Seed(seed) => repeated(|| seed.clone().run(&database, &clock)).await,
            // Standard input can be read only once.
            CliCommand::Import(import) if import.reads_input() => {
                import.run(&database, &clock).await
            }
            CliCommand::Import(import) => repeated(|| import.clone().run(&database, &clock)).await,
            CliCommand::Status(status) => status.run(&database, &clock).await,
            CliCommand::Undo(undo) => repeated(|| undo.clone().run(&database, &clock)).await,
            CliCommand::List(list) => list.run(&database).await,
            CliCommand::Show(show) => show.run(&database).await,
            CliCommand::Withhold(it) => repeated(|| it.clone().run(&database, &clock)).await,
            CliCommand::Publish(publish) => {
                repeated(|| publish.clone().run(&database, &clock)).await
            }
            CliCommand::Respond(respond) if respond.reads_input() => {
                respond.run(&database, &clock).await
            }
            CliCommand::Respond(respond) => {
                repeated(|| respond.clone().run(&database, &clock)).await
            }
            CliCommand::Delete(delete) => repeated(|| delete.clone().run(&database)).await,
            CliCommand::Export(export) => export.run(&database).await,
            CliCommand::Backup(backup) => backup.run(&database).await,
            CliCommand::Restore(restore) => restore.run(&database, &clock).await,
            CliCommand::Insights(insights) => insights.run(&database).await,
            CliCommand::Subscriptions(subscriptions) => subscriptions.run(&database, &clock).await,
            CliCommand::Mcp(mcp) => mcp.run(database, clock).await,
            CliCommand::Check(check) => check.run(&database).await,
            CliCommand::Healthcheck(healthcheck) => healthcheck.run().await,
            CliCommand::Completions(completions) => completions.run(),
            CliCommand::Man(man) => man.run(),
        }
    }
}

/// Reads from the database at `path` in one transaction; creates, migrates and writes nothing.
///
/// # Errors
/// Those of `work`, and if the database cannot be read.
async fn read<T, E: From<DbError>>(
    path: &Path,
    work: impl AsyncFnOnce(&mut SqliteConnection) -> Result<T, E>,
) -> Result<T, E> {
    let readers = Database::open_read_only(path).await?;
    let mut transaction = readers.begin().await.at(path)?;
    let worked = work(&mut transaction).await;
    drop(transaction);
    readers.close().await;
    worked
}

/// Maximum number of attempts of a command that other writers of a cluster overtake.
const OVERTAKEN_MAX: usize = 8;

/// Runs a command, and runs it again if another process wrote to the cluster in the meantime. The earlier attempt then
/// changed nothing, and the next one sees the other process's changes.
async fn repeated<F: Future<Output = anyhow::Result<Exit>>>(
    mut run: impl FnMut() -> F,
) -> anyhow::Result<Exit> {
    for _ in 1..OVERTAKEN_MAX {
        match run().await {
            Err(error) if is_overtaken(&error) => {}
            done => return done,
        }
    }
    run().await
}

/// Whether another process wrote to the cluster while a command worked on its copy.
fn is_overtaken(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let by_cluster = |error: &ClusterError| *error == ClusterError::Overtaken;
        cause.downcast_ref::<ClusterError>().is_some_and(by_cluster)
            || matches!(cause.downcast_ref::<DbError>(), Some(DbError::Cluster(error)) if by_cluster(error))
            || matches!(cause.downcast_ref::<ImportError>(), Some(ImportError::Database(DbError::Cluster(error))) if by_cluster(error))
            || matches!(cause.downcast_ref::<UndoError>(), Some(UndoError::Database(DbError::Cluster(error))) if by_cluster(error))
    })
}

/// Prints the report of a command that is done, whether or not the report is read: a closed pipe (`| head -0`) is
/// ignored, and any other error is reported.
fn report_done(text: &str) -> Exit {
    if let Err(error) = io::stdout().write_all(escaped(text.to_owned()).as_bytes())
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        let _ = writeln!(
            io::stderr(),
            "warning: done, but the report cannot be printed: {error}"
        );
    }
    Exit::Done
}

/// The error in one line, outermost cause first. A cause that is already part of a message is not repeated. Control
/// characters are escaped.
pub fn explain(error: &anyhow::Error) -> String {
    let mut said = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !said.contains(&cause) {
            said = format!("{said}: {cause}");
        }
    }
    escaped(said)
}

/// Prints the result of a command, text or JSON. Control characters are escaped, because the texts of reviews are
/// untrusted. A closed pipe (`| head`) is an error instead of a panic.
fn say(text: &str) -> anyhow::Result<Exit> {
    io::stdout()
        .write_all(escaped(text.to_owned()).as_bytes())
        .context("cannot print the result")?;
    Ok(Exit::Done)
}

/// Adds the line `COUNT TEXT` to a report, unless the count is 0.
fn add_count(report: &mut String, count: u64, text: &str) {
    if count > 0 {
        // Writing into a String cannot fail.
        let _ = writeln!(report, "{count} {text}");
    }
}

// The limit on file sizes (`RLIMIT_FSIZE`: `ulimit -f`, `LimitFSIZE=`). Writing beyond it raises SIGXFSZ, which ends
// the process, unless it is caught: then the write fails like any other (setrlimit(2)), and can be undone and
// reported.

/// Catches the signal until the process ends.
///
/// # Errors
/// The system's error.
fn catch_signal() -> io::Result<()> {
    // The handler stays installed (tokio::signal::unix::signal, "Caveats"), even without a listener.
    signal(SignalKind::from_raw(Signal::XFSZ.as_raw())).map(drop)
}

/// Logs the limit at start.
fn log_file_size_limit() {
    if let Some(bytes) = limit() {
        tracing::warn!(
            bytes,
            "process.small_files: files are limited to {bytes} bytes (ulimit -f, LimitFSIZE=): a database that reaches the limit \
             accepts no more writes"
        );
    }
}

/// Adds the limit to an error that it may have caused: SQLite reports only a failed write, and some other errors
/// contain only the system's message.
fn name(error: anyhow::Error) -> anyhow::Error {
    match limit() {
        Some(bytes) if error.chain().any(is_failed_write) => error.context(format!(
            "files are limited to {bytes} bytes (ulimit -f, LimitFSIZE=), which may be the cause; raise that limit and try again"
        )),
        Some(_) | None => error,
    }
}

fn limit() -> Option<u64> {
    getrlimit(Resource::Fsize).current
}

fn is_failed_write(cause: &(dyn std::error::Error + 'static)) -> bool {
    let said = cause.to_string();
    // SQLITE_IOERR (https://www.sqlite.org/rescode.html#ioerr).
    said.contains("disk I/O error")
        || said.contains(&io::Error::from(rustix::io::Errno::FBIG).to_string())
}
