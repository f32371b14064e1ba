//! Merges an imported review by unit, the parts that its source and its owner can change independently: the source's
//! new values, what it said before and the stored review. A pure function of one review; the importer selects and
//! writes the rows.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::json::without_nulls;
use super::review::{
    ANONYMOUS, Day, GONE, MAYBE_NOT_PUBLISHED, Method, NOT_VERIFIED, Review, Status, Unit,
};
use super::units::Units;
use super::words::short_name;

/// A review as read from an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedReview {
    /// With defaults for unstated units.
    pub review: Review,
    /// Units without a value in the import, which overwrite nothing.
    pub unstated: Units,
    /// Units that an export marks as the owner's decisions.
    pub decided: Units,
    /// Units that the source does not say to be public: it hides those without a value.
    pub not_public: Units,
    /// The blocks of its format that its file has, each with whether it publishes.
    pub blocks: Vec<(PublicBlock, bool)>,
}

/// A block of publication: the unit that it is about, and the first of its columns.
pub type PublicBlock = (Unit, Box<str>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The review after the merge.
    pub review: Review,
    /// What the next merge compares with.
    pub last_statement: LastStatement,
    /// Units that keep the owner's value although the source has another one.
    pub kept_against_source: Units,
}

/// A new review. All units have the source's values, except those that the owner decided; `last_statement` is what the source last said
/// according to an export.
pub fn adopt(statement: &StatedReview, last_statement: Option<LastStatement>) -> Merged {
    let review = withhold_unverified(statement.review.clone());
    let last_statement = last_statement.unwrap_or_else(|| {
        let mut last_statement = LastStatement::default();
        for unit in Unit::ALL {
            if statement.decided.contains(&unit) {
                last_statement.decided.insert(unit);
            } else {
                last_statement.note(unit, &review, statement);
            }
        }
        last_statement
    });
    Merged {
        review,
        last_statement,
        kept_against_source: Units::new(),
    }
}

/// Merges an imported review into the stored review.
pub fn merge(
    stored: &Review,
    last_statement: &LastStatement,
    statement: &StatedReview,
    now: DateTime<Utc>,
) -> Merged {
    let mut statement = Cow::Borrowed(statement);
    if returns(last_statement, &statement) {
        let returned = statement.to_mut();
        returned.review.status = Status::Published;
        returned.unstated.remove(&Unit::Status);
    }
    let mut merged = Merged {
        review: stored.clone(),
        last_statement: last_statement.clone(),
        kept_against_source: Units::new(),
    };
    for unit in Unit::ALL {
        merge_unit(unit, stored, &statement, &mut merged);
    }
    let (review, last_statement) = (&mut merged.review, &mut merged.last_statement);
    let is_decided = last_statement.decided.contains(&Unit::Status);
    if is_decided && review.status == Status::Published && review.verification.method.is_none() {
        // The owner who publishes a review vouches for it, until its source verifies it. So this is no edit of the verification.
        review.verification.method = Some(Method::Manual);
        last_statement.set(Unit::Verification, review);
    }
    merged.review = withhold_unverified(merged.review);
    let newer = statement.review.updated_at;
    let newer = newer.filter(|at_source| stored.updated_at.is_none_or(|at| at < *at_source));
    merged.review.updated_at = match newer {
        Some(newer) => Some(newer),
        None if merged.review == *stored => stored.updated_at,
        // The time advances with every visible change and never goes back.
        None => stored.updated_at.max(Some(now)),
    };
    merged
}

/// A unit of a stored review beside the one that an import states.
enum UnitState {
    /// The same, so that it is no longer a decision of the owner.
    Equal,
    /// What the source said last, so that it becomes what the import states.
    Untouched,
    /// It stays, and the report names it.
    Edited,
}

