//! Facebook and Meta: the review feed (CSV with dotted headers) and the ratings of a page, which
//! are recommendations without stars.

use crate::imports::map::{Field, Format};

pub const FORMAT: Format = Format {
    name: "facebook",
    label: "Facebook",
    source: "Facebook",
    keys: &[
        "aggregator, store.name, reviewID",
        "recommendation_type, created_time",
        "recommendation_type, review_text",
    ],
    fields: &[
        (Field::Id, "reviewID, open_graph_story.id"),
        (Field::Rating, "rating"),
        (Field::Recommended, "recommendation_type"),
        (Field::Date, "created_at, created_time"),
        (Field::UpdatedAt, "updated_at"),
        (Field::Author, "reviewer.name, author.name, reviewer"),
        (Field::Title, "title"),
        (Field::Text, "content, review_text"),
        (Field::Url, "url, review.url"),
        (Field::Location, "store.name"),
        (Field::ResponseText, "response.content, reply"),
        (Field::ResponseDate, "response.created_at"),
    ],
    anonymous: Some("A Facebook user"),
    ..Format::PLAIN
};
