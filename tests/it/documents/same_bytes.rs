//! The same data gives the same bytes in any file, however it was written.

use reviews_service::clock::Clock;

use super::{BUSINESS, json_targets};
use crate::support::{Generator, TestApp, start};

#[tokio::test]
async fn the_same_data_gives_the_same_bytes() {
    let reviews = Generator::new(73).reviews(200);
    let app = TestApp::with(&reviews[..150]).await;
    app.shell(BUSINESS).await;
    app.advance(chrono::Duration::days(3));
    app.write(&reviews).await;
    let targets: Vec<String> = json_targets("r-00003")
        .into_iter()
        .chain(["/feed.xml", "/", "/docs", "/reviews/r-00003"].map(str::to_owned))
        .collect();
    let all = async |app: &TestApp| {
        let mut answers = Vec::new();
        for target in &targets {
            for coding in ["identity", "br", "gzip"] {
                let answer = app.get_with(target, &[("accept-encoding", coding)]).await;
                assert_eq!(answer.status, 200, "{target}");
                answers.push((target.clone(), coding, answer.headers, answer.body));
            }
        }
        answers
    };
    let versions = async |app: &TestApp| {
        app.shell("select document, version, digest, changed_at from publication")
            .await
    };
    let (first, first_versions) = (all(&app).await, versions(&app).await);
    // The same reviews written again, all at once and then one by one, at another time.
    app.advance(chrono::Duration::days(1));
    app.write(&reviews).await;
    for review in reviews.iter().rev().step_by(20) {
        app.write(std::slice::from_ref(review)).await;
    }
    assert!(all(&app).await == first, "after writing the same again");
    assert_eq!(versions(&app).await, first_versions);
    app.advance(chrono::Duration::days(1));
    let app = app.restart().await;
    assert!(all(&app).await == first, "after a restart");
    assert_eq!(versions(&app).await, first_versions);
    // Another database with the same state but another history; only the instants differ.
    let then = start() + chrono::Duration::days(3);
    let other = TestApp::at(tempfile::tempdir().unwrap(), Clock::manual(then)).await;
    for batch in reviews.rchunks(37) {
        other.write(batch).await;
    }
    other.shell(BUSINESS).await;
    for (one, (target, coding, headers, body)) in all(&other).await.iter().zip(&first) {
        assert!(
            one.3 == *body,
            "{target} in {coding}: other bytes for the same data"
        );
        assert_eq!(
            one.2.get("etag"),
            headers.get("etag"),
            "{target} in {coding}"
        );
    }
}
