//! Subscription requests and their answers (rules 9 to 15, 18, 20, 21, 23 to 25).

use poem::http::Method;
use serde_json::json;

use super::{ATOM, FEED, Hub, REVIEWS};
use crate::support::{Answer, FakeDns, HOST, MakeHub, Reply, TestApp};

/// Checks a refusal: its status, one line of text, and nothing stored.
fn check_refused(hub: &Hub, answer: &Answer, status: u16, word: &str) {
    assert_eq!(answer.status, status, "{}", answer.text());
    assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    let text = answer.text();
    assert!(
        text.contains(word) && text.ends_with('\n') && text.lines().count() == 1,
        "{word}: {text}"
    );
    assert_eq!(
        crate::support::sqlite3(&hub.app.path(), "select count(*) from subscription;"),
        "0"
    );
}

#[tokio::test]
async fn the_refusal_of_a_local_callback_names_the_setting() {
    let app = TestApp::with_hub(&[], MakeHub::closed(&[], FakeDns::default())).await;
    for (callback, is_local) in [
        ("https://127.0.0.1/cb", true),
        ("https://10.0.0.1:8443/cb", true),
        ("https://[::1]/cb", true),
        ("https://subscriber.example:99/cb", true),
        ("http://subscriber.example/cb", false),
    ] {
        let pairs = [
            ("hub.mode", "subscribe"),
            ("hub.topic", REVIEWS),
            ("hub.callback", callback),
        ];
        let answer = app.post_hub(&pairs).await;
        let told = answer.text();
        assert_eq!((answer.status, told.lines().count()), (400, 1), "{told}");
        let names_setting = told.contains("REVIEWS_HUB_ALLOW_CALLBACK_NETS");
        assert_eq!(names_setting, is_local, "{callback}: {told}");
    }
    // The documented trial on one machine uses this setting.
    let page = include_str!("../../../docs/WEBSUB.md");
    let recipe = page.split("## Try it on one machine").nth(1).unwrap();
    assert!(recipe.contains("REVIEWS_HUB_ALLOW_CALLBACK_NETS=127.0.0.0/8"));
}

#[tokio::test]
async fn rule_9_callback_mode_and_topic_are_required_and_sufficient() {
    let hub = Hub::new().await;
    let callback = hub.receiver.url("/cb");
    let all = [
        ("hub.mode", "subscribe"),
        ("hub.topic", REVIEWS),
        ("hub.callback", callback.as_str()),
    ];
    for missing in 0..3 {
        let mut pairs = all.to_vec();
        let (name, _) = pairs.remove(missing);
        check_refused(&hub, &hub.app.post_hub(&pairs).await, 400, name);
    }
    let json = r#"{"hub.mode": "subscribe"}"#;
    for kind in [
        "application/json",
        "multipart/form-data; boundary=x",
        "application/x-www-form-urlencoded; charset=latin1",
    ] {
        check_refused(
            &hub,
            &hub.app
                .post_hub_from(None, &[("content-type", kind)], json)
                .await,
            415,
            "form-urlencoded",
        );
    }
    check_refused(
        &hub,
        &hub.app.post_hub_from(None, &[], "").await,
        415,
        "form-urlencoded",
    );
    assert_eq!(hub.app.post_hub(&all).await.status, 202);
}

#[tokio::test]
async fn rule_10_a_secret_has_less_than_200_bytes() {
    let hub = Hub::new().await;
    for (secret, status) in [
        ("x".repeat(200), 400),
        ("é".repeat(100), 400),
        ("x".repeat(199), 202),
        ("é".repeat(99), 202),
    ] {
        let answer = hub
            .ask(
                "subscribe",
                REVIEWS,
                &hub.receiver.url("/cb"),
                &[("hub.secret", &secret)],
            )
            .await;
        assert_eq!(answer.status, status, "{}", answer.text());
        assert!(!answer.text().contains(&secret));
    }
}

#[tokio::test]
async fn rule_11_modes_are_literal() {
    let hub = Hub::new().await;
    for mode in [
        "Subscribe",
        "publish",
        "denied",
        " subscribe",
        "subscribe,unsubscribe",
    ] {
        check_refused(
            &hub,
            &hub.ask(mode, REVIEWS, &hub.receiver.url("/cb"), &[]).await,
            400,
            "neither subscribe nor unsubscribe",
        );
    }
}

#[tokio::test]
async fn rule_12_a_topic_is_the_self_url_of_a_document() {
    let hub = Hub::new().await;
    for topic in [
        "https://reviews.sample.test/insights.json",
        "http://reviews.sample.test/reviews.json",
        "/reviews.json",
        "x",
    ] {
        let answer = hub
            .ask("subscribe", topic, &hub.receiver.url("/cb"), &[])
            .await;
        check_refused(&hub, &answer, 400, "its topics are");
        assert!(
            [REVIEWS, FEED, ATOM]
                .iter()
                .all(|topic| answer.text().contains(topic)),
            "{}",
            answer.text()
        );
    }
}

