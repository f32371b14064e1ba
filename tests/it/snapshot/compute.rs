//! Work that takes CPU, and the thread that accepts connections: a test's own thread is that one.

use reviews_service::steps;

use crate::support::{TestApp, sqlite3};

/// Reviews whose texts once took 90 to 190 ms each to cut into sentences.
fn costly(count: usize) -> String {
    let text = "Dr. Mr. St. ".repeat(20_000 / 12);
    let rows = (0..count).map(|number| {
        format!(
            "('d-{number}', 4, '2026-09-{:02}', '{text}')",
            1 + number % 30
        )
    });
    format!(
        "insert into review (review_id, rating, reviewed_on, text) values {}",
        rows.collect::<Vec<_>>().join(", ")
    )
}

#[tokio::test]
async fn what_takes_cpu_leaves_the_thread_that_accepts_alone() {
    let app = TestApp::empty().await;
    sqlite3(&app.path(), &costly(150));
    let before = steps::taken();
    app.drain().await;
    assert_eq!(steps::taken(), before, "steps on the thread that accepts");
    assert_eq!(
        app.get("/reviews.json").await.json()["aggregate_rating"]["review_count"],
        150
    );
    assert_eq!(
        app.get_with("/reviews.json", &[("accept-encoding", "br")])
            .await
            .header("content-encoding"),
        "br"
    );
    assert_eq!(
        sqlite3(&app.path(), "select count(*) from derived_index"),
        "150",
        "each was read"
    );
    // What a start does on its own thread, before it accepts, is counted here.
    let app = app.restart().await;
    assert!(steps::taken() > before, "nothing is counted");
    drop(app);
}
