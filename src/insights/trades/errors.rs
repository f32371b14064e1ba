//! The errors in the files of a trade, each with its file and line.

/// An error in a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct TradeError {
    /// As given to [`super::parse_all`].
    pub file: String,
    /// From 1.
    pub line: usize,
    /// The problem, and the valid form.
    pub message: String,
}

impl TradeError {
    pub fn new(file: &str, line: usize, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line,
            message: message.into(),
        }
    }

    /// An error at a byte position of the file's text.
    pub fn at(file: &str, text: &str, (at, message): (usize, String)) -> Self {
        let before = text.get(..at).unwrap_or(text);
        Self::new(file, 1 + before.matches('\n').count(), message)
    }
}

/// All errors in the files of a trade, in their order; never empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct TradeErrors(pub Vec<TradeError>);
