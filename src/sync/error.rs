//! Why a run did not import anything.

use std::time::Duration;

use thiserror::Error;

use crate::imports::Undecided;
use crate::storage::DbError;

/// The message is stored and shown, so it has no words of a server: neither its headers nor rows of its answer.
#[derive(Debug, Error)]
pub enum SyncError {
    #[error("{0}")]
    Failed(String),
    #[error("the server did not answer in time")]
    TimedOut,
    /// The import cannot read the answer. Its reason may repeat rows, so it is shown only where the run was asked for.
    #[error("{answer}no reviews found; `reviews sync run {name} --dry-run` shows why")]
    Unreadable {
        name: String,
        /// Status and kind, if there was a response.
        answer: String,
        reason: String,
    },
    /// The run would change too much. Its reviews are shown only where the run was asked for.
    #[error("{reason}")]
    MassChange { reason: String, examples: String },
    /// Something must be decided about the columns. Cells are shown only where the run was asked for.
    #[error("{answer}{}", .undecided.explain())]
    Undecided {
        /// Status and kind, if there was a response.
        answer: String,
        undecided: Box<Undecided>,
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
