//! The only way out: HTTPS to addresses that anybody may name and nobody may turn against us.
//!
//! A callback is untrusted input that we connect somewhere. So every request to one passes this
//! room: [`Policy`] says which addresses and ports may be dialled, [`Callback`] which spellings are
//! taken at all, and [`Egress`] sends, with every address judged before it is dialled, no proxy, no
//! redirects, and a bound on bytes and time. It must not know what is sent or why. (OWASP,
//! Server-Side Request Forgery Prevention; W3C WebSub §8.)

mod callback;
mod client;
mod failure;
mod policy;
mod tls;
mod vetting;

pub use callback::{CALLBACK_BYTES_MAX, Callback, CallbackFault, normal, with_parameters};
pub use client::{Answer, Egress, EgressError, Vetted};
pub use failure::{Blame, Failure};
pub use policy::{Policy, Refused};
pub use tls::{Roots, RootsError};
pub use vetting::{ResolveError, Resolver, SystemResolver};
