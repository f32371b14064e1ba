//! HTTP around poem: the listener, the middleware, and what handlers share: ready bodies, problems and
//! query parameters. Independent of the routes; [`crate::app`] puts them together.

mod conditional;
pub mod context;
mod middleware;
mod problem;
mod query;
mod routes;
pub mod server;

pub use conditional::{ReadyBody, wants_html, with_conditional_requests};
pub use context::{BODY_TIMEOUT, ClientAddress, read_body};
pub use middleware::{RequestId, with_common_headers, with_log};
pub use problem::{HttpProblem, PROBLEM};
pub use query::QueryParameters;
pub use routes::{ListedRoute, Routes};
pub use server::{Share, Shares};
