//! Where a row is in its file, and why a file cannot be imported. A fault of one row is a [`crate::imports::owner::FieldError`].

use std::io;
use std::sync::Arc;

use std::fmt;

use thiserror::Error;

use crate::imports::owner::{FieldError, reason};

/// Position of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Position {
    /// The line on which the row begins, from 1.
    Line(u64),
    Element {
        /// The array's path, as `result.reviews`; empty at the top level.
        array: Arc<str>,
        /// From 0.
        index: u64,
    },
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "{line}"),
            Self::Element { array, index } => write!(f, " {array}[{index}]"),
        }
    }
}

/// The reason why a file cannot be imported, with advice for the user.
#[derive(Debug, Clone, Error)]
#[error("{0}")]
pub struct FileError(String);

impl FileError {
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// The faults of a member's value, whose paths begin at that member.
    pub fn of_member(name: &str, faults: &[FieldError]) -> Self {
        let faults: Vec<String> = faults.iter().map(|it| format!("{name}.{it}")).collect();
        Self(faults.join("; "))
    }

    /// The operating system refused to read it.
    #[expect(clippy::needless_pass_by_value, reason = "handed to `map_err`")]
    pub fn unreadable(error: io::Error) -> Self {
        Self(format!("cannot be read: {error}"))
    }
}

impl From<serde_json::Error> for FileError {
    fn from(error: serde_json::Error) -> Self {
        let reason = if error.is_eof() {
            "the file ends in the middle of a value".to_owned()
        } else {
            reason(&error)
        };
        let (line, column) = (error.line(), error.column().max(1));
        Self(format!(
            "line {line}, column {column}: the JSON is broken ({reason}); export it again, in UTF-8"
        ))
    }
}
