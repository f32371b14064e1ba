//! Learns how to weigh rules against the classifier, from whole reviews, each analyzed by a classifier that was trained
//! without its author.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use reviews_service::insights::aspects::RuleEngine;
use reviews_service::insights::aspects::decision::{
    DecisionBasis, Decisions, FIGURES, Figures, leader,
};
use reviews_service::insights::classifier::UNIT;
use reviews_service::insights::text::TokenizedText;

use crate::dense;
use crate::own::Review;

/// Outcomes: no finding, negative, neutral, positive.
const OUTCOMES: usize = 4;
/// Percentages of correct decisions for which a margin is written.
const PERCENTAGES: [u8; 10] = [50, 55, 60, 65, 70, 75, 80, 85, 90, 95];
/// Minimum number of decisions above a margin.
const JUDGEMENTS_MIN: usize = 40;

/// A candidate, with its outcome according to the annotators.
pub struct Row {
    figures: Figures,
    outcome: usize,
    is_heard: bool,
}

/// Adds the rows of one review to `rows`.
pub fn rows(engine: &RuleEngine, review: &Review, aspects: &[&str], rows: &mut Vec<Row>) {
    let (joined, said) = review.joined();
    let text = TokenizedText::new(&joined);
    let (_, candidates) = engine.candidates(&text);
    let spans: Vec<_> = text.sentence_spans().collect();
    // The annotated polarities by sentence and aspect.
    let mut gold: BTreeMap<(usize, &str), [bool; 3]> = BTreeMap::new();
    for (start, end, aspect, label) in &said {
        let overlap = |at: &usize| {
            i64::from(spans[*at].end.min(*end)) - i64::from(spans[*at].start.max(*start))
        };
        if let Some(at) = (0..spans.len()).max_by_key(overlap) {
            gold.entry((at, aspect)).or_default()[*label] = true;
        }
    }
    for candidate in candidates {
        if candidate.basis == DecisionBasis::Rules {
            continue;
        }
        let outcome = match gold.get(&(candidate.sentence, aspects[candidate.aspect])) {
            None => 0,
            Some([true, _, false]) => 1,
            Some([false, _, true]) => 3,
            Some(_) => 2,
        };
        rows.push(Row {
            figures: candidate.figures,
            outcome,
            is_heard: true,
        });
        if candidate.rule.is_some() {
            // The same candidate without the classifier of aspects.
            let mut figures = candidate.figures;
            for name in ["odds", "odds_above_even", "odds_of_sentence"] {
                if let Some(at) = FIGURES.iter().position(|figure| *figure == name) {
                    figures[at] = 0;
                }
            }
            rows.push(Row {
                figures,
                outcome,
                is_heard: false,
            });
        }
    }
}

/// The content of `decision.tsv`.
pub fn table(rows: &[Row]) -> String {
    let mut columns = vec![String::new(); FIGURES.len()];
    for is_heard in [true, false] {
        let examples: Vec<(Vec<f64>, usize)> = rows
            .iter()
            .filter(|row| row.is_heard == is_heard)
            .map(|row| {
                let figures = row.figures.iter();
                let whole = figures.map(|figure| f64::from(*figure) / f64::from(UNIT));
                (whole.collect(), row.outcome)
            })
            .collect();
        let weights = dense::learn(&examples, OUTCOMES);
        for (column, row) in columns.iter_mut().zip(weights.chunks(OUTCOMES)) {
            for weight in row {
                let _ = write!(column, "\t{}", (weight * 1_000.0).round() as i32);
            }
        }
    }
    let mut file = "# Weights for no finding, negative, neutral, positive, in thousandths; then without a classifier of aspects.\n\
         # Written by examples/train_classifier.\n"
        .to_owned();
    for (figure, column) in FIGURES.iter().zip(&columns) {
        let _ = writeln!(file, "{figure}{column}");
    }
    let decisions = Decisions::parse(&file);
    for (percent, margin) in calibration(&decisions, rows) {
        let _ = writeln!(file, "confidence\t{percent}\t{margin}");
    }
    file
}

/// For each percentage, the margin from which this percentage of decisions with a similar margin is correct.
fn calibration(decisions: &Decisions, rows: &[Row]) -> Vec<(u8, i32)> {
    let mut judged: Vec<(i32, bool)> = rows
        .iter()
        .filter(|row| row.is_heard)
        .filter_map(|row| {
            let (label, margin, is_found) = leader(&decisions.sums(&row.figures, true));
            (is_found && label != 1).then_some((margin, row.outcome == label + 1))
        })
        .collect();
    judged.sort_unstable();
    let examples: Vec<(Vec<f64>, usize)> = judged
        .iter()
        .map(|(margin, is_right)| {
            (
                vec![1.0, f64::from(*margin) / 1_000.0],
                usize::from(*is_right),
            )
        })
        .collect();
    if examples.len() < JUDGEMENTS_MIN {
        return Vec::new();
    }
    let weights = dense::learn(&examples, 2);
    let (constant, slope) = (weights[1] - weights[0], weights[3] - weights[2]);
    PERCENTAGES
        .iter()
        .map(|percent| {
            let share = f64::from(*percent) / 100.0;
            let odds = (share / (1.0 - share)).ln();
            (
                *percent,
                ((odds - constant) / slope * 1_000.0).round() as i32,
            )
        })
        .collect()
}
