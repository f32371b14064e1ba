//! Every published shape, for REST and agents, and the parameters of requests. Deriving `Object` on a type makes it a public promise, so
//! that derive is only here and on the plain values of `model` that are published as they are.
//!
//! Rules of all shapes: `snake_case`; an absent optional field is left out, never `null`; days are `YYYY-MM-DD`;
//! instants are RFC 3339 in UTC.

mod business;
mod facets;
mod feed;
mod insights;
pub(crate) mod parameters;
mod problem;
mod results;
mod stage;
mod transparency;

pub use business::*;
pub use facets::*;
pub use feed::*;
pub use insights::*;
pub use parameters::{Arguments, HubMode, HubRequest, InsightsPart, Parameters};
pub use problem::*;
pub use results::*;
pub use stage::*;
pub use transparency::*;

pub fn json<T: serde::Serialize>(value: &T) -> Vec<u8> {
    let mut json = Vec::new();
    write_json(&mut json, value);
    json
}

/// Appends the JSON of `value`. Cannot fail, because the shapes of this module have no maps with other keys than texts.
pub fn write_json<T: serde::Serialize>(json: &mut Vec<u8>, value: &T) {
    serde_json::to_writer(json, value)
        .unwrap_or_else(|error| unreachable!("a published shape: {error}"));
}

/// The JSON of an object up to the point where its reviews follow.
pub fn opening<T: serde::Serialize>(head: &T) -> Vec<u8> {
    let mut json = json_open(head);
    json.extend_from_slice(b",\"reviews\":[");
    json
}

/// A JSON object without its closing brace, so that members can be appended.
pub fn json_open<T: serde::Serialize>(object: &T) -> Vec<u8> {
    let mut json = json(object);
    json.pop();
    json
}
