//! Turns candidates into findings. The rules can explain their judgement, and the classifier knows common usage;
//! `decision` weighs both. Every change by the classifier is a separate hit, so that a score remains the sum of its
//! hits.

use std::ops::Range;

use super::candidates::{AspectCandidate, DecisionBasis, FIGURES, Figures, SentenceReading};
use super::parsed_sentence::About;
use super::{MARGIN, RuleEngine};
use crate::insights::analysis::{Finding, Hit, Polarity};
use crate::insights::classifier::{AspectScores, OutputHead, SentencePart, UNIT};
use crate::insights::text::TokenizedText;

/// Absolute score of a label that the rules did not give.
const POINTS: i32 = MARGIN + 1;
/// Points that the classifier adds to a judgement that it confirms. They do not change the label, but the clearest
/// sentences are quoted first.
const BACKING: i32 = 2;
/// Absolute score of an uncertain finding with a leading label; below `MARGIN`.
const LEANING: i32 = 1;
/// Minimum confidence of a judgement that the rules also make; below it, the finding is uncertain.
const CONFIDENCE_MIN: u8 = 60;
/// Minimum confidence of a judgement that only the classifier makes: between this minimum and the one above, 63 of 100
/// judgements were right in reviews by unknown authors.
const CONFIDENCE_MIN_ALONE: u8 = 70;

/// Typical length of a hit's rule with its prefix, in bytes.
const RULE_BYTES: usize = 40;

/// The findings of a text: by sentence, then by position, then by aspect.
pub fn findings(
    engine: &RuleEngine,
    text: &TokenizedText,
    read: &mut [SentenceReading<'_>],
    candidates: &[AspectCandidate],
) -> Vec<Finding> {
    let mut all = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let Some(decision) = engine.decisions.decide(candidate) else {
            continue;
        };
        let sentence = &mut read[candidate.sentence];
        let rule = sentence.take_rule(candidate.aspect);
        let scores = &sentence.scores;
        all.push(finding(engine, text, scores, candidate, rule, decision));
    }
    all.sort_by(|one, other| {
        (one.sentence, one.span, &one.aspect).cmp(&(other.sentence, other.span, &other.aspect))
    });
    all
}

fn finding(
    engine: &RuleEngine,
    text: &TokenizedText,
    scores: &AspectScores<'_>,
    candidate: &AspectCandidate,
    rule: Option<Finding>,
    FindingDecision {
        polarity,
        confidence,
    }: FindingDecision,
) -> Finding {
    let part = &scores.parts[candidate.part];
    let head = engine.detected[candidate.aspect].map(OutputHead::Aspect);
    let mut finding = rule.unwrap_or_else(|| Finding {
        aspect: engine.aspects[candidate.aspect].clone(),
        sentence: u32::try_from(candidate.sentence).unwrap_or(u32::MAX),
        span: text.span(part.tokens.clone()),
        polarity: Polarity::Neutral,
        score: 0,
        confidence: 0,
        hits: head
            .and_then(|head| scores.strongest(&part.tokens, head))
            .map(|(run, _)| examples_hit(text, run, 0))
            .into_iter()
            .collect(),
    });
    let sign = match polarity {
        Polarity::Positive => 1,
        Polarity::Negative => -1,
        Polarity::Neutral | Polarity::Uncertain => 0,
    };
    let least = if finding.polarity == polarity {
        CONFIDENCE_MIN
    } else {
        CONFIDENCE_MIN_ALONE
    };
    // Some judgements that only the classifier makes do not count: judgements about a possibility, blame for another
    // business or for earlier trouble, and praise in a wish.
    let About {
        elsewhere,
        wishes,
        open,
        trouble,
    } = candidate.about;
    let is_no_fact = match polarity {
        Polarity::Positive => open || wishes,
        Polarity::Negative => open || elsewhere || trouble,
        Polarity::Neutral | Polarity::Uncertain => false,
    };
    let is_of_others = is_no_fact && finding.polarity != polarity;
    let is_clear = match polarity {
        Polarity::Positive | Polarity::Negative => confidence >= least && !is_of_others,
        Polarity::Neutral => true,
        Polarity::Uncertain => false,
    };
    let points = match (is_clear, finding.polarity == polarity) {
        // An uncertain finding of the rules keeps its score, which leans to the side of their sum.
        (false, _) if polarity == Polarity::Uncertain => 0,
        (false, _) if is_of_others => -finding.score,
        (false, _) => sign * LEANING - finding.score,
        (true, true) if sign * part.lead() > 0 => sign * BACKING,
        (true, true) => 0,
        (true, false) => sign * POINTS - finding.score,
    };
    if points != 0 {
        let place = text.tokens_in(finding.span);
        let hit = examples_hit(text, decisive(scores, place, head, points.signum()), points);
        finding.score += hit.points;
        finding.hits.push(hit);
    }
    finding.polarity = if is_clear {
        polarity
    } else {
        Polarity::Uncertain
    };
    finding.confidence = confidence;
    finding
}

