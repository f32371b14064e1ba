//! Decides which connections are admitted when there are too few for all. Pure: no sockets and no time, so each case
//! is a row of a table.
//!
//! A peer (an IPv4 address or an IPv6 /64) has a cap, its /48 has a cap too, and the last quarter of all connections is
//! reserved for peers that hold few. Loopback and trusted proxies are exempt because many clients share them. A new
//! connection is refused only if none can be closed for it: a silent one first, then an idle one (RFC 9112 §9.5 permits
//! this), of the peer with the most connections first.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;

use ipnet::IpNet;

use crate::compute::network;

/// A /48 may hold this multiple of the connections of one peer.
const SITE_FACTOR: usize = 4;
/// A peer with at most this many connections may use the reserve.
const FEW: usize = 4;

/// The limits by which peers share a resource: each has a cap, and the last quarter is reserved for peers that hold
/// few.
#[derive(Debug, Clone, Copy)]
pub struct Shares {
    pub all_max: usize,
    pub peer_max: usize,
    /// A peer that holds at most this many may use the reserve.
    pub few: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excess {
    /// The peer has reached its cap.
    Peer,
    /// Only the reserve is left, and the peer holds too many to use it.
    Reserve,
    /// Everything is in use.
    All,
}

impl Shares {
    /// The limit that a peer with `own` exceeds when all peers together, itself included, hold `all`; `None` if it
    /// exceeds none.
    pub const fn excess(&self, own: usize, all: usize) -> Option<Excess> {
        let shared = self.all_max - self.all_max / 4;
        // A cap above three quarters does not give a peer access to the reserve.
        if own > self.peer_max || own > shared {
            Some(Excess::Peer)
        } else if all > self.all_max {
            Some(Excess::All)
        } else if all > shared && own > self.few {
            Some(Excess::Reserve)
        } else {
            None
        }
    }
}

/// The nets that a connection is counted for; none for loopback and trusted proxies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Peer {
    /// The IPv4 address or IPv6 /64.
    own: Option<Net>,
    /// The /48 that contains the latter.
    site: Option<Net>,
}

impl Peer {
    /// Counted in total only.
    const EXEMPT: Self = Self {
        own: None,
        site: None,
    };

    pub(super) fn of(address: IpAddr, exempt: &[IpNet]) -> Self {
        let address = address.to_canonical();
        if exempt.iter().any(|net| net.contains(&address)) {
            return Self::EXEMPT;
        }
        Self {
            own: Some(Net::Own(network(address, 64))),
            site: address.is_ipv6().then(|| Net::Site(network(address, 48))),
        }
    }

    fn nets(self) -> impl Iterator<Item = Net> {
        self.own.into_iter().chain(self.site)
    }
}

/// Separate variants, because the first /64 of a /48 has the same address as that /48.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Net {
    Own(IpAddr),
    Site(IpAddr),
}

/// The activity of a connection; connections with an earlier activity are closed first to admit others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Activity {
    /// No byte has been received.
    Silent,
    /// Between two requests.
    Idle,
    /// Receiving a request or sending a response.
    Busy,
    /// Asked to close, and still open.
    Closing,
    /// Ended; it no longer counts.
    Closed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The peer has reached its cap.
    Peer,
    /// All connections are in use.
    All,
}

#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AdmissionDecision {
    Admit,
    /// Admitted once the connection with this number has closed.
    InPlaceOf(u64),
    Refuse(Refusal),
}

/// All connections, in the order in which they were accepted.
pub(super) struct Admission<C> {
    shares: Shares,
    /// The caps of a /48.
    site_shares: Shares,
    held: BTreeMap<u64, (Peer, C)>,
    /// The connections of each peer and of each /48.
    of: HashMap<Net, BTreeSet<u64>>,
    next: u64,
}

/// The net whose connections may be closed for a new one; `None` for all connections.
type Scope = Option<Net>;

