//! Merges an imported review by unit, the parts that its source and its owner can change independently: the source's
//! new values, its previous values and the stored review. A pure function of one review; the importer selects and
//! writes the rows.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::num::ParseIntError;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::review::{Day, Review, Status, Unit};
use super::words::short_name;

/// Reason for withholding an unverified review without another reason.
pub const NOT_VERIFIED: &str = "not verified";
/// Reason for withholding a review that its source no longer lists.
pub const GONE: &str = "gone at the source";
/// Reason for withholding a review that another source already provided.
pub const DUPLICATE: &str = "duplicate";

/// A review as read from an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// With defaults for unstated units.
    pub review: Review,
    /// Units without a value in the import, which overwrite nothing.
    pub unstated: Units,
    /// Units that one of our own exports marks as the owner's decisions.
    pub decided: Units,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The review after the merge.
    pub review: Review,
    /// The base of the next merge.
    pub base: Base,
    /// Units taken from the source.
    pub taken: Units,
    /// Units that keep the owner's value although the source has another one.
    pub kept: Units,
}

/// A new review: all units have the source's values, except those that the owner decided.
pub fn adopt(key: &DigestKey, statement: &Statement) -> Merged {
    let review = withhold_unverified(statement.review.clone());
    let mut base = Base::default();
    for unit in Unit::ALL {
        if statement.decided.contains(&unit) {
            base.set_decided(unit);
        } else {
            base.set(unit, key.digest(unit, &review));
        }
    }
    Merged {
        review,
        base,
        taken: Unit::ALL.into_iter().collect(),
        kept: Units::new(),
    }
}

/// Merges an imported review into the stored review.
pub fn merge(
    key: &DigestKey,
    row: &Review,
    base: &Base,
    statement: &Statement,
    now: DateTime<Utc>,
) -> Merged {
    let statement = &with_status(key, base, statement);
    let mut merged = Merged {
        review: row.clone(),
        base: base.clone(),
        taken: Units::new(),
        kept: Units::new(),
    };
    for unit in Unit::ALL {
        merge_unit(key, unit, row, statement, &mut merged);
    }
    merged.review = withhold_unverified(merged.review);
    if merged.review.status != row.status {
        merged.taken.insert(Unit::Status);
    }
    let newer = statement
        .review
        .updated_at
        .filter(|at_source| row.updated_at.is_none_or(|at| at < *at_source));
    merged.review.updated_at = match newer {
        Some(newer) => Some(newer),
        None if merged.taken.is_empty() => row.updated_at,
        // The time advances with every visible change and never goes back.
        None => Some(row.updated_at.map_or(now, |at| at.max(now))),
    };
    merged
}

fn merge_unit(
    key: &DigestKey,
    unit: Unit,
    row: &Review,
    statement: &Statement,
    merged: &mut Merged,
) {
    let is_decision = statement.decided.contains(&unit);
    if statement.unstated.contains(&unit) && !is_decision {
        return;
    }
    let theirs = key.digest(unit, &statement.review);
    let ours = if unit.is_same(row, &statement.review) {
        theirs
    } else {
        key.digest(unit, row)
    };
    let last = merged.base.get(unit);
    // A review that its source hides is withheld even if its last statement is unknown.
    let hides = unit == Unit::Status
        && row.status == Status::Published
        && statement.review.status != Status::Published;
    let is_untouched = last.map_or_else(|| unit.is_unset(row) || hides, |last| last == ours);
    // What the owner withheld by a command stays withheld, even if the source hid it for the same reason in between.
    if unit == Unit::Status && last == Some(DECIDED) && row.status != Status::Published {
        if theirs != ours {
            merged.kept.insert(unit);
        }
        return;
    }
    if theirs == ours {
        // The values are equal again, so the unit is no longer a decision, unless the import marks it as one.
    } else if last == Some(theirs) && !is_decision {
        merged.kept.insert(unit);
    } else if is_untouched {
        unit.copy(&statement.review, &mut merged.review);
        merged.taken.insert(unit);
    } else {
        merged.kept.insert(unit);
    }
    if !is_decision {
        merged.base.set(unit, theirs);
    } else if last.is_none() {
        merged.base.set_decided(unit);
    }
}

