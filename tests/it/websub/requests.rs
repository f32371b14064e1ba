//! Subscription requests and their answers (rules 9 to 15, 18, 20, 21, 23 to 25).

use poem::http::Method;

use super::{ATOM, FEED, Hub, REVIEWS};
use crate::support::{Answer, Reply, assert_has, table};

/// Checks a refusal: its status, one line of text, and nothing stored.
fn check_refused(hub: &Hub, answer: &Answer, status: u16, words: &str) {
    let text = answer.text();
    assert_eq!(answer.status, status, "{text}");
    assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    assert_has(&text, words);
    assert!(text.ends_with('\n') && text.lines().count() == 1, "{text}");
    assert_eq!(hub.app.sql("select count(*) from subscription"), "0");
}

#[tokio::test]
async fn rule_9_to_14_and_20_an_invalid_field_is_refused() {
    let hub = Hub::new().await;
    let callback = hub.receiver.url("/cb");
    let long = "é".repeat(100);
    // A field in place of a valid one, and words of the answer.
    for [name, value, words] in table(
        "
        hub.mode → - → hub.mode is missing
        hub.mode → Subscribe → neither subscribe nor unsubscribe
        hub.mode → publish → no ping is needed
        hub.topic → /reviews.json → its topics are TOPICS
        hub.topic → https://reviews.sample.test/insights.json → its topics are TOPICS
        hub.callback → http://subscriber.example/cb → HTTPS only
        hub.callback → https://u:p@subscriber.example/ → user name
        hub.callback → https://subscriber.example/cb#x → fragment
        hub.callback → https://10.0.0.1/cb → REVIEWS_HUB_ALLOW_CALLBACK_NETS=10.0.0.1/32.
        hub.callback → https://[fd00::1]/cb → REVIEWS_HUB_ALLOW_CALLBACK_NETS=fd00::1/128.
        hub.callback → https://8.8.8.8:22/cb → use 443, or one from 1024 up.
        hub.callback → https://[::ffff:169.254.169.254]/ → not public
        hub.lease_seconds → 0 → must be a whole number
        hub.lease_seconds → 3600.5 → must be a whole number
        hub.secret → LONG → 200 bytes
        ",
    ) {
        let value = value.replace("LONG", &long);
        let value = if value == "-" { "" } else { &value };
        let words = words.replace("TOPICS", &format!("{REVIEWS}, {FEED}, {ATOM}"));
        let mut pairs = vec![
            ("hub.mode", "subscribe"),
            ("hub.topic", REVIEWS),
            ("hub.callback", &callback),
        ];
        pairs.retain(|(other, _)| *other != name);
        pairs.push((name, value));
        let answer = hub.app.post_hub(&pairs).await;
        check_refused(&hub, &answer, 400, &words);
        assert!(name != "hub.secret" || !answer.text().contains(value));
    }
    for kind in ["application/json", "multipart/form-data; boundary=x", ""] {
        let kind = [("content-type", kind)];
        let answer = hub.app.post_hub_from(None, &kind, "hub.mode=subscribe");
        check_refused(&hub, &answer.await, 415, "form-urlencoded");
    }
    // A lease is of no interest on unsubscribe.
    let lease = [("hub.lease_seconds", "abc")];
    let answer = hub.ask("unsubscribe", REVIEWS, &callback, &lease).await;
    assert_eq!(answer.status, 202, "{}", answer.text());
    let empty = [("hub.lease_seconds", "")];
    let answer = hub.ask("subscribe", REVIEWS, &callback, &empty).await;
    assert_eq!(answer.status, 202, "{}", answer.text());
    // The shortest request, and one with unknown fields and a charset.
    hub.request(&callback).await;
    hub.app.drain().await;
    assert_eq!(hub.state(), "active");
    let kind = "Application/X-WWW-Form-URLencoded; charset=UTF-8";
    let headers = [("content-type", kind)];
    let topic = "hub.topic=https%3A%2F%2Freviews.sample.test%2Ffeed.xml";
    let form = format!(
        "hub.verify=sync&hub.foo=%zz&&=&h%75b.mode=%73ubscribe&{topic}&hub.callback={callback}"
    );
    let answer = hub.app.post_hub_from(None, &headers, form);
    assert_eq!(answer.await.status, 202);
}

