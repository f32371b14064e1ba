//! Spellings, by what becomes of them.

mod refused;

use super::*;

fn parse(given: &str) -> Result<Callback, CallbackFault> {
    Callback::parse(given, &Policy::default())
}

#[test]
fn ordinary_callbacks_are_kept_byte_for_byte() {
    for given in [
        "https://example.com",
        "https://example.com/",
        "https://example.com/cb",
        "https://example.com:443/cb",
        "https://example.com:8443/cb",
        "https://example.com:1024/cb",
        "HTTPS://Example.COM/Cb",
        "https://example.com?x=1",
        "https://example.com/cb?",
        "https://example.com/cb?a=1&a=2&b=&c",
        "https://example.com/cb?a=%7E&b=~&c=a+b&d=a%20b",
        "https://example.com/cb?next=https://other.example/@x",
        "https://example.com/@user/cb",
        "https://example.com/a//b/;c=d/e,f/(g)/!h/$i/*j/'k'",
        "https://example.com/%zz/%/%4",
        "https://example.com/a%2Fb%2fc",
        "https://example.com/cb?a[]=1&b[c]=2|3",
        "https://example.com/...",
        "https://a-b_c.example.com/cb",
        "https://xn--bcher-kva.example/cb",
        "https://bücher.example/cb",
        "https://intranet/cb",
        "https://8.8.8.8/cb",
        "https://134744072/cb",
        "https://[2606:4700:4700::1111]:8443/cb",
        "https://[::ffff:8.8.8.8]/cb",
        "https://127.0.0.1.nip.io/cb",
    ] {
        let callback = parse(given).unwrap_or_else(|fault| panic!("{given}: {fault}"));
        assert_eq!(callback.as_str(), given);
    }
}

#[test]
fn a_callback_has_2048_bytes_at_most() {
    let of = |bytes: usize| format!("https://example.com/{}", "x".repeat(bytes - 20));
    assert!(parse(&of(2_048)).is_ok());
    assert_eq!(
        parse(&of(2_049)),
        Err(CallbackFault::TooLong { bytes: 2_049 })
    );
    let label = "x".repeat(64);
    assert!(
        parse(&format!("https://{label}.example/")).is_err(),
        "a label has 63 bytes at most"
    );
    let name = ["x".repeat(62).as_str(); 5].join(".");
    assert!(
        parse(&format!("https://{name}/")).is_err(),
        "a name has 253 bytes at most"
    );
}

#[test]
fn opened_nets_open_literals_and_this_machine() {
    let policy = Policy::new(vec!["127.0.0.0/8".parse().unwrap()]);
    for given in [
        "https://127.0.0.1:80/cb",
        "https://localhost/cb",
        "https://a.localhost:81/cb",
        "https://[::ffff:127.9.9.9]/",
        "https://0x7f.1:9/",
    ] {
        let callback =
            Callback::parse(given, &policy).unwrap_or_else(|fault| panic!("{given}: {fault}"));
        assert!(callback.is_allowed_besides(&policy), "{given}");
    }
    for given in [
        "https://[::1]/cb",
        "https://10.0.0.1/cb",
        "https://8.8.8.8:80/cb",
    ] {
        assert!(Callback::parse(given, &policy).is_err(), "{given}");
    }
    let name = Callback::parse("https://receiver.example:81/cb", &policy).unwrap();
    assert!(
        !name.is_allowed_besides(&policy),
        "a name is judged when it is dialled"
    );
}

#[test]
fn rule_18_spellings_that_mean_the_same_share_a_key() {
    let same = [
        ("https://example.com/~a", "https://example.com/%7Ea"),
        ("https://example.com/~a", "https://example.com/%7ea"),
        ("https://example.com/cb", "https://example.com/%63%62"),
        (
            "https://example.com/cb?x=-._~",
            "https://example.com/cb?x=%2D%2E%5F%7E",
        ),
        ("https://example.com/a%2Fb", "https://example.com/a%2fb"),
        ("https://example.com/cb", "HTTPS://EXAMPLE.com:443/cb"),
        ("https://example.com", "https://example.com/"),
        (
            "https://bücher.example/cb",
            "https://xn--bcher-kva.example/cb",
        ),
        ("https://8.8.8.8/cb", "https://0x08080808/cb"),
    ];
    for (one, other) in same {
        assert_eq!(
            parse(one).unwrap().key(),
            parse(other).unwrap().key(),
            "{one} and {other}"
        );
    }
    let different = [
        ("https://example.com/a%2Fb", "https://example.com/a/b"),
        ("https://example.com/%257E", "https://example.com/%7E"),
        ("https://example.com/Cb", "https://example.com/cb"),
        ("https://example.com/cb?", "https://example.com/cb"),
        (
            "https://example.com/cb?a=1&b=2",
            "https://example.com/cb?b=2&a=1",
        ),
        (
            "https://example.com/cb?a=b+c",
            "https://example.com/cb?a=b%20c",
        ),
        ("https://example.com/cb?a=%26", "https://example.com/cb?a=&"),
        ("https://example.com/cb", "https://example.com:8443/cb"),
        ("https://example.com/%zz", "https://example.com/zz"),
    ];
    for (one, other) in different {
        assert_ne!(
            parse(one).unwrap().key(),
            parse(other).unwrap().key(),
            "{one} and {other}"
        );
    }
    assert_eq!(normal("%+1%é%"), "%+1%é%", "what is no escape stays");
}

#[test]
fn rule_19_parameters_come_last_and_change_nothing_before_them() {
    let rows = [
        (
            "https://example.com/cb",
            "https://example.com/cb?hub.mode=a+b&hub.topic=https%3A%2F%2Fx%2F%7Ey",
        ),
        (
            "https://example.com",
            "https://example.com?hub.mode=a+b&hub.topic=https%3A%2F%2Fx%2F%7Ey",
        ),
        (
            "https://example.com/cb?",
            "https://example.com/cb?hub.mode=a+b&hub.topic=https%3A%2F%2Fx%2F%7Ey",
        ),
        (
            "https://example.com/cb?k=%7E+~",
            "https://example.com/cb?k=%7E+~&hub.mode=a+b&hub.topic=https%3A%2F%2Fx%2F%7Ey",
        ),
        (
            "https://example.com/cb?k&",
            "https://example.com/cb?k&hub.mode=a+b&hub.topic=https%3A%2F%2Fx%2F%7Ey",
        ),
        (
            "https://example.com/cb?hub.mode=x",
            "https://example.com/cb?hub.mode=x&hub.mode=a+b&hub.topic=https%3A%2F%2Fx%2F%7Ey",
        ),
    ];
    for (given, expected) in rows {
        assert_eq!(
            with_parameters(
                parse(given).unwrap().as_str(),
                &[("hub.mode", "a b"), ("hub.topic", "https://x/~y")]
            ),
            expected
        );
    }
}

#[test]
fn hosts_are_counted_whatever_their_spelling() {
    for (given, host) in [
        ("https://Example.COM:8443/a", "example.com"),
        ("https://134744072/", "8.8.8.8"),
        ("https://[2606:4700:4700:0::1111]/", "2606:4700:4700::1111"),
    ] {
        assert_eq!(parse(given).unwrap().host(), host);
    }
}
