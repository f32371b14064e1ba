//! Candidates for findings: for each sentence and aspect the judgement of the rules, the scores of the classifier, and
//! the polarity of the rest of the text, as figures. `combine` decides by these figures, and
//! `examples/train_classifier` learns its weights from them.

use std::ops::Range;

use super::RuleEngine;
use super::parsed_sentence::{About, Clause, ParsedSentence};
use super::score;
use crate::compute::steps;
use crate::insights::analysis::{Finding, Polarity};
use crate::insights::classifier::{AspectScores, SentencePart, UNIT};
use crate::insights::text::{Capitalisation, TokenizedText};
use crate::insights::trades::{Cue, Meaning};

/// Maximum absolute value of every figure, which limits the weight of one sentence.
const FIGURE_MAX: i32 = 4 * UNIT;
/// Minimum odds of a candidate without a rule: below this value, about 1 in 2,000 is a finding.
const ODDS_MIN: i32 = -UNIT;
/// Maximum absolute value of a rule's score.
const SCORE_MAX: i32 = 6;

/// The names of the figures, in their order.
pub const FIGURES: [&str; 20] = [
    "constant",
    "odds",
    "odds_above_even",
    "odds_of_sentence",
    "lead",
    "neutral",
    "lead_of_sentence",
    "neutral_of_sentence",
    "lead_elsewhere",
    "findings_elsewhere",
    "only_sentence",
    "about_others",
    "rule",
    "rule_positive",
    "rule_negative",
    "rule_uncertain",
    "rule_neutral",
    "rule_score",
    "rule_strength",
    "rule_lead",
];

/// One figure for each of [`FIGURES`], in units of 1/[`UNIT`].
pub type Figures = [i32; FIGURES.len()];

/// The evidence that decides a candidate, besides the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionBasis {
    /// The classifier's scores for the aspect and for polarity.
    Aspect,
    /// Only the classifier's score for polarity, because its model lacks the aspect.
    Polarity,
    /// Only the rules: the classifier cannot distinguish the numbers in `10/10`.
    Rules,
}

/// An aspect that a sentence possibly mentions.
#[derive(Debug, Clone)]
pub struct AspectCandidate {
    /// Index of the aspect in the trade.
    pub aspect: usize,
    /// Sentence number, from 0.
    pub sentence: usize,
    /// Index of the sentence's part with the highest score for the aspect.
    pub part: usize,
    /// The judgement of the rules, if they found the aspect.
    pub rule: Option<Polarity>,
    /// The subject of the part, and whether it states a fact.
    pub(super) about: About,
    pub basis: DecisionBasis,
    /// The input of the decision.
    pub figures: Figures,
}

/// A sentence with the results of the rules and the classifier.
#[derive(Debug)]
pub struct SentenceReading<'engine> {
    /// The rules' findings with the index of their aspect.
    rules: Vec<(usize, Finding)>,
    /// Numbers of rule findings with praise and with blame, including opinions without an aspect.
    judged: [i64; 2],
    pub scores: AspectScores<'engine>,
    /// The subject of each part, and whether it states a fact; empty if all parts state facts about this business.
    about: Vec<About>,
    /// Whether the sentence has more than numbers and marks.
    pub has_words: bool,
    /// The classifier's score for praise minus that for blame, for the whole sentence; 0 without words.
    pub lead: i32,
}

impl<'engine> SentenceReading<'engine> {
    pub fn new(
        engine: &'engine RuleEngine,
        text: &TokenizedText,
        parsed: &ParsedSentence<'_>,
        sentence: u32,
    ) -> Self {
        let tokens = match parsed.units.first().zip(parsed.units.last()) {
            Some((first, last)) => first.start..last.end,
            None => 0..0,
        };
        let mut rules = score::sentence(engine, text, parsed, sentence);
        let judged = [Polarity::Positive, Polarity::Negative].map(|polarity| {
            let its = rules.iter().filter(|(_, one)| one.polarity == polarity);
            i64::try_from(its.count()).unwrap_or(i64::MAX)
        });
        rules.retain(|(_, finding)| engine.has_strays || !engine.is_stray(finding));
        let has_words = tokens.clone().any(|token| {
            !matches!(
                text.tokens()[token].shape,
                Capitalisation::Number | Capitalisation::Mark
            )
        });
        let unread = parsed
            .items
            .iter()
            .filter(|item| item.meaning == Meaning::Cue(Cue::Unread));
        let unread = unread.filter_map(|item| {
            let (first, last) = (
                parsed.units.get(item.start)?,
                parsed.units.get(item.end - 1)?,
            );
            Some(first.start..last.end)
        });
        let unread: Vec<Range<usize>> = unread.collect();
        let scores = engine.classifier.classify(text, tokens, &unread);
        let is_plain = |clause: &Clause| clause.about == About::default();
        let about = if parsed.clauses.iter().all(is_plain) {
            Vec::new()
        } else {
            let parts = scores.parts.iter();
            parts.map(|part| about(parsed, part)).collect()
        };
        let whole = scores.parts.last().filter(|_| has_words);
        Self {
            lead: whole
                .map_or(0, SentencePart::lead)
                .clamp(-FIGURE_MAX, FIGURE_MAX),
            rules,
            judged,
            about,
            has_words,
            scores,
        }
    }

    /// Removes and returns the rules' finding of an aspect.
    pub(super) fn take_rule(&mut self, aspect: usize) -> Option<Finding> {
        let at = self.rules.iter().position(|(its, _)| *its == aspect)?;
        Some(self.rules.swap_remove(at).1)
    }

