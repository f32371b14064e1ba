//! How subscriptions end (rules 27 and 28).

use serde_json::{Value, json};

use super::{Hub, REVIEWS};
use crate::support::Reply;

/// Lets three deliveries in a row fail.
async fn fail_three_times(hub: &Hub, last: Reply) {
    hub.receiver
        .script([Reply::status(500), Reply::status(404), last]);
    hub.change("c1").await;
    hub.pass(660).await;
    hub.pass(47_520).await;
}

#[tokio::test]
async fn rule_27_and_28_three_failures_end_a_subscription_with_denial() {
    let hub = Hub::subscribed().await;
    fail_three_times(&hub, Reply::status(503)).await;
    assert_eq!(
        (
            hub.deliveries().len(),
            hub.state().as_str(),
            hub.field("secret")
        ),
        (3, "removed", Value::Null)
    );
    let [denial] = &hub.calls("denied")[..] else {
        panic!("{} denials", hub.calls("denied").len())
    };
    assert!(
        denial.target.starts_with("/cb?hub.mode=denied&"),
        "{}",
        denial.target
    );
    assert_eq!(denial.parameters("hub.topic"), [REVIEWS]);
    assert!(
        denial
            .parameters("hub.reason")
            .concat()
            .contains("3 deliveries"),
        "{}",
        denial.target
    );
    hub.change("c2").await;
    hub.pass(1_000_000).await;
    assert_eq!(hub.receiver.requests().len(), 5, "nothing more is sent");
}

#[tokio::test]
async fn rule_28_a_failed_denial_changes_nothing() {
    let hub = Hub::subscribed().await;
    fail_three_times(&hub, Reply::Close).await;
    hub.receiver.always(Reply::Close);
    hub.pass(3_600).await;
    assert_eq!(
        (hub.state().as_str(), hub.calls("denied").len()),
        ("removed", 1)
    );
}

#[tokio::test]
async fn an_ended_subscriber_subscribes_again_and_gets_later_changes() {
    let hub = Hub::subscribed().await;
    fail_three_times(&hub, Reply::status(500)).await;
    hub.change("c2").await;
    hub.subscribe("/cb", &[]).await;
    assert_eq!(
        (
            hub.state().as_str(),
            hub.field("failures"),
            hub.deliveries().len()
        ),
        ("active", json!(0), 3)
    );
    hub.change("c3").await;
    assert_eq!(hub.deliveries().len(), 4);
}

#[tokio::test]
async fn rule_38_a_410_ends_a_subscription_at_once_without_a_denial() {
    let hub = Hub::new().await;
    hub.subscribe("/cb", &[("hub.secret", "x")]).await;
    hub.receiver.script([Reply::status(410)]);
    hub.change("c1").await;
    hub.change("c2").await;
    assert_eq!(
        (hub.state().as_str(), hub.field("secret")),
        ("removed", Value::Null)
    );
    assert_eq!((hub.deliveries().len(), hub.calls("denied").len()), (1, 0));
}

#[tokio::test]
async fn after_unsubscribing_nothing_is_delivered() {
    let hub = Hub::new().await;
    hub.subscribe("/cb", &[("hub.secret", "x")]).await;
    hub.unsubscribe("/cb", &[]).await;
    hub.change("c1").await;
    assert_eq!(
        (
            hub.state().as_str(),
            hub.field("secret"),
            hub.deliveries().len()
        ),
        ("removed", Value::Null, 0)
    );
    assert_eq!(
        hub.calls("denied").len(),
        0,
        "a subscriber that unsubscribed gets no denial"
    );
}

#[tokio::test]
async fn unsubscribing_an_unknown_callback_gets_202_and_sends_nothing() {
    let hub = Hub::new().await;
    hub.unsubscribe("/cb", &[]).await;
    assert_eq!(hub.receiver.connections(), 0);
    hub.subscribe("/cb", &[]).await;
    hub.unsubscribe("/cb", &[]).await;
    hub.unsubscribe("/cb", &[]).await;
    assert_eq!(
        (hub.receiver.requests().len(), hub.state().as_str()),
        (2, "removed")
    );
}
