//! If the database file is removed or replaced while in use, the service accepts nothing new and serves its last snapshot.

use super::*;

const FILES: [&str; 3] = ["reviews.db", "reviews.db-wal", "reviews.db-shm"];

/// Moves the database's files from one folder to another.
fn move_files(from: &Path, to: &Path) {
    for name in FILES.into_iter().filter(|name| from.join(name).exists()) {
        fs::rename(from.join(name), to.join(name)).unwrap();
    }
}

async fn subscribe(app: &TestApp) -> u16 {
    let topic = ("hub.topic", "https://reviews.sample.test/reviews.json");
    let callback = ("hub.callback", "https://subscriber.example/news");
    app.post_hub(&[("hub.mode", "subscribe"), topic, callback])
        .await
        .status
}

#[tokio::test]
async fn a_replaced_or_removed_database_is_detected_and_still_read() {
    for is_replaced in [false, true] {
        let app = TestApp::with(&Generator::new(91).reviews(20)).await;
        let away = tempfile::tempdir().unwrap();
        let before = app.get("/reviews.json").await;
        assert_eq!(app.get("/readyz").await.status, 200);
        move_files(app.folder(), away.path());
        if is_replaced {
            make(&app.path()).await;
        }
        let (logs, listening) = Logs::begin();
        for _ in 0..3 {
            app.app().watch_once().await;
        }
        drop(listening);
        let lines = logs.with("database.gone");
        assert_eq!(lines.len(), 1, "{lines:?}");
        for part in ["ERROR", "reviews.db", "restart the service"] {
            assert_has(&lines[0], part);
        }
        check_detected(&app, &before).await;
        let error = app.database().write().await.unwrap_err();
        assert!(matches!(error, DbError::Replaced(_)), "{error:?}");
        // The log beside it belongs to another database.
        assert!(app.database().checkpoint().await.is_err());
        assert_eq!(app.get("/healthz").await.status, 200);
        // No empty database is created in its place.
        assert_eq!(app.path().exists(), is_replaced);
    }
}

/// The service serves the last snapshot, accepts nothing, and says that it is not ready.
async fn check_detected(app: &TestApp, before: &Answer) {
    assert_eq!(app.get("/readyz").await.status, 503);
    assert_eq!(subscribe(app).await, 503);
    let after = app.get("/reviews.json").await;
    assert_eq!(after.header("etag"), before.header("etag"));
    assert!(after.body == before.body);
}

#[tokio::test]
async fn a_database_moved_back_is_used_again() {
    let app = TestApp::with(&Generator::new(92).reviews(20)).await;
    let away = tempfile::tempdir().unwrap();
    move_files(app.folder(), away.path());
    let (logs, listening) = Logs::begin();
    app.app().watch_once().await;
    move_files(away.path(), app.folder());
    app.app().watch_once().await;
    drop(listening);
    for event in ["database.gone", "snapshot.published_again"] {
        assert_eq!(logs.with(event).len(), 1, "{event}");
    }
    assert_eq!(app.get("/readyz").await.status, 200);
    assert_eq!(subscribe(&app).await, 202);
    app.shell("update review set author = 'Later'").await;
    let author = &app.json("/reviews.json").await["reviews"][0]["author"];
    assert_eq!(author, "Later");
}

#[tokio::test]
async fn a_removed_or_replaced_log_is_detected_without_data_loss() {
    for (suffix, is_replaced) in [("wal", false), ("wal", true), ("shm", false)] {
        let app = TestApp::with(&Generator::new(93).reviews(20)).await;
        let before = app.get("/reviews.json").await;
        app.app().watch_once().await;
        assert_eq!(subscribe(&app).await, 202);
        let side = app.path().with_extension(format!("db-{suffix}"));
        fs::remove_file(&side).unwrap();
        if is_replaced {
            fs::write(&side, "").unwrap();
        }
        let (logs, listening) = Logs::begin();
        // Also before the service has noticed it.
        assert_eq!(subscribe(&app).await, 503, "{suffix} {is_replaced}");
        for _ in 0..3 {
            app.app().watch_once().await;
        }
        drop(listening);
        let lines = logs.with("database.gone");
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert_has(&lines[0], &format!("reviews.db-{suffix} was removed"));
        check_detected(&app, &before).await;
        let error = app.database().write().await.unwrap_err();
        assert!(matches!(error, DbError::LogGone(_)), "{error:?}");
        if (suffix, is_replaced) == ("wal", false) {
            // The content that remains if the process is killed now.
            let killed = tempfile::tempdir().unwrap();
            let copy = killed.path().join("reviews.db");
            fs::copy(app.path(), &copy).unwrap();
            assert_eq!(sqlite3(&copy, "select count(*) from intent"), "1");
        }
    }
}

#[tokio::test]
async fn a_start_uses_a_replaced_database_without_the_former_log() {
    let app = TestApp::with(&Generator::new(93).reviews(20)).await;
    app.shell("update review set author = 'only in the log'")
        .await;
    let (next, aside) = (app.folder().join("next.db"), app.folder().join("aside.db"));
    make(&next).await;
    sqlite3(
        &next,
        "insert into review (review_id, rating, reviewed_on, author, text) values ('next', 5, '2026-11-01', 'A', 'B')",
    );
    fs::hard_link(app.path(), &aside).unwrap();
    fs::rename(&next, app.path()).unwrap();
    app.app().watch_once().await;
    app.database().close().await;
    make(&app.path()).await;
    let ids = "select group_concat(review_id) from review; pragma integrity_check";
    assert_eq!(app.sql(ids).trim(), "next\nok");
    let former = "select count(*) from review where author = 'only in the log'";
    assert_eq!(sqlite3(&aside, former).trim(), "20");
}
