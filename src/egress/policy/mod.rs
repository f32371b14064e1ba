//! Which addresses may be dialled. Pure: an address and a port in, a verdict out, so that every
//! range is a row of a table.
//!
//! Only public unicast addresses are, on port 443 or from 1024 up. What is special is what the IANA
//! registries of IPv4 and IPv6 special-purpose addresses list (RFC 6890 and its updates), anycast
//! services and metadata services of clouds included, and every form of IPv6 that hides an IPv4
//! address, for whoever translates it may stand inside our network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;
use thiserror::Error;

/// The port of HTTPS.
const HTTPS_PORT: u16 = 443;
/// From here up ports are nobody's: below live mail, name and file services, which a request could
/// confuse.
const UNPRIVILEGED_PORT_MIN: u16 = 1024;

/// Where requests may go: the public Internet, and what the operator has opened besides.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    allowed: Vec<IpNet>,
}

/// Why nothing was dialled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refused {
    /// The address is not public.
    #[error("the address {address} is not public ({what})")]
    Address {
        /// As it would have been dialled; IPv4 where it was written as IPv6.
        address: IpAddr,
        /// What that range is for.
        what: &'static str,
    },
    /// The port is another service's.
    #[error("port {port} is not open to callbacks; use 443, or one from 1024 up")]
    Port {
        /// The port that callbacks may not name.
        port: u16,
    },
}

impl Policy {
    /// The public Internet, and these nets on any port.
    #[must_use]
    pub const fn new(allowed: Vec<IpNet>) -> Self {
        Self { allowed }
    }

    /// Whether `address` may be dialled on `port`.
    ///
    /// # Errors
    /// What speaks against it.
    pub fn permits(&self, address: IpAddr, port: u16) -> Result<(), Refused> {
        if self.is_allowed_besides(address) {
            return Ok(());
        }
        let address = address.to_canonical();
        if let Some(what) = special_use(address) {
            return Err(Refused::Address { address, what });
        }
        if is_open(port) {
            Ok(())
        } else {
            Err(Refused::Port { port })
        }
    }

    /// Whether any address may be dialled on `port`: all that can be said of a name before it is
    /// resolved.
    ///
    /// # Errors
    /// Where the port is closed, and no net is opened in which it would not be.
    pub const fn permits_port(&self, port: u16) -> Result<(), Refused> {
        if is_open(port) || !self.allowed.is_empty() {
            Ok(())
        } else {
            Err(Refused::Port { port })
        }
    }

    /// Whether `address` lies in a net that the operator has opened: such addresses are free of
    /// limits per host.
    #[must_use]
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

/// What an address is for, where it is not an ordinary public one.
fn special_use(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => special_use_v4(address),
        IpAddr::V6(address) => special_use_v6(address),
    }
}

fn special_use_v4(address: Ipv4Addr) -> Option<&'static str> {
    let bits = address.to_bits();
    let row = SPECIAL_V4.iter().find(|(net, prefix, _)| {
        let [a, b, c, d] = *net;
        (bits ^ Ipv4Addr::new(a, b, c, d).to_bits()).leading_zeros() >= *prefix
    });
    row.map(|(_, _, what)| *what)
}

fn special_use_v6(address: Ipv6Addr) -> Option<&'static str> {
    let bits = address.to_bits();
    let within = |net: Ipv6Addr, prefix: u32| (bits ^ net.to_bits()).leading_zeros() >= prefix;
    let row = SPECIAL_V6
        .iter()
        .find(|(net, prefix, _)| within(Ipv6Addr::from_bits(*net), *prefix));
    match row {
        Some((_, _, what)) => Some(*what),
        // RFC 4291 §2.4: all global unicast that was ever handed out lies in 2000::/3.
        None if within(GLOBAL_UNICAST, 3) => None,
        None => Some("not global unicast"),
    }
}

const GLOBAL_UNICAST: Ipv6Addr = Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0);

/// Net, prefix length, what it is for.
const SPECIAL_V4: [([u8; 4], u32, &str); 20] = [
    ([0, 0, 0, 0], 8, "this network, RFC 791"),
    ([10, 0, 0, 0], 8, "private use, RFC 1918"),
    ([100, 64, 0, 0], 10, "shared address space, RFC 6598"),
    ([127, 0, 0, 0], 8, "loopback, RFC 1122"),
    ([168, 63, 129, 16], 32, "a cloud's metadata service"),
    (
        [169, 254, 0, 0],
        16,
        "link-local and metadata services, RFC 3927",
    ),
    ([172, 16, 0, 0], 12, "private use, RFC 1918"),
    ([192, 0, 0, 0], 24, "IETF protocol assignments, RFC 6890"),
    ([192, 0, 2, 0], 24, "documentation, RFC 5737"),
    ([192, 31, 196, 0], 24, "AS112 service, RFC 7535"),
    ([192, 52, 193, 0], 24, "multicast tunnelling, RFC 7450"),
    ([192, 88, 99, 0], 24, "6to4 relays, RFC 7526"),
    ([192, 168, 0, 0], 16, "private use, RFC 1918"),
    ([192, 175, 48, 0], 24, "AS112 service, RFC 7534"),
    ([198, 18, 0, 0], 15, "benchmarking, RFC 2544"),
    ([198, 51, 100, 0], 24, "documentation, RFC 5737"),
    ([203, 0, 113, 0], 24, "documentation, RFC 5737"),
    ([224, 0, 0, 0], 4, "multicast, RFC 5771"),
    ([255, 255, 255, 255], 32, "broadcast, RFC 919"),
    ([240, 0, 0, 0], 4, "reserved, RFC 1112"),
];

/// Net, prefix length, what it is for: those within `2000::/3`, and those outside that have a name.
const SPECIAL_V6: [(u128, u32, &str); 18] = [
    (0, 128, "unspecified, RFC 4291"),
    (1, 128, "loopback, RFC 4291"),
    (0xffff << 32, 96, "IPv4-mapped, RFC 4291"),
    (0, 96, "IPv4-compatible, RFC 4291"),
    (0x0064_ff9b << 96, 96, "NAT64, RFC 6052"),
    (0x0064_ff9b_0001 << 80, 48, "local NAT64, RFC 8215"),
    (0x0100 << 112, 64, "discard-only, RFC 6666"),
    (0x2001 << 112, 32, "Teredo, RFC 4380"),
    (0x2001_0db8 << 96, 32, "documentation, RFC 3849"),
    (0x2001 << 112, 23, "IETF protocol assignments, RFC 2928"),
    (0x2002 << 112, 16, "6to4, RFC 3056"),
    (0x2620_004f_8000 << 80, 48, "AS112 service, RFC 7534"),
    (0x3fff << 112, 20, "documentation, RFC 9637"),
    (0x5f00 << 112, 16, "segment routing, RFC 9602"),
    (0xfc00 << 112, 7, "unique local, RFC 4193"),
    (0xfe80 << 112, 10, "link-local, RFC 4291"),
    (0xfec0 << 112, 10, "site-local, RFC 3879"),
    (0xff00 << 112, 8, "multicast, RFC 4291"),
];

#[cfg(test)]
mod tests;
