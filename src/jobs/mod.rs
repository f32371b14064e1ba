//! Background jobs. Each returns whether it did anything; the caller decides when it runs: the service by its clock, a
//! test until no work is left.

mod analyze_backlog;
mod precompress;
mod publish_changes;
mod schedule;

pub use analyze_backlog::AnalyzeBacklog;
pub use precompress::{MakeAhead, Precompress};
pub use publish_changes::PublishChanges;
pub use schedule::{Schedule, erase, expire, measure, prune};
