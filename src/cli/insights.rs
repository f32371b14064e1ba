//! `reviews insights`: shows what the reviews say, derives it anew, and tells why.

mod rebuild;
mod show;

use clap::{Args, Subcommand};

use super::Outcome;
use crate::config::{DatabaseConfig, TradeConfig};

/// Show what the reviews say, or derive it anew
#[derive(Debug, Args)]
pub struct Insights {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    trade: TradeConfig,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Delete all that was derived, and derive it anew; the firm's own texts stay
    Rebuild,
}

impl Insights {
    pub(super) async fn run(self, database: &DatabaseConfig) -> anyhow::Result<Outcome> {
        let engine = super::trade::load(&self.trade)?;
        match self.command {
            None => show::run(database, engine).await,
            Some(Command::Rebuild) => rebuild::run(database, engine).await,
        }
    }
}
