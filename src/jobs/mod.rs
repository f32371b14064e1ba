//! Work that nobody asked for just now. Each job says whether it did anything; whoever owns it decides
//! when it runs: the service on its clock, a test until nothing is left to do.

mod analyze_backlog;
mod precompress;
mod publish_changes;
mod schedule;

pub use analyze_backlog::AnalyzeBacklog;
pub use precompress::{MakeAhead, Precompress};
pub use publish_changes::PublishChanges;
pub use schedule::{Schedule, erase, expire, measure, prune};
