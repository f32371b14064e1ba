//! Limits against abuse: each refuses with `Retry-After`; allowed networks are exempt from those per source and per host.

use super::{Hub, REVIEWS, fake_dns};
use crate::support::{Answer, Generator, TestApp, assert_has, closed_hub, form, table};

/// A hub with these flags and without allowed networks.
async fn outside(flags: &[&str]) -> TestApp {
    TestApp::with_hub(
        &Generator::new(73).reviews(3),
        closed_hub(flags, fake_dns()),
    )
    .await
}

/// The answer to a request for the dataset that a peer sends, and perhaps forwards.
pub(super) async fn ask_from(
    app: &TestApp,
    peer: &str,
    forwarded: Option<&str>,
    mode: &str,
    callback: &str,
) -> Answer {
    let body = form([
        ("hub.mode", mode),
        ("hub.topic", REVIEWS),
        ("hub.callback", callback),
    ]);
    let mut headers = vec![("content-type", "application/x-www-form-urlencoded")];
    headers.extend(forwarded.map(|forwarded| ("x-forwarded-for", forwarded)));
    app.post_hub_from(Some(peer), &headers, body).await
}

async fn ask(app: &TestApp, callback: &str) -> Answer {
    ask_from(app, "198.51.100.1", None, "subscribe", callback).await
}

/// Checks the status of an answer, and that a refusal says how long to wait.
#[track_caller]
fn check_status(answer: &Answer, status: u16) {
    let text = answer.text();
    assert_eq!(answer.status, status, "{text}");
    if status == 429 || status == 503 {
        let wait: u64 = answer.header("retry-after").parse().unwrap();
        assert!((1..=3_600).contains(&wait), "{text}");
        assert_has(&text, &format!("again in {wait} s"));
    }
}

#[tokio::test]
async fn requests_per_source_are_bounded_also_behind_a_proxy() {
    let app = outside(&[
        "--hub-requests-per-source-per-minute=2",
        "--trusted-proxies=10.0.0.0/8",
    ])
    .await;
    // The proxy adds the client's address; entries before it are the client's own.
    for [peer, forwarded, callback, status] in table(
        "
        198.51.100.1 → - → https://a.test/ → 202
        198.51.100.1 → - → https://127.0.0.1/ → 400
        198.51.100.1 → - → https://b.test/ → 429
        198.51.100.1 → 203.0.113.2 → https://b.test/ → 429
        ::ffff:198.51.100.1 → - → https://b.test/ → 429
        198.51.100.2 → - → https://b.test/ → 202
        2001:db8:1:2::1 → - → https://c.test/ → 202
        2001:db8:1:2::2 → - → https://d.test/ → 202
        2001:db8:1:3::1 → - → https://e.test/ → 429
        2001:db8:2:3::1 → - → https://e.test/ → 202
        10.0.0.1 → 198.51.100.9 → https://f.test/ → 202
        10.0.0.1 → 198.51.100.9 → https://g.test/ → 202
        10.0.0.2 → 203.0.113.3, 198.51.100.9 → https://h.test/ → 429
        ",
    ) {
        let forwarded = Some(forwarded).filter(|forwarded| *forwarded != "-");
        let answer = ask_from(&app, peer, forwarded, "subscribe", callback).await;
        check_status(&answer, status.parse().unwrap());
    }
    // A client that waits as long as the answer says is accepted.
    let refused = ask(&app, "https://new.test/").await;
    let wait = refused.header("retry-after").parse().unwrap();
    app.advance(chrono::TimeDelta::seconds(wait));
    assert_eq!(ask(&app, "https://new.test/").await.status, 202);
}

#[tokio::test]
async fn limits_of_hosts_and_places_bind_new_subscriptions_only() {
    let subscriptions = &[
        "--hub-subscriptions-per-host-max=1",
        "--hub-subscriptions-max=2",
    ];
    for (flags, requests) in [
        (
            &["--hub-verifications-per-host-per-minute=2"][..],
            "a.test/1 202 A.test:8443/2 202 a.test/3 429 b.test/ 202",
        ),
        (
            &["--hub-pending-max=2"],
            "a.test/1 202 b.test/ 202 c.test/ 503",
        ),
        (
            subscriptions,
            "a.test/1 202 a.test/2 429 b.test/ 202 c.test/ 503 a.test/1 202",
        ),
    ] {
        let app = outside(flags).await;
        let mut words = requests.split(' ');
        while let (Some(callback), Some(status)) = (words.next(), words.next()) {
            let answer = ask(&app, &format!("https://{callback}")).await;
            check_status(&answer, status.parse().unwrap());
        }
    }
}

#[tokio::test]
async fn allowed_nets_are_exempt_from_the_limits_per_source_and_host() {
    let hub = Hub::with(&[
        "--hub-requests-per-source-per-minute=1",
        "--hub-verifications-per-host-per-minute=1",
        "--hub-verifications-per-address-per-minute=1",
        "--hub-subscriptions-per-host-max=1",
        "--hub-bytes-per-host-per-hour=1",
    ])
    .await;
    for number in 0..5 {
        let callback = hub.receiver.url(&format!("/{number}"));
        let answer = ask_from(&hub.app, "127.0.0.1", None, "subscribe", &callback).await;
        check_status(&answer, 202);
    }
    hub.walk(
        "
        pass 0 → active, 5 GET, 0 POST, 0 failures
        change c1 → active, 5 GET, 5 POST, 0 failures
        change c2 → active, 5 GET, 10 POST, 0 failures
        ",
    )
    .await;
}

#[tokio::test]
async fn a_host_above_the_limit_of_bytes_waits_for_an_hour() {
    let hub = Hub::with(&["--hub-bytes-per-host-per-hour=1"]).await;
    for host in ["a.receiver.test", "b.receiver.test"] {
        hub.request(&hub.receiver.url_of(host, "/cb")).await;
    }
    // A waiting host does not block others, and gets only the newest content.
    hub.walk(
        "
        pass 0 → active, 2 GET, 0 POST, 0 failures
        change c1 → active, 2 GET, 2 POST, 0 failures
        change c2 → active, 2 GET, 2 POST, 0 failures
        subscribe /other → active, 3 GET, 2 POST, 0 failures
        change c3 → active, 3 GET, 3 POST, 0 failures
        pass 3600 → active, 3 GET, 5 POST, 0 failures
        ",
    )
    .await;
}
