//! The built-in formats: a file for each platform with a known export tells how to recognize the export, and the meaning of its columns.
//!
//! To add one, add the file and its name to [`COLUMN_FORMATS`]. Only the columns in that file are read, so all others stay private
//! (`docs/FORMAT.md` lists the keys).

use std::sync::{Arc, LazyLock};

use crate::imports::format::{Format, Reader};

/// Native records, one per line or in an array, as `reviews export` writes them (`docs/IMPORT.md`).
pub static NATIVE: LazyLock<Arc<Format>> = LazyLock::new(|| {
    Arc::new(Format {
        name: "jsonl".to_owned(),
        label: "native format (JSON Lines)".to_owned(),
        reader: Reader::Records,
        ..Format::default()
    })
});

/// Another instance's `/reviews.json`. Its business is imported if the database has none; its counts are ignored.
pub static DOCUMENT: LazyLock<Arc<Format>> = LazyLock::new(|| {
    Arc::new(Format {
        name: "reviews-json".to_owned(),
        label: "/reviews.json of this service".to_owned(),
        reader: Reader::Document,
        ..Format::default()
    })
});

/// schema.org's JSON-LD.
pub static LINKED_DATA: LazyLock<Arc<Format>> = LazyLock::new(|| {
    let file = include_str!("schema_org.toml");
    Arc::new(Format {
        reader: Reader::LinkedData,
        ..Format::of_platform(LINKED_DATA_NAME, file)
    })
});

const LINKED_DATA_NAME: &str = "schema-org";

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!($name, ".toml")))),+]
    };
}

/// Names and files in the order of detection: if the columns of a file fit two formats, it is of the first.
const COLUMN_FORMATS: &[(&str, &str)] = files!(
    "pushbutton",
    "google",
    "google_places",
    "apify",
    "outscraper_trustpilot",
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
    "yotpo_api",
    "yotpo",
    "stamped",
    "loox",
    "shopify",
    "woocommerce",
    "woocommerce_rest",
    "feefo",
    "magento",
    "google_play",
    "app_store",
    "app_store_feed",
    "site_reviews",
    "strong_testimonials",
    "opencart",
    "prestashop",
    "shopware",
    "booking",
);

/// The formats of platforms, in the order of detection.
pub static PLATFORMS: LazyLock<Vec<Arc<Format>>> = LazyLock::new(|| {
    COLUMN_FORMATS
        .iter()
        .map(|(name, file)| Arc::new(Format::of_platform(name, file)))
        .chain([LINKED_DATA.clone()])
        .collect()
});

/// The built-in format with this name.
pub fn find_format(name: &str) -> Option<Arc<Format>> {
    let ours = [&NATIVE, &DOCUMENT].into_iter().map(|format| &**format);
    let mut all = ours.chain(&*PLATFORMS);
    all.find(|format| format.name == name).cloned()
}

/// The names of all built-in formats. Every command lists them at its start, so no file is read.
pub fn format_names() -> impl Iterator<Item = &'static str> {
    let platforms = COLUMN_FORMATS.iter().map(|(name, _)| *name);
    platforms.chain([LINKED_DATA_NAME, "jsonl", "reviews-json"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_platform_can_be_read() {
        for name in format_names() {
            assert_eq!(find_format(name).unwrap().name, name);
        }
        for format in &*PLATFORMS {
            assert!(
                !format.fields.is_empty() && !format.keys.is_empty(),
                "{}",
                format.name
            );
        }
    }
}
