//! `reviews insights`: shows what the reviews say, derives it anew, and tells why.

mod evaluate;
mod explain;
mod rebuild;
mod show;

use clap::{Args, Subcommand};

use super::Outcome;
use crate::config::{DatabaseConfig, TradeConfig};

/// Show what the reviews say, derive it anew, or measure how well it is read
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
    /// Delete all that was derived, and derive it anew; the firm's own texts stay
    Rebuild,
}

impl Insights {
    pub(super) async fn run(self, database: &DatabaseConfig) -> anyhow::Result<Outcome> {
        let engine = super::trade::load(&self.trade)?;
        match self.command {
            None => show::run(database, engine).await,
            Some(Command::Evaluate(evaluate)) => evaluate.run(&engine),
            Some(Command::Explain(explain)) => explain.run(database, engine).await,
            Some(Command::Rebuild) => rebuild::run(database, engine).await,
        }
    }
}
