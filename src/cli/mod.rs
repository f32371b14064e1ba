//! The command line: a file for each idea, with the commands that share it. Results go to standard output, logs to standard error.

mod backup;
mod business;
mod check;
mod database;
mod decisions;
mod export;
pub mod guide;
mod healthcheck;
mod import;
mod insights;
mod list;
mod logging;
mod output;
mod questions;
mod report;
mod serve;
mod source;
mod status;
mod sync;

use std::io;
use std::io::Write as _;
use std::process::ExitCode;

use clap::error::ContextValue;
use clap::{
    Arg, ArgMatches, Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand,
};
use database::{name_database, repeat_if_overtaken};
use futures_util::future::LocalBoxFuture;
use logging::{Log, LogConfig};
pub use report::{Exit, explain_error};
use rustix::process::Signal;
use tokio::runtime::Handle;
use tokio::signal::unix::{self, SignalKind, signal};
use tokio::task::spawn_blocking;

use crate::clock::Clock;
use crate::config::{DatabaseConfig, SettingsFile, note_variable};
use crate::metrics::DATABASE_STEPS;
use crate::model::text::escaped;
use crate::storage::remove_unfinished;
use crate::sync::kill_commands;

const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (commit ",
    env!("REVIEWS_COMMIT"),
    ")"
);

/// Publishes the reviews of one business, read-only
#[derive(Debug, Parser)]
#[command(name = "reviews", version = VERSION, arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten)]
    database: DatabaseConfig,
    #[command(flatten)]
    log: LogConfig,
    #[command(subcommand)]
    command: CliCommand,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    Serve(Box<serve::Serve>),
    Migrate(check::Migrate),
    Init(business::Init),
    Business(business::BusinessCommand),
    Editorial(business::EditorialCommand),
    Seed(import::SeedCommand),
    Import(Box<import::Import>),
    Status(status::StatusCommand),
    Sync(sync::SyncCommand),
    Undo(source::UndoCommand),
    Source(source::SourceCommand),
    List(list::ListCommand),
    Show(list::Show),
    Withhold(decisions::Withhold),
    Publish(decisions::Publish),
    Reply(decisions::ReplyCommand),
    Anonymize(decisions::Anonymize),
    Delete(decisions::Delete),
    Export(export::ExportCommand),
    Backup(backup::Backup),
    Restore(backup::RestoreCommand),
    Insights(insights::InsightsCommand),
    Subscriptions(status::Subscriptions),
    Mcp(serve::McpCommand),
    Check(check::Check),
    Healthcheck(healthcheck::Healthcheck),
    Completions(guide::Completions),
    Man(guide::Man),
}

impl Cli {
    /// Parses the command line and the environment.
    ///
    /// # Errors
    /// The exit code, after printing an error, the help or the version.
    pub fn read() -> Result<Self, ExitCode> {
        let settings = SettingsFile::read().map_err(|error| {
            let _ = writeln!(io::stderr(), "error: {}", escaped(error.to_string()));
            ExitCode::from(2)
        })?;
        let read = |command| -> clap::error::Result<Self> {
            let matches = settings.apply(command).try_get_matches()?;
            let mut cli = Self::from_arg_matches(&matches)?;
            if let (CliCommand::Serve(serve), Some((_, matches_of_serve))) =
                (&mut cli.command, matches.subcommand())
                && serve.print_config
            {
                serve.settings = collect_settings(matches_of_serve);
            }
            Ok(cli)
        };
        read(guide::command(Self::command())).map_err(|error| {
            let note = note_variable(&error, Self::command());
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            let printed = print_usage(error);
            if let Some(note) = note {
                let _ = writeln!(io::stderr(), "{note}");
            }
            ExitCode::from(if printed.is_ok() { code } else { 2 })
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
            // A write beyond the limit on file sizes (RLIMIT_FSIZE) raises SIGXFSZ, which ends the process. Caught, the write
            // fails like any other (setrlimit(2)), and can be undone and reported. The handler stays, without a listener.
            drop(signal(SignalKind::from_raw(Signal::XFSZ.as_raw()))?);
            let path = self.database.path();
            let run = if matches!(self.command, CliCommand::Serve(_)) {
                // It stops cleanly.
                self.run_command().await
            } else {
                run_until_signal(|| self.run_command()).await
            };
            kill_commands();
            remove_unfinished();
            let steps = DATABASE_STEPS.counter(&[]).get();
            tracing::debug!(steps, "command.ended: the steps of SQLite that it took");
            run.map_err(|error| match path {
                Ok(path) => name_database(error, &path),
                Err(_) => error,
            })
        })
    }

