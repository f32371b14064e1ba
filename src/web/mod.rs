//! Shared parts of all HTTP handlers: URL parameters, routes, conditional requests, content codings and errors.
//!
//! Policies are pure, so that tables of cases can test them: they do not wait, read a clock or depend on a route.

mod answer;
pub mod context;
mod openapi;
mod problem;
mod query;
mod request;
mod route;
pub mod server;

pub use answer::{
    Modified, Ready, cached_body, date_beside, modified, pieces, share, wants_html, whole_body,
};
pub use openapi::to_3_1;
pub use problem::{
    PROBLEM, invalid_parameters, method_list, method_not_allowed, problem, retry_later,
};
pub use query::QueryParameters;
pub use request::{ClientAddress, UrlParameters, announces_more_than, body_fault, in_turn};
pub use route::{AnswerCounts, Route, RouteTable};
