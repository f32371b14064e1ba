//! Yelp Fusion: at most three excerpts of reviews. Its times have no offset and are in California's time zone.

use crate::imports::map::{Field, Format};

pub const FORMAT: Format = Format {
    name: "yelp",
    label: "Yelp Fusion",
    excerpts: true,
    note: Some(
        "Yelp's API returns at most three excerpts, and its terms limit how long they may be kept and how they are shown",
    ),
    source: "Yelp",
    keys: &["time_created, user.name", "time_created, user.id"],
    fields: &[
        (Field::Id, "id"),
        (Field::Rating, "rating"),
        (Field::Date, "time_created"),
        (Field::Author, "user.name"),
        (Field::Text, "text"),
        (Field::Url, "url"),
    ],
    zone: Some(chrono_tz::America::Los_Angeles),
    anonymous: Some("A Yelp user"),
    ..Format::PLAIN
};
