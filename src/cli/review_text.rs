//! Formats a review as text for a terminal, and as JSON in the format of an export.

use std::fmt::Write as _;

use serde_json::Value;

use crate::imports::export::Exported;
use crate::model::{DigestKey, Review, Units};
use crate::storage::reviews::SourceRow;

/// Width of a paragraph.
const COLUMNS: usize = 76;

/// The owner's decisions about the review.
pub(super) fn decisions(
    review: &Review,
    source: Option<&SourceRow>,
    key: Option<&DigestKey>,
) -> Units {
    match (source, key) {
        (Some(source), Some(key)) => source.base.decisions(key, review),
        (Some(_), None) | (None, _) => Units::NONE,
    }
}

/// The review in the format of an export.
pub(super) fn native(review: Review, source: Option<SourceRow>, key: Option<&DigestKey>) -> Value {
    let decided = decisions(&review, source.as_ref(), key);
    Exported::Review(Box::new(review), decided, source).json()
}

/// `count` of five stars.
pub(super) fn stars(count: u8) -> String {
    (1..=5)
        .map(|star| if star <= count { '★' } else { '☆' })
        .collect()
}

/// The first `room` characters on one line.
pub(super) fn first(text: &str, room: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= room {
        return line;
    }
    let cut: String = line.chars().take(room.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

/// Untrusted text, indented and wrapped.
pub(super) fn paragraphs(text: &str) -> String {
    let mut broken = String::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > COLUMNS {
                let _ = writeln!(broken, "  {line}");
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        let _ = writeln!(broken, "  {line}");
    }
    broken
}
