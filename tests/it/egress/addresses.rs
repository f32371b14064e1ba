//! Addresses of callbacks: every address is checked, at every connection.

use reviews_service::websub::http_client::{Answer, Failure, Refused};

use super::Out;
use crate::support::{Receiver, Reply, table};

/// Asserts that the exchange is refused, and that `culprit` is the only one of the addresses that the policy refuses.
#[track_caller]
fn check_refused(out: &Out, addresses: &[&str], result: Result<Answer, Failure>, culprit: &str) {
    assert_eq!(result.unwrap_err(), Failure::Refused);
    let mut refused = Vec::new();
    for address in addresses {
        let verdict = out.egress.policy.permits(address.parse().unwrap(), 443);
        if let Err(Refused::Address { address, .. }) = verdict {
            refused.push(address.to_string());
        }
    }
    assert_eq!(refused, [culprit]);
}

#[tokio::test]
async fn a_name_with_any_address_that_is_not_public_is_refused() {
    let (out, receiver) = (Out::to_receivers(), Receiver::start().await);
    for [addresses, culprit] in table(
        "
        10.0.0.1 → 10.0.0.1
        127.0.0.1 10.0.0.1 → 10.0.0.1
        10.0.0.1 127.0.0.1 → 10.0.0.1
        127.0.0.1 8.8.8.8 ::1 → ::1
        127.0.0.1 fe80::1 → fe80::1
        127.0.0.1 ::ffff:169.254.169.254 → 169.254.169.254
        127.0.0.1 64:ff9b::a00:1 → 64:ff9b::a00:1
        127.0.0.1 2002:a00:1:: → 2002:a00:1::
        127.0.0.1 2001::1 → 2001::1
        127.0.0.1 ::127.0.0.1 → ::7f00:1
        127.0.0.1 127.0.0.1 0.0.0.0 → 0.0.0.0
        127.0.0.1 168.63.129.16 → 168.63.129.16
        ",
    ) {
        let addresses: Vec<&str> = addresses.split(' ').collect();
        out.fake_dns.set("mixed.receiver.test", &addresses);
        let url = receiver.url_of("mixed.receiver.test", "/cb");
        for failed in [out.get(&url).await, out.post(&url, "x").await] {
            check_refused(&out, &addresses, failed, culprit);
        }
    }
    assert_eq!(receiver.connections(), 0, "no connection was made");
}

#[tokio::test]
async fn addresses_of_a_name_are_checked_at_every_connection() {
    let (out, receiver) = (Out::to_receivers(), Receiver::start().await);
    let url = receiver.url_of("moves.receiver.test", "/cb");
    out.post(&url, "x").await.unwrap();
    out.fake_dns.set("moves.receiver.test", &["10.0.0.1"]);
    for failed in [out.post(&url, "x").await, out.get(&url).await] {
        check_refused(&out, &["10.0.0.1"], failed, "10.0.0.1");
    }
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn the_connection_goes_to_the_checked_address() {
    let (out, receiver) = (Out::to_receivers(), Receiver::start().await);
    receiver.always(Reply::body("here"));
    let url = receiver.url_of("moves.receiver.test", "/cb");
    let vetted = out.egress.vet(&url).await.unwrap();
    let address = receiver.address().ip();
    assert_eq!(vetted.addresses, [address]);
    // Rebinding between the check and the connection: the name is not looked up again.
    out.fake_dns.set("moves.receiver.test", &["10.0.0.1"]);
    let answer = out.egress.get_vetted(vetted, 100).await.unwrap();
    assert_eq!((&*answer.body, answer.address), (&b"here"[..], address));
    assert_eq!(out.fake_dns.asked().len(), 1);
}

#[tokio::test]
async fn literal_addresses_are_checked_although_they_need_no_lookup() {
    let (out, receiver) = (Out::allowing(&[]), Receiver::start().await);
    for host in ["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]", "localhost"] {
        let url = receiver.url_of(host, "/cb");
        for failed in [out.get(&url).await, out.post(&url, "x").await] {
            check_refused(&out, &["127.0.0.1"], failed, "127.0.0.1");
        }
    }
    for host in ["[::1]", "0.0.0.0", "10.0.0.1", "[64:ff9b::7f00:1]"] {
        let url = receiver.url_of(host, "/cb");
        assert_eq!(out.post(&url, "x").await, Err(Failure::Refused), "{host}");
    }
    assert_eq!((receiver.connections(), out.fake_dns.asked().len()), (0, 0));
}

#[tokio::test]
async fn an_allowed_net_is_reached_by_address_name_and_localhost() {
    let (out, receiver) = (Out::to_receivers(), Receiver::start().await);
    let hosts = "127.0.0.1 2130706433 receiver.test RECEIVER.test localhost";
    for host in hosts.split(' ') {
        let url = receiver.url_of(host, "/cb");
        assert_eq!(out.post(&url, "x").await.unwrap().status, 204, "{host}");
    }
    // The resolver is not used for this machine.
    assert_eq!(out.fake_dns.asked(), ["receiver.test", "receiver.test"]);
}
