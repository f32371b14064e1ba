//! Where a row is in its file, and why a file cannot be imported. A fault of one row is a [`FieldError`].

use std::sync::Arc;
use std::{fmt, io};

use thiserror::Error;

use crate::model::{Day, Digests, ReviewId};

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
}

/// The operating system refused to read it.
impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
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

/// What finds the review of a row that cannot be read wholly.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RowKey {
    Id(ReviewId),
    /// [`Digests::author_and_day`], of a row without an ID.
    AuthorAndDay(i64),
    /// [`Digests::author`] and [`Digests::text`], of a row without a day, too.
    AuthorAndText(i64, i64),
}

/// Words from which on a text tells a review from others of its author.
const WORDS_MIN: usize = 4;

impl RowKey {
    /// The key of a row with this ID, else of this author and day at the source, else of the author and the text.
    pub fn new(id: Option<ReviewId>, author: &str, day: Option<Day>, text: &str) -> Option<Self> {
        if let Some(id) = id {
            return Some(Self::Id(id));
        }
        if let Some(day) = day {
            return Some(Self::AuthorAndDay(Digests::author_and_day(author, day)));
        }
        let is_known = text.split_whitespace().count() >= WORDS_MIN;
        is_known.then(|| Self::AuthorAndText(Digests::author_of(author), Digests::text_of(text)))
    }
}
