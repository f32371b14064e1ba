//! The one warning of values that are too long to be read.

use crate::business::TEXT_BYTES_MAX;
use crate::db::Text;

/// Warns of what is left out for its length, where there is any; `what` says what these are.
pub fn warn_oversized(names: Option<Text>, what: &str) {
    if let Some(names) = names {
        tracing::warn!(
            names = names.as_ref(),
            bytes_max = TEXT_BYTES_MAX,
            "business.oversized: these {what} are left out; shorten them"
        );
    }
}
