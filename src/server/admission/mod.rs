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
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
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

    /// Both, where it has them.
    fn nets(self) -> impl Iterator<Item = Net> {
        let own = self.own().map(Net::Own);
        own.into_iter().chain(self.site().map(Net::Site))
    }
}

/// What is counted. The first /64 of a /48 has the same address as that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Net {
    Own(IpAddr),
    Site(IpAddr),
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
    /// Those of each peer and of each site.
    of: HashMap<Net, BTreeSet<u64>>,
    next: u64,
}

/// Who may have to yield.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Own,
    Site,
    Anybody,
}

/// How many were found to be leaving: they count for nobody.
#[derive(Default)]
struct Leaving {
    all: usize,
    of: HashMap<Net, usize>,
}

impl<C> Admission<C> {
    pub(super) fn new(connections_max: usize, per_peer_max: usize) -> Self {
        Self {
            connections_max,
            per_peer_max,
            held: BTreeMap::new(),
            of: HashMap::new(),
            next: 0,
        }
    }

    /// How many there are, and were when they were last looked at.
    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

    /// Holds a connection that was let in.
    pub(super) fn hold(&mut self, peer: Peer, connection: C) {
        for net in peer.nets() {
            self.of.entry(net).or_default().insert(self.next);
        }
        self.held.insert(self.next, (peer, connection));
        self.next += 1;
    }

    pub(super) fn get(&self, number: u64) -> Option<&C> {
        self.held.get(&number).map(|(_, connection)| connection)
    }

    /// Whether a connection of `peer` is let in.
    ///
    /// A flood asks this thousands of times a second. So nothing is looked at while there is room
    /// for all that were held; then those of the peer, or of its site, where these have too many;
    /// and every connection only where places are short.
    pub(super) fn decide(&mut self, peer: Peer, standing: impl Fn(&C) -> Standing) -> Decision {
        let (mut looked_at, mut leaving) = (None, Leaving::default());
        while let Some((scope, crowd)) = self.objection(peer, &leaving) {
            if looked_at == Some(scope) {
                return self
                    .first_to_yield(peer, scope, &leaving, standing)
                    .map_or(Decision::Refuse(crowd), Decision::InPlaceOf);
            }
            leaving = self.look(peer, scope, &standing);
            looked_at = Some(scope);
        }
        Decision::Admit
    }

    /// Why `peer` may not simply come in, and who could make room. Who has gone or is leaving
    /// without having been looked at counts, so it errs on one side: `None` is sure.
    fn objection(&self, peer: Peer, leaving: &Leaving) -> Option<(Scope, Crowd)> {
        let all = self.held.len() - leaving.all;
        let (own, site) = (
            self.count(peer.own().map(Net::Own), leaving),
            self.count(peer.site().map(Net::Site), leaving),
        );
        let reserve_from = self.connections_max - self.connections_max / RESERVE_SHARE;
        match peer {
            Peer::Exempt => (all >= self.connections_max).then_some((Scope::Anybody, Crowd::All)),
            // However the setting stands, no peer gets at the reserve by itself.
            Peer::Counted { .. } if own >= self.per_peer_max.min(reserve_from) => {
                Some((Scope::Own, Crowd::Peer))
            }
            Peer::Counted { .. } if site >= (self.per_peer_max * SITE_FACTOR).min(reserve_from) => {
                Some((Scope::Site, Crowd::Peer))
            }
            Peer::Counted { .. } if all >= self.connections_max => {
                Some((Scope::Anybody, Crowd::All))
            }
            Peer::Counted { .. } if all >= reserve_from && own >= FEW => {
                Some((Scope::Anybody, Crowd::Peer))
            }
            Peer::Counted { .. } => None,
        }
    }

    /// Forgets those that have gone, and counts those that are leaving.
    fn look(&mut self, peer: Peer, scope: Scope, standing: impl Fn(&C) -> Standing) -> Leaving {
        let (mut gone, mut leaving) = (Vec::new(), Leaving::default());
        for (number, its, connection) in self.within(peer, scope) {
            match standing(connection) {
                Standing::Gone => gone.push(number),
                Standing::Leaving => {
                    leaving.all += 1;
                    for net in its.nets() {
                        *leaving.of.entry(net).or_default() += 1;
                    }
                }
                Standing::Silent | Standing::Resting | Standing::Busy => {}
            }
        }
        for number in gone {
            self.forget(number);
        }
        leaving
    }

    fn first_to_yield(
        &self,
        peer: Peer,
        scope: Scope,
        leaving: &Leaving,
        standing: impl Fn(&C) -> Standing,
    ) -> Option<u64> {
        let own = self.count(peer.own().map(Net::Own), leaving);
        let yielding = self
            .within(peer, scope)
            .filter_map(|(number, its, connection)| {
                let standing = standing(connection);
                if standing > Standing::Resting {
                    return None;
                }
                let count = self.count(its.own().map(Net::Own), leaving);
                // Nobody makes room for a peer that holds more than itself.
                (count >= own).then_some((standing, Reverse(count), number))
            });
        yielding.min().map(|(_, _, number)| number)
    }

    fn within(&self, peer: Peer, scope: Scope) -> Box<dyn Iterator<Item = (u64, Peer, &C)> + '_> {
        let net = match scope {
            Scope::Own => peer.own().map(Net::Own),
            Scope::Site => peer.site().map(Net::Site),
            Scope::Anybody => {
                let all = self.held.iter();
                return Box::new(
                    all.map(|(number, (peer, connection))| (*number, *peer, connection)),
                );
            }
        };
        let numbers = net.and_then(|net| self.of.get(&net)).into_iter().flatten();
        Box::new(numbers.filter_map(|number| {
            let (peer, connection) = self.held.get(number)?;
            Some((*number, *peer, connection))
        }))
    }

    /// How many a peer or a site has; 0 for those that are not counted.
    fn count(&self, net: Option<Net>, leaving: &Leaving) -> usize {
        net.map_or(0, |net| {
            let held = self.of.get(&net).map_or(0, BTreeSet::len);
            held - leaving.of.get(&net).copied().unwrap_or(0)
        })
    }

    fn forget(&mut self, number: u64) {
        let Some((peer, _)) = self.held.remove(&number) else {
            return;
        };
        for net in peer.nets() {
            if let Entry::Occupied(mut numbers) = self.of.entry(net) {
                numbers.get_mut().remove(&number);
                if numbers.get().is_empty() {
                    numbers.remove();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
