//! What readers of feeds keep: on which day an entry came, and by which id they know it.

use chrono::DateTime;
use reviews_service::app::App;
use reviews_service::clock::Clock;
use reviews_service::config::Hosts;
use reviews_service::snapshot::Document;
use serde_json::Value;

use super::feeds;
use crate::support::{BASE, Generator, TestApp, hub_options, sqlite3, start};

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one table of zones and instants")]
async fn a_review_is_published_when_its_day_begins_where_the_business_is() {
    let app = TestApp::empty().await;
    app.shell(
        "insert into review (review_id, rating, reviewed_on) values ('summer', 5, '2026-07-04'), ('winter', 5, '2026-01-31'),
           ('skipped', 5, '2018-11-04'), ('first', 5, '0001-01-01'), ('last', 5, '9999-12-31');
         insert into business (business_id, name, time_zone) values ('b', 'B', 'UTC')",
    )
    .await;
    for (zone, summer, winter) in [
        (
            "UTC",
            "2026-07-04T00:00:00+00:00",
            "2026-01-31T00:00:00+00:00",
        ),
        (
            "America/Phoenix",
            "2026-07-04T00:00:00-07:00",
            "2026-01-31T00:00:00-07:00",
        ),
        (
            "America/New_York",
            "2026-07-04T00:00:00-04:00",
            "2026-01-31T00:00:00-05:00",
        ),
        (
            "Asia/Kolkata",
            "2026-07-04T00:00:00+05:30",
            "2026-01-31T00:00:00+05:30",
        ),
        (
            "Pacific/Kiritimati",
            "2026-07-04T00:00:00+14:00",
            "2026-01-31T00:00:00+14:00",
        ),
        (
            "America/Sao_Paulo",
            "2026-07-04T00:00:00-03:00",
            "2026-01-31T00:00:00-03:00",
        ),
        // What a shell may write, too.
        (
            "Nowhere/Land",
            "2026-07-04T00:00:00+00:00",
            "2026-01-31T00:00:00+00:00",
        ),
    ] {
        app.shell(&format!("update business set time_zone = '{zone}'"))
            .await;
        let (json, atom) = feeds(&app).await;
        for (id, expected) in [("summer", summer), ("winter", winter)] {
            let url = format!("{BASE}/reviews/{id}");
            let item = json["items"]
                .as_array()
                .unwrap()
                .iter()
                .find(|item| item["id"] == *url)
                .unwrap();
            assert_eq!(item["date_published"], expected, "{zone}");
            let entry = atom.entries.iter().find(|entry| entry.id == url).unwrap();
            assert_eq!(entry.published, Some(expected.parse().unwrap()), "{zone}");
        }
        for item in json["items"].as_array().unwrap() {
            let published = item["date_published"].as_str().unwrap();
            assert!(
                DateTime::parse_from_rfc3339(published).is_ok(),
                "{zone}: {published} is no RFC 3339 instant"
            );
        }
        let xml = app.get("/feed.xml").await.text();
        assert_eq!(xml.matches("<published>").count(), 5, "{zone}: {xml}");
    }
}

/// The service on the same file under another base URL, and the ids and addresses of both feeds.
async fn under(folder: &std::path::Path, base: &str) -> (Vec<String>, Vec<String>) {
    let (app, _) = App::open(
        &folder.join("reviews.db"),
        base.parse().unwrap(),
        Clock::manual(start()),
        hub_options(),
        Hosts::default(),
    )
    .await
    .unwrap();
    let body = |document| {
        let snapshot = app.ctx().current.load();
        snapshot.document(document).body.content.pieces.concat()
    };
    let json: Value = serde_json::from_slice(&body(Document::JsonFeed)).unwrap();
    let atom = feed_rs::parser::parse(&body(Document::AtomFeed)[..]).unwrap();
    let (mut ids, mut urls) = (vec![atom.id], Vec::new());
    for item in json["items"].as_array().unwrap() {
        ids.push(item["id"].as_str().unwrap().to_owned());
        urls.push(item["url"].as_str().unwrap().to_owned());
    }
    for entry in atom.entries {
        ids.push(entry.id);
        urls.extend(entry.links.into_iter().map(|link| link.href));
    }
    app.database().close().await;
    (ids, urls)
}

#[tokio::test]
async fn entries_keep_their_ids_when_the_base_url_changes() {
    let app = TestApp::with(&Generator::new(64).reviews(3)).await;
    let folder = tempfile::tempdir().unwrap();
    app.shell(&format!(
        "vacuum into '{}'",
        folder.path().join("reviews.db").display()
    ))
    .await;
    let before = under(folder.path(), BASE).await;
    assert!(before.0.iter().all(|id| id.starts_with(BASE)), "{before:?}");
    let moved = "https://moved.example.com/of/us";
    let (ids, urls) = under(folder.path(), moved).await;
    assert_eq!(ids, before.0);
    assert!(urls.iter().all(|url| url.starts_with(moved)), "{urls:?}");
    assert_eq!(urls.len(), 6);
    // What is there of before is kept once: nothing is written at the third start.
    assert_eq!(under(folder.path(), moved).await, (ids, urls));
    // Emptied by hand, or made nonsense of, it takes the base URL of the day.
    for sql in [
        "delete from published_base",
        "update published_base set base_url = 'x'",
    ] {
        sqlite3(&folder.path().join("reviews.db"), sql);
        let (ids, urls) = under(folder.path(), moved).await;
        assert!(
            ids.iter().chain(&urls).all(|id| id.starts_with(moved)),
            "{ids:?}"
        );
    }
}
