//! Integration tests: one binary, one file per feature; the name of a test states its promise.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a panic fails the test; clippy exempts test functions but not their helpers"
)]
#![allow(clippy::large_futures, reason = "tests await whole services")]
#![allow(
    clippy::format_push_string,
    clippy::format_collect,
    clippy::manual_strip,
    clippy::case_sensitive_file_extension_comparisons,
    reason = "tests build and slice their own texts"
)]
#![allow(clippy::cast_possible_wrap, reason = "numbers in tests are small")]
#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "tests match on enums of other crates, mostly JSON"
)]

mod aggregate;
mod architecture;
mod change;
mod commands;
mod conditional;
mod database;
mod dates_of_change;
mod document_versions;
mod documented;
mod documents;
mod feeds;
mod fuzz;
mod imports;
mod insights;
mod laboratory;
mod linking;
mod mcp;
mod openapi;
mod pages;
mod process;
mod readiness;
mod routing;
mod row_checks;
mod search;
mod server;
mod shell;
mod since;
mod snapshot;
mod support;
mod websub;
