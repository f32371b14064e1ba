//! Examples in the OpenAPI document: the answers of operations without parameters.

use std::sync::Arc;

use chrono::SecondsFormat;
use serde_json::{Value, json};

use crate::search::facets::facets;
use crate::snapshot::document::{atom_feed, head, json_feed};
use crate::snapshot::input::SnapshotInput;
use crate::snapshot::{Document, Entries, Entry, Snapshot, StoredCounts, transparency};
use crate::storage::reviews::Reasons;
use crate::wire;

/// Maximum number of values in a list of facets.
const EXAMPLE_VALUES: usize = 10;

/// By path, as if `only` were the only review, so that they change with it and the business alone.
pub fn answers(snapshot: &Snapshot, only: &Arc<Entry>) -> [(&'static str, Value); 6] {
    let links = &snapshot.input.links;
    let input = SnapshotInput {
        entries: Entries::new(vec![Arc::clone(only)], &Entries::default(), links),
        withheld: Reasons::default(),
        ..snapshot.input.clone()
    };
    let review = input.review(0);
    let head = head(&input, Some(review.updated_at));
    let updated_at = review
        .updated_at
        .to_rfc3339_opts(SecondsFormat::AutoSi, true);
    let updated = format!("<updated>{updated_at}</updated>").into_bytes();
    let reviews = vec![review];
    let feed = json_feed(&input.business, &reviews, links, links);
    let (before, after) = atom_feed(&input.business, &reviews, links, links);
    let atom = [before, updated, after].concat();
    let alone = Snapshot::new(
        snapshot.database.clone(),
        snapshot.position.clone(),
        input,
        Arc::clone(&snapshot.insights),
        Vec::new(),
    );
    [
        ("/business.json", json!(head)),
        (
            "/transparency.json",
            json!(transparency(&alone, &StoredCounts::default())),
        ),
        ("/facets.json", json!(facets(&alone, EXAMPLE_VALUES))),
        (Document::JsonFeed.path(), json!(feed)),
        (
            Document::AtomFeed.path(),
            json!(String::from_utf8_lossy(&atom)),
        ),
        (
            Document::Reviews.path(),
            json!(wire::ReviewsDataset { head, reviews }),
        ),
    ]
}
