//! Why a run imported nothing. The message is stored and shown, so it has no words of a server: neither its headers nor rows of
//! its answer.

use std::time::Duration;

use thiserror::Error;

use crate::storage::DbError;

#[derive(Debug, Error)]
pub enum SyncError {
    #[error("{message}")]
    Refused {
        message: String,
        /// What is shown instead where the run was asked for; it may repeat rows.
        details: Option<String>,
    },
    #[error("the server did not answer in time")]
    TimedOut,
    #[error("it is being fetched just now; try again when that is done")]
    Running,
    /// Something must be decided about the format of the entry with this name.
    #[error("something must be decided about its format first; `reviews sync run {0}` asks")]
    Open(String),
    /// The server asked for a wait: the next run begins no earlier.
    #[error("{reason}")]
    Busy { reason: String, wait: Duration },
    #[error(transparent)]
    Database(#[from] DbError),
}

impl SyncError {
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Refused {
            message: message.into(),
            details: None,
        }
    }

    /// The error with the details that only the person who runs the command may read.
    pub fn with_details(self) -> Self {
        if let Self::Refused {
            details: Some(details),
            ..
        } = self
        {
            return Self::failed(details);
        }
        self
    }
}
