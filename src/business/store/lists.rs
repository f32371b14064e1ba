//! Lists of texts in one column: JSON arrays.

use serde_json::Value;

/// A JSON array of these texts.
pub fn array(texts: &[String]) -> String {
    Value::from(texts).to_string()
}

/// The strings of a JSON array; the table's checks say that it is one, so what is no string is left
/// out.
pub fn texts(json: &str) -> Vec<String> {
    let Ok(Value::Array(values)) = serde_json::from_str(json) else {
        return Vec::new();
    };
    values
        .into_iter()
        .filter_map(|value| value.as_str().map(str::to_owned))
        .collect()
}
