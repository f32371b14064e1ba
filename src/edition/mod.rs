//! The edition: what the service publishes at one moment, as bytes that are ready to send.

mod coding;

pub use coding::Coding;
