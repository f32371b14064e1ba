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
        Self::new(file, line(text, at), message)
    }
}

/// All errors in the files of a trade, in their order; never empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct TradeErrors(pub Vec<TradeError>);

/// Reads a table, a line for each row below its head. `fault` is the error in the head, and `row` is `None` for an
/// invalid line.
///
/// # Errors
/// Every invalid line, with the message `expected`.
pub fn read_table<T>(
    name: &str,
    text: &str,
    fault: Option<String>,
    expected: &str,
    row: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, TradeErrors> {
    let mut faults: Vec<TradeError> = Vec::new();
    faults.extend(fault.map(|message| TradeError::new(name, 1, message)));
    let mut rows = Vec::new();
    for (line, number) in text.lines().zip(1..).skip(1) {
        match row(line) {
            Some(row) => rows.push(row),
            None => faults.push(TradeError::new(name, number, expected)),
        }
    }
    if faults.is_empty() {
        Ok(rows)
    } else {
        Err(TradeErrors(faults))
    }
}

/// The line of a byte position in a text, from 1.
pub fn line(text: &str, at: usize) -> usize {
    1 + text.get(..at).unwrap_or(text).matches('\n').count()
}
