//! Snapshots: incremental rendering equals a fresh render, an answer comes from one snapshot, and old snapshots are freed.

mod compute;
mod laws;
mod readers;
mod replaced;
mod roster;

use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, Weak, mpsc};
use std::task::Poll;

use bytes::Bytes;
use chrono::DateTime;
use futures_util::stream::BoxStream;
use futures_util::{FutureExt, StreamExt, poll};
use poem::http::Method;
use poem::{Endpoint, Request};
use reviews_service::app::Precompress;
use reviews_service::clock::Clock;
use reviews_service::config::{Hosts, Nets};
use reviews_service::model::Review;
use reviews_service::snapshot::{
    Coding, CurrentSnapshot, Document, Publisher, Snapshot, ends_segment,
};
use reviews_service::storage::{Database, reviews};
use reviews_service::web::context::Ctx;
use reviews_service::wire;
use serde_json::json;
use tempfile::TempDir;

use crate::support::{
    Answer, Generator, HOST, TestApp, check_in_step, links, publications, restore, rounds, rows,
    service_on, start,
};

/// A database and its publisher without a service.
struct PublisherRig {
    folder: TempDir,
    database: Database,
    clock: Clock,
    publisher: Publisher,
}

impl PublisherRig {
    async fn open() -> Self {
        Self::at(tempfile::tempdir().unwrap()).await
    }

    async fn at(folder: TempDir) -> Self {
        let (database, _) = Database::open(&folder.path().join("reviews.db"))
            .await
            .unwrap();
        let clock = Clock::manual(start());
        let publisher = Publisher::new(database.clone(), links(), clock.clone());
        Self {
            folder,
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
        let mut write = self.database.write().await.unwrap();
        for batch in reviews.chunks(500) {
            reviews::upsert(&mut write, batch, self.clock.now())
                .await
                .unwrap();
        }
        write.commit().await.unwrap();
    }

    /// A fresh render of this database.
    async fn fresh(&self) -> Snapshot {
        self.publisher.first().await.unwrap()
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
        let (ours, theirs) = (bytes(one, document), bytes(other, document));
        if ours != theirs {
            let (ours, theirs) = (
                String::from_utf8_lossy(&ours),
                String::from_utf8_lossy(&theirs),
            );
            panic!("{document:?} differs after {after}:\n{ours}\n{theirs}");
        }
        let (one, other) = (one.document(document), other.document(document));
        assert_eq!(
            one.body.content.digest, other.body.content.digest,
            "{document:?} after {after}"
        );
        assert_eq!(
            one.publication, other.publication,
            "{document:?} after {after}"
        );
    }
    let digests = |snapshot: &Snapshot| {
        snapshot
            .input
            .entries
            .segments()
            .iter()
            .map(|segment| segment.digest)
            .collect::<Vec<_>>()
    };
    assert_eq!(digests(one), digests(other), "the blocks after {after}");
    assert_eq!(
        one.input.entries.rating_counts(),
        other.input.entries.rating_counts(),
        "the stars after {after}"
    );
    assert_eq!(
        one.input.withheld, other.input.withheld,
        "what is withheld after {after}"
    );
    assert_eq!(one.position, other.position, "the reading after {after}");
}
