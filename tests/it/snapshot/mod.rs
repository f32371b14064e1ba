//! Snapshots: incremental rendering equals a fresh render, an answer comes from one snapshot, and old snapshots are freed.

mod slow;

use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use chrono::DateTime;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, poll};
use hyper::body::Bytes;
use poem::http::Method;
use poem::{Endpoint, Request};
use reviews_service::clock::Clock;
use reviews_service::config::Hosts;
use reviews_service::model::PublishedReview;
use reviews_service::model::Review;
use reviews_service::snapshot::{Document, Publisher, Snapshot, ends_segment};
use reviews_service::storage::Database;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{
    Answer, Generator, HOST, TestApp, array_of, check_in_step, links, publications, rounds,
    service_on, start, store, str_of, table,
};

/// A database and its publisher without a service.
struct PublisherRig {
    _folder: TempDir,
    database: Database,
    clock: Clock,
    publisher: Publisher,
}

impl PublisherRig {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reviews.db");
        let (database, _) = Database::open(&path).await.unwrap();
        database.take_lease(Duration::ZERO).await.unwrap();
        let clock = Clock::manual(start());
        let publisher = Publisher::new(database.clone(), links(), clock.clone());
        Self {
            _folder: folder,
            database,
            clock,
            publisher,
        }
    }

    /// Runs statements in one transaction, with foreign keys.
    async fn run(&self, sql: &str) {
        let mut write = self.database.write().await.unwrap();
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql))
            .execute(&mut write)
            .await
            .unwrap_or_else(|error| panic!("{error}: {sql}"));
        write.commit().await.unwrap();
    }

    async fn write(&self, reviews: &[Review]) {
        store(&self.database, &self.clock, reviews).await;
    }

    /// A fresh render of this database.
    async fn fresh(&self) -> Snapshot {
        self.publisher.build(None).await.unwrap()
    }
}

/// The bytes of a document.
fn bytes(snapshot: &Snapshot, document: Document) -> Vec<u8> {
    snapshot.document(document).body.content.pieces.concat()
}

/// Asserts equal bytes, digests, segments and versions.
#[track_caller]
fn assert_same(one: &Snapshot, other: &Snapshot, after: &str) {
    for document in Document::ALL {
        let [ours, theirs] = [one, other].map(|snapshot| {
            let bytes = bytes(snapshot, document);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        assert_eq!(ours, theirs, "{document:?} after {after}");
        let (one, other) = (one.document(document), other.document(document));
        let digests = (&one.body.content.digest, &other.body.content.digest);
        assert_eq!(digests.0, digests.1, "{document:?} after {after}");
        assert_eq!(
            one.publication, other.publication,
            "{document:?} after {after}"
        );
    }
    let digests = |snapshot: &Snapshot| {
        let segments = snapshot.input.entries.segments().iter();
        segments.map(|segment| segment.digest).collect::<Vec<_>>()
    };
    assert_eq!(digests(one), digests(other), "after {after}");
    let stars = |snapshot: &Snapshot| snapshot.input.entries.rating_counts();
    assert_eq!(stars(one), stars(other), "after {after}");
    assert_eq!(one.input.withheld, other.input.withheld, "after {after}");
    assert_eq!(one.position, other.position, "after {after}");
}
