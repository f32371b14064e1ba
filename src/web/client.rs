//! The client's address, also behind trusted proxies (`X-Forwarded-For`); limits count by it.
//!
//! Each proxy appends the address of its peer, so the field is read from the right, and only while the entries come
//! from trusted proxies; the client can write anything to the left. The field has no standard (RFC 7239 §5.2 has its
//! successor's syntax: an address, optionally with a port, or a word for an unknown one).

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use ipnet::IpNet;
use poem::http::{HeaderName, HeaderValue};
use poem::{Addr, FromRequest, Request, RequestBody};

use super::context::Ctx;
use crate::compute::network;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// `None` if it is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(pub Option<IpAddr>);

impl ClientAddress {
    /// By the trusted proxies of the context in `request`.
    pub fn of(request: &Request) -> Self {
        let (Addr::SocketAddr(peer), Some(ctx)) =
            (&request.remote_addr().0, request.data::<Arc<Ctx>>())
        else {
            return Self(None);
        };
        let lines = request.headers().get_all(FORWARDED_FOR).iter();
        let lines = lines.map(|line: &HeaderValue| line.to_str().ok());
        Self(Some(source(peer.ip(), lines, &ctx.trusted_proxies)))
    }

    /// The network that counts as one client: the IPv4 address, or the IPv6 network of the first `prefix` bits.
    pub fn network(self, prefix: u32) -> IpAddr {
        network(self.0.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)), prefix)
    }
}

impl<'a> FromRequest<'a> for ClientAddress {
    async fn from_request(request: &'a Request, _: &mut RequestBody) -> poem::Result<Self> {
        Ok(Self::of(request))
    }
}

/// The `peer`, or, if the peer is a trusted proxy, the nearest hop that is not one. An entry that is not an address
/// ends the chain, and the last trusted hop is used. `values` are the field's lines in order; `None` is a line that is
/// not text.
fn source<'v>(
    peer: IpAddr,
    values: impl DoubleEndedIterator<Item = Option<&'v str>>,
    trusted: &[IpNet],
) -> IpAddr {
    let entries = values
        .rev()
        .flat_map(|value| value.unwrap_or("unknown").rsplit(','));
    // Empty list elements are ignored (RFC 9110 §5.6.1).
    let mut entries = entries.map(str::trim).filter(|entry| !entry.is_empty());
    let mut source = peer.to_canonical();
    while trusted.iter().any(|net| net.contains(&source)) {
        match entries.next().map(address) {
            Some(Some(address)) => source = address,
            Some(None) | None => break,
        }
    }
    source
}

/// An address with or without a port, IPv6 with or without brackets.
fn address(entry: &str) -> Option<IpAddr> {
    let bare = entry
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let bracketed = bare.and_then(|bare| bare.parse().ok().map(IpAddr::V6));
    let with_port = || Some(entry.parse::<SocketAddr>().ok()?.ip());
    let address = entry.parse().ok().or(bracketed).or_else(with_port);
    address.map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_is_the_first_untrusted_hop_from_the_right() {
        let trusted = ["10.0.0.0/8", "fd00::/8"].map(|net| net.parse().unwrap());
        for (peer, lines, expected) in [
            // An untrusted peer's field is ignored.
            ("198.51.100.1", &["203.0.113.1"][..], "198.51.100.1"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("::ffff:10.0.0.1", &["198.51.100.9"], "198.51.100.9"),
            ("10.0.0.1", &["203.0.113.3, 198.51.100.9"], "198.51.100.9"),
            (
                "10.0.0.1",
                &["203.0.113.3,198.51.100.9 ,10.0.0.7"],
                "198.51.100.9",
            ),
            // The client's own entry names a trusted proxy.
            ("10.0.0.1", &["10.0.0.9, 198.51.100.9"], "198.51.100.9"),
            // Several lines are one list (RFC 9110 §5.3).
            (
                "10.0.0.1",
                &["203.0.113.3", "198.51.100.9", "10.0.0.7"],
                "198.51.100.9",
            ),
            ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &[" , 198.51.100.9,, "], "198.51.100.9"),
            ("fd00::1", &["2001:db8::1"], "2001:db8::1"),
            // With ports.
            (
                "10.0.0.1",
                &["203.0.113.3, 198.51.100.7:4711"],
                "198.51.100.7",
            ),
            (
                "10.0.0.1",
                &["198.51.100.7, [2001:db8::1]:443"],
                "2001:db8::1",
            ),
            ("10.0.0.1", &["198.51.100.7, [2001:db8::1]"], "2001:db8::1"),
            ("10.0.0.1", &["198.51.100.9, 10.0.0.7:80"], "198.51.100.9"),
            ("10.0.0.1", &["[::ffff:198.51.100.7]:443"], "198.51.100.7"),
        ] {
            let source = source(
                peer.parse().unwrap(),
                lines.iter().map(|line| Some(*line)),
                &trusted,
            );
            assert_eq!(
                source,
                expected.parse::<IpAddr>().unwrap(),
                "{peer} {lines:?}"
            );
        }
    }

    #[test]
    fn an_entry_that_cannot_be_parsed_ends_the_chain() {
        let trusted = ["10.0.0.0/8".parse().unwrap()];
        let bad = [
            "unknown",
            "_hidden",
            "198.51.100",
            "198.51.100.7:",
            "198.51.100.7:99999",
            "2001:db8::1]:443",
            "[198.51.100.7]",
        ];
        for entry in bad.into_iter().chain([
            "fe80::1%eth0",
            "example.com",
            "\"198.51.100.7\"",
            "198.51.100.7 x",
            "0x7f.1",
            "[]",
        ]) {
            let line = format!("203.0.113.3, {entry}");
            assert_eq!(
                source([10, 0, 0, 1].into(), [Some(&*line)].into_iter(), &trusted),
                IpAddr::from([10, 0, 0, 1]),
                "{line}"
            );
            let line = format!("{line}, 10.0.0.7");
            assert_eq!(
                source([10, 0, 0, 1].into(), [Some(&*line)].into_iter(), &trusted),
                IpAddr::from([10, 0, 0, 7]),
                "{line}"
            );
        }
        let lines = [Some("203.0.113.3"), None, Some("10.0.0.7")];
        assert_eq!(
            source([10, 0, 0, 1].into(), lines.into_iter(), &trusted),
            IpAddr::from([10, 0, 0, 7]),
            "no text"
        );
    }
}
