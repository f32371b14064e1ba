//! Editions: printed bit by bit they are what a fresh print is, nobody ever reads two at once, and none stays for ever.

mod compute;
mod laws;
mod readers;
mod replaced;
mod roster;

use reviews_service::clock::Clock;
use reviews_service::db::Database;
use reviews_service::edition::{Document, Edition, Press};
use reviews_service::insights::store as insights;
use reviews_service::reviews::{Review, store};
use tempfile::TempDir;

use crate::support::{links, start};

/// A database and its press, without a service around them.
struct Shop {
    folder: TempDir,
    database: Database,
    clock: Clock,
    press: Press,
}

impl Shop {
    async fn open() -> Self {
        Self::at(tempfile::tempdir().unwrap()).await
    }

    async fn at(folder: TempDir) -> Self {
        let (database, _) = Database::open(&folder.path().join("reviews.db")).await.unwrap();
        let clock = Clock::manual(start());
        let press = Press::new(database.clone(), links(), clock.clone());
        Self { folder, database, clock, press }
    }

    /// Runs statements in one transaction, foreign keys and all.
    async fn run(&self, sql: &str) {
        let mut write = self.database.write().await.unwrap();
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut *write).await.unwrap_or_else(|error| panic!("{error}: {sql}"));
        write.commit().await.unwrap();
    }

    async fn write(&self, reviews: &[Review]) {
        let mut write = self.database.write().await.unwrap();
        for batch in reviews.chunks(500) {
            store::upsert(&mut write, batch, self.clock.now()).await.unwrap();
        }
        write.commit().await.unwrap();
    }

    /// What somebody prints who has never seen this database.
    async fn fresh(&self) -> Edition {
        let edition = self.press.first().await.unwrap();
        // Kept as the service keeps them, so that the next one prints what was kept.
        let readings = self.press.backlog().first(usize::MAX);
        let mut write = self.database.write().await.unwrap();
        insights::keep(&mut write, &readings).await.unwrap();
        write.commit().await.unwrap();
        self.press.backlog().remove(&readings);
        edition
    }
}

/// The bytes of a document.
fn bytes(edition: &Edition, document: Document) -> Vec<u8> {
    edition.document(document).sheet.content.pieces.concat()
}

/// The same bytes, digests, blocks and versions.
#[track_caller]
fn assert_same(one: &Edition, other: &Edition, after: &str) {
    for document in Document::ALL {
        let (ours, theirs) = (bytes(one, document), bytes(other, document));
        if ours != theirs {
            let (ours, theirs) = (String::from_utf8_lossy(&ours), String::from_utf8_lossy(&theirs));
            panic!("{document:?} differs after {after}:\n{ours}\n{theirs}");
        }
        let (one, other) = (one.document(document), other.document(document));
        assert_eq!(one.sheet.content.digest, other.sheet.content.digest, "{document:?} after {after}");
        assert_eq!(one.publication, other.publication, "{document:?} after {after}");
    }
    let digests = |edition: &Edition| edition.copy.shelf.blocks().iter().map(|block| *block.digest()).collect::<Vec<_>>();
    assert_eq!(digests(one), digests(other), "the blocks after {after}");
    assert_eq!(one.copy.shelf.tally(), other.copy.shelf.tally(), "the stars after {after}");
    assert_eq!(one.copy.withheld, other.copy.withheld, "what is withheld after {after}");
    assert_eq!(one.reading, other.reading, "the reading after {after}");
}
