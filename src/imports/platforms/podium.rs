//! Podium: reviews from its API, collected from many sites. Its attributions have only the ids of people, so no
//! technicians are read.

use crate::imports::map::{Field, Format};

pub const FORMAT: Format = Format {
    name: "podium",
    label: "Podium",
    authors_public: false,
    source: "Podium",
    keys: &[
        "uid, review.body, review.siteName",
        "uid, review.rating, author.name",
        "uid, review.siteName, createdAt",
    ],
    fields: &[
        (Field::Id, "uid"),
        (Field::Rating, "review.rating"),
        (Field::Recommended, "review.recommendation, recommended"),
        (Field::Date, "createdAt"),
        (Field::UpdatedAt, "updatedAt"),
        (Field::Author, "author.name"),
        (Field::Text, "review.body"),
        (Field::SourceName, "review.siteName"),
        (Field::Url, "review.url"),
        (Field::Location, "locations[].name, locations[].uid"),
        (Field::ResponseText, "responses[].body"),
        (Field::ResponseDate, "responses[].createdAt"),
        (Field::ResponseAuthor, "responses[].siteAuthorName"),
    ],
    ..Format::PLAIN
};
