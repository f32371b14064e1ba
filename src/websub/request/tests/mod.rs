//! One row for each rule, by its number in the list of duties that the W3C Recommendation comes to.

mod form;

use super::*;

const FORM: &str = "application/x-www-form-urlencoded";
const BASE: &str = "https://reviews.example.com/~shop";
const GOOD: &str = "hub.mode=subscribe&hub.topic=https://reviews.example.com/~shop/feed.xml&hub.callback=https://example.com/cb";

fn ask(body: impl AsRef<[u8]>) -> Result<Request, RequestError> {
    ask_as(Some(FORM), body)
}

fn ask_as(content_type: Option<&str>, body: impl AsRef<[u8]>) -> Result<Request, RequestError> {
    let leases = LeaseBounds::new(300, 864_000, 7_776_000).unwrap();
    parse(
        content_type,
        body.as_ref(),
        &BASE.parse().unwrap(),
        &Policy::default(),
        &leases,
    )
}

fn good(more: &str) -> Result<Request, RequestError> {
    ask(format!("{GOOD}{more}"))
}

fn unsubscribe(more: &str) -> Result<Request, RequestError> {
    ask(format!(
        "{}{more}",
        GOOD.replace("=subscribe", "=unsubscribe")
    ))
}

fn lease(request: Result<Request, RequestError>) -> u64 {
    match request.unwrap() {
        Request::Subscribe { lease_seconds, .. } => lease_seconds,
        Request::Unsubscribe { .. } => panic!("not a subscription"),
    }
}

fn secret(request: Result<Request, RequestError>) -> Option<String> {
    match request.unwrap() {
        Request::Subscribe { secret, .. } => secret.map(|secret| secret.expose().to_owned()),
        Request::Unsubscribe { .. } => panic!("not a subscription"),
    }
}

fn callback(request: Result<Request, RequestError>) -> Callback {
    match request.unwrap() {
        Request::Subscribe { callback, .. } | Request::Unsubscribe { callback, .. } => callback,
    }
}

fn document(request: Result<Request, RequestError>) -> Document {
    match request.unwrap() {
        Request::Subscribe { document, .. } | Request::Unsubscribe { document, .. } => document,
    }
}

#[test]
fn rule_10_a_secret_has_less_than_200_bytes() {
    let of = |text: &str| format!("&hub.secret={text}");
    assert_eq!(secret(good(&of(&"s".repeat(199)))), Some("s".repeat(199)));
    assert_eq!(
        good(&of(&"s".repeat(200))),
        Err(RequestError::SecretTooLong { bytes: 200 })
    );
    assert_eq!(
        secret(good(&of(&"%C3%A4".repeat(99)))),
        Some("ä".repeat(99)),
        "198 bytes"
    );
    assert_eq!(
        good(&of(&"%C3%A4".repeat(100))),
        Err(RequestError::SecretTooLong { bytes: 200 }),
        "100 characters, but 200 bytes"
    );
    assert_eq!(
        good(&of(&"ä".repeat(100))),
        Err(RequestError::SecretTooLong { bytes: 200 }),
        "raw bytes too"
    );
    assert_eq!(
        unsubscribe(&of(&"s".repeat(200))),
        Err(RequestError::SecretTooLong { bytes: 200 })
    );
    assert_eq!(secret(good(&of(""))), None, "an empty secret is none");
}

#[test]
fn rule_10_a_secret_is_never_shown() {
    let request = good("&hub.secret=hunter2").unwrap();
    assert!(!format!("{request:?} {request:#?}").contains("hunter2"));
}

#[test]
fn rule_11_modes_are_literal() {
    assert!(matches!(
        unsubscribe(""),
        Ok(Request::Unsubscribe {
            document: Document::AtomFeed,
            ..
        })
    ));
    for mode in [
        "Subscribe",
        "SUBSCRIBE",
        "publish",
        "denied",
        "subscribe ",
        "subscribe%0A",
        "subscribe,unsubscribe",
        "%E2%80%AE",
    ] {
        let fault = ask(GOOD.replace("mode=subscribe", &format!("mode={mode}"))).unwrap_err();
        assert!(
            matches!(fault, RequestError::Mode { .. }),
            "{mode}: {fault}"
        );
    }
}

#[test]
fn rule_12_topics_are_those_that_the_documents_call_self() {
    let of = |topic: &str| ask(GOOD.replace("https://reviews.example.com/~shop/feed.xml", topic));
    for (topic, expected) in [
        (
            "https://reviews.example.com/~shop/feed.xml",
            Document::AtomFeed,
        ),
        (
            "https://reviews.example.com/~shop/api/feed.json",
            Document::JsonFeed,
        ),
        (
            "https://reviews.example.com/~shop/reviews.json",
            Document::Reviews,
        ),
    ] {
        assert_eq!(document(of(topic)), expected);
    }
    for topic in [
        "https://reviews.example.com/~shop/insights.json",
        "https://reviews.example.com/~shop/",
        "https://reviews.example.com/~shop/feed.xml/",
        "https://reviews.example.com/~shop/feed.xml?x",
        "https://reviews.example.com/~shop/feed.xml%23x",
        "https://reviews.example.com/~shop//feed.xml",
        "https://reviews.example.com/feed.xml",
        "http://reviews.example.com/~shop/feed.xml",
        "https://other.example/~shop/feed.xml",
        "/~shop/feed.xml",
        "feed.xml",
    ] {
        let fault = of(topic).unwrap_err();
        assert!(matches!(fault, RequestError::Topic { .. }), "{topic}");
        assert!(
            fault
                .to_string()
                .contains("https://reviews.example.com/~shop/api/feed.json"),
            "it lists what there is: {fault}"
        );
    }
}

