//! A locked, full or read-only database: the last snapshot is served, nothing is half written, and the service recovers.

use super::*;

/// Sets a pragma on the writing connection.
pub(super) async fn set(database: &Database, pragma: &str) {
    let mut write = database.write().await.unwrap();
    write
        .execute(AssertSqlSafe(format!("pragma {pragma}")))
        .await
        .unwrap();
    write.commit().await.unwrap();
}

#[tokio::test]
async fn a_write_that_waited_too_long_for_a_lock_reports_it() {
    let app = TestApp::with(&Generator::new(81).reviews(5)).await;
    set(app.database(), "busy_timeout = 20").await;
    for begin in ["begin immediate", "begin exclusive"] {
        let other = app.writer(begin).await;
        let error = app.database().write().await.unwrap_err();
        assert!(matches!(error, DbError::Locked(_)), "{begin}: {error:?}");
        assert_has(&error.to_string(), "locked by another process");
        other.close().await.unwrap();
        app.database().write().await.unwrap();
    }
}

#[tokio::test]
async fn a_lock_delays_the_next_snapshot_and_the_old_one_is_served() {
    let app = TestApp::with(&Generator::new(82).reviews(80)).await;
    set(app.database(), "busy_timeout = 20").await;
    let (before, versions) = (app.get("/reviews.json").await, publications(&app.path()));
    let mut other = app.writer("begin immediate").await;
    other
        .execute("update review set author = 'committed, then locked'")
        .await
        .unwrap();
    other.execute("commit; begin immediate").await.unwrap();
    for _ in 0..3 {
        let error = app.app().drain().await.unwrap_err().to_string();
        assert_has(&error, "cannot publish");
        assert_has(&error, "locked");
        let now = app.get("/reviews.json").await;
        assert!(
            now.header("etag") == before.header("etag") && now.body == before.body,
            "the old snapshot is still served"
        );
        assert_eq!(app.get("/api/reviews/search?query=water").await.status, 200);
    }
    assert_eq!(publications(&app.path()), versions);
    other.execute("rollback").await.unwrap();
    app.drain().await;
    assert_eq!(
        app.json("/reviews.json").await["reviews"][0]["author"],
        "committed, then locked"
    );
    check_in_step(&app).await;
    for ((document, version, _), (_, now, _)) in versions.into_iter().zip(publications(&app.path()))
    {
        assert_eq!(
            now,
            if document == "insights" {
                version
            } else {
                version + 1
            },
            "{document}"
        );
    }
}

#[tokio::test]
async fn a_write_to_a_full_disk_fails_and_changes_nothing() {
    let app = TestApp::with(&Generator::new(83).reviews(50)).await;
    let before = app.get("/reviews.json").await;
    set(app.database(), "max_page_count = 1").await;
    let mut write = app.database().write().await.unwrap();
    let error = loop {
        match reviews::upsert(&mut write, &Generator::new(84).reviews(400), start()).await {
            Ok(()) => set_author(&mut write).await,
            Err(error) => break error,
        }
    };
    drop(write);
    let error = DbError::at(&app.path(), error);
    assert!(matches!(error, DbError::Full(_)), "{error:?}");
    assert!(error.to_string().contains("nothing was changed"), "{error}");
    app.drain().await;
    assert!(app.get("/reviews.json").await.body == before.body);
    check_in_step(&app).await;
    set(app.database(), "max_page_count = 1000000").await;
    app.write(&Generator::new(84).reviews(60)).await;
    check_in_step(&app).await;
}

#[tokio::test]
async fn later_writes_succeed_after_sqlite_rolled_back_a_transaction() {
    let app = TestApp::with(&Generator::new(86).reviews(20)).await;
    // As with a full or failing disk (tests/faults/10-full-disk.sh).
    let mut write = app.database().write().await.unwrap();
    write
        .execute("update review set author = 'lost'")
        .await
        .unwrap();
    write.execute("rollback").await.unwrap();
    assert!(write.commit().await.is_err());
    for _ in 0..2 {
        let mut reading = app.database().readers().begin().await.unwrap();
        reading.execute("rollback").await.unwrap();
        drop(reading);
    }
    app.shell("update review set author = 'seen'").await;
    assert_eq!(
        app.json("/reviews.json").await["reviews"][0]["author"],
        "seen"
    );
    check_in_step(&app).await;
}

/// Makes the next round need more space than this one.
async fn set_author(write: &mut reviews_service::storage::Write) {
    sqlx::query("update review set author = author || hex(zeroblob(500))")
        .execute(&mut *write)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_read_only_database_is_still_served() {
    let app = TestApp::with(&Generator::new(85).reviews(20)).await;
    let before = app.get("/reviews.json").await;
    // Root, as which tests run, ignores file modes; a connection that cannot write gets the same error from SQLite.
    set(app.database(), "query_only = on").await;
    let error = app.database().write().await.unwrap_err();
    assert!(matches!(error, DbError::ReadOnly(_)), "{error:?}");
    assert!(error.to_string().contains("write permission"), "{error}");
    app.sql("update review set author = 'by somebody who may'");
    assert_has(
        &app.app().drain().await.unwrap_err().to_string(),
        "cannot be opened for writing",
    );
    assert!(app.get("/reviews.json").await.body == before.body);
    let app = app.restart().await;
    assert_eq!(
        app.json("/reviews.json").await["reviews"][0]["author"],
        "by somebody who may"
    );
}
