//! The hub (W3C WebSub, 2018-01-23): takes requests, verifies them, and delivers what changes.
//!
//! A level, not an edge: a subscription is due while the version it has is behind the one that is
//! out. So there is no queue, a crash loses nothing, and a change made while the service was down
//! is delivered at the next start.

mod exchange;
mod host_queues;
pub mod http_client;
mod intake;
mod limits;
mod request;
mod retry;
mod signature;
mod state;
pub mod store;
mod worker;

pub use exchange::{Exchange, delivery_timeout};
pub use intake::{IntakeError, SubscriptionIntake};
pub use limits::RateLimits;
pub use request::BODY_BYTES_MAX;
pub use retry::{DeliveryResult, NextStep, Outages, next};
pub use signature::{Secret, sign};
pub use state::{Event, State};
pub use worker::Worker;
