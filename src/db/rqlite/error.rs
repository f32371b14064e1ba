//! What can be wrong with a write to a cluster, each with what is known of it.

use thiserror::Error;

/// See the head of this file.
#[derive(Debug, Clone, Error, PartialEq, Eq)]
pub enum ClusterError {
    /// No node took it; nothing was changed.
    #[error(
        "no node of the rqlite cluster took it in time ({0}); nothing was changed; see that a majority of the nodes runs, and that \
         DATABASE_URL names them"
    )]
    Unreachable(String),
    /// A connection was cut, or an election came in between, after it was sent.
    #[error(
        "the rqlite cluster did not confirm it in time ({0}); it may have been applied or not: look, or run it again, which changes \
         nothing twice"
    )]
    Unknown(String),
    /// What was read before is not so any more; nothing was changed.
    #[error("somebody else wrote to the cluster meanwhile; nothing was changed; run it again")]
    Overtaken,
    /// A statement failed; nothing was changed.
    #[error("the rqlite cluster refuses this: {0}")]
    Refused(String),
    /// A node does not take such requests at all.
    #[error(
        "the rqlite cluster answered {status} ({told}); correct DATABASE_URL, or the cluster's settings"
    )]
    Answer {
        /// The status of the answer.
        status: u16,
        /// The beginning of its body.
        told: String,
    },
    /// This node's file has not come as far as the cluster.
    #[error(
        "the file of this node's rqlited has not caught up with the cluster within {seconds} s; see that DATABASE_URL names the file \
         of a running node"
    )]
    Behind {
        /// For how long it was waited for.
        seconds: u64,
    },
    /// The settings of the way there cannot be used.
    #[error("no connection to the rqlite cluster can be made: {0}")]
    Client(String),
}

impl From<ClusterError> for sqlx::Error {
    /// Through the functions that hand on what SQLite says.
    fn from(error: ClusterError) -> Self {
        Self::Configuration(Box::new(error))
    }
}
