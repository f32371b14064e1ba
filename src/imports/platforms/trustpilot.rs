//! Trustpilot: reviews of a business unit from its API.

use crate::imports::format::Format;
use crate::imports::platform::{Field, Platform};

pub(in crate::imports) const FORMAT: Format =
    Format::platform("trustpilot", "Trustpilot", &PLATFORM);

const PLATFORM: Platform = Platform {
    source: "Trustpilot",
    keys: &[
        &["stars", "consumer.displayName"],
        &["stars", "consumer.id", "createdAt"],
    ],
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
