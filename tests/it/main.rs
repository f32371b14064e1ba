//! The promises, kept: one binary, a file for each feature, and each test a sentence.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a test that cannot go on fails; clippy exempts test functions, and not what they call"
)]
#![allow(clippy::large_futures, reason = "tests await whole services")]
#![allow(
    clippy::format_push_string,
    clippy::format_collect,
    clippy::manual_strip,
    clippy::case_sensitive_file_extension_comparisons,
    reason = "tests build and look at texts of their own"
)]
#![allow(clippy::cast_possible_wrap, reason = "numbers in tests are small")]
#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "tests match on the enums of others: JSON, above all"
)]

mod aggregate;
mod architecture;
mod change;
mod conditional;
mod database;
mod described;
mod documented;
mod documents;
mod egress;
mod erasure;
mod faults;
mod feeds;
mod fuzz;
mod imports;
mod insights;
mod linking;
mod mcp;
mod openapi;
mod pages;
mod process;
mod quality;
mod ready;
mod refused;
mod release;
mod routing;
mod search;
mod server;
mod shell;
mod since;
mod snapshot;
mod splits;
mod support;
mod unchanged;
mod updated;
mod verify;
mod websub;
