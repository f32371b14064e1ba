//! Shared parts of all HTTP handlers: URL parameters, routes, conditional requests, content codings and errors.
//!
//! Policies are pure, so that tables of cases can test them: they do not wait, read a clock or depend on a route.

mod answer;
mod conditional;
pub mod context;
mod negotiation;
mod openapi;
mod problem;
mod query;
mod route;
pub mod server;
mod shared;
mod source;

pub use answer::{Ready, cached_body, modified, pieces, whole_body};
pub use conditional::Modified;
pub use openapi::to_3_1;
pub use problem::{
    PROBLEM, invalid_parameters, method_list, method_not_allowed, problem, retry_later,
};
pub use query::UrlParameters;
pub use route::{AtHand, Route};
pub use shared::{announces_more_than, date_beside, share};
pub use source::{ClientAddress, in_turn};
