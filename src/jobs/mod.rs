//! Work that nobody asked for just now. Each job is a `run_once` that says whether it did anything; whoever owns the job
//! decides when: the service on its clock, a test until nothing is left to do.

pub mod checkpoint;
mod code;
pub mod expire;
pub mod measure;
mod print;
pub mod prune;
mod read;
mod retry;
mod schedule;

pub use code::Code;
pub use print::Print;
pub use read::Read;
pub use retry::Retry;
pub use schedule::Schedule;
