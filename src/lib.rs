//! Reviews Service: publishes the verified reviews of one business, read-only.
//!
//! The rooms below stand on floors: each may use those above its own name in this list, and none of
//! its own floor. `docs/ARCHITECTURE.md` is the map; the test `tidy` holds it.

pub mod bounded_read;
pub mod clock;
pub mod compute;
pub mod hash;
pub mod links;
pub mod random;
pub mod steps;
pub mod telemetry;

pub mod config;

pub mod db;
pub mod egress;

pub mod business;
pub mod reviews;

pub mod imports;
pub mod insights;

pub mod wire;

pub mod server;
pub mod snapshot;

pub mod search;
pub mod websub;

pub mod ctx;
pub mod respond;

pub mod http;
pub mod jobs;
pub mod mcp;
pub mod pages;

pub mod app;

pub mod cli;
