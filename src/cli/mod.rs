//! The command line: one file per command. Results go to standard output, logs to standard error.

mod check;
pub mod import;
mod insights;
mod migrate;
pub mod seed;
mod serve;
mod subscriptions;
mod trade;

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
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(Box<serve::Serve>),
    Migrate(migrate::Migrate),
    Seed(seed::Seed),
    Import(import::Import),
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
    /// Runs the command that was given.
    ///
    /// # Errors
    /// What went wrong, and what to do.
    pub async fn run(self) -> anyhow::Result<Outcome> {
        let Self { database, command } = self;
        let clock = Clock::system();
        match command {
            Command::Serve(serve) => serve.run(&database, clock).await,
            Command::Migrate(migrate) => migrate.run(&database).await,
            Command::Seed(seed) => seed.run(&database, &clock).await,
            Command::Import(import) => import.run(&database, &clock).await,
            Command::Insights(insights) => insights.run(&database).await,
            Command::Subscriptions(subscriptions) => subscriptions.run(&database).await,
            Command::Check(check) => check.run(&database).await,
        }
    }
}

/// Prints a result. Where nobody reads it any more (`| head`), that is an error and no panic.
fn say(text: &str) -> anyhow::Result<()> {
    std::io::stdout().write_all(text.as_bytes()).context("cannot print the result")
}