fn unit_state(
    unit: Unit,
    stored: &Review,
    stated: &Review,
    last_statement: &LastStatement,
) -> UnitState {
    if unit.is_same(stored, stated) {
        return UnitState::Equal;
    }
    // A review that its source hides is withheld even if nothing is known of what the source said before.
    let hides = unit == Unit::Status && stored.status == Status::Published;
    let is_source_s = last_statement.compare(unit, stored);
    let is_source_s = is_source_s.unwrap_or_else(|| unit.is_unset(stored) || hides);
    if is_source_s && !last_statement.decided.contains(&unit) {
        UnitState::Untouched
    } else {
        UnitState::Edited
    }
}

/// Merges a unit by its [`UnitState`]. One that the import does not state stays as it is.
fn merge_unit(unit: Unit, stored: &Review, statement: &StatedReview, merged: &mut Merged) {
    let (stated, last_statement) = (&statement.review, &mut merged.last_statement);
    let is_decision = statement.decided.contains(&unit);
    // What the source hid stays hidden until it says otherwise.
    let stays_hidden = statement.not_public.contains(&unit)
        && !looks_hidden(unit, stated)
        && last_statement.is_hidden(unit)
        && !last_statement.is_shown_by(statement, unit);
    if (statement.unstated.contains(&unit) || stays_hidden) && !is_decision {
        return;
    }
    match unit_state(unit, stored, stated, last_statement) {
        UnitState::Equal => {
            // An exported decision stays one. What a command removed stays removed even if the source removed it too.
            let is_removed = unit == Unit::Status && stored.status != Status::Published
                || unit == Unit::Reply && stored.reply.is_none()
                || unit == Unit::Author && stored.author == ANONYMOUS;
            if !is_decision && !is_removed {
                last_statement.decided.remove(&unit);
            }
        }
        UnitState::Untouched => unit.copy(stated, &mut merged.review),
        UnitState::Edited => _ = merged.kept_against_source.insert(unit),
    }
    if !is_decision {
        last_statement.note(unit, stated, statement);
    } else if !last_statement.is_decided(unit, &merged.review) {
        // Otherwise the value itself shows that it is not the source's, or a command did.
        last_statement.decided.insert(unit);
    }
}

/// Whether a review that was withheld for want of a row, or of a verification, has one now, and no other reason; or what hid it publishes it.
fn returns(last_statement: &LastStatement, statement: &StatedReview) -> bool {
    let status = last_statement.units.get(Unit::Status.name());
    let reasons = [GONE, MAYBE_NOT_PUBLISHED, NOT_VERIFIED];
    let was = reasons.map(|reason| status_json(&Status::withheld(reason)));
    let is_published = status.is_some_and(|status| was.contains(status))
        || last_statement.is_shown_by(statement, Unit::Status);
    statement.unstated.contains(&Unit::Status) && is_published
}

/// A review without a verification is never published.
pub fn withhold_unverified(mut review: Review) -> Review {
    if review.verification.method.is_none() && review.status == Status::Published {
        review.status = Status::withheld(NOT_VERIFIED);
    }
    review
}

/// What a source last said of a review. As JSON, an object: a member for each unit of which that is known, by the unit's name;
/// null if it said that there is none, false if it hid it. Names and free texts are digests, so that nothing of an erased review
/// stays here: the first 16 hexadecimal digits of the SHA-256 of an author, a title or a text, and of the JSON of a reply or of mentions.
/// `decided` lists the units that a command made the owner's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LastStatement {
    #[serde(skip_serializing_if = "Units::is_empty")]
    pub decided: Units,
    /// The blocks that hid a unit and have not published it since.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hidden_by: Vec<PublicBlock>,
    /// By the units' names. Members that another program added mean nothing.
    #[serde(flatten)]
    units: BTreeMap<String, Value>,
}

/// Of a unit that the source hides.
const SAID_HIDDEN: Value = Value::Bool(false);

/// Whether the unit is as in a review whose source hides it.
fn looks_hidden(unit: Unit, review: &Review) -> bool {
    unit.is_unset(review) || unit == Unit::Author && review.author == ANONYMOUS
}