/// The statement with its status adjusted to the reason for which the review is withheld.
fn with_status<'s>(key: &DigestKey, base: &Base, statement: &'s Statement) -> Cow<'s, Statement> {
    let last = base.get(Unit::Status);
    if last == Some(key.digest(Unit::Status, &statement.review)) {
        return Cow::Borrowed(statement);
    }
    let was = |reason: &str| {
        let withheld = Review {
            status: Status::withheld(reason),
            ..statement.review.clone()
        };
        last == Some(key.digest(Unit::Status, &withheld))
    };
    let mut adjusted = Cow::Borrowed(statement);
    if statement.unstated.contains(&Unit::Status) && was(GONE) {
        // The review is back at its source, and the statement gives no other reason.
        let adjusted = adjusted.to_mut();
        adjusted.review.status = Status::Published;
        adjusted.unstated.remove(&Unit::Status);
    } else if !statement.unstated.contains(&Unit::Status)
        && statement.review.status == Status::Published
        && was(DUPLICATE)
    {
        // The source still shows the review, and it is still a duplicate.
        adjusted.to_mut().unstated.insert(Unit::Status);
    }
    adjusted
}

/// An unverified review is never published.
fn withhold_unverified(mut review: Review) -> Review {
    if !review.verification.verified && review.status == Status::Published {
        review.status = Status::withheld(NOT_VERIFIED);
    }
    review
}

pub type Units = BTreeSet<Unit>;

// Keyed digests of the units of a review. They record the last values of a source without their text, so that an
// erased review leaves nothing readable behind. The key is in the database, whose owner can read both; it prevents
// comparing digests of different databases.

/// Stored bytes of a digest: enough that two values of one field of a review never collide by chance.
const BYTES: usize = 8;

/// Digest of a unit that the owner decided. It matches no value, so the unit remains the owner's decision.
const DECIDED: UnitDigest = [0; BYTES];

/// Secret key of the database: without the key, the digests of a field cannot be guessed.
#[derive(Debug, Clone)]
pub struct DigestKey(Hmac<Sha256>);

pub type UnitDigest = [u8; BYTES];

impl DigestKey {
    /// # Errors
    /// Never: HMAC takes keys of every length (RFC 2104 §2).
    pub fn new(key: &[u8]) -> Result<Self, hmac::digest::InvalidLength> {
        Hmac::new_from_slice(key).map(Self)
    }

    pub fn digest(&self, unit: Unit, review: &Review) -> UnitDigest {
        // An ID has no NUL, and no unit's name begins another's, so where they end is certain.
        let mac = self
            .0
            .clone()
            .chain_update(review.id.as_str())
            .chain_update([0])
            .chain_update(unit.name())
            .chain_update(unit.value(review).to_string());
        let digest = mac.finalize().into_bytes();
        digest.first_chunk().copied().unwrap_or_default()
    }
}

/// Digests of a review's content, without a key, so that they mean the same in another database. Blanks and line ends do not
/// count, and of the content's author only the short name does, because some sources shorten it. The author is the one that
/// the source names, even if the name is not published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprints {
    /// Of author, day, stars and text: copies of a review from two sources share it.
    pub content: i64,
    /// Of author and day.
    pub author_day: i64,
}

impl Fingerprints {
    pub fn new(review: &Review, author: &str) -> Self {
        let day = review.date.number().to_be_bytes();
        let short = short_name(&one_line(author));
        let (stars, text) = ([review.rating.stars()], one_line(&review.text));
        Self {
            content: digest(&[short.as_bytes(), &day, &stars, text.as_bytes()]),
            author_day: Self::author_day(author, review.date),
        }
    }

    pub fn author_day(author: &str, day: Day) -> i64 {
        digest(&[one_line(author).as_bytes(), &day.number().to_be_bytes()])
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn digest(parts: &[&[u8]]) -> i64 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let digest = hash.finalize();
    i64::from_be_bytes(digest.first_chunk().copied().unwrap_or_default())
}

impl Display for Fingerprints {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        write!(to, "{:016x}-{:016x}", self.content, self.author_day)
    }
}

