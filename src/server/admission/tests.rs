//! The table of who gets a connection.

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
#[expect(clippy::too_many_lines, reason = "one table of cases")]
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
                if admission.decide(peer("198.51.100.1"), |standing| *standing) == Decision::Admit {
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