impl LastStatement {
    /// Records the unit of `review` as the source's, also that the source hides it. What it hid it still hides where there is no value.
    fn note(&mut self, unit: Unit, review: &Review, statement: &StatedReview) {
        let was_hidden = self.is_hidden(unit);
        self.set(unit, review);
        if (was_hidden || statement.not_public.contains(&unit)) && looks_hidden(unit, review) {
            self.units.insert(unit.name().to_owned(), SAID_HIDDEN);
        }
        let is_withheld = unit == Unit::Status && review.status != Status::Published;
        let is_hidden = is_withheld || self.is_hidden(unit);
        // A block that publishes what has no value shows nothing yet.
        let is_empty = !is_withheld && !statement.not_public.contains(&unit);
        let blocks = statement.blocks.iter();
        let is_stated =
            |it: &PublicBlock| !is_empty && blocks.clone().any(|(block, _)| block == it);
        self.hidden_by
            .retain(|it| it.0 != unit || is_hidden && !is_stated(it));
        for (block, publishes) in blocks {
            if block.0 == unit && !publishes && !self.hidden_by.contains(block) {
                self.hidden_by.push(block.clone());
            }
        }
    }

    /// Whether the source hides the unit.
    pub fn is_hidden(&self, unit: Unit) -> bool {
        self.units.get(unit.name()) == Some(&SAID_HIDDEN)
    }

    /// Whether all blocks that hid a unit publish it now.
    fn is_shown_by(&self, statement: &StatedReview, unit: Unit) -> bool {
        let mut hiding = self.hidden_by.iter().filter(|it| it.0 == unit).peekable();
        let publishes = |it: &PublicBlock| statement.blocks.contains(&(it.clone(), true));
        hiding.peek().is_some() && hiding.all(publishes)
    }

    /// Records what the source hides by a later statement.
    pub fn keep_hidden(&mut self, later: &Self) {
        let hidden = later.units.iter().filter(|it| *it.1 == SAID_HIDDEN);
        let hidden = hidden.map(|it| (it.0.clone(), SAID_HIDDEN));
        self.units.extend(hidden);
        for block in &later.hidden_by {
            if !self.hidden_by.contains(block) {
                self.hidden_by.push(block.clone());
            }
        }
    }

    /// Records the unit of `review` as the source's.
    pub fn set(&mut self, unit: Unit, review: &Review) {
        let value = unit_json(unit, review);
        self.units.insert(unit.name().to_owned(), value);
    }

    /// Whether the source last said what `review` has; `None` if that is not known.
    pub fn compare(&self, unit: Unit, review: &Review) -> Option<bool> {
        let last = self.units.get(unit.name())?;
        let is_same = *last == unit_json(unit, review);
        Some(is_same || *last == SAID_HIDDEN && looks_hidden(unit, review))
    }

    /// Whether the owner decided the unit of `review`: by a command, or because it differs from what the source last said, or
    /// has a value that the source never gave.
    pub fn is_decided(&self, unit: Unit, review: &Review) -> bool {
        let is_source_s = self.compare(unit, review);
        self.decided.contains(&unit) || !is_source_s.unwrap_or_else(|| unit.is_unset(review))
    }

    /// The units of `review` that the owner decided.
    pub fn decisions(&self, review: &Review) -> Units {
        let units = Unit::ALL.into_iter();
        let decided = units.filter(|unit| self.is_decided(*unit, review));
        decided.collect()
    }
}

/// A unit of a review as in [`LastStatement`].
fn unit_json(unit: Unit, review: &Review) -> Value {
    if unit.is_unset(review) {
        return Value::Null;
    }
    if unit == Unit::Status {
        return status_json(&review.status);
    }
    let value = unit.value(review);
    if !unit.is_personal() {
        return without_nulls(value);
    }
    match value.as_str() {
        Some(text) => hex_digest(text),
        None => hex_digest(&value.to_string()),
    }
}

fn status_json(status: &Status) -> Value {
    match status {
        Status::Published => json!("published"),
        Status::Withheld { reason } => json!({ "withheld": reason }),
    }
}

