//! Validates and normalizes callback URLs, and decides which addresses may be connected to.
//!
//! Pure, because the hub must not resolve names before it answers (W3C WebSub §5.1.2): literal addresses and ports are
//! checked here, names when they are connected to. A callback is stored and used byte for byte (§5.1), so a spelling
//! that a URL parser (WHATWG URL) would change is rejected.
//!
//! Only public unicast addresses are permitted, on port 443 or from 1024 up.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;
use thiserror::Error;
use url::{Host, Position, Url};

use crate::config::bounds::{CALLBACK_BYTES_MAX, HOST_BYTES_MAX, HOST_LABEL_BYTES_MAX};
use crate::links::{is_special, normal};

const HTTPS_PORT: u16 = 443;
/// Ports below this belong to mail, name and file services, which a request could confuse.
const UNPRIVILEGED_PORT_MIN: u16 = 1024;
const NO_HOST: &str = "its host is missing; give the host of your receiver";

/// The public Internet plus the nets that the operator allows.
#[derive(Debug, Default)]
pub struct Policy {
    /// On any port.
    pub allowed: Vec<IpNet>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refused {
    #[error("the address {address} is not public")]
    Address {
        /// The address to connect to; an IPv4 address if the callback has it as mapped IPv6.
        address: IpAddr,
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
        if is_special(address) {
            return Err(Refused::Address { address });
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

/// A callback that passed every check that needs no lookup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callback {
    pub text: String,
    pub(super) url: Url,
    /// In lower case, by which limits count: a name, or an address without brackets.
    pub host: String,
    /// The addresses that are known without a lookup; `None` if the host is a name to be resolved.
    pub(super) known_addresses: Option<Vec<IpAddr>>,
    pub(super) port: u16,
}

impl Callback {
    /// Validates `text`.
    ///
    /// # Errors
    /// Every reason why it may not be stored, and what to write instead.
    pub fn parse(text: &str, policy: &Policy) -> Result<Self, Vec<String>> {
        if text.len() > CALLBACK_BYTES_MAX {
            let bytes = text.len();
            return Err(vec![format!(
                "it has {bytes} bytes, of at most {CALLBACK_BYTES_MAX}; shorten it"
            )]);
        }
        let mut faults = Vec::new();
        let callback = Self::look_at(text, &mut faults);
        if let Some(callback) = &callback {
            faults.extend(callback.refusals(policy));
        }
        callback.filter(|_| faults.is_empty()).ok_or(faults)
    }

    /// Rejects a URL that parsers interpret differently.
    pub(super) fn read(text: &str) -> Result<Self, Vec<String>> {
        let mut faults = Vec::new();
        let callback = Self::look_at(text, &mut faults);
        callback.filter(|_| faults.is_empty()).ok_or(faults)
    }

    /// Adds what is wrong with a URL, and returns what it would be without that, as far as it can be read.
    fn look_at(text: &str, faults: &mut Vec<String>) -> Option<Self> {
        // A URL parser would replace or silently drop these.
        let is_unclear = |c: char| c.is_control() || c.is_whitespace() || c == '\\';
        if let Some(character) = text.chars().find(|c| is_unclear(*c)) {
            faults.push(format!(
                "it has the character {character:?}, which a URL cannot have; remove it, or percent-encode it in the path or query"
            ));
        }
        let clear = text.replace(is_unclear, "");
        let (whole, fragment) = clear.split_once('#').unzip();
        if fragment.is_some() {
            faults.push("it has a fragment; leave out the `#` and what follows it".into());
        }
        let whole = whole.unwrap_or(&clear);
        let (scheme, rest) = whole.split_once("://").unwrap_or(("", whole));
        if !scheme.eq_ignore_ascii_case("https") {
            faults.push(
                "it is not an https URL; callbacks are called by HTTPS only, so begin it with https://"
                    .into(),
            );
        }
        let (authority, raw_target) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let (user, authority) = authority
            .rsplit_once('@')
            .map_or((None, authority), |(user, host)| (Some(user), host));
        if user.is_some() {
            faults
                .push("it has a user name or password; leave out everything up to the `@`".into());
        }
        if authority.is_empty() {
            faults.push(NO_HOST.into());
            return None;
        }
        let url = match Url::parse(&format!("https://{authority}{raw_target}")) {
            Ok(url) => url,
            Err(error) => {
                faults.push(format!(
                    "its host or port cannot be read ({error}); correct it"
                ));
                return None;
            }
        };
        let host = host(&url);
        // In a query, the URL standard encodes an apostrophe, which RFC 3986 allows; both mean the same.
        let [target, given] =
            [&url[Position::BeforePath..], raw_target].map(|target| target.replace("%27", "'"));
        if target != given && target.strip_prefix('/') != Some(&given) {
            faults.push(format!("it would be called as `{url}`; use that"));
        }
        let (host, known_addresses) = host.map_err(|fault| faults.push(fault)).ok()?;
        let port = url.port_or_known_default().unwrap_or(HTTPS_PORT);
        Some(Self {
            text: text.to_owned(),
            url,
            host,
            known_addresses,
            port,
        })
    }

    /// Why it may not be called, as far as that is known without a lookup, and what to do.
    fn refusals(&self, policy: &Policy) -> Vec<String> {
        let permitted = match &self.known_addresses {
            None => policy.permits_port(self.port),
            Some(known) => permitted(known, self.port, policy).map(drop),
        };
        let port = Refused::Port { port: self.port };
        match permitted {
            Ok(()) => Vec::new(),
            Err(Refused::Port { .. }) => vec![port.to_string()],
            Err(refused @ Refused::Address { address }) => {
                let advice = format!(
                    "{refused}; use a public one, or let the operator of this hub allow it with \
                     REVIEWS_HUB_ALLOW_CALLBACK_NETS={}",
                    IpNet::from(address)
                );
                // A public address would be refused for the port.
                let port = (!is_open(self.port)).then(|| port.to_string());
                [advice].into_iter().chain(port).collect()
            }
        }
    }

    /// Equal for all spellings of this callback, and different from every other callback's.
    pub fn key(&self) -> String {
        normal(self.url.as_str()).into_owned()
    }

    /// Whether its address is certainly in a network that the operator allows. False for a name, because only a lookup
    /// returns its addresses.
    pub fn is_allowed_besides(&self, policy: &Policy) -> bool {
        let mut addresses = self.known_addresses.iter().flatten();
        addresses.any(|address| policy.is_allowed_besides(*address))
    }
}

/// Appends parameters to a callback's own, which stay byte for byte (W3C WebSub §5.3).
pub fn with_parameters(callback: &str, parameters: &[(&str, &str)]) -> String {
    let mut url = callback.to_owned();
    match url.split_once('?') {
        None => url.push('?'),
        Some((_, "")) => {}
        Some((_, query)) if query.ends_with('&') => {}
        Some(_) => url.push('&'),
    }
    let start = url.len();
    url::form_urlencoded::Serializer::for_suffix(url, start)
        .extend_pairs(parameters)
        .finish()
}

/// This machine's permitted addresses: the operator may allow only one of the loopback networks.
pub(super) fn permitted(
    known: &[IpAddr],
    port: u16,
    policy: &Policy,
) -> Result<Vec<IpAddr>, Refused> {
    let (mut permitted, mut refused) = (Vec::with_capacity(known.len()), None);
    for address in known {
        match policy.permits(*address, port) {
            Ok(()) => permitted.push(*address),
            Err(reason) => {
                refused.get_or_insert(reason);
            }
        }
    }
    match refused {
        Some(reason) if permitted.is_empty() => Err(reason),
        Some(_) | None => Ok(permitted),
    }
}

/// The host of a target, and its addresses unless they need a lookup.
fn host(url: &Url) -> Result<(String, Option<Vec<IpAddr>>), String> {
    let literal = |address: IpAddr| Ok((address.to_string(), Some(vec![address.to_canonical()])));
    let name = match url.host() {
        Some(Host::Ipv4(address)) => return literal(address.into()),
        Some(Host::Ipv6(address)) => return literal(address.into()),
        Some(Host::Domain(name)) => name,
        None => return Err(NO_HOST.into()),
    };
    if name.ends_with('.') {
        return Err("its host ends with a dot; leave the dot out".into());
    }
    let is_label = |label: &str| {
        (1..=HOST_LABEL_BYTES_MAX).contains(&label.len())
            && label.bytes().all(|byte| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_')
            })
    };
    if name.len() > HOST_BYTES_MAX || !name.split('.').all(is_label) {
        return Err("its host is no name that can exist; give the host of your receiver".into());
    }
    // This machine, regardless of the resolver (RFC 6761 §6.3).
    let is_local = name == "localhost" || name.ends_with(".localhost");
    let addresses = is_local.then(|| vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
    Ok((name.to_owned(), addresses))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Callback, String> {
        Callback::parse(text, &Policy::default()).map_err(|faults| faults.join("; "))
    }

    #[test]
    fn allowed_networks_include_literal_addresses_and_localhost() {
        let policy = Policy {
            allowed: vec!["127.0.0.0/8".parse().unwrap()],
        };
        for text in [
            "https://127.0.0.1:80/cb",
            "https://localhost/cb",
            "https://a.localhost:81/cb",
            "https://[::ffff:127.9.9.9]/",
            "https://0x7f.1:9/",
        ] {
            let callback = Callback::parse(text, &policy)
                .unwrap_or_else(|faults| panic!("{text}: {faults:?}"));
            assert!(callback.is_allowed_besides(&policy), "{text}");
        }
        for text in [
            "https://[::1]/cb",
            "https://10.0.0.1/cb",
            "https://8.8.8.8:80/cb",
        ] {
            assert!(Callback::parse(text, &policy).is_err(), "{text}");
        }
        let name = Callback::parse("https://receiver.example:81/cb", &policy).unwrap();
        assert!(
            !name.is_allowed_besides(&policy),
            "a name is judged when it is dialled"
        );
    }

    #[test]
    fn rule_18_equivalent_urls_have_the_same_key() {
        let same = [
            ("https://example.com/~a", "https://example.com/%7Ea"),
            ("https://example.com/cb", "https://example.com/%63%62"),
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
    fn rule_19_parameters_are_appended_without_other_changes() {
        for (text, kept) in [
            ("https://example.com/cb", "https://example.com/cb?"),
            ("https://example.com", "https://example.com?"),
            ("https://example.com/cb?", "https://example.com/cb?"),
            (
                "https://example.com/cb?k=%7E+~",
                "https://example.com/cb?k=%7E+~&",
            ),
            ("https://example.com/cb?k&", "https://example.com/cb?k&"),
            (
                "https://example.com/cb?hub.mode=x",
                "https://example.com/cb?hub.mode=x&",
            ),
        ] {
            let added = [("hub.mode", "a b"), ("hub.topic", "https://x/~y")];
            assert_eq!(
                with_parameters(&parse(text).unwrap().text, &added),
                format!("{kept}hub.mode=a+b&hub.topic=https%3A%2F%2Fx%2F%7Ey")
            );
        }
    }

    fn verdict(address: &str, port: u16) -> Result<(), Refused> {
        Policy::default().permits(address.parse().unwrap(), port)
    }

    #[test]
    fn public_addresses_are_open_on_443_and_from_1024_up() {
        for port in [
            443, 1024, 8443, 65_535, 0, 1, 22, 25, 53, 80, 442, 444, 465, 587, 993, 1023,
        ] {
            let is_open = port == 443 || port >= 1024;
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

    mod ranges {
        use super::{Refused, verdict};

        /// Range, first, last, and the public neighbours before and after it (`-` if the neighbour is special too).
        const RANGES: &str = "
            this network, 0.0.0.0, 0.255.255.255, -, 1.0.0.0
            private, 10.0.0.0, 10.255.255.255, 9.255.255.255, 11.0.0.0
            shared, 100.64.0.0, 100.127.255.255, 100.63.255.255, 100.128.0.0
            loopback, 127.0.0.0, 127.255.255.255, 126.255.255.255, 128.0.0.0
            metadata, 168.63.129.16, 168.63.129.16, 168.63.129.15, 168.63.129.17
            link-local, 169.254.0.0, 169.254.255.255, 169.253.255.255, 169.255.0.0
            private, 172.16.0.0, 172.31.255.255, 172.15.255.255, 172.32.0.0
            protocol assignments, 192.0.0.0, 192.0.0.255, 191.255.255.255, 192.0.1.0
            documentation, 192.0.2.0, 192.0.2.255, 192.0.1.255, 192.0.3.0
            AS112, 192.31.196.0, 192.31.196.255, 192.31.195.255, 192.31.197.0
            multicast tunnelling, 192.52.193.0, 192.52.193.255, 192.52.192.255, 192.52.194.0
            6to4 relays, 192.88.99.0, 192.88.99.255, 192.88.98.255, 192.88.100.0
            private, 192.168.0.0, 192.168.255.255, 192.167.255.255, 192.169.0.0
            AS112, 192.175.48.0, 192.175.48.255, 192.175.47.255, 192.175.49.0
            benchmarking, 198.18.0.0, 198.19.255.255, 198.17.255.255, 198.20.0.0
            documentation, 198.51.100.0, 198.51.100.255, 198.51.99.255, 198.51.101.0
            documentation, 203.0.113.0, 203.0.113.255, 203.0.112.255, 203.0.114.0
            multicast, 224.0.0.0, 239.255.255.255, 223.255.255.255, -
            reserved, 240.0.0.0, 255.255.255.254, -, -
            broadcast, 255.255.255.255, 255.255.255.255, -, -
            unspecified, ::, ::, -, -
            loopback, ::1, ::1, -, -
            IPv4-compatible, ::2, ::ffff:ffff, -, -
            NAT64, 64:ff9b::, 64:ff9b::ffff:ffff, -, -
            local NAT64, 64:ff9b:1::, 64:ff9b:1:ffff:ffff:ffff:ffff:ffff, -, -
            discard, 100::, 100::ffff:ffff:ffff:ffff, -, -
            not global, 200::, 1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, -, 2000::
            Teredo, 2001::, 2001:0:ffff:ffff:ffff:ffff:ffff:ffff, 2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff, -
            protocol assignments, 2001:1::, 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff, -, 2001:200::
            documentation, 2001:db8::, 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff, 2001:db7:ffff::, 2001:db9::
            6to4, 2002::, 2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff, 2001:ffff::, 2003::
            AS112, 2620:4f:8000::, 2620:4f:8000:ffff:ffff:ffff:ffff:ffff, 2620:4f:7fff::, 2620:4f:8001::
            documentation, 3fff::, 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff, 3ffe:ffff::, 3fff:1000::
            not global, 4000::, 5eff:ffff::, 3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, -
            segment routing, 5f00::, 5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff, -, -
            not global, 6000::, fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, -, -
            unique local, fc00::, fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, -, -
            not global, fe00::, fe7f:ffff::, -, -
            link-local, fe80::, febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff, -, -
            site-local, fec0::, feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, -, -
            multicast, ff00::, ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, -, -
        ";

        #[test]
        fn a_special_range_is_closed_from_first_to_last_address() {
            for row in RANGES.trim().lines() {
                let row: Vec<&str> = row.trim().split(", ").collect();
                let [purpose, first, last, before, after] = row[..] else {
                    panic!("{row:?}")
                };
                for inside in [first, last] {
                    let refused = verdict(inside, 443);
                    let is_closed = matches!(refused, Err(Refused::Address { .. }));
                    assert!(is_closed, "{inside} ({purpose}): {refused:?}");
                }
                for outside in [before, after]
                    .into_iter()
                    .filter(|address| *address != "-")
                {
                    assert_eq!(verdict(outside, 443), Ok(()), "{outside} is public");
                }
            }
        }
    }
}
