//! Sources of reviews that are fetched on a schedule: each fetch is an import, with guards against answers that lack
//! reviews. `docs/guides/keep-reviews-fresh.md` is its guide; RFC 9110 and RFC 8288 are the rules for requests and pages.

mod answer;
mod client;
mod decide;
mod error;
mod fetch;
mod files;
mod paging;
mod run;
mod schedule;
mod secret;
mod source;

pub use decide::{Manner, is_much_less};
pub use error::SyncError;
pub use fetch::Fetched;
pub use run::{SyncReport, SyncRunner, follow_time_zone};
pub use schedule::SourceSchedule;
pub use source::{Source, SourceOptions, reads};
