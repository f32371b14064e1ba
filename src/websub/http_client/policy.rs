//! Decides which addresses may be connected to. Pure, so that every range is a row of a table.
//!
//! Only public unicast addresses are permitted, on port 443 or from 1024 up. Special ranges are those of the IANA IPv4
//! and IPv6 special-purpose address registries (RFC 6890 and its updates), including anycast and cloud metadata
//! services, and every IPv6 form that embeds an IPv4 address, because its translator may be inside our network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use thiserror::Error;

const HTTPS_PORT: u16 = 443;
/// Ports below this belong to mail, name and file services, which a request could confuse.
const UNPRIVILEGED_PORT_MIN: u16 = 1024;

/// The public Internet plus the nets that the operator allows.
#[derive(Debug, Default)]
pub struct Policy {
    /// On any port.
    pub allowed: Vec<IpNet>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refused {
    #[error("the address {address} is not public ({purpose})")]
    Address {
        /// The address to connect to; an IPv4 address if the callback has it as mapped IPv6.
        address: IpAddr,
        /// The purpose of its range.
        purpose: &'static str,
    },
    /// The port belongs to another service.
    #[error("port {port} is not open to callbacks; use 443, or one from 1024 up")]
    Port {
        /// Below 1024 and not 443.
        port: u16,
    },
}

impl Policy {
    /// Whether `address` may be connected to on `port`.
    ///
    /// # Errors
    /// If the address is not public or the port is closed.
    pub fn permits(&self, address: IpAddr, port: u16) -> Result<(), Refused> {
        if self.is_allowed_besides(address) {
            return Ok(());
        }
        let address = address.to_canonical();
        if let Some(purpose) = special_use(address) {
            return Err(Refused::Address { address, purpose });
        }
        if is_open(port) {
            Ok(())
        } else {
            Err(Refused::Port { port })
        }
    }

    /// Whether any address may be connected to on `port`, the only check possible before a name is resolved.
    ///
    /// # Errors
    /// If the port is closed and the operator allows no net.
    pub const fn permits_port(&self, port: u16) -> Result<(), Refused> {
        if is_open(port) || !self.allowed.is_empty() {
            Ok(())
        } else {
            Err(Refused::Port { port })
        }
    }

    /// Whether `address` is in a network that the operator allows; such addresses are exempt from limits per host.
    pub fn is_allowed_besides(&self, address: IpAddr) -> bool {
        let canonical = address.to_canonical();
        self.allowed
            .iter()
            .any(|net| net.contains(&address) || net.contains(&canonical))
    }
}

const fn is_open(port: u16) -> bool {
    port == HTTPS_PORT || port >= UNPRIVILEGED_PORT_MIN
}

/// The purpose of a special address; `None` for an ordinary public one.
fn special_use(address: IpAddr) -> Option<&'static str> {
    match SPECIAL.iter().find(|(net, _)| net.contains(&address)) {
        Some((_, purpose)) => Some(*purpose),
        None if address.is_ipv4() || GLOBAL_UNICAST.contains(&address) => None,
        None => Some("not global unicast"),
    }
}

const fn v4([a, b, c, d]: [u8; 4], prefix: u8) -> IpNet {
    IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix))
}

const fn v6(bits: u128, prefix: u8) -> IpNet {
    IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::from_bits(bits), prefix))
}

/// RFC 4291 §2.4: all global unicast addresses assigned so far are in it.
const GLOBAL_UNICAST: IpNet = v6(0x2000 << 112, 3);

