//! HTTP around poem: the listener, the middleware (one file each), and what handlers share: ready bodies, problems and
//! query parameters. Independent of the routes; [`crate::app`] puts them together.

mod body;
mod client;
mod conditional;
pub mod context;
mod headers;
mod log;
mod openapi;
mod problem;
mod query;
mod routes;
pub mod server;
mod shares;
mod weights;

pub use body::{BODY_TIMEOUT, read_body};
pub use client::ClientAddress;
pub use conditional::{ReadyBody, with_conditional_requests};
pub use headers::with_common_headers;
pub use log::{RequestId, with_log};
pub use openapi::to_3_1;
pub use problem::{HttpProblem, PROBLEM};
pub use query::QueryParameters;
pub use routes::{ListedRoute, Routes};
pub use shares::{Share, Shares};
pub use weights::wants_html;
