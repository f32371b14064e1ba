//! Dates and IDs of feed entries stay the same for feed readers.

use chrono::DateTime;
use reviews_service::config::Hosts;
use reviews_service::snapshot::Document;
use serde_json::Value;

use super::feeds;
use crate::support::{BASE, Generator, TestApp, array_of, service_on, sqlite3, str_of};

/// Restarts the service with another base URL; returns the IDs and URLs in both feeds.
async fn under(folder: &std::path::Path, base: &str) -> (Vec<String>, Vec<String>) {
    let path = folder.join("reviews.db");
    let app = service_on(&path, base.parse().unwrap(), Hosts::default()).await;
    let body = |document| {
        let snapshot = app.ctx.current.load();
        snapshot.document(document).body.content.pieces.concat()
    };
    let json: Value = serde_json::from_slice(&body(Document::JsonFeed)).unwrap();
    let atom = feed_rs::parser::parse(&body(Document::AtomFeed)[..]).unwrap();
    let (mut ids, mut urls) = (vec![atom.id], Vec::new());
    for item in array_of(&json["items"]) {
        ids.push(str_of(&item["id"]).to_owned());
        urls.push(str_of(&item["url"]).to_owned());
    }
    for entry in atom.entries {
        ids.push(entry.id);
        urls.extend(entry.links.into_iter().map(|link| link.href));
    }
    app.database.close().await;
    (ids, urls)
}

#[tokio::test]
async fn entry_ids_stay_when_the_base_url_changes() {
    let app = TestApp::with(&Generator::new(64).reviews(3)).await;
    let folder = tempfile::tempdir().unwrap();
    app.shell(&format!(
        "vacuum into '{}'",
        folder.path().join("reviews.db").display()
    ))
    .await;
    let before = under(folder.path(), BASE).await;
    assert!(before.0.iter().all(|id| id.starts_with(BASE)), "{before:?}");
    let moved = "https://moved.sample.test/of/us";
    let (ids, urls) = under(folder.path(), moved).await;
    assert_eq!(ids, before.0);
    assert!(urls.iter().all(|url| url.starts_with(moved)), "{urls:?}");
    assert_eq!(urls.len(), 6);
    // The first base URL is stored once: the third start writes nothing.
    assert_eq!(under(folder.path(), moved).await, (ids, urls));
    // If the stored URL is emptied or invalid, the current base URL is used.
    for sql in [
        "update instance set first_base_url = null",
        "update instance set first_base_url = 'x'",
    ] {
        sqlite3(&folder.path().join("reviews.db"), sql);
        let (ids, urls) = under(folder.path(), moved).await;
        assert!(
            ids.iter().chain(&urls).all(|id| id.starts_with(moved)),
            "{ids:?}"
        );
    }
}

/// A database with reviews, never published, and its folder.
async fn never_published() -> (tempfile::TempDir, std::path::PathBuf) {
    let app = TestApp::with(&Generator::new(64).reviews(3)).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("reviews.db");
    app.shell(&format!("vacuum into '{}'", file.display()))
        .await;
    sqlite3(&file, "update instance set first_base_url = null");
    (folder, file)
}

