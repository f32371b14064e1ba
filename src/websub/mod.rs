//! The hub: who subscribes to which topic, and what was sent to whom.
//!
//! Built on the edition's documents, which are its topics, and on `egress`, the only way to a callback. It must not know HTTP
//! types. The outside rule is W3C WebSub (2018-01-23); where it leaves a choice, or the hub is stricter, `docs/` says so.

pub mod request;
