//! The example subscriber against the real binary, from discovery to unsubscribing.

#[expect(dead_code, reason = "its `main` is for users")]
#[path = "../../../../examples/subscriber.rs"]
mod example;

use std::sync::Arc;
use std::time::Duration;

use example::{Event, Subscriber};
use tokio::net::TcpListener;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;

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
