//! Failures on our side, which do not count against subscribers: an outage, a bug, a lock, another process.

use std::time::Duration;

use chrono::TimeDelta;
use sqlx::Connection;

use super::{Hub, fake_dns, insert};
use crate::support::{MakeHub, Reply};

const PATIENCE: Duration = Duration::from_secs(30);

impl Hub {
    fn failures_of(&self, host: &str) -> String {
        let query = "select state || ' ' || failures from subscription where host =";
        self.app.sql(&format!("{query} '{host}'"))
    }
}

/// A hub that may call an unroutable network, and the host of its subscription.
async fn subscribed_by_name() -> (Hub, &'static str) {
    let flags = &[
        "--hub-allow-callback-nets=240.0.0.0/4,127.0.0.0/8",
        "--hub-retry-delays=1s,1s",
    ];
    let fake_dns = fake_dns();
    let hub = Hub::made(MakeHub::closed(flags, fake_dns.clone()), fake_dns).await;
    let host = "a.receiver.test";
    hub.subscribe_name(host).await;
    (hub, host)
}

#[tokio::test]
async fn a_silent_resolver_is_a_failure() {
    let hub = Hub::with(&["--hub-retry-delays=1s,1s"]).await;
    let host = "a.receiver.test";
    hub.subscribe_name(host).await;
    hub.fake_dns.fail(host);
    hub.change("c1").await;
    hub.pass(0).await;
    assert_eq!(hub.failures_of(host), "active 1");
    hub.pass(2).await;
    assert_eq!(hub.failures_of(host), "active 2");
}

#[tokio::test]
async fn a_verification_waits_while_it_cannot_leave_this_machine() {
    let flags = &["--hub-allow-callback-nets=240.0.0.0/4,127.0.0.0/8"];
    let fake_dns = fake_dns();
    let hub = Hub::made(MakeHub::closed(flags, fake_dns.clone()), fake_dns).await;
    // Broadcast: the system refuses to connect there, whatever its routes.
    hub.fake_dns.set("receiver.test", &["255.255.255.255"]);
    hub.subscribe_name("receiver.test").await;
    for _ in 0..3 {
        hub.walk("pass 60 → pending, 0 GET, 0 POST, 0 failures")
            .await;
    }
    hub.fake_dns.set("receiver.test", &["127.0.0.1"]);
    hub.walk("pass 60 → active, 1 GET, 0 POST, 0 failures")
        .await;
}

#[tokio::test]
async fn an_unroutable_address_is_no_failure_of_a_delivery() {
    let (hub, host) = subscribed_by_name().await;
    hub.subscribe("/other", &[]).await;
    // Broadcast: the system refuses to connect there, whatever its routes.
    hub.fake_dns.set(host, &["255.255.255.255"]);
    for number in 0..4 {
        hub.change(&format!("c{number}")).await;
        hub.pass(66).await;
        assert_eq!(hub.failures_of(host), "active 0");
    }
    let outcome = format!("select last_outcome from subscription where host = '{host}'");
    assert_eq!(hub.app.shell(&outcome).await, "network_down");
    hub.fake_dns.set(host, &["127.0.0.1"]);
    let before = hub.deliveries().len();
    hub.pass(66).await;
    assert_eq!(hub.deliveries().len(), before + 1);
}

#[tokio::test]
async fn our_outage_keeps_earlier_failures_and_waits_a_minute() {
    let (hub, host) = subscribed_by_name().await;
    let failure = || Reply::status(500).field("connection", "close");
    hub.receiver.script([failure(), failure()]);
    hub.change("c1").await;
    hub.pass(0).await;
    hub.pass(2).await;
    assert_eq!(hub.failures_of(host), "active 2");
    // Broadcast: the system refuses to connect there, whatever its routes.
    hub.fake_dns.set(host, &["255.255.255.255"]);
    hub.pass(2).await;
    let attempt = "select last_attempt_at || ' ' || last_outcome from subscription";
    for _ in 0..3 {
        let last = hub.app.shell(attempt).await;
        assert!(last.ends_with(" network_down"), "{last}");
        assert_eq!(hub.failures_of(host), "active 2");
        hub.pass(59).await;
        assert_eq!(hub.app.shell(attempt).await, last);
        hub.pass(8).await;
        assert_ne!(hub.app.shell(attempt).await, last);
    }
}

