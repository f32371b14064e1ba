//! Examples in the description of the API: what Swagger UI fills a form with, so that every operation succeeds as it is opened.
//!
//! Apart from the description, because one of them is of the data: the id of a review that is there. What is not there yet has
//! no example.

use serde_json::{Value, json};

use crate::snapshot::Snapshot;

/// Parameters with a value that every database answers: operation, parameter, value.
const PARAMETERS: &[(&str, &str, &str)] = &[
    ("searchReviews", "query", "on time"),
    ("getReviewsSince", "date", "2026-01-01"),
    ("getAspectEvidence", "id", "punctuality"),
    ("comparePeriods", "first_since", "2025-01-01"),
    ("comparePeriods", "first_until", "2025-12-31"),
    ("comparePeriods", "second_since", "2026-01-01"),
    ("comparePeriods", "second_until", "2026-12-31"),
];

/// The examples that are of a snapshot's data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examples {
    /// The oldest review, so that a new one leaves the description as it is; none where there is none.
    review_id: Option<String>,
}

impl Examples {
    /// The examples from the data of `snapshot`.
    #[must_use]
    pub fn of(snapshot: &Snapshot) -> Self {
        let segments = snapshot.input.review_index.segments();
        let oldest = segments.iter().rev().find(|segment| !segment.is_empty());
        Self {
            review_id: oldest.map(|segment| segment.id(segment.len() - 1).to_owned()),
        }
    }

    /// The document with all examples.
    #[must_use]
    pub fn added_to(&self, document: &Value) -> Value {
        let mut document = document.clone();
        let of_data = self
            .review_id
            .as_deref()
            .map(|review_id| ("getReview", "id", review_id));
        for (operation, name, value) in PARAMETERS.iter().copied().chain(of_data) {
            if let Some(parameter) = parameter(&mut document, operation, name) {
                parameter["example"] = json!(value);
            }
        }
        document
    }
}

fn parameter<'a>(document: &'a mut Value, operation: &str, name: &str) -> Option<&'a mut Value> {
    let paths = document.get_mut("paths")?.as_object_mut()?;
    let mut operations = paths
        .values_mut()
        .filter_map(Value::as_object_mut)
        .flat_map(|item| item.values_mut());
    let operation = operations.find(|described| described["operationId"] == operation)?;
    let mut parameters = operation.get_mut("parameters")?.as_array_mut()?.iter_mut();
    parameters.find(|parameter| parameter["name"] == name)
}
