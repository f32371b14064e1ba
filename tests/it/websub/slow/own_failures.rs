//! What cannot leave this machine does not count against subscribers.

use super::{Hub, fake_dns};
use crate::support::closed_hub;

impl Hub {
    fn failures_of(&self, host: &str) -> String {
        let query = "select state || ' ' || failures from subscription where host =";
        self.app.sql(&format!("{query} '{host}'"))
    }
}

/// A hub that may call an unroutable network.
async fn hub_without_route() -> Hub {
    let flags = &[
        "--hub-allow-callback-nets=240.0.0.0/4,127.0.0.0/8",
        "--hub-retry-delays=1s,1s",
    ];
    let fake_dns = fake_dns();
    Hub::made(closed_hub(flags, fake_dns.clone()), fake_dns).await
}

#[tokio::test]
async fn a_verification_waits_while_it_cannot_leave_this_machine() {
    let hub = hub_without_route().await;
    // Broadcast: the system refuses to connect there, whatever its routes.
    hub.fake_dns.set("receiver.test", &["255.255.255.255"]);
    hub.subscribe_name("receiver.test").await;
    for _ in 0..3 {
        hub.walk("pass 60 → pending, 0 GET, 0 POST, 0 failures")
            .await;
    }
    hub.fake_dns.set("receiver.test", &["127.0.0.1"]);
    hub.walk("pass 60 → active, 1 GET, 0 POST, 0 failures")
        .await;
}

#[tokio::test]
async fn an_unroutable_address_is_no_failure_of_a_delivery() {
    let (hub, host) = (hub_without_route().await, "a.receiver.test");
    hub.subscribe_name(host).await;
    hub.subscribe("/other", &[]).await;
    // Broadcast: the system refuses to connect there, whatever its routes.
    hub.fake_dns.set(host, &["255.255.255.255"]);
    for number in 0..4 {
        hub.change(&format!("c{number}")).await;
        hub.pass(66).await;
        assert_eq!(hub.failures_of(host), "active 0");
    }
    let outcome = format!("select last_outcome from subscription where host = '{host}'");
    assert_eq!(hub.app.shell(&outcome).await, "network_down");
    hub.fake_dns.set(host, &["127.0.0.1"]);
    let before = hub.deliveries().len();
    hub.pass(66).await;
    assert_eq!(hub.deliveries().len(), before + 1);
}
