//! Start: a new process opens the database, loads and renders it until it could answer. CPU time and peak memory of the
//! process; then, in another new process, the cost of each part. With `REVIEWS_BENCH_TASK=jsonl` it writes the
//! synthetic reviews as JSON Lines instead.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a measurement prints results, reads its size from the environment, and panics on errors"
)]

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use reviews_service::clock::Clock;
use reviews_service::model::{PublishedReview, Review, fold};
use reviews_service::snapshot::{Document, Entries, Publisher};
use reviews_service::storage::Database;
use reviews_service::storage::reviews;
use reviews_service::wire;
use sha2::{Digest, Sha256};
use support::corpus::Corpus;
use support::cpu::{cpu, timed};
use support::{files, questions, rows, snapshots, table};
use tokio::runtime::Runtime;

/// The environment variable with the task of a process.
const TASK: &str = "REVIEWS_BENCH_TASK";
const RUNS: usize = 5;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    match std::env::var(TASK).as_deref() {
        Ok("start") => start(&runtime, &files::path(rows())),
        Ok("parts") => parts(&runtime, &files::path(rows())),
        Ok("jsonl") => {
            let path = files::directory().join(format!("reviews-{}.jsonl", rows()));
            files::json_lines(&Corpus::new(rows()), &path);
            println!("{}", path.display());
        }
        _ => {
            runtime.block_on(files::database(rows()));
            println!("{} reviews\n", rows());
            println!(
                "| open | read and print | first answer | found | all of the process | /reviews.json | peak memory | ratio |"
            );
            println!("|---:|---:|---:|---:|---:|---:|---:|---:|");
            for task in ["start", "parts"] {
                for _ in 0..if task == "start" { RUNS } else { 1 } {
                    let status = Command::new(std::env::current_exe().unwrap())
                        .env(TASK, task)
                        .status()
                        .unwrap();
                    assert!(status.success());
                }
            }
        }
    }
}

/// Measures the start until the first response.
fn start(runtime: &Runtime, path: &Path) {
    let before = cpu();
    let (database, _) = runtime.block_on(Database::open(path)).unwrap();
    runtime
        .block_on(database.take_lease(Duration::ZERO))
        .unwrap();
    let opened = cpu();
    let publisher = Publisher::new(database, snapshots::links(), Clock::system());
    let snapshot = runtime.block_on(publisher.build(None)).unwrap();
    let rendered = cpu();
    let found = runtime.block_on(questions::all()[0].find(&snapshot));
    let size = snapshot.document(Document::Reviews).body.content.length();
    let (answered, peak) = (cpu(), peak_kib() * 1024);
    println!(
        "| {} | {} | {} | {} | {} | {} MB | {} MB | {}.{:02} |",
        time(opened.saturating_sub(before)),
        time(rendered.saturating_sub(opened)),
        time(answered.saturating_sub(rendered)),
        found.matched,
        time(answered),
        size / 1_000_000,
        peak / 1_000_000,
        peak / size,
        peak * 100 / size % 100,
    );
}

fn time(duration: Duration) -> String {
    table::time(Some(duration.as_secs_f64() * 1e9))
}

/// Measures the parts of the same work, one after the other.
fn parts(runtime: &Runtime, path: &Path) {
    let (database, _) = runtime.block_on(Database::open(path)).unwrap();
    let read = |take: &mut (dyn FnMut(Review) + Send)| {
        runtime.block_on(async {
            let mut connection = database.readers().acquire().await.unwrap();
            let mut newest = reviews::newest(&mut connection);
            while let Some(numbered) = newest.try_next().await.unwrap() {
                take(numbered.review);
            }
        });
    };
    let ((), reading) = timed(|| read(&mut drop));
    let mut reviews = Vec::new();
    read(&mut |review| reviews.push(review));
    let links = snapshots::links();
    let (folded, folding) = timed(|| {
        reviews
            .iter()
            .map(|review| fold(&review.text))
            .collect::<Vec<_>>()
    });
    let (json, serialising) = timed(|| {
        reviews
            .iter()
            .map(|review| {
                wire::json(&PublishedReview::new(
                    review,
                    links.review(review.id.as_str()),
                ))
            })
            .collect::<Vec<_>>()
    });
    let (entries, printing) = timed(|| {
        reviews
            .into_iter()
            .map(|review| Arc::new(snapshots::entry(review)))
            .collect::<Vec<_>>()
    });
    drop(folded);
    let (_, hashing) = timed(|| json.iter().map(Sha256::digest).collect::<Vec<_>>());
    let (entries, filling) = timed(|| Entries::new(entries, &Entries::default(), &links));
    println!("\n| part, {} reviews | CPU |\n|---|---:|", entries.len());
    let rows = [
        ("reading the rows", reading),
        ("entries", printing),
        ("… of that, serialising", serialising),
        ("… of that, folding", folding),
        ("… of that, hashing", hashing),
        ("segments and index", filling),
    ];
    for (part, cpu) in rows {
        println!("| {part} | {} |", time(cpu));
    }
}

/// The peak memory of this process in KiB.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}
