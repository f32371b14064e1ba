//! Whoever writes is seen: in all surfaces together.

use crate::support::{Generator, TestApp};

#[tokio::test]
async fn a_row_written_in_a_shell_is_published() {
    let app = TestApp::with(&Generator::new(1).reviews(300)).await;
    let before = app.get("/reviews.json").await;
    app.shell(
        "insert into review (review_id, rating, reviewed_on, author, text) values ('shell-1', 2, '2026-11-19', 'Sam', 'Came late')",
    )
    .await;
    let after = app.get("/reviews.json").await;
    assert_ne!(before.header("etag"), after.header("etag"));
    assert_eq!(after.ids()[0], "shell-1");
    assert_eq!(app.get("/api/reviews/search?query=came+LATE").await.ids(), ["shell-1"]);
    assert_eq!(app.get("/api/feed.json").await.json()["items"][0]["url"], "https://reviews.example.com/reviews/shell-1");
}
