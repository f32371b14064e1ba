//! Cross-validation: each whole review is analyzed by a classifier that was trained without its author.

use reviews_service::insights::aspects::RuleEngine;
use reviews_service::insights::aspects::decision::Decisions;
use reviews_service::insights::classifier::NgramClassifier;
use reviews_service::insights::trades::{HOME_SERVICES, IDS, shipped};

use crate::decide::{self, Row};
use crate::document;
use crate::models::Material;
use crate::own::Review;

const FOLDS: usize = 3;

/// Engines of all trades, each with the reviews of its trade by the authors that were not in its training data.
pub struct Folds<'reviews> {
    folds: Vec<(RuleEngine, Vec<&'reviews Review>)>,
}

/// Trains the engines for each fold of the authors, on the reviews of the others.
pub fn read<'reviews>(
    material: &Material,
    reviews: &'reviews [Review],
    authors: &[&str],
) -> anyhow::Result<Folds<'reviews>> {
    let mut folds = Vec::new();
    for fold in 0..FOLDS {
        let is_of_fold = |review: &&Review| {
            authors
                .iter()
                .position(|author| *author == review.author)
                .is_some_and(|author| author % FOLDS == fold)
        };
        let (its, others): (Vec<&Review>, Vec<&Review>) = reviews.iter().partition(is_of_fold);
        let polarity = material.polarity(&others)?.into_model()?;
        for trade in IDS {
            let aspects = material.aspects(trade, &others).into_model()?;
            let engine = RuleEngine::new(shipped(trade)?)
                .classified_by(NgramClassifier::new(&aspects, &polarity));
            let its = its.iter().filter(|review| review.package == trade);
            folds.push((engine, its.copied().collect()));
        }
    }
    Ok(Folds { folds })
}

impl Folds<'_> {
    /// The content of `decision.tsv`.
    pub fn decisions(&self) -> String {
        let mut rows: Vec<Row> = Vec::new();
        for (engine, reviews) in &self.folds {
            let aspects = engine.trade.aspect_ids();
            for review in reviews {
                decide::rows(engine, review, &aspects, &mut rows);
            }
        }
        println!("{} candidates", rows.len());
        decide::table(&rows)
    }

    /// Learns the constants of `document` for whole texts with these decisions, and returns them as text.
    pub fn document(&self, table: &str) -> String {
        let mut rows = Vec::new();
        for (engine, reviews) in &self.folds {
            let mut engine = engine.clone();
            engine.decisions = Some(Decisions::parse(table));
            if engine.trade.id != HOME_SERVICES {
                continue;
            }
            for review in reviews {
                document::row(&engine, review, &mut rows);
            }
        }
        document::learned(&rows)
    }
}
