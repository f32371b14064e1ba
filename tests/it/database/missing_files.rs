//! If the database file is replaced, renamed or removed beneath the service, it writes its log to the file that it had and ends.

use reviews_service::storage::reviews::DatabasePosition;

use super::*;

#[tokio::test]
async fn a_service_ends_and_keeps_the_log_if_the_file_changes() {
    for change in ["renamed", "replaced", "moved with its log", "removed"] {
        let home = Home::with(3);
        let (path, aside) = (home.path(), home.folder.path().join("aside.db"));
        make(&home.folder.path().join("next.db")).await;
        let log = home.folder.path().join("log");
        let file = fs::File::create(&log).unwrap();
        let serving = ServingProcess::start_with_log(&mut home.process("serve"), file);
        // It stands only in the log of the running service.
        home.sql("insert into review (review_id, rating, reviewed_on, text) values ('late', 4, '2026-11-02', '')");
        fs::hard_link(&path, &aside).unwrap();
        match change {
            "replaced" => fs::rename(home.folder.path().join("next.db"), &path).unwrap(),
            "moved with its log" => {
                for side in ["-wal", "-shm"] {
                    let name = |begin: &str| home.folder.path().join(format!("{begin}{side}"));
                    fs::rename(name("reviews.db"), name("moved.db")).unwrap();
                }
                fs::remove_file(&path).unwrap();
            }
            _ => fs::remove_file(&path).unwrap(),
        }
        let (status, _) = serving.end();
        assert_eq!(status.code(), Some(2), "{change}");
        let error =
            "error: the database reviews.db was replaced, renamed or removed while it was in use";
        assert_has(&home.read("log"), error);
        for side in ["reviews.db-wal", "reviews.db-shm"] {
            assert!(!home.folder.path().join(side).exists(), "{change}: {side}");
        }
        let late = "select count(*) from review where review_id = 'late'; pragma integrity_check";
        assert_eq!(sqlite3(&aside, late), "1\nok", "{change}");
        if change == "replaced" {
            assert_eq!(home.sql(late), "0\nok");
        }
    }
}

#[tokio::test]
async fn no_reader_is_opened_after_the_file_was_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let [path, next] = ["reviews.db", "next.db"].map(|name| folder.path().join(name));
    make(&next).await;
    let (database, _) = Database::open(&path).await.unwrap();
    fs::rename(next, path).unwrap();
    let readers = database.readers();
    let _first = readers.acquire().await.unwrap();
    readers.acquire().await.unwrap();
    let position = DatabasePosition::default();
    let found = database.text_candidates(&["abc"], &position).await;
    assert!(matches!(found, Err(DbError::Replaced(_))), "{found:?}");
}

#[tokio::test]
async fn no_write_goes_to_a_file_that_was_replaced() {
    let app = TestApp::with(&Generator::new(91).reviews(20)).await;
    fs::rename(app.path(), app.folder().join("away.db")).unwrap();
    let topic = ("hub.topic", "https://reviews.sample.test/reviews.json");
    let callback = ("hub.callback", "https://subscriber.example/news");
    let form = [("hub.mode", "subscribe"), topic, callback];
    assert_eq!(app.post_hub(&form).await.status, 503);
    let error = app.database().write().await.unwrap_err();
    assert!(matches!(error, DbError::Replaced(_)), "{error:?}");
    assert!(!app.path().exists(), "no empty database is created");
}
