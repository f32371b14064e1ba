//! Trustpilot: reviews of a business unit from its API.

use crate::imports::format::{Format, Reader};
use crate::imports::platform::{Field, Platform};

pub(in crate::imports) const FORMAT: Format = Format {
    name: "trustpilot",
    label: "Trustpilot",
    excerpts: false,
    authors_public: true,
    note: None,
    renames: true,
    document: &[],
    reader: Reader::Platform(&PLATFORM),
};

const PLATFORM: Platform = Platform {
    source: "Trustpilot",
    keys: &[&["stars", "consumer.displayName"], &["stars", "consumer.id", "createdAt"]],
    fields: &[
        (Field::Id, &["id"]),
        (Field::Rating, &["stars"]),
        (Field::Date, &["createdAt"]),
        (Field::UpdatedAt, &["updatedAt"]),
        (Field::Author, &["consumer.displayName"]),
        (Field::Title, &["title"]),
        (Field::Text, &["text"]),
        (Field::Language, &["language"]),
        (Field::Location, &["location.name"]),
        (Field::ResponseText, &["companyReply.text"]),
        (Field::ResponseDate, &["companyReply.createdAt"]),
    ],
    anonymous: Some("Anonymous"),
    ..Platform::PLAIN
};
