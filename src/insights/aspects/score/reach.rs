//! Which words reach which others in a sentence: the negator that turns a judgement round, the cues
//! before it, and the name that an opinion belongs to.

use super::Scorer;
use crate::insights::aspects::parsed_sentence::{Item, Kind};
use crate::insights::trades::{Cue, Meaning};
use crate::steps;

/// How far before a word its negator stands at most, in units.
const NEGATION_REACH: usize = 5;
/// How far an opinion stands from the name of what it judges at most, in units between them.
const NAME_REACH: usize = 5;

impl Scorer<'_> {
    /// The last cue of that kind that begins with an item or before it.
    pub(super) fn last_cue(&self, item: &Item, is_wanted: impl Fn(Cue) -> bool) -> Option<Item> {
        let mut items = self.parsed.items.iter().rev().inspect(|_| steps::one());
        items
            .find(|one| {
                one.start <= item.start
                    && matches!(one.meaning, Meaning::Cue(cue) if is_wanted(cue))
            })
            .copied()
    }

    /// The cues that stand directly before an item, nearest first.
    pub(super) fn before(&self, at: usize) -> impl Iterator<Item = Item> {
        let mut end = self.parsed.items[at].start;
        let items = &self.parsed.items[..at];
        let longest = items
            .iter()
            .inspect(|_| steps::one())
            .map(|item| item.end - item.start)
            .max()
            .unwrap_or_default();
        std::iter::from_fn(move || {
            let mut near = items
                .iter()
                .rev()
                .inspect(|_| steps::one())
                .take_while(|item| item.start + longest >= end);
            let cue = near.find(|item| {
                item.end == end && item.start < end && matches!(item.meaning, Meaning::Cue(_))
            })?;
            end = cue.start;
            Some(*cue)
        })
    }

    /// The negator that reaches an item within its clause, if any: other judgements stop it, unless
    /// `or` goes on.
    pub(super) fn negator(&self, at: usize) -> Option<Item> {
        let item = self.parsed.items[at];
        // `No issues 👍`: a symbol is said beside the words, and no word turns it round.
        if self.parsed.units[item.start].is_mark {
            return None;
        }
        let from = self.parsed.clauses[self.parsed.clause_at(item.start)]
            .units
            .start
            .max(item.start.saturating_sub(NEGATION_REACH));
        let before = self.parsed.items[..at]
            .iter()
            .rev()
            .inspect(|_| steps::one())
            .take_while(|one| one.start >= from);
        for one in before {
            if one.end > item.start {
                continue;
            }
            match one.meaning {
                Meaning::Cue(Cue::Negator) => return Some(*one),
                Meaning::Opinion(_) | Meaning::Judges(..) => return None,
                Meaning::Names(_) | Meaning::Hints(_) | Meaning::Cue(_) => {}
            }
        }
        None
    }

    pub(super) fn is_negated(&self, at: usize) -> bool {
        if self.negator(at).is_some() {
            return true;
        }
        // `not friendly or helpful`
        let item = self.parsed.items[at];
        let joined = item
            .start
            .checked_sub(1)
            .is_some_and(|before| matches!(self.word(before), "or" | "nor"));
        if !joined {
            return false;
        }
        let polar = |item: &Item| matches!(item.meaning, Meaning::Opinion(_) | Meaning::Judges(..));
        let before = self.parsed.items[..at]
            .iter()
            .inspect(|_| steps::one())
            .rposition(|one| polar(one) && one.end + 1 == item.start);
        before.is_some_and(|before| self.negated[before])
    }

    /// The name that an opinion belongs to: the one it stands before, else the one its clause is
    /// about, else the last clause's.
    pub(super) fn named(&self, at: usize) -> Option<usize> {
        let item = self.parsed.items[at];
        let clause = self.parsed.clause_at(item.start);
        let units = self.parsed.clauses[clause].units.clone();
        let is_name = |item: &Item| {
            matches!(
                item.meaning,
                Meaning::Names(_) | Meaning::Hints(_) | Meaning::Cue(Cue::Setting)
            )
        };
        let reach =
            item.end.max(units.start)..units.end.min(item.end + NAME_REACH + 1).max(units.start);
        let (first, near) = self.parsed.items_within(reach);
        let after = near
            .iter()
            .inspect(|_| steps::one())
            .position(|one| is_name(one) && self.reaches(item.end, one.start));
        if let Some(after) = after {
            return Some(first + after);
        }
        let (first, within) = self.parsed.items_within(units.clone());
        let before = within
            .iter()
            .inspect(|_| steps::one())
            .rposition(|one| is_name(one) && one.end <= item.start);
        if let Some(before) = before {
            return Some(first + before);
        }
        // `The work was quick, neat and flawless`: the list goes on.
        let kind = self.parsed.clauses[clause].kind;
        let goes_on = (kind == Kind::Mark || self.word(units.start) == "and")
            && item.start.saturating_sub(units.start) <= 2;
        if !goes_on || clause == 0 {
            return None;
        }
        let (first, earlier) = self
            .parsed
            .items_within(self.parsed.clauses[clause - 1].units.clone());
        earlier
            .iter()
            .inspect(|_| steps::one())
            .rposition(is_name)
            .map(|at| first + at)
    }

    /// Whether an opinion that ends at `end` judges a name that begins at `start`: no verb between.
    fn reaches(&self, end: usize, start: usize) -> bool {
        start - end <= NAME_REACH
            && !(end..start).any(|unit| {
                matches!(
                    self.word(unit),
                    "was" | "is" | "were" | "are" | "but" | "to" | "that" | "because" | "when"
                )
            })
    }

    fn word(&self, unit: usize) -> &str {
        self.parsed
            .units
            .get(unit)
            .map_or("", |unit| self.text.word(unit.start))
    }
}
