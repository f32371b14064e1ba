//! The hub (W3C WebSub, 2018-01-23): takes requests, verifies them, and delivers what changes.
//!
//! A level, not an edge: a subscription is due while the version it has is behind the one that is out. So there is no queue,
//! a crash loses nothing, and a change made while the service was down is delivered at the next start.

mod schedule;
mod signature;
mod state;
pub mod store;

pub use schedule::{Attempt, Next, RetryDelays};
pub use signature::sign;
pub use state::{Event, State};