impl FromStr for Fingerprints {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (content, author_day) = text.split_once('-').unwrap_or((text, ""));
        let number = |digits| u64::from_str_radix(digits, 16).map(u64::cast_signed);
        Ok(Self {
            content: number(content)?,
            author_day: number(author_day)?,
        })
    }
}

/// Digests of the last known values of a source, by unit: the base of the next merge.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Vec<u8>", from = "Vec<u8>")]
pub struct Base([Option<UnitDigest>; Unit::ALL.len()]);

impl From<Base> for Vec<u8> {
    fn from(base: Base) -> Self {
        base.pack()
    }
}

impl From<Vec<u8>> for Base {
    fn from(packed: Vec<u8>) -> Self {
        Self::unpack(&packed)
    }
}

impl Base {
    /// Whether the unit is the owner's, and nothing is known of what the source said.
    pub fn is_decided(&self, unit: Unit) -> bool {
        self.get(unit) == Some(DECIDED)
    }

    pub const fn get(&self, unit: Unit) -> Option<UnitDigest> {
        self.0[unit as usize]
    }

    pub const fn set(&mut self, unit: Unit, digest: UnitDigest) {
        self.0[unit as usize] = Some(digest);
    }

    /// Marks a unit as the owner's decision, regardless of the source's value.
    pub const fn set_decided(&mut self, unit: Unit) {
        self.set(unit, DECIDED);
    }

    /// The number and the digest of each unit with a known digest.
    pub fn pack(&self) -> Vec<u8> {
        let known = (0_u8..)
            .zip(&self.0)
            .filter_map(|(unit, digest)| Some((unit, (*digest)?)));
        known
            .flat_map(|(unit, digest)| std::iter::once(unit).chain(digest))
            .collect()
    }

    /// Reads the output of [`Base::pack`]. Invalid parts, which a shell may have written, count as unknown.
    pub fn unpack(packed: &[u8]) -> Self {
        let mut base = Self::default();
        for [unit, digest @ ..] in packed.as_chunks::<{ BYTES + 1 }>().0 {
            if let Some(place) = base.0.get_mut(usize::from(*unit)) {
                *place = Some(*digest);
            }
        }
        base
    }

    /// The units of `review` that the owner decided: units that differ from the source's last value, and units with a
    /// value that the source never gave.
    pub fn decisions(&self, key: &DigestKey, review: &Review) -> Units {
        let is_decided = |unit: &Unit| match self.get(*unit) {
            Some(last) => last != key.digest(*unit, review),
            None => !unit.is_unset(review),
        };
        Unit::ALL.into_iter().filter(is_decided).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Method, Response, Source, Verification};

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
            mentions: crate::model::Mentions::default(),
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

    pub(super) fn statement_of(review: Review) -> Statement {
        Statement {
            review,
            unstated: Units::new(),
            decided: Units::new(),
        }
    }

    fn withheld(reason: &str) -> Status {
        Status::Withheld {
            reason: Some(reason.to_owned()),
        }
    }

