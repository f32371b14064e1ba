//! Fan-out: the cost of a delivery for the sender, compared with a bare hyper + rustls sender in the same run, and the
//! effect of receivers that never answer on the others. The sink is a separate process, so that only the sender is
//! measured.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    clippy::wildcard_enum_match_arm,
    reason = "a measurement prints results, reads its size from the environment, and panics on errors"
)]

mod bare;
mod hub;
mod meter;
mod sink;

use meter::{Meter, row};
use sink::Sink;

/// Deliveries per measurement; `FAN_OUT_DELIVERIES` overrides it.
const DELIVERIES: usize = 10_000;
/// Maximum number of concurrent deliveries.
const IN_FLIGHT: usize = 256;
/// Percentage of hosts that never answer.
const DEAD_PERCENT: usize = 2;
/// Maximum ratio of the sender's CPU per delivery to that of the bare sender.
const GOAL_TIMES: f64 = 1.3;

fn main() {
    if std::env::var_os("FAN_OUT_SINK").is_some() {
        return sink::main();
    }
    let deliveries =
        std::env::var("FAN_OUT_DELIVERIES").map_or(DELIVERIES, |count| count.parse().unwrap());
    let runtime = || {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap()
    };
    let sink = Sink::start();
    println!(
        "{deliveries} deliveries of the JSON feed, {IN_FLIGHT} in flight at most; one worker thread\n"
    );
    println!(
        "| sender | hosts | seconds | deliveries/s | CPU per delivery | deliveries per CPU second | memory grown |\n|---|---|---|---|---|---|---|"
    );

    let content = runtime().block_on(hub::content(&sink));
    let bare = runtime().block_on(async {
        let sender = bare::Sender::new(&sink);
        sender.send(&content, 500, IN_FLIGHT).await;
        let meter = Meter::start();
        sender.send(&content, deliveries, IN_FLIGHT).await;
        meter.stop()
    });
    row(
        "bare hyper + rustls, neither signed nor recorded",
        deliveries,
        deliveries,
        &bare,
    );

    let measured = |hosts: usize, dead: usize| {
        runtime().block_on(async {
            let mut rig = Box::pin(hub::Rig::start(&sink, hosts, dead, deliveries)).await;
            rig.measure(deliveries - dead).await
        })
    };
    let distinct = measured(deliveries, 0);
    row(
        "the hub, signed and recorded",
        deliveries,
        deliveries,
        &distinct,
    );
    let same = measured(4, 0);
    row("the hub, signed and recorded", 4, deliveries, &same);
    let dead = deliveries * DEAD_PERCENT / 100;
    let with_dead = measured(deliveries, dead);
    row(
        "the hub, 2 % never answer: the others",
        deliveries,
        deliveries - dead,
        &with_dead,
    );

    let times = distinct.cpu_per(deliveries) / bare.cpu_per(deliveries);
    println!("\nCPU per delivery: {times:.2} × the bare sender's (goal: at most {GOAL_TIMES})");
    println!(
        "distinct hosts cost {:.1} × a shared host (goal: at least 4)",
        distinct.cpu_per(deliveries) / same.cpu_per(deliveries)
    );
    println!(
        "with {DEAD_PERCENT} % dead: {:.2} × the time (goal: at most 1.5)",
        with_dead.seconds / distinct.seconds * deliveries as f64 / (deliveries - dead) as f64
    );
    println!(
        "memory: bare {} KiB per delivery in flight; the hub {} KiB (goal: at most 120), both with what else grew meanwhile",
        bare.grown_kib / IN_FLIGHT,
        distinct.grown_kib / IN_FLIGHT
    );
}
