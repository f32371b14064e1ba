//! What runs entries: the request for a run, and what it knows before it fetches.

use chrono_tz::Tz;
use clap::Args;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::file::Entry;
use crate::clock::Clock;
use crate::config::SyncConfig;
use crate::imports::{Doubtful, ImportRequest};
use crate::storage::Database;
use crate::storage::sync::SyncState;

/// What `sync run` is asked to do.
#[derive(Debug, Clone, Default, Args)]
pub struct RunOptions {
    /// Show what the run would change
    #[arg(long)]
    pub dry_run: bool,
    /// Take the run as it is: with other text or stars of more than half of the source's reviews, many rejected rows, or another
    /// kind of file
    #[arg(long)]
    pub accept_changes: bool,
    /// Import all doubtful rows as new reviews, or take each as the one review that it may be
    #[arg(long, value_enum, requires = "name")]
    pub doubtful: Option<Doubtful>,
    /// Withhold reviews that the entry stated and its answer lacks, and publish them again when they return
    #[arg(long, requires = "name")]
    pub withdraw_missing: bool,
}

/// A run of an entry.
pub struct Run<'r> {
    pub entry: &'r Entry,
    /// Of a run by schedule, the defaults.
    pub options: &'r RunOptions,
    pub is_scheduled: bool,
    pub stop: &'r CancellationToken,
}

/// What a run knows before it fetches.
pub struct Preparation {
    pub reading: ImportRequest,
    pub entry_digest: String,
    /// Of all that says how the answer is read.
    pub reading_digest: String,
    /// Whether a format says in which encoding the answer is.
    pub has_encoding: bool,
    /// As it was when the run began.
    pub state: SyncState,
    pub zone: Tz,
}

impl Preparation {
    /// Whether the entry succeeded before as it now stands.
    pub fn is_known(&self) -> bool {
        self.state.entry_digest.as_ref() == Some(&self.entry_digest)
    }
}

pub struct SyncRunner {
    pub database: Database,
    pub clock: Clock,
    pub config: SyncConfig,
    /// One place: pages are looked at and imported one after another, so that the memory of one import is enough.
    pub memory: Semaphore,
}

impl SyncRunner {
    pub fn new(database: &Database, clock: &Clock, config: SyncConfig) -> Self {
        Self {
            database: database.clone(),
            clock: clock.clone(),
            config,
            memory: Semaphore::new(1),
        }
    }
}