#[tokio::test]
async fn an_exchange_that_panics_frees_the_slot_and_is_repeated() {
    let hub = Hub::new().await;
    let host = "a.receiver.test";
    hub.fake_dns.panic_at(host);
    for number in 0..6 {
        let callback = hub.receiver.url_of(host, &format!("/{number}"));
        hub.request(&callback).await;
    }
    // More than run at a time, and each once.
    hub.walk(
        "
        pass 0 → pending, 0 GET, 0 POST, 0 failures
        select count(*) from subscription where last_outcome = 'panicked' → 6
        ",
    )
    .await;
    assert_eq!(hub.fake_dns.asked().len(), 6);
    let hub = hub.restart().await;
    hub.pass(59).await;
    assert_eq!(hub.fake_dns.asked().len(), 6, "it rests");
    hub.fake_dns.stop_panics();
    hub.walk("pass 1 → active, 6 GET, 0 POST, 0 failures").await;
}

#[tokio::test]
async fn a_process_that_could_not_lock_the_sender_file_tries_again() {
    let hub = Hub::new().await;
    let lock = hub.app.folder().join("reviews.db-sender");
    // A folder cannot be opened for writing.
    std::fs::create_dir(&lock).unwrap();
    let work = async {
        hub.ask_for("/cb", &[]).await;
        hub.app.advance(TimeDelta::seconds(1));
        tokio::task::yield_now().await;
        assert_eq!(hub.receiver.connections(), 0);
        std::fs::remove_dir(&lock).unwrap();
        while hub.receiver.connections() == 0 {
            hub.app.advance(TimeDelta::seconds(1));
            tokio::task::yield_now().await;
        }
        hub.receiver.received(1).await;
    };
    let work = tokio::time::timeout(PATIENCE, work);
    hub.app.serving(work).await.expect("it never sends");
    assert_eq!(hub.state(), "active");
}

/// Waits until this many of the service's loops wait for the clock.
async fn at_rest(hub: &Hub, loops: usize) {
    while hub.app.clock().waiting() < loops {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn requests_accepted_by_another_process_are_verified_soon() {
    let hub = Hub::subscribed().await;
    let callback = hub.receiver.url("/elsewhere");
    let accepted = format!(
        "begin; insert into subscription (document, callback, callback_key, host, state, created_at, updated_at)
           values ('reviews', '{callback}', '{callback}', '127.0.0.1', 'pending', '', '');
         insert into intent (subscription_id, mode, callback, lease_seconds, version, next_attempt_at, requested_at)
           values (last_insert_rowid(), 'subscribe', '{callback}', 3600, 1, '2026-11-20T12:00:00.000Z', '2026-11-20T12:00:00.000Z');
         commit;"
    );
    let work = async {
        hub.publish(&insert("c1")).await;
        hub.receiver.received(2).await;
        // Publisher, worker and change detector wait for the clock, which only this advances.
        let mut loops = 0;
        for _ in 0..10_000 {
            loops = loops.max(hub.app.clock().waiting());
            tokio::task::yield_now().await;
        }
        // It waits for the lock without blocking this process.
        hub.app.writer(accepted).await.close().await.unwrap();
        at_rest(&hub, loops).await;
        hub.app.advance(TimeDelta::milliseconds(500));
        at_rest(&hub, loops).await;
        hub.app.advance(TimeDelta::milliseconds(500));
        hub.receiver.received(3).await;
    };
    let work = tokio::time::timeout(PATIENCE, work);
    hub.app.serving(work).await.expect("it is not verified");
    assert_eq!(hub.calls("subscribe").len(), 2);
}