fn hex_digest(text: &str) -> Value {
    Value::from(format!("{:016x}", first_bits(&Sha256::digest(text))))
}

/// Digests of a review as its source gives it, by which its rows, and its copies in other sources, are found. Blanks and line
/// ends do not count. The author is the one that the source names, even if the name is not published, and the day of an instant
/// is that in UTC.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digests {
    /// Of author and day: 40 bits of the author's digest, then 24 of the day's, so that each can be compared alone.
    pub author_and_day: i64,
    /// Of the author's short name, because some sources shorten names, and of day, stars and text.
    pub content: i64,
    pub text: i64,
}

/// Bits of [`Digests::author_and_day`] that are of the day.
const DAY_BITS: u32 = 24;

impl Digests {
    pub fn new(review: &Review, author: &str, posted_at: Option<DateTime<Utc>>) -> Self {
        let day = source_day(review.date, posted_at);
        let number = day.number().to_be_bytes();
        let short = short_name(&one_line(author));
        let (stars, text) = ([review.rating.stars()], one_line(&review.text));
        Self {
            author_and_day: Self::author_and_day(author, day),
            content: digest(&[short.as_bytes(), &number, &stars, text.as_bytes()]),
            text: Self::text_of(&review.text),
        }
    }

    /// Of a text as in [`Self::text`].
    pub fn text_of(text: &str) -> i64 {
        digest(&[one_line(text).as_bytes()])
    }

    /// Of a name as [`Self::author`] is.
    pub fn author_of(name: &str) -> i64 {
        digest(&[one_line(name).as_bytes()]) >> DAY_BITS
    }

    pub fn author_and_day(author: &str, day: Day) -> i64 {
        let author = Self::author_of(author) << DAY_BITS;
        author | digest(&[&day.number().to_be_bytes()]) & ((1 << DAY_BITS) - 1)
    }

    pub const fn author(&self) -> i64 {
        self.author_and_day >> DAY_BITS
    }

    pub const fn has_day_of(&self, other: &Self) -> bool {
        (self.author_and_day ^ other.author_and_day) & ((1 << DAY_BITS) - 1) == 0
    }
}

/// The day of a review at its source: that of an instant is the one in UTC.
pub fn source_day(day: Day, posted_at: Option<DateTime<Utc>>) -> Day {
    let at_source = posted_at.and_then(|at| Day::new(at.date_naive()));
    at_source.unwrap_or(day)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn digest(parts: &[&[u8]]) -> i64 {
    first_bits(&sha256_of_parts(parts)).cast_signed()
}

/// The SHA-256 of parts, each after its length, which distinguishes ("ab", "c") from ("a", "bc").
pub fn sha256_of_parts(parts: &[impl AsRef<[u8]>]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts.iter().map(AsRef::as_ref) {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

fn first_bits(digest: &[u8]) -> u64 {
    u64::from_be_bytes(digest.first_chunk().copied().unwrap_or_default())
}

impl Display for Digests {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:016x}-{:016x}-{:016x}",
            self.author_and_day, self.content, self.text
        )
    }
}

