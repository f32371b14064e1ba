//! One file for each platform with a known export: how to recognize the export, and the meaning of its columns.
//!
//! To add a platform, add a file that ends with a `FORMAT`, and its lines below. Only the columns in that entry are
//! read, so all others stay private (`docs/IMPORT.md` lists both).

pub(crate) mod apify;
pub(crate) mod birdeye;
pub(crate) mod facebook;
pub(crate) mod google;
pub(crate) mod google_places;
pub(crate) mod judgeme;
pub(crate) mod loox;
pub(crate) mod native;
pub(crate) mod okendo;
pub(crate) mod outscraper;
pub(crate) mod podium;
pub(crate) mod powerreviews;
pub(crate) mod reviews_json;
pub(crate) mod schema_org;
pub(crate) mod servicetitan;
pub(crate) mod shopify;
pub(crate) mod stamped;
pub(crate) mod table;
pub(crate) mod trustpilot;
pub(crate) mod woocommerce;
pub(crate) mod yelp;
pub(crate) mod yotpo;

use super::map::Format;

impl Format {
    /// In the order of detection: the formats with the fewest required names come last.
    pub const ALL: [&'static Self; 22] = [
        &reviews_json::FORMAT,
        &google::FORMAT,
        &google_places::FORMAT,
        &apify::FORMAT,
        &outscraper::FORMAT,
        &yelp::FORMAT,
        &trustpilot::FORMAT,
        &servicetitan::FORMAT,
        &podium::FORMAT,
        &birdeye::FORMAT,
        &judgeme::FORMAT,
        &facebook::FORMAT,
        &okendo::FORMAT,
        &powerreviews::FORMAT,
        &yotpo::FORMAT,
        &stamped::FORMAT,
        &loox::FORMAT,
        &shopify::FORMAT,
        &woocommerce::FORMAT,
        &schema_org::FORMAT,
        &native::FORMAT,
        &table::FORMAT,
    ];

    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        Self::ALL.into_iter().find(|format| format.name == name)
    }

    /// The values of `--format`.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(|format| format.name)
    }
}
