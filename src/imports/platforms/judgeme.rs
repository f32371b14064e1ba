//! Judge.me: its export as CSV. Reviews that are hidden or not approved there are withheld.

use crate::imports::map::{Field, Format, Hidden, When};

pub const FORMAT: Format = Format {
    name: "judgeme",
    label: "Judge.me",
    authors_public: false,
    source: "Judge.me",
    keys: &[
        "reviewer_name, review_date, product_handle",
        "reviewer_name, body, curated",
        "reviewer_name, review_rating, review_title",
    ],
    fields: &[
        (Field::Id, "review_id, id"),
        (Field::Rating, "rating, review_rating"),
        (Field::Date, "review_date, created_at"),
        (Field::Author, "reviewer_name"),
        (Field::Title, "title, review_title"),
        (Field::Text, "body, review_body"),
        (Field::ResponseText, "reply"),
        (Field::ResponseDate, "reply_date"),
    ],
    hidden: &[
        Hidden {
            names: "hidden",
            when: When::Yes,
            reason: "hidden at the source",
        },
        Hidden {
            names: "curated",
            when: When::NoneOf("ok, yes, true, 1, featured"),
            reason: "not let through at the source",
        },
    ],
    ..Format::PLAIN
};
