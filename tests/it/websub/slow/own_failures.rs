//! What cannot leave this machine does not count against subscribers.

use super::{Hub, fake_dns};
use crate::support::closed_hub;

#[tokio::test]
async fn exchanges_that_cannot_leave_this_machine_wait_uncounted() {
    let flags = &[
        "--hub-allow-callback-nets=240.0.0.0/4,127.0.0.0/8",
        "--hub-retry-delays=1s,1s",
    ];
    let (fake_dns, host) = (fake_dns(), "receiver.test");
    let hub = Hub::made(closed_hub(flags, fake_dns.clone()), fake_dns).await;
    // Broadcast: the system refuses to connect there, whatever its routes.
    let unroutable = ["255.255.255.255"];
    hub.fake_dns.set(host, &unroutable);
    hub.subscribe_name(host).await;
    hub.walk(
        "
        pass 60 → pending, 0 GET, 0 POST, 0 failures
        pass 60 → pending, 0 GET, 0 POST, 0 failures
        ",
    )
    .await;
    hub.fake_dns.set(host, &["127.0.0.1"]);
    hub.walk("pass 60 → active, 1 GET, 0 POST, 0 failures")
        .await;
    hub.fake_dns.set(host, &unroutable);
    hub.walk(
        "
        change c1 → active, 1 GET, 0 POST, 0 failures
        pass 66 → active, 1 GET, 0 POST, 0 failures
        change c2 → active, 1 GET, 0 POST, 0 failures
        pass 66 → active, 1 GET, 0 POST, 0 failures
        change c3 → active, 1 GET, 0 POST, 0 failures
        pass 66 → active, 1 GET, 0 POST, 0 failures
        select last_outcome from subscription → network_down
        ",
    )
    .await;
    hub.fake_dns.set(host, &["127.0.0.1"]);
    hub.walk("pass 66 → active, 1 GET, 1 POST, 0 failures")
        .await;
}
