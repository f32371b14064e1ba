//! The client's address, also behind trusted proxies (`X-Forwarded-For`), and a fair share of compute per address.
//!
//! Each proxy appends the address of its peer, so the field is read from the right, and only while the entries come
//! from trusted proxies; the client can write anything to the left. The field has no standard (RFC 7239 §5.2 has its
//! successor's syntax: an address, optionally with a port, or a word for an unknown one).

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use poem::http::{HeaderName, HeaderValue, StatusCode};
use poem::{Addr, Request, Response};

use super::problem::retry_later;
use crate::compute::{Compute, Crowded, network};
use crate::config::Nets;
use crate::metrics;

/// The `Retry-After` when too many requests wait.
const CROWDED_PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// Stores the client's address in `request`, if it is known.
    pub fn keep(request: &mut Request, trusted: &Nets) {
        if let Addr::SocketAddr(peer) = &request.remote_addr().0 {
            let lines = request
                .headers()
                .get_all(HeaderName::from_static("x-forwarded-for"))
                .iter()
                .map(|line: &HeaderValue| line.to_str().ok());
            let source = Self(source(peer.ip(), lines, trusted));
            request.extensions_mut().insert(source);
        }
    }

    /// `None` if it is unknown.
    #[must_use]
    pub fn of(request: &Request) -> Option<IpAddr> {
        request.data::<Self>().map(|source| source.0)
    }
}

/// Answers `request` with the result of `work`, which runs as soon as the source (IPv6: its /64) gets a slot for
/// computing, or with 503 if too many requests wait.
pub async fn in_turn(
    request: &Request,
    compute: &Compute,
    work: impl Future<Output = Response>,
) -> Response {
    let source = ClientAddress::of(request).unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    // Boxed because the future would be moved several times.
    let answered = compute.turns.run(network(source, 64), Box::pin(work)).await;
    answered.unwrap_or_else(|Crowded| {
        metrics::COMPUTE_REFUSED.count(&[]);
        retry_later(
            StatusCode::SERVICE_UNAVAILABLE,
            "Too many requests are waiting; try again later.",
            CROWDED_PAUSE,
        )
    })
}

/// The `peer`, or, if the peer is a trusted proxy, the nearest hop that is not one. An entry that is not an address
/// ends the chain, and the last trusted hop is used. `values` are the field's lines in order; `None` is a line that is
/// not text.
fn source<'v>(
    peer: IpAddr,
    values: impl DoubleEndedIterator<Item = Option<&'v str>>,
    trusted: &Nets,
) -> IpAddr {
    let entries = values
        .rev()
        .flat_map(|value| value.unwrap_or("unknown").rsplit(','));
    // Empty list elements are ignored (RFC 9110 §5.6.1).
    let mut entries = entries.map(str::trim).filter(|entry| !entry.is_empty());
    let mut source = peer.to_canonical();
    while trusted.0.iter().any(|net| net.contains(&source)) {
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
    let address = entry.parse().ok().or(bracketed).or_else(|| {
        entry
            .parse()
            .ok()
            .map(|with_port: SocketAddr| with_port.ip())
    });
    address.map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_is_read_from_the_right_and_ends_at_the_first_hop_that_is_not_trusted() {
        let trusted: Nets = "10.0.0.0/8,fd00::/8".parse().unwrap();
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
    fn what_cannot_be_parsed_ends_the_chain_and_the_clients_own_entry_never_counts() {
        let trusted: Nets = "10.0.0.0/8".parse().unwrap();
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