/// Connections that are closing; they are not counted.
#[derive(Default)]
struct Closing {
    all: usize,
    of: HashMap<Net, usize>,
}

impl<C> Admission<C> {
    pub(super) fn new(connections_max: usize, per_peer_max: usize) -> Self {
        let shares = Shares {
            all_max: connections_max,
            peer_max: per_peer_max,
            few: FEW,
        };
        Self {
            shares,
            site_shares: Shares {
                peer_max: per_peer_max * SITE_FACTOR,
                ..shares
            },
            held: BTreeMap::new(),
            of: HashMap::new(),
            next: 0,
        }
    }

    /// The number of connections, including those that have closed since the last [`Self::look`].
    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

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

    /// Whether a connection of `peer` is admitted.
    ///
    /// A flood calls this thousands of times a second, so connections are inspected only when a limit is reached: at a
    /// cap only the connections of the peer or its /48, and all connections only when few are left in total.
    pub(super) fn decide(
        &mut self,
        peer: Peer,
        activity: impl Fn(&C) -> Activity,
    ) -> AdmissionDecision {
        let (mut looked_at, mut closing) = (None, Closing::default());
        while let Some((scope, refusal)) = self.objection(peer, &closing) {
            if looked_at == Some(scope) {
                return self.first_to_yield(peer, scope, &closing, activity).map_or(
                    AdmissionDecision::Refuse(refusal),
                    AdmissionDecision::InPlaceOf,
                );
            }
            closing = self.look(scope, &activity);
            looked_at = Some(scope);
        }
        AdmissionDecision::Admit
    }

    /// The reason to refuse `peer`, and the connections that could be closed for it. Connections that have closed or
    /// are closing count until inspected, so `None` is certain and `Some` is not.
    fn objection(&self, peer: Peer, closing: &Closing) -> Option<(Scope, Refusal)> {
        let all = self.held.len() - closing.all + 1;
        if peer.own.is_none() {
            return (all > self.shares.all_max).then_some((None, Refusal::All));
        }
        let own = self.count(peer.own, closing) + 1;
        let site = self.count(peer.site, closing) + 1;
        match (
            self.shares.excess(own, all),
            self.site_shares.excess(site, all),
        ) {
            (Some(Excess::Peer), _) => Some((peer.own, Refusal::Peer)),
            (_, Some(Excess::Peer)) => Some((peer.site, Refusal::Peer)),
            (Some(Excess::All), _) => Some((None, Refusal::All)),
            (Some(Excess::Reserve), _) => Some((None, Refusal::Peer)),
            (None, _) => None,
        }
    }

    /// Removes the connections that have closed and counts those that are closing.
    fn look(&mut self, scope: Scope, activity: impl Fn(&C) -> Activity) -> Closing {
        let (mut gone, mut closing) = (Vec::new(), Closing::default());
        for (number, its, connection) in self.within(scope) {
            match activity(connection) {
                Activity::Closed => gone.push(number),
                Activity::Closing => {
                    closing.all += 1;
                    for net in its.nets() {
                        *closing.of.entry(net).or_default() += 1;
                    }
                }
                Activity::Silent | Activity::Idle | Activity::Busy => {}
            }
        }
        for number in gone {
            self.forget(number);
        }
        closing
    }

    fn first_to_yield(
        &self,
        peer: Peer,
        scope: Scope,
        closing: &Closing,
        activity: impl Fn(&C) -> Activity,
    ) -> Option<u64> {
        let own = self.count(peer.own, closing);
        let yielding = self.within(scope).filter_map(|(number, its, connection)| {
            let activity = activity(connection);
            if activity > Activity::Idle {
                return None;
            }
            let count = self.count(its.own, closing);
            // Connections of a peer that holds fewer than the new peer are not closed.
            (count >= own).then_some((activity, Reverse(count), number))
        });
        yielding.min().map(|(_, _, number)| number)
    }