impl FromStr for Digests {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split('-');
        let numbers = parts.map(|part| u64::from_str_radix(part, 16).ok());
        match numbers.collect::<Option<Vec<_>>>().as_deref() {
            Some([author_and_day, content, of_text]) => Ok(Self {
                author_and_day: author_and_day.cast_signed(),
                content: content.cast_signed(),
                text: of_text.cast_signed(),
            }),
            _ => Err(format!(
                "`{text}` is not three digests as `reviews export` writes them"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    pub(super) fn now() -> DateTime<Utc> {
        at("2026-11-20T12:00:00Z")
    }

    pub(super) fn review() -> Review {
        serde_json::from_value(json!({
            "id": "r-1", "rating": 5, "date": "2026-11-01", "author": "Ann B.", "text": "Good.", "source": "Yelp",
            "verification": "manual", "mentions": {}, "status": "Published",
        }))
        .unwrap()
    }

    fn with_text(text: &str) -> Review {
        Review {
            text: text.to_owned(),
            ..review()
        }
    }

    pub(super) fn statement_of(review: Review) -> StatedReview {
        StatedReview {
            review,
            unstated: Units::new(),
            decided: Units::new(),
            not_public: Units::new(),
            blocks: Vec::new(),
        }
    }

    pub(super) fn adopted(statement: &StatedReview) -> Merged {
        adopt(statement, None)
    }

    #[test]
    fn a_review_that_is_verified_now_is_published() {
        let unverified = Review {
            status: Status::withheld(NOT_VERIFIED),
            ..review()
        };
        let last_statement = adopted(&statement_of(unverified.clone())).last_statement;
        let mut statement = statement_of(review());
        statement.unstated.insert(Unit::Status);
        let merged = merge(&unverified, &last_statement, &statement, now());
        assert_eq!(merged.review.status, Status::Published);
    }

    #[test]
    fn a_decision_to_publish_vouches_for_the_review() {
        let mut unverified = review();
        unverified.status = Status::withheld(NOT_VERIFIED);
        unverified.verification.method = None;
        let last_statement = adopted(&statement_of(review())).last_statement;
        let withheld = merge(
            &review(),
            &last_statement,
            &statement_of(unverified.clone()),
            now(),
        );
        assert_eq!(withheld.review.status, Status::withheld(NOT_VERIFIED));
        let mut verified = review();
        verified.verification.method = Some(Method::SourcePlatform);
        let mut merged = adopted(&statement_of(verified.clone()));
        merged.last_statement.decided.insert(Unit::Status);
        for (stated, method) in [
            (&unverified, Method::Manual),
            (&unverified, Method::Manual),
            (&verified, Method::SourcePlatform),
        ] {
            let statement = statement_of(stated.clone());
            merged = merge(&merged.review, &merged.last_statement, &statement, now());
            assert_eq!(merged.review.status, Status::Published);
            assert_eq!(merged.review.verification.method, Some(method));
        }
    }

    #[test]
    fn a_source_updates_a_field_unless_the_owner_edited_it() {
        // The last statement, the stored text, the source's; then the text after the merge, and whether the owner's value is kept.
        let cases = [
            (Some("a"), "a", "a", "a", false),
            (Some("a"), "a", "b", "b", false),
            (Some("a"), "edited", "a", "edited", true),
            (Some("a"), "edited", "b", "edited", true),
            (Some("a"), "b", "b", "b", false),
            (None, "edited", "b", "edited", true),
            (None, "b", "b", "b", false),
            (None, "", "b", "b", false),
            (Some("a"), "", "b", "", true),
            (Some("a"), "a", "", "", false),
        ];
        for (last_statement, stored, source, then, is_kept) in cases {
            let last_statement = last_statement.map_or_else(LastStatement::default, |text| {
                adopted(&statement_of(with_text(text))).last_statement
            });
            let merged = merge(
                &with_text(stored),
                &last_statement,
                &statement_of(with_text(source)),
                now(),
            );
            let shown = format!("{last_statement:?} {stored} {source}");
            assert_eq!(
                (
                    merged.review.text.as_str(),
                    merged.kept_against_source.contains(&Unit::Text)
                ),
                (then, is_kept),
                "{shown}"
            );
            assert_eq!(
                merged
                    .last_statement
                    .compare(Unit::Text, &with_text(source)),
                Some(true),
                "{shown}"
            );
        }
    }
}

#[cfg(test)]
mod laws {
    use proptest::prelude::*;

    use super::tests::{adopted, now, review, statement_of};
    use super::*;
    use crate::model::Reply;

    prop_compose! {
        /// A review of few different values, so that owner and source often agree.
        fn any_review()(
            rating in 1_i64..=2, day in 1_u32..=2, author in "[ab]", title in prop::option::of("[ab]"), text in "[ab]?",
            reply in prop::option::of("[ab]"), reason in prop::option::of("[ab]"), technicians in prop::collection::vec("[ab]", 0..2),
        ) -> Review {
            Review {
                rating: rating.try_into().unwrap(),
                date: format!("2026-11-0{day}").parse().unwrap(),
                author, title, text,
                reply: reply.map(|text| Reply { text, date: None, author: None }),
                status: reason.map_or(Status::Published, |reason| Status::Withheld { reason: Some(reason) }),
                mentions: crate::model::Mentions::new(technicians, Vec::new(), Vec::new()),
                ..review()
            }
        }
    }

    fn any_statement() -> impl Strategy<Value = StatedReview> {
        let optional = [
            Unit::Title,
            Unit::Language,
            Unit::Source,
            Unit::Status,
            Unit::Verification,
            Unit::Reply,
            Unit::Mentions,
        ];
        let unstated = prop::sample::subsequence(optional.to_vec(), 0..=optional.len());
        (any_review(), unstated).prop_map(|(review, unstated)| StatedReview {
            unstated: unstated.into_iter().collect(),
            ..statement_of(review)
        })
    }

    proptest! {
        #[test]
        fn an_import_repeated_changes_nothing(first in any_statement(), edit in any_review(), next in any_statement(), is_edited: bool) {
                let there = adopted(&first);
            let stored = if is_edited { edit } else { there.review };
            let once = merge(&stored, &there.last_statement, &next, now());
            let twice = merge(&once.review, &once.last_statement, &next, now() + chrono::Duration::days(1));
            prop_assert_eq!((&twice.review, &twice.last_statement), (&once.review, &once.last_statement));
        }

        #[test]
        fn an_owner_s_edit_survives_any_imports(first in any_statement(), edit in any_review(), imports in prop::collection::vec(any_statement(), 0..5)) {
                let there = adopted(&first);
            let decided = there.last_statement.decisions(&edit);
            let (mut stored, mut last_statement, mut edited) = (edit.clone(), there.last_statement, decided.into_iter().collect::<Vec<_>>());
            for next in &imports {
                // If the source agrees with the owner, it is no longer a decision.
                edited.retain(|unit| {
                    next.unstated.contains(unit) || unit_json(*unit, &next.review) != unit_json(*unit, &edit)
                });
                let merged = merge(&stored, &last_statement, next, now());
                (stored, last_statement) = (merged.review, merged.last_statement);
                for unit in edited.iter().copied() {
                    prop_assert_eq!(unit_json(unit, &stored), unit_json(unit, &edit), "{:?}", unit);
                }
            }
        }

        #[test]
        fn without_edits_the_stored_review_equals_the_last_statement(first in any_statement(), imports in prop::collection::vec(any_statement(), 1..5)) {
                let mut there = adopted(&first);
            let mut stated = first.review;
            for next in &imports {
                for unit in Unit::ALL.into_iter().filter(|unit| !next.unstated.contains(unit)) {
                    unit.copy(&next.review, &mut stated);
                }
                there = merge(&there.review, &there.last_statement, next, now());
            }
            prop_assert_eq!(Review { updated_at: None, ..there.review }, stated);
        }

        #[test]
        fn the_order_of_fields_does_not_matter(
            first in any_statement(), edit in any_review(), next in any_statement(), order in Just(Unit::ALL.to_vec()).prop_shuffle(),
        ) {
                let there = adopted(&first);
            let at_once = merge(&edit, &there.last_statement, &next, now());
            // The same statement, field by field.
            let (mut stored, mut last_statement, mut kept) = (edit, there.last_statement, Units::new());
            for unit in order {
                let mut unstated: Units = Unit::ALL.into_iter().filter(|other| *other != unit).collect();
                if next.unstated.contains(&unit) {
                    unstated.insert(unit);
                }
                let merged = merge(&stored, &last_statement, &StatedReview { unstated, ..next.clone() }, now());
                kept.extend(merged.kept_against_source);
                (stored, last_statement) = (merged.review, merged.last_statement);
            }
            prop_assert_eq!((stored, last_statement, kept), (at_once.review, at_once.last_statement, at_once.kept_against_source));
        }
    }
}