/// The words that decided the classifier: near the words for the aspect, those with the largest weights for the side of
/// `sign`. Without such words, those with the largest weights for the aspect.
fn decisive(
    scores: &AspectScores<'_>,
    place: Range<usize>,
    aspect: Option<OutputHead>,
    sign: i32,
) -> Range<usize> {
    let label = OutputHead::Label(usize::try_from(sign + 1).unwrap_or_default());
    let named = aspect.and_then(|aspect| scores.strongest(&place, aspect));
    let Some((named, _)) = named else {
        let strongest = scores.strongest(&place, label);
        return strongest.map_or(place, |(run, _)| run);
    };
    // The whole sentence is the last of its parts.
    let is_around =
        |part: &&SentencePart| part.tokens.start <= named.start && named.end <= part.tokens.end;
    let near = scores
        .parts
        .iter()
        .find(is_around)
        .map(|part| part.tokens.start.max(place.start)..part.tokens.end.min(place.end));
    let strongest = near.and_then(|near| scores.strongest(&near, label));
    strongest.map_or(named, |(run, _)| run)
}

fn examples_hit(text: &TokenizedText, run: Range<usize>, points: i32) -> Hit {
    let mut rule = String::with_capacity(RULE_BYTES);
    rule.push_str("examples:");
    for token in run.clone() {
        if token > run.start {
            rule.push(' ');
        }
        rule.push_str(text.word(token));
    }
    Hit {
        rule,
        span: text.span(run),
        points,
    }
}

// Decides a candidate by its figures: no finding, or a label with a confidence. The sums are linear, with integer
// weights that `examples/train_classifier` learned and calibrated on annotated reviews. No other text by the authors of
// these reviews was used to train the classifier.

/// A row for each figure, and the calibration: see [`Decisions::parse`].
const BUILT_IN: &str = include_str!("decision.tsv");
/// Number of outcomes, in the order of the columns.
const OUTCOMES: usize = 4;
/// The labels of all outcomes except the first, which means no finding.
const LABELS: [Polarity; OUTCOMES - 1] =
    [Polarity::Negative, Polarity::Neutral, Polarity::Positive];
/// The name of the calibration rows.
const CONFIDENCE: &str = "confidence";

/// The decision for a candidate that is a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FindingDecision {
    /// The leading label.
    pub polarity: Polarity,
    /// Percentage of similar cases in which aspect and label were right.
    pub confidence: u8,
}

/// Measured percentage of right judgements among those that only the rules make.
const CONFIDENCE_OF_RULES: u8 = 70;

/// The weights, in thousandths of a logarithm of the odds for each whole unit of a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decisions {
    /// Whether the rules decide regardless of the figures.
    are_of_rules: bool,
    /// Weights for candidates with the classifier's score for the aspect, and for candidates without it.
    tables: [[[i32; OUTCOMES]; FIGURES.len()]; 2],
    /// Percentages, ascending, each with the margin from which it applies.
    confidence: Vec<(u8, i32)>,
}

