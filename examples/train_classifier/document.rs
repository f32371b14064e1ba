//! Learns the sentiment of a whole text from its stars.

use reviews_service::insights::decide::{OpinionFinder, text_features};
use reviews_service::insights::text::TokenizedText;

use crate::dense;
use crate::own::Review;

/// Adds the figures of a review to `rows`, and 1 if it has more than three stars, unless it has three.
pub fn row(engine: &OpinionFinder, review: &Review, rows: &mut Vec<dense::Row>) {
    if review.stars == 3 {
        return;
    }
    let text = TokenizedText::new(&review.joined().0);
    let figures = text_features(&engine.read_sentences(&text));
    let figures = figures.iter().map(|figure| *figure as f32 / 1_000.0);
    rows.push((
        std::iter::once(1.0).chain(figures).collect(),
        usize::from(review.stars > 3),
    ));
}

/// The weights in thousandths.
pub fn learned(rows: &[dense::Row]) -> String {
    let weights = dense::learn_odds(rows);
    let weights: Vec<i64> = weights
        .iter()
        .map(|weight| (weight * 1_000.0).round() as i64)
        .collect();
    format!("src/insights/decide.rs: constant (as learned), lead, rules {weights:?}")
}
