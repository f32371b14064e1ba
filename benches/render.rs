//! Rendering: making segments and index of the entries, and the snapshot after a change of one review, as a whole and by document. CPU
//! time.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a measurement prints results, reads its size from the environment, and panics on errors"
)]

mod support;

use std::collections::HashSet;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use chrono::DateTime;
use criterion::measurement::WallTime;
use criterion::{BatchSize, Criterion, SamplingMode};
use reviews_service::model::Review;
use reviews_service::snapshot::document::{insights, render};
use reviews_service::snapshot::input::SnapshotInput;
use reviews_service::snapshot::{Content, Document, Entries, Entry};
use reviews_service::wire::Insights;
use support::corpus::Corpus;
use support::cpu::CpuTime;
use support::{rows, snapshots, table};

/// Maximum CPU time for the bodies of a snapshot of 100,000 reviews after one change, in milliseconds.
const GOAL_MS: f64 = 30.0;

fn main() {
    let rows = rows();
    let corpus = Corpus::new(rows);
    let copy = snapshots::copy(&corpus);
    let mut criterion = Criterion::default()
        .with_measurement(CpuTime(WallTime))
        .without_plots()
        .configure_from_args();
    let mut group = criterion.benchmark_group(format!("print-{rows}"));
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1));

    let entries: Vec<Arc<Entry>> = copy.entries.to_vec();
    let links = snapshots::links();
    group.bench_function("entries", |bencher| {
        bencher.iter(|| Entries::new(entries.clone(), &Entries::default(), &links));
    });
    drop(entries);
    // Edits are spread over all entries, so that consecutive edits are in different segments.
    let mut number = 0;
    let mut edit = || {
        number = (number + 7_919) % rows;
        let mut review = corpus.review(number);
        review.text.push_str(" Still fine.");
        review
    };
    group.bench_function("one_change", |bencher| {
        bencher.iter_batched(
            &mut edit,
            |review| bodies(&copy, review),
            BatchSize::SmallInput,
        );
    });
    group.bench_function("revise", |bencher| {
        bencher.iter_batched(
            &mut edit,
            |review| revise(&copy, review),
            BatchSize::SmallInput,
        );
    });
    for document in Document::ALL {
        let known = insights(&copy);
        group.bench_function(document.name(), |bencher| {
            bencher.iter(|| rendered(document, black_box(&copy), &known));
        });
    }
    group.finish();
    criterion.final_summary();
    report(rows);
}

/// The input after a change of `review`.
fn revise(copy: &SnapshotInput, review: Review) -> SnapshotInput {
    let ids = HashSet::from([review.id.clone()]);
    SnapshotInput {
        entries: copy
            .entries
            .revise(&ids, [snapshots::entry(review)], &snapshots::links()),
        ..copy.clone()
    }
}

/// Renders one document; `known` are the insights, which are computed only for the insights document itself.
fn rendered(document: Document, copy: &SnapshotInput, known: &Insights) -> Content {
    let made = (document == Document::Insights).then(|| insights(copy));
    let insights = made.as_ref().unwrap_or(known);
    render(document, copy, insights, DateTime::UNIX_EPOCH)
}

/// The uncompressed sizes of all documents after a change of `review`.
fn bodies(copy: &SnapshotInput, review: Review) -> Vec<u64> {
    let copy = revise(copy, review);
    let insights = insights(&copy);
    Document::ALL
        .map(|document| render(document, &copy, &insights, DateTime::UNIX_EPOCH).length())
        .to_vec()
}

fn report(rows: usize) {
    println!("\n| printing, {rows} reviews | CPU |\n|---|---:|");
    let parts = ["entries", "one_change", "revise"]
        .into_iter()
        .chain(Document::ALL.map(Document::name));
    for part in parts {
        println!(
            "| {part} | {} |",
            table::time(table::median(&format!("print-{rows}"), part))
        );
    }
    println!("\ngoal for one_change at 100,000: {GOAL_MS} ms");
}
