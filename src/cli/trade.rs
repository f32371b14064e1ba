//! The trade that the settings name, for every command that reads texts.

use std::fs;
use std::sync::Arc;

use anyhow::Context as _;

use crate::config::TradeConfig;
use crate::insights::{Engine, Trade};

/// What reads texts: by the built-in trade, or by that of the file that is set.
///
/// # Errors
/// Where the file cannot be read, or is not as it should be.
pub(super) fn load(config: &TradeConfig) -> anyhow::Result<Arc<Engine>> {
    let Some(path) = config.path() else {
        return Ok(Engine::built_in());
    };
    let name = path.display().to_string();
    let text = fs::read_to_string(path)
        .with_context(|| format!("cannot read REVIEWS_TRADE_FILE {name}"))?;
    let trade = Trade::parse_all(&[(&name, &text)]).context("REVIEWS_TRADE_FILE")?;
    Ok(Arc::new(Engine::new(trade)))
}
