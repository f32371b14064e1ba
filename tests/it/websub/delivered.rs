//! Deliveries (rules 35 to 39, 42 and 43).

use bytes::Bytes;
use reviews_service::websub::{Secret, sign};

use super::{ATOM, BASE, FEED, Hub, REVIEWS};
use crate::support::Reply;

#[tokio::test]
async fn rule_35_a_delivery_is_a_post_of_the_whole_topic() {
    let hub = Hub::subscribed().await;
    hub.change("c1").await;
    hub.change("c2").await;
    let sent = hub.deliveries();
    assert_eq!((sent.len(), sent[0].target.as_str()), (2, "/cb"));
    assert!(
        sent[0].body != sent[1].body && sent[1].body == hub.app.get("/reviews.json").await.body
    );
    assert_eq!(
        sent[1].field("content-length"),
        sent[1].body.len().to_string()
    );
}

#[tokio::test]
async fn rule_36_and_37_a_delivery_has_content_type_and_link_of_topic() {
    let hub = Hub::new().await;
    for topic in [REVIEWS, FEED, ATOM] {
        assert_eq!(
            hub.ask("subscribe", topic, &hub.receiver.url("/cb"), &[])
                .await
                .status,
            202
        );
    }
    hub.app.drain().await;
    hub.change("c1").await;
    let sent = hub.deliveries();
    assert_eq!(sent.len(), 3);
    for (topic, kind) in [
        (REVIEWS, "application/json"),
        (FEED, "application/json"),
        (ATOM, "application/atom+xml"),
    ] {
        let own = hub.app.get(topic.strip_prefix(BASE).unwrap()).await;
        let one = sent
            .iter()
            .find(|request| request.body == own.body)
            .unwrap();
        assert_eq!(
            (one.field("content-type"), own.header("content-type")),
            (kind, kind)
        );
        let expected = format!(
            "<{topic}>; rel=\"self\", <https://reviews.sample.test/api/websub/hub>; rel=\"hub\""
        );
        assert_eq!(one.field("link"), expected);
    }
}

#[tokio::test]
async fn a_changed_answer_is_delivered_with_both_feeds() {
    let hub = Hub::new().await;
    hub.change("c1").await;
    for topic in [FEED, ATOM] {
        hub.ask("subscribe", topic, &hub.receiver.url("/cb"), &[])
            .await;
    }
    hub.app.drain().await;
    for answer in ["We are sorry.", "We are very sorry."] {
        let before = hub.deliveries().len();
        hub.app
            .shell(&format!(
                "update review set response_text = '{answer}' where review_id = 'c1'"
            ))
            .await;
        let sent = hub.deliveries().split_off(before);
        assert_eq!(sent.len(), 2, "{answer}");
        for one in sent {
            let body = String::from_utf8(one.body.clone()).unwrap();
            assert!(body.contains(answer), "{body}");
        }
    }
}

#[tokio::test]
async fn rule_38_only_a_2xx_is_a_success() {
    for (status, failures) in [
        (200, 0),
        (201, 0),
        (202, 0),
        (204, 0),
        (299, 0),
        (301, 1),
        (302, 1),
        (308, 1),
        (400, 1),
        (404, 1),
        (500, 1),
    ] {
        let hub = Hub::subscribed().await;
        hub.receiver
            .script([Reply::status(status).field("location", &hub.receiver.url("/elsewhere"))]);
        hub.change("c1").await;
        assert_eq!(hub.field("failures"), failures, "{status}");
        assert_eq!(
            (hub.deliveries().len(), hub.state().as_str()),
            (1, "active"),
            "{status}: no redirect is followed"
        );
    }
}

#[tokio::test]
async fn rule_39_the_body_of_the_answer_is_ignored() {
    let hub = Hub::subscribed().await;
    for (number, reply) in [
        Reply::body("failed!"),
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

#[tokio::test]
async fn rule_44_a_200_counts_even_if_the_signature_is_rejected() {
    let hub = Hub::new().await;
    hub.subscribe("/cb", &[("hub.secret", "x")]).await;
    hub.receiver.script([Reply::body("bad signature")]);
    hub.change("c1").await;
    assert_eq!(hub.field("failures"), 0);
}
