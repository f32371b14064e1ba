//! `reviews insights`: shows what the reviews say, derives it anew, and tells why.

mod evaluate;
mod explain;
mod lint;
mod rebuild;
mod show;
mod whole;

use clap::{Args, Subcommand};

use super::Outcome;
use crate::config::{DatabaseConfig, TradeConfig};

/// Show what the reviews say, derive it anew, measure how well it is read, or check a trade package
#[derive(Debug, Args)]
pub struct Insights {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    trade: TradeConfig,
}

#[derive(Debug, Subcommand)]
enum Command {
    Evaluate(evaluate::Evaluate),
    Explain(explain::Explain),
    Lint(lint::Lint),
    /// Delete all that was derived, and derive it anew; the firm's own texts stay
    Rebuild,
}

impl Insights {
    pub(super) async fn run(self, database: &DatabaseConfig) -> anyhow::Result<Outcome> {
        let engines = super::trade::load(&self.trade)?;
        match self.command {
            None => show::run(database, engines).await,
            Some(Command::Evaluate(evaluate)) => evaluate.run(&engines),
            Some(Command::Explain(explain)) => explain.run(database, engines).await,
            Some(Command::Lint(lint)) => lint.run(),
            Some(Command::Rebuild) => rebuild::run(database, engines).await,
        }
    }
}
