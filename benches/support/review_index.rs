//! A snapshot of the synthetic reviews, rendered in memory.

use std::sync::Arc;

use chrono::DateTime;
use reviews_service::links::Links;
use reviews_service::snapshot::document::draft;
use reviews_service::snapshot::input::SnapshotInput;
use reviews_service::snapshot::insights::insights;
use reviews_service::snapshot::segment::Entry;
use reviews_service::snapshot::{
    CachedBody, Document, Publication, PublishedDocument, ReviewIndexBuilder, Snapshot,
};
use reviews_service::storage::reviews::DatabasePosition;

use super::corpus::Corpus;

/// The base URL of the synthetic business.
///
/// # Panics
/// Never: the URL is valid.
#[must_use]
pub fn links() -> Links {
    "https://reviews.example.com".parse().unwrap()
}

/// The input of a snapshot of the corpus.
#[must_use]
pub fn copy(corpus: &Corpus) -> SnapshotInput {
    let mut builder = ReviewIndexBuilder::default();
    for number in corpus.newest_first() {
        let entry = Entry::unanalyzed(corpus.review(number), &links());
        // The numbers of the synthetic database, which is filled from the oldest review.
        builder.push(&entry.numbered(i64::try_from(number + 1).ok()));
    }
    SnapshotInput {
        review_index: builder.finish(),
        business: Corpus::business(),
        ..SnapshotInput::default()
    }
}

/// A snapshot of `copy`, without cached totals.
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

/// The same snapshot with the position of a database.
#[must_use]
pub fn of_database(snapshot: &Snapshot, reading: DatabasePosition) -> Snapshot {
    let documents = Document::ALL.map(|document| Arc::clone(snapshot.document(document)));
    Snapshot::new(
        reading,
        snapshot.input.clone(),
        Arc::clone(&snapshot.insights),
        documents.into(),
    )
}

/// Another snapshot of the same segments and documents, without cached totals.
#[must_use]
pub fn forgetful(snapshot: &Snapshot) -> Snapshot {
    Snapshot::new(
        snapshot.position.clone(),
        snapshot.input.clone(),
        Arc::clone(&snapshot.insights),
        Document::ALL
            .map(|document| Arc::clone(snapshot.document(document)))
            .into(),
    )
}
