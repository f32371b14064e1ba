//! The trade that the settings name, for every command that reads texts.

use std::fs;
use std::sync::Arc;

use anyhow::Context as _;

use crate::config::TradeConfig;
use crate::insights::Trade;

/// The built-in trade, or that of the file that is set.
///
/// # Errors
/// Where the file cannot be read, or is not as it should be.
pub(super) fn load(config: &TradeConfig) -> anyhow::Result<Arc<Trade>> {
    let Some(path) = config.path() else { return Ok(Arc::new(Trade::built_in()?)) };
    let fault = || format!("REVIEWS_TRADE_FILE {}", path.display());
    let text = fs::read_to_string(path).with_context(fault)?;
    Ok(Arc::new(Trade::parse(&text).with_context(fault)?))
}
