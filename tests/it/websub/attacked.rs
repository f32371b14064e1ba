//! Floods of requests by strangers: their cost is bounded, and they block no existing subscriber.

use chrono::TimeDelta;

use super::{Hub, REVIEWS};
use crate::support::{Answer, FakeDns, MakeHub, TestApp, form};

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

impl Hub {
    async fn ask_from(&self, peer: &str, mode: &str, callback: &str) -> Answer {
        let body = form([
            ("hub.mode", mode),
            ("hub.topic", REVIEWS),
            ("hub.callback", callback),
        ]);
        self.app.post_hub_from(Some(peer), &[FORM], body).await
    }

    /// A hub with these flags, and one active subscription whose callback is a name, so that no limit exempts it.
    async fn with_victim(flags: &'static [&'static str]) -> (Self, String) {
        let hub = Self::with(flags).await;
        let victim = hub.receiver.url_of("victim.receiver.test", "/cb");
        hub.request(&victim).await;
        hub.app.drain().await;
        assert_eq!(hub.state(), "active");
        (hub, victim)
    }

    /// The number of rows of `table`, and the bytes of its texts.
    async fn size(&self, table: &str, column: &str) -> (u64, u64) {
        let size = self
            .app
            .shell(&format!(
                "select count(*), coalesce(sum(length({column})), 0) from {table}"
            ))
            .await;
        let (rows, bytes) = size.split_once('|').unwrap();
        (rows.parse().unwrap(), bytes.parse().unwrap())
    }
}

#[tokio::test]
async fn verifications_above_a_limit_wait_without_lookups() {
    let hub = Hub::with(&[
        "--hub-verifications-per-address-per-minute",
        "20",
        "--hub-verifications-per-host-per-minute",
        "1000",
        "--hub-pending-max",
        "1000",
    ])
    .await;
    for number in 0..100 {
        let callback = hub
            .receiver
            .url_of(&format!("n{number}.receiver.test"), "/cb");
        hub.request(&callback).await;
    }
    hub.app.drain().await;
    assert_eq!(
        (hub.fake_dns.asked().len(), hub.calls("subscribe").len()),
        (100, 20)
    );
    for _ in 0..60 {
        hub.pass(1).await;
    }
    assert_eq!(
        (hub.fake_dns.asked().len(), hub.calls("subscribe").len()),
        (120, 40)
    );
    let postponed = "select count(*) from intent where attempts > 0 or serial > 1";
    let failed = "select count(*) from subscription where last_outcome <> 'ok'";
    assert_eq!(
        (hub.app.shell(failed).await, hub.app.shell(postponed).await),
        ("0".into(), "0".into())
    );
    hub.pass(180).await;
    assert_eq!(
        (hub.fake_dns.asked().len(), hub.calls("subscribe").len()),
        (180, 100),
        "each has had its turn"
    );
    assert_eq!(
        hub.app
            .shell("select count(*) from subscription where state = 'active'")
            .await,
        "100"
    );
}

#[tokio::test]
async fn rows_caused_by_strangers_are_bounded_in_number_and_bytes() {
    let hub = Hub::new().await;
    let long = "x".repeat(2_000);
    for (count, state) in [(3_000, "rejected"), (12_000, "removed")] {
        hub.app
            .shell(&format!(
                "with recursive n (i) as (select 1 union all select i + 1 from n where i < {count})
                 insert into subscription (document, callback, callback_key, host, state, created_at, updated_at)
                 select 'reviews', i, '{state}' || i || '{long}', 'h', '{state}', '', printf('2026-11-20T%06d', i) from n;"
            ))
            .await;
    }
    hub.receiver.always(crate::support::Reply::status(404));
    let callback = hub.receiver.url(&format!("/{}", "y".repeat(2_000)));
    hub.request(&callback).await;
    hub.app.drain().await;
    let (rows, bytes) = hub
        .size("subscription where state = 'rejected'", "callback_key")
        .await;
    assert!(
        rows == 1_000 && bytes < 2_100_000,
        "{rows} rows, {bytes} bytes"
    );
    assert_eq!(
        hub.size("subscription where state = 'removed'", "callback_key")
            .await
            .0,
        10_000
    );
    let kept = format!(
        "select count(*) from subscription where state = 'rejected' and callback = '{callback}'"
    );
    assert_eq!(hub.app.shell(&kept).await, "1", "the newest are kept");
}

