//! A snapshot of the synthetic reviews, rendered in memory.

use std::sync::Arc;

use chrono::DateTime;
use reviews_service::links::Links;
use reviews_service::model::Review;
use reviews_service::snapshot::document::draft;
use reviews_service::snapshot::input::SnapshotInput;
use reviews_service::snapshot::insights::insights;
use reviews_service::snapshot::{
    CachedBody, Document, Entries, Entry, Publication, PublishedDocument, Snapshot,
};
use reviews_service::storage::reviews::DatabasePosition;

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
        ..SnapshotInput::default()
    }
}

/// A snapshot of `copy`.
#[must_use]
pub fn snapshot(copy: &SnapshotInput) -> Snapshot {
    let insights = Arc::new(insights(copy, &links()));
    let documents = Document::ALL.map(|document| {
        let draft = draft(document, copy, &insights, &links());
        let content = draft.finish(DateTime::UNIX_EPOCH);
        let body = Arc::new(CachedBody::new(document.content_type(), content));
        let digest = body.content.digest.clone();
        let publication = Publication {
            version: 1,
            digest,
            changed_at: DateTime::UNIX_EPOCH,
            is_same_second: false,
        };
        Arc::new(PublishedDocument {
            document,
            body,
            publication,
            is_confirmed: true,
        })
    });
    Snapshot::new(
        DatabasePosition::default(),
        copy.clone(),
        insights,
        documents.into(),
    )
}
