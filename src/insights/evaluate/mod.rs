//! How well the analysis agrees with people: sentences annotated by hand against findings. Apart
//! from the analysis because it judges it. What annotators were told stands in
//! `docs/ANNOTATION.md`.

mod figures;
mod reviews;
mod rows;
mod whole;

pub use figures::{Counts, Miss, Quality, Share};
pub use reviews::{AnnotatedReview, reviews};
pub use rows::{Row, RowError, rows};
pub use whole::{WholeQuality, evaluate_reviews};

use std::collections::{BTreeMap, BTreeSet};

use super::analysis::{Finding, Hit, Polarity};
use super::aspects::RuleEngine;
use super::text::Text;

/// What the reader says of one aspect of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Prediction {
    polarity: Polarity,
    hits: Vec<Hit>,
}

/// Reads every text of the rows and counts what agrees.
#[must_use]
pub fn evaluate(engine: &RuleEngine, rows: &[Row]) -> Quality {
    let mut gold: BTreeMap<&str, BTreeMap<&str, Polarity>> = BTreeMap::new();
    for row in rows {
        gold.entry(&row.text)
            .or_default()
            .insert(&row.aspect, row.polarity);
    }
    let mut quality = Quality {
        n: rows.len(),
        texts: gold.len(),
        ..Quality::default()
    };
    for (text, expected) in gold {
        let said = predictions(engine.analyze(&Text::new(text)).findings);
        let aspects: BTreeSet<&str> = expected
            .keys()
            .copied()
            .chain(said.keys().map(String::as_str))
            .collect();
        for aspect in aspects {
            quality.count(
                text,
                aspect,
                expected.get(aspect).copied(),
                said.get(aspect).map(|said| (said.polarity, &said.hits)),
            );
        }
    }
    quality
}

/// What the findings say of each aspect, over all sentences of a text.
fn predictions(findings: Vec<Finding>) -> BTreeMap<String, Prediction> {
    let mut said: BTreeMap<String, (i32, bool, Prediction)> = BTreeMap::new();
    for finding in findings {
        let is_polar = finding.polarity != Polarity::Neutral;
        let empty = || {
            (
                0,
                false,
                Prediction {
                    polarity: Polarity::Neutral,
                    hits: Vec::new(),
                },
            )
        };
        let (score, polar, one) = said.entry(finding.aspect).or_insert_with(empty);
        *score += finding.score;
        *polar |= is_polar;
        one.hits.extend(finding.hits);
        one.polarity = super::aspects::label(*score, *polar);
    }
    said.into_iter()
        .map(|(aspect, (_, _, said))| (aspect, said))
        .collect()
}

#[cfg(test)]
mod tests;
