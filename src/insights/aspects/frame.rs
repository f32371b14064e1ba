//! A sentence as the scoring sees it: its units, the phrases in it without overlaps, and its clauses.

use std::cmp::Reverse;
use std::ops::Range;

use super::trie::Match;
use super::{Judge, Unit};
use crate::insights::text::Text;
use crate::insights::trade::{Cue, Meaning};

/// A phrase in the sentence. Places are units of the sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    pub start: usize,
    pub end: usize,
    pub words: u64,
    pub rule: usize,
    pub meaning: Meaning,
}

/// A part of a sentence that says one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    pub units: Range<usize>,
    /// It begins with `but` or the like.
    pub contrasts: bool,
    /// It begins after a comma, and not with a conjunction.
    pub continues: bool,
    /// It is about another company.
    pub elsewhere: bool,
    /// It says what the customer would have liked.
    pub wishes: bool,
    /// It says what may be, or asks.
    pub open: bool,
}

/// A sentence, taken apart. Kept between sentences for its buffers.
#[derive(Debug, Default)]
pub struct Frame<'judge> {
    pub units: Vec<Unit<'judge>>,
    /// By place; those of one place in the trade's order.
    pub items: Vec<Item>,
    /// In order, never empty, without the marks between them.
    pub clauses: Vec<Clause>,
    /// Which units stand in quotation marks of a few words, as what is not believed does.
    pub quoted: Vec<bool>,
    matches: Vec<Match<'judge>>,
    taken: Vec<bool>,
}

/// How many words in quotation marks are doubted; more are somebody's speech.
const QUOTED_MAX: usize = 3;

impl<'judge> Frame<'judge> {
    /// Takes a sentence apart.
    pub fn fill(&mut self, judge: &'judge Judge, text: &Text, sentence: Range<usize>) {
        judge.vocabulary.units(text, sentence.start, sentence.end, &mut self.units);
        self.matches.clear();
        judge.trie.find(&self.units, &mut self.matches);
        self.select(judge);
        self.part(text);
        self.quote(text);
    }

    fn quote(&mut self, text: &Text) {
        self.quoted.clear();
        self.quoted.resize(self.units.len(), false);
        let mut opened = None;
        for (at, unit) in self.units.iter().enumerate() {
            if unit.is_mark && text.word(unit.start) == "\"" {
                match opened.take() {
                    Some(from) if at - from <= QUOTED_MAX => self.quoted[from..at].fill(true),
                    Some(_) => {}
                    None => opened = Some(at + 1),
                }
            }
        }
    }

    /// The clause that holds a unit.
    pub fn clause_at(&self, unit: usize) -> usize {
        self.clauses.iter().rposition(|clause| clause.units.start <= unit).unwrap_or_default()
    }

    /// Of what overlaps, that with the most words of its own stays, then the tightest, then the first.
    fn select(&mut self, judge: &Judge) {
        self.matches.sort_by_key(|one| {
            let judges = one.rules.iter().any(|rule| matches!(judge.rules[*rule as usize].1, Meaning::Judges(..)));
            (Reverse(one.words.count_ones()), one.end - one.start, one.start, !judges)
        });
        self.taken.clear();
        self.taken.resize(self.units.len(), false);
        self.items.clear();
        for at in 0..self.matches.len() {
            let Match { start, end, mut words, rules } = self.matches[at];
            let joins = |rule: &u32| judge.rules[*rule as usize].1 == Meaning::Cue(Cue::Joint);
            if rules.iter().all(joins) {
                words = 1;
            }
            let mut own = (start..end).filter(|unit| words >> (unit - start).min(63) & 1 == 1);
            // The same words may well judge several aspects; anything else that overlaps gives way.
            let is_twin = self.items.iter().any(|item| item.start == start && item.words == words && item.end == end);
            if !is_twin && own.any(|unit| self.taken[unit]) {
                continue;
            }
            (start..end).filter(|unit| words >> (unit - start).min(63) & 1 == 1).for_each(|unit| self.taken[unit] = true);
            for rule in rules {
                let rule = *rule as usize;
                let meaning = judge.rules[rule].1;
                if !self.items.iter().any(|item| item.start == start && item.words == words && same_kind(item.meaning, meaning)) {
                    self.items.push(Item { start, end, words, rule, meaning });
                }
            }
        }
        self.items.sort_by_key(|item| (item.start, item.rule));
    }