impl Decisions {
    /// The program's own weights.
    #[must_use]
    pub fn built_in() -> Self {
        Self::parse(BUILT_IN)
    }

    /// Accepts the rules' findings unchanged, as without a classifier.
    #[must_use]
    pub const fn of_rules() -> Self {
        Self {
            are_of_rules: true,
            tables: [[[0; OUTCOMES]; FIGURES.len()]; 2],
            confidence: Vec::new(),
        }
    }

    /// Reads tab-separated lines: a figure's name and eight weights (for no finding, negative, neutral, positive; then
    /// the same without a classifier), or `confidence`, a percentage and its margin. Other lines are comments.
    #[must_use]
    pub fn parse(content: &str) -> Self {
        let mut tables = [[[0; OUTCOMES]; FIGURES.len()]; 2];
        let mut confidence = Vec::new();
        for line in content.lines() {
            let mut fields = line.split('\t');
            let Some(name) = fields.next() else { continue };
            let numbers: Vec<i32> = fields.filter_map(|field| field.parse().ok()).collect();
            if let (CONFIDENCE, [percent, margin]) = (name, &numbers[..]) {
                confidence.push((u8::try_from(*percent).unwrap_or_default(), *margin));
            }
            let Some(figure) = FIGURES.iter().position(|figure| *figure == name) else {
                continue;
            };
            for (at, weight) in numbers.iter().enumerate().take(2 * OUTCOMES) {
                tables[at / OUTCOMES][figure][at % OUTCOMES] = *weight;
            }
        }
        Self {
            are_of_rules: false,
            tables,
            confidence,
        }
    }

    /// The sum of each outcome, in thousandths of a logarithm of the odds.
    #[must_use]
    pub fn sums(&self, figures: &Figures, knows_aspect: bool) -> [i32; OUTCOMES] {
        let table = &self.tables[usize::from(!knows_aspect)];
        let mut sums = [0; OUTCOMES];
        for (figure, weights) in figures.iter().zip(table) {
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += figure * weight;
            }
        }
        sums.map(|sum| sum / UNIT)
    }

    /// `None` if the candidate is no finding.
    #[must_use]
    pub fn decide(&self, candidate: &AspectCandidate) -> Option<FindingDecision> {
        if self.are_of_rules || candidate.basis == DecisionBasis::Rules {
            return candidate.rule.map(|polarity| FindingDecision {
                polarity,
                confidence: CONFIDENCE_OF_RULES,
            });
        }
        let knows_aspect = candidate.basis == DecisionBasis::Aspect;
        let (label, margin, is_found) = leader(&self.sums(&candidate.figures, knows_aspect));
        let mut falling = self.confidence.iter().rev();
        is_found.then(|| FindingDecision {
            polarity: LABELS[label],
            confidence: falling
                .find(|(_, least)| margin >= *least)
                .map_or(0, |(percent, _)| *percent),
        })
    }
}

/// The leading label, its margin over all other outcomes, and whether the labels together are likelier than no finding.
#[must_use]
pub fn leader(sums: &[i32; OUTCOMES]) -> (usize, i32, bool) {
    let label = (1..OUTCOMES).max_by_key(|at| sums[*at]).unwrap_or(1);
    let next = (0..OUTCOMES)
        .filter(|at| *at != label)
        .map(|at| sums[at])
        .max()
        .unwrap_or_default();
    let [none, negative, neutral, positive] = *sums;
    let found = together(together(negative, neutral), positive);
    (label - 1, sums[label] - next, found > none)
}

/// The logarithm of the sum of the odds of two outcomes, in thousandths, by a table of `ln(1 + exp(-x))` in steps of
/// one half.
fn together(one: i32, other: i32) -> i32 {
    const STEP: u32 = 500;
    const TABLE: [i32; 7] = [693, 474, 313, 201, 127, 79, 49];
    let step = one.abs_diff(other) / STEP;
    let more = TABLE.get(step as usize).copied().unwrap_or_default();
    one.max(other).saturating_add(more)
}
