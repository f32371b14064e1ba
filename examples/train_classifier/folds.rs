//! Cross-validation: each whole review is analyzed by a classifier that was trained without its author.

use anyhow::Context as _;
use reviews_service::insights::aspects::RuleEngine;
use reviews_service::insights::aspects::decision::Decisions;
use reviews_service::insights::classifier::NgramClassifier;
use reviews_service::insights::trades::{HOME_SERVICES, shipped};

use crate::decide::{self, Row};
use crate::models::Material;
use crate::own::Review;
use crate::{document, trades};

const FOLDS: usize = 3;
/// The trade whose rules are weighed against the classifier.
const TRADE: &str = "home_services";

/// Engines, each with the reviews of the authors that were not in its training data.
pub struct Folds<'reviews> {
    folds: Vec<(RuleEngine, Vec<&'reviews Review>)>,
}

/// Trains an engine for each fold of the authors, on the reviews of the others.
pub fn read<'reviews>(
    material: &Material,
    reviews: &'reviews [Review],
    authors: &[&str],
) -> anyhow::Result<Folds<'reviews>> {
    let engine = RuleEngine::new(shipped(HOME_SERVICES)?);
    let mut folds = Vec::new();
    for fold in 0..FOLDS {
        let is_of_fold = |review: &&Review| {
            authors
                .iter()
                .position(|author| *author == review.author)
                .is_some_and(|author| author % FOLDS == fold)
        };
        let (its, others): (Vec<&Review>, Vec<&Review>) = reviews.iter().partition(is_of_fold);
        let classifier = NgramClassifier::new(
            &material.aspects(TRADE, &others).into_model()?,
            &material.polarity(&others)?.into_model()?,
        );
        folds.push((
            engine
                .clone()
                .classified_by(classifier)
                .decided_by(Some(Decisions::built_in())),
            its,
        ));
    }
    folds.first().context("there are no folds")?;
    Ok(Folds { folds })
}

impl Folds<'_> {
    /// The content of `decision.tsv`.
    pub fn decisions(&self) -> String {
        let mut rows: Vec<Row> = Vec::new();
        for (engine, reviews) in &self.folds {
            for review in reviews.iter().filter(|review| review.package == TRADE) {
                decide::rows(engine, review, trades::aspects(TRADE), &mut rows);
            }
        }
        println!("{} candidates", rows.len());
        decide::table(&rows)
    }

    /// Learns the constants of `document` for whole texts with these decisions, and returns them as text.
    pub fn document(&self, table: &str) -> String {
        let mut rows = Vec::new();
        for (engine, reviews) in &self.folds {
            let engine = engine.clone().decided_by(Some(Decisions::parse(table)));
            for review in reviews.iter().filter(|review| review.package == TRADE) {
                document::row(&engine, review, &mut rows);
            }
        }
        document::learned(&rows)
    }
}
