//! An edition of the made-up reviews, printed in memory.

use std::sync::Arc;

use chrono::DateTime;
use reviews_service::edition::entry::Entry;
use reviews_service::edition::print::{Copy, print};
use reviews_service::edition::{Document, Edition, Filler, Printed, Publication, Sheet};
use reviews_service::links::Links;
use reviews_service::reviews::store::Reading;

use super::corpus::Corpus;

/// Where the made-up firm publishes.
///
/// # Panics
/// Never: the URL is one.
#[must_use]
pub fn links() -> Links {
    "https://reviews.example.com".parse().unwrap()
}

/// What an edition of the corpus is printed from.
#[must_use]
pub fn copy(corpus: &Corpus) -> Copy {
    let mut filler = Filler::default();
    for number in corpus.newest_first() {
        let entry = Entry::unread(corpus.review(number), &links());
        // As the made database numbers them, which is filled from the oldest.
        filler.push(&entry.numbered(i64::try_from(number + 1).ok()));
    }
    Copy { shelf: filler.finish(), business: Corpus::business(), ..Copy::default() }
}

/// The edition of `copy`. It remembers no totals yet.
#[must_use]
pub fn edition(copy: &Copy) -> Edition {
    let documents = Document::ALL.map(|document| {
        let sheet = Arc::new(Sheet::new(document.content_type(), print(document, copy, &links())));
        let digest = sheet.content.digest.clone();
        let publication = Publication { version: 1, digest, changed_at: DateTime::UNIX_EPOCH, is_same_second: false };
        Arc::new(Printed { document, sheet, publication })
    });
    Edition::new(Reading::default(), copy.clone(), documents.into())
}

/// The same edition as of that state of a database.
#[must_use]
pub fn of_database(edition: &Edition, reading: Reading) -> Edition {
    let documents = Document::ALL.map(|document| Arc::clone(edition.document(document)));
    Edition::new(reading, edition.copy.clone(), documents.into())
}

/// Another edition of the same blocks and documents, which remembers no totals.
#[must_use]
pub fn forgetful(edition: &Edition) -> Edition {
    Edition::new(
        edition.reading.clone(),
        edition.copy.clone(),
        Document::ALL.map(|document| Arc::clone(edition.document(document))).into(),
    )
}
