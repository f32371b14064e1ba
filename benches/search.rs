//! Search: every class of query, compared with a plain scan of one buffer and with a plain FTS5 query of a real file.
//! CPU time of the whole response, its total included. `REVIEWS_BENCH_ROWS=1000000` for a million reviews.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a measurement prints results, reads its size from the environment, and panics on errors"
)]

mod support;

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{Criterion, SamplingMode};
use reviews_service::search::ResultPage;
use reviews_service::snapshot::Snapshot;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, SqliteConnection};
use support::corpus::Corpus;
use support::cpu::CpuTime;
use support::plain::{Answer, Buffer, fts};
use support::questions::{self, Question};
use support::words::Dice;
use support::{files, rows, table};
use tokio::runtime::Runtime;

const LIMIT: usize = 20;
/// Number of random queries that are compared before the measurement.
const BY_CHANCE: usize = 300;

fn main() {
    let rows = rows();
    let corpus = Corpus::new(rows);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let path = runtime.block_on(files::database(rows));
    let snapshot = runtime.block_on(files::snapshot(&path));
    let buffer = Buffer::new(corpus.reviews());
    println!(
        "{rows} reviews, {} bytes of folded text, {} bytes of /reviews.json, {} blocks",
        buffer.len(),
        snapshot
            .document(reviews_service::snapshot::Document::Reviews)
            .body
            .content
            .length(),
        snapshot.input.entries.segments().len()
    );
    let questions = questions::all();
    for question in &questions {
        agrees(&runtime, &snapshot, &buffer, question);
    }
    by_chance(&runtime, &snapshot, &buffer);

    let options = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .pragma("cache_size", "-204800")
        .pragma("mmap_size", "4000000000");
    let mut connection = runtime
        .block_on(SqliteConnection::connect_with(&options))
        .unwrap();

    let mut criterion = Criterion::default()
        .with_measurement(CpuTime(WallTime))
        .without_plots()
        .configure_from_args();
    for question in &questions {
        time(
            &mut criterion,
            rows,
            question,
            &snapshot,
            &buffer,
            &runtime,
            &mut connection,
        );
    }
    let mut group = criterion.benchmark_group(format!("search-{rows}-sqlx"));
    group.bench_function("select-1", |bencher| {
        bencher.iter(|| {
            runtime
                .block_on(sqlx::query("select 1").fetch_one(&mut connection))
                .unwrap()
        });
    });
    group.finish();
    criterion.final_summary();
    report(rows, &questions, &runtime, &snapshot);
}

fn group(rows: usize, question: &Question) -> String {
    format!("search-{rows}-{}", question.slug())
}

fn time(
    criterion: &mut Criterion<CpuTime>,
    rows: usize,
    question: &Question,
    snapshot: &Snapshot,
    buffer: &Buffer,
    runtime: &Runtime,
    connection: &mut SqliteConnection,
) {
    let mut group = criterion.benchmark_group(group(rows, question));
    group.sampling_mode(SamplingMode::Flat).sample_size(20);
    group
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400));
    group.bench_function("ours", |bencher| {
        bencher.iter(|| {
            let found = runtime.block_on(black_box(question).find(snapshot));
            body(snapshot, &found)
        });
    });
    group.bench_function("buffer", |bencher| {
        bencher.iter(|| buffer.search(black_box(&question.arguments), LIMIT));
    });
    // The trigram index does not support shorter queries.
    if question
        .arguments
        .query
        .as_ref()
        .is_some_and(|query| query.chars().count() >= 3)
    {
        group.sample_size(10);
        group.bench_function("fts5", |bencher| {
            bencher.iter(|| {
                runtime.block_on(fts(
                    connection,
                    &question.arguments,
                    i64::try_from(LIMIT).unwrap(),
                ))
            });
        });
    }
    group.finish();
}

/// The body of a response as it is sent.
fn body(snapshot: &Snapshot, found: &ResultPage) -> Vec<u8> {
    let relation = if found.is_exact { "eq" } else { "gte" };
    let mut body = format!(
        "{{\"matched\":{},\"matched_relation\":\"{relation}\",\"returned\":{},\"limit\":{LIMIT},\"reviews\":[",
        found.matched,
        found.positions.len()
    )
    .into_bytes();
    for (number, at) in found.positions.iter().enumerate() {
        body.extend_from_slice(if number == 0 { b"" } else { b"," });
        body.extend_from_slice(&snapshot.input.entries.json(*at).0);
    }
    body.extend_from_slice(b"]}");
    body
}

fn answer(runtime: &Runtime, snapshot: &Snapshot, question: &Question) -> Answer {
    let found = runtime.block_on(question.find(snapshot));
    let entries = found
        .positions
        .iter()
        .map(|at| &snapshot.input.entries[*at]);
    let ids = entries.map(|entry| entry.id().to_string());
    (found.matched, ids.collect())
}

/// Panics unless both plans return the same reviews and the same total.
fn agrees(runtime: &Runtime, snapshot: &Snapshot, buffer: &Buffer, question: &Question) {
    assert_eq!(
        answer(runtime, snapshot, question),
        buffer.search(&question.arguments, LIMIT),
        "{question:?}"
    );
}

/// Compares random pieces of texts, unchanged and altered, with and without filters.
fn by_chance(runtime: &Runtime, snapshot: &Snapshot, buffer: &Buffer) {
    let mut dice = Dice::new(7);
    for _ in 0..BY_CHANCE {
        let text: Vec<char> = buffer.text(dice.below(buffer.rows())).chars().collect();
        let start = dice.below(text.len());
        let length = 1 + dice.below(12).min(text.len() - start - 1);
        let mut query: String = text[start..start + length].iter().collect();
        if dice.percent(30) {
            query.push(*dice.pick(&['z', 'é', ' ', 'q']));
        }
        let mut questions = questions::all();
        let mut question = questions.swap_remove(dice.below(questions.len()));
        question.arguments.query = Some(query);
        agrees(runtime, snapshot, buffer, &question);
    }
}

fn report(rows: usize, questions: &[Question], runtime: &Runtime, snapshot: &Snapshot) {
    println!(
        "\n| class | found | answer | plain scan | plain FTS5 | goal |\n|---|---:|---:|---:|---:|---|"
    );
    for question in questions {
        let group = group(rows, question);
        let [ours, buffer, fts] =
            ["ours", "buffer", "fts5"].map(|plan| table::median(&group, plan));
        let goal = question
            .goal
            .milliseconds(rows, buffer.unwrap_or_default() / 1e6);
        let is_met = ours.is_some_and(|ours| ours <= goal * 1e6);
        let (total, _) = answer(runtime, snapshot, question);
        println!(
            "| {} `{}` | {total} | {} | {} | {} | {goal:.2} ms{} |",
            question.name,
            question.arguments.query.as_deref().unwrap_or_default(),
            table::time(ours),
            table::time(buffer),
            table::time(fts),
            if is_met { "" } else { " **missed**" },
        );
    }
    println!(
        "\none statement through sqlx and its thread, of which the FTS5 column has two: {}",
        table::time(table::median(&format!("search-{rows}-sqlx"), "select-1"))
    );
}