    fn within(&self, scope: Scope) -> Box<dyn Iterator<Item = (u64, Peer, &C)> + '_> {
        let Some(net) = scope else {
            let all = self.held.iter();
            return Box::new(all.map(|(number, (peer, connection))| (*number, *peer, connection)));
        };
        let numbers = self.of.get(&net).into_iter().flatten();
        Box::new(numbers.filter_map(|number| {
            let (peer, connection) = self.held.get(number)?;
            Some((*number, *peer, connection))
        }))
    }

    /// The connections of a peer or a /48; 0 for those that are not counted.
    fn count(&self, net: Option<Net>, closing: &Closing) -> usize {
        net.map_or(0, |net| {
            let held = self.of.get(&net).map_or(0, BTreeSet::len);
            held - closing.of.get(&net).copied().unwrap_or(0)
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

    /// A peer, its number of connections, and their activity.
    type Group = (&'static str, usize, Activity);
    /// The case, the connections held, the peer that connects, and the decision.
    type Row = (
        &'static str,
        &'static [Group],
        &'static str,
        AdmissionDecision,
    );

    fn hold(groups: &[Group]) -> Admission<Activity> {
        let mut admission = Admission::new(MAX, CAP);
        for (address, count, activity) in groups {
            (0..*count).for_each(|_| admission.hold(peer(address), *activity));
        }
        admission
    }

    #[test]
    fn a_peer_is_an_ipv4_address_or_an_ipv6_64_with_its_48_above() {
        let counted = |own: &str, site: Option<&str>| Peer {
            own: Some(Net::Own(own.parse().unwrap())),
            site: site.map(|site| Net::Site(site.parse().unwrap())),
        };
        for (address, expected) in [
            ("198.51.100.7", counted("198.51.100.7", None)),
            ("::ffff:198.51.100.7", counted("198.51.100.7", None)),
            (
                "2001:db8:1:2:3:4:5:6",
                counted("2001:db8:1:2::", Some("2001:db8:1::")),
            ),
            ("127.0.0.9", Peer::EXEMPT),
            ("::ffff:10.1.2.3", Peer::EXEMPT),
        ] {
            assert_eq!(peer(address), expected, "{address}");
        }
    }

    #[test]
    fn places_are_given_by_peer() {
        use Activity::{Busy, Closed, Closing, Idle, Silent};
        use AdmissionDecision::{Admit, InPlaceOf, Refuse};
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
                Refuse(Refusal::Peer),
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
                &[(A, 1, Idle), (A, 7, Silent)],
                A,
                InPlaceOf(1),
            ),
            (
                "who rests yields before anybody is refused",
                &[(A, 7, Busy), (A, 1, Idle)],
                A,
                InPlaceOf(7),
            ),
            (
                "not the silent ones of others",
                &[(B, 1, Silent), (A, 8, Busy)],
                A,
                Refuse(Refusal::Peer),
            ),
            (
                "who has gone or goes is not counted",
                &[(A, 7, Busy), (A, 4, Closed), (A, 4, Closing)],
                A,
                Admit,
            ),
            // 12 of 16 are for all; the others for peers that hold at most 4, the new one included.
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
                Refuse(Refusal::Peer),
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
                Refuse(Refusal::Peer),
            ),
            (
                "all taken, all busy",
                &[(A, 8, Busy), (B, 8, Busy)],
                C,
                Refuse(Refusal::All),
            ),
            (
                "all taken: the silent one of the greatest peer yields",
                &[(C, 2, Silent), (A, 6, Busy), (B, 8, Silent)],
                C,
                InPlaceOf(8),
            ),
            (
                "all taken: then one that rests",
                &[(A, 8, Busy), (B, 7, Busy), (B, 1, Idle)],
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
                Refuse(Refusal::All),
            ),
            (
                "and may make room for itself",
                &[(PROXY, 15, Busy), (PROXY, 1, Idle)],
                PROXY,
                InPlaceOf(15),
            ),
            (
                "loopback is limited too",
                &[("127.0.0.1", 15, Busy)],
                "127.0.0.1",
                Admit,
            ),
        ];
        for (name, groups, newcomer, expected) in rows {
            assert_eq!(
                hold(groups).decide(peer(newcomer), |activity| *activity),
                *expected,
                "{name}"
            );
        }
    }

    #[test]
    fn the_networks_of_one_site_share_a_cap() {
        let mut admission = Admission::new(768, 64);
        let mut let_in = 0;
        // A /48 with 65,536 networks, each of which connects twice.
        for number in 0..1_000 {
            let peer = peer(&format!("2001:db8:1:{:x}::1", number / 2));
            if admission.decide(peer, |activity| *activity) == AdmissionDecision::Admit {
                admission.hold(peer, Activity::Busy);
                let_in += 1;
            }
        }
        assert_eq!(let_in, 64 * SITE_FACTOR);
        assert_eq!(
            admission.decide(peer("2001:db8:2::1"), |activity| *activity),
            AdmissionDecision::Admit
        );
    }

    #[test]
    fn no_peer_shuts_out_another_whatever_the_cap_is_set_to() {
        for (connections_max, cap, expected) in
            [(768, 64, 64), (768, 10_000, 576), (1, 64, 1), (4, 4, 3)]
        {
            for activity in [Activity::Busy, Activity::Silent, Activity::Idle] {
                let mut admission = Admission::new(connections_max, cap);
                for _ in 0..2_000 {
                    if admission.decide(peer("198.51.100.1"), |activity| *activity)
                        == AdmissionDecision::Admit
                    {
                        admission.hold(peer("198.51.100.1"), activity);
                    }
                }
                assert_eq!(
                    admission.len(),
                    expected,
                    "{connections_max}, {cap}: {activity:?}"
                );
                let honest = admission.decide(peer("198.51.100.2"), |activity| *activity);
                let is_let_in = honest == AdmissionDecision::Admit || activity != Activity::Busy;
                assert!(
                    is_let_in || connections_max == 1,
                    "{connections_max}, {cap}, {activity:?}: {honest:?}"
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
        let look = |activity: &Activity| {
            looks.set(looks.get() + 1);
            *activity
        };
        for number in 0..1_000 {
            let honest = peer(&format!("203.0.{}.{}", number / 250, number % 250));
            assert_eq!(admission.decide(honest, look), AdmissionDecision::Admit);
            admission.hold(honest, Activity::Idle);
        }
        for _ in 0..64 {
            assert_eq!(
                admission.decide(peer(FLOOD), look),
                AdmissionDecision::Admit
            );
            admission.hold(peer(FLOOD), Activity::Silent);
        }
        assert_eq!(looks.get(), 0, "there is room");
        assert_eq!(
            admission.decide(peer(FLOOD), look),
            AdmissionDecision::InPlaceOf(1_000)
        );
        assert!(looks.get() <= 2 * 64, "{}", looks.get());
    }

    #[test]
    fn who_has_gone_or_leaves_takes_no_place_though_it_was_not_looked_at_before() {
        const SITE: &str = "2001:db8:1::1";
        for activity in [Activity::Closed, Activity::Closing] {
            for (held, newcomer) in [("198.51.100.1", "198.51.100.1"), (SITE, "2001:db8:1:2::1")] {
                let mut admission = Admission::new(MAX, 1);
                (0..4).for_each(|_| admission.hold(peer(held), activity));
                assert_eq!(
                    admission.decide(peer(newcomer), |activity| *activity),
                    AdmissionDecision::Admit,
                    "{activity:?}, {held}"
                );
            }
            let mut admission = Admission::new(4, 4);
            for number in 0..4 {
                admission.hold(peer(&format!("198.51.100.{number}")), activity);
            }
            let newcomer = peer("198.51.100.9");
            assert_eq!(
                admission.decide(newcomer, |activity| *activity),
                AdmissionDecision::Admit,
                "{activity:?}"
            );
        }
    }
}
