//! Turns the phrases of a sentence into findings: drops overlapping phrases, divides the sentence into clauses, applies
//! negation, assigns opinions to aspects, and labels the sums.

use std::cmp::Reverse;
use std::ops::Range;

use super::analysis::{Finding, Hit, MARGIN, Polarity};
use super::rules::{CompiledRules, Cue, Match, Meaning, Trade, WordUnit};
use super::text::{Negation, TokenizedText, WordSet};

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
}

/// A parsed sentence. Reused between sentences for its buffers.
#[derive(Debug, Default)]
pub struct ParsedSentence<'rules> {
    pub units: Vec<WordUnit<'rules>>,
    /// Phrases by position; at the same position in the trade's order.
    pub items: Vec<PhraseMatch>,
    /// Clauses in order, never empty, without the marks between them.
    pub clauses: Vec<Clause>,
    matches: Vec<Match<'rules>>,
    taken: Vec<bool>,
}

impl<'rules> ParsedSentence<'rules> {
    pub fn fill(
        &mut self,
        rules: &'rules CompiledRules,
        text: &TokenizedText,
        sentence: Range<usize>,
    ) {
        rules.find(text, sentence, &mut self.units, &mut self.matches);
        self.select(rules);
        self.part(text);
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
        let meaning = |rule: &u32| compiled.rules[*rule as usize].1;
        self.matches.sort_by_cached_key(|one| {
            let judges = |rule| matches!(meaning(rule), Meaning::Judges(..));
            (
                Reverse(one.words.count_ones()),
                one.end - one.start,
                one.start,
                !one.rules.iter().any(judges),
                one.words,
                one.rules.first().copied(),
            )
        });
        self.taken.clear();
        self.taken.resize(self.units.len(), false);
        self.items.clear();
        for at in 0..self.matches.len() {
            let Match {
                start,
                end,
                words,
                rules,
            } = self.matches[at];
            let own = || (start..end).filter(|unit| words >> (unit - start).min(63) & 1 == 1);
            // What gives a complaint its aspect, or tells of the customer, may be part of any other phrase.
            let is_beside =
                |meaning| matches!(meaning, Meaning::Complains(_) | Meaning::Cue(Cue::Deeds));
            if !rules.iter().map(meaning).all(is_beside) {
                // The same words may judge several aspects; any other overlapping match is dropped.
                let is_twin = self.has_at(start, words, |item| item.end == end);
                if !is_twin && own().any(|unit| self.taken[unit]) {
                    continue;
                }
                own().for_each(|unit| self.taken[unit] = true);
            }
            for rule in rules {
                let meaning = meaning(rule);
                let rule = *rule as usize;
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

    /// Divides the sentence into clauses: at marks, and before `but` and similar words.
    fn part(&mut self, text: &TokenizedText) {
        self.clauses.clear();
        let (mut start, mut kind) = (0, ClauseStart::First);
        for (at, unit) in self.units.iter().enumerate() {
            let begun = if unit.is_mark && !JOINING_MARKS.contains(&text.word(unit.start)) {
                ClauseStart::Mark
            } else if self.has_contrast(at) {
                ClauseStart::Contrast
            } else {
                continue;
            };
            if start < at {
                self.clauses.push(Clause {
                    units: start..at,
                    kind,
                });
            }
            // In `, but` the clause of the mark is empty, and the conjunction determines the kind.
            start = at + usize::from(begun == ClauseStart::Mark);
            kind = begun;
        }
        let end = self.units.len();
        if self.clauses.is_empty() && start == end {
            // It consists of marks, such as an emoji.
            start = 0;
        }
        if start < end || self.clauses.is_empty() {
            self.clauses.push(Clause {
                units: start..end,
                kind,
            });
        }
    }

    /// Whether `but` or a similar word begins at a unit.
    fn has_contrast(&self, unit: usize) -> bool {
        let (_, items) = self.items_within(unit..unit + 1);
        let mut items = items.iter();
        items.any(|item| item.meaning == Meaning::Cue(Cue::Contrasts))
    }
}

/// Marks within a clause.
const JOINING_MARKS: [&str; 10] = ["'", "\"", "$", "€", "£", "%", "#", "&", "/", "*"];

/// How a clause begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClauseStart {
    /// With the sentence, without a mark or `but` before it.
    First,
    /// After a comma or another mark.
    Mark,
    /// With `but` or a similar word.
    Contrast,
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

/// The finding of one aspect in one sentence.
#[derive(Debug)]
struct SentenceFinding {
    aspect: usize,
    clause: usize,
    /// Never empty.
    hits: Vec<Hit>,
    is_polar: bool,
    /// Whether it is only an opinion without its own aspect; any other finding replaces it.
    is_stray: bool,
}

impl SentenceFinding {
    fn score(&self) -> i32 {
        self.hits.iter().map(|hit| hit.points).sum()
    }
}

/// The findings of one sentence, each with the index of its aspect.
pub fn sentence(
    (trade, rules): (&Trade, &CompiledRules),
    text: &TokenizedText,
    parsed: &ParsedSentence<'_>,
    number: u32,
) -> Vec<(usize, Finding)> {
    let scorer = Scorer {
        trade,
        rules,
        text,
        parsed,
        found: Vec::new(),
        negated: Vec::new(),
        used: vec![false; parsed.items.len()],
    };
    let found = scorer.run();
    let has_other = found.iter().any(|one| !one.is_stray);
    let counts = found.into_iter().filter(|one| !one.is_stray || !has_other);
    counts
        .map(|one| {
            let score = one.score();
            let finding = Finding {
                aspect: trade.aspects[one.aspect].id.clone(),
                sentence: number,
                span: text.span(parsed.tokens(parsed.clauses[one.clause].units.clone())),
                polarity: label(score, one.is_polar),
                score,
                confidence: 0,
                hits: one.hits,
            };
            (one.aspect, finding)
        })
        .collect()
}

/// The label of a score.
pub const fn label(score: i32, is_polar: bool) -> Polarity {
    match score {
        MARGIN.. => Polarity::Positive,
        score if score <= -MARGIN => Polarity::Negative,
        _ if is_polar => Polarity::Uncertain,
        _ => Polarity::Neutral,
    }
}

struct Scorer<'run> {
    trade: &'run Trade,
    rules: &'run CompiledRules,
    text: &'run TokenizedText,
    parsed: &'run ParsedSentence<'run>,
    found: Vec<SentenceFinding>,
    /// For each item, whether it is negated.
    negated: Vec<bool>,
    /// For each item, whether an opinion was assigned to it as a name or hint.
    used: Vec<bool>,
}

impl Scorer<'_> {
    fn run(mut self) -> Vec<SentenceFinding> {
        let items = &self.parsed.items;
        for (at, item) in items.iter().enumerate() {
            let is_negated = self.is_negated(at);
            self.negated.push(is_negated);
            match item.meaning {
                Meaning::Judges(aspect, points) => self.judge_phrase(at, aspect, points),
                Meaning::Opinion(points) => self.judge_opinion(at, points),
                Meaning::Names(_) | Meaning::Hints(_) | Meaning::Complains(_) | Meaning::Cue(_) => {
                }
            }
        }
        self.name_the_rest();
        self.found
    }

    fn judge_phrase(&mut self, at: usize, aspect: usize, points: i32) {
        let item = self.parsed.items[at];
        let hits = if points == 0 {
            vec![self.hit(item, 0)]
        } else {
            self.weigh(at, points)
        };
        self.add(aspect, self.parsed.clause_at(item.start), hits, false);
    }

    fn judge_opinion(&mut self, at: usize, points: i32) {
        let mut hits = self.weigh(at, points);
        let clause = self.parsed.clause_at(self.parsed.items[at].start);
        let Some(name) = self.name_of(at) else {
            if let Some(overall) = self.trade.overall {
                self.add(overall, clause, hits, true);
            }
            return;
        };
        self.used[name] = true;
        let item = self.parsed.items[name];
        if let Meaning::Names(aspect) | Meaning::Hints(aspect) = item.meaning {
            hits.insert(0, self.hit(item, 0));
            self.add(aspect, clause, hits, false);
        }
    }

    /// If nothing else was found, turns the names into facts.
    fn name_the_rest(&mut self) {
        if self.found.iter().any(|found| !found.is_stray) {
            return;
        }
        for (at, item) in self.parsed.items.iter().enumerate() {
            if let Meaning::Names(aspect) = item.meaning
                && !self.used[at]
            {
                let (clause, hit) = (self.parsed.clause_at(item.start), self.hit(*item, 0));
                self.add(aspect, clause, vec![hit], false);
            }
        }
    }

    /// The points of an item, and the hit of its negator.
    fn weigh(&self, at: usize, points: i32) -> Vec<Hit> {
        let item = self.parsed.items[at];
        let mut hits = vec![self.hit(item, points)];
        if self.negated[at] {
            let negator = self.negator(at).unwrap_or(item);
            hits.push(self.hit(negator, -2 * points));
        }
        hits
    }

    fn hit(&self, item: PhraseMatch, points: i32) -> Hit {
        let rule = self.rules.rules[item.rule].0.clone();
        Hit {
            rule,
            span: (self.text).span(self.parsed.tokens(item.start..item.end)),
            points,
        }
    }

    fn add(&mut self, aspect: usize, clause: usize, hits: Vec<Hit>, is_stray: bool) {
        let sum: i32 = hits.iter().map(|hit| hit.points).sum();
        let Some(found) = self.found.iter_mut().find(|found| found.aspect == aspect) else {
            self.found.push(SentenceFinding {
                aspect,
                clause,
                hits,
                is_polar: sum != 0,
                is_stray,
            });
            return;
        };
        let mut until = self.parsed.clauses[..=clause].iter();
        // In `a bit dear, but worth it`, the conclusion counts.
        let before = found.score();
        if clause > found.clause
            && before.signum() * sum.signum() < 0
            && until.any(|clause| clause.kind == ClauseStart::Contrast)
        {
            found.hits.push(Hit {
                rule: "contrast:conclusion".to_owned(),
                span: hits[hits.len() - 1].span,
                points: -before,
            });
        }
        found.hits.extend(hits);
        found.is_polar |= sum != 0;
        found.is_stray &= is_stray;
    }
}

// Relations between the words of a sentence: the negator of a judgement, the cues before it, and the name to which an
// opinion belongs.

/// Maximum distance from the end of a negator to the word that it negates, in units.
const NEGATION_REACH: usize = 5;
/// Maximum length of a negator in units: `never did I have the feeling that`.
const NEGATOR_UNITS_MAX: usize = 7;
/// Maximum distance between an opinion and the name that it judges, in units.
const NAME_REACH: usize = 5;

impl Scorer<'_> {
    /// The negator of an item within its clause, if any. Another judgement between them stops it, unless `or`
    /// continues.
    fn negator(&self, at: usize) -> Option<PhraseMatch> {
        let item = self.parsed.items[at];
        let from = self.parsed.clauses[self.parsed.clause_at(item.start)]
            .units
            .start
            .max(item.start.saturating_sub(NEGATION_REACH));
        let before = self.parsed.items[..at]
            .iter()
            .rev()
            .take_while(|one| one.start + NEGATOR_UNITS_MAX > from);
        let mut near = before.filter(|one| one.end <= item.start && one.end > from);
        let is_negator = |one: &PhraseMatch| one.meaning == Meaning::Cue(Cue::Negators);
        let nearest = near.find(|one| is_negator(one) || one.meaning.judges());
        nearest.copied().filter(is_negator)
    }

