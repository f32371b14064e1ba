//! Analysis of review texts: each text is analysed once and stored, all documents show the same results, and they depend
//! only on the reviews.

mod languages;
mod slow;
mod votes;

use std::path::Path;
use std::sync::Arc;

use reviews_service::clock::Clock;
use reviews_service::snapshot::Document;
use serde_json::{Value, json};

use crate::support::{TestApp, array_of, publications, sqlite3, start, str_of};

/// Selects all stored analyses.
const DERIVED: &str = "select * from derived_analysis order by 1;";

/// A firm with two people who share a first name.
const FIRM: &str = "
    insert into business (business_id, name) values ('x', 'X Plumbing');
    insert into technician (technician_id, position, name) values ('t1', 1, 'Dana Whitfield'), ('t2', 2, 'Mike Alvarez'),
      ('t3', 3, 'Mike Sorensen');
    insert into service (service_id, name, synonyms) values ('water-heater', 'Water heaters', '[\"water heater\"]');
    insert into service_area (name) values ('Mesa');";

/// A service of [`FIRM`] with these reviews, as (ID, text).
async fn firm(texts: &[(&str, &str)]) -> TestApp {
    let app = TestApp::empty().await;
    let rows = texts
        .iter()
        .map(|(id, text)| format!("('{id}', 5, '2026-10-01', '{}')", text.replace('\'', "''")));
    let rows = rows.collect::<Vec<_>>().join(", ");
    app.shell(&format!(
        "{FIRM} insert into review (review_id, rating, reviewed_on, text) values {rows};"
    ))
    .await;
    app
}

fn bytes(app: &TestApp) -> Vec<Vec<u8>> {
    let snapshot = app.app().ctx.current.load();
    Document::ALL
        .map(|document| snapshot.document(document).body.content.pieces.concat())
        .to_vec()
}

/// Number of reviews that mention this entity.
async fn mentioning(app: &TestApp, kind: &str, name: &str) -> u64 {
    let insights = app.json("/insights.json").await;
    let entities = array_of(&insights["entities"][kind]).iter();
    let named = entities.filter(|entity| entity["name"] == name);
    named
        .map(|entity| entity["mention_count"].as_u64().unwrap())
        .sum()
}

/// Marks all stored analyses, so that [`analysed_since_mark`] finds later ones.
fn mark_analyses(app: &TestApp) {
    let mark = "json_set(analysis, '$.overall[1]', 4711)";
    app.sql(&format!("update derived_analysis set analysis = {mark}"));
}

/// IDs of the reviews analysed since [`mark_analyses`].
fn analysed_since_mark(app: &TestApp) -> String {
    let ids = "select review_id from derived_review where score <> 4711 order by 1";
    app.sql(ids).replace('\n', " ")
}

/// Asserts that the snapshot has all analyses, made with the current roster.
fn assert_complete(app: &TestApp) {
    let input = &app.app().ctx.current.load().input;
    assert_eq!(input.entries.index().unanalyzed.len(), 0);
    assert!(input.postponed.is_none());
}

/// The version of a document.
fn version(app: &TestApp, document: &str) -> i64 {
    let publications = publications(&app.path());
    let mut publications = publications.iter();
    publications.find(|one| one.0 == document).unwrap().1
}
