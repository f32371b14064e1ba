//! Sources of reviews that are fetched on a schedule: each fetch is an import, with guards against answers that lack
//! reviews. `docs/guides/keep-reviews-fresh.md` is its guide; RFC 9110 and RFC 8288 are the rules for requests and pages.

mod client;
mod decide;
mod fetch;
mod paging;
mod run;
mod secrets;
mod source;

pub use decide::{Cause, RunRequest};
pub use fetch::Fetched;
pub use run::{SourceScheduler, SyncReport, SyncRunner, follow_time_zone};
pub use source::{Source, SourceOptions, SourceSchedule, SyncError, reads};
