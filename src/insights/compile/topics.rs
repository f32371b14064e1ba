//! Phrases that stand out.

use crate::insights::text::Text;

/// The phrases of a text that may turn out to be topics: folded, each once, sorted.
#[must_use]
pub fn phrases(_text: &Text) -> Vec<String> {
    Vec::new()
}
