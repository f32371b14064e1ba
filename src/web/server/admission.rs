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
mod tests {
    use super::*;

    const MAX: usize = 16;
    const CAP: usize = 8;

    fn peer(address: &str) -> Peer {
        Peer::of(
            address.parse().unwrap(),
            &[
                "127.0.0.0/8".parse().unwrap(),
                "10.0.0.0/8".parse().unwrap(),
            ],
        )
    }

    /// A peer, how many connections it has, and what they do.
    type Group = (&'static str, usize, Standing);
    /// What is shown, who is there, who comes, and what is decided.
    type Row = (&'static str, &'static [Group], &'static str, Decision);

    /// Connections of these peers.
    fn held(groups: &[Group]) -> Admission<Standing> {
        let mut admission = Admission::new(MAX, CAP);
        for (address, count, standing) in groups {
            (0..*count).for_each(|_| admission.hold(peer(address), *standing));
        }
        admission
    }

    #[test]
    fn a_peer_is_an_ipv4_address_or_an_ipv6_64_with_its_48_above() {
        let counted = |own: &str, site: Option<&str>| Peer::Counted {
            own: own.parse().unwrap(),
            site: site.map(|site| site.parse().unwrap()),
        };
        for (address, expected) in [
            ("198.51.100.7", counted("198.51.100.7", None)),
            ("::ffff:198.51.100.7", counted("198.51.100.7", None)),
            (
                "2001:db8:1:2:3:4:5:6",
                counted("2001:db8:1:2::", Some("2001:db8:1::")),
            ),
            ("127.0.0.9", Peer::Exempt),
            ("::ffff:10.1.2.3", Peer::Exempt),
        ] {
            assert_eq!(peer(address), expected, "{address}");
        }
    }

    #[test]
    fn places_are_given_by_peer() {
        use Decision::{Admit, InPlaceOf, Refuse};
        use Standing::{Busy, Gone, Leaving, Resting, Silent};
        const A: &str = "198.51.100.1";
        const B: &str = "198.51.100.2";
        const C: &str = "198.51.100.3";
        const PROXY: &str = "10.0.0.1";
        let rows: &[Row] = &[
            ("there is room", &[], A, Admit),
            ("below its cap", &[(A, 3, Busy)], A, Admit),
            (
                "at its cap, all busy: slow readers shut out themselves alone",
                &[(A, 8, Busy)],
                A,
                Refuse(Crowd::Peer),
            ),
            ("and nobody else", &[(A, 8, Busy)], B, Admit),
            (
                "who is silent yields to its own peer, the oldest first",
                &[(A, 2, Busy), (A, 6, Silent)],
                A,
                InPlaceOf(2),
            ),
            (
                "who is silent yields before who rests",
                &[(A, 1, Resting), (A, 7, Silent)],
                A,
                InPlaceOf(1),
            ),
            (
                "who rests yields before anybody is refused",
                &[(A, 7, Busy), (A, 1, Resting)],
                A,
                InPlaceOf(7),
            ),
            (
                "not the silent ones of others",
                &[(B, 1, Silent), (A, 8, Busy)],
                A,
                Refuse(Crowd::Peer),
            ),
            (
                "who has gone or goes is not counted",
                &[(A, 7, Busy), (A, 4, Gone), (A, 4, Leaving)],
                A,
                Admit,
            ),
            // 12 of 16 places are for anybody; the others for who holds fewer than 4.
            (
                "the reserve is for who holds few",
                &[(A, 8, Busy), (B, 4, Busy)],
                C,
                Admit,
            ),
            (
                "not for who holds many",
                &[(A, 8, Busy), (B, 4, Busy)],
                B,
                Refuse(Crowd::Peer),
            ),
            (
                "unless somebody greater is silent",
                &[(A, 8, Silent), (B, 4, Busy)],
                B,
                InPlaceOf(0),
            ),
            (
                "who holds less makes no room for who holds more",
                &[(C, 1, Silent), (A, 7, Busy), (B, 4, Busy)],
                B,
                Refuse(Crowd::Peer),
            ),
            (
                "all taken, all busy",
                &[(A, 8, Busy), (B, 8, Busy)],
                C,
                Refuse(Crowd::All),
            ),
            (
                "all taken: the silent one of the greatest peer yields",
                &[(C, 2, Silent), (A, 6, Busy), (B, 8, Silent)],
                C,
                InPlaceOf(8),
            ),
            (
                "all taken: then one that rests",
                &[(A, 8, Busy), (B, 7, Busy), (B, 1, Resting)],
                C,
                InPlaceOf(15),
            ),
            (
                "a proxy stands for everybody",
                &[(PROXY, 15, Busy)],
                PROXY,
                Admit,
            ),
            (
                "up to all there is",
                &[(PROXY, 16, Busy)],
                PROXY,
                Refuse(Crowd::All),
            ),
            (
                "and may make room for itself",
                &[(PROXY, 15, Busy), (PROXY, 1, Resting)],
                PROXY,
                InPlaceOf(15),
            ),
            (
                "loopback likewise",
                &[("127.0.0.1", 15, Busy)],
                "127.0.0.1",
                Admit,
            ),
        ];
        for (name, groups, newcomer, expected) in rows {
            assert_eq!(
                held(groups).decide(peer(newcomer), |standing| *standing),
                *expected,
                "{name}"
            );
        }
    }

    #[test]
    fn the_networks_of_one_site_share_a_cap() {
        let mut admission = Admission::new(768, 64);
        let mut let_in = 0;
        // A /48 with 65,536 networks, each asking for two.
        for number in 0..1_000 {
            let peer = peer(&format!("2001:db8:1:{:x}::1", number / 2));
            if admission.decide(peer, |standing| *standing) == Decision::Admit {
                admission.hold(peer, Standing::Busy);
                let_in += 1;
            }
        }
        assert_eq!(let_in, 64 * SITE_FACTOR);
        assert_eq!(
            admission.decide(peer("2001:db8:2::1"), |standing| *standing),
            Decision::Admit
        );
    }

    #[test]
    fn no_peer_shuts_out_another_whatever_the_cap_is_set_to() {
        for (connections_max, cap, expected) in
            [(768, 64, 64), (768, 10_000, 576), (1, 64, 1), (4, 4, 3)]
        {
            for standing in [Standing::Busy, Standing::Silent, Standing::Resting] {
                let mut admission = Admission::new(connections_max, cap);
                for _ in 0..2_000 {
                    if admission.decide(peer("198.51.100.1"), |standing| *standing)
                        == Decision::Admit
                    {
                        admission.hold(peer("198.51.100.1"), standing);
                    }
                }
                assert_eq!(
                    admission.len(),
                    expected,
                    "{connections_max}, {cap}: {standing:?}"
                );
                let honest = admission.decide(peer("198.51.100.2"), |standing| *standing);
                let is_let_in = honest == Decision::Admit || standing != Standing::Busy;
                assert!(
                    is_let_in || connections_max == 1,
                    "{connections_max}, {cap}, {standing:?}: {honest:?}"
                );
            }
        }
    }

    #[test]
    fn a_flood_is_decided_upon_without_a_look_at_everybody() {
        use std::cell::Cell;
        const FLOOD: &str = "198.51.100.1";
        let mut admission = Admission::new(2_048, 64);
        let looks = Cell::new(0);
        let look = |standing: &Standing| {
            looks.set(looks.get() + 1);
            *standing
        };
        for number in 0..1_000 {
            let honest = peer(&format!("203.0.{}.{}", number / 250, number % 250));
            assert_eq!(admission.decide(honest, look), Decision::Admit);
            admission.hold(honest, Standing::Resting);
        }
        for _ in 0..64 {
            assert_eq!(admission.decide(peer(FLOOD), look), Decision::Admit);
            admission.hold(peer(FLOOD), Standing::Silent);
        }
        assert_eq!(looks.get(), 0, "there is room");
        assert_eq!(
            admission.decide(peer(FLOOD), look),
            Decision::InPlaceOf(1_000)
        );
        assert!(looks.get() <= 2 * 64, "{}", looks.get());
    }

    #[test]
    fn who_has_gone_or_leaves_takes_no_place_though_it_was_not_looked_at_before() {
        const SITE: &str = "2001:db8:1::1";
        for standing in [Standing::Gone, Standing::Leaving] {
            for (held, newcomer) in [("198.51.100.1", "198.51.100.1"), (SITE, "2001:db8:1:2::1")] {
                let mut admission = Admission::new(MAX, 1);
                (0..4).for_each(|_| admission.hold(peer(held), standing));
                assert_eq!(
                    admission.decide(peer(newcomer), |standing| *standing),
                    Decision::Admit,
                    "{standing:?}, {held}"
                );
            }
            let mut admission = Admission::new(4, 4);
            for number in 0..4 {
                admission.hold(peer(&format!("198.51.100.{number}")), standing);
            }
            let newcomer = peer("198.51.100.9");
            assert_eq!(
                admission.decide(newcomer, |standing| *standing),
                Decision::Admit,
                "{standing:?}"
            );
        }
    }
}
