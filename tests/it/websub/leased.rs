//! Leases (rules 31, 32 and 34).

use serde_json::{Value, json};

use super::{Hub, TEN_DAYS};
use crate::support::{Reply, rows};

#[tokio::test]
async fn rule_31_a_lease_starts_with_the_confirmed_verification() {
    let hub = Hub::new().await;
    hub.receiver.script([Reply::status(503)]);
    hub.subscribe("/cb", &[("hub.lease_seconds", "600")]).await;
    hub.pass(5).await;
    assert_eq!(
        hub.field("lease_ends_at"),
        json!("2026-11-20T12:10:05.000Z")
    );
}

#[tokio::test]
async fn rule_32_nothing_is_delivered_after_the_end_of_the_lease() {
    let hub = Hub::subscribed().await;
    hub.app.advance(chrono::TimeDelta::seconds(TEN_DAYS));
    // Only the worker runs here, so the state stays the same.
    hub.app
        .serving(async {
            hub.ask_for("/fresh", &[]).await;
            hub.receiver.received(2).await;
            hub.publish(&super::insert("c1")).await;
            hub.receiver.received(3).await;
        })
        .await;
    let sent: Vec<String> = hub
        .deliveries()
        .into_iter()
        .map(|request| request.target)
        .collect();
    assert_eq!(sent, ["/fresh"]);
}

#[tokio::test]
async fn rule_32_an_unrenewed_lease_lapses_and_the_secret_is_deleted() {
    let hub = Hub::new().await;
    hub.subscribe("/cb", &[("hub.secret", "x"), ("hub.lease_seconds", "300")])
        .await;
    hub.pass(299).await;
    hub.change("c1").await;
    assert_eq!(
        (hub.deliveries().len(), hub.state().as_str()),
        (1, "active")
    );
    hub.pass(1).await;
    hub.change("c2").await;
    assert_eq!(
        (
            hub.deliveries().len(),
            hub.state().as_str(),
            hub.field("secret")
        ),
        (1, "lapsed", Value::Null)
    );
}

#[tokio::test]
async fn rule_32_no_lease_is_longer_than_the_bound() {
    let hub = Hub::with(&[
        "--hub-lease-seconds-default",
        "1000",
        "--hub-lease-seconds-max",
        "2000",
    ])
    .await;
    hub.subscribe("/a", &[]).await;
    hub.subscribe("/b", &[("hub.lease_seconds", "99999999999999999999999999")])
        .await;
    let ends = rows(
        &hub.app.path(),
        "select lease_ends_at as at from subscription order by callback;",
    );
    assert_eq!(
        ends,
        [
            json!({"at": "2026-11-20T12:16:40.000Z"}),
            json!({"at": "2026-11-20T12:33:20.000Z"})
        ]
    );
}

#[tokio::test]
async fn rule_34_a_callback_is_not_verified_again_during_the_lease() {
    let hub = Hub::subscribed().await;
    for _ in 0..9 {
        hub.pass(TEN_DAYS / 10).await;
    }
    assert_eq!(hub.receiver.requests().len(), 1);
}

#[tokio::test]
async fn a_renewal_in_time_leaves_no_gap() {
    let hub = Hub::subscribed().await;
    for round in 0..3 {
        hub.pass(TEN_DAYS - 10).await;
        hub.subscribe("/cb", &[]).await;
        hub.change(&format!("c{round}")).await;
        assert_eq!(
            (hub.deliveries().len(), hub.state().as_str()),
            (round + 1, "active")
        );
    }
}

#[tokio::test]
async fn ended_subscriptions_are_deleted_after_30_days() {
    let hub = Hub::subscribed().await;
    hub.pass(TEN_DAYS).await;
    hub.pass(29 * 86_400).await;
    assert_eq!(hub.state(), "lapsed");
    hub.pass(2 * 86_400).await;
    assert_eq!(
        rows(&hub.app.path(), "select * from subscription;").len(),
        0
    );
}

#[tokio::test]
async fn a_renewal_never_shortens_the_lease_and_states_the_result() {
    let hub = Hub::new().await;
    hub.subscribe("/cb", &[("hub.secret", "first")]).await;
    hub.app.advance(chrono::TimeDelta::milliseconds(3_600_500));
    let lease_asked = |hub: &Hub| {
        let verification = hub.calls("subscribe").pop().unwrap();
        verification.parameters("hub.lease_seconds")[0].clone()
    };
    hub.subscribe(
        "/cb",
        &[("hub.lease_seconds", "300"), ("hub.secret", "second")],
    )
    .await;
    assert_eq!(lease_asked(&hub), (TEN_DAYS - 3_601).to_string());
    assert_eq!(
        (hub.field("lease_ends_at"), hub.field("secret")),
        (json!("2026-11-30T12:00:00.000Z"), json!("second")),
        "the secret is that of the newest verified request"
    );
    hub.subscribe("/cb", &[]).await;
    assert_eq!(lease_asked(&hub), TEN_DAYS.to_string());
    assert_eq!(
        hub.field("lease_ends_at"),
        json!("2026-11-30T13:00:00.500Z")
    );
    // Without a running lease, the requested one counts.
    hub.pass(TEN_DAYS).await;
    assert_eq!(hub.state(), "lapsed");
    hub.subscribe("/cb", &[("hub.lease_seconds", "300")]).await;
    assert_eq!(lease_asked(&hub), "300");
    assert_eq!(
        hub.field("lease_ends_at"),
        json!("2026-11-30T13:05:00.500Z")
    );
    // A lease that its subscriber ended is not running either.
    hub.subscribe("/cb", &[]).await;
    hub.unsubscribe("/cb", &[]).await;
    hub.subscribe("/cb", &[("hub.lease_seconds", "300")]).await;
    assert_eq!(lease_asked(&hub), "300");
}