    /// Parts the sentence into clauses, and says of each whom it is about.
    fn part(&mut self, text: &Text) {
        self.clauses.clear();
        let mut start = 0;
        let mut kind = Kind::First;
        for at in 0..=self.units.len() {
            let next = self.units.get(at).map(|unit| self.begins(text, unit, at));
            match next {
                Some(None) => continue,
                Some(Some(_)) | None => {}
            }
            if start < at {
                let contrasts = kind == Kind::Contrast;
                let continues = kind == Kind::Mark;
                self.clauses.push(Clause { units: start..at, contrasts, continues, elsewhere: false, wishes: false, open: false });
            }
            let begun = next.flatten().unwrap_or(Kind::Mark);
            // `, but`: the mark's clause is empty, and the conjunction's kind stays.
            start = if begun == Kind::Mark { at + 1 } else { at };
            kind = begun;
        }
        self.mark_others();
    }

    /// What kind of clause begins at a unit, if any.
    fn begins(&self, text: &Text, unit: &Unit<'_>, at: usize) -> Option<Kind> {
        if unit.is_mark {
            return (!matches!(text.word(unit.start), "'" | "\"" | "$" | "%" | "#" | "&" | "/" | "*")).then_some(Kind::Mark);
        }
        let cue = self.items.iter().filter(|item| item.start == at).find_map(|item| match item.meaning {
            Meaning::Cue(Cue::Contrast) => Some(Kind::Contrast),
            Meaning::Cue(Cue::Joint) => Some(Kind::Joint),
            _ => None,
        });
        cue.filter(|_| at > 0 || cue == Some(Kind::Contrast))
    }

    /// Who and what the clauses are about: another company until the firm is named again, a wish until a contrast.
    fn mark_others(&mut self) {
        let (mut elsewhere, mut wishes, mut open) = (false, false, false);
        for clause in &mut self.clauses {
            if clause.contrasts {
                (elsewhere, wishes, open) = (false, false, false);
            }
            let cues = self.items.iter().filter(|item| clause.units.contains(&item.start)).filter_map(|item| match item.meaning {
                Meaning::Cue(cue) => Some(cue),
                _ => None,
            });
            let mut names_firm = false;
            for cue in cues {
                match cue {
                    Cue::Elsewhere => elsewhere = true,
                    Cue::Firm => names_firm = true,
                    Cue::Wish => wishes = true,
                    Cue::Open => open = true,
                    Cue::Negator | Cue::Intensifier | Cue::Diminisher | Cue::Contrast | Cue::Joint | Cue::Silent => {}
                }
            }
            if names_firm
                && !self.items.iter().any(|item| clause.units.contains(&item.start) && item.meaning == Meaning::Cue(Cue::Elsewhere))
            {
                elsewhere = false;
            }
            (clause.elsewhere, clause.wishes, clause.open) = (elsewhere, wishes, open);
        }
    }
}

/// How a clause begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    First,
    Mark,
    Contrast,
    Joint,
}

/// Whether two meanings at one place say the same kind of thing, so that the first is enough.
fn same_kind(one: Meaning, other: Meaning) -> bool {
    match (one, other) {
        (Meaning::Judges(one, _), Meaning::Judges(other, _))
        | (Meaning::Names(one) | Meaning::Hints(one), Meaning::Names(other) | Meaning::Hints(other)) => one == other,
        (Meaning::Opinion(_) | Meaning::Judges(..), Meaning::Opinion(_))
        | (Meaning::Judges(..), Meaning::Names(_) | Meaning::Hints(_)) => true,
        (Meaning::Cue(one), Meaning::Cue(other)) => one == other,
        _ => false,
    }
}
