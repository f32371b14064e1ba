//! The request as a form: which fields there are, how they are encoded, and how often they are given.

use super::{Document, FORM, GOOD, Request, RequestError, ask, ask_as, good, secret, unsubscribe};

#[test]
fn rule_9_callback_mode_and_topic_are_needed_and_enough() {
    let Request::Subscribe {
        document,
        callback,
        secret,
        lease_seconds,
    } = good("").unwrap()
    else {
        panic!()
    };
    assert_eq!(
        (document, callback.as_str(), secret, lease_seconds),
        (Document::AtomFeed, "https://example.com/cb", None, 864_000)
    );
    for field in ["hub.mode", "hub.topic", "hub.callback"] {
        let without: Vec<&str> = GOOD
            .split('&')
            .filter(|pair| !pair.starts_with(field))
            .collect();
        assert_eq!(ask(without.join("&")), Err(RequestError::Missing { field }));
        assert_eq!(
            ask(format!("{}&{field}=", without.join("&"))),
            Err(RequestError::Missing { field }),
            "empty is missing"
        );
        assert_eq!(
            ask(format!("{}&{field}", without.join("&"))),
            Err(RequestError::Missing { field }),
            "so is a bare name"
        );
    }
    assert_eq!(ask(""), Err(RequestError::Missing { field: "hub.mode" }));
}

#[test]
fn rule_9_the_request_is_a_form_in_utf_8() {
    let forms = [
        FORM,
        "Application/X-WWW-Form-URLencoded",
        "application/x-www-form-urlencoded; charset=UTF-8",
    ];
    for form in forms.into_iter().chain([
        "application/x-www-form-urlencoded ;charset=\"utf-8\"; x=y",
        "application/x-www-form-urlencoded;",
    ]) {
        assert!(ask_as(Some(form), GOOD).is_ok(), "{form}");
    }
    let others = [
        "application/json",
        "text/plain",
        "multipart/form-data; boundary=x",
        "",
        "application/x-www-form-urlencoded; charset=latin1",
    ];
    for other in others {
        assert_eq!(
            ask_as(Some(other), GOOD),
            Err(RequestError::ContentType),
            "{other}"
        );
    }
    assert_eq!(ask_as(None, GOOD), Err(RequestError::ContentType));
    for field in ["hub.callback", "hub.topic", "hub.mode", "hub.secret"] {
        let others: Vec<&str> = GOOD
            .split('&')
            .filter(|pair| !pair.starts_with(field))
            .collect();
        assert_eq!(
            ask(format!("{}&{field}=%FF%FE", others.join("&"))),
            Err(RequestError::NotUtf8 { field })
        );
    }
    assert!(
        ask([GOOD.as_bytes(), b"&other=\xff"].concat()).is_ok(),
        "what is ignored may be anything"
    );
}

#[test]
fn rule_9_names_and_values_are_percent_decoded() {
    let body = "h%75b.mode=%73ubscribe&hub%2Etopic=https%3A%2F%2Freviews.example.com%2F~shop%2Freviews.json&hub.callback=https%3A%2F%2Fexample.com%2Fcb%3Fa%3D1%26b%3D%257E%2B%2Bx";
    let Request::Subscribe {
        document, callback, ..
    } = ask(body).unwrap()
    else {
        panic!()
    };
    assert_eq!(
        (document, callback.as_str()),
        (Document::Reviews, "https://example.com/cb?a=1&b=%7E++x")
    );
    assert_eq!(
        secret(good("&hub.secret=a+b%2Bc%26d")),
        Some("a b+c&d".to_owned())
    );
}

#[test]
fn rule_9_a_field_that_counts_is_given_once() {
    for field in [
        "hub.mode",
        "hub.topic",
        "hub.callback",
        "hub.secret",
        "hub.lease_seconds",
    ] {
        let pair = GOOD
            .split('&')
            .find(|pair| pair.starts_with(field))
            .map_or(format!("{field}=1&{field}=1"), ToOwned::to_owned);
        assert_eq!(
            good(&format!("&{pair}")),
            Err(RequestError::Repeated { field })
        );
    }
    assert!(
        unsubscribe("&hub.lease_seconds=1&hub.lease_seconds=2").is_ok(),
        "where it does not count it may be"
    );
}

#[test]
fn rule_14_unknown_fields_are_ignored() {
    let more = "&hub.verify=sync&hub.verify=async&hub.verify_token=x&hub.foo=bar&HUB.MODE=unsubscribe&hub.mode%20=x&&=&%&foo=%zz";
    assert_eq!(good(more), good(""));
}
