//! Measures the agreement of the analysis with human annotations. The annotators' instructions are in
//! `docs/ANNOTATION.md`.

mod figures;
mod rows;
mod whole;

pub use figures::{AgreementCounts, EvaluationFigures, Miss, Proportion};
pub use rows::{AnnotatedReview, AnnotatedRow, RowError, reviews, rows};
pub use whole::{STARS, StarsShown, WholeQuality, evaluate_reviews};

use std::collections::{BTreeMap, BTreeSet};

use super::analysis::{Finding, Hit, Polarity};
use super::aspects::RuleEngine;
use super::text::TokenizedText;

/// The analyzer's label of one aspect of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Prediction {
    polarity: Polarity,
    hits: Vec<Hit>,
}

/// Analyzes every text of the rows and counts agreements.
#[must_use]
pub fn evaluate(engine: &RuleEngine, rows: &[AnnotatedRow]) -> EvaluationFigures {
    let mut gold: BTreeMap<&str, BTreeMap<&str, Polarity>> = BTreeMap::new();
    for row in rows {
        gold.entry(&row.text)
            .or_default()
            .insert(&row.aspect, row.polarity);
    }
    let mut quality = EvaluationFigures {
        n: rows.len(),
        texts: gold.len(),
        ..EvaluationFigures::default()
    };
    for (text, expected) in gold {
        let said = predictions(
            engine
                .analyze(&TokenizedText::of(text, engine.language_words()))
                .findings,
        );
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

/// The combined label of each aspect over all sentences of a text.
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
mod tests {
    use super::{AgreementCounts, Proportion, RowError, evaluate, rows};
    use crate::insights::analysis::Polarity;
    use crate::insights::aspects::RuleEngine;
    use crate::insights::trades::Trade;

    const ASPECTS: [&str; 2] = ["price", "overall"];

    fn fault(content: &str) -> RowError {
        rows("mine", content, &ASPECTS).unwrap_err()
    }

    #[test]
    fn a_faulty_row_is_told_with_its_line() {
        let head = "text\taspect\tpolarity\n";
        assert_eq!(
            fault("text,aspect\n").to_string(),
            "mine:1: the first line must be `text`, `aspect`, `polarity`, with tabs between"
        );
        assert_eq!(fault(head).to_string(), "mine:1: no rows below the header");
        assert_eq!(
            fault(&format!("{head}\nDear.\tprice\n")).to_string(),
            "mine:3: a row has 3 fields with tabs between, this one 2"
        );
        assert_eq!(
            fault(&format!("{head}Dear.\tcost\tnegative")).to_string(),
            "mine:2: `cost` is not one of price, overall"
        );
        assert_eq!(
            fault(&format!("{head}Dear.\tprice\tbad")).to_string(),
            "mine:2: `bad` is not one of positive, negative, neutral"
        );
        assert_eq!(fault(&format!("{head}Dear.\tprice\tuncertain")).line, 2);
        let twice = format!("{head}Dear.\tprice\tnegative\nDear.\tprice\tneutral\n");
        assert_eq!(
            fault(&twice).to_string(),
            "mine:3: `price` of this text is a duplicate"
        );
    }

    #[test]
    fn pairs_are_counted_over_all_texts_and_aspects() {
        let trade = Trade::built_in().unwrap();
        let content = "text\taspect\tpolarity\r\n\
        The price was fair.\tprice\tpositive\r\n\
        Way too expensive.\tprice\tpositive\r\n\
        Way too expensive.\toverall\tnegative\r\n";
        let quality = evaluate(
            &RuleEngine::new(&trade),
            &rows("mine", content, &ASPECTS).unwrap(),
        );
        assert_eq!((quality.n, quality.texts), (3, 2));
        assert_eq!(
            quality.pairs,
            AgreementCounts {
                both: 2,
                analyzer: 0,
                annotator: 1
            }
        );
        assert_eq!(quality.pairs.f1(), Proportion { part: 4, whole: 5 });
        assert_eq!(
            quality.polarity_accuracy(),
            Proportion { part: 1, whole: 2 }
        );
        assert_eq!(quality.coverage(), Proportion { part: 2, whole: 2 });
        assert_eq!(
            quality.published_accuracy(),
            Proportion { part: 1, whole: 2 }
        );
        assert_eq!(
            quality.confusion[&(Polarity::Positive, Polarity::Negative)],
            1
        );
        let missed: Vec<(&str, Option<Polarity>)> = quality
            .misses
            .iter()
            .map(|miss| (miss.aspect.as_str(), miss.got))
            .collect();
        assert_eq!(
            missed,
            [("overall", None), ("price", Some(Polarity::Negative))]
        );
    }

    #[test]
    fn an_interval_holds_its_share_and_narrows_with_the_count() {
        let [low, high] = Proportion { part: 9, whole: 10 }.interval();
        assert!(
            (low - 0.596).abs() < 0.001 && (high - 0.982).abs() < 0.001,
            "{low} {high}"
        );
        let [narrow_low, narrow_high] = Proportion {
            part: 900,
            whole: 1_000,
        }
        .interval();
        assert!(narrow_low > low && narrow_high < high);
        assert_eq!(
            Proportion::default().interval().map(f64::to_bits),
            [0.0, 1.0].map(f64::to_bits)
        );
    }
}
