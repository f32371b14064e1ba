//! Work that nobody asked for just now. Each job is a `run_once` that says whether it did anything;
//! whoever owns the job decides when: the service on its clock, a test until nothing is left to do.

mod analyze_backlog;
pub mod checkpoint;
pub mod erase;
pub mod expire;
pub mod measure;
mod precompress;
pub mod prune;
mod publish_changes;
mod retry;
mod schedule;

pub use analyze_backlog::AnalyzeBacklog;
pub use precompress::Precompress;
pub use publish_changes::PublishChanges;
pub use retry::Retry;
pub use schedule::Schedule;
