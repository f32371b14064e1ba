//! Shared parts of the benchmarks: synthetic reviews, queries, plans for comparison, and the CPU clock.

#![allow(
    dead_code,
    reason = "each benchmark is a separate crate and uses a part of this"
)]

pub mod compact_analyses;
pub mod corpus;
pub mod cpu;
pub mod files;
pub mod plain;
pub mod questions;
pub mod snapshots;
pub mod table;
pub mod words;

/// The number of reviews in the benchmarks: `REVIEWS_BENCH_ROWS`, or 100,000.
#[must_use]
pub fn rows() -> usize {
    std::env::var("REVIEWS_BENCH_ROWS")
        .ok()
        .and_then(|rows| rows.parse().ok())
        .unwrap_or(100_000)
}
