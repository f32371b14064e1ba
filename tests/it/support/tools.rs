//! Functions of many tests: settings, tables, forms, and parts of JSON.

use std::borrow::Borrow;
use std::env;

use serde_json::{Value, json};
use url::form_urlencoded;

#[expect(
    clippy::disallowed_methods,
    reason = "only this function of the tests reads the environment"
)]
pub fn setting(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

/// The rounds of a test with random steps: `.ci/nightly` multiplies those that a change needs.
pub fn rounds(of_a_change: usize) -> usize {
    of_a_change * setting("REVIEWS_TEST_ROUNDS").parse().unwrap_or(1)
}

/// The rows of a table: a line for each, with ` → ` between the cells. Empty lines and comments, after `#`, are left out.
pub fn table<const CELLS: usize>(text: &str) -> Vec<[&str; CELLS]> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rows = lines.map(|line| {
        let cells: Vec<&str> = line.split(" → ").collect();
        cells.try_into().expect(line)
    });
    rows.collect()
}

/// Name and value pairs as a query string or the body of a form.
pub fn form<N: AsRef<str>, V: AsRef<str>>(
    pairs: impl IntoIterator<Item: Borrow<(N, V)>>,
) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish()
}

/// The items of a JSON array.
#[track_caller]
pub fn array_of(value: &Value) -> &Vec<Value> {
    value
        .as_array()
        .unwrap_or_else(|| panic!("no array: {value}"))
}

/// The text of a JSON string.
#[track_caller]
pub fn str_of(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

/// Asserts that the text has this part.
#[track_caller]
pub fn assert_has(text: &str, part: &str) {
    assert!(text.contains(part), "{text}\nlacks {part}");
}

/// Makes a schema refuse members that it does not describe.
pub fn forbid_other_members(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            // A schema without a type only annotates its parent.
            if members.contains_key("properties") && members.contains_key("type") {
                members
                    .entry("additionalProperties")
                    .or_insert(json!(false));
            }
            members.values_mut().for_each(forbid_other_members);
        }
        Value::Array(values) => values.iter_mut().for_each(forbid_other_members),
        _ => {}
    }
}
