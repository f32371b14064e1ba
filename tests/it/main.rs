//! The promises, kept: one binary, a file for each feature, and each test a sentence.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a test that cannot go on fails; clippy exempts test functions, and not what they call"
)]

mod change;
mod database;
mod edition;
mod imports;
mod process;
mod refused;
mod server;
mod support;
mod tidy;
mod unchanged;
