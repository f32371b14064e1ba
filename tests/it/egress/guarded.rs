//! Addresses of callbacks: every address is checked, at every connection.

use reviews_service::websub::http_client::{Failure, Refused};

use super::Out;
use crate::support::{Receiver, Reply};

/// The only one of `addresses` that the policy refuses; it must be the reason for refusing the exchange.
fn refused_address(
    out: &Out,
    addresses: &[&str],
    result: Result<impl std::fmt::Debug, Failure>,
) -> String {
    assert_eq!(result.unwrap_err(), Failure::Refused);
    let verdicts = addresses.iter().map(|address| {
        let address = address.parse().unwrap();
        out.egress.policy.permits(address, 443)
    });
    match &verdicts.filter_map(Result::err).collect::<Vec<_>>()[..] {
        [Refused::Address { address, .. }] => address.to_string(),
        other => panic!("not a single address: {other:?}"),
    }
}

#[tokio::test]
async fn a_name_with_any_address_that_is_not_public_is_refused() {
    let (out, receiver) = (Out::to_receivers(), Receiver::start().await);
    for (addresses, culprit) in [
        (&["10.0.0.1"][..], "10.0.0.1"),
        (&["127.0.0.1", "10.0.0.1"], "10.0.0.1"),
        (&["10.0.0.1", "127.0.0.1"], "10.0.0.1"),
        (&["127.0.0.1", "8.8.8.8", "::1"], "::1"),
        (&["127.0.0.1", "fe80::1"], "fe80::1"),
        (&["127.0.0.1", "::ffff:169.254.169.254"], "169.254.169.254"),
        (&["127.0.0.1", "64:ff9b::a00:1"], "64:ff9b::a00:1"),
        (&["127.0.0.1", "2002:a00:1::"], "2002:a00:1::"),
        (&["127.0.0.1", "2001::1"], "2001::1"),
        (&["127.0.0.1", "::127.0.0.1"], "::7f00:1"),
        (&["127.0.0.1", "127.0.0.1", "0.0.0.0"], "0.0.0.0"),
        (&["127.0.0.1", "168.63.129.16"], "168.63.129.16"),
    ] {
        out.fake_dns.set("mixed.receiver.test", addresses);
        let url = receiver.url_of("mixed.receiver.test", "/cb");
        for failed in [out.get(&url).await, out.post(&url, "x").await] {
            assert_eq!(refused_address(&out, addresses, failed), culprit);
        }
    }
    assert_eq!(receiver.connections(), 0, "no connection was made");
}

#[tokio::test]
async fn every_one_of_a_thousand_addresses_of_a_name_is_checked() {
    let (out, receiver) = (Out::to_receivers(), Receiver::start().await);
    let mut addresses: Vec<String> = (0..1_000)
        .map(|number| format!("127.0.{}.{}", number / 250, number % 250 + 1))
        .collect();
    let set = |addresses: &[String]| {
        out.fake_dns.set(
            "many.receiver.test",
            &addresses.iter().map(String::as_str).collect::<Vec<_>>(),
        );
    };
    set(&addresses);
    let url = receiver.url_of("many.receiver.test", "/cb");
    assert_eq!(
        out.egress.vet(&url).await.unwrap().addresses.len(),
        8,
        "only a few are tried"
    );
    addresses.push("192.168.0.1".to_owned());
    set(&addresses);
    let addresses: Vec<&str> = addresses.iter().map(String::as_str).collect();
    assert_eq!(
        refused_address(&out, &addresses, out.get(&url).await),
        "192.168.0.1"
    );
}

