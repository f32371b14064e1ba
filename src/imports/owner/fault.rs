//! What is wrong with a file: the faults of its fields, and their form in messages.

use thiserror::Error;

use crate::storage::FAULTS_SHOWN;

/// What is wrong with a field of a row or of a document.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path}{}{message}", if path.is_empty() { "" } else { ": " })]
pub struct FieldError {
    /// Path of the field, as `mentions.services[2]`; empty for the row as a whole.
    pub path: String,
    /// The value found, and the allowed values.
    pub message: String,
}

impl FieldError {
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            message: message.into(),
        }
    }
}

/// The message of `serde_json` without the position, which is shown separately.
pub fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// The first of several faults on a line each, and the number of the others.
pub fn listed(faults: impl ExactSizeIterator<Item = String>, others: &str) -> String {
    let more = faults.len().saturating_sub(FAULTS_SHOWN);
    let mut lines: Vec<String> = faults.take(FAULTS_SHOWN).collect();
    if more > 0 {
        lines.push(format!("{more} more {others}"));
    }
    lines.join("\n")
}
