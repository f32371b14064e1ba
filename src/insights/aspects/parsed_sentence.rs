//! A parsed sentence, the input of the scoring: its units, its phrases without overlaps, and its clauses.

use std::cmp::Reverse;
use std::ops::Range;

use super::patterns::{CompiledRules, Match, Rank, WordUnit};
use crate::insights::analysis::Polarity;
use crate::insights::text::TokenizedText;
use crate::insights::trades::{Cue, Meaning};

/// A phrase in the sentence. Positions are units of the sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhraseMatch {
    pub start: usize,
    pub end: usize,
    pub words: u64,
    pub rule: usize,
    pub meaning: Meaning,
}

/// A part of a sentence that makes one statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    pub units: Range<usize>,
    /// The separator between this clause and the one before it.
    pub kind: ClauseStart,
    pub about: About,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a fact by itself")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct About {
    /// About another company, until the business is mentioned again.
    pub elsewhere: bool,
    /// A wish of the customer.
    pub wishes: bool,
    /// A possibility or a question.
    pub open: bool,
    /// About the customer's trouble before the business came.
    pub trouble: bool,
}

impl About {
    /// Whether a judgement that only the classifier makes does not count: about a possibility, blame for another business
    /// or for earlier trouble, and praise in a wish.
    pub const fn excludes(self, polarity: Polarity) -> bool {
        match polarity {
            Polarity::Positive => self.open || self.wishes,
            Polarity::Negative => self.open || self.elsewhere || self.trouble,
            Polarity::Neutral | Polarity::Uncertain => false,
        }
    }
}

/// A parsed sentence. Reused between sentences for its buffers.
#[derive(Debug, Default)]
pub struct ParsedSentence<'judge> {
    pub units: Vec<WordUnit<'judge>>,
    /// Phrases by position; at the same position in the trade's order.
    pub items: Vec<PhraseMatch>,
    /// Clauses in order, never empty, without the marks between them.
    pub clauses: Vec<Clause>,
    matches: Vec<Match<'judge>>,
    taken: Vec<bool>,
}

impl<'judge> ParsedSentence<'judge> {
    pub fn fill(
        &mut self,
        rules: &'judge CompiledRules,
        text: &TokenizedText,
        sentence: Range<usize>,
    ) {
        rules
            .vocabulary
            .units(text, sentence.clone(), &mut self.units);
        self.matches.clear();
        rules.trie.find(&self.units, &mut self.matches);
        self.select(rules);
        self.part(text, sentence.start == 0);
    }

    /// The tokens of these units.
    pub fn tokens(&self, units: Range<usize>) -> Range<usize> {
        let last = self.units.get(units.end.saturating_sub(1));
        match self.units.get(units.start).zip(last) {
            Some((first, last)) => first.start..last.end,
            None => 0..0,
        }
    }

    /// The index of the clause that contains a unit.
    pub fn clause_at(&self, unit: usize) -> usize {
        self.clauses
            .partition_point(|clause| clause.units.start <= unit)
            .saturating_sub(1)
    }

    /// The items that begin within these units, and the index of the first of them.
    pub fn items_within(&self, units: Range<usize>) -> (usize, &[PhraseMatch]) {
        let from = self.items.partition_point(|item| item.start < units.start);
        let len = self.items[from..].partition_point(|item| item.start < units.end);
        (from, &self.items[from..from + len])
    }

    /// Whether an item that was selected so far begins at `start`, has these words, and fulfils `is_it`.
    fn has_at(&self, start: usize, words: u64, is_it: impl Fn(&PhraseMatch) -> bool) -> bool {
        let (_, items) = self.items_within(start..start + 1);
        let mut items = items.iter();
        items.any(|item| item.words == words && is_it(item))
    }

    /// Of overlapping matches, keeps the one with the most words of its own; of equal ones the shortest, then the
    /// first.
    fn select(&mut self, compiled: &CompiledRules) {
        self.matches.sort_unstable_by_key(|one| {
            let is_joint = one.node.rank == Rank::Joins;
            (
                is_joint,
                Reverse(one.words.count_ones()),
                one.end - one.start,
                one.start,
                one.node.rank,
                one.words,
                one.node.rules.first().copied(),
            )
        });
        self.taken.clear();
        self.taken.resize(self.units.len(), false);
        self.items.clear();
        for at in 0..self.matches.len() {
            let one = self.matches[at];
            let (start, end) = (one.start, one.end);
            let words = one.words;
            let own = || (start..end).filter(|unit| words >> (unit - start).min(63) & 1 == 1);
            if !one.node.is_above {
                // The same words may judge several aspects; any other overlapping match is dropped.
                let is_twin = self.has_at(start, words, |item| item.end == end);
                if !is_twin && own().any(|unit| self.taken[unit]) {
                    continue;
                }
                own().for_each(|unit| self.taken[unit] = true);
            }
            for rule in &one.node.rules {
                let rule = *rule as usize;
                let meaning = compiled.rules[rule].1;
                if self.has_at(start, words, |item| same_kind(item.meaning, meaning)) {
                    continue;
                }
                let is_before = |item: &PhraseMatch| (item.start, item.rule) <= (start, rule);
                let item = PhraseMatch {
                    start,
                    end,
                    words,
                    rule,
                    meaning,
                };
                let place = self.items.partition_point(is_before);
                self.items.insert(place, item);
            }
        }
    }

