//! Reviews whose analysis takes long are published first; their analyses follow in a later snapshot.

use reviews_service::snapshot::{Publisher, Snapshot};
use reviews_service::storage::{DELIVERY_LOCK, lock_beside};

use super::*;
use crate::support::links;

/// Number of long reviews, of which the last few are not analysed at once.
const REVIEWS: usize = 40;

/// Inserts long reviews that mention Dana once.
fn insert_long_reviews() -> String {
    // Blanks count, and cost the analysis little.
    let text = format!("Dana was on time. {}End.", " ".repeat(84_000));
    format!(
        "with recursive n (n) as (select 0 union all select n + 1 from n where n < {REVIEWS} - 1)
         insert into review (review_id, rating, reviewed_on, text)
         select 'l-' || n, 5, date('2026-09-01', '+' || (n % 30) || ' days'), '{text}' from n"
    )
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
async fn slow_reviews_are_served_before_new_analyses() {
    let app = firm(&[("a", "Dana was late.")]).await;
    let before = version(&app, "reviews");
    app.sql(&insert_long_reviews());
    assert!(app.app().publish_once().await.unwrap());
    let snapshot = current(&app);
    assert_eq!(snapshot.input.entries.len(), REVIEWS + 1);
    let postponed = usize::try_from(snapshot.input.entries.index().unanalyzed.len()).unwrap();
    assert!((1..REVIEWS).contains(&postponed), "{postponed}");
    let at_once = REVIEWS + 1 - postponed;
    let from = app.json("/insights.json").await["generated_from"].clone();
    assert_eq!(from["analysed"], at_once);
    let excluded = json!({"reason": "not_read_yet", "n": postponed});
    assert_eq!(from["excluded"][0], excluded);
    assert_eq!(mentions_of_dana(&snapshot), at_once);
    app.drain().await;
    assert_complete(&app);
    assert_eq!(mentions_of_dana(&current(&app)), REVIEWS + 1);
    // One version for the reviews, one for their analyses.
    assert_eq!(version(&app, "reviews"), before + 2);
    let expected = bytes(&app);
    let app = app.restart().await;
    assert!(bytes(&app) == expected);
    assert_eq!(version(&app, "reviews"), before + 2);

    // As if another release had analysed all reviews, and this one only the first.
    app.sql("update derived_analysis set method_hash = 'older' where review_id <> 'a'");
    let publisher = Publisher::new(app.database().clone(), links(), Clock::manual(start()));
    let snapshot = publisher.build(None).await.unwrap();
    let index = snapshot.input.entries.index();
    assert_eq!(index.unanalyzed.len(), postponed as u64);
    // Old mentions are served; the document is unchanged, so subscribers are not notified.
    assert_eq!(mentions_of_dana(&snapshot), REVIEWS + 1);
    let reviews = &snapshot.document(Document::Reviews).body.content;
    assert!(reviews.pieces.concat() == expected[Document::Reviews as usize]);
    let app = app.restart().await;
    assert_complete(&app);
    assert!(bytes(&app) == expected);
}

#[tokio::test]
async fn process_that_does_not_send_completes_all_analyses() {
    let app = firm(&[("a", "Dana was late.")]).await;
    app.database().give_up_lease().await.unwrap();
    let sender = lock_beside(&app.path(), DELIVERY_LOCK).unwrap();
    assert!(sender.is_some());
    app.sql(&insert_long_reviews());
    app.drain().await;
    assert_complete(&app);
    assert_eq!(mentions_of_dana(&current(&app)), REVIEWS + 1);
}

#[tokio::test]
async fn old_analyses_are_served_until_all_new_ones_are_ready() {
    let app = firm(&[("a", "Dana was late.")]).await;
    app.shell(&insert_long_reviews()).await;
    let version_before = version(&app, "reviews");
    let method = current(&app).input.analyzer.method().to_owned();
    app.sql("delete from technician where technician_id = 't1'; insert into technician (technician_id, name) values ('t9', 'Dana Ray')");
    assert!(app.app().publish_once().await.unwrap());
    let snapshot = current(&app);
    let postponed = snapshot.input.postponed.as_ref().unwrap();
    assert_ne!(postponed.analyzer.method(), method);
    assert_eq!(snapshot.input.analyzer.method(), method);
    // Old mentions stay until then.
    assert_eq!(mentions_of_dana(&snapshot), REVIEWS + 1);
    // A new review is analysed with the old roster, and later again with the new one.
    app.sql("insert into review (review_id, rating, reviewed_on, text) values ('b', 5, '2026-11-01', 'Dana came.')");
    assert!(app.app().publish_once().await.unwrap());
    assert_eq!(mentions_of_dana(&current(&app)), REVIEWS + 2);
    app.drain().await;
    assert_complete(&app);
    assert_eq!(mentions_of_dana(&current(&app)), 0);
    let named = mentioning(&app, "technicians", "Dana Ray").await;
    assert_eq!(named, REVIEWS as u64 + 2);
    // One version each for the roster, the review and the new links.
    assert_eq!(version(&app, "reviews"), version_before + 3);
    let expected = bytes(&app);
    assert!(bytes(&app.restart().await) == expected);
}
