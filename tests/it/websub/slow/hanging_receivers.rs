//! Hostile receivers with many subscriptions each, against the real binary: each delays only itself, and its answers are not
//! kept in memory.

use std::fmt::Write as _;
use std::time::Duration;

use crate::commands::Home;
use crate::process::ServingProcess;
use crate::process::hub::{serve, subscribe};
use crate::support::{Manner, Receiver, Reply, assert_has, wait_for_rows};

/// More than one host may have in flight: the others wait for those that hang.
const SUBSCRIPTIONS: usize = 40;
/// The memory in KiB that hostile receivers may cost: 4 exchanges each, and the allocator's slack.
const GROWTH_KIB_MAX: usize = 40 * 1_024;
const PATIENCE: Duration = Duration::from_mins(1);

/// Rows of active subscriptions to the JSON feed without a delivery.
fn subscribed(home: &Home, receiver: &Receiver, count: usize) {
    let (host, mut sql) = (receiver.address().ip(), "begin;".to_owned());
    for number in 0..count {
        let callback = receiver.url(&format!("/{number}"));
        writeln!(
            sql,
            "insert into subscription (document, callback, callback_key, host, state, lease_ends_at, created_at, updated_at) values
             ('json_feed', '{callback}', '{callback}', '{host}', 'active', '2100-01-01T00:00:00.000Z', '2026-11-20T12:00:00.000Z',
              '2026-11-20T12:00:00.000Z');"
        )
        .unwrap();
    }
    home.sql(&(sql + "commit;"));
}

/// The peak memory of the process, in KiB.
fn peak_kib(serving: &ServingProcess) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", serving.child.id())).unwrap();
    let (_, rest) = status.split_once("VmHWM:").unwrap();
    rest.split_whitespace().next().unwrap().parse().unwrap()
}

async fn within<T>(what: &str, wait: impl Future<Output = T>) -> T {
    let done = tokio::time::timeout(PATIENCE, wait).await;
    done.unwrap_or_else(|_| panic!("never: {what}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn receivers_that_hang_delay_only_themselves() {
    let home = Home::with(20);
    let mut hanging = Vec::new();
    for (last, manner, reply) in [
        (2, Manner::Https, Reply::Never),
        (3, Manner::Https, Reply::DripHead),
        (4, Manner::Silent, Reply::Never),
    ] {
        let receiver = Receiver::at(last, manner).await;
        receiver.always(reply);
        subscribed(&home, &receiver, SUBSCRIPTIONS);
        hanging.push(receiver);
    }
    // On the address of one that hangs, at another port.
    let healthy = Receiver::at(2, Manner::Https).await;

    let late = Receiver::at(7, Manner::Https).await;
    late.always(Reply::Challenge);
    subscribed(&home, &healthy, 1);

    let serving = serve(&home);
    within("the first delivery", healthy.received(1)).await;
    let start_kib = peak_kib(&serving);
    for receiver in &hanging {
        // One host gets at most four at a time.
        let mut open = receiver.watch_open();
        let four = within("four that hang", open.wait_for(|open| *open == 4)).await;
        drop(four.unwrap());
    }
    for number in 2..=4 {
        let text = format!("change {number}");
        home.sql(&format!(
            "update review set text = '{text}' where review_id = 'p-1'"
        ));
        let requests = within("the next delivery", healthy.received(number)).await;
        assert_has(&String::from_utf8_lossy(&requests[number - 1].body), &text);
    }
    let callback = late.url("/late");
    assert!(subscribe(&serving, &callback).starts_with("HTTP/1.1 202 "));
    within("the verification of a new subscriber", late.received(1)).await;
    wait_for_rows(
        &home.path(),
        &format!("select state from subscription where callback = '{callback}'"),
        "active",
    );
    home.sql("update review set text = 'for the late one' where review_id = 'p-1'");
    let requests = within("the new subscriber's delivery", late.received(2)).await;
    assert_has(
        &String::from_utf8_lossy(&requests[1].body),
        "for the late one",
    );

    // The hub waited for none of them.
    for receiver in &hanging {
        let tried = receiver.connections();
        assert!((4..SUBSCRIPTIONS).contains(&tried), "{tried} attempts");
    }
    let grown = peak_kib(&serving).saturating_sub(start_kib);
    assert!(grown < GROWTH_KIB_MAX, "{grown} KiB");
}
