//! Trustpilot: reviews of a business unit from its API, or from the business portal as CSV or XLSX; their times are in
//! UTC.

use crate::imports::map::{Field, Format};

pub const FORMAT: Format = Format {
    name: "trustpilot",
    label: "Trustpilot",
    source: "Trustpilot",
    keys: &[
        "stars, consumer.displayName",
        "stars, consumer.id, createdAt",
        "Review Stars, Review Content, Review Username",
        "Review Stars, Review Id, Review Created (UTC)",
    ],
    fields: &[
        (Field::Id, "id, Review Id"),
        (Field::Rating, "stars, Review Stars"),
        (Field::Date, "createdAt, Review Created (UTC)"),
        (Field::UpdatedAt, "updatedAt"),
        (Field::Author, "consumer.displayName, Review Username"),
        (Field::Title, "title, Review Title"),
        (Field::Text, "text, Review Content"),
        (Field::Language, "language, Review Language"),
        (Field::Location, "location.name, Location Name"),
        (Field::ResponseText, "companyReply.text, Company Response"),
        (
            Field::ResponseDate,
            "companyReply.createdAt, Company Reply Date (UTC)",
        ),
    ],
    zone: Some(chrono_tz::UTC),
    was_table: true,
    ..Format::PLAIN
};
