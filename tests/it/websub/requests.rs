//! Subscription requests and their answers (rules 9 to 15, 18, 20, 21, 23 to 25).

use poem::http::Method;

use super::{ATOM, FEED, Hub, REVIEWS, fake_dns};
use crate::support::{Answer, Reply, TestApp, assert_has, closed_hub, table};

/// Checks a refusal: its status, one line of text, and nothing stored.
fn check_refused(app: &TestApp, answer: &Answer, status: u16, words: &str) {
    let text = answer.text();
    assert_eq!(answer.status, status, "{text}");
    assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    assert_has(&text, words);
    assert!(text.ends_with('\n') && text.lines().count() == 1, "{text}");
    assert_eq!(app.sql("select count(*) from subscription"), "0");
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
        hub.callback → https://10.0.0.1/cb → REVIEWS_HUB_ALLOW_CALLBACK_NETS=10.0.0.1/32.
        hub.callback → https://[fd00::1]/cb → REVIEWS_HUB_ALLOW_CALLBACK_NETS=fd00::1/128.
        hub.callback → https://8.8.8.8:22/cb → use 443, or one from 1024 up.
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
        check_refused(&hub.app, &answer, 400, &words);
        assert!(name != "hub.secret" || !answer.text().contains(value));
    }
}

#[tokio::test]
async fn a_request_of_another_content_type_is_answered_415() {
    let hub = Hub::new().await;
    for kind in ["application/json", "multipart/form-data; boundary=x", ""] {
        let kind = [("content-type", kind)];
        let answer = hub.app.post_hub_from(None, &kind, "hub.mode=subscribe");
        check_refused(&hub.app, &answer.await, 415, "form-urlencoded");
    }
}

#[tokio::test]
async fn unusual_but_valid_requests_are_accepted() {
    let hub = Hub::new().await;
    let callback = hub.receiver.url("/cb");
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
            check_refused(&hub.app, &answer, 400, "");
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
        check_refused(&hub.app, &answer, 400, words);
    }
}

#[tokio::test]
async fn a_closed_port_of_a_public_address_is_no_reason_to_allow_a_net() {
    let hub = Hub::new().await;
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
        check_refused(&hub.app, &answer, status, words);
    }
}

