//! Decides what the rules and the classifier found. The candidates are, for each sentence and aspect, the judgement of
//! the rules, the scores of the classifier, and the polarity of the rest of the text, as figures; a decision weighs them.
//! The rules can explain their judgement, and the classifier knows common usage; every change by the classifier is a
//! separate hit, so that a score remains the sum of its hits. The polarity of the text as a whole follows from the same
//! scores and findings. `examples/train_classifier` learns the weights from these figures.

use super::parsed_sentence::About;
use crate::insights::analysis::{CONFIDENCE_OF_RULES, Polarity};
use crate::insights::classifier::UNIT;

/// The names of the figures, in their order.
pub const FIGURES: [&str; 22] = [
    "constant",
    "odds",
    "odds_above_even",
    "odds_of_sentence",
    "odds_of_blame",
    "odds_of_praise",
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
    /// A phrase of the rules that no classifier overrules; the classifier can only make it surer.
    Plain,
    /// Only the rules, because the classifier lacks the aspect of such a phrase, or cannot distinguish the numbers in
    /// `10/10`.
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
/// The names of the calibration rows: by the text, and with the stars.
const CONFIDENCE: [&str; 2] = ["confidence", "confidence_with_stars"];

/// The weights, in thousandths of a logarithm of the odds for each whole unit of a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decisions {
    /// Weights for candidates with the classifier's score for the aspect, and for candidates without it.
    tables: [[[i32; OUTCOMES]; FIGURES.len()]; 2],
    /// Percentages, ascending, each with the margin from which it applies: for a label that the text decides, and for the
    /// label of the stars.
    confidence: [Vec<(u8, i32)>; 2],
}

impl Decisions {
    /// The program's own weights.
    pub fn built_in() -> Self {
        Self::parse(BUILT_IN)
    }

    /// Reads tab-separated lines: a figure's name and eight weights (for no finding, negative, neutral, positive; then
    /// the same without a classifier), or one of [`CONFIDENCE`], a percentage and its margin. Other lines are comments.
    pub fn parse(content: &str) -> Self {
        let mut tables = [[[0; OUTCOMES]; FIGURES.len()]; 2];
        let mut confidence = [const { Vec::new() }; 2];
        for line in content.lines() {
            let mut fields = line.split('\t');
            let Some(name) = fields.next() else { continue };
            let numbers: Vec<i32> = fields.filter_map(|field| field.parse().ok()).collect();
            let table = CONFIDENCE.iter().position(|table| *table == name);
            if let (Some(table), [percent, margin]) = (table, &numbers[..]) {
                confidence[table].push((u8::try_from(*percent).unwrap_or_default(), *margin));
            }
            let Some(figure) = FIGURES.iter().position(|figure| *figure == name) else {
                continue;
            };
            for (at, weight) in numbers.iter().enumerate().take(2 * OUTCOMES) {
                tables[at / OUTCOMES][figure][at % OUTCOMES] = *weight;
            }
        }
        Self { tables, confidence }
    }

    /// The sum of each outcome, in thousandths of a logarithm of the odds.
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
}

/// What the figures of a candidate say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// The label by the text.
    pub label: Polarity,
    /// Percentage of similar cases in which aspect and label were right.
    pub confidence: u8,
    /// The same percentage for the label of the stars, to which the opposite label is no alternative; `None` without stars,
    /// or if another outcome is likelier.
    pub with_stars: Option<u8>,
}

/// `None` if the candidate is no finding. Without `decisions`, the findings of the rules are accepted unchanged.
pub fn decide(
    decisions: Option<&Decisions>,
    candidate: &AspectCandidate,
    of_stars: Option<Polarity>,
) -> Option<Decision> {
    let of_rule = candidate.rule.map(|label| Decision {
        label,
        confidence: CONFIDENCE_OF_RULES,
        with_stars: None,
    });
    let Some(decisions) = decisions.filter(|_| candidate.basis != DecisionBasis::Rules) else {
        return of_rule;
    };
    let knows_aspect = candidate.basis != DecisionBasis::Polarity;
    let sums = decisions.sums(&candidate.figures, knows_aspect);
    let percentage = |table: usize, margin: i32| {
        (margin > 0).then(|| reached(&decisions.confidence[table], margin))
    };
    let with_stars = of_stars.and_then(|label| percentage(1, margin_with_stars(&sums, label)));
    let (label, margin) = leader(&sums);
    let decision = percentage(0, margin).map(|confidence| Decision {
        label: LABELS[label],
        confidence,
        with_stars,
    });
    if candidate.basis != DecisionBasis::Plain {
        return decision;
    }
    let surer = decision
        .filter(|one| Some(one.label) == candidate.rule && one.confidence > CONFIDENCE_OF_RULES);
    surer.or(of_rule.map(|rule| Decision { with_stars, ..rule }))
}

/// The percentage of cases with such a margin that were right.
fn reached(confidence: &[(u8, i32)], margin: i32) -> u8 {
    let mut falling = confidence.iter().rev();
    let reached = falling.find(|(_, least)| margin >= *least);
    reached.map_or(0, |(percent, _)| *percent)
}

/// The margin of the label of the stars over all outcomes but the opposite label.
pub fn margin_with_stars(sums: &[i32; OUTCOMES], of_stars: Polarity) -> i32 {
    let [none, negative, neutral, positive] = *sums;
    let label = if of_stars == Polarity::Positive {
        positive
    } else {
        negative
    };
    label - none.max(neutral)
}

/// The leading label, and its margin over all other outcomes; it is negative if no finding is likelier.
pub fn leader(sums: &[i32; OUTCOMES]) -> (usize, i32) {
    let label = (1..OUTCOMES).max_by_key(|at| sums[*at]).unwrap_or(1);
    let others = (0..OUTCOMES).filter(|at| *at != label);
    let next = others.map(|at| sums[at]).max().unwrap_or_default();
    (label - 1, sums[label] - next)
}
