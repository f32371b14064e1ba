//! Turns the phrases of a sentence into findings: drops overlapping phrases, divides the sentence into clauses, applies
//! negation, assigns opinions to aspects, and labels the sums.

use std::cmp::Reverse;
use std::ops::Range;

use super::analysis::{Finding, Hit, MARGIN, Polarity};
use super::pattern::{PatternMatch, WordUnit};
use super::rules::{CompiledRules, Cue, Meaning, Trade};
use super::text::TokenizedText;
use crate::wire::Witness;

/// A phrase in the sentence. Positions are units of the sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhraseMatch {
    pub start: usize,
    pub end: usize,
    /// The units from `start` on that match words of its pattern rather than a gap: bit 0 is `start`.
    word_mask: u64,
    rule: usize,
    pub meaning: Meaning,
}

/// A part of a sentence that makes one statement.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Clause {
    units: Range<usize>,
    /// Whether it begins with `but` or a similar word.
    is_contrast: bool,
}

/// A sentence with its phrases and clauses.
#[derive(Debug)]
pub struct ParsedSentence<'rules> {
    units: Vec<WordUnit<'rules>>,
    /// Phrases by position; at the same position in the trade's order.
    phrases: Vec<PhraseMatch>,
    /// Clauses in order, never empty, without the marks between them.
    clauses: Vec<Clause>,
}

impl<'rules> ParsedSentence<'rules> {
    pub fn new(rules: &'rules CompiledRules, text: &TokenizedText, sentence: Range<usize>) -> Self {
        let units = rules.matcher.units(text, sentence);
        let matches = rules.matcher.find(&units);
        let mut parsed = Self {
            units,
            phrases: Vec::new(),
            clauses: Vec::new(),
        };
        parsed.select_phrases(rules, matches);
        parsed.divide_into_clauses(text);
        parsed
    }

    /// The tokens of these units.
    fn tokens(&self, units: Range<usize>) -> Range<usize> {
        let last = self.units.get(units.end.saturating_sub(1));
        match self.units.get(units.start).zip(last) {
            Some((first, last)) => first.start..last.end,
            None => 0..0,
        }
    }

    /// The tokens of each phrase with that cue.
    pub fn cues(&self, cue: Cue) -> impl Iterator<Item = Range<usize>> {
        let phrases = self.phrases.iter();
        let phrases = phrases.filter(move |phrase| phrase.meaning == Meaning::Cue(cue));
        phrases.map(|phrase| self.tokens(phrase.start..phrase.end))
    }

    /// The index of the clause that contains a unit.
    pub fn clause_at(&self, unit: usize) -> usize {
        let until = (self.clauses).partition_point(|clause| clause.units.start <= unit);
        until.saturating_sub(1)
    }

    /// The phrases that begin within these units.
    fn phrases_within(&self, units: Range<usize>) -> &[PhraseMatch] {
        let [start, end] = [units.start, units.end]
            .map(|unit| self.phrases.partition_point(|phrase| phrase.start < unit));
        &self.phrases[start..end]
    }

