//! Turns a sentence's phrases into findings: applies negation, intensifiers and diminishers, assigns opinions to
//! aspects, and labels the sums.

use std::ops::Range;

use super::engine::RuleEngine;
use super::parsed_sentence::{ClauseStart, ParsedSentence, PhraseMatch};
use super::patterns::WordUnit;
use crate::insights::analysis::{Finding, Hit, MARGIN, Polarity};
use crate::insights::text::{Negation, TokenizedText, WordSet};
use crate::insights::trades::{Cue, Meaning};

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
    engine: &RuleEngine,
    text: &TokenizedText,
    parsed: &ParsedSentence<'_>,
    number: u32,
) -> Vec<(usize, Finding)> {
    let scorer = Scorer {
        engine,
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
                aspect: engine.trade.aspects[one.aspect].id.clone(),
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
    engine: &'run RuleEngine,
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
        if !hits.is_empty() {
            self.add(aspect, self.parsed.clause_at(item.start), hits, false);
        }
    }

    fn judge_opinion(&mut self, at: usize, points: i32) {
        let mut hits = self.weigh(at, points);
        if hits.is_empty() {
            return;
        }
        let clause = self.parsed.clause_at(self.parsed.items[at].start);
        let Some(name) = self.name_of(at) else {
            if let Some(overall) = self.engine.trade.overall {
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
            let clause = self.parsed.clause_at(item.start);
            if let Meaning::Names(aspect) = item.meaning
                && !self.used[at]
                && !self.parsed.clauses[clause].about.elsewhere
            {
                let hit = self.hit(*item, 0);
                self.add(aspect, clause, vec![hit], false);
            }
        }
    }

    /// The points of an item and the hits that change them; empty if the item is about another company.
    fn weigh(&self, at: usize, points: i32) -> Vec<Hit> {
        let item = self.parsed.items[at];
        let clause = &self.parsed.clauses[self.parsed.clause_at(item.start)];
        if clause.about.elsewhere {
            return Vec::new();
        }
        let mut hits = vec![self.hit(item, points)];
        let mut sum = points;
        if self.negated[at] {
            let negator = self.negator(at).unwrap_or(item);
            hits.push(self.hit(negator, -2 * sum));
            sum = -sum;
        }
        // A phrase that can mean nothing else is no condition: `if there was a way to leave no stars`.
        if clause.about.open && !hits[0].rule.starts_with("plain:") {
            let cue = self.last_cue(&item, Cue::Open);
            hits.push(self.hit(cue.unwrap_or(item), -sum));
            return hits;
        }
        if clause.about.trouble && sum < 0 {
            return Vec::new();
        }
        if clause.about.wishes && sum > 0 {
            let wish = self.last_cue(&item, Cue::Wish);
            hits.push(self.hit(wish.unwrap_or(item), -2 * sum));
        }
        hits
    }

    fn hit(&self, item: PhraseMatch, points: i32) -> Hit {
        let rule = self.engine.compiled.rules[item.rule].0.clone();
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
    /// The last cue of that kind that begins with an item or before it.
    fn last_cue(&self, item: &PhraseMatch, cue: Cue) -> Option<PhraseMatch> {
        let mut items = self.parsed.items.iter().rev();
        items
            .find(|one| one.start <= item.start && one.meaning == Meaning::Cue(cue))
            .copied()
    }

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
        let is_negator = |one: &PhraseMatch| one.meaning == Meaning::Cue(Cue::Negator);
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