#[tokio::test]
async fn addresses_of_a_name_are_checked_at_every_connection() {
    let (out, receiver) = (Out::to_receivers(), Receiver::start().await);
    let url = receiver.url_of("moves.receiver.test", "/cb");
    out.post(&url, "x").await.unwrap();
    out.fake_dns.set("moves.receiver.test", &["10.0.0.1"]);
    for failed in [out.post(&url, "x").await, out.get(&url).await] {
        assert_eq!(refused_address(&out, &["10.0.0.1"], failed), "10.0.0.1");
    }
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn the_connection_goes_to_the_checked_address() {
    let (out, receiver) = (Out::to_receivers(), Receiver::start().await);
    receiver.always(Reply::body("here"));
    let vetted = out
        .egress
        .vet(&receiver.url_of("moves.receiver.test", "/cb"))
        .await
        .unwrap();
    assert_eq!(vetted.addresses, [receiver.address().ip()]);
    // Rebinding between the check and the connection.
    out.fake_dns.set("moves.receiver.test", &["10.0.0.1"]);
    let answer = out.egress.get_vetted(vetted, 100).await.unwrap();
    assert_eq!(
        (answer.body.as_slice(), answer.address),
        (&b"here"[..], receiver.address().ip())
    );
    assert_eq!(
        out.fake_dns.asked().len(),
        1,
        "the name was not looked up again"
    );
}

#[tokio::test]
async fn literal_addresses_are_checked_although_they_need_no_lookup() {
    let (out, receiver) = (Out::allowing(&[]), Receiver::start().await);
    for host in ["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]", "localhost"] {
        let url = receiver.url_of(host, "/cb");
        for failed in [out.get(&url).await, out.post(&url, "x").await] {
            let refused = refused_address(&out, &["127.0.0.1"], failed);
            assert_eq!(refused, "127.0.0.1", "{host}");
        }
    }
    for host in ["[::1]", "0.0.0.0", "10.0.0.1", "[64:ff9b::7f00:1]"] {
        assert!(
            matches!(
                out.post(&receiver.url_of(host, "/cb"), "x").await,
                Err(Failure::Refused)
            ),
            "{host}"
        );
    }
    assert_eq!((receiver.connections(), out.fake_dns.asked().len()), (0, 0));
}

#[tokio::test]
async fn an_allowed_net_is_reached_by_address_name_and_localhost() {
    let (out, receiver) = (Out::to_receivers(), Receiver::start().await);
    for host in [
        "127.0.0.1",
        "2130706433",
        "receiver.test",
        "RECEIVER.test",
        "localhost",
    ] {
        assert_eq!(
            out.post(&receiver.url_of(host, "/cb"), "x")
                .await
                .unwrap()
                .status,
            204,
            "{host}"
        );
    }
    assert_eq!(
        out.fake_dns.asked(),
        ["receiver.test", "receiver.test"],
        "the resolver is not used for this machine"
    );
}

#[tokio::test]
async fn urls_that_are_not_callbacks_are_not_called() {
    let (out, receiver) = (Out::to_receivers(), Receiver::start().await);
    let port = receiver.address().port();
    for url in [
        format!("http://127.0.0.1:{port}/cb"),
        format!("https://user@127.0.0.1:{port}/cb"),
        format!("https://127.0.0.1:{port}/cb#x"),
        format!("https://127.0.0.1:{port}/a/../cb"),
        format!("https://receiver.test.:{port}/cb"),
        format!("https://receiver.test:{port}\\@x/cb"),
        "https://".to_owned(),
    ] {
        assert!(matches!(out.get(&url).await, Err(Failure::Url)), "{url}");
        assert!(
            matches!(out.post(&url, "x").await, Err(Failure::Url)),
            "{url}"
        );
    }
    for port in [25, 80, 1_023] {
        out.fake_dns.set("public.test", &["8.8.8.8"]);
        assert_eq!(
            out.egress.policy.permits("8.8.8.8".parse().unwrap(), port),
            Err(Refused::Port { port })
        );
        for url in [
            format!("https://8.8.8.8:{port}/"),
            format!("https://public.test:{port}/"),
        ] {
            assert_eq!(out.post(&url, "x").await, Err(Failure::Refused), "{url}");
        }
    }
    assert_eq!(receiver.connections(), 0);
}
