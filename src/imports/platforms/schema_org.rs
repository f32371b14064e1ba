//! Finds the reviews in schema.org's JSON-LD; `schema_org.toml` has the meanings of their members.
//!
//! Enclosing objects (a business, a product, a `@graph`) are searched; names may have the prefix `schema:`.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::imports::platforms::format::{Format, Reader};

pub const NAME: &str = "schema-org";

pub static FORMAT: LazyLock<Format> = LazyLock::new(|| Format {
    reader: Reader::LinkedData,
    ..Format::of_file(NAME, include_str!("schema_org.toml"))
});

/// Maximum nesting depth that is searched.
pub const DEEP_MAX: usize = 32;

/// Appends every schema.org review in `data` to `reviews`.
pub fn collect(data: Value, deep: usize, reviews: &mut Vec<Value>) {
    match data {
        Value::Object(members) if is_review(&members) => reviews.push(Value::Object(members)),
        Value::Array(elements) if deep > 0 => {
            for element in elements {
                collect(element, deep - 1, reviews);
            }
        }
        Value::Object(members) if deep > 0 => {
            for (_, member) in members {
                collect(member, deep - 1, reviews);
            }
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => {}
    }
}

fn is_review(members: &Map<String, Value>) -> bool {
    let of = |kind: &Value| {
        let kind = kind
            .as_str()
            .and_then(|kind| kind.rsplit(['/', ':']).next());
        kind.is_some_and(|kind| kind == "Review" || kind == "UserReview")
    };
    match members.get("@type") {
        Some(Value::Array(kinds)) => kinds.iter().any(of),
        Some(kind) => of(kind),
        None => false,
    }
}
