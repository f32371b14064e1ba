//! The command `reviews insights`: shows, rebuilds and explains the insights.

mod evaluate;
mod explain;
mod lint;
mod rebuild;
mod show;
mod whole;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};

use super::Outcome;
use crate::config::bounded_read::read_text;
use crate::config::{DatabaseConfig, TradeConfig};
use crate::insights::trades::{FILE_MIB_MAX, IDS, read_folder};
use crate::insights::{Engine, Engines, Trade};

/// Show what the reviews say, analyse them again, measure the quality of the analysis, or check a trade package
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
    /// Delete the analysis and analyse all reviews again; your own texts stay
    Rebuild,
}

impl Insights {
    pub(super) async fn run(self, database: &DatabaseConfig) -> anyhow::Result<Outcome> {
        let engines = load(&self.trade)?;
        match self.command {
            None => show::run(database, engines).await,
            Some(Command::Evaluate(evaluate)) => evaluate.run(&engines),
            Some(Command::Explain(explain)) => explain.run(database, engines).await,
            Some(Command::Lint(lint)) => lint.run(),
            Some(Command::Rebuild) => rebuild::run(database, engines).await,
        }
    }
}

// The configured trade, for every command that analyzes texts.

/// The engines: of the configured trade, otherwise of the business's type.
///
/// # Errors
/// If the package cannot be read or is invalid, with all its faults.
pub(super) fn load(config: &TradeConfig) -> anyhow::Result<Engines> {
    let engine = match (config.package(), config.file()) {
        (None, None) => return Ok(Engines::default()),
        (Some(_), Some(_)) => {
            bail!("REVIEWS_TRADE and REVIEWS_TRADE_FILE are both set; set only one of them")
        }
        (Some(package), None) => match shipped(package) {
            Some(id) => Engine::shipped(id),
            None => Arc::new(Engine::new(read_folder(package).context("REVIEWS_TRADE")?)),
        },
        (None, Some(path)) => Arc::new(Engine::new(trade_of(path)?)),
    };
    Ok(engine.into())
}

/// The ID of a built-in package if the setting names one and no folder has that name.
fn shipped(name: &Path) -> Option<&'static str> {
    let id = IDS.iter().find(|id| name == Path::new(id));
    id.copied().filter(|_| !name.is_dir())
}

fn trade_of(path: &Path) -> anyhow::Result<Trade> {
    let name = path.display().to_string();
    let text = read_text(path, FILE_MIB_MAX)
        .with_context(|| format!("cannot read REVIEWS_TRADE_FILE {name}"))?;
    Trade::parse_all(&[(&name, &text)]).context("REVIEWS_TRADE_FILE")
}
