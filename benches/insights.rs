//! Insights: counting all notes, and what is made of the counts. CPU time on one core.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a measurement prints, takes its size from the environment, and ends where it cannot go on"
)]

mod support;

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{Criterion, SamplingMode};
use support::cpu::CpuTime;
use support::notes::Noted;
use support::{rows, table};

/// Milliseconds of CPU that compiling 100,000 notes may take.
const COMPILE_GOAL_MS: f64 = 25.0;

fn main() {
    let rows = rows();
    let mut criterion = Criterion::default().with_measurement(CpuTime(WallTime)).without_plots().configure_from_args();
    compile(&mut criterion, rows);
    criterion.final_summary();
    let median = table::median(&format!("insights-{rows}"), "compile");
    println!("\n| insights, {rows} reviews | CPU |\n|---|---:|\n| compile | {} |", table::time(median));
    println!("\ngoal for compile at 100,000: {COMPILE_GOAL_MS} ms");
}

fn compile(criterion: &mut Criterion<CpuTime>, rows: usize) {
    let noted = Noted::new(rows);
    println!("{rows} notes, {} bytes each, {} phrases each", noted.bytes() / rows, noted.phrases() / rows);
    let mut group = criterion.benchmark_group(format!("insights-{rows}"));
    group.sampling_mode(SamplingMode::Flat).sample_size(20);
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    group.bench_function("compile", |bencher| bencher.iter(|| black_box(&noted).compile()));
    let text = noted.text_of_110_words();
    group.bench_function("phrases", |bencher| {
        bencher.iter(|| reviews_service::insights::compile::topics::phrases(black_box(&text)))
    });
    group.finish();
}
