//! Dates and IDs of feed entries stay the same for feed readers.

use std::path::Path;

use chrono::DateTime;
use reviews_service::config::Hosts;
use reviews_service::links::Links;
use reviews_service::snapshot::Document;
use serde_json::Value;

use super::feeds;
use crate::support::{BASE, Generator, TestApp, array_of, service_on, sqlite3, str_of};

/// Restarts the service with another base URL; returns the IDs and URLs in both feeds.
async fn under(path: &Path, base: &str) -> (Vec<String>, Vec<String>) {
    let app = service_on(path, base.parse().unwrap(), Hosts::default()).await;
    let snapshot = app.ctx.current.load();
    let body = |document| snapshot.document(document).body.content.pieces.concat();
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

#[track_caller]
fn check_below(base: &str, urls: &[String]) {
    assert!(urls.iter().all(|url| url.starts_with(base)), "{urls:?}");
}

#[tokio::test]
async fn the_first_base_url_that_is_no_loopback_fixes_the_ids() {
    let app = TestApp::with(&Generator::new(64).reviews(3)).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("reviews.db");
    app.back_up(&file);
    sqlite3(&file, "update instance set first_base_url = null");
    let stored = || sqlite3(&file, "select first_base_url from instance");
    sqlite3(&file, "update instance set last_base_url = null");
    let loopbacks = "http://127.0.0.1:8080 http://[::ffff:127.0.0.1] http://localhost:8080 https://reviews.localhost/of/us";
    for loopback in loopbacks.split(' ') {
        let base = loopback.parse::<Links>().unwrap().to_string();
        let (ids, urls) = under(&file, loopback).await;
        check_below(&base, &[ids, urls].concat());
        assert_eq!(stored(), "", "{loopback}");
        assert_eq!(sqlite3(&file, "select last_base_url from instance"), "");
        // Nothing is published twice.
        let versions = || sqlite3(&file, "select sum(version) from publication");
        let before = versions();
        under(&file, loopback).await;
        assert_eq!(versions(), before);
    }
    // Written by hand, it is not taken.
    sqlite3(&file, "update instance set first_base_url = 'http://[::1]'");
    let (ids, _) = under(&file, BASE).await;
    check_below(BASE, &ids);
    assert_eq!(stored(), BASE);
    // From then on it stays, with any other URL.
    for later in ["http://localhost:8080", "https://moved.sample.test/of/us"] {
        let (kept, urls) = under(&file, later).await;
        assert_eq!(kept, ids);
        check_below(later, &urls);
    }
    assert_eq!(stored(), BASE);
}

#[tokio::test]
async fn no_entry_is_updated_before_it_is_published() {
    let app = TestApp::empty().await;
    app.shell(
        "insert into review (review_id, rating, reviewed_on, updated_at) values ('silent', 5, '2026-07-04', null),
           ('earlier', 5, '2026-07-04', '2026-07-04T03:00:00Z'), ('later', 5, '2026-07-04', '2026-07-06T08:30:00.125Z'),
           ('skipped', 5, '2018-11-04', null), ('first', 5, '1995-01-01', null), ('last', 5, '9999-12-31', null);
         insert into business (business_id, name, time_zone) values ('b', 'B', 'UTC')",
    )
    .await;
    // An import of rows without an instant.
    let mut imported = Generator::new(64).reviews(3);
    for review in &mut imported {
        review.updated_at = None;
    }
    app.write(&imported).await;
    let zones =
        "America/Phoenix America/Sao_Paulo Pacific/Pago_Pago UTC Asia/Kolkata Pacific/Kiritimati";
    for zone in zones.split(' ') {
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
        let item = |id: &str| {
            let mut items = array_of(&json["items"]).iter();
            let found = items.find(|item| str_of(&item["id"]).ends_with(id));
            found.unwrap()
        };
        if zone == "Asia/Kolkata" {
            let published = &item("silent")["date_published"];
            assert_eq!(published, "2026-07-04T00:00:00+05:30");
            // The same instant.
            let mut entries = atom.entries.iter();
            let entry = entries.find(|entry| entry.id.ends_with("silent"));
            let published = entry.unwrap().published;
            assert_eq!(published, "2026-07-03T18:30:00Z".parse().ok());
        }
        let modified = &item("later")["date_modified"];
        assert_eq!(modified, "2026-07-06T08:30:00.125Z");
    }
}
