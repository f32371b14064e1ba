//! Reviews Service: publishes the reviews of one business, read-only.
//!
//! A module uses only modules above it in this list (checked by the test `architecture`).
//! `docs/ARCHITECTURE.md` describes them.

pub mod clock;
pub mod links;
pub mod random;

pub mod config;
pub(crate) mod http;

pub mod compute;
pub mod metrics;

pub mod model;
pub mod wire;

pub mod storage;

pub mod imports;
pub mod insights;
pub mod sync;

pub mod snapshot;

pub mod search;
pub mod websub;

pub mod web;

pub(crate) mod api;
pub mod mcp;
pub(crate) mod pages;

pub mod app;

pub mod cli;
