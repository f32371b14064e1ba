//! Deliveries (rules 35 to 39, 42 and 43).

use bytes::Bytes;
use reviews_service::websub::{Secret, sign};

use super::Hub;
use crate::support::Reply;

#[tokio::test]
async fn rule_38_only_a_2xx_is_a_success() {
    let hub = Hub::subscribed().await;
    let elsewhere = hub.receiver.url("/elsewhere");
    let mut sent = 0;
    for (status, failures) in [
        (200, 0),
        (202, 0),
        (299, 0),
        (301, 1),
        (308, 1),
        (404, 1),
        (500, 1),
    ] {
        hub.receiver
            .script([Reply::status(status).field("location", &elsewhere)]);
        hub.change(&format!("c{status}")).await;
        sent += 1;
        assert_eq!(hub.field("failures"), failures, "{status}");
        assert_eq!(
            hub.deliveries().len(),
            sent,
            "{status}: no redirect is followed"
        );
        // The second attempt succeeds.
        hub.pass(660).await;
        sent += failures;
        assert_eq!(hub.field("failures"), 0, "{status}");
    }
}

#[tokio::test]
async fn rule_39_and_44_the_body_of_the_answer_is_ignored() {
    let hub = Hub::new().await;
    hub.subscribe("/cb", &[("hub.secret", "x")]).await;
    for (number, reply) in [
        Reply::body("bad signature"),
        Reply::body(vec![b'x'; 100_000]),
        Reply::Endless,
    ]
    .into_iter()
    .enumerate()
    {
        hub.receiver.script([reply]);
        hub.change(&format!("c{number}")).await;
        assert_eq!(
            (hub.deliveries().len(), hub.field("failures")),
            (number + 1, 0.into())
        );
    }
}

#[tokio::test]
async fn rule_42_the_hub_calls_the_exact_callback_url() {
    let hub = Hub::new().await;
    let targets = ["/%7Ea/~b", "/cb?", "/cb?a=1&a=2&b=%2F+c"];
    for target in targets {
        hub.subscribe(target, &[]).await;
    }
    hub.change("c1").await;
    let mut called: Vec<String> = hub
        .deliveries()
        .into_iter()
        .map(|request| request.target)
        .collect();
    called.sort_unstable();
    assert_eq!(called, targets);
}

#[tokio::test]
async fn rule_43_a_delivery_is_signed_only_if_there_is_a_secret() {
    let hub = Hub::new().await;
    hub.subscribe("/signed", &[("hub.secret", "Jefe é")]).await;
    hub.subscribe("/empty", &[("hub.secret", "")]).await;
    hub.subscribe("/plain", &[]).await;
    hub.change("c1").await;
    let sent = hub.deliveries();
    assert_eq!(sent.len(), 3);
    for request in sent {
        let signature = sign(
            &Secret::new("Jefe é".to_owned()),
            &[Bytes::from(request.body.clone())],
        );
        let expected = if request.target == "/signed" {
            signature.as_str()
        } else {
            ""
        };
        assert_eq!(
            request.field("x-hub-signature"),
            expected,
            "{}",
            request.target
        );
    }
}
