//! Shopify's Product Reviews: its export as CSV. The reviews have no ids; `location` is the customer's and is not read.

use crate::imports::map::visibility::NOT_PUBLISHED;
use crate::imports::map::{Field, Format, Hidden, When};

pub const FORMAT: Format = Format {
    name: "shopify",
    label: "Shopify Product Reviews",
    source: "Shopify",
    keys: &[
        "product_handle, state, author, body",
        "product_handle, state, replied_at",
    ],
    fields: &[
        (Field::Rating, "rating"),
        (Field::Date, "created_at"),
        (Field::Author, "author"),
        (Field::Title, "title"),
        (Field::Text, "body"),
        (Field::ResponseText, "reply"),
        (Field::ResponseDate, "replied_at"),
    ],
    hidden: &[Hidden {
        names: "state",
        when: When::NoneOf("published"),
        reason: NOT_PUBLISHED,
    }],
    was_table: true,
    ..Format::PLAIN
};
