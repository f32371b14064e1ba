//! Loox: its export as CSV. `nickname` is the displayed name; the full name is not read.

use crate::imports::map::{Field, Format, Hidden, When};

pub const FORMAT: Format = Format {
    name: "loox",
    label: "Loox",
    source: "Loox",
    keys: &[
        "nickname, review, verified_purchase",
        "nickname, review, productId",
    ],
    fields: &[
        (Field::Id, "id"),
        (Field::Rating, "rating"),
        (Field::Date, "date"),
        (Field::Author, "nickname"),
        (Field::Text, "review"),
        (Field::ResponseText, "reply"),
        (Field::ResponseDate, "reply_date"),
    ],
    hidden: &[Hidden {
        names: "status",
        when: When::NoneOf("active, published, approved"),
        reason: "hidden at the source",
    }],
    was_table: true,
    ..Format::PLAIN
};
