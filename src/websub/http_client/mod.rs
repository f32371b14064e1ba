//! The HTTPS client for callbacks, which are untrusted URLs (W3C WebSub §8; OWASP, Server-Side Request Forgery
//! Prevention).
//!
//! Every request to a callback uses this module: [`Policy`] decides which addresses and ports are permitted,
//! [`Callback`] which spellings are accepted, and [`Egress`] sends, checking every address before connecting, without
//! proxy or redirects and within limits of bytes and time.

mod callback;
mod client;
mod failure;
mod policy;

pub use callback::{CALLBACK_BYTES_MAX, Callback, CallbackFault, with_parameters};
pub use client::{Answer, Egress, Resolver, Roots, RootsError, SystemResolver, Vetted};
pub use failure::{Blame, Failure, causes};
pub use policy::{Policy, Refused};