#[tokio::test]
async fn a_full_waiting_list_blocks_no_renewal_or_unsubscription() {
    let (hub, victim) = Hub::with_victim(&["--hub-pending-max", "5"]).await;
    for number in 0..6 {
        let answer = hub
            .ask(
                "subscribe",
                REVIEWS,
                &format!("https://f{number}.test/"),
                &[],
            )
            .await;
        assert_eq!(answer.status, if number < 5 { 202 } else { 503 });
    }
    assert_eq!(
        hub.ask("subscribe", REVIEWS, "https://f0.test/", &[])
            .await
            .status,
        202,
        "it takes its own place"
    );
    assert_eq!(
        hub.ask("unsubscribe", REVIEWS, "https://nobody.test/", &[])
            .await
            .status,
        202,
        "it takes none"
    );
    for mode in ["subscribe", "unsubscribe"] {
        assert_eq!(
            hub.ask(mode, REVIEWS, &victim, &[]).await.status,
            202,
            "{mode}"
        );
    }
    hub.app.drain().await;
    assert_eq!(hub.calls("unsubscribe").len(), 1);
}

#[tokio::test]
async fn false_requests_for_a_host_do_not_block_renewals_of_it() {
    let (hub, victim) =
        Hub::with_victim(&["--hub-verifications-per-address-per-minute", "20"]).await;
    let mut statuses = Vec::new();
    for number in 0..30 {
        let callback = hub
            .receiver
            .url_of("victim.receiver.test", &format!("/false{number}"));
        statuses.push(
            hub.ask_from(&format!("198.51.100.{number}"), "subscribe", &callback)
                .await
                .status,
        );
    }
    assert_eq!(
        statuses.iter().filter(|status| **status == 429).count(),
        1,
        "the first of 30 per minute was the victim's"
    );
    hub.app.drain().await;
    let before = hub.calls("subscribe").len();
    assert_eq!(before, 20, "the address has used its share too");
    assert_eq!(
        hub.ask_from("198.51.100.99", "subscribe", &victim)
            .await
            .status,
        202
    );
    hub.app.drain().await;
    let asked = hub.calls("subscribe");
    assert_eq!(asked.len(), before + 1);
    assert!(
        asked[before].target.starts_with("/cb?"),
        "at once, although 10 others wait: {}",
        asked[before].target
    );
    assert_eq!(
        hub.ask_from("198.51.100.99", "unsubscribe", &victim)
            .await
            .status,
        202
    );
    hub.app.drain().await;
    assert_eq!(hub.calls("unsubscribe").len(), 1);
}

#[tokio::test]
async fn the_reserved_share_of_one_subscription_is_bounded_too() {
    let (hub, victim) = Hub::with_victim(&["--hub-requests-per-source-per-minute", "1"]).await;
    let mut statuses = Vec::new();
    for _ in 0..6 {
        statuses.push(
            hub.ask_from("198.51.100.1", "subscribe", &victim)
                .await
                .status,
        );
    }
    assert_eq!(
        statuses,
        [202, 202, 202, 202, 202, 429],
        "one from its source's share, four from its own"
    );
    hub.app.advance(TimeDelta::seconds(15));
    assert_eq!(
        hub.ask_from("198.51.100.1", "subscribe", &victim)
            .await
            .status,
        202
    );
}