    #[test]
    fn a_source_updates_a_field_unless_the_owner_edited_it() {
        // Base, row, source; then the row after the merge, and whether the owner's value is kept.
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
                adopt(&key, &statement_of(with_text(text))).base
            });
            let merged = merge(
                &key,
                &with_text(row),
                &base,
                &statement_of(with_text(source)),
                now(),
            );
            let shown = format!("{base:?} {row} {source}");
            assert_eq!(
                (
                    merged.review.text.as_str(),
                    merged.kept.contains(&Unit::Text)
                ),
                (then, is_kept),
                "{shown}"
            );
            assert_eq!(
                merged.base.get(Unit::Text),
                Some(key.digest(Unit::Text, &with_text(source))),
                "{shown}"
            );
        }
    }

    #[test]
    fn an_edit_that_the_source_confirms_is_no_longer_an_edit() {
        let key = key();
        let first = adopt(&key, &statement_of(with_text("a")));
        let second = merge(
            &key,
            &with_text("own"),
            &first.base,
            &statement_of(with_text("own")),
            now(),
        );
        assert_eq!(second.base.decisions(&key, &second.review), Units::new());
        let third = merge(
            &key,
            &second.review,
            &second.base,
            &statement_of(with_text("c")),
            now(),
        );
        assert_eq!(third.review.text, "c");
    }

    #[test]
    fn unstated_fields_overwrite_nothing() {
        let key = key();
        let first = adopt(&key, &statement_of(review()));
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
        let unstated = [Unit::Response, Unit::Status].into_iter().collect();
        let merged = merge(
            &key,
            &row,
            &first.base,
            &Statement {
                unstated,
                ..statement_of(with_text("new"))
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
    fn a_status_follows_the_party_that_set_it() {
        let key = key();
        let from_source = |status: Status| statement_of(Review { status, ..review() });
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
        // The review is gone and comes back, though its source gives no status.
        let unstated: Units = std::iter::once(Unit::Status).collect();
        let gone = adopt(&key, &from_source(withheld(GONE)));
        let back = merge(
            &key,
            &gone.review,
            &gone.base,
            &Statement {
                unstated,
                ..statement_of(review())
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
        // A review that is no longer verified is withheld, even if the owner published it.
        let hidden = adopt(&key, &from_source(withheld("hidden")));
        let mut unverified = from_source(withheld("hidden"));
        unverified.review.verification.verified = false;
        let merged = merge(&key, &review(), &hidden.base, &unverified, now());
        assert_eq!(
            (merged.review.status, merged.taken.contains(&Unit::Status)),
            (withheld(NOT_VERIFIED), true)
        );
    }

    #[test]
    fn owner_edits_in_an_export_stay_owner_edits() {
        let key = key();
        let decided: Units = std::iter::once(Unit::Text).collect();
        let first = adopt(
            &key,
            &Statement {
                decided: decided.clone(),
                ..statement_of(with_text("own"))
            },
        );
        assert_eq!(first.base.decisions(&key, &first.review), decided);
        let next = merge(
            &key,
            &first.review,
            &first.base,
            &statement_of(with_text("the source's")),
            now(),
        );
        assert_eq!(next.review.text, "own");
        // An export's decision is applied only if the owner made no decision here.
        let there = adopt(&key, &statement_of(with_text("a")));
        let export = Statement {
            decided,
            ..statement_of(with_text("own"))
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
    fn updated_at_follows_visible_changes_and_never_goes_back() {
        let key = key();
        let dated = |text: &str, at: &str| Review {
            updated_at: Some(self::at(at)),
            ..with_text(text)
        };
        let first = adopt(&key, &statement_of(dated("a", "2026-11-02T00:00:00Z")));
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
                &statement_of(dated(text, said_at)),
                now(),
            );
            assert_eq!(merged.review.updated_at, Some(at(then)), "{text} {said_at}");
        }
    }

    #[test]
    fn a_stored_base_round_trips_and_invalid_bytes_mean_unknown() {
        let mut base = Base::default();
        base.set(Unit::Text, key().digest(Unit::Text, &review()));
        base.set_decided(Unit::Rating);
        assert_eq!(Base::unpack(&base.pack()), base);
        assert_eq!(base.get(Unit::Date), None);
        assert_eq!(Base::unpack(b"\xff12345678shrt"), Base::default());
    }
}

#[cfg(test)]
mod laws {
    use proptest::prelude::*;

    use super::tests::{key, now, review, statement_of};
    use super::*;
    use crate::model::Response;

    prop_compose! {
        /// A review of few different values, so that owner and source often agree.
        fn any_review()(
            rating in 1_i64..=2, day in 1_u32..=2, author in "[ab]", title in prop::option::of("[ab]"), text in "[ab]?",
            response in prop::option::of("[ab]"), reason in prop::option::of("[ab]"), technicians in prop::collection::vec("[ab]", 0..2),
        ) -> Review {
            Review {
                rating: rating.try_into().unwrap(),
                date: format!("2026-11-0{day}").parse().unwrap(),
                author, title, text,
                response: response.map(|text| Response { text, date: None, author: None }),
                status: reason.map_or(Status::Published, |reason| Status::Withheld { reason: Some(reason) }),
                mentions: crate::model::Mentions::new(technicians, Vec::new(), Vec::new()),
                ..review()
            }
        }
    }

    fn any_said() -> impl Strategy<Value = Statement> {
        let optional = [
            Unit::Title,
            Unit::Language,
            Unit::Source,
            Unit::Status,
            Unit::Verification,
            Unit::Response,
            Unit::Mentions,
        ];
        let unstated = prop::sample::subsequence(optional.to_vec(), 0..=optional.len());
        (any_review(), unstated).prop_map(|(review, unstated)| Statement {
            unstated: unstated.into_iter().collect(),
            ..statement_of(review)
        })
    }

    proptest! {
        #[test]
        fn an_import_repeated_changes_nothing(first in any_said(), edit in any_review(), next in any_said(), is_edited: bool) {
            let key = key();
            let there = adopt(&key, &first);
            let row = if is_edited { edit } else { there.review };
            let once = merge(&key, &row, &there.base, &next, now());
            let twice = merge(&key, &once.review, &once.base, &next, now() + chrono::Duration::days(1));
            prop_assert_eq!((&twice.review, &twice.base, twice.taken), (&once.review, &once.base, Units::new()));
        }

        #[test]
        fn an_owner_s_edit_survives_any_imports(first in any_said(), edit in any_review(), imports in prop::collection::vec(any_said(), 0..5)) {
            let key = key();
            let there = adopt(&key, &first);
            let decided = there.base.decisions(&key, &edit);
            let (mut row, mut base, mut own) = (edit.clone(), there.base, decided);
            for next in &imports {
                // If the source agrees with the owner, it is no longer a decision.
                own.retain(|unit| {
                    next.unstated.contains(unit) || key.digest(*unit, &next.review) != key.digest(*unit, &edit)
                });
                let merged = merge(&key, &row, &base, next, now());
                (row, base) = (merged.review, merged.base);
                for unit in own.iter().copied() {
                    prop_assert_eq!(key.digest(unit, &row), key.digest(unit, &edit), "{:?}", unit);
                }
            }
        }

        #[test]
        fn without_edits_a_row_equals_the_last_statement(first in any_said(), imports in prop::collection::vec(any_said(), 1..5)) {
            let key = key();
            let mut there = adopt(&key, &first);
            let mut stated = first.review;
            for next in &imports {
                for unit in Unit::ALL.into_iter().filter(|unit| !next.unstated.contains(unit)) {
                    unit.copy(&next.review, &mut stated);
                }
                there = merge(&key, &there.review, &there.base, next, now());
            }
            prop_assert_eq!(Review { updated_at: None, ..there.review }, stated);
        }

        #[test]
        fn the_order_of_fields_does_not_matter(
            first in any_said(), edit in any_review(), next in any_said(), order in Just(Unit::ALL.to_vec()).prop_shuffle(),
        ) {
            let key = key();
            let there = adopt(&key, &first);
            let at_once = merge(&key, &edit, &there.base, &next, now());
            // The same statement, field by field.
            let (mut row, mut base, mut taken, mut kept) = (edit, there.base, Units::new(), Units::new());
            for unit in order {
                let mut unstated: Units = Unit::ALL.into_iter().filter(|other| *other != unit).collect();
                if next.unstated.contains(&unit) {
                    unstated.insert(unit);
                }
                let merged = merge(&key, &row, &base, &Statement { unstated, ..next.clone() }, now());
                taken.extend(merged.taken);
                kept.extend(merged.kept);
                (row, base) = (merged.review, merged.base);
            }
            prop_assert_eq!((row, base, taken, kept), (at_once.review, at_once.base, at_once.taken, at_once.kept));
        }
    }
}
