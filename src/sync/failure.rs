//! Why a run failed. The message is stored and shown, so it has no secrets and no rows of an answer.

use std::time::Duration;

use thiserror::Error;

/// A run that failed; nothing was imported.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{reason}")]
pub struct Failure {
    pub reason: String,
    /// The wait that the server asked for: the next run begins no earlier.
    pub retry_after: Option<Duration>,
    /// Whether the run may be tried again at once.
    pub is_timeout: bool,
}

impl Failure {
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            retry_after: None,
            is_timeout: false,
        }
    }
}
