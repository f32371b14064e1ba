//! The running service: what listens, and what is served there.

pub mod server;
