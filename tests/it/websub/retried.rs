//! Failed deliveries and their retries (rules 40 and 41).

use serde_json::{Value, json};

use super::Hub;
use crate::support::Reply;

/// The default waits, and the maximum jitter.
const FIRST_WAIT: i64 = 600;
const SECOND_WAIT: i64 = 43_200;

fn jittered(wait: i64) -> i64 {
    wait + wait / 10
}

#[tokio::test]
async fn rule_40_failed_deliveries_repeat_after_the_configured_waits() {
    let hub = Hub::subscribed().await;
    hub.receiver.script([Reply::status(500), Reply::Close]);
    hub.change("c1").await;
    for (wait, tried) in [(FIRST_WAIT, 1), (SECOND_WAIT, 2)] {
        hub.pass(wait - 1).await;
        assert_eq!(
            (hub.deliveries().len(), hub.field("failures")),
            (tried, json!(tried))
        );
        hub.pass(jittered(wait) - wait + 1).await;
        assert_eq!(hub.deliveries().len(), tried + 1);
    }
    assert_eq!(
        (
            hub.field("failures"),
            hub.field("next_attempt_at"),
            hub.state().as_str()
        ),
        (json!(0), Value::Null, "active")
    );
    let sent = hub.deliveries();
    assert!(sent.iter().all(|request| request.body == sent[0].body));
}

#[tokio::test]
async fn rule_41_newer_content_replaces_older_and_keeps_the_wait() {
    let hub = Hub::subscribed().await;
    hub.receiver.script([Reply::status(500)]);
    hub.change("c1").await;
    let until = hub.field("next_attempt_at");
    hub.change("c2").await;
    hub.change("c3").await;
    assert_eq!(
        (hub.deliveries().len(), hub.field("next_attempt_at")),
        (1, until)
    );
    hub.pass(jittered(FIRST_WAIT)).await;
    let sent = hub.deliveries();
    assert_eq!(sent.len(), 2, "once, for all three changes");
    assert!(sent[1].body == hub.app.get("/reviews.json").await.body);
}

#[tokio::test]
async fn a_renewal_resets_failures_and_keeps_the_delivered_version() {
    let hub = Hub::subscribed().await;
    hub.receiver
        .script([Reply::status(500), Reply::status(500)]);
    hub.change("c1").await;
    hub.pass(jittered(FIRST_WAIT)).await;
    assert_eq!(hub.field("failures"), 2);
    hub.receiver.script([Reply::Challenge, Reply::status(500)]);
    hub.subscribe("/cb", &[]).await;
    assert_eq!(
        (hub.deliveries().len(), hub.field("failures")),
        (3, json!(1)),
        "the missed content is sent at once as a first attempt"
    );
    hub.pass(jittered(FIRST_WAIT)).await;
    assert!(hub.deliveries()[3].body == hub.app.get("/reviews.json").await.body);
}

#[tokio::test]
async fn a_verification_waits_while_our_own_network_is_down() {
    let hub = Hub::new().await;
    hub.fake_dns.fail("receiver.test");
    hub.app.advance(chrono::TimeDelta::seconds(60));
    hub.subscribe_name(&hub.receiver, "receiver.test").await;
    for _ in 0..10 {
        hub.pass(60).await;
        assert_eq!(hub.state(), "pending");
    }
    hub.fake_dns.set("receiver.test", &["127.0.0.1"]);
    hub.pass(60).await;
    assert_eq!(hub.state(), "active");
}
