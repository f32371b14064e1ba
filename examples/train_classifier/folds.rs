//! Cross-validation: each whole review is analyzed by a model that was trained without its author.

use std::sync::Arc;
use std::thread;

use anyhow::{Context as _, anyhow};
use reviews_service::insights::classifier::Classifier;
use reviews_service::insights::decide::OpinionFinder;
use reviews_service::insights::rules::{HOME_SERVICES, IDS, Trade};

use crate::models::Material;
use crate::own::Review;
use crate::{decide, document};

const FOLDS: usize = 3;

/// The engine of a trade, with the reviews of the trade by the authors that were not in its training data.
type Fold<'reviews> = (OpinionFinder, Vec<&'reviews Review>);

/// Trains the model of each fold of the authors on the reviews of the others.
pub fn train<'reviews>(
    material: &Material,
    reviews: &'reviews [Review],
    authors: &[&str],
) -> anyhow::Result<Vec<Fold<'reviews>>> {
    let fold = |fold: usize| -> anyhow::Result<Vec<Fold<'reviews>>> {
        let is_of_fold = |review: &&Review| {
            let author = authors.iter().position(|author| *author == review.author);
            author.is_some_and(|author| author % FOLDS == fold)
        };
        let (its, others): (Vec<&Review>, Vec<&Review>) = reviews.iter().partition(is_of_fold);
        let model = material.learn(&others, None)?.to_bytes();
        let classifier = Classifier::parse(&model).context("the classifier cannot be read")?;
        let classifier = Arc::new(classifier);
        let engines = IDS.map(|trade| {
            let engine = OpinionFinder::new(Trade::built_in(trade), Arc::clone(&classifier));
            let its = its.iter().filter(|review| review.package == trade);
            Ok((engine, its.copied().collect()))
        });
        engines.into_iter().collect()
    };
    let folds = thread::scope(|scope| {
        let threads: Vec<_> = (0..FOLDS).map(|at| scope.spawn(move || fold(at))).collect();
        let folds = threads.into_iter().map(|thread| {
            let fold = thread.join();
            fold.map_err(|_| anyhow!("a training panicked"))?
        });
        folds.collect::<anyhow::Result<Vec<_>>>()
    })?;
    Ok(folds.into_iter().flatten().collect())
}

/// The content of `decision.toml`.
pub fn decisions(folds: &[Fold<'_>]) -> String {
    let (mut rows, mut complaints) = (Vec::new(), Vec::new());
    for (engine, reviews) in folds {
        for review in reviews {
            decide::rows(engine, review, &mut rows);
            if review.stars <= 2 {
                decide::complaints(engine, review, &mut complaints);
            }
        }
    }
    println!(
        "{} candidates, {} sentences of low-rated reviews",
        rows.len(),
        complaints.len()
    );
    decide::table(&rows, &complaints)
}

/// The constants for the polarity of whole texts.
pub fn document(folds: &[Fold<'_>]) -> String {
    let mut rows = Vec::new();
    for (engine, reviews) in folds {
        if engine.trade.id == HOME_SERVICES {
            for review in reviews {
                document::row(engine, review, &mut rows);
            }
        }
    }
    document::learned(&rows)
}
