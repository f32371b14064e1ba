//! Fetches the entries of the operator's file on their schedules: each run is an import with guards against answers that lack
//! reviews. `docs/guides/keep-reviews-fresh.md` is its guide; RFC 9110 and RFC 8288 are the rules for requests and pages.
//!
//! `file` reads the entries. `scheduler` runs those that are due, and `cli::sync` those of a command, both by `run`. That calls `fetch` for
//! the pages: `secrets` fills in what the requests need, `client` sends them, and `paging` finds the next one.

mod client;
mod fetch;
mod file;
mod paging;
mod run;
mod scheduler;
mod secrets;

pub use client::SyncError;
pub use file::{KEYS, SyncEntry, SyncFile};
pub use run::{EntryRun, RunOptions, RunOutcome, SyncRunner};
pub use scheduler::EntryScheduler;
pub use secrets::kill_commands;
