//! Yotpo: its export as CSV, and the reviews of its API.

use crate::imports::map::{Field, Format, Hidden, When};

pub const FORMAT: Format = Format {
    name: "yotpo",
    label: "Yotpo",
    source: "Yotpo",
    keys: &[
        "review_content, review_score",
        "content, score, votes_up",
        "review_content, display_name",
    ],
    fields: &[
        (Field::Id, "review_id, id"),
        (Field::Rating, "review_score, score"),
        (Field::Date, "date, review_date, created_at"),
        (
            Field::Author,
            "display_name, reviewer_display_name, user.display_name",
        ),
        (Field::Title, "review_title, title"),
        (Field::Text, "review_content, content"),
        (Field::Language, "language"),
        (Field::ResponseText, "comment.content, comment_content"),
        (Field::ResponseDate, "comment.created_at, comment_date"),
    ],
    hidden: &[
        Hidden {
            names: "published",
            when: When::No,
            reason: "hidden at the source",
        },
        Hidden {
            names: "deleted",
            when: When::Yes,
            reason: "hidden at the source",
        },
        Hidden {
            names: "review_status",
            when: When::NoneOf("published, approved"),
            reason: "hidden at the source",
        },
    ],
    ..Format::PLAIN
};
