//! Reviews whose analysis takes long are published first; their analyses follow in a later snapshot.

use reviews_service::snapshot::{Publisher, Snapshot};

use super::*;
use crate::support::{links, publications};

/// Number of long reviews whose analysis is postponed.
const REVIEWS: usize = 45;

/// Inserts long reviews that mention Dana once.
fn insert_long_reviews(from: usize, to: usize) -> String {
    // Blanks count, and cost the analysis little.
    let text = format!("Dana was on time. {}End.", " ".repeat(84_000));
    let rows = (from..to).map(|number| {
        format!(
            "('l-{number}', 5, '2026-09-{:02}', '{text}')",
            1 + number % 30
        )
    });
    format!(
        "insert into review (review_id, rating, reviewed_on, text) values {};",
        rows.collect::<Vec<_>>().join(", ")
    )
}

fn version(app: &TestApp, document: &str) -> i64 {
    publications(&app.path())
        .iter()
        .find(|one| one.0 == document)
        .unwrap()
        .1
}

fn current(app: &TestApp) -> Arc<Snapshot> {
    app.app().ctx.current.load()
}

/// Number of reviews that mention Dana.
fn mentions_of_dana(snapshot: &Snapshot) -> usize {
    let technicians = &snapshot.input.entries.index().technicians;
    let found = technicians.get("dana whitfield");
    found.map_or(0, |positions| usize::try_from(positions.len()).unwrap())
}

#[tokio::test]
async fn slow_reviews_are_served_before_their_new_analyses() {
    let app = firm(&[("a", "Dana was late.")]).await;
    let before = version(&app, "reviews");
    sqlite3(&app.path(), &insert_long_reviews(0, REVIEWS));
    assert!(app.app().publish_once().await.unwrap());
    let snapshot = current(&app);
    assert_eq!(
        (snapshot.input.entries.len(), snapshot.input.behind()),
        (REVIEWS + 1, REVIEWS)
    );
    let insights: Value =
        serde_json::from_slice(&bytes(&app)[Document::Insights as usize]).unwrap();
    assert_eq!(insights["generated_from"]["analysed"], 1);
    assert_eq!(
        insights["generated_from"]["excluded"][0],
        serde_json::json!({"reason": "not_read_yet", "n": REVIEWS})
    );
    assert_eq!(mentions_of_dana(&snapshot), 1);
    app.drain().await;
    assert_complete(&app);
    assert_eq!(mentions_of_dana(&current(&app)), REVIEWS + 1);
    assert_eq!(
        version(&app, "reviews"),
        before + 2,
        "one version for the reviews, one for their analyses"
    );
    let expected = bytes(&app);
    let app = app.restart().await;
    assert!(bytes(&app) == expected);
    assert_eq!(version(&app, "reviews"), before + 2);

    // As if another release had analysed all reviews, and this one only the first.
    sqlite3(
        &app.path(),
        "update derived_analysis set method_hash = 'older' where review_id <> 'a'",
    );
    let publisher = Publisher::new(app.database().clone(), links(), Clock::manual(start()));
    let snapshot = publisher.first().await.unwrap();
    assert_eq!(snapshot.input.behind(), REVIEWS);
    assert_eq!(
        mentions_of_dana(&snapshot),
        REVIEWS + 1,
        "old mentions are served"
    );
    let reviews = snapshot
        .document(Document::Reviews)
        .body
        .content
        .pieces
        .concat();
    assert!(
        reviews == expected[Document::Reviews as usize],
        "the document is unchanged, so subscribers are not notified"
    );
    let app = app.restart().await;
    assert_complete(&app);
    assert!(bytes(&app) == expected);
}

#[tokio::test]
async fn old_analyses_are_served_until_all_new_ones_are_ready() {
    let app = firm(&[("a", "Dana was late.")]).await;
    app.shell(&insert_long_reviews(0, REVIEWS)).await;
    let (version_before, method) = (
        version(&app, "reviews"),
        current(&app).input.analyzer.method().to_owned(),
    );
    sqlite3(
        &app.path(),
        "delete from technician where technician_id = 't1'; insert into technician (technician_id, name) values ('t9', 'Dana Ray')",
    );
    assert!(app.app().publish_once().await.unwrap());
    let snapshot = current(&app);
    assert_eq!(
        (snapshot.input.behind(), snapshot.input.analyzer.method()),
        (REVIEWS + 1, method.as_str())
    );
    assert_eq!(
        mentions_of_dana(&snapshot),
        REVIEWS + 1,
        "old mentions stay until then"
    );
    // A new review is analysed with the old roster, and later again with the new one.
    sqlite3(
        &app.path(),
        "insert into review (review_id, rating, reviewed_on, text) values ('b', 5, '2026-11-01', 'Dana came.')",
    );
    assert!(app.app().publish_once().await.unwrap());
    assert_eq!(mentions_of_dana(&current(&app)), REVIEWS + 2);
    app.drain().await;
    assert_complete(&app);
    assert_eq!(mentions_of_dana(&current(&app)), 0);
    assert_eq!(
        mentioning(&app, "technicians", "Dana Ray").await,
        REVIEWS as u64 + 2
    );
    assert_eq!(
        version(&app, "reviews"),
        version_before + 3,
        "one version each for the roster, the review and the new links"
    );
    let expected = bytes(&app);
    let app = app.restart().await;
    assert!(bytes(&app) == expected);
}
