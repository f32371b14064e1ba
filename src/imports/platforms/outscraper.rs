//! Outscraper: reviews of a place on Google Maps, as CSV or XLSX. Its column `name` is the business, `author_title` the
//! author.

use crate::imports::map::date::DateOrder;
use crate::imports::map::{Field, Format};

pub const FORMAT: Format = Format {
    name: "outscraper",
    label: "Google Maps (Outscraper)",
    source: "Google",
    ids: Some("google-maps"),
    keys: &[
        "author_title, review_rating",
        "author_title, review_text, review_timestamp",
    ],
    fields: &[
        (Field::Id, "review_id"),
        (Field::Rating, "review_rating"),
        (Field::Date, "review_timestamp, review_datetime_utc"),
        (Field::Author, "author_title"),
        (Field::Text, "review_text"),
        (Field::Url, "review_link"),
        (Field::Location, "place_id, google_id"),
        (Field::ResponseText, "owner_answer"),
        (
            Field::ResponseDate,
            "owner_answer_timestamp, owner_answer_timestamp_datetime_utc",
        ),
    ],
    date_order: Some(DateOrder::MonthFirst),
    zone: Some(chrono_tz::UTC),
    anonymous: Some("A Google user"),
    was_table: true,
    ..Format::PLAIN
};
