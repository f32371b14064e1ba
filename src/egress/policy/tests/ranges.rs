//! The special ranges of the IANA registries, each with its ends and their neighbours.

use super::{Refused, verdict};

/// Range, first, last, and the public neighbours before and after it ("" where the neighbour is
/// special too).
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
fn every_special_range_is_closed_from_its_first_to_its_last_address_and_no_further() {
    for (what, first, last, before, after) in RANGES {
        for inside in [first, last] {
            match verdict(inside, 443) {
                Err(Refused::Address { what: said, .. }) => {
                    assert!(said.contains(what), "{inside} is {said}, not {what}");
                }
                other => panic!("{inside} ({what}) must be refused for its address, not {other:?}"),
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
