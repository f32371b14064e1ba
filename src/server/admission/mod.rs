//! Who gets a connection where there are not enough for all. Pure: peers and what their connections
//! do go in, a decision comes out; sockets and time are not known here, so that every case is a row
//! of a table.
//!
//! No peer may take more than its cap, and the last quarter of all places is for peers that hold
//! few. A peer is an IPv4 address or an IPv6 /64; the /48 above it, which one customer may have
//! whole, has a cap of its own. Loopback and trusted proxies are exempt: behind them stands
//! everybody. Before anybody is turned away, a connection that has not spoken yields, then one that
//! rests between two requests, which may be closed at any time (RFC 9112 §9.5); the greatest peer's
//! first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv6Addr};

use ipnet::IpNet;

/// A /48 may hold this many times what one peer may.
const SITE_FACTOR: usize = 4;
/// This share of all places, once nothing else is left, is for peers that hold few: one in so many.
const RESERVE_SHARE: usize = 4;
/// How many connections are few.
const FEW: usize = 4;

/// Whom a connection counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Peer {
    /// Loopback, or a proxy that stands for others.
    Exempt,
    /// The IPv4 address or IPv6 /64, and the /48 above the latter.
    Counted { own: IpAddr, site: Option<IpAddr> },
}

impl Peer {
    pub(super) fn of(address: IpAddr, exempt: &[IpNet]) -> Self {
        let address = address.to_canonical();
        if exempt.iter().any(|net| net.contains(&address)) {
            return Self::Exempt;
        }
        match address {
            IpAddr::V4(_) => Self::Counted {
                own: address,
                site: None,
            },
            IpAddr::V6(address) => Self::Counted {
                own: prefix(address, 64),
                site: Some(prefix(address, 48)),
            },
        }
    }

    const fn own(self) -> Option<IpAddr> {
        match self {
            Self::Exempt => None,
            Self::Counted { own, site: _ } => Some(own),
        }
    }

    const fn site(self) -> Option<IpAddr> {
        match self {
            Self::Exempt => None,
            Self::Counted { own: _, site } => site,
        }
    }
}

fn prefix(address: Ipv6Addr, bits: u32) -> IpAddr {
    IpAddr::V6(Ipv6Addr::from_bits(
        address.to_bits() & (u128::MAX << (128 - bits)),
    ))
}

/// What a connection does, those first that yield first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Standing {
    /// Not a byte has come.
    Silent,
    /// It is between two requests.
    Resting,
    /// It sends a request, or takes an answer.
    Busy,
    /// It was asked to go, and has not gone yet.
    Leaving,
    /// The connection has ended; its place is free.
    Gone,
}

/// Why somebody is turned away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Crowd {
    /// The peer has as many as it may.
    Peer,
    /// All places are taken.
    All,
}

#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    Admit,
    /// There is a place once this connection has gone.
    InPlaceOf(u64),
    Refuse(Crowd),
}

/// All connections, by the order in which they came.
pub(super) struct Admission<C> {
    connections_max: usize,
    per_peer_max: usize,
    held: BTreeMap<u64, (Peer, C)>,
    next: u64,
}

/// Who may have to yield.
#[derive(Clone, Copy)]
enum Scope {
    Own,
    Site,
    Anybody,
}

impl<C> Admission<C> {
    pub(super) const fn new(connections_max: usize, per_peer_max: usize) -> Self {
        Self {
            connections_max,
            per_peer_max,
            held: BTreeMap::new(),
            next: 0,
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

    /// Holds a connection that was let in.
    pub(super) fn hold(&mut self, peer: Peer, connection: C) {
        self.held.insert(self.next, (peer, connection));
        self.next += 1;
    }

    pub(super) fn get(&self, number: u64) -> Option<&C> {
        self.held.get(&number).map(|(_, connection)| connection)
    }

    /// Whether a connection of `peer` is let in. Takes one look at each connection that there is.
    pub(super) fn decide(&mut self, peer: Peer, standing: impl Fn(&C) -> Standing) -> Decision {
        self.held
            .retain(|_, (_, connection)| standing(connection) != Standing::Gone);
        let (mut all, mut own, mut site) = (0, HashMap::<IpAddr, usize>::new(), 0);
        for (its, _) in self
            .held
            .values()
            .filter(|(_, connection)| standing(connection) != Standing::Leaving)
        {
            all += 1;
            if let Some(net) = its.own() {
                *own.entry(net).or_default() += 1;
            }
            site += usize::from(peer.site().is_some() && its.site() == peer.site());
        }
        let count = |peer: Peer| {
            peer.own()
                .and_then(|net| own.get(&net))
                .copied()
                .unwrap_or(0)
        };
        let reserve_from = self.connections_max - self.connections_max / RESERVE_SHARE;
        let (scope, crowd) = match peer {
            Peer::Exempt if all < self.connections_max => return Decision::Admit,
            Peer::Exempt => (Scope::Anybody, Crowd::All),
            // However the setting stands, no peer gets at the reserve by itself.
            Peer::Counted { .. } if count(peer) >= self.per_peer_max.min(reserve_from) => {
                (Scope::Own, Crowd::Peer)
            }
            Peer::Counted { .. } if site >= (self.per_peer_max * SITE_FACTOR).min(reserve_from) => {
                (Scope::Site, Crowd::Peer)
            }
            Peer::Counted { .. } if all >= self.connections_max => (Scope::Anybody, Crowd::All),
            Peer::Counted { .. } if all >= reserve_from && count(peer) >= FEW => {
                (Scope::Anybody, Crowd::Peer)
            }
            Peer::Counted { .. } => return Decision::Admit,
        };
        let yielding = self.held.iter().filter_map(|(number, (its, connection))| {
            let is_within = match scope {
                Scope::Own => its.own() == peer.own(),
                Scope::Site => its.site() == peer.site(),
                Scope::Anybody => true,
            };
            let standing = standing(connection);
            // Nobody makes room for a peer that holds more than itself.
            let may_yield =
                standing <= Standing::Resting && is_within && count(*its) >= count(peer);
            may_yield.then_some((standing, Reverse(count(*its)), *number))
        });
        yielding
            .min()
            .map_or(Decision::Refuse(crowd), |(_, _, number)| {
                Decision::InPlaceOf(number)
            })
    }
}

#[cfg(test)]
mod tests;