#[test]
fn rule_13_a_lease_is_a_positive_whole_number_clamped_to_the_bounds() {
    for (wish, granted) in [
        ("1", 300),
        ("299", 300),
        ("300", 300),
        ("301", 301),
        ("00864000", 864_000),
        ("7776000", 7_776_000),
        ("7776001", 7_776_000),
        ("18446744073709551616", 7_776_000),
        (
            "99999999999999999999999999999999999999999999999999",
            7_776_000,
        ),
        ("00000000000000000000000000000000000000000000000301", 301),
    ] {
        assert_eq!(
            lease(good(&format!("&hub.lease_seconds={wish}"))),
            granted,
            "{wish}"
        );
    }
    for wish in [
        "", "0", "000", "-5", "%2B5", "+5", "3600.5", "3600,5", "1e3", "0x10", "abc", "5s",
        "%D9%A3", "NaN", "1_000", "5%0A",
    ] {
        let fault = good(&format!("&hub.lease_seconds={wish}")).unwrap_err();
        assert!(
            matches!(fault, RequestError::LeaseSeconds { .. }),
            "{wish}: {fault}"
        );
    }
}

#[test]
fn rule_13_a_lease_is_ignored_on_unsubscribe() {
    for wish in ["", "0", "-5", "abc", "3600", "%FF"] {
        assert!(
            unsubscribe(&format!("&hub.lease_seconds={wish}")).is_ok(),
            "{wish}"
        );
    }
}

#[test]
fn rule_18_escapes_that_need_not_be_are_no_difference() {
    let of = |topic: &str| ask(GOOD.replace("https://reviews.example.com/~shop/feed.xml", topic));
    for topic in [
        "https://reviews.example.com/%257Eshop/feed.xml",
        "https://reviews.example.com/%257eshop/f%2565ed%252Exml",
        "https%3A%2F%2Freviews.example.com%2F%257Eshop%2Ffeed.xml",
    ] {
        assert_eq!(document(of(topic)), Document::AtomFeed, "{topic}");
    }
    assert!(
        of("https://reviews.example.com/~shop%252Ffeed.xml").is_err(),
        "an escaped slash is another character"
    );
    let of = |path: &str| callback(ask(GOOD.replace("/cb", path)));
    assert_eq!(of("/%257Ecb").key(), of("/~cb").key());
    assert_eq!(
        of("/%257Ecb").as_str(),
        "https://example.com/%7Ecb",
        "it is called as it was given"
    );
}

#[test]
fn rule_19_a_callback_keeps_its_query() {
    let given = callback(ask(GOOD.replace("/cb", "/cb?k=%257E%26hub.mode=x")));
    assert_eq!(given.as_str(), "https://example.com/cb?k=%7E&hub.mode=x");
}

#[test]
fn rule_20_callbacks_outside_the_policy_are_refused() {
    for callback in [
        "http://example.com/cb",
        "https://user@example.com/cb",
        "https://example.com/cb%23x",
        "https://127.0.0.1/cb",
        "https://0x7f.1/cb",
        "https://[::1]/cb",
        "https://localhost/cb",
        "https://example.com:25/cb",
        "https://example.com./cb",
        "nonsense",
    ] {
        let fault = ask(GOOD.replace("https://example.com/cb", callback)).unwrap_err();
        assert!(
            matches!(fault, RequestError::Callback(_)),
            "{callback}: {fault}"
        );
    }
}

#[test]
fn rule_23_every_fault_is_one_line_with_a_status() {
    let long = format!("&x={}", "x".repeat(BODY_BYTES_MAX));
    let faults = [
        (ask_as(Some("application/json"), GOOD), 415),
        (good(&long), 413),
        (ask("hub.mode=subscribe"), 400),
        (good("&hub.mode=subscribe"), 400),
        (good("&hub.secret=%FF"), 400),
        (
            ask(GOOD.replace("mode=subscribe", "mode=a%0Ab%0D%1B[31m")),
            400,
        ),
        (
            ask(GOOD.replace("feed.xml", &format!("%0A{}", "x".repeat(1_000)))),
            400,
        ),
        (ask(GOOD.replace("/cb", "/%0Acb")), 400),
        (ask(GOOD.replace("/cb", "/%C3%BC%E2%80%A8")), 400),
        (ask(GOOD.replace("/cb", &"x".repeat(3_000))), 400),
        (good("&hub.lease_seconds=1%0A2"), 400),
        (good(&format!("&hub.secret={}", "s".repeat(300))), 400),
    ];
    for (fault, status) in faults {
        let fault = fault.unwrap_err();
        let line = fault.to_string();
        assert_eq!(fault.status(), status, "{line}");
        assert!(
            line.chars().all(|c| !c.is_control()) && line.ends_with('.') && line.len() < 500,
            "{line:?}"
        );
    }
}
