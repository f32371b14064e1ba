//! Why a run did not import anything. The message is stored and shown, so it has no secrets and no rows of an answer.

use std::time::Duration;

use thiserror::Error;

use crate::storage::DbError;

#[derive(Debug, Error)]
pub enum SyncError {
    #[error("{0}")]
    Failed(String),
    #[error("the server did not answer in time")]
    TimedOut,
    /// The import cannot read the answer. Its reason may repeat rows, so it is shown only where the run was asked for.
    #[error("{answer}the answer cannot be imported; `reviews sync run {name} --dry-run` shows why")]
    Unreadable {
        name: String,
        /// Status and content type, if there was a response.
        answer: String,
        reason: String,
    },
    /// The server asked for a wait: the next run begins no earlier.
    #[error("{reason}")]
    Busy { reason: String, wait: Duration },
    #[error(transparent)]
    Database(#[from] DbError),
}

impl SyncError {
    pub fn failed(reason: impl Into<String>) -> Self {
        Self::Failed(reason.into())
    }
}
