//! `updated_at` of a review rises with every visible change by any program, and no `updated` ever goes back. Here the writer
//! is a plain SQLite connection, which sets no instant.

use chrono::{DateTime, Duration, Utc};
use reviews_service::storage::reviews;
use reviews_service::storage::reviews::Observation;
use serde_json::{Value, json};

use crate::support::{
    Answer, Generator, TestApp, array_of, check_in_step, publications, start, str_of, table,
};

fn instant(value: &Value) -> DateTime<Utc> {
    str_of(value).parse().unwrap()
}

/// A review's date of change, which must be equal in the dataset, the JSON Feed and Atom.
async fn updated(app: &TestApp, id: &str) -> DateTime<Utc> {
    let review = app.json(&format!("/api/reviews/{id}")).await;
    let url = &review["url"];
    let feed = app.json("/api/feed.json").await;
    let mut items = array_of(&feed["items"]).iter();
    let item = items.find(|item| item["url"] == *url).unwrap();
    let atom = feed_rs::parser::parse(app.get("/feed.xml").await.body.as_slice()).unwrap();
    let mut entries = atom.entries.iter();
    let entry = entries.find(|entry| entry.id == str_of(url)).unwrap();
    let updated = instant(&review["updated_at"]);
    assert_eq!(instant(&item["date_modified"]), updated, "{id}");
    assert_eq!(entry.updated, Some(updated), "{id}");
    updated
}

/// The date of change in each document.
async fn updated_of_documents(app: &TestApp) -> [DateTime<Utc>; 4] {
    let atom: Answer = app.get("/feed.xml").await;
    let atom = feed_rs::parser::parse(atom.body.as_slice()).unwrap();
    let all = [
        instant(&app.json("/reviews.json").await["updated_at"]),
        instant(&app.json("/business.json").await["updated_at"]),
        instant(&app.json("/api/feed.json").await["_feed"]["updated_at"]),
        atom.updated.unwrap(),
    ];
    let publications = publications(&app.path());
    for (document, name) in [(0, "reviews"), (2, "json_feed"), (3, "atom_feed")] {
        let mut publications = publications.iter();
        let (.., changed_at) = publications.find(|one| one.0 == name).unwrap();
        assert_eq!(all[document], changed_at.parse::<DateTime<Utc>>().unwrap());
    }
    all
}

const INSERT: &str = "insert into review (review_id, rating, reviewed_on, author, text)
    values ('s', 2, '2026-11-19', 'Sam', 'In the shell.');";

/// Runs `change` 7 seconds later, and checks that the review has that date.
async fn check_dated(app: &TestApp, change: &str) {
    app.advance(Duration::seconds(7));
    app.shell(change).await;
    assert_eq!(updated(app, "s").await, app.clock().now(), "{change}");
}

#[tokio::test]
async fn an_update_of_any_column_is_published_and_dated() {
    let app = TestApp::with(&Generator::new(101).reviews(60)).await;
    app.shell(INSERT).await;
    assert_eq!(updated(&app, "s").await, start(), "when it was first seen");
    for [assignment, pointer, shown] in table(
        r#"
        rating = 1 → /rating → 1
        reviewed_on = '2026-11-18' → /date → "2026-11-18"
        author = 'Ärzte & <Söhne>' → /author → "Ärzte & <Söhne>"
        title = 'Six "words"' → /title → "Six \"words\""
        text = 'new in the shell' → /text → "new in the shell"
        text = '' → /text → ""
        language = 'es-MX' → /language → "es-MX"
        source_name = 'Yelp' → /source → "Yelp"
        source_url = 'https://yelp.example/1' → /source_url → "https://yelp.example/1"
        verification = 'invite' → /verification → "invite"
        verified_at = '2026-11-19T10:00:00Z' → /verified_at → "2026-11-19T10:00:00Z"
        reply_text = 'Sorry!' → /owner_reply/text → "Sorry!"
        reply_on = '2026-11-20' → /owner_reply/date → "2026-11-20"
        reply_author = 'The owner' → /owner_reply/author → "The owner"
        title = '' → /title → null
        reply_text = '' → /owner_reply → null
        "#,
    ) {
        let before = app.get("/reviews.json").await.header("etag").to_owned();
        check_dated(
            &app,
            &format!("update review set {assignment} where review_id = 's'"),
        )
        .await;
        let review = app.json("/api/reviews/s").await;
        let value = review.pointer(pointer).cloned().unwrap_or_default();
        assert_eq!(value, shown.parse::<Value>().unwrap(), "{assignment}");
        let after = app.get("/reviews.json").await;
        assert_ne!(after.header("etag"), before, "{assignment}");
    }
}

#[tokio::test]
async fn a_change_of_mentions_and_a_replaced_row_are_dated() {
    let app = TestApp::with(&Generator::new(101).reviews(60)).await;
    app.shell(INSERT).await;
    for [change] in table(
        "
        insert into mention values ('s', 'service', 'drain')
        update mention set value = 'heating' where review_id = 's'
        delete from mention where review_id = 's'
        insert or replace into review (review_id, rating, reviewed_on, text) values ('s', 3, '2026-11-19', 'Replaced.')
        delete from review where review_id = 's'; insert into review (review_id, rating, reviewed_on) values ('s', 4, '2026-11-19')
        ",
    ) {
        check_dated(&app, change).await;
    }
}