    /// Numbers of the rules' findings with praise and with blame.
    #[must_use]
    pub const fn polarity_counts(&self) -> [i64; 2] {
        self.judged
    }

    /// Praise minus blame among the rules' findings.
    fn balance(&self) -> i32 {
        let [positive, negative] = self.judged;
        i32::try_from(positive - negative).unwrap_or_default()
    }
}

fn about(parsed: &ParsedSentence<'_>, part: &SentencePart) -> About {
    let at = parsed
        .units
        .partition_point(|unit| unit.start < part.tokens.start);
    let at = if at < parsed.units.len() { at } else { 0 };
    let clause = parsed.clauses.get(parsed.clause_at(at));
    clause.map(|clause| clause.about).unwrap_or_default()
}

/// The sums of the polarities of a text's sentences.
struct Totals {
    leads: i32,
    balance: i32,
    sentences: i32,
}

/// All candidates of a text, by sentence, then by aspect.
pub fn candidates(
    engine: &RuleEngine,
    text: &TokenizedText,
    read: &[SentenceReading<'_>],
) -> Vec<AspectCandidate> {
    let totals = Totals {
        leads: read.iter().map(|sentence| sentence.lead).sum(),
        balance: read.iter().map(SentenceReading::balance).sum(),
        sentences: i32::try_from(read.len()).unwrap_or(i32::MAX - 1),
    };
    let mut all = Vec::with_capacity(read.len() * 2);
    for (number, sentence) in read.iter().enumerate() {
        let context = [
            (totals.leads - sentence.lead) / (totals.sentences + 1),
            (totals.balance - sentence.balance()) * UNIT / (totals.sentences + 1),
            if totals.sentences == 1 { UNIT } else { 0 },
        ];
        for aspect in 0..engine.aspects.len() {
            let rule = sentence
                .rules
                .iter()
                .inspect(|_| steps::one())
                .find(|(its, _)| *its == aspect)
                .map(|(_, finding)| finding);
            let its = engine.detected[aspect];
            let part = match (its, rule) {
                (Some(its), _) => loudest(&sentence.scores.parts, its),
                (None, Some(rule)) => place_of(text, &sentence.scores.parts, rule),
                (None, None) => continue,
            };
            let odds = its.map(|its| sentence.scores.parts[part].aspects[its]);
            if rule.is_none() && odds.is_none_or(|odds| odds < ODDS_MIN) {
                continue;
            }
            all.push(AspectCandidate {
                aspect,
                sentence: number,
                part,
                rule: rule.map(|finding| finding.polarity),
                about: sentence.about.get(part).copied().unwrap_or_default(),
                basis: match its {
                    _ if !sentence.has_words => DecisionBasis::Rules,
                    Some(_) => DecisionBasis::Aspect,
                    None => DecisionBasis::Polarity,
                },
                figures: figures(sentence, part, its, rule, context),
            });
        }
    }
    all
}

/// The part with the highest score for the aspect `its`.
fn loudest(parts: &[SentencePart], its: usize) -> usize {
    let all = parts.iter().enumerate();
    all.max_by_key(|(_, part)| {
        steps::one();
        part.aspects[its]
    })
    .map_or(0, |(at, _)| at)
}

/// The part in which a rule's finding begins, or the whole sentence.
fn place_of(text: &TokenizedText, parts: &[SentencePart], rule: &Finding) -> usize {
    let holds = |part: &SentencePart| {
        steps::one();
        let span = text.span(part.tokens.clone());
        (span.start..span.end).contains(&rule.span.start)
    };
    parts
        .iter()
        .position(holds)
        .unwrap_or(parts.len().saturating_sub(1))
}

fn figures(
    sentence: &SentenceReading<'_>,
    at: usize,
    its: Option<usize>,
    rule: Option<&Finding>,
    [lead_elsewhere, findings_elsewhere, only_sentence]: [i32; 3],
) -> Figures {
    let clip = |value: i32| value.clamp(-FIGURE_MAX, FIGURE_MAX);
    let is = |is: bool| if is { UNIT } else { 0 };
    let parts = &sentence.scores.parts;
    let (Some(part), Some(whole)) = (parts.get(at), parts.last()) else {
        return [0; FIGURES.len()];
    };
    let odds = |part: &SentencePart| its.map_or(0, |its| clip(part.aspects[its]));
    let neutral = |part: &SentencePart| {
        let [negative, neutral, positive] = part.labels;
        clip(neutral - negative.max(positive))
    };
    let score = rule.map_or(0, |rule| rule.score.clamp(-SCORE_MAX, SCORE_MAX) * UNIT / 3);
    let label = rule.map(|rule| rule.polarity);
    [
        UNIT,
        odds(part),
        odds(part).max(0),
        odds(whole),
        clip(part.lead()),
        neutral(part),
        clip(whole.lead()),
        neutral(whole),
        lead_elsewhere,
        findings_elsewhere,
        only_sentence,
        is((sentence.about.get(at)).is_some_and(|about| *about != About::default())),
        is(rule.is_some()),
        is(label == Some(Polarity::Positive)),
        is(label == Some(Polarity::Negative)),
        is(label == Some(Polarity::Uncertain)),
        is(label == Some(Polarity::Neutral)),
        score,
        score.abs(),
        if rule.is_some() { clip(part.lead()) } else { 0 },
    ]
}
