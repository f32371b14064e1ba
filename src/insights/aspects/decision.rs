//! What a candidate is, by its figures: no finding, or one with a label and a confidence. Linear
//! sums of integers, learned by `examples/train_classifier` from the annotated reviews of hands
//! whose texts the classifier had not seen, and calibrated on them.

use super::candidates::{Basis, Candidate, FIGURES, Figures};
use crate::insights::analysis::Polarity;
use crate::insights::classifier::UNIT;

/// A row for each figure, and the calibration: see [`Decisions::parse`].
const BUILT_IN: &str = include_str!("decision.tsv");
/// What a candidate may be, in the order of the columns.
const OUTCOMES: usize = 4;
/// Outcomes but the first, which is no finding.
const LABELS: [Polarity; OUTCOMES - 1] =
    [Polarity::Negative, Polarity::Neutral, Polarity::Positive];
/// The name of the rows that say from which margin on a judgement is so often right.
const CONFIDENCE: &str = "confidence";

/// What is decided of a candidate that is a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// The label that leads.
    pub polarity: Polarity,
    /// In how many of a hundred such cases aspect and label were right.
    pub confidence: u8,
}

/// Of a hundred judgements that rules alone make so many are right.
const CONFIDENCE_OF_RULES: u8 = 70;

/// The weights, in thousandths of a logarithm of the odds for each whole unit of a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decisions {
    /// Whether the rules decide alone, whatever the figures say.
    are_of_rules: bool,
    /// Where the classifier knows the aspect, and where rules alone do.
    tables: [[[i32; OUTCOMES]; FIGURES.len()]; 2],
    /// Percentages, each with the margin from which on it holds, rising.
    confidence: Vec<(u8, i32)>,
}

impl Decisions {
    /// Those that come with the program.
    #[must_use]
    pub fn built_in() -> Self {
        Self::parse(BUILT_IN)
    }

    /// What the rules found and nothing else, as if there were no classifier.
    #[must_use]
    pub const fn of_rules() -> Self {
        Self {
            are_of_rules: true,
            tables: [[[0; OUTCOMES]; FIGURES.len()]; 2],
            confidence: Vec::new(),
        }
    }

    /// Reads tab-separated lines: a figure's name and eight weights (for no finding, negative,
    /// neutral, positive; then the same without a classifier), or `confidence`, a percentage and
    /// its margin. Other lines are comments.
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

    /// For each outcome the sum that speaks for it, in thousandths of a logarithm of the odds.
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

    /// What a candidate is; `None` if it is no finding.
    #[must_use]
    pub fn decide(&self, candidate: &Candidate) -> Option<Decision> {
        if self.are_of_rules || candidate.basis == Basis::Rules {
            return candidate.rule.map(|polarity| Decision {
                polarity,
                confidence: CONFIDENCE_OF_RULES,
            });
        }
        let knows_aspect = candidate.basis == Basis::Aspect;
        let (label, margin, is_found) = leader(&self.sums(&candidate.figures, knows_aspect));
        let mut falling = self.confidence.iter().rev();
        is_found.then(|| Decision {
            polarity: LABELS[label],
            confidence: falling
                .find(|(_, least)| margin >= *least)
                .map_or(0, |(percent, _)| *percent),
        })
    }
}

/// The label that leads, by how much it leads all other outcomes, and whether the labels together
/// are likelier than no finding.
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

/// What speaks for either of two outcomes: the logarithm of the sum of their odds, in thousandths,
/// by a table of `ln(1 + exp(-x))` for every half.
fn together(one: i32, other: i32) -> i32 {
    const STEP: u32 = 500;
    const TABLE: [i32; 7] = [693, 474, 313, 201, 127, 79, 49];
    let step = one.abs_diff(other) / STEP;
    let more = TABLE.get(step as usize).copied().unwrap_or_default();
    one.max(other).saturating_add(more)
}