#[tokio::test]
async fn every_fault_of_a_request_is_named_at_once() {
    let hub = Hub::new().await;
    let all = [
        ("hub.mode", "publish", "hub.mode"),
        ("hub.topic", "https://other.example/", "hub.topic"),
        ("hub.callback", "http://u@10.0.0.1:22/c b#x", "hub.callback"),
        ("hub.secret", &"x".repeat(200), "hub.secret"),
        ("hub.lease_seconds", "1h", "hub.lease_seconds"),
    ];
    // Each field by itself is a fault, too.
    for wrong in 1..1_u32 << all.len() {
        let is_wrong = |at: usize| wrong & 1 << at != 0;
        let good = ["subscribe", REVIEWS, &hub.receiver.url("/cb"), "s", "600"];
        let pairs = all.iter().zip(good).enumerate();
        let pairs: Vec<(&str, &str)> = pairs
            .map(|(at, ((name, bad, _), good))| (*name, if is_wrong(at) { *bad } else { good }))
            .collect();
        let answer = hub.app.post_hub(&pairs).await;
        for (at, (_, _, words)) in all.iter().enumerate() {
            check_refused(&hub, &answer, 400, "");
            assert_eq!(
                answer.text().contains(words),
                is_wrong(at),
                "{}",
                answer.text()
            );
        }
    }
    let answer = hub.app.post_hub(&[("hub.callback", all[2].1)]).await;
    for words in "hub.mode is missing|hub.topic is missing|character ' '|begin it with https://|fragment|user name|=10.0.0.1/32|port 22"
        .split('|')
    {
        check_refused(&hub, &answer, 400, words);
    }
    let port = [("hub.callback", "https://8.8.8.8:22/")];
    let answer = hub.app.post_hub(&port).await;
    assert!(!answer.text().contains("REVIEWS_HUB"), "{}", answer.text());
}

#[tokio::test]
async fn rule_18_unnecessary_escapes_do_not_make_another_subscription() {
    let hub = Hub::new().await;
    hub.subscribe("/%7Ecb?a=%41", &[]).await;
    hub.subscribe("/~cb?a=A", &[]).await;
    // One subscription, with the last callback URL.
    let callback = hub.receiver.url("/~cb?a=A");
    assert_eq!(hub.field("callback"), callback);
    let escaped = REVIEWS.replace("reviews.json", "review%73.json");
    let answer = hub.ask("subscribe", &escaped, &callback, &[]).await;
    assert_eq!((answer.status, hub.state().as_str()), (202, "active"));
    hub.unsubscribe("/%7ecb?a=A").await;
    assert_eq!(hub.state(), "removed");
}

#[tokio::test]
async fn rule_23_an_invalid_request_gets_a_reason_in_plain_text() {
    let hub = Hub::new().await;
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let long = "x".repeat(40_000);
    for (body, status, words) in [
        (long.as_str(), 413, "32768 bytes"),
        ("hub.mode=subscribe&hub.mode=x", 400, "given once"),
        ("hub.mode=%FF", 400, "UTF-8"),
    ] {
        let answer = hub.app.post_hub_from(None, &form, body.to_owned()).await;
        check_refused(&hub, &answer, status, words);
    }
    for method in [Method::GET, Method::HEAD, Method::PUT, Method::DELETE] {
        let answer = hub.app.send(method.clone(), "/api/websub/hub", &[]).await;
        let allowed = (answer.status, answer.header("allow"));
        assert_eq!(allowed, (405, "POST, OPTIONS"));
        // An answer to HEAD has no body (RFC 9110 §9.3.2).
        let is_explained = answer.text().contains("hub.callback");
        assert!(method == Method::HEAD || is_explained, "{method}");
    }
}

#[tokio::test]
async fn rule_24_the_answer_does_not_depend_on_the_callback() {
    let hub = Hub::new().await;
    hub.receiver.always(Reply::status(404));
    hub.fake_dns.set("inside.test", &["10.0.0.1"]);
    let mut answers = Vec::new();
    let good = hub.receiver.url("/good");
    let others = "https://127.0.0.1:9/closed https://unknown.test/ https://inside.test/";
    for callback in others.split(' ').chain([good.as_str()]) {
        let answer = hub.ask("subscribe", REVIEWS, callback, &[]).await;
        assert_eq!(answer.status, 202, "{callback}");
        answers.push((answer.headers, answer.body));
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    // No lookup and no connection before.
    assert_eq!(hub.fake_dns.asked().len(), 0);
    assert_eq!(hub.receiver.connections(), 0);
}
