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
mod session;
mod source;
mod status;
mod sync;

use std::ffi::OsString;
use std::future::pending;
use std::io;
use std::io::Write as _;

use clap::error::ContextValue;
use clap::{
    Arg, ArgMatches, Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand,
};
use database::{name_database, repeat_if_overtaken};
use futures_util::future::LocalBoxFuture;
use logging::{Log, LogConfig};
pub use report::Exit;
use report::explain_error;
use rustix::process::Signal;
pub use session::{Host, InputStream, OutputStream, Session};
use tokio::runtime::Handle;
use tokio::signal::unix::{self, SignalKind, signal};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

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

/// Runs the command that the arguments name, and prints what comes of it. The future is boxed so that it is compiled into the
/// library: a plain `async fn` would be compiled, with all that it awaits, into the binary, and what both use would be compiled
/// twice.
pub fn run(session: Session) -> LocalBoxFuture<'static, Exit> {
    Box::pin(async move {
        let cli = match Cli::read(&session) {
            Ok(cli) => cli,
            Err(exit) => return exit,
        };
        let log = Log::start(&cli.log, &session);
        cli.run(session).await.unwrap_or_else(|error| {
            // If the log cannot be written, the exit code still reports the failure.
            log.fail(&explain_error(&error));
            Exit::Failed
        })
    })
}

impl Cli {
    /// Parses the command line and the environment.
    ///
    /// # Errors
    /// The exit code, after printing an error, the help or the version.
    fn read(session: &Session) -> Result<Self, Exit> {
        let settings = SettingsFile::read().map_err(|error| {
            let _ = session.print_note(&format!("error: {error}"));
            Exit::Failed
        })?;
        let read = |command| -> clap::error::Result<Self> {
            let command = settings.apply(command, &session.environment);
            let matches = command.try_get_matches_from(&session.arguments)?;
            let mut cli = Self::from_arg_matches(&matches)?;
            cli.database.environment = session.environment.clone();
            if let (CliCommand::Serve(serve), Some((_, matches_of_serve))) =
                (&mut cli.command, matches.subcommand())
                && serve.print_config
            {
                serve.settings = collect_settings(matches_of_serve);
            }
            Ok(cli)
        };
        let command = take_hyphened_ids(Self::command(), &session.arguments);
        read(guide::command(command)).map_err(|error| {
            let note = note_variable(&error, Self::command());
            let is_help = !error.use_stderr();
            let printed = print_usage(error, session);
            if let Some(note) = note {
                let _ = session.print_note(&note);
            }
            if is_help && printed.is_ok() {
                Exit::Done
            } else {
                Exit::Failed
            }
        })
    }

    /// # Errors
    /// The failure and its remedy.
    async fn run(self, session: Session) -> anyhow::Result<Exit> {
        let path = self.database.path();
        let run = match session.host {
            Host::Process => self.run_in_process(session).await,
            Host::Thread(_) => self.run_command(&session).await,
        };
        let steps = DATABASE_STEPS.counter(&[]).get();
        tracing::debug!(steps, "command.ended: the steps of SQLite that it took");
        run.map_err(|error| match path {
            Ok(path) => name_database(error, &path),
            Err(_) => error,
        })
    }

    /// Runs the command as the only one of the process.
    async fn run_in_process(self, session: Session) -> anyhow::Result<Exit> {
        // A write beyond the limit on file sizes (RLIMIT_FSIZE) raises SIGXFSZ, which ends the process. Caught, the write
        // fails like any other (setrlimit(2)), and can be undone and reported. The handler stays, without a listener.
        drop(signal(SignalKind::from_raw(Signal::XFSZ.as_raw()))?);
        let run = if matches!(self.command, CliCommand::Serve(_)) {
            // It stops cleanly.
            self.run_command(&session).await
        } else {
            run_until_signal(move || async move { self.run_command(&session).await }).await
        };
        kill_commands();
        remove_unfinished();
        run
    }

