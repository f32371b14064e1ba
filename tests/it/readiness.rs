//! Faults with which `/readyz` reports that a service should get no requests, and faults with which it does not.

use std::time::Duration;

use crate::support::{Generator, TestApp};

/// The status and the body of `/readyz`.
async fn readiness(app: &TestApp) -> (u16, String) {
    let answer = app.get("/readyz").await;
    let text = answer.text();
    // No path of this machine.
    assert!(!text.contains("reviews.db"), "{text}");
    (answer.status, text)
}

#[tokio::test]
async fn a_database_of_another_release_is_not_ready() {
    let app = TestApp::with(&Generator::new(1).reviews(3)).await;
    assert_eq!(readiness(&app).await, (200, "ready\n".to_owned()));
    app.sql("insert into _sqlx_migrations (version, description, success, checksum, execution_time) values (9999, 'newer', 1, x'00', 0)");
    let (status, text) = readiness(&app).await;
    assert!(status == 503 && text.contains("another release"), "{text}");
    assert_eq!(app.get("/reviews.json").await.status, 200);
    app.sql("delete from _sqlx_migrations where version = 9999");
    assert_eq!(readiness(&app).await.0, 200);
}

#[tokio::test]
async fn a_database_that_does_not_answer_is_not_ready() {
    let app = TestApp::with(&Generator::new(1).reviews(3)).await;
    let readers = app.app().database.readers();
    let mut held = Vec::new();
    // A reader that is about to be returned is waited for.
    for _ in 0..readers.options().get_max_connections() {
        held.push(readers.acquire().await.unwrap());
    }
    let later = async {
        while app.clock().waiting() == 0 {
            tokio::task::yield_now().await;
        }
        app.clock().advance(chrono::Duration::seconds(1));
    };
    let ((status, text), ()) = tokio::join!(readiness(&app), later);
    assert!(status == 503 && text.contains("does not answer"), "{text}");
    drop(held);
    assert_eq!(readiness(&app).await.0, 200);
}

#[tokio::test]
async fn a_failing_publication_stays_ready_and_reports_the_duration() {
    let app = TestApp::with(&Generator::new(1).reviews(3)).await;
    app.sql("alter table business rename to elsewhere; delete from review");
    let _ = app.app().watch_once().await;
    app.clock().advance(chrono::Duration::seconds(90));
    let _ = app.app().watch_once().await;
    let (status, text) = readiness(&app).await;
    assert!(status == 200 && text.contains("for 90 s"), "{text}");
    assert_eq!(app.app().ctx.failing_for(), Some(Duration::from_secs(90)));
    app.sql("alter table elsewhere rename to business");
    let _ = app.app().watch_once().await;
    assert_eq!(readiness(&app).await, (200, "ready\n".to_owned()));
}
