//! A failed publication is retried with growing waits and logged once; its analyses are stored with the next one.

use super::*;

/// A writer that changes a text and then holds the write lock.
async fn lock(app: &TestApp) -> SqliteConnection {
    locks_and_full_disks::set(app.database(), "busy_timeout = 20").await;
    let change =
        "update review set text = 'Dana was on time and very friendly, number ' || review_id";
    app.writer(format!("{change}; begin immediate")).await
}

#[tokio::test]
async fn a_failed_publication_is_retried_and_state_changes_are_logged() {
    let app = TestApp::with(&Generator::new(93).reviews(20)).await;
    let (logs, listening) = Logs::begin();
    let count = || {
        ["snapshot.not_published", "snapshot.published_again"].map(|event| logs.with(event).len())
    };
    let before = app.get("/reviews.json").await.body;
    let mut other = lock(&app).await;
    for wait_ms in [200, 400, 800, 1600, 3200, 6400, 10_000, 10_000] {
        assert_eq!(app.app().watch_once().await.unwrap().as_millis(), wait_ms);
        let now = app.get("/reviews.json").await;
        assert!(now.body == before, "the former snapshot is served");
    }
    assert_eq!(count(), [1, 0]);
    other.execute("rollback").await.unwrap();
    for _ in 0..2 {
        assert_eq!(app.app().watch_once().await.unwrap().as_millis(), 200);
        assert_eq!(count(), [1, 1]);
    }
    drop(listening);
    let text = app.json("/reviews.json").await["reviews"][0]["text"].clone();
    assert_has(text.as_str().unwrap(), "Dana was on time");
    check_in_step(&app).await;
}
