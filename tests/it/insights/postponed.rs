//! Where reading takes longer than a moment, the reviews are out first and what they say follows.

use reviews_service::snapshot::segment::ValueColumn;
use reviews_service::snapshot::{Publisher, Snapshot};

use super::*;
use crate::support::{links, publications};

/// So many reviews of so much text are not read while readers wait.
const REVIEWS: usize = 45;

/// Long texts that name Dana once.
fn long(from: usize, to: usize) -> String {
    let text = format!("Dana was on time. {}", "We like it. ".repeat(7_000));
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

/// How many reviews mention Dana.
fn dana(snapshot: &Snapshot) -> usize {
    let postings = snapshot
        .input
        .review_index
        .segments()
        .iter()
        .flat_map(|segment| segment.postings(ValueColumn::Technicians).iter());
    postings
        .filter(|posting| posting.mention.value == "Dana Whitfield")
        .map(|posting| posting.positions.len())
        .sum()
}

#[tokio::test]
async fn what_takes_long_to_read_is_out_at_once_and_read_for_a_later_snapshot() {
    let app = firm(&[("a", "Dana was late.")]).await;
    let before = version(&app, "reviews");
    sqlite3(&app.path(), &long(0, REVIEWS));
    assert!(app.app().publish_once().await.unwrap());
    let snapshot = current(&app);
    assert_eq!(
        (snapshot.input.review_index.len(), snapshot.input.behind()),
        (REVIEWS + 1, REVIEWS)
    );
    let insights: Value =
        serde_json::from_slice(&bytes(&app)[Document::Insights as usize]).unwrap();
    assert_eq!(insights["generated_from"]["analysed"], 1);
    assert_eq!(
        insights["generated_from"]["excluded"][0],
        serde_json::json!({"reason": "not_read_yet", "n": REVIEWS})
    );
    assert_eq!(dana(&snapshot), 1);
    app.drain().await;
    assert_complete(&app);
    assert_eq!(dana(&current(&app)), REVIEWS + 1);
    assert_eq!(
        version(&app, "reviews"),
        before + 2,
        "reviews, then what they say"
    );
    let expected = bytes(&app);
    let app = app.restart().await;
    assert!(bytes(&app) == expected);
    assert_eq!(version(&app, "reviews"), before + 2);
}

#[tokio::test]
async fn all_stays_as_it_was_read_until_it_is_read_anew() {
    let app = firm(&[("a", "Dana was late.")]).await;
    app.shell(&long(0, REVIEWS)).await;
    let (said, method) = (
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
    assert_eq!(dana(&snapshot), REVIEWS + 1, "nothing vanishes in between");
    // One that comes meanwhile is read like the others, and then anew with them.
    sqlite3(
        &app.path(),
        "insert into review (review_id, rating, reviewed_on, text) values ('b', 5, '2026-11-01', 'Dana came.')",
    );
    assert!(app.app().publish_once().await.unwrap());
    assert_eq!(dana(&current(&app)), REVIEWS + 2);
    app.drain().await;
    assert_complete(&app);
    assert_eq!(dana(&current(&app)), 0);
    assert_eq!(
        mentioning(&app, "technicians", "Dana Ray").await,
        REVIEWS as u64 + 2
    );
    assert_eq!(
        version(&app, "reviews"),
        said + 3,
        "the roster, the review, the links"
    );
    let expected = bytes(&app);
    let app = app.restart().await;
    assert!(bytes(&app) == expected);
}

#[tokio::test]
async fn a_start_in_the_midst_shows_what_is_known_and_goes_on() {
    let app = firm(&[("a", "Dana was late.")]).await;
    app.shell(&long(0, REVIEWS)).await;
    let expected = bytes(&app);
    // As if another release had read all of it, and this one had begun to.
    sqlite3(
        &app.path(),
        "update derived_index set method_hash = 'older' where review_id <> 'a'",
    );
    let publisher = Publisher::new(app.database().clone(), links(), Clock::manual(start()));
    let snapshot = publisher.first().await.unwrap();
    assert_eq!(snapshot.input.behind(), REVIEWS);
    assert_eq!(dana(&snapshot), REVIEWS + 1, "mentions are those of before");
    let reviews = snapshot
        .document(Document::Reviews)
        .body
        .content
        .pieces
        .concat();
    assert!(
        reviews == expected[Document::Reviews as usize],
        "so that no subscriber is told"
    );
    let app = app.restart().await;
    assert_complete(&app);
    assert!(bytes(&app) == expected);
}
