//! The hub (W3C WebSub, 2018-01-23): takes requests, verifies them, and delivers what changes.
//!
//! A level, not an edge: a subscription is due while the version it has is behind the one that is out. So there is no queue,
//! a crash loses nothing, and a change made while the service was down is delivered at the next start.

mod addresses;
mod blame;
mod budget;
mod door;
mod exchange;
mod limits;
mod prompt;
mod ready;
mod request;
mod schedule;
mod signature;
mod state;
pub mod store;
mod turns;
mod verify;
mod worker;

pub use addresses::Addresses;
pub use blame::Doubts;
pub use door::{Door, Refusal};
pub use exchange::Exchange;
pub use request::BODY_BYTES_MAX;
pub use schedule::{Attempt, Next, next};
pub use signature::sign;
pub use state::{Event, State};
pub use worker::Worker;
