//! HTTP around poem: the listener, what every answer gets, and what handlers share: the answer to conditional requests, problems
//! and bodies of requests. Independent of the routes; [`crate::app`] puts them together.

mod answers;
mod conditional;
pub mod context;
mod problem;
mod routes;
pub mod server;

pub use answers::{RequestRecord, add_common_headers, remove_body, start_series};
pub use conditional::{Cacheable, wants_html};
pub use context::{BODY_TIMEOUT, ClientAddress, read_body};
pub use problem::{HttpProblem, PROBLEM};
pub use routes::{ListedRoute, Routes, check_target, redirect_to_page};
