//! Why a run imported nothing. The message is stored and shown, so it has no words of a server: neither its headers nor rows of
//! its answer.

use std::time::Duration;

use thiserror::Error;

use crate::storage::DbError;

#[derive(Debug, Error)]
pub enum SyncError {
    #[error("{message}")]
    Failed {
        message: String,
        /// What is shown instead where the run was asked for; it may repeat rows.
        details: Option<String>,
    },
    /// The server may answer later; the next run begins no earlier than it says.
    #[error("{reason}")]
    Busy {
        reason: String,
        wait: Option<Duration>,
    },
    #[error("it is being fetched just now; try again when that is done")]
    Running,
    #[error(transparent)]
    Database(#[from] DbError),
}

impl SyncError {
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed {
            message: message.into(),
            details: None,
        }
    }
}
