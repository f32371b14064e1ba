//! Apify's scrapers of Google Maps: reviews of a place as a JSON array, or as a table. Its `title` is the business.

use crate::imports::map::{Field, Format};

pub const FORMAT: Format = Format {
    name: "apify",
    label: "Google Maps (Apify)",
    source: "Google",
    ids: Some("google-maps"),
    keys: &[
        "stars, publishedAtDate, name",
        "stars, publishedAtDate, reviewId",
    ],
    fields: &[
        (Field::Id, "reviewId"),
        (Field::Rating, "stars"),
        (Field::Date, "publishedAtDate"),
        (Field::Author, "name"),
        (Field::Text, "text"),
        (Field::Language, "originalLanguage"),
        (Field::Url, "reviewUrl"),
        (Field::Location, "placeId"),
        (Field::ResponseText, "responseFromOwnerText"),
        (Field::ResponseDate, "responseFromOwnerDate"),
    ],
    zone: Some(chrono_tz::UTC),
    anonymous: Some("A Google user"),
    was_table: true,
    ..Format::PLAIN
};
