//! The command line: one file per command. Results go to standard output, logs to standard error.

mod backup;
mod business;
mod check;
mod decision;
mod delete;
mod export;
pub mod import;
mod init;
mod insights;
pub mod logging;
mod migrate;
mod output;
mod publish;
pub mod report;
mod respond;
pub mod seed;
mod serve;
mod show;
mod subscriptions;
mod trade;
mod withhold;

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Parser, Subcommand};

use crate::clock::Clock;
use crate::config::DatabaseConfig;

/// Publishes the verified reviews of one business, read-only
#[derive(Debug, Parser)]
#[command(name = "reviews", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten)]
    database: DatabaseConfig,
    /// What is logged, as a filter like `info` or `warn,reviews_service=debug` [default: info]
    #[arg(
        long = "log",
        value_name = "FILTER",
        env = "RUST_LOG",
        default_value = "",
        hide_default_value = true,
        global = true,
        value_parser = logging::checked
    )]
    log: String,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(Box<serve::Serve>),
    Migrate(migrate::Migrate),
    Init(init::Init),
    Business(business::BusinessCommand),
    Seed(seed::Seed),
    Import(Box<import::Import>),
    Show(show::Show),
    Withhold(withhold::Withhold),
    Publish(publish::Publish),
    Respond(respond::Respond),
    Delete(delete::Delete),
    Export(export::ExportCommand),
    Backup(backup::Backup),
    Insights(insights::Insights),
    Subscriptions(subscriptions::Subscriptions),
    Check(check::Check),
}

/// What a command came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All is done: exit code 0.
    Done,
    /// It finished, but some rows were rejected: exit code 1.
    SomeRejected,
    /// It failed, and has said why: exit code 2.
    Failed,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::SUCCESS,
            Outcome::SomeRejected => Self::from(1),
            Outcome::Failed => Self::from(2),
        }
    }
}

impl Cli {
    /// What is logged.
    #[must_use]
    pub fn log(&self) -> &str {
        &self.log
    }

    /// Runs the command that was given.
    ///
    /// # Errors
    /// What went wrong, and what to do.
    pub async fn run(self) -> anyhow::Result<Outcome> {
        let Self { database, log: _, command } = self;
        let clock = Clock::system();
        match command {
            Command::Serve(serve) => serve.run(database, clock).await,
            Command::Migrate(migrate) => migrate.run(&database).await,
            Command::Init(init) => init.run(&database, &clock).await,
            Command::Business(business) => business.run(&database, &clock).await,
            Command::Seed(seed) => seed.run(&database, &clock).await,
            Command::Import(import) => import.run(&database, &clock).await,
            Command::Show(show) => show.run(&database).await,
            Command::Withhold(withhold) => withhold.run(&database, &clock).await,
            Command::Publish(publish) => publish.run(&database, &clock).await,
            Command::Respond(respond) => respond.run(&database, &clock).await,
            Command::Delete(delete) => delete.run(&database).await,
            Command::Export(export) => export.run(&database).await,
            Command::Backup(backup) => backup.run(&database).await,
            Command::Insights(insights) => insights.run(&database).await,
            Command::Subscriptions(subscriptions) => subscriptions.run(&database, &clock).await,
            Command::Check(check) => check.run(&database).await,
        }
    }
}

/// Prints what a command has done. That it was done does not hang on who reads it: where nobody does any more (`| head -0`),
/// the report ends and the command goes on; where it cannot be written for another reason, that is said.
fn report_done(text: &str) {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let _ = writeln!(std::io::stderr(), "warning: done, but the report cannot be printed: {error}");
        }
        Ok(()) | Err(_) => {}
    }
}

/// What went wrong, in one line, outermost cause first. Many messages hold that of their cause; a cause is not said again.
#[must_use]
pub fn explain(error: &anyhow::Error) -> String {
    error
        .chain()
        .skip(1)
        .map(ToString::to_string)
        .fold(error.to_string(), |said, cause| if said.contains(&cause) { said } else { format!("{said}: {cause}") })
}

/// Prints a result. Where nobody reads it any more (`| head`), that is an error and no panic.
fn say(text: &str) -> anyhow::Result<()> {
    std::io::stdout().write_all(text.as_bytes()).context("cannot print the result")
}
