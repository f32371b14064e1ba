//! Limits against abuse: each refuses with `Retry-After`; allowed networks are exempt from those per source and per host.

use super::{Hub, REVIEWS, fake_dns};
use crate::support::{Answer, Generator, MakeHub, Reply, TestApp, form};

/// A hub with these flags and without allowed networks.
async fn outside(flags: &'static [&'static str]) -> TestApp {
    TestApp::with_hub(
        &Generator::new(73).reviews(3),
        MakeHub::closed(flags, fake_dns()),
    )
    .await
}

async fn ask_from(app: &TestApp, peer: &str, forwarded: Option<&str>, callback: &str) -> Answer {
    let body = form([
        ("hub.mode", "subscribe"),
        ("hub.topic", REVIEWS),
        ("hub.callback", callback),
    ]);
    let mut headers = vec![("content-type", "application/x-www-form-urlencoded")];
    headers.extend(forwarded.map(|forwarded| ("x-forwarded-for", forwarded)));
    app.post_hub_from(Some(peer), &headers, body).await
}

async fn ask(app: &TestApp, callback: &str) -> Answer {
    ask_from(app, "198.51.100.1", None, callback).await
}

#[track_caller]
fn check_refused(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{}", answer.text());
    let wait: u64 = answer.header("retry-after").parse().unwrap();
    assert!(
        (1..=3_600).contains(&wait) && answer.text().contains(&format!("again in {wait} s")),
        "{wait}: {}",
        answer.text()
    );
}

#[tokio::test]
async fn requests_per_source_are_bounded() {
    let app = outside(&["--hub-requests-per-source-per-minute", "2"]).await;
    for (peer, callback, status) in [
        ("198.51.100.1", "https://a.test/", 202),
        ("198.51.100.1", "http://faulty.test/", 400),
        ("198.51.100.1", "https://b.test/", 429),
        ("::ffff:198.51.100.1", "https://b.test/", 429),
        ("198.51.100.2", "https://b.test/", 202),
        ("2001:db8:1:2::1", "https://c.test/", 202),
        ("2001:db8:1:2::2", "https://d.test/", 202),
        ("2001:db8:1:3::1", "https://e.test/", 429),
        ("2001:db8:2:3::1", "https://e.test/", 202),
    ] {
        let answer = ask_from(&app, peer, None, callback).await;
        assert_eq!(answer.status, status, "{peer}");
        if status == 429 {
            check_refused(&answer, 429);
        }
    }
    // A client that waits as long as the answer says is accepted.
    let refused = ask(&app, "https://new.test/").await;
    let wait = refused.header("retry-after").parse().unwrap();
    app.advance(chrono::TimeDelta::seconds(wait));
    assert_eq!(ask(&app, "https://new.test/").await.status, 202);
}

#[tokio::test]
async fn x_forwarded_for_is_used_only_from_trusted_proxies() {
    let app = outside(&[
        "--hub-requests-per-source-per-minute",
        "1",
        "--trusted-proxies",
        "10.0.0.0/8",
    ])
    .await;
    for (number, (peer, forwarded, status)) in [
        // The entry of an untrusted client is ignored.
        ("198.51.100.1", Some("203.0.113.1"), 202),
        ("198.51.100.1", Some("203.0.113.2"), 429),
        // The proxy adds the client's address; entries before it are the client's own.
        ("10.0.0.1", Some("198.51.100.9"), 202),
        ("10.0.0.2", Some("203.0.113.3, 198.51.100.9"), 429),
        ("10.0.0.1", None, 202),
        ("10.0.0.1", Some("unknown"), 429),
    ]
    .into_iter()
    .enumerate()
    {
        // Each is different, because a repeated request replaces the waiting one.
        let callback = format!("https://n{number}.test/");
        assert_eq!(
            ask_from(&app, peer, forwarded, &callback).await.status,
            status,
            "{peer} {forwarded:?}"
        );
    }
}

#[tokio::test]
async fn limits_of_hosts_and_places_bind_new_subscriptions_only() {
    let per_host = &["--hub-verifications-per-host-per-minute", "2"];
    let waiting = &["--hub-pending-max", "2"];
    let subscriptions = &[
        "--hub-subscriptions-per-host-max",
        "1",
        "--hub-subscriptions-max",
        "2",
    ];
    let first = ("https://a.test/1", 202);
    for (flags, asked) in [
        (
            &per_host[..],
            &[
                first,
                ("https://A.test:8443/2", 202),
                ("https://a.test/3", 429),
                ("https://b.test/", 202),
            ][..],
        ),
        (
            waiting,
            &[first, ("https://b.test/", 202), ("https://c.test/", 503)],
        ),
        (
            subscriptions,
            &[
                first,
                ("https://a.test/2", 429),
                ("https://b.test/", 202),
                ("https://c.test/", 503),
                first,
            ],
        ),
    ] {
        let app = outside(flags).await;
        for (callback, status) in asked {
            let answer = ask(&app, callback).await;
            assert_eq!(
                answer.status,
                *status,
                "{flags:?} {callback}: {}",
                answer.text()
            );
            if *status != 202 {
                check_refused(&answer, *status);
            }
        }
    }
}

#[tokio::test]
async fn allowed_nets_are_exempt_from_the_limits_per_source_and_host() {
    let hub = Hub::with(&[
        "--hub-requests-per-source-per-minute",
        "1",
        "--hub-verifications-per-host-per-minute",
        "1",
        "--hub-verifications-per-address-per-minute",
        "1",
        "--hub-subscriptions-per-host-max",
        "1",
        "--hub-bytes-per-host-per-hour",
        "1",
    ])
    .await;
    for number in 0..5 {
        let answer = ask_from(
            &hub.app,
            "127.0.0.1",
            None,
            &hub.receiver.url(&format!("/{number}")),
        )
        .await;
        assert_eq!(answer.status, 202, "{}", answer.text());
    }
    hub.app.drain().await;
    hub.change("c1").await;
    hub.change("c2").await;
    assert_eq!(
        (hub.calls("subscribe").len(), hub.deliveries().len()),
        (5, 10)
    );
}

#[tokio::test]
async fn a_host_above_the_limit_of_bytes_waits_for_an_hour() {
    let hub = Hub::with(&["--hub-bytes-per-host-per-hour", "1"]).await;
    for host in ["a.receiver.test", "b.receiver.test"] {
        hub.request(&hub.receiver.url_of(host, "/cb")).await;
    }
    hub.app.drain().await;
    hub.change("c1").await;
    assert_eq!(hub.deliveries().len(), 2);
    hub.change("c2").await;
    assert_eq!(hub.deliveries().len(), 2, "both have used their share");
    hub.subscribe("/other", &[]).await;
    hub.change("c3").await;
    assert_eq!(
        hub.deliveries().len(),
        3,
        "a waiting host does not block others"
    );
    hub.receiver.always(Reply::Challenge);
    hub.pass(3_600).await;
    assert_eq!(hub.deliveries().len(), 5, "the newest, once to each");
}
