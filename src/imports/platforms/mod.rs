//! The built-in formats: a file for each platform with a known export tells how to recognize the export, and the meaning of its columns.
//!
//! To add one, add the file and its name to [`FORMATS`]. Only the columns in that file are read, so all others stay private
//! (`docs/FORMAT.md` lists the keys).

use std::sync::{Arc, LazyLock};

use crate::imports::format::Format;

pub static NATIVE: LazyLock<Arc<Format>> =
    LazyLock::new(|| find_format("jsonl").unwrap_or_default());

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!($name, ".toml")))),+]
    };
}

/// Names and files in the order of detection: if the columns of a file fit two formats, it is of the first.
const FORMATS: &[(&str, &str)] = files!(
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
    "yotpo_widget",
    "yotpo",
    "stamped_api",
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
    "schema-org",
    "jsonl",
);

/// The built-in formats, in the order of detection.
pub static BUILT_IN: LazyLock<Vec<Arc<Format>>> = LazyLock::new(|| {
    let files = FORMATS.iter();
    files
        .map(|(name, file)| Arc::new(read_file(name, file)))
        .collect()
});

fn read_file(name: &str, text: &'static str) -> Format {
    let format: Format = toml::from_str(text).unwrap_or_else(|error| {
        unreachable!("{error} in {name}.toml");
    });
    Format {
        name: name.to_owned(),
        ..format
    }
}

/// The built-in format with this name.
pub fn find_format(name: &str) -> Option<Arc<Format>> {
    let mut all = BUILT_IN.iter();
    all.find(|format| format.name == name).cloned()
}

/// The name of a source as its format writes it; another one stays.
pub fn source_name(name: &str) -> &str {
    let mut known = BUILT_IN.iter().filter_map(|it| it.source.as_deref());
    let found = known.find(|it| it.eq_ignore_ascii_case(name));
    found.unwrap_or(name)
}

/// The names of all built-in formats. Every command lists them at its start, so no file is read.
pub fn format_names() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_platform_can_be_read() {
        for name in format_names() {
            assert_eq!(find_format(name).unwrap().name, name);
        }
        for format in &*BUILT_IN {
            assert!(
                format.is_native() || !format.fields.is_empty() && !format.keys.is_empty(),
                "{}",
                format.name
            );
        }
    }
}
