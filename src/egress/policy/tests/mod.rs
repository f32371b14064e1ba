//! Every range by its first and last address and its neighbours.

mod ranges;

use std::net::IpAddr;

use super::*;

fn verdict(address: &str, port: u16) -> Result<(), Refused> {
    Policy::default().permits(address.parse().unwrap(), port)
}

#[test]
fn ipv4_stays_what_it_is_inside_ipv6() {
    for special in [
        "127.0.0.1",
        "10.1.2.3",
        "169.254.169.254",
        "168.63.129.16",
        "192.168.0.1",
        "0.0.0.0",
        "255.255.255.255",
    ] {
        for hidden in [
            format!("::ffff:{special}"),
            format!("::{special}"),
            format!("64:ff9b::{special}"),
        ] {
            assert!(verdict(&hidden, 443).is_err(), "{hidden}");
        }
        let [a, b, c, d] = special.parse::<Ipv4Addr>().unwrap().octets();
        assert!(
            verdict(&format!("2002:{a:02x}{b:02x}:{c:02x}{d:02x}::1"), 443).is_err(),
            "6to4 of {special}"
        );
    }
    assert_eq!(
        verdict("::ffff:93.184.216.34", 443),
        Ok(()),
        "a mapped public address is that address"
    );
    assert!(
        verdict("64:ff9b::93.184.216.34", 443).is_err(),
        "NAT64 is refused whatever it carries"
    );
}

#[test]
fn metadata_services_of_clouds_are_closed() {
    for address in [
        "169.254.169.254",
        "169.254.170.2",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "fd00:ec2::254",
        "fe80::a9fe:a9fe",
    ] {
        assert!(verdict(address, 443).is_err(), "{address}");
        assert!(verdict(address, 80).is_err(), "{address}");
    }
}

#[test]
fn public_addresses_are_open_on_443_and_from_1024_up() {
    for (port, is_open) in [
        (443, true),
        (1024, true),
        (8443, true),
        (65_535, true),
        (0, false),
        (1, false),
        (22, false),
        (25, false),
    ]
    .into_iter()
    .chain([
        (53, false),
        (80, false),
        (442, false),
        (444, false),
        (465, false),
        (587, false),
        (993, false),
        (1023, false),
    ]) {
        for address in ["8.8.8.8", "2606:4700:4700::1111"] {
            let expected = if is_open {
                Ok(())
            } else {
                Err(Refused::Port { port })
            };
            assert_eq!(verdict(address, port), expected, "{address} port {port}");
        }
        assert_eq!(
            Policy::default().permits_port(port).is_ok(),
            is_open,
            "a name on port {port}"
        );
    }
}

#[test]
fn opened_nets_are_open_on_any_port_and_nothing_else_is() {
    let policy = Policy::new(vec![
        "127.0.0.0/8".parse().unwrap(),
        "fd00:1::/32".parse().unwrap(),
    ]);
    let permits = |address: &str, port| {
        policy
            .permits(address.parse::<IpAddr>().unwrap(), port)
            .is_ok()
    };
    for address in ["127.0.0.1", "127.255.0.1", "::ffff:127.0.0.1", "fd00:1::7"] {
        assert!(
            permits(address, 1)
                && permits(address, 80)
                && permits(address, 443)
                && permits(address, 9_000),
            "{address}"
        );
    }
    for address in [
        "::1",
        "10.0.0.1",
        "fd00:2::7",
        "64:ff9b::127.0.0.1",
        "::127.0.0.1",
    ] {
        assert!(!permits(address, 443), "{address}");
    }
    assert!(permits("8.8.8.8", 443) && !permits("8.8.8.8", 80));
    assert!(
        policy.permits_port(80).is_ok(),
        "a name may lead into an opened net, which is judged when it is dialled"
    );
}
