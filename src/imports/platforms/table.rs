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
    for field in [
        ReviewField::Matched,
        ReviewField::Recommended,
        ReviewField::Anonymous,
        ReviewField::Scale,
    ] {
        fields.remove(&field);
    }
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
    pub private: String,
    fields: NamesByField,
    pub other_languages: NamesByField,
    pub questions: NamesByField,
    pub combined: BTreeMap<ReviewField, PhraseWords>,
    /// The members of an object that hold a field.
    pub members: NamesByField,
    /// The names of such an object, if they are not those of the field.
    pub objects: NamesByField,
}

/// A header of a known word and neutral ones.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhraseWords {
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
