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
            let (other, _) = Database::open(&app.path()).await.unwrap();
            other.close().await;
        }
        let (logs, listening) = Logs::begin();
        for _ in 0..3 {
            app.app().watch_once().await;
        }
        drop(listening);
        let lines = logs.with("database.gone");
        assert!(
            lines.len() == 1 && lines[0].contains("ERROR") && lines[0].contains("reviews.db"),
            "{lines:?}"
        );
        assert!(lines[0].contains("restart the service"), "{lines:?}");
        assert_eq!(
            app.get("/readyz").await.status,
            503,
            "replaced: {is_replaced}"
        );
        assert_eq!(subscribe(&app).await, 503, "replaced: {is_replaced}");
        let error = app.database().write().await.unwrap_err();
        assert!(matches!(error, DbError::Replaced(_)), "{error:?}");
        assert!(
            app.database().checkpoint().await.is_err(),
            "the log beside it belongs to another database"
        );
        let after = app.get("/reviews.json").await;
        assert!(after.body == before.body && after.header("etag") == before.header("etag"));
        assert_eq!(app.get("/healthz").await.status, 200);
        if !is_replaced {
            assert!(
                !app.path().exists(),
                "an empty database was created in its place"
            );
        }
    }
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
    assert_eq!(
        (
            logs.with("database.gone").len(),
            logs.with("snapshot.published_again").len()
        ),
        (1, 1)
    );
    assert_eq!(
        (app.get("/readyz").await.status, subscribe(&app).await),
        (200, 202)
    );
    app.shell("update review set author = 'written after it was put back'")
        .await;
    assert_eq!(
        app.json("/reviews.json").await["reviews"][0]["author"],
        "written after it was put back"
    );
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
        assert_eq!(
            subscribe(&app).await,
            503,
            "{suffix}, replaced: {is_replaced}"
        );
        for _ in 0..3 {
            app.app().watch_once().await;
        }
        drop(listening);
        let lines = logs.with("database.gone");
        assert!(
            lines.len() == 1 && lines[0].contains(&format!("reviews.db-{suffix} was removed")),
            "{lines:?}"
        );
        assert_eq!(app.get("/readyz").await.status, 503);
        assert_eq!(subscribe(&app).await, 503);
        let error = app.database().write().await.unwrap_err();
        assert!(matches!(error, DbError::LogGone(_)), "{error:?}");
        let after = app.get("/reviews.json").await;
        assert!(after.body == before.body && after.header("etag") == before.header("etag"));
        if (suffix, is_replaced) == ("wal", false) {
            // The content that remains if the process is killed now.
            let killed = tempfile::tempdir().unwrap();
            fs::copy(app.path(), killed.path().join("reviews.db")).unwrap();
            let accepted = sqlite3(
                &killed.path().join("reviews.db"),
                "select count(*) from intent",
            );
            assert_eq!(accepted, "1");
        }
    }
}

#[tokio::test]
async fn a_start_uses_a_replaced_database_without_the_former_log() {
    let app = TestApp::with(&Generator::new(93).reviews(20)).await;
    app.shell("update review set author = 'only in the log'")
        .await;
    let (next, aside) = (app.folder().join("next.db"), app.folder().join("aside.db"));
    let (other, _) = Database::open(&next).await.unwrap();
    other.close().await;
    sqlite3(
        &next,
        "insert into review (review_id, rating, reviewed_on, author, text) values ('next', 5, '2026-11-01', 'A', 'B')",
    );
    fs::hard_link(app.path(), &aside).unwrap();
    fs::rename(&next, app.path()).unwrap();
    app.app().watch_once().await;
    app.database().close().await;
    let (again, _) = Database::open(&app.path()).await.unwrap();
    again.close().await;
    let ids = "select group_concat(review_id) from review; pragma integrity_check";
    assert_eq!(app.sql(ids).trim(), "next\nok");
    let former = "select count(*) from review where author = 'only in the log'";
    assert_eq!(sqlite3(&aside, former).trim(), "20");
}