/// This is a change for readers.
#[tokio::test]
async fn a_review_that_is_withheld_and_published_again_is_dated() {
    let app = TestApp::with(&Generator::new(101).reviews(60)).await;
    app.shell(INSERT).await;
    let withhold = "update review set status = 'withheld' where review_id = 's'";
    app.shell(withhold).await;
    check_dated(&app, &withhold.replace("withheld", "published")).await;
    check_in_step(&app).await;
}

#[tokio::test]
async fn the_date_of_a_change_is_stored() {
    let app = TestApp::with(&Generator::new(101).reviews(60)).await;
    app.shell(INSERT).await;
    check_dated(&app, "update review set rating = 1 where review_id = 's'").await;
    let now = app.clock().now();
    app.advance(Duration::days(2));
    let app = app.restart().await;
    assert_eq!(updated(&app, "s").await, now, "after a restart");
}

#[tokio::test]
async fn invisible_changes_keep_updated_at() {
    let app = TestApp::with(&Generator::new(103).reviews(60)).await;
    app.shell(INSERT).await;
    for change in [
        "update review set text = 'Other.' where review_id = 's'; update review set text = 'In the shell.' where review_id = 's'",
        "replace into review select * from review",
        "update review set reply_on = '2026-11-20' where review_id = 's'",
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
async fn updated_at_never_goes_back_by_a_shell() {
    let app = TestApp::with(&Generator::new(104).reviews(60)).await;
    app.shell(INSERT).await;
    let future = start() + Duration::days(9) + Duration::milliseconds(250);
    app.shell("update review set updated_at = '2026-11-29T12:00:00.25Z' where review_id = 's'")
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
}

#[tokio::test]
async fn updated_at_does_not_go_back_with_the_clock() {
    let app = TestApp::with(&Generator::new(104).reviews(60)).await;
    app.shell(INSERT).await;
    let before = updated(&app, "s").await;
    app.advance(Duration::days(-20));
    app.shell("update review set text = 'The clock went back.' where review_id = 's'")
        .await;
    assert_eq!(updated(&app, "s").await, before);
}

#[tokio::test]
async fn an_import_with_an_older_instant_applies_its_values_and_dates_them_itself() {
    let app = TestApp::empty().await;
    let row = json!({"id": "mine-1", "rating": 1, "date": "2026-11-08", "author": "A B.", "text": "First.",
        "updated_at": "2026-11-09T10:00:00Z"});
    app.import(&row.to_string()).await;
    let dated = "2026-11-09T10:00:00Z".parse::<DateTime<Utc>>();
    assert_eq!(updated(&app, "mine-1").await, dated.unwrap());
    app.shell("update review set title = 'Ours' where review_id = 'mine-1'")
        .await;
    let observed = updated(&app, "mine-1").await;
    app.advance(Duration::minutes(1));
    let newer = row.to_string().replace("First.", "Second.");
    app.import(&newer.replace("11-09T10", "11-09T11")).await;
    let review = app.json("/api/reviews/mine-1").await;
    assert_eq!(review["text"], "Second.");
    assert!(updated(&app, "mine-1").await > observed, "{review}");
}

#[tokio::test]
async fn a_deleted_review_that_is_imported_again_has_a_later_date() {
    let app = TestApp::empty().await;
    let row = json!({"id": "mine-1", "rating": 1, "date": "2026-11-08", "author": "A B.", "text": "First."});
    app.import(&row.to_string()).await;
    let observed = updated(&app, "mine-1").await;
    app.shell("delete from review").await;
    app.advance(Duration::minutes(1));
    app.import(&row.to_string()).await;
    assert!(updated(&app, "mine-1").await > observed);
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
        last = last.map(|before| before + Duration::seconds(7));
        assert_eq!(updated_of_documents(&app).await, last, "{change}");
    }
    let app = app.restart().await;
    assert_eq!(updated_of_documents(&app).await, last, "after a restart");
}

#[tokio::test]
async fn a_review_that_changes_during_publishing_delays_no_snapshot() {
    let app = TestApp::with(&Generator::new(107).reviews(5)).await;
    let change = "update review set text = 'Changed.' where review_id in ('r-00001', 'r-00002')";
    app.sql(change);
    // The publisher reads both; then one changes again before the publisher writes.
    let mut reader = app.database().readers().acquire().await.unwrap();
    let position = reviews::position(&mut reader).await.unwrap();
    drop(reader);
    let again = "update review set text = 'And again.' where review_id = 'r-00001'";
    app.sql(again);
    let seen = ["r-00001", "r-00002"].map(|id| Observation {
        id: id.parse().unwrap(),
        observed_at: Some(start()),
    });
    let mut write = app.database().write().await.unwrap();
    let observed = reviews::observe(&mut write, &seen, position.change_no);
    observed.await.unwrap();
    write.commit().await.unwrap();
    let dated = "select group_concat(review_id) from review_change where bound_change_no = change_no and review_id in ('r-00001', 'r-00002')";
    assert_eq!(app.sql(dated), "r-00002");
    app.drain().await;
    assert_eq!(app.json("/api/reviews/r-00001").await["text"], "And again.");
}
