//! Stamped: its export as CSV.

use crate::imports::map::{Field, Format, Hidden, When};

pub const FORMAT: Format = Format {
    name: "stamped",
    label: "Stamped",
    source: "Stamped",
    keys: &[
        "reviewMessage, reviewRating",
        "reviewMessage, author, reviewDate",
    ],
    fields: &[
        (Field::Id, "reviewId, id"),
        (Field::Rating, "reviewRating"),
        (Field::Date, "reviewDate, dateCreated"),
        (Field::Author, "author"),
        (Field::Title, "reviewTitle"),
        (Field::Text, "reviewMessage"),
        (Field::ResponseText, "reviewReply"),
        (Field::ResponseDate, "reviewReplyDate"),
    ],
    hidden: &[
        Hidden {
            names: "published",
            when: When::No,
            reason: "hidden at the source",
        },
        Hidden {
            names: "reviewState",
            when: When::NoneOf("published, approved, 2"),
            reason: "hidden at the source",
        },
    ],
    ..Format::PLAIN
};
