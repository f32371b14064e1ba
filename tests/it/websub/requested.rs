//! Subscription requests and their answers (rules 9 to 15, 18, 20, 21, 23 to 25).

use poem::http::Method;
use serde_json::json;

use super::{ATOM, FEED, Hub, REVIEWS};
use crate::support::{Answer, FakeDns, MakeHub, Reply, TestApp, table};

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
async fn rule_9_to_13_and_20_an_invalid_field_is_refused() {
    let hub = Hub::new().await;
    let callback = hub.receiver.url("/cb");
    let long = "é".repeat(100);
    // A field in place of a valid one, and words of the answer.
    for [name, value, words] in table(
        "
        hub.mode → - → hub.mode is missing
        hub.mode → Subscribe → neither subscribe nor unsubscribe
        hub.topic → /reviews.json → its topics are TOPICS
        hub.callback → http://subscriber.example/cb → HTTPS only
        hub.callback → https://u:p@subscriber.example/ → user name
        hub.callback → https://subscriber.example/cb#x → fragment
        hub.callback → https://10.0.0.1/cb → not public
        hub.callback → https://[::ffff:169.254.169.254]/ → not public
        hub.lease_seconds → 0 → hub.lease_seconds `0`
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
    for kind in [
        &[("content-type", "application/json")][..],
        &[("content-type", "multipart/form-data; boundary=x")],
        &[(
            "content-type",
            "application/x-www-form-urlencoded; charset=latin1",
        )],
        &[],
    ] {
        let answer = hub.app.post_hub_from(None, kind, "hub.mode=subscribe");
        check_refused(&hub, &answer.await, 415, "form-urlencoded");
    }
    // The shortest request.
    hub.request(&callback).await;
    hub.app.drain().await;
    assert_eq!(hub.state(), "active");
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
        let target = "/api/websub/hub";
        let answer = hub.app.ask_from(None, method.clone(), target, &[], ());
        let answer = answer.await;
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
