//! Who asks, also through proxies (`X-Forwarded-For` read from the right, as far as it is believed),
//! and computing in the turn of who asks.
//!
//! Each proxy appends the address that it was asked from, so only the part that trusted proxies wrote tells anything; what
//! stands left of it is whatever the client sent. Pure, so that every case is a row of a table. There is no standard for the
//! field (RFC 7239 §5.2 has its successor's syntax: an address, perhaps with a port, or a word for one that is unknown).

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use poem::http::{HeaderName, HeaderValue, StatusCode};
use poem::{Addr, Request, Response};

use super::problem::retry_later;
use crate::compute::{Compute, Crowded};
use crate::config::{Nets, network};
use crate::metrics;

/// When to come back, where too many wait.
const CROWDED_PAUSE: Duration = Duration::from_secs(1);

/// The address that a request counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// Keeps with `request` whom it counts for, where that is known.
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

    /// Whom `request` counts for; `None` where that is not known.
    #[must_use]
    pub fn of(request: &Request) -> Option<IpAddr> {
        request.data::<Self>().map(|source| source.0)
    }
}

/// Answers `request` with what `work` computes, in the turn of its source (IPv6: of its /64); with
/// 503 where too many wait.
pub async fn in_turn(
    request: &Request,
    compute: &Compute,
    work: impl Future<Output = Response>,
) -> Response {
    let source = ClientAddress::of(request).unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    // Boxed, because it would be moved with each step on the way.
    let answered = compute.here(network(source, 64), Box::pin(work)).await;
    answered.unwrap_or_else(|Crowded| {
        metrics::COMPUTE_REFUSED.count(&[]);
        retry_later(
            StatusCode::SERVICE_UNAVAILABLE,
            "Too many requests are waiting; try again later.",
            CROWDED_PAUSE,
        )
    })
}

/// The `peer`, or, where that is a trusted proxy, the nearest hop that is none. An
/// entry that is no address ends the chain, and the last trusted hop stands for all behind it. `values` are the field's
/// lines in their order; `None` is a line that is no text.
fn source<'v>(
    peer: IpAddr,
    values: impl DoubleEndedIterator<Item = Option<&'v str>>,
    trusted: &Nets,
) -> IpAddr {
    let entries = values
        .rev()
        .flat_map(|value| value.unwrap_or("unknown").rsplit(','));
    // Empty elements of a list are none (RFC 9110 §5.6.1).
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

/// An address as proxies write it: with a port or without, IPv6 in brackets or without.
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
            // A stranger may write what it likes.
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