    /// Selects matches in this order: the most words of their own, the shortest, the first in the sentence, then what judges an
    /// aspect. A match with a word that another one has is dropped, unless both have the same words. Of the patterns of a match,
    /// the first of each kind counts.
    fn select_phrases(&mut self, rules: &CompiledRules, mut matches: Vec<PatternMatch<'_>>) {
        use Cue::{Drawbacks, Others, Strangers};
        let meaning = |pattern: &usize| rules.rules[*pattern].1;
        matches.sort_by_cached_key(|one| {
            let mut meanings = one.patterns.iter().map(meaning);
            (
                Reverse(one.word_mask.count_ones()),
                one.end - one.start,
                one.start,
                !meanings.any(|one| matches!(one, Meaning::Judges(..))),
                one.word_mask,
                one.patterns.first().copied(),
            )
        });
        let mut taken = vec![false; self.units.len()];
        for found in matches {
            let (start, end, word_mask) = (found.start, found.end, found.word_mask);
            let own = (start..end).filter(|unit| word_mask >> (unit - start).min(63) & 1 == 1);
            // What announces blame, or words about others, may be part of any other phrase.
            let mut meanings = found.patterns.iter().map(meaning);
            if !meanings.all(|one| matches!(one, Meaning::Cue(Drawbacks | Others | Strangers))) {
                // The same words may judge several aspects; any other overlapping match is dropped.
                let mut selected = self.phrases.iter();
                let has_same_words = selected.any(|phrase| {
                    (phrase.start, phrase.end, phrase.word_mask) == (start, end, word_mask)
                });
                if !has_same_words && own.clone().any(|unit| taken[unit]) {
                    continue;
                }
                own.for_each(|unit| taken[unit] = true);
            }
            for rule in found.patterns {
                let meaning = meaning(rule);
                let mut selected = self.phrases.iter();
                if selected.any(|phrase| {
                    (phrase.start, phrase.word_mask) == (start, word_mask)
                        && same_kind(phrase.meaning, meaning)
                }) {
                    continue;
                }
                self.phrases.push(PhraseMatch {
                    start,
                    end,
                    word_mask,
                    rule: *rule,
                    meaning,
                });
            }
        }
        self.phrases
            .sort_by_key(|phrase| (phrase.start, phrase.rule));
    }

    /// Divides the sentence into clauses: at marks, and before `but` and similar words.
    fn divide_into_clauses(&mut self, text: &TokenizedText) {
        let (mut start, mut is_contrast) = (0, false);
        for (at, unit) in self.units.iter().enumerate() {
            let is_mark = unit.is_mark && !JOINING_MARKS.contains(&text.word(unit.start));
            if !is_mark && !self.has_contrast(at) {
                continue;
            }
            if start < at {
                self.clauses.push(Clause {
                    units: start..at,
                    is_contrast,
                });
            }
            // In `, but` the clause of the mark is empty.
            start = at + usize::from(is_mark);
            is_contrast = !is_mark;
        }
        let end = self.units.len();
        if self.clauses.is_empty() && start == end {
            // It consists of marks, such as an emoji.
            start = 0;
        }
        if start < end || self.clauses.is_empty() {
            self.clauses.push(Clause {
                units: start..end,
                is_contrast,
            });
        }
    }

    /// Whether `but` or a similar word begins at a unit.
    fn has_contrast(&self, unit: usize) -> bool {
        let mut phrases = self.phrases_within(unit..unit + 1).iter();
        phrases.any(|phrase| phrase.meaning == Meaning::Cue(Cue::Contrasts))
    }
}

/// Marks within a clause.
const JOINING_MARKS: [&str; 10] = ["'", "\"", "$", "€", "£", "%", "#", "&", "/", "*"];

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

/// What the rules find in one sentence: findings, each with the index of its aspect.
pub fn judge_sentence(
    trade: &Trade,
    rules: &CompiledRules,
    text: &TokenizedText,
    parsed: &ParsedSentence<'_>,
    number: u32,
) -> Vec<(usize, Finding)> {
    let mut scorer = Scorer {
        trade,
        rules,
        text,
        parsed,
        found: Vec::new(),
    };
    scorer.judge_phrases();
    if scorer.found.iter().all(|one| one.is_stray) {
        scorer.add_names();
    }
    let mut found = scorer.found;
    if found.iter().any(|one| !one.is_stray) {
        found.retain(|one| !one.is_stray);
    }
    let findings = found.into_iter().map(|one| {
        let score = one.score();
        let finding = Finding {
            aspect: trade.aspects[one.aspect].id.clone(),
            sentence: number,
            span: text.span(parsed.tokens(parsed.clauses[one.clause].units.clone())),
            polarity: label(score, one.is_polar),
            witness: Witness::Rule,
            score,
            confidence: 0,
            hits: one.hits,
        };
        (one.aspect, finding)
    });
    findings.collect()
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
}

