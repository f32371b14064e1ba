//! One file for each platform with a known export: how to recognize it, and what its columns mean.
//!
//! To add a platform, add a file that ends in a `FORMAT`, and its lines below. Only the columns named there are read,
//! so all others stay private (`docs/IMPORT.md` lists both).

pub mod apify;
pub mod birdeye;
pub mod facebook;
pub mod google;
pub mod google_places;
pub mod judgeme;
pub mod loox;
pub mod native;
pub mod okendo;
pub mod outscraper;
pub mod podium;
pub mod powerreviews;
pub mod reviews_json;
pub mod schema_org;
pub mod servicetitan;
pub mod shopify;
pub mod stamped;
pub mod table;
pub mod trustpilot;
pub mod woocommerce;
pub mod yelp;
pub mod yotpo;

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
