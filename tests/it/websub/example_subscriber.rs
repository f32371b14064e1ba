//! The example subscriber against the real binary, from discovery to unsubscribing.

#[expect(dead_code, reason = "its `main` is for users")]
#[path = "../../../examples/subscriber.rs"]
mod example;

use std::sync::Arc;
use std::time::Duration;

use example::{Event, Subscriber, is_signed};
use tokio::net::TcpListener;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;
use url::Url;

use crate::process::{Home, Serving, reviews};
use crate::support::{ca_pem, server_config, wait_for_rows};

const PATIENCE: Duration = Duration::from_mins(1);

/// A hub with short leases; its topics are below its listening address.
fn serve(home: &Home) -> Serving {
    let roots = home.folder.path().join("ca.pem");
    std::fs::write(&roots, ca_pem()).unwrap();
    let mut command = reviews(home.folder.path());
    command
        .arg("serve")
        .env("REVIEWS_HUB_CA_FILE", roots)
        .envs([
            ("REVIEWS_HUB_ALLOW_CALLBACK_NETS", "127.0.0.0/8"),
            ("REVIEWS_HUB_LEASE_SECONDS_MIN", "2"),
            ("REVIEWS_HUB_LEASE_SECONDS_DEFAULT", "3"),
        ]);
    Serving::start(&mut command)
}

async fn next(events: &mut UnboundedReceiver<Event>) -> Event {
    tokio::time::timeout(PATIENCE, events.recv())
        .await
        .expect("nothing happened")
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_example_subscribes_renews_and_unsubscribes() {
    let home = Home::with(3);
    let serving = serve(&home);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let callback = format!("https://{}/cb?mine=1", listener.local_addr().unwrap());
    let topic = format!("http://{}/api/feed.json", serving.address);
    let (subscriber, mut events) = Subscriber::discover(&topic, &callback).await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(Arc::clone(&subscriber).run(listener, server_config(&["127.0.0.1"], true)));

    let lease = Duration::from_secs(3);
    assert_eq!(next(&mut events).await, Event::Subscribed(lease));
    wait_for_rows(&home.path(), "select state from subscription", "active");
    assert_answers_safely(&callback, &topic).await;
    assert_eq!(next(&mut events).await, Event::Subscribed(lease));
    let ends_at = home.sql("select lease_ends_at from subscription");
    home.sql("update review set text = 'a change' where review_id = 'p-1'");
    // Renewals may come in between.
    let mut renewals = 0;
    let content = loop {
        match next(&mut events).await {
            Event::Content(content) => break content,
            other => assert_eq!(other, Event::Subscribed(lease)),
        }
        renewals += 1;
    };
    // The delivery equals the served document.
    let served = serving.get("/api/feed.json");
    assert_eq!(String::from_utf8_lossy(&content), served);
    if renewals == 0 {
        assert_eq!(next(&mut events).await, Event::Subscribed(lease));
    }
    let renewed = format!("select state, lease_ends_at > '{ends_at}' from subscription");
    wait_for_rows(&home.path(), &renewed, "active|1");

    subscriber.leave().await.unwrap();
    while next(&mut events).await != Event::Unsubscribed {}
    wait_for_rows(&home.path(), "select state from subscription", "removed");
}

/// The answer to a verification cannot run in a browser (WebSub §8.2), and a challenge that could is refused.
async fn assert_answers_safely(callback: &str, topic: &str) {
    let root = reqwest::Certificate::from_pem(ca_pem().as_bytes()).unwrap();
    let client = reqwest::Client::builder().add_root_certificate(root);
    let client = client.build().unwrap();
    let ask = async |challenge: &str| {
        let mut url = Url::parse(callback).unwrap();
        url.query_pairs_mut()
            .append_pair("hub.mode", "subscribe")
            .append_pair("hub.topic", topic)
            .append_pair("hub.lease_seconds", "3")
            .append_pair("hub.challenge", challenge);
        client.get(url).send().await.unwrap()
    };
    for challenge in ["<script>alert(1)</script>", "a\u{0}b", &"a".repeat(257)] {
        assert_eq!(ask(challenge).await.status(), 404, "{challenge}");
    }
    let answer = ask("Ab-_9").await;
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "application/octet-stream");
    assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
    assert_eq!(answer.text().await.unwrap(), "Ab-_9");
}

#[test]
fn the_example_accepts_only_signed_deliveries() {
    // RFC 4231 §4.3.
    let sum = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    let body = b"what do ya want for nothing?";
    assert!(is_signed("Jefe", body, &format!("sha256={sum}")));
    for (secret, signature) in [
        ("jefe", format!("sha256={sum}")),
        ("Jefe", format!("sha256={}", &sum[2..])),
        ("Jefe", format!("sha256={sum}00")),
        ("Jefe", format!("sha1={sum}")),
        ("Jefe", "sha256=".to_owned()),
        ("Jefe", "sha256=zz".to_owned()),
        ("Jefe", "sha256=€".to_owned()),
        ("Jefe", String::new()),
    ] {
        assert!(!is_signed(secret, body, &signature), "{secret} {signature}");
    }
}