impl Scorer<'_> {
    fn judge_phrases(&mut self) {
        for (at, phrase) in self.parsed.phrases.iter().enumerate() {
            let clause = self.parsed.clause_at(phrase.start);
            match phrase.meaning {
                Meaning::Judges(aspect, 0) => {
                    self.add(aspect, clause, vec![self.hit(*phrase, 0)], false);
                }
                Meaning::Judges(aspect, points) => {
                    self.add(aspect, clause, self.weigh(at, points), false);
                }
                Meaning::Opinion(points) => {
                    let mut hits = self.weigh(at, points);
                    if let Some((name, aspect)) = self.name_of(at) {
                        hits.insert(0, self.hit(name, 0));
                        self.add(aspect, clause, hits, false);
                    } else {
                        self.add(self.trade.overall(), clause, hits, true);
                    }
                }
                Meaning::Names(_) | Meaning::Hints(_) | Meaning::Cue(_) => {}
            }
        }
    }

    /// Adds the names as facts.
    fn add_names(&mut self) {
        for phrase in &self.parsed.phrases {
            if let Meaning::Names(aspect) = phrase.meaning {
                let clause = self.parsed.clause_at(phrase.start);
                self.add(aspect, clause, vec![self.hit(*phrase, 0)], false);
            }
        }
    }

    /// The points of a phrase, and the hit of its negator.
    fn weigh(&self, at: usize, points: i32) -> Vec<Hit> {
        let phrase = self.parsed.phrases[at];
        let mut hits = vec![self.hit(phrase, points)];
        if let Some(negator) = self.negator(at) {
            hits.push(self.hit(negator, -2 * points));
        }
        hits
    }

    fn hit(&self, phrase: PhraseMatch, points: i32) -> Hit {
        let rule = self.rules.rules[phrase.rule].0.clone();
        Hit {
            rule,
            span: (self.text).span(self.parsed.tokens(phrase.start..phrase.end)),
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
            && until.any(|clause| clause.is_contrast)
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
const NEGATOR_UNITS: usize = 7;
/// Maximum distance between an opinion and the name that it judges, in units.
const NAME_REACH: usize = 5;

impl Scorer<'_> {
    /// The negator of a phrase within its clause, if any.
    fn negator(&self, at: usize) -> Option<PhraseMatch> {
        let phrase = self.parsed.phrases[at];
        let clause = &self.parsed.clauses[self.parsed.clause_at(phrase.start)];
        let reach = phrase.start.saturating_sub(NEGATION_REACH);
        let from = clause.units.start.max(reach);
        let before = self.parsed.phrases[..at].iter().rev();
        let before = before.take_while(|one| one.start + NEGATOR_UNITS > from);
        let mut negators = before.filter(|one| {
            let is_near = one.end <= phrase.start && one.end > from;
            is_near && one.meaning == Meaning::Cue(Cue::Negators)
        });
        negators.next().copied()
    }

    /// The name to which an opinion belongs, with its aspect: one soon after it in its clause, otherwise the last one before it.
    fn name_of(&self, at: usize) -> Option<(PhraseMatch, usize)> {
        let opinion = self.parsed.phrases[at];
        let clause = self.parsed.clause_at(opinion.start);
        let units = self.parsed.clauses[clause].units.clone();
        let names = |units: Range<usize>| {
            let phrases = self.parsed.phrases_within(units).iter();
            phrases.filter_map(|phrase| Some((*phrase, phrase.meaning.named_aspect()?)))
        };
        let near_start = opinion.end.max(units.start);
        let near_end = units.end.min(opinion.end + NAME_REACH + 1);
        let after = names(near_start..near_end.max(near_start)).next();
        after.or_else(|| names(units).rfind(|(name, _)| name.end <= opinion.start))
    }
}