    fn is_negated(&self, at: usize) -> bool {
        let words = self.text.language_words();
        let first = self.parsed.units.get(self.parsed.items[at].start);
        let begins = |unit: &WordUnit<'_>| {
            let token = self.text.tokens()[unit.start];
            words.role(token.fingerprint).negation == Negation::Begins
        };
        if words.negators_agree && first.is_some_and(begins) {
            return false;
        }
        if self.negator(at).is_some() {
            return true;
        }
        // `not friendly or helpful`
        let item = self.parsed.items[at];
        let joint = item.start.checked_sub(1);
        let joined = joint.is_some_and(|joint| self.is_among(joint, &words.ors));
        if !joined {
            return false;
        }
        let before = self.parsed.items[..at]
            .iter()
            .rposition(|one| one.meaning.judges() && one.end + 1 == item.start);
        before.is_some_and(|before| self.negated[before])
    }

    /// The name to which an opinion belongs: one soon after it; otherwise the last one before it in its clause;
    /// otherwise, if a list continues, the last one in the previous clause.
    fn name_of(&self, at: usize) -> Option<usize> {
        let item = self.parsed.items[at];
        let clause = self.parsed.clause_at(item.start);
        let units = self.parsed.clauses[clause].units.clone();
        let is_name =
            |item: &PhraseMatch| matches!(item.meaning, Meaning::Names(_) | Meaning::Hints(_));
        let reach =
            item.end.max(units.start)..units.end.min(item.end + NAME_REACH + 1).max(units.start);
        let (first, near) = self.parsed.items_within(reach);
        let after = near
            .iter()
            .position(|one| is_name(one) && self.reaches(item.end, one.start));
        if let Some(after) = after {
            return Some(first + after);
        }
        let last_name = |units: Range<usize>, until: usize| {
            let (first, items) = self.parsed.items_within(units);
            let mut items = items.iter();
            let last = items.rposition(|one| is_name(one) && one.end <= until);
            last.map(|at| first + at)
        };
        let before = last_name(units.clone(), item.start);
        if before.is_some() {
            return before;
        }
        // In `The work was quick, neat and flawless`, the list continues.
        let kind = self.parsed.clauses[clause].kind;
        let goes_on = (kind == ClauseStart::Mark
            || self.is_among(units.start, &self.text.language_words().ands))
            && item.start.saturating_sub(units.start) <= 2;
        if !goes_on || clause == 0 {
            return None;
        }
        let earlier = &self.parsed.clauses[clause - 1];
        last_name(earlier.units.clone(), usize::MAX)
    }

    /// Whether an opinion that ends at `end` judges a name that begins at `start`: there is no verb between them.
    fn reaches(&self, end: usize, start: usize) -> bool {
        start - end <= NAME_REACH
            && !(end..start).any(|unit| self.is_among(unit, &self.text.language_words().between))
    }

    /// Whether a unit's first word is one of these.
    fn is_among(&self, unit: usize, words: &WordSet) -> bool {
        let unit = self.parsed.units.get(unit);
        unit.is_some_and(|unit| self.text.is_among(unit.start, words))
    }
}
