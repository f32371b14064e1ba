//! One file for each platform whose exports are known: what makes a file one of them, and what its
//! columns mean.
//!
//! A new platform is a file of its own here that ends in a `FORMAT`, and its lines below. Only what
//! is named there is read, so a private field is private by not being named (`docs/IMPORT.md` lists
//! both).

pub(super) mod apify;
pub(super) mod birdeye;
pub(super) mod facebook;
pub(super) mod google;
pub(super) mod google_places;
pub(super) mod judgeme;
pub(super) mod loox;
pub(super) mod native;
pub(super) mod okendo;
pub(super) mod outscraper;
pub(super) mod podium;
pub(super) mod powerreviews;
pub(super) mod reviews_json;
pub mod schema_org;
pub(super) mod servicetitan;
pub(super) mod shopify;
pub(super) mod stamped;
pub(super) mod table;
pub(super) mod trustpilot;
pub(super) mod woocommerce;
pub(super) mod yelp;
pub(super) mod yotpo;

use super::format::Format;

impl Format {
    /// Every format, in the order in which they are asked: those that ask least come last.
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

    /// The format of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        Self::ALL.into_iter().find(|format| format.name == name)
    }

    /// The names that `--format` takes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(|format| format.name)
    }
}
