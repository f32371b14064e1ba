//! Any table: columns are found by common names or by `--map`; the owner who imports it vouches for the reviews.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::imports::map::ReviewField;
use crate::imports::platforms::format::Format;

pub const NAME: &str = "table";

pub static FORMAT: LazyLock<Format> = LazyLock::new(|| Format {
    name: NAME,
    label: "table (CSV, TSV, XLSX)",
    fields: fields(),
    anonymous: None,
    vouches: false,
    reads_headers: true,
    ..Format::default()
});

/// The headers in `table.toml`; a field that is not there has its own name as its header.
fn fields() -> NamesByField {
    let named = |field: ReviewField| (field, field.name().to_owned());
    let mut fields: NamesByField = ReviewField::ALL.into_iter().map(named).collect();
    fields.extend(HEADERS.fields.clone());
    // Only platforms have these fields.
    fields.remove(&ReviewField::Matched);
    fields.remove(&ReviewField::Recommended);
    fields
}

/// The file `table.toml`.
pub static HEADERS: LazyLock<Headers> =
    LazyLock::new(|| match toml::from_str(include_str!("table.toml")) {
        Ok(headers) => headers,
        // A test reads the file.
        Err(error) => unreachable!("table.toml: {error}"),
    });

type NamesByField = BTreeMap<ReviewField, String>;

/// The headers of any table of reviews.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Headers {
    pub ambiguous: String,
    pub not_asked: String,
    fields: NamesByField,
    pub other_languages: NamesByField,
    pub questions: NamesByField,
    pub combined: BTreeMap<ReviewField, CombinedHeader>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CombinedHeader {
    pub known: String,
    pub neutral: String,
}

#[cfg(test)]
mod tests {
    use super::Headers;

    #[test]
    fn the_file_of_headers_can_be_read() {
        let headers: Headers = toml::from_str(include_str!("table.toml")).unwrap();
        assert!(!headers.fields.is_empty() && !headers.combined.is_empty());
    }
}
