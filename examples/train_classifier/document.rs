//! Learns the sentiment of a whole text from its stars.

use reviews_service::insights::aspects::{RuleEngine, document_figures};
use reviews_service::insights::text::TokenizedText;

use crate::dense;
use crate::own::Review;

/// The figures of a text, and 1 if it has more than three stars.
type Row = (Vec<f64>, usize);

/// Adds the figures of a review to `rows`, unless it has three stars.
pub fn row(engine: &RuleEngine, review: &Review, rows: &mut Vec<Row>) {
    let text = TokenizedText::new(&review.joined().0);
    let figures = document_figures(&engine.candidates(&text).0);
    if review.stars != 3 {
        let whole = figures.iter().map(|figure| *figure as f64 / 1_000.0);
        rows.push((
            std::iter::once(1.0).chain(whole).collect(),
            usize::from(review.stars > 3),
        ));
    }
}

/// The weights in thousandths, and how many of `rows` they classify correctly.
pub fn learned(rows: &[Row]) -> String {
    let weights = dense::learn(rows, 2);
    let weights: Vec<f64> = weights.chunks(2).map(|row| row[1] - row[0]).collect();
    let is_right = |(figures, stars): &&Row| {
        let sum: f64 = figures.iter().zip(&weights).map(|(one, by)| one * by).sum();
        (sum > 0.0) == (*stars == 1)
    };
    let right = rows.iter().filter(is_right).count();
    let weights: Vec<i64> = weights
        .iter()
        .map(|weight| (weight * 1_000.0).round() as i64)
        .collect();
    format!(
        "src/insights/aspects/decision.rs: constant (as learned), lead, rules {weights:?}; {right} of {} right",
        rows.len()
    )
}