#[tokio::test]
async fn rule_13_a_lease_is_only_a_request_and_ignored_on_unsubscribe() {
    let hub = Hub::new().await;
    for wish in ["0", "-5", "abc", "3600.5", "1e3", "", " 60"] {
        let answer = hub
            .ask(
                "subscribe",
                REVIEWS,
                &hub.receiver.url("/cb"),
                &[("hub.lease_seconds", wish)],
            )
            .await;
        check_refused(&hub, &answer, 400, "hub.lease_seconds");
    }
    let huge = "9".repeat(40);
    for (number, (wish, granted)) in [("1", "300"), ("3600", "3600"), (huge.as_str(), "7776000")]
        .into_iter()
        .enumerate()
    {
        hub.subscribe(&format!("/{number}"), &[("hub.lease_seconds", wish)])
            .await;
        assert_eq!(
            hub.verifications("subscribe")[number].parameters("hub.lease_seconds"),
            [granted]
        );
    }
    hub.unsubscribe("/0", &[("hub.lease_seconds", "abc")]).await;
    assert_eq!(hub.verifications("unsubscribe").len(), 1);
}

#[tokio::test]
async fn rule_14_unknown_parameters_are_ignored() {
    let hub = Hub::new().await;
    hub.subscribe(
        "/cb",
        &[
            ("hub.verify", "sync"),
            ("hub.verify_token", "t"),
            ("hub.x", "1"),
            ("y", "2"),
        ],
    )
    .await;
    assert_eq!(hub.state(), "active");
    assert_eq!(
        hub.verifications("subscribe")[0].parameters("hub.verify_token"),
        [] as [&str; 0]
    );
}

#[tokio::test]
async fn rule_18_unnecessary_escapes_do_not_make_another_subscription() {
    let hub = Hub::new().await;
    hub.subscribe("/%7Ecb?a=%41", &[]).await;
    hub.subscribe("/~cb?a=A", &[]).await;
    assert_eq!(
        hub.field("callback"),
        json!(hub.receiver.url("/~cb?a=A")),
        "one subscription with the last callback URL"
    );
    let escaped = REVIEWS.replace("reviews.json", "review%73.json");
    assert_eq!(
        hub.ask("subscribe", &escaped, &hub.receiver.url("/~cb?a=A"), &[])
            .await
            .status,
        202
    );
    assert_eq!(hub.state(), "active");
    hub.unsubscribe("/%7ecb?a=A", &[]).await;
    assert_eq!(hub.state(), "removed");
}

#[tokio::test]
async fn rule_20_callbacks_outside_the_policy_are_refused() {
    let hub = Hub::new().await;
    for (callback, word) in [
        ("http://subscriber.example/cb", "HTTPS only"),
        ("https://user:pass@subscriber.example/cb", "user name"),
        ("https://subscriber.example/cb#part", "fragment"),
        ("https://10.0.0.1/cb", "not public"),
        ("https://[::ffff:169.254.169.254]/", "not public"),
        ("https://0x0a000001/cb", "not public"),
        ("javascript:alert(1)", "HTTPS only"),
        ("file:///etc/passwd", "HTTPS only"),
    ] {
        check_refused(
            &hub,
            &hub.ask("subscribe", REVIEWS, callback, &[]).await,
            400,
            word,
        );
    }
}

#[tokio::test]
async fn rule_23_an_invalid_request_gets_a_reason_in_plain_text() {
    let hub = Hub::new().await;
    let form = [("content-type", "application/x-www-form-urlencoded")];
    check_refused(
        &hub,
        &hub.app.post_hub_from(None, &form, "x".repeat(40_000)).await,
        413,
        "32768 bytes",
    );
    let twice = [
        ("hub.mode", "subscribe"),
        ("hub.mode", "unsubscribe"),
        ("hub.topic", REVIEWS),
    ];
    check_refused(&hub, &hub.app.post_hub(&twice).await, 400, "more than once");
    check_refused(
        &hub,
        &hub.app.post_hub_from(None, &form, "hub.mode=%FF").await,
        400,
        "UTF-8",
    );
    for method in [Method::GET, Method::HEAD, Method::PUT, Method::DELETE] {
        let request = poem::Request::builder()
            .method(method.clone())
            .uri_str("/api/websub/hub")
            .header("host", HOST)
            .finish();
        let answer =
            Answer::read(poem::Endpoint::get_response(&hub.app.app().endpoint, request).await)
                .await;
        assert_eq!(
            (answer.status, answer.header("allow")),
            (405, "POST, OPTIONS"),
            "{method}"
        );
        // An answer to HEAD has no body (RFC 9110 §9.3.2).
        assert!(
            method == Method::HEAD || answer.text().contains("hub.callback"),
            "{method}: {}",
            answer.text()
        );
    }
}

#[tokio::test]
async fn rule_24_the_answer_does_not_depend_on_the_callback() {
    let hub = Hub::new().await;
    hub.receiver.always(Reply::status(404));
    hub.fake_dns.fail("down.test");
    hub.fake_dns.set("inside.test", &["10.0.0.1"]);
    let mut answers = Vec::new();
    for callback in [
        hub.receiver.url("/good"),
        "https://127.0.0.1:9/closed".to_owned(),
        "https://unknown.test/".to_owned(),
        "https://down.test/".to_owned(),
        "https://inside.test/".to_owned(),
    ] {
        let answer = hub.ask("subscribe", REVIEWS, &callback, &[]).await;
        answers.push((answer.status, answer.headers, answer.body));
    }
    assert!(
        answers
            .iter()
            .all(|answer| answer.0 == 202 && *answer == answers[0])
    );
    assert_eq!(
        (hub.fake_dns.asked().len(), hub.receiver.connections()),
        (0, 0),
        "no lookup and no connection before"
    );
}
