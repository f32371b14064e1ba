//! The integration tests: one binary, one file per feature.

mod server;
