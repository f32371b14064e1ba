//! Verification of callbacks (rules 16, 17, 19, 22, 26, 29, 30, 33).

use serde_json::{Value, json};

use super::{Hub, REVIEWS, TEN_DAYS};
use crate::support::{Logs, Manner, Receiver, Reply};

fn signature(hub: &Hub) -> String {
    hub.deliveries()
        .last()
        .unwrap()
        .field("x-hub-signature")
        .to_owned()
}

#[tokio::test]
async fn rule_16_a_verified_later_request_replaces_the_earlier_one() {
    let hub = Hub::new().await;
    hub.subscribe(
        "/cb",
        &[("hub.secret", "first"), ("hub.lease_seconds", "1000")],
    )
    .await;
    hub.ask_for(
        "/cb",
        &[("hub.secret", "second"), ("hub.lease_seconds", "2000")],
    )
    .await;
    assert_eq!(
        (hub.field("secret"), hub.field("lease_ends_at")),
        (json!("first"), json!("2026-11-20T12:16:40.000Z"))
    );
    hub.app.drain().await;
    assert_eq!(
        (hub.field("secret"), hub.field("lease_ends_at")),
        (json!("second"), json!("2026-11-20T12:33:20.000Z"))
    );
    hub.subscribe("/cb", &[]).await;
    assert_eq!(
        hub.field("secret"),
        Value::Null,
        "a renewal may also remove the secret"
    );
}

#[tokio::test]
async fn rule_17_a_failed_renewal_keeps_secret_and_lease() {
    let hub = Hub::new().await;
    hub.subscribe("/cb", &[("hub.secret", "first")]).await;
    hub.change("c1").await;
    let before = (
        signature(&hub).len(),
        hub.field("secret"),
        hub.field("lease_ends_at"),
    );
    hub.receiver
        .script([Reply::status(404), Reply::body("wrong")]);
    hub.pass(60).await;
    hub.subscribe(
        "/cb",
        &[("hub.secret", "other"), ("hub.lease_seconds", "400")],
    )
    .await;
    hub.subscribe("/cb", &[]).await;
    assert_eq!(
        (
            signature(&hub).len(),
            hub.field("secret"),
            hub.field("lease_ends_at")
        ),
        before
    );
    hub.change("c2").await;
    assert_eq!(hub.deliveries().len(), 2, "it still gets what changes");
}

#[tokio::test]
async fn rule_17_a_failed_unsubscription_keeps_the_subscription() {
    let hub = Hub::subscribed().await;
    hub.receiver.script([Reply::status(404)]);
    hub.unsubscribe("/cb", &[]).await;
    assert_eq!(hub.state(), "active");
    hub.change("c1").await;
    assert_eq!(hub.deliveries().len(), 1);
}

#[tokio::test]
async fn rule_26_requests_are_verified_before_anything_is_delivered() {
    let hub = Hub::new().await;
    hub.receiver.always(Reply::status(404));
    hub.subscribe("/cb", &[]).await;
    hub.change("c1").await;
    assert_eq!(
        (
            hub.calls("subscribe").len(),
            hub.deliveries().len(),
            hub.state().as_str()
        ),
        (1, 0, "rejected")
    );
}

#[tokio::test]
async fn rule_29_a_verification_has_mode_topic_challenge_and_lease() {
    let hub = Hub::new().await;
    hub.subscribe("/cb", &[]).await;
    hub.pass(64_000).await;
    hub.unsubscribe("/cb", &[]).await;
    for (request, mode, lease_seconds) in hub
        .receiver
        .requests()
        .iter()
        .zip(["subscribe", "unsubscribe"])
        .zip([TEN_DAYS, 800_000])
        .map(|((a, b), c)| (a, b, c))
    {
        assert_eq!(
            (request.method.as_str(), request.parameters("hub.mode")),
            ("GET", vec![mode.to_owned()])
        );
        assert_eq!(request.parameters("hub.topic"), [REVIEWS]);
        assert_eq!(
            request.parameters("hub.lease_seconds"),
            [lease_seconds.to_string()],
            "{mode}"
        );
        assert_eq!(request.parameters("hub.challenge").concat().len(), 64);
        assert!(!request.target.contains("hub.secret"));
    }
    assert_eq!(hub.state(), "removed");
}

