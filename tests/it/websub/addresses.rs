//! Callbacks reach public addresses only: every address of a name is checked, at every connection.

use super::Hub;
use crate::support::table;

#[tokio::test]
async fn a_name_with_an_address_that_is_not_public_is_never_called() {
    let hub = Hub::new().await;
    let rows = table(
        "
        10.0.0.1
        127.0.0.1 10.0.0.1
        10.0.0.1 127.0.0.1
        127.0.0.1 fe80::1
        127.0.0.1 ::ffff:169.254.169.254
        127.0.0.1 64:ff9b::a00:1
        127.0.0.1 127.0.0.1 0.0.0.0
        ",
    );
    for (number, [addresses]) in rows.into_iter().enumerate() {
        let host = format!("mixed{number}.receiver.test");
        let addresses: Vec<&str> = addresses.split(' ').collect();
        hub.fake_dns.set(&host, &addresses);
        hub.subscribe_name(&host).await;
        let query = "select state || ' ' || last_outcome from subscription where host =";
        let outcome = hub.app.sql(&format!("{query} '{host}'"));
        assert_eq!(outcome, "rejected refused", "{addresses:?}");
    }
    assert_eq!(hub.receiver.connections(), 0);
}

#[tokio::test]
async fn addresses_of_a_name_are_checked_at_every_connection() {
    let (hub, host) = (Hub::new().await, "moves.receiver.test");
    hub.fake_dns.set(host, &["127.0.0.1"]);
    hub.subscribe_name(host).await;
    hub.fake_dns.set(host, &["10.0.0.1"]);
    hub.change("c1").await;
    assert_eq!(hub.summary(), "active, 1 GET, 0 POST, 1 failures");
    assert_eq!(hub.field("last_outcome"), "refused");
    assert_eq!(hub.receiver.connections(), 1);
    // The connection goes to the address that was checked: the name is looked up once for each.
    assert_eq!(hub.fake_dns.asked(), [host, host]);
}
