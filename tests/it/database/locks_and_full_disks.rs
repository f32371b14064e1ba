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
async fn a_write_to_a_full_disk_fails_and_changes_nothing() {
    let app = TestApp::with(&Generator::new(83).reviews(50)).await;
    let before = app.get("/reviews.json").await;
    set(app.database(), "max_page_count = 1").await;
    let mut write = app.database().write().await.unwrap();
    let reviews = Generator::new(84).reviews(400);
    let error = loop {
        // Each round needs more space than the one before.
        let longer = "update review set author = author || hex(zeroblob(500))";
        match reviews::upsert(&mut write, &reviews, start()).await {
            Ok(()) => drop(write.execute(longer).await.unwrap()),
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
async fn a_read_only_database_is_still_served() {
    let app = TestApp::with(&Generator::new(85).reviews(20)).await;
    let before = app.get("/reviews.json").await;
    // Root, as which tests run, ignores file modes; a connection that cannot write gets the same error from SQLite.
    set(app.database(), "query_only = on").await;
    let error = app.database().write().await.unwrap_err();
    assert!(matches!(error, DbError::ReadOnly(_)), "{error:?}");
    assert!(error.to_string().contains("write permission"), "{error}");
    app.sql("update review set author = 'Other'");
    let error = app.app().drain().await.unwrap_err().to_string();
    assert_has(&error, "cannot be opened for writing");
    assert!(app.get("/reviews.json").await.body == before.body);
    let app = app.restart().await;
    let author = &app.json("/reviews.json").await["reviews"][0]["author"];
    assert_eq!(author, "Other");
}
