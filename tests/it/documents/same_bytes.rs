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
    let mut targets = json_targets("r-00003");
    targets.extend(["/feed.xml", "/", "/docs", "/reviews/r-00003"].map(str::to_owned));
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
    let versions = "select document, version, digest, changed_at from publication";
    let (first, first_versions) = (all(&app).await, app.sql(versions));
    // The same reviews written again, all at once and then one by one, at another time.
    app.advance(chrono::Duration::days(1));
    app.write(&reviews).await;
    for review in reviews.iter().rev().step_by(20) {
        app.write(std::slice::from_ref(review)).await;
    }
    assert!(all(&app).await == first, "after writing the same again");
    assert_eq!(app.sql(versions), first_versions);
    app.advance(chrono::Duration::days(1));
    let app = app.restart().await;
    assert!(all(&app).await == first, "after a restart");
    assert_eq!(app.sql(versions), first_versions);
    // Another database with the same state but another history; only the instants differ.
    let then = start() + chrono::Duration::days(3);
    let other = TestApp::at(tempfile::tempdir().unwrap(), Clock::manual(then)).await;
    for batch in reviews.rchunks(37) {
        other.write(batch).await;
    }
    other.shell(BUSINESS).await;
    for (one, (target, coding, headers, body)) in all(&other).await.iter().zip(&first) {
        assert!(one.3 == *body, "{target} in {coding}");
        let (tag, expected) = (one.2.get("etag"), headers.get("etag"));
        assert_eq!(tag, expected, "{target} in {coding}");
    }
}
