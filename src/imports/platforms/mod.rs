//! The formats of files: one file for each platform with a known export tells how to recognize the export, and the meaning
//! of its columns.
//!
//! A platform whose rows are read by their columns is a TOML file; to add one, add the file and its name to
//! [`COLUMN_FORMATS`]. Only the columns in that file are read, so all others stay private (`docs/IMPORT.md` lists both).

pub(crate) mod format;
pub(crate) mod native;
pub(crate) mod schema_org;
pub(crate) mod table;

use std::sync::LazyLock;

pub use format::{Format, Reader};

use crate::imports::map::fields::names;
use crate::imports::map::values::same_name;

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!($name, ".toml")))),+]
    };
}

/// Names and files in the order of detection: the formats with the fewest required names come last.
const COLUMN_FORMATS: &[(&str, &str)] = files!(
    "google",
    "google_places",
    "apify",
    "outscraper",
    "serpapi",
    "gosom",
    "yelp",
    "trustpilot",
    "servicetitan",
    "podium",
    "reviews_io",
    "birdeye",
    "judgeme",
    "facebook",
    "okendo",
    "powerreviews",
    "yotpo",
    "stamped",
    "loox",
    "shopify",
    "woocommerce",
    "woocommerce_rest",
    "feefo",
    "json_feed",
);

static BY_COLUMNS: LazyLock<Vec<Format>> = LazyLock::new(|| {
    COLUMN_FORMATS
        .iter()
        .map(|(name, file)| Format::of_file(name, file))
        .collect()
});

/// All formats, in the order of detection.
pub fn all_formats() -> impl Iterator<Item = &'static Format> {
    let first: [&Format; 1] = [&native::DOCUMENT];
    let last: [&Format; 3] = [&schema_org::FORMAT, &native::FORMAT, &table::FORMAT];
    first.into_iter().chain(&*BY_COLUMNS).chain(last)
}

/// The format with this name.
pub fn find_format(name: &str) -> Option<&'static Format> {
    all_formats().find(|format| format.name == name)
}

/// The values of `--format`, in the order of detection. Every command lists them at its start, so no file is read.
pub fn format_names() -> impl Iterator<Item = &'static str> {
    let first = [native::DOCUMENT.name];
    let by_columns = COLUMN_FORMATS.iter().map(|(name, _)| *name);
    let last = [schema_org::FORMAT.name, native::FORMAT.name, table::NAME];
    first.into_iter().chain(by_columns).chain(last)
}

/// The format that gave a review this id, by its prefix; `None` for ids that have none.
pub fn id_prefix(id: &str) -> Option<&'static str> {
    let mut prefixes = all_formats().map(|format| format.ids.unwrap_or(format.name));
    prefixes.find(|prefix| {
        id.strip_prefix(prefix)
            .is_some_and(|its| its.starts_with('-'))
    })
}

/// Whether a cell is a known header of any table of reviews or of any platform.
pub fn is_header(cell: &str) -> bool {
    let is_cell = |list: &'static String| names(list).any(|name| same_name(name, cell));
    let mut platforms = all_formats().flat_map(|format| format.fields.values());
    is_cell(&table::HEADERS.ambiguous)
        || table::HEADERS.other_languages.values().any(is_cell)
        || platforms.any(is_cell)
}

#[cfg(test)]
mod tests {
    use super::{COLUMN_FORMATS, all_formats, find_format, format_names};

    #[test]
    fn every_file_of_a_format_can_be_read() {
        for (name, file) in COLUMN_FORMATS {
            let format = find_format(name).unwrap();
            assert!(
                !format.fields.is_empty() && !format.keys.is_empty(),
                "{file}"
            );
        }
        let names: Vec<&str> = all_formats().map(|format| format.name).collect();
        assert_eq!(names, format_names().collect::<Vec<_>>());
    }
}
