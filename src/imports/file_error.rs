//! Errors of a whole file or a whole import. An error in a single row is a [`Rejection`](super::Rejection), which does
//! not stop the import.

use std::io;

use thiserror::Error;

use crate::imports::map::fields::FieldError;
use crate::storage::DbError;

/// Maximum bytes that one import may read, unpacked, over all its files, because all rows are in memory: 256 MiB.
pub const INPUT_BYTES_MAX: u64 = 256 << 20;

/// The reason why a file cannot be imported, with advice for the user.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct FileError(String);

/// Why an import, or its undoing, failed; nothing was changed.
#[derive(Debug, Error)]
pub enum ImportError {
    /// A file cannot be imported, or the import would do more than requested, or something that was probably not intended.
    #[error("{0}")]
    Refused(String),
    /// The database could not be read or written.
    #[error("{0}")]
    Database(#[from] DbError),
}

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
    pub(super) fn unreadable(error: io::Error) -> Self {
        Self(format!("cannot be read: {error}"))
    }

    /// An I/O error while reading: the system's, or that of a used up budget.
    pub(super) fn reading(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::FileTooLarge {
            Self(format!(
                "the files of one import may have at most {} MiB in total, unpacked; split it into several imports",
                INPUT_BYTES_MAX >> 20
            ))
        } else {
            Self::unreadable(error)
        }
    }

    /// The JSON of a whole document is broken, at this line and at this byte of it, both from 1.
    pub(super) fn json(line: usize, column: usize, reason: &str) -> Self {
        Self(format!(
            "line {line}, column {column}: the JSON is broken ({reason}); export it again"
        ))
    }
}

impl From<serde_json::Error> for FileError {
    fn from(error: serde_json::Error) -> Self {
        let reason = if error.is_eof() {
            "the file ends in the middle of a value".to_owned()
        } else {
            reason(&error)
        };
        Self::json(error.line(), error.column().max(1), &reason)
    }
}

/// The message of `serde_json` without the position, which is shown separately.
pub(super) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// The first of several faults on a line each, and the number of the others.
pub(super) fn listed(faults: impl ExactSizeIterator<Item = String>, others: &str) -> String {
    const SHOWN_MAX: usize = 20;
    let more = faults.len().saturating_sub(SHOWN_MAX);
    let mut lines: Vec<String> = faults.take(SHOWN_MAX).collect();
    if more > 0 {
        lines.push(format!("{more} more {others}"));
    }
    lines.join("\n")
}
