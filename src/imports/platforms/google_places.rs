//! Google's Places API, old and new: at most five reviews of a place, which Google's licence does not allow storing.

use crate::imports::map::{Field, Format};

pub const FORMAT: Format = Format {
    name: "google_places",
    label: "Google Places API",
    excerpts: true,
    note: Some(
        "the Places API returns at most five reviews of a place, and Google's terms limit how long they may be kept and how they \
         are shown; a Takeout export has all reviews, without such terms",
    ),
    source: "Google",
    keys: &[
        "author_name, rating, time",
        "authorAttribution.displayName, rating, publishTime",
    ],
    fields: &[
        (Field::Id, "name"),
        (Field::Rating, "rating"),
        (Field::Date, "publishTime, time"),
        (Field::Author, "authorAttribution.displayName, author_name"),
        // The customer's own words before a translation.
        (Field::Text, "originalText.text, text.text, text"),
        (
            Field::Language,
            "originalText.languageCode, text.languageCode, original_language, language",
        ),
        (Field::Url, "googleMapsUri"),
    ],
    anonymous: Some("A Google user"),
    ..Format::PLAIN
};
