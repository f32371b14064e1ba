//! Insights: analyzing a text, aggregating all compact analyses, and the whole cost of one new review. CPU time on one
//! core.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a measurement prints results, reads its size from the environment, and panics on errors"
)]

mod support;

use std::hint::black_box;
use std::time::{Duration, Instant};

use chrono::DateTime;
use criterion::measurement::WallTime;
use criterion::{Criterion, SamplingMode};
use reviews_service::clock::Clock;
use reviews_service::insights::rules::HOME_SERVICES;
use reviews_service::insights::{AnalysisInput, Analyzer};
use reviews_service::snapshot::Publisher;
use reviews_service::storage::Database;
use reviews_service::storage::reviews::upsert;
use serde_json::Value;
use support::compact_analyses::Noted;
use support::corpus::Corpus;
use support::cpu::{CpuTime, cpu, timed};
use support::{files, rows, snapshots, table};

/// Maximum CPU time for compiling 100,000 compact analyses, in milliseconds.
const COMPILE_GOAL_MS: f64 = 25.0;
/// Maximum time for one new review among 100,000, in milliseconds.
const NEW_REVIEW_GOAL_MS: u32 = 50;
/// Maximum CPU time for analyzing a text of 110 words, in microseconds.
const READ_GOAL_US: u32 = 60;
/// Runs of the measurements of these last two.
const RUNS: usize = 25;

fn main() {
    let rows = rows();
    read();
    new_review(rows);
    let mut criterion = Criterion::default()
        .with_measurement(CpuTime(WallTime))
        .without_plots()
        .configure_from_args();
    compile(&mut criterion, rows);
    criterion.final_summary();
    let median = table::median(&format!("insights-{rows}"), "compile");
    println!(
        "\n| insights, {rows} reviews | CPU |\n|---|---:|\n| compile | {} |",
        table::time(median)
    );
    println!("\ngoal for compile at 100,000: {COMPILE_GOAL_MS} ms");
}

/// Measures one new review, from the detected commit to the snapshot that contains it, and the rendering as a part of
/// that.
fn new_review(rows: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let path = runtime.block_on(files::database(rows));
    let copy = path.with_extension("copy");
    std::fs::copy(&path, &copy).unwrap();
    let (mut times, corpus) = (Vec::new(), Corpus::new(rows));
    runtime.block_on(async {
        let (database, _) = Database::open(&copy).await.unwrap();
        database.take_lease(Duration::ZERO).await.unwrap();
        let publisher = Publisher::new(database.clone(), snapshots::links(), Clock::system());
        let mut snapshot = publisher.build(None).await.unwrap();
        assert!(snapshot.input.postponed.is_none(), "all is read");
        for number in 0..RUNS {
            let mut review = corpus.review((number * 7_919 + 13) % rows);
            review.id = format!("new-{number}").parse().unwrap();
            "Dana was on time and explained the price. The water heater works again."
                .clone_into(&mut review.text);
            let mut write = database.write().await.unwrap();
            upsert(&mut write, &[review], DateTime::UNIX_EPOCH)
                .await
                .unwrap();
            write.commit().await.unwrap();
            let before = (cpu(), Instant::now());
            snapshot = publisher.next(&snapshot).await.unwrap().unwrap();
            times.push((cpu().saturating_sub(before.0), before.1.elapsed()));
            assert!(snapshot.input.postponed.is_none());
        }
        database.close().await;
    });
    let _ = std::fs::remove_file(&copy);
    times.sort();
    let (cpu, wall) = times[times.len() / 2];
    let time = |duration: Duration| table::time(Some(duration.as_secs_f64() * 1e9));
    println!("\n| one new review among {rows} | CPU | on the wall |\n|---|---:|---:|");
    println!(
        "| from the commit seen to the snapshot, median of {RUNS} | {} | {} |",
        time(cpu),
        time(wall)
    );
    println!("\ngoal: {NEW_REVIEW_GOAL_MS} ms\n");
}

/// Measures the analysis of a text of 110 words with all rules: the sample data, several times.
fn read() {
    let lines =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/seeds/reviews.jsonl"))
            .unwrap();
    let rows: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let texts: Vec<(&str, &str)> = rows
        .iter()
        .map(|row| {
            (
                row["text"].as_str().unwrap_or_default(),
                row["author"].as_str().unwrap_or_default(),
            )
        })
        .collect();
    let words: usize = texts
        .iter()
        .map(|(text, _)| text.split_whitespace().count())
        .sum();
    let analyzer = Analyzer::new(&Corpus::business(), Some(HOME_SERVICES));
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let ((), cpu) = timed(|| {
            for (text, author) in &texts {
                black_box(analyzer.analyze(&AnalysisInput {
                    text,
                    language: None,
                    author,
                    stars: 3,
                }));
            }
        });
        times.push(cpu);
    }
    times.sort();
    let time = times[times.len() / 2].as_secs_f64() * 1e9;
    #[expect(clippy::cast_precision_loss, reason = "some thousands")]
    let of = |count: usize| table::time(Some(time / count as f64));
    println!(
        "| reading {} texts of {} words | CPU |\n|---|---:|",
        texts.len(),
        words
    );
    println!("| one text | {} |", of(texts.len()));
    #[expect(clippy::cast_precision_loss, reason = "some thousands")]
    let long = table::time(Some(time / words as f64 * 110.0));
    println!("| 110 words | {long} |\n\ngoal for 110 words: {READ_GOAL_US} µs\n");
}

fn compile(criterion: &mut Criterion<CpuTime>, rows: usize) {
    let noted = Noted::new(rows);
    println!("{rows} notes, {} bytes each", noted.bytes() / rows);
    let mut group = criterion.benchmark_group(format!("insights-{rows}"));
    group.sampling_mode(SamplingMode::Flat).sample_size(20);
    group
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    group.bench_function("compile", |bencher| {
        bencher.iter(|| black_box(&noted).compile());
    });
    group.finish();
}
