//! `PowerReviews`: its export as CSV, with days in the order of the United States.

use crate::imports::map::date::DateOrder;
use crate::imports::map::{Field, Format, Hidden, When};

pub const FORMAT: Format = Format {
    name: "powerreviews",
    label: "PowerReviews",
    source: "PowerReviews",
    keys: &[
        "Review Id, Review Display",
        "Review Text, Review Status, Verified Buyer",
    ],
    fields: &[
        (Field::Id, "Review Id"),
        (Field::Rating, "Rating"),
        (Field::Date, "Review Date"),
        (Field::Author, "Nickname, Reviewer Nickname, Reviewer Name"),
        (Field::Title, "Review Title, Review Headline"),
        (Field::Text, "Review Text"),
        (Field::Language, "Locale"),
        (Field::ResponseText, "Merchant Response"),
        (Field::ResponseDate, "Merchant Response Date"),
    ],
    hidden: &[
        Hidden {
            names: "Review Status",
            when: When::NoneOf("approved, published, live"),
            reason: "hidden at the source",
        },
        Hidden {
            names: "Review Display",
            when: When::NoneOf("yes, true, 1, displayed, display, public"),
            reason: "hidden at the source",
        },
    ],
    date_order: Some(DateOrder::MonthFirst),
    ..Format::PLAIN
};
