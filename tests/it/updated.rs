//! `updated_at` of a review rises with every visible change by any program, and no `updated` ever goes back. Here the writer
//! is a plain SQLite connection, which sets no instant.

use chrono::{DateTime, Duration, Utc};
use reviews_service::snapshot::Document;
use reviews_service::storage::is_overtaken;
use reviews_service::storage::reviews;
use reviews_service::storage::reviews::Observation;
use serde_json::{Value, json};

use crate::support::{Answer, Generator, TestApp, rows, start};

/// A review's date of change, which must be equal in the dataset, the JSON Feed and Atom.
async fn updated(app: &TestApp, id: &str) -> DateTime<Utc> {
    let at = |value: &Value| value.as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
    let review = app.json(&format!("/api/reviews/{id}")).await;
    let url = &review["url"];
    let feed = app.json("/api/feed.json").await;
    let item = feed["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|item| item["url"] == *url);
    let atom = feed_rs::parser::parse(app.get("/feed.xml").await.body.as_slice()).unwrap();
    let entry = atom
        .entries
        .iter()
        .find(|entry| entry.id == url.as_str().unwrap());
    let all = [
        at(&review["updated_at"]),
        at(&item.unwrap()["date_modified"]),
        entry.unwrap().updated.unwrap(),
    ];
    assert!(all.iter().all(|one| *one == all[0]), "{id}: {all:?}");
    all[0]
}

/// The date of change in each document.
async fn updated_of_documents(app: &TestApp) -> [DateTime<Utc>; 4] {
    let at = |value: &Value| value.as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
    let atom: Answer = app.get("/feed.xml").await;
    let all = [
        at(&app.json("/reviews.json").await["updated_at"]),
        at(&app.json("/business.json").await["updated_at"]),
        at(&app.json("/api/feed.json").await["_feed"]["updated_at"]),
        feed_rs::parser::parse(atom.body.as_slice())
            .unwrap()
            .updated
            .unwrap(),
    ];
    let publications = rows(
        &app.path(),
        "select changed_at from publication where document in ('reviews', 'json_feed', 'atom_feed') order by document",
    );
    for (document, row) in [3, 2, 0].into_iter().zip(&publications) {
        assert_eq!(all[document], at(&row["changed_at"]), "as published");
    }
    all
}

const INSERT: &str = "insert into review (review_id, rating, reviewed_on, author, text)
    values ('s', 2, '2026-11-19', 'Sam', 'In the shell.');";

#[tokio::test]
async fn updated_at_follows_visible_changes_of_other_programs() {
    let app = TestApp::with(&Generator::new(101).reviews(60)).await;
    app.shell(INSERT).await;
    assert_eq!(updated(&app, "s").await, start(), "when it was first seen");
    let mut now = start();
    for change in [
        "update review set rating = 1 where review_id = 's'",
        "update review set reviewed_on = '2026-11-18' where review_id = 's'",
        "update review set author = 'Sam B.' where review_id = 's'",
        "update review set title = 'A title' where review_id = 's'",
        "update review set text = 'Changed.' where review_id = 's'",
        "update review set language = 'es' where review_id = 's'",
        "update review set source_name = 'Yelp' where review_id = 's'",
        "update review set source_url = 'https://yelp.example/1' where review_id = 's'",
        "update review set verification_method = 'invite' where review_id = 's'",
        "update review set verified_at = '2026-11-19T10:00:00Z' where review_id = 's'",
        "update review set response_text = 'Sorry!' where review_id = 's'",
        "update review set response_on = '2026-11-20' where review_id = 's'",
        "update review set response_text = null where review_id = 's'",
        "insert into mention values ('s', 'service', 'drain')",
        "update mention set value = 'heating' where review_id = 's'",
        "delete from mention where review_id = 's'",
        "insert or replace into review (review_id, rating, reviewed_on, text) values ('s', 3, '2026-11-19', 'Replaced.')",
        "delete from review where review_id = 's'; insert into review (review_id, rating, reviewed_on, text)
           values ('s', 4, '2026-11-19', 'Again.')",
    ] {
        app.advance(Duration::seconds(7));
        now += Duration::seconds(7);
        app.shell(change).await;
        assert_eq!(updated(&app, "s").await, now, "{change}");
    }
    // Withheld and published again: this is a change for readers.
    app.shell("update review set status = 'withheld' where review_id = 's'")
        .await;
    app.advance(Duration::seconds(7));
    app.shell("update review set status = 'published' where review_id = 's'")
        .await;
    now += Duration::seconds(7);
    assert_eq!(updated(&app, "s").await, now, "published again");
    // Stored, not remembered.
    app.advance(Duration::days(2));
    let app = app.restart().await;
    assert_eq!(updated(&app, "s").await, now, "after a restart");
}

#[tokio::test]
async fn a_change_without_a_service_is_dated_when_first_seen() {
    let app = TestApp::with(&Generator::new(102).reviews(60)).await;
    app.shell(INSERT).await;
    app.advance(Duration::hours(1));
    app.sql("update review set text = 'Unseen.' where review_id = 's'");
    app.advance(Duration::hours(1));
    let app = app.restart().await;
    assert_eq!(updated(&app, "s").await, start() + Duration::hours(2));
    let app = app.restart().await;
    assert_eq!(
        updated(&app, "s").await,
        start() + Duration::hours(2),
        "once"
    );
}

#[tokio::test]
async fn invisible_changes_keep_updated_at() {
    let app = TestApp::with(&Generator::new(103).reviews(60)).await;
    app.shell(INSERT).await;
    for change in [
        "update review set text = 'Other.' where review_id = 's'; update review set text = 'In the shell.' where review_id = 's'",
        "replace into review select * from review",
        "update review set response_on = '2026-11-20' where review_id = 's'",
        "update review set status = 'withheld' where review_id = 's'; update review set status = 'published' where review_id = 's'",
        // Mentions found in texts, and `publish_staff`.
        "insert into business (business_id, name) values ('b', 'B'); insert into service (service_id, name) values ('shell', 'Shell')",
        "insert into technician (technician_id, name) values ('t', 'Sam Shell')",
    ] {
        app.advance(Duration::seconds(7));
        app.shell(change).await;
        assert_eq!(updated(&app, "s").await, start(), "{change}");
    }
}

#[tokio::test]
async fn updated_at_never_goes_back_by_shell_import_or_clock() {
    let app = TestApp::with(&Generator::new(104).reviews(60)).await;
    app.shell(INSERT).await;
    let future = start() + Duration::days(9);
    app.shell("update review set updated_at = '2026-11-29T12:00:00Z' where review_id = 's'")
        .await;
    assert_eq!(updated(&app, "s").await, future, "a shell may bind it, too");
    for change in [
        "update review set updated_at = '2020-01-01T00:00:00Z' where review_id = 's'",
        "update review set updated_at = null, text = 'Not dated.' where review_id = 's'",
        "insert or replace into review (review_id, rating, reviewed_on, text) values ('s', 3, '2026-11-19', 'Replaced.')",
    ] {
        app.advance(Duration::seconds(7));
        app.shell(change).await;
        assert_eq!(updated(&app, "s").await, future, "{change}");
    }
    let app = app.restart().await;
    assert_eq!(updated(&app, "s").await, future, "after a restart");
    app.advance(Duration::days(10));
    app.shell("update review set text = 'Later.' where review_id = 's'")
        .await;
    let later = start() + Duration::days(10) + Duration::seconds(21);
    assert_eq!(updated(&app, "s").await, later);
    app.advance(Duration::days(-20));
    app.shell("update review set text = 'The clock went back.' where review_id = 's'")
        .await;
    assert_eq!(updated(&app, "s").await, later);
    // An import with an older instant still applies its values, and dates them itself.
    let row = json!({"id": "mine-1", "rating": 1, "date": "2026-11-08", "author": "A B.", "text": "First.",
        "updated_at": "2026-11-09T10:00:00Z"});
    app.import(&row.to_string()).await;
    assert_eq!(
        updated(&app, "mine-1").await.to_rfc3339(),
        "2026-11-09T10:00:00+00:00"
    );
    app.shell("update review set title = 'Ours' where review_id = 'mine-1'")
        .await;
    let observed = updated(&app, "mine-1").await;
    app.advance(Duration::minutes(1));
    let newer = row
        .to_string()
        .replace("First.", "Second.")
        .replace("11-09T10", "11-09T11");
    app.import(&newer).await;
    let review = app.json("/api/reviews/mine-1").await;
    assert_eq!(review["text"], "Second.");
    assert!(updated(&app, "mine-1").await > observed, "{review}");
}

#[tokio::test]
async fn a_deleted_review_that_is_imported_again_gets_a_new_date() {
    let app = TestApp::with(&[]).await;
    let dated = r#"{"id": "m", "rating": 1, "date": "2026-11-08", "author": "A", "text": "First.", "updated_at": "2026-11-09T10:00:00Z"}"#;
    let undated =
        r#"{"id": "m", "rating": 1, "date": "2026-11-08", "author": "A", "text": "First."}"#;
    app.import(dated).await;
    let first = updated(&app, "m").await;
    assert_eq!(first.to_rfc3339(), "2026-11-09T10:00:00+00:00");
    for row in [dated, undated] {
        app.advance(Duration::minutes(1));
        app.shell("update review set text = 'Longer.' where review_id = 'm'")
            .await;
        let changed = updated(&app, "m").await;
        app.shell("delete from review").await;
        app.advance(Duration::minutes(1));
        app.import(row).await;
        assert_eq!(app.json("/api/reviews/m").await["text"], "First.");
        assert!(updated(&app, "m").await > changed, "{row}");
    }
}

#[tokio::test]
async fn updated_of_a_document_never_goes_back_after_a_removal() {
    let app = TestApp::with(&Generator::new(105).reviews(80)).await;
    app.shell(INSERT).await;
    app.shell("update review set updated_at = '2026-11-20T11:00:00Z' where review_id = 's'")
        .await;
    let mut last = updated_of_documents(&app).await;
    assert_eq!(last, [start(); 4]);
    for change in [
        "update review set text = 'Changed.' where review_id = 's'",
        "update review set status = 'withheld' where review_id = 's'",
        "update review set status = 'published' where review_id = 's'",
        "delete from review where review_id = 's'",
        "delete from review where reviewed_on > '2025-01-01'",
        "delete from review",
    ] {
        app.advance(Duration::seconds(7));
        app.shell(change).await;
        let now = updated_of_documents(&app).await;
        assert_eq!(
            now,
            last.map(|before| before + Duration::seconds(7)),
            "{change}"
        );
        last = now;
    }
    let app = app.restart().await;
    assert_eq!(updated_of_documents(&app).await, last, "after a restart");
}

#[tokio::test]
async fn an_unchanged_document_keeps_updated_tag_and_version() {
    let app = TestApp::with(&Generator::new(106).reviews(80)).await;
    let before = app.get("/feed.xml").await;
    app.advance(Duration::minutes(1));
    // The oldest review is in no feed, even if it changes.
    app.shell(
        "insert into review (review_id, rating, reviewed_on, updated_at) values ('old', 5, '1999-01-01', '2026-11-30T00:00:00Z')",
    )
    .await;
    let after = app.get("/feed.xml").await;
    assert_eq!(
        (&after.headers, &after.body),
        (&before.headers, &before.body)
    );
    let [dataset, _, json, atom] = updated_of_documents(&app).await;
    assert_eq!(
        [dataset, json, atom],
        [start() + Duration::minutes(1), start(), start()]
    );
    // The digest for detecting changes omits `updated`; the tag includes it.
    let tags = |app: &TestApp| {
        Document::ALL.map(|document| {
            let snapshot = app.app().ctx.current.load();
            let out = snapshot.document(document);
            (
                out.publication.digest.clone(),
                out.body.content.digest.clone(),
            )
        })
    };
    for (document, (digest, tag)) in Document::ALL.into_iter().zip(tags(&app)) {
        assert_eq!(
            digest == tag,
            document == Document::Insights,
            "{document:?}"
        );
    }
}

#[tokio::test]
async fn a_review_that_changes_during_publishing_delays_no_snapshot() {
    let app = TestApp::with(&Generator::new(107).reviews(5)).await;
    let change = "update review set text = 'Changed.' where review_id in ('r-00001', 'r-00002')";
    app.sql(change);
    // The publisher reads both; then one changes again before the publisher writes.
    let mut reader = app.database().readers().acquire().await.unwrap();
    let position = reviews::position(&mut reader).await.unwrap();
    let changed = reviews::changed_since(&mut reader, position.change_no - 2)
        .await
        .unwrap();
    drop(reader);
    let again = "update review set text = 'And again.' where review_id = 'r-00001'";
    app.sql(again);
    let seen: Vec<Observation> = changed
        .into_iter()
        .map(|changed| Observation {
            review_no: changed.review.unwrap().review_no.unwrap(),
            observed_at: Some(start()),
        })
        .collect();
    assert_eq!(seen.len(), 2);
    let observe = async || {
        let mut write = app.database().write().await.unwrap();
        reviews::observe(&mut write, &seen, position.change_no).await?;
        write.commit().await
    };
    observe().await.unwrap();
    let dated = "select group_concat(review_id) from review_change where bound_change_no = change_no and review_id in ('r-00001', 'r-00002')";
    assert_eq!(app.sql(dated), "r-00002");
    // Dates of another process are used.
    assert!(is_overtaken(&observe().await.unwrap_err()));
    app.drain().await;
    assert_eq!(app.json("/api/reviews/r-00001").await["text"], "And again.");
}