#[tokio::test]
async fn one_network_gets_a_tenth_of_the_list_or_ten_places() {
    for (flags, share) in [
        (&["--hub-pending-max", "200"][..], 20),
        (&["--hub-pending-max", "50"], 10),
    ] {
        let (hub, victim) = Hub::with_victim(flags).await;
        for network in ["198.51.100.1", "2001:db8:1:NUMBER::1"] {
            for number in 0..share + 5 {
                let peer = network.replace("NUMBER", &number.to_string());
                let callback = format!("https://n{number}.{}.test/", network.len());
                let answer = hub.ask_from(&peer, "subscribe", &callback).await;
                let expected = if number < share { 202 } else { 503 };
                assert_eq!(answer.status, expected, "{peer}: {}", answer.text());
                assert_eq!(answer.header("retry-after").is_empty(), expected == 202);
            }
            let peer = network.replace("NUMBER", "1");
            for mode in ["subscribe", "unsubscribe"] {
                let answer = hub.ask_from(&peer, mode, &victim).await;
                assert_eq!(answer.status, 202, "{mode}: renewals have separate places");
            }
        }
        let other = hub
            .ask_from("198.51.100.2", "subscribe", "https://other.test/")
            .await;
        assert_eq!(other.status, 202, "{}", other.text());
    }
}

#[tokio::test]
async fn names_of_one_silent_address_get_a_tenth_of_the_list() {
    let flags = &[
        "--hub-pending-max",
        "40",
        "--hub-verifications-per-address-per-minute",
        "1",
    ];
    let (hub, _) = Hub::with_victim(flags).await;
    let mut taken = 0;
    // Each from a different network and with a different new name.
    for number in 0..40 {
        let callback = hub
            .receiver
            .url_of(&format!("n{number}.receiver.test"), "/cb");
        let peer = format!("198.51.{number}.1");
        let answer = hub.ask_from(&peer, "subscribe", &callback).await;
        assert_eq!(answer.status, 202, "{number}: {}", answer.text());
        taken += 1;
        if number % 20 == 19 {
            hub.app.drain().await;
        }
    }
    let waiting = "select count(*) from intent where callback_network = '127.0.0.1'";
    assert_eq!(hub.app.shell(waiting).await, taken.to_string());
    // Names known to have this address are refused.
    for callback in [
        hub.receiver.url_of("n7.receiver.test", "/another"),
        hub.receiver.url_of("n7.receiver.test", "/one-more"),
    ] {
        let answer = hub.ask_from("203.0.113.1", "subscribe", &callback).await;
        assert_eq!(answer.status, 503, "{}", answer.text());
        assert!(!answer.header("retry-after").is_empty());
    }
    // Other new callbacks are accepted.
    hub.fake_dns.set("fresh.test", &["127.0.0.2"]);
    for number in 0..20 {
        let peer = format!("203.0.{number}.1");
        let callback = format!("https://fresh.test:4{number:03}/cb");
        assert_eq!(
            hub.ask_from(&peer, "subscribe", &callback).await.status,
            202
        );
    }
    for _ in 0..50 {
        hub.pass(60).await;
    }
    let active =
        "select count(*) from subscription where state = 'active' and host glob 'n*.receiver.test'";
    assert_eq!(
        hub.app.shell(active).await,
        taken.to_string(),
        "nothing accepted is dropped"
    );
}

#[tokio::test]
async fn literal_addresses_of_one_network_get_a_tenth_of_the_list() {
    let app = TestApp::with_hub(&[], MakeHub::closed(&[], FakeDns::default())).await;
    let mut statuses = Vec::new();
    for number in 0..120 {
        let body = form([
            ("hub.mode", "subscribe"),
            ("hub.topic", REVIEWS),
            (
                "hub.callback",
                &format!("https://[2606:4700:1:{number:x}::1]/cb"),
            ),
        ]);
        let peer = format!("198.51.{number}.1");
        statuses.push(app.post_hub_from(Some(&peer), &[FORM], body).await.status);
    }
    assert_eq!(
        (&statuses[..100], &statuses[100..]),
        (&[202; 100][..], &[503; 20][..])
    );
}