#[tokio::test]
async fn another_method_is_answered_with_how_to_subscribe() {
    let hub = Hub::new().await;
    for method in [Method::GET, Method::PUT, Method::DELETE] {
        let answer = hub.app.send(method, "/api/websub/hub", &[]).await;
        assert_has(&answer.text(), "hub.callback");
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

/// A hub without allowed networks, and without the limits that these requests would reach.
async fn outside() -> TestApp {
    let flags = [
        "--hub-requests-per-source-per-minute=1000",
        "--hub-verifications-per-host-per-minute=1000",
    ];
    TestApp::with_hub(&[], closed_hub(&flags, fake_dns())).await
}

async fn ask(app: &TestApp, callback: &str) -> Answer {
    let pairs = [
        ("hub.mode", "subscribe"),
        ("hub.topic", REVIEWS),
        ("hub.callback", callback),
    ];
    app.post_hub(&pairs).await
}

#[tokio::test]
async fn ordinary_callbacks_are_kept_byte_for_byte() {
    let app = outside().await;
    for callback in [
        "https://example.com",
        "https://example.com/",
        "https://example.com:443/cb",
        "https://example.com:8443/cb",
        "HTTPS://Example.COM/Cb",
        "https://example.com?x=1",
        "https://example.com/cb?",
        "https://example.com/cb?a=1&a=2&b=&c",
        "https://example.com/cb?a=%7E&b=~&c=a+b&d=a%20b",
        "https://example.com/@user/cb",
        "https://example.com/a//b/;c=d/e,f/(g)/!h/$i/*j/'k'",
        "https://example.com/%zz/%/%4",
        "https://example.com/a%2Fb%2fc",
        "https://xn--bcher-kva.example/cb",
        "https://bücher.example/cb",
        "https://intranet/cb",
        "https://8.8.8.8/cb",
        "https://134744072/cb",
        "https://[2606:4700:4700::1111]:8443/cb",
        "https://[::ffff:8.8.8.8]/cb",
        "https://127.0.0.1.nip.io/cb",
    ] {
        let answer = ask(&app, callback).await;
        assert_eq!(answer.status, 202, "{callback}: {}", answer.text());
        let kept = app.sql("select callback from subscription; delete from subscription");
        assert_eq!(kept, callback);
    }
}

#[tokio::test]
async fn a_callback_has_2048_bytes_at_most() {
    let app = outside().await;
    let of = |bytes: usize| format!("https://example.com/{}", "x".repeat(bytes - 20));
    check_refused(&app, &ask(&app, &of(2_049)).await, 400, "2049 bytes");
    assert_eq!(ask(&app, &of(2_048)).await.status, 202);
}

#[tokio::test]
async fn the_name_of_a_host_is_as_long_as_dns_allows() {
    let app = outside().await;
    // A label has 63 bytes at most, and a name 253.
    for name in [
        "x".repeat(64) + ".example",
        ["x".repeat(62).as_str(); 5].join("."),
    ] {
        let answer = ask(&app, &format!("https://{name}/")).await;
        check_refused(&app, &answer, 400, "hub.callback");
    }
}

/// Rejected spellings of a callback, each with a word of the reason.
const REFUSED: &[(&str, &str)] = &[
    // Not https.
    ("http://example.com/cb", "https"),
    ("example.com/cb", "https"),
    ("", "hub.callback is missing"),
    ("hſtps://example.com/", "https"),
    // No host, or an invalid one.
    ("https://", "missing"),
    ("https://:443/cb", "host"),
    ("https://[example.com]/cb", "host"),
    ("https://::1/cb", "host"),
    ("https://[fe80::1%eth0]/cb", "host"),
    ("https://exa mple.com/cb", "character"),
    ("https://example%00.com/cb", "host"),
    ("https://*.example.com/cb", "name"),
    ("https://a..b/cb", "name"),
    ("https://1.2.3.4.5/cb", "host"),
    ("https://10.2.3.0x/cb", "not public"),
    ("https://4294967296/cb", "host"),
    ("https://example.com:65536/cb", "port"),
    // User names, including empty ones.
    ("https://user@example.com/cb", "user name"),
    ("https://user:secret@example.com/cb", "user name"),
    ("https://@example.com/cb", "user name"),
    ("https://example.com@127.0.0.1/cb", "user name"),
    // Fragments.
    ("https://example.com/cb#x", "fragment"),
    ("https://example.com/cb#", "fragment"),
    ("https://example.com#@127.0.0.1/", "fragment"),
    // Characters that parsers interpret differently.
    ("https://example.com\\@127.0.0.1/cb", "character"),
    (" https://example.com/cb", "character"),
    ("https://example.com/cb\r\nHost: evil", "character"),
    ("ht\ttps://example.com/cb", "character"),
    ("https://example.com/\0cb", "character"),
    ("https://example.com/\u{2028}cb", "character"),
    // A trailing dot.
    ("https://example.com./cb", "dot"),
    ("https://example.com。/cb", "dot"),
    // Spellings that a parser changes.
    ("https://example.com/a/../cb", "`https://example.com/cb`"),
    (
        "https://example.com/a/%2e%2E/cb",
        "`https://example.com/cb`",
    ),
    ("https://example.com/ü", "`https://example.com/%C3%BC`"),
    ("https://example.com/c\"b", "%22"),
    // Addresses that are not public, in every spelling; beside `Policy` are all of them.
    ("https://127.0.0.1/cb", "not public"),
    ("https://2130706433/cb", "not public"),
    ("https://017700000001/cb", "not public"),
    ("https://127.0.0.1./cb", "not public"),
    ("https://%31%32%37.0.0.1/cb", "not public"),
    ("https://１２７.０.０.１/cb", "not public"),
    ("https://①②⑦.⓪.⓪.①/cb", "not public"),
    ("https://012.0.0.1/cb", "not public"),
    ("https://169.254.169.254/latest/meta-data/", "not public"),
    ("https://0251.0376.0251.0376/cb", "not public"),
    ("https://[::ffff:127.0.0.1]/cb", "not public"),
    ("https://[0:0:0:0:0:ffff:a9fe:a9fe]/cb", "not public"),
    ("https://[::ffff:10.0.0.1]:8443/cb", "not public"),
    // This machine's names.
    ("https://localhost/cb", "not public"),
    ("https://a.localhost/cb", "not public"),
    ("https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/cb", "not public"),
    ("https://local%68ost/cb", "not public"),
    // Ports of other services.
    ("https://example.com:80/cb", "port 80"),
    ("https://8.8.8.8:53/cb", "port 53"),
];

#[tokio::test]
async fn hostile_spellings_are_refused_with_a_reason() {
    let app = outside().await;
    for (callback, word) in REFUSED {
        let answer = ask(&app, callback).await;
        check_refused(&app, &answer, 400, word);
    }
}