#[tokio::test]
async fn a_loopback_base_url_does_not_fix_the_ids() {
    let (folder, file) = never_published().await;
    for loopback in [
        "http://127.0.0.1:8080",
        "http://[::ffff:127.0.0.1]",
        "http://localhost:8080",
        "https://reviews.localhost/of/us",
    ] {
        let base = loopback
            .parse::<reviews_service::links::Links>()
            .unwrap()
            .to_string();
        let (ids, urls) = under(folder.path(), loopback).await;
        assert!(
            ids.iter().chain(&urls).all(|id| id.starts_with(&base)),
            "{base}: {ids:?}"
        );
        assert_eq!(
            sqlite3(&file, "select count(first_base_url) from instance"),
            "0",
            "{loopback}"
        );
        let versions = "select sum(version) from publication";
        let before = sqlite3(&file, versions);
        under(folder.path(), loopback).await;
        assert_eq!(
            sqlite3(&file, versions),
            before,
            "nothing is published twice"
        );
    }
    // Written by hand, it is not taken.
    sqlite3(
        &file,
        "update instance set first_base_url = 'http://127.0.0.1:8080'",
    );
    let (ids, _) = under(folder.path(), BASE).await;
    assert!(ids.iter().all(|id| id.starts_with(BASE)), "{ids:?}");
    assert_eq!(sqlite3(&file, "select first_base_url from instance"), BASE);
    // From then on it stays, with any other URL.
    for later in ["http://localhost:8080", "https://moved.sample.test"] {
        assert_eq!(under(folder.path(), later).await.0, ids);
    }
    assert_eq!(sqlite3(&file, "select first_base_url from instance"), BASE);
}

#[tokio::test]
async fn a_url_that_resembles_loopback_is_stored_as_the_first_base() {
    let (_folder, file) = never_published().await;
    for public in [
        "https://localhost.sample.test",
        "https://128.0.0.1",
        "https://mylocalhost",
    ] {
        sqlite3(&file, "update instance set first_base_url = null");
        under(file.parent().unwrap(), public).await;
        assert_eq!(
            sqlite3(&file, "select first_base_url from instance"),
            public
        );
    }
}

#[tokio::test]
async fn no_entry_is_updated_before_it_is_published() {
    let app = TestApp::empty().await;
    app.shell(
        "insert into review (review_id, rating, reviewed_on, updated_at) values ('silent', 5, '2026-07-04', null),
           ('earlier', 5, '2026-07-04', '2026-07-04T03:00:00Z'), ('later', 5, '2026-07-04', '2026-07-06T08:30:00.125Z'),
           ('skipped', 5, '2018-11-04', null), ('first', 5, '0001-01-01', null), ('last', 5, '9999-12-31', null);
         insert into business (business_id, name, time_zone) values ('b', 'B', 'UTC')",
    )
    .await;
    // An import of rows without an instant.
    let mut imported = Generator::new(64).reviews(3);
    for review in &mut imported {
        review.updated_at = None;
    }
    app.write(&imported).await;
    for zone in [
        "America/Phoenix",
        "America/Sao_Paulo",
        "Pacific/Pago_Pago",
        "UTC",
        "Asia/Kolkata",
        "Pacific/Kiritimati",
    ] {
        app.shell(&format!("update business set time_zone = '{zone}'"))
            .await;
        let (json, atom) = feeds(&app).await;
        for item in array_of(&json["items"]) {
            let [published, modified] = ["date_published", "date_modified"]
                .map(|name| DateTime::parse_from_rfc3339(str_of(&item[name])).unwrap());
            assert!(published <= modified, "{zone}: {item}");
        }
        assert!(atom.entries.len() >= 6, "{}", atom.entries.len());
        for entry in &atom.entries {
            assert!(entry.published <= entry.updated, "{zone}: {entry:?}");
        }
        if zone == "Asia/Kolkata" {
            let dated = |id: &str| {
                let url = format!("{BASE}/reviews/{id}");
                let mut items = array_of(&json["items"]).iter();
                items.find(|item| item["id"] == *url).unwrap()["date_published"].clone()
            };
            assert_eq!(dated("silent"), "2026-07-04T00:00:00+05:30");
            let url = format!("{BASE}/reviews/silent");
            let entry = atom.entries.iter().find(|entry| entry.id == url).unwrap();
            assert_eq!(
                entry.published,
                "2026-07-03T18:30:00Z".parse().ok(),
                "the same instant"
            );
        }
        let later = array_of(&json["items"])
            .iter()
            .find(|item| str_of(&item["id"]).ends_with("later"));
        assert_eq!(later.unwrap()["date_modified"], "2026-07-06T08:30:00.125Z");
    }
}
