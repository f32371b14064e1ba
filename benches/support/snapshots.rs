//! The input of a snapshot of the synthetic reviews.

use std::sync::Arc;

use reviews_service::links::Links;
use reviews_service::model::Review;
use reviews_service::snapshot::input::SnapshotInput;
use reviews_service::snapshot::{Entries, Entry};

use super::corpus::Corpus;

/// The base URL of the synthetic business.
///
/// # Panics
/// Never: the URL is valid.
#[must_use]
pub fn links() -> Links {
    "https://reviews.sample.test".parse().unwrap()
}

/// The entry of a review that is not analyzed.
#[must_use]
pub fn entry(review: Review) -> Entry {
    Entry {
        review_no: None,
        review,
        analysis: None,
    }
}

/// The input of a snapshot of the corpus.
#[must_use]
pub fn copy(corpus: &Corpus) -> SnapshotInput {
    let entries = corpus
        .newest_first()
        .map(|number| Arc::new(entry(corpus.review(number))));
    SnapshotInput {
        entries: Entries::new(entries.collect(), &Entries::default(), &links()),
        business: Corpus::business(),
        links: links(),
        ..SnapshotInput::default()
    }
}
