//! Concurrent and unusual writers: no change is missed, and none is published twice.

use super::{insert, review};
use crate::support::{Generator, TestApp, check_in_step};

#[tokio::test]
async fn every_kind_of_writer_keeps_all_surfaces_consistent() {
    let app = TestApp::with(&Generator::new(9).reviews(60)).await;
    // `or fail` keeps the rows that were changed before the failure.
    app.refused("update or fail review set rating = rating + 1, text = text || ' shell' where review_id < 'r-00040'").await;
    check_in_step(&app).await;
    app.shell("begin; delete from review where rating < 5; savepoint s; delete from review; rollback to s; commit").await;
    check_in_step(&app).await;
    // From another database.
    let attach = format!("attach '{}' as ours; ", app.path().display());
    let beside = app.folder().join("beside.db");
    for sql in [
        "insert into ours.review (review_id, rating, reviewed_on, text) values ('attached', 1, '2026-11-20', 'shell of another')",
        "update ours.review set text = 'water heater' where review_id = 'attached'",
        "insert or replace into ours.review select * from ours.review",
    ] {
        crate::support::sqlite3(&beside, &format!("{attach}{sql};"));
        app.drain().await;
        check_in_step(&app).await;
    }
    assert_eq!(review(&app, "attached").await["text"], "water heater");
}

#[tokio::test]
async fn many_changes_of_one_commit_are_one_snapshot() {
    let app = TestApp::with(&Generator::new(8).reviews(300)).await;
    let before = crate::support::publications(&app.path());
    let several: String = (0..40)
        .map(|number| insert(&format!("n-{number}"), "in the shell"))
        .collect();
    app.shell(&format!(
        "begin; {several} delete from review where review_id like 'r-0001%';
         update review set rating = 5 where review_id like 'r-0002%'; commit"
    ))
    .await;
    check_in_step(&app).await;
    let after = crate::support::publications(&app.path());
    for (before, after) in before.into_iter().zip(after) {
        assert_eq!(after.1, before.1 + 1, "{}", before.0);
    }
    app.shell(&format!("begin; {} rollback", insert("never", "was")))
        .await;
    assert_eq!(app.get("/api/reviews/never").await.status, 404);
    check_in_step(&app).await;
}
