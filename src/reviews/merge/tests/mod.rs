//! The law of the merge as a table, case by case.

use super::*;
use crate::reviews::{Method, Response, Source, Verification};

pub(super) fn key() -> DigestKey {
    DigestKey::new(&[7; 32]).unwrap()
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

pub(super) fn now() -> DateTime<Utc> {
    at("2026-11-20T12:00:00Z")
}

pub(super) fn review() -> Review {
    Review {
        id: "r-1".parse().unwrap(),
        rating: 5.try_into().unwrap(),
        date: "2026-11-01".parse().unwrap(),
        author: "Ann B.".to_owned(),
        title: None,
        text: "Good.".to_owned(),
        language: None,
        source: Source {
            name: "Yelp".to_owned(),
            url: None,
        },
        verification: Verification {
            verified: true,
            method: Method::Manual,
            verified_at: None,
        },
        mentions: crate::reviews::Mentions::default(),
        response: None,
        status: Status::Published,
        updated_at: None,
    }
}

fn with_text(text: &str) -> Review {
    Review {
        text: text.to_owned(),
        ..review()
    }
}

pub(super) fn said(review: Review) -> Statement {
    Statement {
        review,
        unsaid: Units::NONE,
        decided: Units::NONE,
    }
}

fn withheld(reason: &str) -> Status {
    Status::Withheld {
        reason: Some(reason.to_owned()),
    }
}

#[test]
fn a_field_goes_by_what_the_source_said_last_and_what_is_there() {
    // Base, row, source: the row afterwards, and whether the owner's value stands against the
    // source's.
    let cases = [
        (Some("a"), "a", "a", "a", false),
        (Some("a"), "a", "b", "b", false),
        (Some("a"), "own", "a", "own", true),
        (Some("a"), "own", "b", "own", true),
        (Some("a"), "b", "b", "b", false),
        (None, "own", "b", "own", true),
        (None, "b", "b", "b", false),
        (None, "", "b", "b", false),
        (Some("a"), "", "b", "", true),
        (Some("a"), "a", "", "", false),
    ];
    let key = key();
    for (base, row, source, then, is_kept) in cases {
        let base = base.map_or_else(Base::default, |text| {
            Base::of(&key, &with_text(text), Units::NONE)
        });
        let merged = merge(
            &key,
            &with_text(row),
            &base,
            &said(with_text(source)),
            now(),
        );
        let told = format!("{base:?} {row} {source}");
        assert_eq!(
            (merged.review.text.as_str(), merged.kept.has(Unit::Text)),
            (then, is_kept),
            "{told}"
        );
        assert_eq!(
            merged.base.get(Unit::Text),
            Some(key.digest(Unit::Text, &with_text(source))),
            "{told}"
        );
    }
}

#[test]
fn where_owner_and_source_are_equal_again_it_is_no_longer_a_decision() {
    let key = key();
    let first = adopt(&key, &said(with_text("a")));
    let second = merge(
        &key,
        &with_text("own"),
        &first.base,
        &said(with_text("own")),
        now(),
    );
    assert_eq!(second.base.decided(&key, &second.review), Units::NONE);
    let third = merge(
        &key,
        &second.review,
        &second.base,
        &said(with_text("c")),
        now(),
    );
    assert_eq!(third.review.text, "c");
}

#[test]
fn what_is_not_stated_overwrites_nothing() {
    let key = key();
    let first = adopt(&key, &said(review()));
    let response = Some(Response {
        text: "Thanks.".to_owned(),
        date: None,
        author: None,
    });
    let row = Review {
        response: response.clone(),
        status: withheld("dispute"),
        ..review()
    };
    let unsaid = [Unit::Response, Unit::Status].into_iter().collect();
    let merged = merge(
        &key,
        &row,
        &first.base,
        &Statement {
            unsaid,
            ..said(with_text("new"))
        },
        now(),
    );
    assert_eq!(
        (
            merged.review.response,
            merged.review.status,
            merged.review.text.as_str()
        ),
        (response, withheld("dispute"), "new")
    );
    assert_eq!(merged.review.updated_at, Some(now()));
}

#[test]
fn a_status_follows_whoever_set_it() {
    let key = key();
    let from_source = |status: Status| said(Review { status, ..review() });
    // Withheld by the source: follows the source.
    let hidden = adopt(&key, &from_source(withheld("hidden")));
    assert_eq!(
        merge(
            &key,
            &hidden.review,
            &hidden.base,
            &from_source(Status::Published),
            now()
        )
        .review
        .status,
        Status::Published
    );
    // Withheld by the owner: stays.
    let shown = adopt(&key, &from_source(Status::Published));
    let own = Review {
        status: withheld("dispute"),
        ..review()
    };
    for status in [Status::Published, withheld("hidden")] {
        assert_eq!(
            merge(&key, &own, &shown.base, &from_source(status), now())
                .review
                .status,
            withheld("dispute")
        );
    }
    // Gone and back, though its source says nothing of a status.
    let unsaid: Units = std::iter::once(Unit::Status).collect();
    let gone = adopt(&key, &from_source(withheld(GONE)));
    let back = merge(
        &key,
        &gone.review,
        &gone.base,
        &Statement {
            unsaid,
            ..said(review())
        },
        now(),
    );
    assert_eq!(back.review.status, Status::Published);
    // A copy stays withheld while its source shows it.
    let copy = adopt(&key, &from_source(withheld(DUPLICATE)));
    let again = merge(
        &key,
        &copy.review,
        &copy.base,
        &from_source(Status::Published),
        now(),
    );
    assert_eq!(again.review.status, withheld(DUPLICATE));
    // What is not verified any more does not appear, whoever wanted it to.
    let hidden = adopt(&key, &from_source(withheld("hidden")));
    let mut unverified = from_source(withheld("hidden"));
    unverified.review.verification.verified = false;
    let merged = merge(&key, &review(), &hidden.base, &unverified, now());
    assert_eq!(
        (merged.review.status, merged.taken.has(Unit::Status)),
        (withheld(NOT_VERIFIED), true)
    );
}

#[test]
fn decisions_that_come_with_an_export_are_decisions_here_too() {
    let key = key();
    let decided: Units = std::iter::once(Unit::Text).collect();
    let first = adopt(
        &key,
        &Statement {
            decided,
            ..said(with_text("own"))
        },
    );
    assert_eq!(first.base.decided(&key, &first.review), decided);
    let next = merge(
        &key,
        &first.review,
        &first.base,
        &said(with_text("the source's")),
        now(),
    );
    assert_eq!(next.review.text, "own");
    // Taken over where nothing was decided here, and not where something was.
    let there = adopt(&key, &said(with_text("a")));
    let export = Statement {
        decided,
        ..said(with_text("own"))
    };
    assert_eq!(
        merge(&key, &there.review, &there.base, &export, now())
            .review
            .text,
        "own"
    );
    assert_eq!(
        merge(&key, &with_text("mine"), &there.base, &export, now())
            .review
            .text,
        "mine"
    );
}

#[test]
fn updated_at_moves_with_every_visible_change_and_never_goes_back() {
    let key = key();
    let dated = |text: &str, at: &str| Review {
        updated_at: Some(self::at(at)),
        ..with_text(text)
    };
    let first = adopt(&key, &said(dated("a", "2026-11-02T00:00:00Z")));
    for (text, said_at, then) in [
        ("b", "2026-11-05T00:00:00Z", "2026-11-05T00:00:00Z"),
        ("b", "2026-11-01T00:00:00Z", "2026-11-20T12:00:00Z"),
        ("a", "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z"),
        ("a", "2026-11-02T00:00:00Z", "2026-11-02T00:00:00Z"),
    ] {
        let merged = merge(
            &key,
            &first.review,
            &first.base,
            &said(dated(text, said_at)),
            now(),
        );
        assert_eq!(merged.review.updated_at, Some(at(then)), "{text} {said_at}");
    }
}

#[test]
fn a_base_is_read_back_as_it_was_stored_and_nonsense_is_as_if_unknown() {
    let base = Base::of(&key(), &review(), std::iter::once(Unit::Date).collect());
    assert_eq!(Base::unpack(&base.pack()), base);
    assert_eq!(base.get(Unit::Date), None);
    assert_eq!(Base::unpack(b"\xff12345678shrt"), Base::default());
}