    /// Divides the sentence into clauses and determines the subject of each.
    fn part(&mut self, text: &TokenizedText, opens_text: bool) {
        self.clauses.clear();
        let mut start = 0;
        let mut kind = ClauseStart::First;
        let mut items = &self.items[..];
        for at in 0..=self.units.len() {
            let next = self.units.get(at).map(|unit| {
                let len = items.iter().take_while(|item| item.start == at).count();
                let (matches, rest) = items.split_at(len);
                items = rest;
                Self::begins(text, unit, at, matches)
            });
            if next == Some(None) {
                continue;
            }
            if start < at {
                self.clauses.push(Clause {
                    units: start..at,
                    kind,
                    about: About::default(),
                });
            }
            let begun = next.flatten().unwrap_or(ClauseStart::Mark);
            // In `, but` the clause of the mark is empty, and the conjunction determines the kind.
            start = if begun == ClauseStart::Mark {
                at + 1
            } else {
                at
            };
            kind = begun;
        }
        if self.clauses.is_empty() {
            let units = 0..self.units.len();
            self.clauses.push(Clause {
                units,
                kind,
                about: About::default(),
            });
        }
        self.mark_others(opens_text);
    }

    /// The kind of clause that begins at a unit with these items, if any.
    fn begins(
        text: &TokenizedText,
        unit: &WordUnit<'_>,
        at: usize,
        matches: &[PhraseMatch],
    ) -> Option<ClauseStart> {
        if unit.is_mark {
            return (!matches!(
                text.word(unit.start),
                "'" | "\"" | "$" | "€" | "£" | "%" | "#" | "&" | "/" | "*"
            ))
            .then_some(ClauseStart::Mark);
        }
        let cue = matches.iter().find_map(|item| {
            let is = |cue| item.meaning == Meaning::Cue(cue);
            let contrast = is(Cue::Contrast).then_some(ClauseStart::Contrast);
            contrast.or(is(Cue::Joint).then_some(ClauseStart::Joint))
        });
        cue.filter(|_| at > 0 || cue == Some(ClauseStart::Contrast))
    }

    /// Determines the subject of each clause. Another company remains the subject until the business is mentioned
    /// again; earlier trouble applies only to its own clause, and everything else until a contrast.
    fn mark_others(&mut self, opens_text: bool) {
        let mut about = About::default();
        let mut is_afterwards = false;
        for at in 0..self.clauses.len() {
            let Clause { units, kind, .. } = self.clauses[at].clone();
            if kind == ClauseStart::Contrast {
                about = About::default();
            }
            let (_, own) = self.items_within(units);
            let has_own = |cue| own.iter().any(|item| item.meaning == Meaning::Cue(cue));
            is_afterwards |= has_own(Cue::Afterwards);
            about = About {
                trouble: !is_afterwards
                    && (has_own(Cue::Trouble) || at == 0 && opens_text && has_own(Cue::Breakdown)),
                elsewhere: has_own(Cue::Elsewhere) || about.elsewhere && !has_own(Cue::Firm),
                wishes: about.wishes || has_own(Cue::Wish),
                open: about.open || has_own(Cue::Open),
            };
            self.clauses[at].about = about;
        }
    }
}

/// How a clause begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClauseStart {
    /// With the sentence, without a mark or `but` before it.
    First,
    /// After a comma or another mark.
    Mark,
    /// With `but` or a similar word.
    Contrast,
    /// With `and they` or similar words.
    Joint,
}

/// Whether two meanings at the same position are of the same kind, so that the first one is sufficient.
fn same_kind(one: Meaning, other: Meaning) -> bool {
    match (one, other) {
        (Meaning::Judges(one, _), Meaning::Judges(other, _))
        | (
            Meaning::Names(one) | Meaning::Hints(one),
            Meaning::Names(other) | Meaning::Hints(other),
        ) => one == other,
        (Meaning::Opinion(_) | Meaning::Judges(..), Meaning::Opinion(_))
        | (Meaning::Judges(..), Meaning::Names(_) | Meaning::Hints(_)) => true,
        (Meaning::Cue(one), Meaning::Cue(other)) => one == other,
        _ => false,
    }
}