#[tokio::test]
async fn rule_30_only_a_2xx_with_exactly_the_challenge_confirms() {
    let hub = Hub::new().await;
    let elsewhere = hub.receiver.url("/elsewhere");
    for (number, reply) in [
        Reply::body("something else"),
        Reply::status(307).field("location", &elsewhere),
        Reply::status(404),
        Reply::Endless,
    ]
    .into_iter()
    .enumerate()
    {
        hub.receiver.script([reply]);
        hub.subscribe("/cb", &[]).await;
        assert_eq!(
            (hub.state().as_str(), hub.receiver.requests().len()),
            ("rejected", number + 1)
        );
    }
    hub.subscribe("/cb", &[]).await;
    assert_eq!(hub.state(), "active", "who was rejected may ask again");
}

#[tokio::test]
async fn rule_30_an_answer_may_end_with_the_connection_but_only_whole() {
    for has_close_notify in [true, false] {
        let hub = Hub::new().await;
        for (characters, state) in [(63, "rejected"), (0, "rejected"), (64, "active")] {
            hub.receiver.script([Reply::UntilClosed {
                characters,
                has_close_notify,
            }]);
            hub.subscribe("/cb", &[]).await;
            assert_eq!(hub.state(), state, "{characters} {has_close_notify}");
        }
        hub.change("c1").await;
        assert_eq!(hub.deliveries().len(), 1);
    }
}

#[tokio::test]
async fn a_refused_callback_is_logged_with_advice() {
    let (logs, _span) = Logs::begin();
    let hub = Hub::new().await;
    hub.receiver.script([Reply::status(404)]);
    hub.subscribe("/secret", &[]).await;
    let lines = logs.with("websub.refused");
    let [line] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert!(line.contains("answer 200 with the value of hub.challenge"));
    // The URL is the subscriber's secret.
    assert!(line.contains("127.0.0.1") && !line.contains("/secret"));
}

#[tokio::test]
async fn rule_30_an_untrusted_certificate_confirms_nothing() {
    for manner in [Manner::Untrusted, Manner::OtherName, Manner::PlainText] {
        let mut hub = Hub::new().await;
        hub.receiver = Receiver::with_manner(manner).await;
        hub.receiver.always(Reply::Challenge);
        hub.subscribe("/cb", &[]).await;
        hub.pass(5).await;
        assert_eq!(
            (hub.state().as_str(), hub.receiver.requests().len()),
            ("rejected", 0),
            "{manner:?}"
        );
    }
}

#[tokio::test]
async fn rule_33_a_challenge_is_random_and_used_once() {
    let hub = Hub::new().await;
    hub.subscribe("/a", &[]).await;
    hub.subscribe("/b", &[]).await;
    hub.subscribe("/a", &[]).await;
    let asked = hub.calls("subscribe");
    let challenges: std::collections::BTreeSet<String> = asked
        .iter()
        .map(|asked| asked.parameters("hub.challenge").concat())
        .collect();
    assert_eq!(challenges.len(), 3);
}

#[tokio::test]
async fn a_failed_verification_is_repeated_once_after_5_seconds() {
    for unheard in [Reply::status(500), Reply::status(503), Reply::Close] {
        let hub = Hub::new().await;
        hub.receiver.script([unheard.clone()]);
        hub.subscribe("/cb", &[]).await;
        hub.pass(4).await;
        assert_eq!(
            (hub.receiver.requests().len(), hub.state().as_str()),
            (1, "pending"),
            "{unheard:?}"
        );
        hub.pass(1).await;
        assert_eq!(
            (hub.receiver.requests().len(), hub.state().as_str()),
            (2, "active"),
            "{unheard:?}"
        );

        let hub = Hub::new().await;
        hub.receiver.always(unheard.clone());
        hub.subscribe("/cb", &[]).await;
        hub.pass(5).await;
        hub.pass(3_600).await;
        assert_eq!(
            (hub.receiver.requests().len(), hub.state().as_str()),
            (2, "rejected"),
            "{unheard:?}"
        );
    }
}

#[tokio::test]
async fn a_renewal_requested_before_the_end_counts_when_verified() {
    let hub = Hub::subscribed().await;
    hub.app.advance(chrono::TimeDelta::seconds(TEN_DAYS - 3));
    hub.receiver.script([Reply::status(503)]);
    hub.subscribe("/cb", &[]).await;
    hub.app.shell("select 1").await;
    hub.app.advance(chrono::TimeDelta::seconds(4));
    hub.app.drain().await;
    assert_eq!(
        hub.state(),
        "lapsed",
        "the lease ended while the renewal waits for its second question"
    );
    hub.pass(1).await;
    assert_eq!(
        hub.state(),
        "active",
        "the renewal was asked for in time and is confirmed"
    );
    hub.change("c1").await;
    assert_eq!(hub.deliveries().len(), 1);
}
