//! The hub (W3C WebSub, 2026-06-02): accepts and verifies subscriptions, and delivers changes.
//!
//! A subscription is due while its delivered version is behind the published one, so there is no queue, a crash loses
//! nothing, and a change made while the service was down is delivered after the next start.

mod exchange;
pub mod http_client;
mod intake;
mod limits;
mod request;
pub(crate) mod store;
mod worker;

pub use exchange::{Exchange, longest_delivery, sign};
pub use intake::{FULL_RETRY, IntakeError, SubscriptionIntake};
pub use limits::RateLimits;
pub use request::{RequestError, Secret};
pub use store::State;
pub use worker::Worker;
