//! Limits the size of a result: whole reviews and a cursor, or whole parts; a text is never cut.

use std::ops::BitOr;

use serde_json::{Value, json};

use super::text;
use crate::mcp::escape::length;
use crate::model::ReviewFilter;
use crate::search::{Cursor, ResultPage, walk};
use crate::snapshot::{Place, ReviewIndex, Snapshot};
use crate::wire;

/// Maximum bytes of a result's JSON text: some 12,000 tokens, about half of the limit of common clients. Only a single
/// larger review exceeds it, and is returned by itself.
pub const RESULT_BYTES_MAX: usize = 48 * 1024;
/// Bytes reserved for everything but reviews: counts, and a cursor with the longest ID.
const ENVELOPE_BYTES: usize = 512;
/// The minimum size of a rendered review.
const REVIEW_BYTES_MIN: usize = 192;
/// Maximum number of reviews that can fit.
pub const REVIEWS_MAX: usize = RESULT_BYTES_MAX / REVIEW_BYTES_MIN;

/// The reviews that fit into a result.
#[derive(Debug)]
pub struct ReviewsPage {
    /// Reviews on all pages.
    pub total: u64,
    /// Whether the total is exact; otherwise counting stopped at its limit.
    pub is_exact: bool,
    /// Never cut.
    pub reviews: Vec<wire::Review>,
    /// The cursor of the next page, if there is one.
    pub next: Option<Cursor>,
}

/// The first `limit` reviews that match `filter`, after `cursor` if there is one, as far as they fit into `bytes_max`.
#[must_use]
pub fn page(
    snapshot: &Snapshot,
    filter: &ReviewFilter,
    limit: usize,
    cursor: Option<&Cursor>,
    bytes_max: usize,
) -> ReviewsPage {
    cut(
        snapshot,
        walk(snapshot, filter, limit, cursor),
        filter,
        bytes_max,
    )
}

/// The reviews of `found` that fit into `bytes_max`.
#[must_use]
pub fn cut(
    snapshot: &Snapshot,
    found: ResultPage,
    filter: &ReviewFilter,
    bytes_max: usize,
) -> ReviewsPage {
    let review_index = &snapshot.input.review_index;
    let fitting = fitting(
        review_index,
        &found.places,
        bytes_max.saturating_sub(ENVELOPE_BYTES),
    );
    let places = &found.places[..fitting];
    let next = if fitting < found.places.len() {
        (places.last()).map(|last| Cursor::behind(filter, review_index, *last))
    } else {
        found.next
    };
    ReviewsPage {
        total: found.total,
        is_exact: found.is_exact,
        reviews: (places.iter())
            .filter_map(|place| review_index.review(*place))
            .collect(),
        next,
    }
}

/// The number of reviews that fit, at least one.
fn fitting(review_index: &ReviewIndex, places: &[Place], bytes_max: usize) -> usize {
    let mut bytes = 0;
    let fits = |place: &&Place| {
        // Rendered JSON is always UTF-8.
        bytes += length(str::from_utf8(&review_index.json_of(**place)).unwrap_or_default()) + 1;
        bytes <= bytes_max
    };
    places
        .iter()
        .take_while(fits)
        .count()
        .max(1)
        .min(places.len())
}

/// Removes `parts`, least important first, until `value` fits. A part is a member with that name, at any depth.
/// `left_out` lists the removed ones.
#[must_use]
pub fn fit(mut value: Value, parts: &[&str]) -> Value {
    let mut left_out = Vec::new();
    for part in parts {
        if text(&value).len() + ENVELOPE_BYTES <= RESULT_BYTES_MAX {
            break;
        }
        if remove(&mut value, part) {
            left_out.push(*part);
        }
    }
    if let (false, Some(members)) = (left_out.is_empty(), value.as_object_mut()) {
        members.insert("left_out".to_owned(), json!(left_out));
    }
    value
}

fn remove(value: &mut Value, part: &str) -> bool {
    match value {
        Value::Object(members) => {
            // Removing an empty list saves nothing.
            let is_there = members
                .get(part)
                .is_some_and(|part| part.as_array().is_none_or(|items| !items.is_empty()));
            let found = is_there && members.remove(part).is_some();
            found
                | members
                    .values_mut()
                    .map(|member| remove(member, part))
                    .fold(false, bool::bitor)
        }
        Value::Array(items) => items
            .iter_mut()
            .map(|item| remove(item, part))
            .fold(false, bool::bitor),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{RESULT_BYTES_MAX, fit};

    #[test]
    fn whole_parts_go_the_least_needed_first_and_are_named() {
        let long = "x".repeat(RESULT_BYTES_MAX / 2);
        let small = json!({"aspects": [{"id": "price", "quotes": []}], "faq": []});
        assert_eq!(fit(small.clone(), &["quotes", "faq"]), small);
        let large = json!({"aspects": [{"id": "price", "quotes": [long]}], "faq": [long], "topics": ["x"], "trend": []});
        let expected = json!({"aspects": [{"id": "price"}], "faq": [long], "topics": ["x"], "trend": [], "left_out": ["quotes"]});
        assert_eq!(
            fit(large.clone(), &["evidence", "trend", "quotes", "topics"]),
            expected
        );
        let expected = json!({"aspects": [{"id": "price", "quotes": [long]}], "trend": [], "left_out": ["topics", "faq"]});
        assert_eq!(fit(large, &["topics", "faq", "quotes"]), expected);
    }
}
