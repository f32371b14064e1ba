//! Floods of requests by strangers: their cost is bounded, and they block no existing subscriber.

use super::Hub;
use super::limits::ask_from;
use crate::support::Reply;

impl Hub {
    async fn ask_from(&self, peer: &str, mode: &str, callback: &str) -> u16 {
        ask_from(&self.app, peer, None, mode, callback).await.status
    }

    /// A hub with these flags, and one active subscription whose callback is a name, so that no limit exempts it.
    async fn with_victim(flags: &[&str]) -> (Self, String) {
        let hub = Self::with(flags).await;
        let victim = hub.receiver.url_of("victim.receiver.test", "/cb");
        hub.request(&victim).await;
        hub.app.drain().await;
        assert_eq!(hub.state(), "active");
        (hub, victim)
    }
}

#[tokio::test]
async fn verifications_above_a_limit_wait_without_lookups() {
    let hub = Hub::with(&[
        "--hub-verifications-per-address-per-minute=20",
        "--hub-verifications-per-host-per-minute=1000",
        "--hub-pending-max=1000",
    ])
    .await;
    for number in 0..100 {
        let host = format!("n{number}.receiver.test");
        hub.request(&hub.receiver.url_of(&host, "/cb")).await;
    }
    let calls = || (hub.fake_dns.asked().len(), hub.calls("subscribe").len());
    hub.app.drain().await;
    assert_eq!(calls(), (100, 20));
    for _ in 0..60 {
        hub.pass(1).await;
    }
    assert_eq!(calls(), (120, 40));
    let postponed = "select count(*) from intent where attempts > 0 or serial > 1";
    let failed = "select count(*) from subscription where last_outcome <> 'ok'";
    assert_eq!(
        hub.app.shell(&format!("{postponed}; {failed}")).await,
        "0\n0"
    );
    hub.pass(180).await;
    assert_eq!(calls(), (180, 100), "each has had its turn");
    let active = "select count(*) from subscription where state = 'active'";
    assert_eq!(hub.app.shell(active).await, "100");
}

#[tokio::test]
async fn rows_caused_by_strangers_are_bounded_in_number_and_bytes() {
    let hub = Hub::new().await;
    let long = "x".repeat(2_000);
    for (count, state) in [(3_000, "rejected"), (2_000, "removed")] {
        hub.app.shell(&format!(
            "with recursive n (i) as (select 1 union all select i + 1 from n where i < {count})
             insert into subscription (document, callback, callback_key, host, state, created_at, updated_at)
             select 'reviews', i, '{state}' || i || '{long}', 'h', '{state}', '', printf('2026-11-20T%06d', i) from n;"
        ))
        .await;
    }
    hub.receiver.always(Reply::status(404));
    let callback = hub.receiver.url(&format!("/{}", "y".repeat(2_000)));
    hub.request(&callback).await;
    hub.app.drain().await;
    let size =
        "select count(*), sum(length(callback_key)) < 2100000 from subscription where state =";
    assert_eq!(hub.app.shell(&format!("{size} 'rejected'")).await, "1000|1");
    assert_eq!(hub.app.shell(&format!("{size} 'removed'")).await, "1000|1");
    let newest = format!("select state from subscription where callback = '{callback}'");
    assert_eq!(hub.app.shell(&newest).await, "rejected");
}

#[tokio::test]
async fn a_full_waiting_list_blocks_no_renewal_or_unsubscription() {
    let (hub, victim) = Hub::with_victim(&["--hub-pending-max=5"]).await;
    let peer = "203.0.113.1";
    for number in 0..6 {
        let callback = format!("https://f{number}.test/");
        let status = hub.ask_from(peer, "subscribe", &callback).await;
        assert_eq!(status, if number < 5 { 202 } else { 503 });
    }
    for (mode, callback) in [
        // It takes its own place.
        ("subscribe", "https://f0.test/"),
        // It takes none.
        ("unsubscribe", "https://nobody.test/"),
        ("subscribe", &victim),
        ("unsubscribe", &victim),
    ] {
        let status = hub.ask_from(peer, mode, callback).await;
        assert_eq!(status, 202, "{mode} {callback}");
    }
    hub.app.drain().await;
    assert_eq!(hub.calls("unsubscribe").len(), 1);
}

#[tokio::test]
async fn one_network_gets_a_tenth_of_the_list_or_ten_places() {
    for (flags, share) in [
        (&["--hub-pending-max=200"][..], 20),
        (&["--hub-pending-max=50"], 10),
    ] {
        let (hub, victim) = Hub::with_victim(flags).await;
        for network in ["198.51.100.1", "2001:db8:1:NUMBER::1"] {
            for number in 0..share + 5 {
                let peer = network.replace("NUMBER", &number.to_string());
                let callback = format!("https://n{number}.{}.test/", network.len());
                let answer = ask_from(&hub.app, &peer, None, "subscribe", &callback).await;
                let expected = if number < share { 202 } else { 503 };
                assert_eq!(answer.status, expected, "{peer}: {}", answer.text());
                assert_eq!(answer.header("retry-after").is_empty(), expected == 202);
            }
            // Renewals have separate places.
            let peer = network.replace("NUMBER", "1");
            for mode in ["subscribe", "unsubscribe"] {
                assert_eq!(hub.ask_from(&peer, mode, &victim).await, 202, "{mode}");
            }
        }
        let other = "https://other.test/";
        assert_eq!(hub.ask_from("198.51.100.2", "subscribe", other).await, 202);
    }
}

#[tokio::test]
async fn names_of_one_silent_address_get_a_tenth_of_the_list() {
    let flags = &[
        "--hub-pending-max=40",
        "--hub-verifications-per-address-per-minute=1",
    ];
    let (hub, _) = Hub::with_victim(flags).await;
    // Each from a different network and with a different new name.
    for number in 0..40 {
        let host = format!("n{number}.receiver.test");
        let (peer, callback) = (
            format!("198.51.{number}.1"),
            hub.receiver.url_of(&host, "/cb"),
        );
        assert_eq!(hub.ask_from(&peer, "subscribe", &callback).await, 202);
        if number % 20 == 19 {
            hub.app.drain().await;
        }
    }
    let waiting = "select count(*) from intent where callback_network = '127.0.0.1'";
    assert_eq!(hub.app.shell(waiting).await, "40");
    // Names known to have this address are refused.
    for target in ["/another", "/one-more"] {
        let callback = hub.receiver.url_of("n7.receiver.test", target);
        let status = hub.ask_from("203.0.113.1", "subscribe", &callback).await;
        assert_eq!(status, 503);
    }
    // Other new callbacks are accepted.
    hub.fake_dns.set("fresh.test", &["127.0.0.2"]);
    for number in 0..20 {
        let (peer, callback) = (
            format!("203.0.{number}.1"),
            format!("https://fresh.test:4{number:03}/cb"),
        );
        assert_eq!(hub.ask_from(&peer, "subscribe", &callback).await, 202);
    }
    for _ in 0..50 {
        hub.pass(60).await;
    }
    let active =
        "select count(*) from subscription where state = 'active' and host glob 'n*.receiver.test'";
    assert_eq!(
        hub.app.shell(active).await,
        "40",
        "nothing accepted is dropped"
    );
}