/// The purpose of each net; the first that contains an address counts. For IPv6: those within `2000::/3`, and named
/// ones outside.
const SPECIAL: [(IpNet, &str); 38] = [
    (v4([0, 0, 0, 0], 8), "this network, RFC 791"),
    (v4([10, 0, 0, 0], 8), "private use, RFC 1918"),
    (v4([100, 64, 0, 0], 10), "shared address space, RFC 6598"),
    (v4([127, 0, 0, 0], 8), "loopback, RFC 1122"),
    (v4([168, 63, 129, 16], 32), "a cloud's metadata service"),
    (
        v4([169, 254, 0, 0], 16),
        "link-local and metadata services, RFC 3927",
    ),
    (v4([172, 16, 0, 0], 12), "private use, RFC 1918"),
    (
        v4([192, 0, 0, 0], 24),
        "IETF protocol assignments, RFC 6890",
    ),
    (v4([192, 0, 2, 0], 24), "documentation, RFC 5737"),
    (v4([192, 31, 196, 0], 24), "AS112 service, RFC 7535"),
    (v4([192, 52, 193, 0], 24), "multicast tunnelling, RFC 7450"),
    (v4([192, 88, 99, 0], 24), "6to4 relays, RFC 7526"),
    (v4([192, 168, 0, 0], 16), "private use, RFC 1918"),
    (v4([192, 175, 48, 0], 24), "AS112 service, RFC 7534"),
    (v4([198, 18, 0, 0], 15), "benchmarking, RFC 2544"),
    (v4([198, 51, 100, 0], 24), "documentation, RFC 5737"),
    (v4([203, 0, 113, 0], 24), "documentation, RFC 5737"),
    (v4([224, 0, 0, 0], 4), "multicast, RFC 5771"),
    (v4([255, 255, 255, 255], 32), "broadcast, RFC 919"),
    (v4([240, 0, 0, 0], 4), "reserved, RFC 1112"),
    (v6(0, 128), "unspecified, RFC 4291"),
    (v6(1, 128), "loopback, RFC 4291"),
    (v6(0xffff << 32, 96), "IPv4-mapped, RFC 4291"),
    (v6(0, 96), "IPv4-compatible, RFC 4291"),
    (v6(0x0064_ff9b << 96, 96), "NAT64, RFC 6052"),
    (v6(0x0064_ff9b_0001 << 80, 48), "local NAT64, RFC 8215"),
    (v6(0x0100 << 112, 64), "discard-only, RFC 6666"),
    (v6(0x2001 << 112, 32), "Teredo, RFC 4380"),
    (v6(0x2001_0db8 << 96, 32), "documentation, RFC 3849"),
    (v6(0x2001 << 112, 23), "IETF protocol assignments, RFC 2928"),
    (v6(0x2002 << 112, 16), "6to4, RFC 3056"),
    (v6(0x2620_004f_8000 << 80, 48), "AS112 service, RFC 7534"),
    (v6(0x3fff << 112, 20), "documentation, RFC 9637"),
    (v6(0x5f00 << 112, 16), "segment routing, RFC 9602"),
    (v6(0xfc00 << 112, 7), "unique local, RFC 4193"),
    (v6(0xfe80 << 112, 10), "link-local, RFC 4291"),
    (v6(0xfec0 << 112, 10), "site-local, RFC 3879"),
    (v6(0xff00 << 112, 8), "multicast, RFC 4291"),
];

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    fn verdict(address: &str, port: u16) -> Result<(), Refused> {
        Policy::default().permits(address.parse().unwrap(), port)
    }

    #[test]
    fn ipv4_addresses_embedded_in_ipv6_are_checked_as_ipv4() {
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
    fn only_allowed_networks_are_open_on_any_port() {
        let allowed = ["127.0.0.0/8", "fd00:1::/32"].map(|net| net.parse().unwrap());
        let policy = Policy {
            allowed: allowed.into(),
        };
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

    mod ranges {
        use super::{Refused, verdict};

        /// Range, first, last, and the public neighbours before and after it ("" if the neighbour is special too).
        const RANGES: &[(&str, &str, &str, &str, &str)] = &[
            ("this network", "0.0.0.0", "0.255.255.255", "", "1.0.0.0"),
            (
                "private",
                "10.0.0.0",
                "10.255.255.255",
                "9.255.255.255",
                "11.0.0.0",
            ),
            (
                "shared",
                "100.64.0.0",
                "100.127.255.255",
                "100.63.255.255",
                "100.128.0.0",
            ),
            (
                "loopback",
                "127.0.0.0",
                "127.255.255.255",
                "126.255.255.255",
                "128.0.0.0",
            ),
            (
                "metadata",
                "168.63.129.16",
                "168.63.129.16",
                "168.63.129.15",
                "168.63.129.17",
            ),
            (
                "link-local",
                "169.254.0.0",
                "169.254.255.255",
                "169.253.255.255",
                "169.255.0.0",
            ),
            (
                "private",
                "172.16.0.0",
                "172.31.255.255",
                "172.15.255.255",
                "172.32.0.0",
            ),
            (
                "protocol assignments",
                "192.0.0.0",
                "192.0.0.255",
                "191.255.255.255",
                "192.0.1.0",
            ),
            (
                "documentation",
                "192.0.2.0",
                "192.0.2.255",
                "192.0.1.255",
                "192.0.3.0",
            ),
            (
                "AS112",
                "192.31.196.0",
                "192.31.196.255",
                "192.31.195.255",
                "192.31.197.0",
            ),
            (
                "multicast tunnelling",
                "192.52.193.0",
                "192.52.193.255",
                "192.52.192.255",
                "192.52.194.0",
            ),
            (
                "6to4 relays",
                "192.88.99.0",
                "192.88.99.255",
                "192.88.98.255",
                "192.88.100.0",
            ),
            (
                "private",
                "192.168.0.0",
                "192.168.255.255",
                "192.167.255.255",
                "192.169.0.0",
            ),
            (
                "AS112",
                "192.175.48.0",
                "192.175.48.255",
                "192.175.47.255",
                "192.175.49.0",
            ),
            (
                "benchmarking",
                "198.18.0.0",
                "198.19.255.255",
                "198.17.255.255",
                "198.20.0.0",
            ),
            (
                "documentation",
                "198.51.100.0",
                "198.51.100.255",
                "198.51.99.255",
                "198.51.101.0",
            ),
            (
                "documentation",
                "203.0.113.0",
                "203.0.113.255",
                "203.0.112.255",
                "203.0.114.0",
            ),
            (
                "multicast",
                "224.0.0.0",
                "239.255.255.255",
                "223.255.255.255",
                "",
            ),
            ("reserved", "240.0.0.0", "255.255.255.254", "", ""),
            ("broadcast", "255.255.255.255", "255.255.255.255", "", ""),
            ("unspecified", "::", "::", "", ""),
            ("loopback", "::1", "::1", "", ""),
            ("IPv4-compatible", "::2", "::ffff:ffff", "", ""),
            ("NAT64", "64:ff9b::", "64:ff9b::ffff:ffff", "", ""),
            (
                "local NAT64",
                "64:ff9b:1::",
                "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
                "",
                "",
            ),
            ("discard", "100::", "100::ffff:ffff:ffff:ffff", "", ""),
            (
                "not global",
                "200::",
                "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "",
                "2000::",
            ),
            (
                "Teredo",
                "2001::",
                "2001:0:ffff:ffff:ffff:ffff:ffff:ffff",
                "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "",
            ),
            (
                "protocol assignments",
                "2001:1::",
                "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
                "",
                "2001:200::",
            ),
            (
                "documentation",
                "2001:db8::",
                "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
                "2001:db7:ffff::",
                "2001:db9::",
            ),
            (
                "6to4",
                "2002::",
                "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "2001:ffff::",
                "2003::",
            ),
            (
                "AS112",
                "2620:4f:8000::",
                "2620:4f:8000:ffff:ffff:ffff:ffff:ffff",
                "2620:4f:7fff::",
                "2620:4f:8001::",
            ),
            (
                "documentation",
                "3fff::",
                "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
                "3ffe:ffff::",
                "3fff:1000::",
            ),
            (
                "not global",
                "4000::",
                "5eff:ffff::",
                "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "",
            ),
            (
                "segment routing",
                "5f00::",
                "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "",
                "",
            ),
            (
                "not global",
                "6000::",
                "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "",
                "",
            ),
            (
                "unique local",
                "fc00::",
                "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "",
                "",
            ),
            ("not global", "fe00::", "fe7f:ffff::", "", ""),
            (
                "link-local",
                "fe80::",
                "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "",
                "",
            ),
            (
                "site-local",
                "fec0::",
                "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "",
                "",
            ),
            (
                "multicast",
                "ff00::",
                "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "",
                "",
            ),
        ];

        #[test]
        fn a_special_range_is_closed_from_first_to_last_address() {
            for (purpose, first, last, before, after) in RANGES {
                for inside in [first, last] {
                    match verdict(inside, 443) {
                        Err(Refused::Address {
                            purpose: stated, ..
                        }) => {
                            assert!(
                                stated.contains(purpose),
                                "{inside} is {stated}, not {purpose}"
                            );
                        }
                        other => {
                            panic!(
                                "{inside} ({purpose}) must be refused for its address, not {other:?}"
                            )
                        }
                    }
                }
                for outside in [before, after]
                    .into_iter()
                    .filter(|address| !address.is_empty())
                {
                    assert_eq!(verdict(outside, 443), Ok(()), "{outside} is public");
                }
            }
        }
    }
}
