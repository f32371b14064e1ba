//! Learns how to weigh rules against the classifier, from whole reviews, each analyzed by a classifier that was trained
//! without its author.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use reviews_service::insights::Polarity;
use reviews_service::insights::aspects::RuleEngine;
use reviews_service::insights::aspects::decision::{
    DecisionBasis, Decisions, FIGURES, Figures, leader, margin_with_stars,
};
use reviews_service::insights::classifier::UNIT;
use reviews_service::insights::text::TokenizedText;

use crate::dense;
use crate::own::Review;

/// Outcomes: no finding, negative, neutral, positive.
const OUTCOMES: usize = 4;
/// Percentages of correct decisions for which a margin is written.
const PERCENTAGES: [u8; 10] = [50, 55, 60, 65, 70, 75, 80, 85, 90, 95];
/// The percentage below which a finding is left open.
const OPEN_BELOW: u8 = 60;
/// Minimum number of decisions above a margin.
const JUDGEMENTS_MIN: usize = 40;

/// A candidate, with its outcome according to the annotators.
pub struct Row {
    figures: Figures,
    outcome: usize,
    is_heard: bool,
    /// The label that the stars of the review suggest.
    of_stars: Option<Polarity>,
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
        if matches!(candidate.basis, DecisionBasis::Plain | DecisionBasis::Rules) {
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
            of_stars: Polarity::of_stars(review.stars),
        });
        if candidate.rule.is_some() {
            // The same candidate without the classifier of aspects.
            let mut figures = candidate.figures;
            for name in [
                "odds",
                "odds_above_even",
                "odds_of_sentence",
                "odds_of_blame",
                "odds_of_praise",
            ] {
                if let Some(at) = FIGURES.iter().position(|figure| *figure == name) {
                    figures[at] = 0;
                }
            }
            rows.push(Row {
                figures,
                outcome,
                is_heard: false,
                of_stars: None,
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
    let by_text = calibration(by_text(&decisions, rows));
    // With stars, only candidates that the text leaves open are decided.
    let least = by_text.iter().find(|(percent, _)| *percent == OPEN_BELOW);
    let least = least.map_or(0, |(_, margin)| *margin);
    let with_stars = calibration(with_stars(&decisions, rows, least));
    for (name, calibration) in [
        ("confidence", by_text),
        ("confidence_with_stars", with_stars),
    ] {
        for (percent, margin) in calibration {
            let _ = writeln!(file, "{name}\t{percent}\t{margin}");
        }
    }
    file
}

/// The margin of each decision by the text, and whether it is correct.
fn by_text(decisions: &Decisions, rows: &[Row]) -> Vec<(i32, bool)> {
    let heard = rows.iter().filter(|row| row.is_heard);
    let judged = heard.filter_map(|row| {
        let (label, margin) = leader(&decisions.sums(&row.figures, true));
        (margin > 0 && label != 1).then_some((margin, row.outcome == label + 1))
    });
    judged.collect()
}

/// The margin of the label of the stars for each candidate that the text leaves open, and whether that label is correct.
fn with_stars(decisions: &Decisions, rows: &[Row], least: i32) -> Vec<(i32, bool)> {
    let heard = rows.iter().filter(|row| row.is_heard);
    let judged = heard.filter_map(|row| {
        let sums = decisions.sums(&row.figures, true);
        let (label, margin) = leader(&sums);
        let is_open = margin > 0 && label != 1 && margin < least;
        let of_stars = row.of_stars.filter(|_| is_open)?;
        let margin = margin_with_stars(&sums, of_stars);
        let outcome = if of_stars == Polarity::Positive { 3 } else { 1 };
        (margin > 0).then_some((margin, row.outcome == outcome))
    });
    judged.collect()
}

/// For each percentage, the margin from which this percentage of decisions with a similar margin is correct.
fn calibration(mut judged: Vec<(i32, bool)>) -> Vec<(u8, i32)> {
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
