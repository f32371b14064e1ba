//! Our own records, one in a line or in an array: what `reviews export` writes (`docs/IMPORT.md`).

use crate::imports::format::{Format, Reader};

/// What our records have in common, the shortest first.
pub(in crate::imports) const KEYS: &[&[&str]] = &[
    &["id", "rating", "date"],
    &["rating", "date", "author"],
    &["rating", "author", "text"],
    &["id", "deleted"],
];

pub(in crate::imports) const FORMAT: Format = Format {
    name: "jsonl",
    label: "JSON Lines",
    excerpts: false,
    authors_public: true,
    note: None,
    renames: true,
    document: &[],
    reader: Reader::Native(KEYS),
};
