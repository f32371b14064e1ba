//! Deliveries, their retries, and the end of subscriptions by failures or by the subscriber (rules 5, 27, 28, 35 to 43).

use hyper::body::Bytes;
use reviews_service::websub::{Secret, sign};

use super::{ATOM, BASE, FEED, Hub, REVIEWS, check_walks};

/// The path of a topic.
fn path(topic: &str) -> &str {
    topic.strip_prefix(BASE).unwrap()
}

#[tokio::test]
async fn rule_5_and_35_to_37_the_representation_of_a_topic_is_posted() {
    let hub = Hub::new().await;
    for topic in [REVIEWS, FEED, ATOM] {
        let callback = hub.receiver.url(path(topic));
        let answer = hub.ask("subscribe", topic, &callback, &[]).await;
        assert_eq!(answer.status, 202);
    }
    hub.app.drain().await;
    hub.change("c1").await;
    for topic in [REVIEWS, FEED, ATOM] {
        let plain = hub.app.get(path(topic)).await;
        // There is only one.
        for accept in ["text/html", "application/atom+xml", "application/json"] {
            let answer = hub.app.get_with(path(topic), &[("accept", accept)]).await;
            assert_eq!(answer.header("content-type"), plain.header("content-type"));
            assert!(answer.body == plain.body, "{topic}: {accept}");
        }
        let mut sent = hub.deliveries();
        sent.retain(|request| request.target == path(topic));
        assert_eq!(sent.len(), 1, "{topic}");
        assert!(sent[0].body == plain.body, "{topic}");
        for name in ["content-type", "link"] {
            assert_eq!(sent[0].field(name), plain.header(name), "{topic}");
        }
        assert_eq!(
            sent[0].field("content-length"),
            plain.body.len().to_string()
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
    let sent = hub.deliveries().into_iter();
    let mut called: Vec<String> = sent.map(|request| request.target).collect();
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
        let body = [Bytes::from(request.body.clone())];
        let signature = sign(&Secret::new("Jefe é".to_owned()), &body);
        let is_signed = request.target == "/signed";
        let expected = if is_signed { &*signature } else { "" };
        assert_eq!(request.field("x-hub-signature"), expected);
    }
}

#[tokio::test]
async fn deliveries_repeat_and_end_as_the_rules_say() {
    // A wait is 10 minutes or 12 hours, with a jitter of at most a tenth.
    check_walks(
        "
        # rule 38: a 2xx is a success, and no redirect is followed
        subscribe /cb → active, 1 GET, 0 POST, 0 failures
        replies 200 202 299 301 → -
        change c1 → active, 1 GET, 1 POST, 0 failures
        change c2 → active, 1 GET, 2 POST, 0 failures
        change c3 → active, 1 GET, 3 POST, 0 failures
        change c4 → active, 1 GET, 4 POST, 1 failures
        replies 308 → -
        pass 660 → active, 1 GET, 5 POST, 2 failures
        pass 47520 → active, 1 GET, 6 POST, 0 failures

        # rules 39 and 44: the body of the answer is ignored
        subscribe /cb secret=x → active, 1 GET, 0 POST, 0 failures
        replies wrong endless → -
        change c1 → active, 1 GET, 1 POST, 0 failures
        change c2 → active, 1 GET, 2 POST, 0 failures

        # rule 40: a failed delivery is repeated after the configured waits
        subscribe /cb → active, 1 GET, 0 POST, 0 failures
        replies 500 close → -
        change c1 → active, 1 GET, 1 POST, 1 failures
        pass 599 → active, 1 GET, 1 POST, 1 failures
        pass 61 → active, 1 GET, 2 POST, 2 failures
        pass 43199 → active, 1 GET, 2 POST, 2 failures
        pass 4321 → active, 1 GET, 3 POST, 0 failures
        select next_attempt_at is null from subscription → 1
        body 0 → current
        body 2 → current

        # rule 41: newer content replaces older and keeps the wait
        subscribe /cb → active, 1 GET, 0 POST, 0 failures
        replies 500 → -
        change c1 → active, 1 GET, 1 POST, 1 failures
        pass 300 → active, 1 GET, 1 POST, 1 failures
        change c2 → active, 1 GET, 1 POST, 1 failures
        change c3 → active, 1 GET, 1 POST, 1 failures
        pass 360 → active, 1 GET, 2 POST, 0 failures
        body 1 → current

        # a renewal resets the failures, and sends the missed content at once as a first attempt
        subscribe /cb → active, 1 GET, 0 POST, 0 failures
        replies 500 500 → -
        change c1 → active, 1 GET, 1 POST, 1 failures
        pass 660 → active, 1 GET, 2 POST, 2 failures
        replies challenge 500 → -
        subscribe /cb → active, 2 GET, 3 POST, 1 failures
        pass 660 → active, 2 GET, 4 POST, 0 failures
        body 3 → current

        # rules 27 and 28: three failures end a subscription with a denial
        subscribe /cb secret=x → active, 1 GET, 0 POST, 0 failures
        replies 500 404 503 → -
        change c1 → active, 1 GET, 1 POST, 1 failures
        pass 660 → active, 1 GET, 2 POST, 2 failures
        pass 47520 → removed, 2 GET, 3 POST, 3 failures
        parameter hub.mode → denied
        parameter hub.topic → https://reviews.sample.test/reviews.json
        parameter hub.reason → 3 deliveries in a row failed; subscribe again to continue
        select secret is null from subscription → 1
        change c2 → removed, 2 GET, 3 POST, 3 failures

        # rule 28: a failed denial changes nothing
        subscribe /cb → active, 1 GET, 0 POST, 0 failures
        always close → -
        change c1 → active, 1 GET, 1 POST, 1 failures
        pass 660 → active, 1 GET, 2 POST, 2 failures
        pass 47520 → removed, 2 GET, 3 POST, 3 failures
        always challenge → -
        change c2 → removed, 2 GET, 3 POST, 3 failures
        subscribe /cb → active, 3 GET, 3 POST, 0 failures
        change c3 → active, 3 GET, 4 POST, 0 failures

        # rule 38: a 410 ends a subscription at once, without a denial
        subscribe /cb secret=x → active, 1 GET, 0 POST, 0 failures
        replies 410 → -
        change c1 → removed, 1 GET, 1 POST, 0 failures
        change c2 → removed, 1 GET, 1 POST, 0 failures
        select secret is null from subscription → 1

        # after unsubscribing nothing is delivered; an unknown callback gets 202, too
        unsubscribe /cb → none, 0 GET, 0 POST, 0 failures
        subscribe /cb secret=x → active, 1 GET, 0 POST, 0 failures
        unsubscribe /cb → removed, 2 GET, 0 POST, 0 failures
        unsubscribe /cb → removed, 2 GET, 0 POST, 0 failures
        change c1 → removed, 2 GET, 0 POST, 0 failures
        select secret is null from subscription → 1

        # a receiver that accepts the connection and never answers fails, even if it is alone
        subscribe /cb → active, 1 GET, 0 POST, 0 failures
        always never → -
        change c1 → active, 1 GET, 1 POST, 1 failures
        ",
    )
    .await;
}
