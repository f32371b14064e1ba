//! The laws of the merge, for any sequence of imports and edits.

use proptest::prelude::*;

use super::tests::{key, now, review, said};
use super::*;
use crate::reviews::Response;

prop_compose! {
    /// A review of few different values, so that owner and source often say the same.
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
            mentions: crate::reviews::Mentions::new(technicians, Vec::new(), Vec::new()),
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
    let unsaid = prop::sample::subsequence(optional.to_vec(), 0..=optional.len());
    (any_review(), unsaid).prop_map(|(review, unsaid)| Statement {
        unsaid: unsaid.into_iter().collect(),
        ..said(review)
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
        prop_assert_eq!((&twice.review, &twice.base, twice.taken), (&once.review, &once.base, Units::NONE));
    }

    #[test]
    fn an_owner_s_edit_survives_any_imports(first in any_said(), edit in any_review(), imports in prop::collection::vec(any_said(), 0..5)) {
        let key = key();
        let there = adopt(&key, &first);
        let decided = there.base.decided(&key, &edit);
        let (mut row, mut base, mut own) = (edit.clone(), there.base, decided);
        for next in &imports {
            // Where the source says the same as the owner, it is no longer a decision.
            for unit in own.iter().filter(|unit| !next.unsaid.has(*unit)).collect::<Vec<_>>() {
                if key.digest(unit, &next.review) == key.digest(unit, &edit) {
                    own.remove(unit);
                }
            }
            let merged = merge(&key, &row, &base, next, now());
            (row, base) = (merged.review, merged.base);
            for unit in own.iter() {
                prop_assert_eq!(key.digest(unit, &row), key.digest(unit, &edit), "{:?}", unit);
            }
        }
    }

    #[test]
    fn without_edits_the_row_is_what_the_source_stated_last(first in any_said(), imports in prop::collection::vec(any_said(), 1..5)) {
        let key = key();
        let mut there = adopt(&key, &first);
        let mut stated = first.review;
        for next in &imports {
            for unit in Unit::ALL.into_iter().filter(|unit| !next.unsaid.has(*unit)) {
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
        // The same statement, told field by field.
        let (mut row, mut base, mut taken, mut kept) = (edit, there.base, Units::NONE, Units::NONE);
        for unit in order {
            let mut unsaid: Units = Unit::ALL.into_iter().filter(|other| *other != unit).collect();
            if next.unsaid.has(unit) {
                unsaid.insert(unit);
            }
            let told = merge(&key, &row, &base, &Statement { unsaid, ..next.clone() }, now());
            told.taken.iter().for_each(|unit| taken.insert(unit));
            told.kept.iter().for_each(|unit| kept.insert(unit));
            (row, base) = (told.review, told.base);
        }
        prop_assert_eq!((row, base, taken, kept), (at_once.review, at_once.base, at_once.taken, at_once.kept));
    }
}