    async fn run_command(self) -> anyhow::Result<Exit> {
        let Self {
            database, command, ..
        } = self;
        let clock = Clock::system();
        match command {
            CliCommand::Serve(serve) => serve.run(database, clock).await,
            CliCommand::Migrate(migrate) => migrate.run(&database).await,
            CliCommand::Init(init) => init.run(&database).await,
            CliCommand::Business(business) => business.run(&database).await,
            CliCommand::Editorial(editorial) => editorial.run(&database).await,
            CliCommand::Seed(seed) => repeat_if_overtaken(|| seed.run(&database, &clock)).await,
            CliCommand::Import(import) => Box::pin(import.run(&database, &clock)).await,
            CliCommand::Status(status) => status.run(&database, &clock).await,
            CliCommand::Sync(sync) => sync.run(&database, &clock).await,
            CliCommand::Undo(undo) => undo.run(&database, &clock).await,
            CliCommand::Source(source) => source.run(&database).await,
            CliCommand::List(list) => list.run(&database).await,
            CliCommand::Show(show) => show.run(&database).await,
            CliCommand::Withhold(withhold) => withhold.run(&database, &clock).await,
            CliCommand::Publish(publish) => publish.run(&database, &clock).await,
            CliCommand::Reply(reply) => reply.run(&database, &clock).await,
            CliCommand::Anonymize(anonymize) => anonymize.run(&database, &clock).await,
            CliCommand::Delete(delete) => delete.run(&database, &clock).await,
            CliCommand::Export(export) => export.run(&database).await,
            CliCommand::Backup(backup) => backup.run(&database).await,
            CliCommand::Restore(restore) => restore.run(&database, &clock).await,
            CliCommand::Insights(insights) => insights.run(&database).await,
            CliCommand::Subscriptions(subscriptions) => subscriptions.run(&database, &clock).await,
            CliCommand::Mcp(mcp) => mcp.run(database, clock).await,
            CliCommand::Check(check) => check.run(&database).await,
            CliCommand::Healthcheck(healthcheck) => healthcheck.run().await,
            CliCommand::Completions(completions) => completions.run(Self::command()),
            CliCommand::Man(man) => man.run(Self::command()),
        }
    }
}

/// Prints the help, the version or an error. Errors repeat arguments, which may contain text of others, and are printed without hidden
/// characters. They have no colors, because escapes of a terminal in an argument could not be told from those of colors.
fn print_usage(mut error: clap::Error) -> io::Result<()> {
    if !error.use_stderr() {
        return error.print();
    }
    let values: Vec<_> = error
        .context()
        .map(|(kind, value)| (kind, value.clone()))
        .collect();
    for (kind, value) in values {
        if let ContextValue::String(text) = value {
            error.insert(kind, ContextValue::String(escaped(text)));
        } else if let ContextValue::Strings(texts) = value {
            let texts = texts.into_iter().map(escaped);
            error.insert(kind, ContextValue::Strings(texts.collect()));
        }
    }
    io::stderr().write_all(escaped(error.render().to_string()).as_bytes())
}

/// Every setting of `serve` by the name of its variable, as it was given: by a flag, by the variable, by the file of
/// settings or as a default.
fn collect_settings(matches: &ArgMatches) -> Vec<(String, String)> {
    let cli = Cli::command();
    let serve = cli.find_subcommand("serve").into_iter();
    let arguments = cli
        .get_arguments()
        .chain(serve.flat_map(Command::get_arguments));
    let setting = |argument: &Arg| {
        let name = argument.get_env()?.to_string_lossy().into_owned();
        let values = matches.get_raw(argument.get_id().as_str());
        let values = values.into_iter().flatten();
        let values: Vec<_> = values.map(|value| value.to_string_lossy()).collect();
        // A list may contain line breaks; a line of an environment file cannot.
        Some((name, values.join(",").replace(['\r', '\n'], " ")))
    };
    arguments.filter_map(setting).collect()
}

/// SIGTERM and SIGINT, which end a command; `serve` stops cleanly.
struct Signals {
    terminate: unix::Signal,
    interrupt: unix::Signal,
}

impl Signals {
    fn catch() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// The next signal: its name, and the exit code of a command that it ends.
    async fn next(&mut self) -> (&'static str, Exit) {
        tokio::select! {
            _ = self.terminate.recv() => ("SIGTERM", Exit::Terminated),
            _ = self.interrupt.recv() => ("SIGINT", Exit::Interrupted),
        }
    }
}

/// Runs a command until it is done or a signal ends it. It runs on another thread, so that a signal is noticed while it
/// computes or waits for input.
///
/// # Errors
/// Those of the command, and if it panics.
async fn run_until_signal<W: Future<Output = anyhow::Result<Exit>>>(
    command: impl FnOnce() -> W + Send + 'static,
) -> anyhow::Result<Exit> {
    let mut signals = Signals::catch()?;
    let runtime = Handle::current();
    let done = spawn_blocking(move || runtime.block_on(command()));
    tokio::select! {
        done = done => done?,
        (_, exit) = signals.next() => Ok(exit),
    }
}