    async fn run_command(self, session: &Session) -> anyhow::Result<Exit> {
        let Self {
            database, command, ..
        } = self;
        match command {
            CliCommand::Serve(serve) => serve.run(database, session).await,
            CliCommand::Migrate(migrate) => migrate.run(&database, session).await,
            CliCommand::Init(init) => init.run(&database, session).await,
            CliCommand::Business(business) => business.run(&database, session).await,
            CliCommand::Editorial(editorial) => editorial.run(&database, session).await,
            CliCommand::Seed(seed) => repeat_if_overtaken(|| seed.run(&database, session)).await,
            CliCommand::Import(import) => Box::pin(import.run(&database, session)).await,
            CliCommand::Status(status) => status.run(&database, session).await,
            CliCommand::Sync(sync) => sync.run(&database, session).await,
            CliCommand::Undo(undo) => undo.run(&database, session).await,
            CliCommand::Source(source) => source.run(&database, session).await,
            CliCommand::List(list) => list.run(&database, session).await,
            CliCommand::Show(show) => show.run(&database, session).await,
            CliCommand::Withhold(withhold) => withhold.run(&database, session).await,
            CliCommand::Publish(publish) => publish.run(&database, session).await,
            CliCommand::Reply(reply) => reply.run(&database, session).await,
            CliCommand::Anonymize(anonymize) => anonymize.run(&database, session).await,
            CliCommand::Delete(delete) => delete.run(&database, session).await,
            CliCommand::Export(export) => export.run(&database, session).await,
            CliCommand::Backup(backup) => backup.run(&database, session).await,
            CliCommand::Restore(restore) => restore.run(&database, session).await,
            CliCommand::Insights(insights) => insights.run(&database, session).await,
            CliCommand::Subscriptions(subscriptions) => subscriptions.run(&database, session).await,
            CliCommand::Mcp(mcp) => mcp.run(database, session).await,
            CliCommand::Check(check) => check.run(&database, session).await,
            CliCommand::Healthcheck(healthcheck) => healthcheck.run(session).await,
            CliCommand::Completions(completions) => completions.run(Self::command(), session),
            CliCommand::Man(man) => man.run(Self::command(), session),
        }
    }
}

/// Lets an ID begin with one hyphen where an argument does; one that begins with two is an option, unless it follows ` -- `.
fn take_hyphened_ids(command: Command, arguments: &[OsString]) -> Command {
    let is_hyphened = |argument: &OsString| matches!(argument.as_encoded_bytes(), [b'-', next, _, ..] if *next != b'-');
    if !arguments.iter().any(is_hyphened) {
        return command;
    }
    command
        .mut_args(|argument| {
            let is_id = argument.get_id() == "id";
            argument.allow_hyphen_values(is_id)
        })
        .mut_subcommands(|command| take_hyphened_ids(command, arguments))
}

/// Prints the help, the version or an error. Errors repeat arguments, which may contain text of others, and are printed without hidden
/// characters. They have no colors, because escapes of a terminal in an argument could not be told from those of colors.
fn print_usage(mut error: clap::Error, session: &Session) -> io::Result<()> {
    if !error.use_stderr() {
        let text = error.render();
        let text = if has_colors(session) {
            text.ansi().to_string()
        } else {
            text.to_string()
        };
        return session.output.clone().write_all(text.as_bytes());
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
    session.errors.print(&error.render().to_string())
}

/// Whether the output is a terminal whose owner has nothing against colors (<https://no-color.org>).
fn has_colors(session: &Session) -> bool {
    let variable = |name| session.environment.variable(name).unwrap_or_default();
    session.output.is_terminal && variable("NO_COLOR").is_empty() && variable("TERM") != "dumb"
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

/// What ends a command; `serve` stops cleanly.
enum Signals {
    /// SIGTERM and SIGINT.
    OfProcess {
        terminate: unix::Signal,
        interrupt: unix::Signal,
    },
    /// What stands for them in a process that may run several commands.
    Token(CancellationToken),
}

impl Signals {
    fn catch(host: &Host) -> io::Result<Self> {
        Ok(match host {
            Host::Process => Self::OfProcess {
                terminate: signal(SignalKind::terminate())?,
                interrupt: signal(SignalKind::interrupt())?,
            },
            Host::Thread(stop) => Self::Token(stop.clone()),
        })
    }

    /// The next SIGINT.
    async fn interrupted(&mut self) {
        match self {
            Self::OfProcess { interrupt, .. } => drop(interrupt.recv().await),
            Self::Token(_) => pending().await,
        }
    }

    /// The next signal: its name, and the exit code of a command that it ends.
    async fn next(&mut self) -> (&'static str, Exit) {
        match self {
            Self::OfProcess {
                terminate,
                interrupt,
            } => tokio::select! {
                _ = terminate.recv() => ("SIGTERM", Exit::Terminated),
                _ = interrupt.recv() => ("SIGINT", Exit::Interrupted),
            },
            Self::Token(stop) => {
                stop.cancelled().await;
                ("SIGTERM", Exit::Terminated)
            }
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
    let mut signals = Signals::catch(&Host::Process)?;
    let runtime = Handle::current();
    let done = spawn_blocking(move || runtime.block_on(command()));
    tokio::select! {
        done = done => done?,
        (_, exit) = signals.next() => Ok(exit),
    }
}
