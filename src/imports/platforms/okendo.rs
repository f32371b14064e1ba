//! Okendo: its exports as CSV, its template for imports, and the reviews of its API.

use crate::imports::map::{Field, Format, Hidden, When};

pub const FORMAT: Format = Format {
    name: "okendo",
    label: "Okendo",
    source: "Okendo",
    keys: &[
        "isVerifiedBuyer, dateCreated",
        "reviewer.displayName, dateCreated, body",
        "reviewer.name, dateCreated, body",
        "reviewId, productId, dateCreated",
    ],
    fields: &[
        (Field::Id, "reviewId, id"),
        (Field::Rating, "rating"),
        (Field::Date, "dateCreated"),
        (Field::Author, "reviewer.displayName, reviewer.name, name"),
        (Field::Title, "title"),
        (Field::Text, "body"),
        (Field::Language, "languageCode"),
        (Field::ResponseText, "reply.body, reply"),
        (Field::ResponseDate, "reply.dateCreated"),
    ],
    hidden: &[Hidden {
        names: "status",
        when: When::NoneOf("approved, published"),
        reason: "hidden at the source",
    }],
    ..Format::PLAIN
};
